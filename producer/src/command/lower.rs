//! `threadproof lower`: the statement.

use super::{Failed, files};
use crate::frontend::Options;
use crate::source::Source;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Lower {
    /// Program file (.tp, .c, .i or .core)
    file: PathBuf,
    /// Print as JSON: {"core": TEXT, "digest": HEX}
    #[arg(long)]
    pub(super) json: bool,
    /// Print the program of abstraction layer N; 0 is the program itself
    #[arg(long, value_name = "N", default_value_t = 0)]
    layer: usize,
    /// Print the program with exactly N threads of each template with [*]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    exactly: Option<u32>,
    #[command(flatten)]
    options: Options,
}

impl Lower {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = files::source_of(&self.file, &self.options, self.exactly)?;
        let core = self.core(source)?;
        if self.json {
            let (_, digest) = threadproof_checker::internals::core_form::parse(&core)?;
            let object = serde_json::json!({"core": core, "digest": digest.to_string()});
            files::print(&format!("{object}\n"))?;
        } else {
            files::print(&core)?;
        }
        Ok(0)
    }

    /// The core form of the layer that is asked for.
    fn core(&self, source: Source) -> Result<String, Failed> {
        let Some(number) = self.layer.checked_sub(1) else { return Ok(source.core) };
        let layer = source.abstractions.get(number).ok_or_else(|| {
            let (file, count) = (self.file.display(), source.abstractions.len());
            Failed::Said(format!(
                "{file}: unknown layer {}; layers of abstraction: {count}",
                self.layer
            ))
        })?;
        Ok(layer.core.clone())
    }
}

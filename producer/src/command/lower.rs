//! `threadproof lower`: the statement.

use super::{Failed, files};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Lower {
    /// Program (.tp or .core)
    file: PathBuf,
    /// Print as JSON: {"core": TEXT, "digest": HEX}
    #[arg(long)]
    json: bool,
}

impl Lower {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = files::source(&self.file)?;
        if self.json {
            let (_, digest) = threadproof_checker::core_form::parse(&source.core)?;
            let object = serde_json::json!({"core": source.core, "digest": digest.to_string()});
            files::print(&format!("{object}\n"))?;
        } else {
            files::print(&source.core)?;
        }
        Ok(0)
    }
}

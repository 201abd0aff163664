//! `threadproof check`: lowers the source, then the same checker as `threadproof-check`.

use super::{Failed, files};
use crate::frontend::{self, Options};
use crate::text::file;
use std::path::PathBuf;
use threadproof_checker::verdict::verdict;

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Program file (.tp, .c, .i or .core)
    file: PathBuf,
    /// Certificate file
    certificate: PathBuf,
    /// Print the verdict as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    options: Options,
}

impl Check {
    pub(super) fn run(&self) -> Result<u8, Failed> {
        let source = frontend::read(&self.file, &self.options)?;
        let certificate = file::read(&self.certificate)?;
        let result = threadproof_checker::check(&source.core, &certificate);
        let (text, verdict) = verdict(&result, self.json);
        files::print(&text)?;
        Ok(verdict.code())
    }
}

//! The core form itself (SPEC.md section 4.1): read as it stands, by the checker's parser.

use super::{Frontend, Options, ReadError};
use crate::source::Source;
use crate::text::file::{self, FileError};
use std::path::Path;
use threadproof_checker::internals::core_form;

/// The front end of the core form.
pub struct Core;

impl Frontend for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["core"]
    }

    fn nothing_to_prove(&self, _: &Options) -> Option<&'static str> {
        Some("mark what must not be reached: `location NAME error;`")
    }

    fn read(&self, path: &Path, _: &Options) -> Result<Source, ReadError> {
        let core = file::read_text(path)?;
        let (program, _) = core_form::parse(&core).map_err(FileError::of(path))?;
        Ok(Source::with_core(program, core, Vec::new()))
    }
}

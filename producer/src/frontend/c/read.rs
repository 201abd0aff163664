//! Files of C: `.c`, which the preprocessor reads first, and `.i`, which is preprocessed.

use super::{lower, preprocess, warnings};
use crate::frontend::{Frontend, Options, ReadError};
use crate::source::Source;
use crate::text::file::{self, FileError};
use std::path::Path;

/// The front end of C.
pub struct C;

impl Frontend for C {
    fn name(&self) -> &'static str {
        "C"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["c", "i"]
    }

    fn option(&self, options: &Options) -> Option<&'static str> {
        (!options.c.checks.is_empty()).then_some("--check")
    }

    fn nothing_to_prove(&self, options: &Options) -> Option<&'static str> {
        let help = "say what should hold with `assert`, or check for errors of C: --check race,bounds,overflow";
        options.c.checks.is_empty().then_some(help)
    }

    fn read(&self, path: &Path, options: &Options) -> Result<Source, ReadError> {
        let name = path.display().to_string();
        let text = if path.extension().is_some_and(|suffix| suffix == "c") {
            preprocess(path, options.c.data_model).map_err(FileError::of(path))?
        } else {
            file::read_text(path)?
        };
        warnings(path, &text).iter().for_each(|warning| eprintln!("{warning}"));
        lower(&name, &text, options.c.clone()).map_err(ReadError::Diagnosed)
    }
}

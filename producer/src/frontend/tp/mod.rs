//! The language `.tp` (docs/language.md): C-like programs of any number of threads.
//!
//! Four passes: comments are blanked (`text::comments`), the text is parsed (`parse`), names and
//! sorts are resolved (`resolve`), and the core program is made (`lower`). What the core program
//! cannot say exactly is an error.

mod ast;
mod ir;
mod lower;
pub(crate) mod parse;
mod resolve;

use super::{Frontend, Options, ReadError};
use crate::source::Source;
use crate::text::characters::{misleading, without_mark};
use crate::text::file;
use crate::text::{Diagnostic, Diagnostics, comments};
use std::path::Path;

/// The front end of `.tp`.
pub struct Tp;

impl Frontend for Tp {
    fn name(&self) -> &'static str {
        "tp"
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["tp"]
    }

    fn read(&self, path: &Path, _: &Options) -> Result<Source, ReadError> {
        let text = file::read_text(path)?;
        lower(&path.display().to_string(), &text).map_err(ReadError::Diagnosed)
    }
}

/// Lowers a `.tp` text to the core program.
///
/// # Errors
///
/// All errors that were found, in the order of their places.
pub fn lower(file_name: &str, source: &str) -> Result<Source, Diagnostics> {
    let source = without_mark(source);
    let errors = |items| Diagnostics::new(file_name, source, items);
    let hidden: Vec<Diagnostic> = misleading(source).map(hidden).collect();
    if !hidden.is_empty() {
        return Err(errors(hidden));
    }
    let text = comments::without_comments(source).map_err(|e| errors(vec![e]))?;
    let tree = parse::unit(&text).map_err(errors)?;
    let unit = resolve::unit(&tree).map_err(errors)?;
    lower::program(&unit, file_name, &text).map_err(errors)
}

/// The error of a character that makes the text look different from how it is read.
fn hidden((at, c, what): (usize, char, &str)) -> Diagnostic {
    Diagnostic::new(at..at + c.len_utf8(), format!("U+{:04X} is {what}", u32::from(c)))
        .hint("remove it: text must look the way it is read, also in comments")
}

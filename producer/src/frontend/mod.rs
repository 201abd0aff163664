//! Front ends: from the text of a program to the core program that is proved and checked.

use threadproof_format::program::Program;

pub mod diagnostics;
pub mod tp;

pub use diagnostics::{Diagnostic, Diagnostics};

/// A program as a front end gives it: the core program, and where each edge comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The core program.
    pub program: Program,
    /// For each template and each of its edges the place in the source, as
    /// `thread_pool.tp:12: lock(m);`.
    pub notes: Vec<Vec<String>>,
}

impl Lowered {
    /// The core form, each edge with its place in the source as a comment.
    pub fn core_form(&self) -> String {
        crate::report::print::program(&self.program, &|template, edge| {
            let note = self.notes.get(template).and_then(|n| n.get(edge));
            note.cloned().unwrap_or_default()
        })
    }
}

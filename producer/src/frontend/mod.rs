//! Front ends: from the text of a program to the core program that is proved and checked.

use threadproof_format::Expr;
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
    /// What the program says to help the prover; no part of the core program.
    pub clauses: Vec<Clause>,
}

/// What a program says to help the prover. It decides nothing: a wrong one only does not help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Invariant or hint.
    pub kind: ClauseKind,
    /// Templates of the different threads that it is about, each with many threads.
    pub threads: Vec<u32>,
    /// Formula over globals, counters and the locals of these threads, at positions 0, 1, ....
    pub formula: Expr,
    /// The place in the source, as `thread_pool.tp:12: invariant (next >= 0);`.
    pub note: String,
}

/// What a clause says of its formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// It holds in every state, of all different threads.
    Invariant,
    /// It holds somewhere, and a proof may need it.
    Hint,
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

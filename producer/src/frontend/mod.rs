//! Front ends: from the text of a program to the core program that is proved and checked.

use threadproof_format::program::Program;
use threadproof_format::{Cmp, Expr};

pub mod c;
pub mod tp;

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
    /// Programs that abstract it: the first one it, and each further one the one before.
    pub layers: Vec<Layer>,
}

/// A program that abstracts another one, template by template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The abstract program, with the templates of the other one in their order.
    pub program: Program,
    /// For each template and each of its edges the place in the source.
    pub notes: Vec<Vec<String>>,
    /// What is said to help the prover, and is about templates that are kept.
    pub clauses: Vec<Clause>,
    /// For each template whether it is abstracted. The others are kept.
    pub abstracted: Vec<bool>,
    /// What is said of loops to help the proof that threads conform to their abstractions.
    pub invariants: Vec<LoopInvariant>,
}

/// What a thread says of a loop to help the proof that it conforms to its abstraction. It decides
/// nothing: a wrong one only does not help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInvariant {
    /// The template that is abstracted.
    pub template: u32,
    /// The location of the loop's head.
    pub location: u32,
    /// Formula over the thread's locals (position 0, also those of a single template) and the
    /// candidates: at position 1 a truth value for each location of the abstract thread.
    pub formula: Expr,
    /// The place in the source, as `driver.tp:12: invariant (i >= 0);`.
    pub note: String,
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
        core_form(&self.program, &self.notes)
    }
}

impl Layer {
    /// The core form, each edge with its place in the source as a comment.
    pub fn core_form(&self) -> String {
        core_form(&self.program, &self.notes)
    }
}

/// A program in the core form, with a note as a comment of each edge that has one.
pub(crate) fn core_form(program: &Program, notes: &[Vec<String>]) -> String {
    crate::logic::print::program(program, &|template, edge| {
        let note = notes.get(template).and_then(|n| n.get(edge));
        note.cloned().unwrap_or_default()
    })
}

/// The comparison that holds where this one does not.
fn negated(cmp: Cmp) -> Cmp {
    match cmp {
        Cmp::Eq => Cmp::Ne,
        Cmp::Ne => Cmp::Eq,
        Cmp::Lt => Cmp::Ge,
        Cmp::Le => Cmp::Gt,
        Cmp::Gt => Cmp::Le,
        Cmp::Ge => Cmp::Lt,
    }
}

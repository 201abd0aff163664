//! A program as it is proved: the core program, what the user says about it, and the chain of
//! programs that abstract it. Front ends read it, transformations make another one of it, the
//! prover takes it.

use crate::logic::print;
use threadproof_format::Expr;
use threadproof_format::program::Program;

/// A program with its annotations and abstractions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The core program.
    pub program: Program,
    /// Its text in the core form, which certificates are about.
    pub core: String,
    /// For each template and each of its edges the place in the source, as
    /// `thread_pool.tp:12: lock(m);`; empty where it is not known.
    pub notes: Vec<Vec<String>>,
    /// What the user says to help the prover; no part of the core program.
    pub annotations: Vec<Annotation>,
    /// Of an abstraction: what is said of the loops of the program that it abstracts.
    pub loop_invariants: Vec<LoopInvariant>,
    /// A refinement chain: the first program abstracts this one template by template, each further
    /// one the one before. An abstraction's own list is empty.
    pub abstractions: Vec<Source>,
}

impl Source {
    /// A program with the place of each edge, by template and edge, as far as it is known.
    pub fn new(program: Program, notes: Vec<Vec<String>>) -> Self {
        let core = core_form(&program, &notes);
        Source::with_core(program, core, notes)
    }

    /// A program whose core form is given.
    pub fn with_core(program: Program, core: String, notes: Vec<Vec<String>>) -> Self {
        let (annotations, loop_invariants, abstractions) = Default::default();
        Source { program, core, notes, annotations, loop_invariants, abstractions }
    }

    /// A program that comes from no source.
    pub fn of(program: Program) -> Self {
        Source::new(program, Vec::new())
    }

    /// The program and those that abstract it, in their order.
    pub fn chain(&self) -> impl Iterator<Item = &Source> {
        [self].into_iter().chain(&self.abstractions)
    }
}

/// The core form, each edge with its place in the source as a comment.
pub(crate) fn core_form(program: &Program, notes: &[Vec<String>]) -> String {
    print::program(program, &|template, edge| {
        let note = notes.get(template).and_then(|n| n.get(edge));
        note.cloned().unwrap_or_default()
    })
}

/// What the user says to help the prover. It decides nothing: a wrong one only does not help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Invariant or hint.
    pub kind: AnnotationKind,
    /// Templates of the different threads that it is about, each with many threads.
    pub threads: Vec<u32>,
    /// Formula over globals, counters and the locals of these threads, at positions 0, 1, ....
    pub formula: Expr,
    /// The place in the source, as `thread_pool.tp:12: invariant (next >= 0);`.
    pub note: String,
}

/// What an annotation says of its formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationKind {
    /// It holds in every state, of all different threads.
    Invariant,
    /// It holds somewhere, and a proof may need it.
    Hint,
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

//! Proof spaces by refinement (Farzan, Kincaid, Podelski, "Proof Spaces for Unbounded
//! Parallelism", Algorithm 2).
//!
//! A proof space is a set of valid Hoare triples that is closed under sequencing, symmetry and
//! conjunction; it is given by a basis of triples over one command each. The loop asks the
//! automaton for an error trace that has no proof in the space yet (Algorithm 1), and either
//! executes that trace or proves it infeasible and adds the proof's triples to the basis.

mod attempt;
mod automaton;
mod counting;
mod infeasible;
mod paths;
mod refine;
mod report;
mod strategy;
mod traces;
mod turns;

pub use report::diagnosis::{PREDICATES, TRACE};
pub use strategy::Strategy;
pub use turns::{Options, Outcome, Traces, prove};

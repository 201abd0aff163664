//! Proof spaces by refinement (Farzan, Kincaid, Podelski, "Proof Spaces for Unbounded
//! Parallelism", Algorithm 2).
//!
//! A proof space is a set of valid Hoare triples that is closed under sequencing, symmetry and
//! conjunction; it is given by a basis of triples over one command each. The loop asks the
//! automaton for an error trace that has no proof in the space yet (Algorithm 1), and either
//! executes that trace or proves it infeasible and adds the proof's triples to the basis.

mod alike;
mod automaton;
mod basis;
mod configuration;
pub(crate) mod convert;
mod counterexample;
pub mod counters;
mod derive;
mod diagnosis;
mod draft;
mod emptiness;
pub(crate) mod facts;
mod families;
pub(crate) mod formula;
mod gaps;
mod graph;
mod growth;
pub(crate) mod linear;
mod paths;
mod predicates;
mod refine;
mod relax;
mod shrink;
mod strategy;
mod templates;
pub(crate) mod trace;
mod turns;
pub(crate) mod validity;
mod weakest;
mod widths;

pub(crate) use facts::{index, number};
pub use strategy::Strategy;
pub use turns::{Between, Options, Outcome, Unknown, prove, prove_between};

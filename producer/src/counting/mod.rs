//! Invariants over globals and counters of threads, found without a trace: candidates out of
//! random runs, and those of them that are inductive together.

pub mod affine;
pub mod candidates;
pub mod invariants;
pub mod sample;

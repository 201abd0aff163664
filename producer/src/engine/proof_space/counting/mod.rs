//! Counters in a trace's proof: inductive invariants, what the threads under way say of counters,
//! and wide facts.

pub mod inductive;
pub mod location;
pub mod widening;

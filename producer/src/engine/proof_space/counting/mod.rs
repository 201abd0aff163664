//! Counters in a trace's proof: what the threads under way say of them, and wide facts.

pub mod location;
pub mod widening;

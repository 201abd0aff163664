//! Engines: searches for proofs.

pub mod control;
pub mod proof_space;

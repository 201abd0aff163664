//! Engines: searches for proofs.

pub mod conformance;
pub mod horn;
pub mod houdini;
pub mod proof_space;

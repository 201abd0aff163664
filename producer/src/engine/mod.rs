//! Engines: searches for proofs.

pub mod conformance;
pub mod control;
pub mod explore;
pub mod horn;
pub mod houdini;
pub mod proof_space;

//! The untrusted side of Threadproof: front ends, proof search and reports.

pub mod frontend;

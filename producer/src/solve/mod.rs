//! What the engines ask of z3.

pub mod encode;

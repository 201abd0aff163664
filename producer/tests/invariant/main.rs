//! Universally quantified invariants: their text, and certificates from them and back.

mod failures;
mod proofs;
mod support;
mod text;

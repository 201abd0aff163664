//! Universally quantified invariants: their text, and certificates from them.

mod text;

//! Completing proofs: from what an engine found to what the checker accepts.
//!
//! Untrusted: everything is checked by the checker's own code before it is given out.

pub mod arithmetic;
pub mod hints;
pub mod invariant;
pub mod obligations;
pub mod refute;

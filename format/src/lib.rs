//! What a Threadproof certificate *is*: programs, formulas, proofs and their bytes. Data only.
//!
//! Trusted: everything here is read by the checker. See SPEC.md for the normative text; each
//! module names the section that it implements.

#![forbid(unsafe_code)]

pub mod cbor;
pub mod digest;
pub mod int;
pub mod limits;
pub mod logic;
pub mod program;
pub mod proof;
pub mod refutation;
pub mod work;

pub use digest::Digest;
pub use int::Int;
pub use logic::{Cmp, Expr, Op, Sort};

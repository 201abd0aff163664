//! What a Threadproof certificate *is*: programs, formulas, proofs and their bytes. Data only.
//!
//! Trusted: everything here is read by the checker. See SPEC.md for the normative text; each
//! module names the section that it implements.
//!
//! A certificate is made, encoded and decoded:
//!
//! ```
//! use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
//! use threadproof_format::proof::{Certificate, Proof, VERSION};
//! use threadproof_format::{Digest, cbor};
//!
//! // "x := x + 1, and then x is 2": one thread takes the edges 0 and 1.
//! let start = State {
//!     globals: vec![Value::Int(1.into())],
//!     threads: vec![Thread { template: 0, locals: vec![] }],
//! };
//! let step = |edge| Move { thread: 0, edge, inputs: vec![] };
//! let statement = "core 1 ;".replace(' ', "\n");
//! let certificate = Certificate {
//!     version: VERSION,
//!     program: Digest::of([statement.as_bytes()]),
//!     statement,
//!     layers: vec![],
//!     proof: Proof::Counterexample(Counterexample { start, schedule: vec![step(0), step(1)] }),
//! };
//! let bytes = cbor::encode(&certificate)?;
//! assert_eq!(cbor::decode::<Certificate>(&bytes)?, certificate);
//! # Ok::<(), cbor::CborError>(())
//! ```
//!
//! The types of [`work`] are the standard library's (`Seq` is `Vec`) with operations that charge
//! what they cost: the checker uses these alone.

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

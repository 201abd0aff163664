//! Certificates and proof kinds (SPEC.md sections 7 to 9 and 12). A proof kind is one file.

pub mod abstraction;
pub mod counterexample;
pub mod proof_space;

use crate::Digest;
use crate::work::{Name, Seq};
use abstraction::Layer;
use counterexample::{Counterexample, State};
use proof_space::ProofSpace;
use serde::{Deserialize, Serialize};

/// The version of the format that this library reads and writes.
pub const VERSION: u32 = 4;

/// A proof of a claim about the program with the digest.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The proof, about the last layer's abstract program, or about the program without layers.
    pub proof: Proof,
    /// Programs, each of which abstracts the one before; the first one abstracts the program.
    pub layers: Seq<Layer>,
    /// Digest of the program's core form.
    #[serde(rename = "program")]
    pub program: Digest,
    /// Format version.
    pub version: u32,
    /// The program's tokens, each followed by a line feed: what `program` is the digest of. So a
    /// certificate can be read, though not checked, without the program's text.
    pub statement: Name,
}

/// The proof kinds.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Proof {
    /// Safe for any number of threads.
    #[serde(rename = "proof-space")]
    ProofSpace(ProofSpace),
    /// Unsafe: an execution that reaches an error location.
    #[serde(rename = "counterexample")]
    Counterexample(Counterexample),
}

/// Evidence that the initial condition can be met, so that a claim of safety is not vacuous.
pub type Witness = Option<State>;

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
pub const VERSION: u32 = 5;

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
    /// A proof of safety for any number of threads.
    #[serde(rename = "proof-space")]
    ProofSpace(ProofSpace),
    /// An execution that reaches an error location.
    #[serde(rename = "counterexample")]
    Counterexample(Counterexample),
}

impl Proof {
    /// What a proof of this kind shows. Nothing else says so: whoever needs to know asks here.
    pub fn conclusion(&self) -> Conclusion {
        match self {
            Proof::ProofSpace(_) => Conclusion::Safe,
            Proof::Counterexample(_) => Conclusion::ErrorReachable,
        }
    }
}

/// What a certificate says about its program (SPEC.md section 7). It will grow: a `match` lists
/// all variants, so that the compiler refuses one that forgets a conclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// In every execution, no thread is ever at an error location.
    Safe,
    /// The same of the executions of at most so many rounds: a weaker claim.
    SafeWithin {
        /// How many.
        rounds: u32,
    },
    /// An execution leads a thread to an error location.
    ErrorReachable,
}

impl Conclusion {
    /// The word of SPEC.md section 7.
    pub fn word(self) -> &'static str {
        match self {
            Conclusion::Safe => "safe",
            Conclusion::SafeWithin { .. } => "safe-within",
            Conclusion::ErrorReachable => "error-reachable",
        }
    }
}

/// Evidence that the initial condition can be met, so that a claim of safety is not vacuous.
pub type Witness = Option<State>;

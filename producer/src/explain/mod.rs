//! Why a trace is infeasible: the derivation of {true} trace {false} from the basis of a proof
//! space by sequencing, symmetry and conjunction (Farzan, Kincaid, Podelski, "Proof Spaces for
//! Unbounded Parallelism", Section 4 and Figure 3).
//!
//! A derivation gives for each point of the trace assertions about its threads. Each of them holds
//! at the start, or follows from assertions at the point before by a frame triple or an instance of
//! a basis triple (symmetry, conjunction, sequencing). Beyond the paper, a proof's impossible
//! configurations say that one of some assertions holds of threads at some locations; then the
//! derivation goes on for each case.

mod cases;
mod derivation;
pub mod random;
mod rules;
pub mod trace;

pub use derivation::{Assertion, Cases, Derivation};
pub use rules::{By, Place};

use rules::Rules;
use std::fmt;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::proof_space::automaton::Automaton;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::ProofSpace;
use trace::Trace;

/// Why there is no explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExplainError {
    /// The proof is not well formed, or it is too much work.
    Failure(Failure),
    /// The basis gives no derivation: the proof is not valid.
    NoDerivation,
}

impl fmt::Display for ExplainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExplainError::Failure(failure) => failure.fmt(f),
            ExplainError::NoDerivation => {
                f.write_str("the basis gives no derivation of {true} trace {false}")
            }
        }
    }
}

impl std::error::Error for ExplainError {}

impl From<Failure> for ExplainError {
    fn from(failure: Failure) -> Self {
        ExplainError::Failure(failure)
    }
}

impl From<Reason> for ExplainError {
    fn from(reason: Reason) -> Self {
        Failure::from(reason).into()
    }
}

/// Derives {true} trace {false} from the basis of a proof space. There is a derivation of every
/// error trace if the checker accepts the proof.
///
/// # Errors
/// If the proof is not well formed, or gives no derivation.
pub fn explain(
    program: &Program,
    proof: &ProofSpace,
    trace: &Trace,
) -> Result<Derivation, ExplainError> {
    let predicates = Predicates::new(program, &proof.predicates, &Budget::default())?;
    let automaton = Automaton::new(program, &predicates, &proof.basis, &Budget::default())?;
    let rules = Rules::new(program, &automaton, proof, trace);
    derivation::derive(rules)
}

//! Completing proof spaces: hints for the steps, refutations for the triples, nothing unused.
//!
//! An engine's draft names predicates, triples and configurations. Here each step of a
//! configuration is closed by embeddings of other configurations (SPEC.md section 8.4), what no
//! step needs is dropped, and every obligation is refuted. The result was checked.

mod closing;
mod draft;
pub(crate) mod embedding;
mod prune;
mod walk;

use crate::certify::obligations::{self, obligations};
use crate::certify::refute::{RefuteError, refute};
use crate::control::Control;
use std::fmt;
use std::time::{Duration, Instant};
use threadproof_checker::error::{Budget, Failure};
use threadproof_checker::internals::obligation::ObligationId;
use threadproof_checker::internals::proof_space::automaton::Step;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_checker::internals::proof_space::{check, check_emptiness};
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Hint, ProofSpace, StepHints};
use walk::Walk;

/// Why a draft could not be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertifyError {
    /// A step that no configurations of the draft cover.
    Open {
        /// The configuration, by its number in the draft.
        configuration: String,
        /// The step.
        step: Step,
    },
    /// A configuration (by its number in the draft) that no initial predicate excludes.
    Accepting(String),
    /// An obligation that was not refuted.
    Obligation(ObligationId, RefuteError),
    /// The checker refuses the draft, or (a bug here) the completed proof.
    Checker(Failure),
    /// The caller asked to stop.
    Stopped,
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::Open { configuration, step } => write!(
                f,
                "{configuration}: the step of thread {} (template {}) by edge {} is open",
                step.actor, step.template, step.edge
            ),
            CertifyError::Accepting(configuration) => {
                write!(f, "{configuration}: an initial state may satisfy it")
            }
            CertifyError::Obligation(id, error) => write!(f, "{id}: {error}"),
            CertifyError::Checker(failure) => {
                write!(f, "the checker does not accept it: {failure}")
            }
            CertifyError::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for CertifyError {}

impl From<Failure> for CertifyError {
    fn from(failure: Failure) -> Self {
        CertifyError::Checker(failure)
    }
}

impl From<threadproof_checker::error::Reason> for CertifyError {
    fn from(reason: threadproof_checker::error::Reason) -> Self {
        CertifyError::Checker(reason.into())
    }
}

/// Where time and bytes of a completed proof went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Steps of all configurations.
    pub steps: usize,
    /// Steps that have hints; the others close by themselves.
    pub hinted: usize,
    /// Hints.
    pub hints: usize,
    /// Hints that are case splits.
    pub splits: usize,
    /// Bytes of the hints in the certificate.
    pub hint_bytes: usize,
    /// Time to find embeddings: what a checker would spend that enumerates them itself.
    pub embedding: Duration,
    /// Time to close all steps, with the time for embeddings.
    pub closing: Duration,
    /// Time to refute all obligations.
    pub refuting: Duration,
    /// Time of the final check.
    pub checking: Duration,
}

/// Completes a draft: a proof space without refutations and hints. The result was checked, and
/// the same draft always gives the same proof.
///
/// # Errors
/// What is missing in the draft, and where.
pub fn complete(
    program: &Program,
    draft: ProofSpace,
    control: &Control,
) -> Result<ProofSpace, CertifyError> {
    Ok(complete_with_figures(program, draft, control)?.0)
}

/// As [`complete`], with figures.
///
/// # Errors
/// As [`complete`].
pub fn complete_with_figures(
    program: &Program,
    draft: ProofSpace,
    control: &Control,
) -> Result<(ProofSpace, Figures), CertifyError> {
    let mut figures = Figures::default();
    let start = Instant::now();
    let mut draft = draft::normalise(program, draft)?;
    loop {
        let count = draft.proof.basis.len();
        let predicates = Predicates::new(program, &draft.proof.predicates, &Budget::default())?;
        let walked = Walk::new(program, &predicates, &draft)?.run(control, &mut figures)?;
        draft = walked.draft;
        prune::keep_initial(&mut draft)?;
        let usage = check_emptiness(program, &predicates, &draft.proof, &Budget::default())?;
        let useful =
            walked.needed.iter().zip(&usage.triples).map(|(needed, used)| *needed && *used);
        prune::keep_triples(&mut draft.proof, &useful.collect::<Vec<bool>>());
        if draft.proof.basis.len() == count {
            break;
        }
    }
    let mut proof = draft.proof;
    prune::keep_predicates(&mut proof);
    figures.closing = start.elapsed();
    refute_all(program, &mut proof, control, &mut figures)?;
    let start = Instant::now();
    check(program, &proof, &Budget::default())?;
    figures.checking = start.elapsed();
    measure(&proof, &mut figures);
    Ok((proof, figures))
}

fn refute_all(
    program: &Program,
    proof: &mut ProofSpace,
    control: &Control,
    figures: &mut Figures,
) -> Result<(), CertifyError> {
    let start = Instant::now();
    let budget = Budget::default();
    let predicates = Predicates::new(program, &proof.predicates, &budget)?;
    let list = obligations(program, &predicates, proof, &budget)?;
    for obligation in list {
        let refutation = refute(&obligation, &control.stop).map_err(|error| match error {
            RefuteError::Stopped => CertifyError::Stopped,
            error => CertifyError::Obligation(obligation.id, error),
        })?;
        if let Some(place) = obligations::refutation(proof, obligation.id) {
            *place = refutation;
        }
    }
    figures.refuting = start.elapsed();
    Ok(())
}

fn measure(proof: &ProofSpace, figures: &mut Figures) {
    let steps: Vec<&StepHints> = proof
        .error_steps
        .iter()
        .chain(proof.configurations.iter().flat_map(|c| &c.steps))
        .collect();
    figures.hinted = steps.len();
    let hints = || steps.iter().flat_map(|step| &step.0);
    figures.hints = hints().count();
    figures.splits = hints().filter(|hint| matches!(hint, Hint::Split(_))).count();
    figures.hint_bytes = cbor::encode(&steps).map_or(0, |bytes| bytes.len());
}

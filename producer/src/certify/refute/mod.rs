//! Refutations of obligations.
//!
//! A lazy combination of propositional search and theories over the checker's own clausal form:
//! a propositional model is cut down to literals that satisfy all clauses, the linear ones go to
//! the arithmetic, its solution is compared with the array lemmas, and what contradicts becomes
//! a lemma (`search`). Then the lemmas are thinned out, and unit propagation or a SAT solver's
//! clauses make the proof (`assemble`).

mod assemble;
mod model;
mod propagation;
mod sat;
mod search;

use std::fmt;
use std::sync::atomic::AtomicBool;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::refutation::Refutation;

/// Why there is no refutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefuteError {
    /// The formulas are satisfiable together.
    Satisfiable,
    /// The caller asked to stop.
    Stopped,
    /// The search was given up.
    GaveUp(&'static str),
    /// The checker refuses the obligation, or (a bug here) the refutation that was found.
    Checker(Reason),
}

impl fmt::Display for RefuteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RefuteError::Satisfiable => f.write_str("the formulas are jointly satisfiable"),
            RefuteError::Stopped => f.write_str("stopped"),
            RefuteError::GaveUp(why) => write!(f, "no refutation found: {why}"),
            RefuteError::Checker(reason) => write!(f, "the checker does not accept it: {reason}"),
        }
    }
}

impl std::error::Error for RefuteError {}

impl From<Reason> for RefuteError {
    fn from(reason: Reason) -> Self {
        RefuteError::Checker(reason)
    }
}

/// Refutes an obligation. The refutation was checked.
///
/// # Errors
/// If the formulas are satisfiable, the caller stops it, or the search is given up.
pub fn refute(obligation: &Obligation, stop: &AtomicBool) -> Result<Refutation, RefuteError> {
    let found = search::Search::new(obligation, stop)?.run()?;
    let refutation = assemble::assemble(obligation, found)?;
    obligation.check(&refutation, &Budget::default())?;
    Ok(refutation)
}

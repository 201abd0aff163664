//! Why a claim of safety says nothing: what the checker says, and more where z3 knows it.

use crate::certify::invariant::no_initial_state;
use threadproof_checker::claim::{Claim, Vacuous};
use threadproof_format::program::Program;

/// The reason in a sentence, if the claim about this program is vacuous.
pub fn told(claim: &Claim, program: &Program) -> Option<String> {
    let why = claim.vacuous?;
    let many = (0..).zip(&program.templates).filter(|(_, t)| t.is_many()).map(|(of, _)| of);
    let text = match why {
        Vacuous::NoInitialState if no_initial_state(program, &[]) => {
            "no state satisfies the initial condition".to_owned()
        }
        Vacuous::NoInitialState if no_initial_state(program, &many.collect::<Vec<_>>()) => {
            "no initial state has threads of all templates".to_owned()
        }
        _ => why.to_string(),
    };
    Some(text)
}

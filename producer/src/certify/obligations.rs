//! What has to be refuted, as lists: the checker forms it, and says in which order.

use threadproof_checker::error::{Budget, Failure};
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::proof_space;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_format::refutation::Refutation;

/// The obligations of a proof space.
///
/// # Errors
/// If the proof is not well formed.
pub fn obligations(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &Budget,
) -> Result<Vec<Obligation>, Failure> {
    let mut list = Vec::new();
    proof_space::each_obligation(program, predicates, proof, budget, |obligation, _| {
        list.push(obligation);
        Ok(())
    })?;
    Ok(list)
}

/// The obligations of a conformance proof. Its refutations are not looked at.
///
/// # Errors
/// If the proof is not well formed.
pub fn conformance(
    pair: &Pair<'_>,
    proof: &Conformance,
    budget: &Budget,
) -> Result<Vec<Obligation>, Failure> {
    let mut list = Vec::new();
    pair.each_obligation(proof, budget, |obligation| {
        list.push(obligation);
        Ok(())
    })?;
    Ok(list)
}

/// Where the refutation of an obligation stands in a proof space; `None` if the obligation is none
/// of a proof space.
pub fn refutation(proof: &mut ProofSpace, id: ObligationId) -> Option<&mut Refutation> {
    match id {
        ObligationId::Triple(i) => Some(&mut proof.basis.get_mut(i)?.refutation),
        ObligationId::Initial(i) => Some(&mut proof.initial.get_mut(i)?.refutation),
        ObligationId::Configuration(i) => {
            let i = i.checked_sub(proof.configurations.len())?;
            Some(&mut proof.impossible.get_mut(i)?.refutation)
        }
        ObligationId::Start | ObligationId::Location(_) | ObligationId::Edge(_) => None,
    }
}

//! Dropping what the certificate would not use, and renumbering what stays.

use super::CertifyError;
use super::draft::Draft;
use std::collections::BTreeSet;
use threadproof_checker::internals::proof_space::predicates::FALSE;
use threadproof_format::proof::proof_space::{Configuration, Hint, Instance, ProofSpace};

/// Keeps the marked triples.
pub fn keep_triples(proof: &mut ProofSpace, marks: &[bool]) {
    let mut marks = marks.iter();
    proof.basis.retain(|_| marks.next().copied().unwrap_or(true));
}

/// Keeps initial predicates of which none can be left out: each configuration in which every
/// thread may be at its initial location has one.
///
/// # Errors
/// If a configuration has none.
pub fn keep_initial(draft: &mut Draft) -> Result<(), CertifyError> {
    let known: BTreeSet<u32> = draft.proof.initial.iter().map(|i| i.predicate).collect();
    let mut demands: Vec<BTreeSet<u32>> = Vec::new();
    for (c, name) in draft.proof.configurations.iter().zip(&draft.names) {
        if may_be_initial(c) {
            let negated = c.negated.iter().map(|instance| instance.0);
            let demand: BTreeSet<u32> = negated.filter(|p| known.contains(p)).collect();
            if demand.is_empty() {
                return Err(CertifyError::Accepting(name.clone()));
            }
            demands.push(demand);
        }
    }
    // The rarest go first, so that the most useful ones stay.
    let mut kept = known;
    let uses = |p: &u32| demands.iter().filter(|demand| demand.contains(p)).count();
    let mut order: Vec<u32> = kept.iter().copied().collect();
    order.sort_by_key(uses);
    for predicate in order {
        kept.remove(&predicate);
        if demands.iter().any(|demand| demand.is_disjoint(&kept)) {
            kept.insert(predicate);
        }
    }
    draft.proof.initial.retain(|i| kept.contains(&i.predicate));
    Ok(())
}

fn may_be_initial(c: &Configuration) -> bool {
    c.threads.iter().all(|slot| slot.1.is_none_or(|location| location == 0))
}

/// Drops predicates that neither a triple nor a configuration mentions.
pub fn keep_predicates(proof: &mut ProofSpace) {
    let impossible = proof.impossible.iter().flat_map(|c| &c.negated);
    let configurations = proof.configurations.iter().flat_map(|c| &c.negated).chain(impossible);
    let pre = proof.basis.iter().flat_map(|triple| &triple.pre);
    let mut used: BTreeSet<u32> = configurations.chain(pre).map(|instance| instance.0).collect();
    used.extend(proof.basis.iter().map(|triple| triple.post));
    used.insert(FALSE);
    let mut next = 0;
    let mut numbers = vec![FALSE];
    let mut predicate = 0;
    proof.predicates.retain(|_| {
        predicate += 1;
        let keep = used.contains(&predicate);
        next += u32::from(keep);
        numbers.push(next);
        keep
    });
    renumber_predicates(proof, &numbers);
}

/// Gives predicate i the number `numbers[i]` wherever it occurs.
pub fn renumber_predicates(proof: &mut ProofSpace, numbers: &[u32]) {
    let renumber = |predicate: &mut u32| {
        let new = usize::try_from(*predicate).ok().and_then(|p| numbers.get(p));
        *predicate = new.copied().unwrap_or(u32::MAX);
    };
    let instances = |list: &mut Vec<Instance>| {
        list.iter_mut().for_each(|instance| renumber(&mut instance.0));
        list.sort_unstable();
    };
    for triple in &mut proof.basis {
        renumber(&mut triple.post);
        instances(&mut triple.pre);
    }
    proof.initial.iter_mut().for_each(|initial| renumber(&mut initial.predicate));
    for c in &mut proof.configurations {
        instances(&mut c.negated);
    }
    for c in &mut proof.impossible {
        instances(&mut c.negated);
    }
    let steps = proof.configurations.iter_mut().flat_map(|c| &mut c.steps);
    for hint in steps.chain(&mut proof.error_steps).flat_map(|step| &mut step.0) {
        if let Hint::Split(instance) = hint {
            renumber(&mut instance.0);
        }
    }
}

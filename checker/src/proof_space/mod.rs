//! Proof spaces: safe for any number of threads by a basis of Hoare triples and an emptiness
//! certificate (SPEC.md section 8; Farzan, Kincaid, Podelski).

pub mod automaton;
pub mod basis;
pub mod emptiness;
pub mod predicates;

use crate::counters;
use crate::error::{At, Budget, Failure, Reason};
use crate::refute::Obligation;
use crate::scope::Scope;
use automaton::Automaton;
use emptiness::{Emptiness, Usage, place};
use predicates::Predicates;
use std::collections::HashSet;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{InitialPredicate, ProofSpace};
use threadproof_format::refutation::Refutation;

/// All that has to be refuted: the triples, then the initial predicates, then the impossible
/// configurations, in their order.
///
/// # Errors
/// If the configurations, predicates or triples are not well formed.
pub fn obligations(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &mut Budget,
) -> Result<Vec<Obligation>, Failure> {
    let mut list = Vec::new();
    emptiness::well_formed(program, predicates, proof, budget)?;
    each_obligation(program, predicates, proof, budget, |obligation, _, _| {
        list.push(obligation);
        Ok(())
    })?;
    Ok(list)
}

/// Forms each obligation in its order and gives it away with its refutation, so that there need
/// not be more than one at a time.
fn each_obligation(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &mut Budget,
    mut with: impl FnMut(Obligation, &Refutation, &mut Budget) -> Result<(), Reason>,
) -> Result<(), Failure> {
    for (i, triple) in proof.basis.iter().enumerate() {
        let name = format!("triple {i}");
        basis::obligation(program, predicates, triple, name.clone(), budget)
            .and_then(|obligation| with(obligation, &triple.refutation, budget))
            .at(|| name)?;
    }
    for (i, initial) in proof.initial.iter().enumerate() {
        let name = format!("initial predicate {i}");
        initially(program, predicates, initial, name.clone(), budget)
            .and_then(|obligation| with(obligation, &initial.refutation, budget))
            .at(|| name)?;
    }
    for (i, c) in (proof.configurations.len()..).zip(&proof.impossible) {
        let name = format!("configuration {i}");
        emptiness::obligation(program, predicates, c, name.clone(), budget)
            .and_then(|obligation| with(obligation, &c.refutation, budget))
            .at(|| name)?;
    }
    Ok(())
}

/// The obligation that a predicate holds at the start, for all threads (section 8.5).
fn initially(
    program: &Program,
    predicates: &Predicates,
    initial: &InitialPredicate,
    name: String,
    budget: &mut Budget,
) -> Result<Obligation, Reason> {
    if initial.predicate == predicates::FALSE {
        return Err(Reason::Instance("`false` is never listed"));
    }
    let predicate = &predicates.get(initial.predicate)?.predicate;
    let mut formulas = vec![program.init.clone()];
    let singles = program.templates.iter().filter(|t| !t.is_many());
    formulas.extend(singles.map(|t| t.init.clone()));
    for (position, of) in (0..).zip(&predicate.threads) {
        formulas.push(crate::scope::template(program, *of)?.init.rename(&[position]));
    }
    formulas.push(predicate.formula.clone().negate());
    formulas.extend(counters::initially(program, &formulas, budget)?);
    budget.spend(formulas.iter().map(|formula| formula.0.len()).sum())?;
    let threads = predicate.threads.iter().copied().map(Some).collect();
    Scope { program, threads, inputs: &[] }.obligation(name, formulas)
}

/// Checks a proof space (section 8).
///
/// # Errors
/// Why it is no proof, and where.
pub fn check(program: &Program, proof: &ProofSpace, budget: &mut Budget) -> Result<(), Failure> {
    let predicates = Predicates::new(program, &proof.predicates, budget)?;
    if proof.initial.windows(2).any(|pair| pair[0].predicate >= pair[1].predicate) {
        return Err(Reason::Order("initial predicates").into());
    }
    emptiness::well_formed(program, &predicates, proof, budget)?;
    each_obligation(program, &predicates, proof, budget, |obligation, refutation, budget| {
        obligation.check(refutation, budget)
    })?;
    let usage = check_emptiness(program, &predicates, proof, budget)?;
    all_used(&predicates, proof, &usage)?;
    if let Some(state) = &proof.witness {
        crate::replay::witness(program, state, budget).at(|| "witness".to_owned())?;
    }
    Ok(())
}

/// Checks the emptiness certificate, whose configurations are well formed; the triples and the
/// impossible configurations are taken as shown.
///
/// # Errors
/// As [`check`].
pub fn check_emptiness(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &mut Budget,
) -> Result<Usage, Failure> {
    let automaton = Automaton::new(program, predicates, &proof.basis);
    let roots = automaton.roots()?;
    let mut emptiness = Emptiness::new(&automaton, proof);
    let mut hints = proof.error_steps.iter();
    for (i, root) in roots.iter().enumerate() {
        at_place(emptiness.configuration(root, &mut hints, budget), i, roots.len())?;
    }
    if hints.next().is_some() {
        return Err(Reason::Unused("step")).at(|| "error configurations".to_owned());
    }
    for (i, c) in proof.configurations.iter().enumerate() {
        let mut hints = c.steps.iter();
        let checked = emptiness.configuration(c, &mut hints, budget);
        at_place(checked, roots.len() + i, roots.len())?;
        if hints.next().is_some() {
            return Err(Reason::Unused("step")).at(|| format!("configuration {i}"));
        }
    }
    let initial: HashSet<u32> = proof.initial.iter().map(|i| i.predicate).collect();
    emptiness.finish(&roots, &proof.configurations, &initial)
}

fn at_place(result: Result<(), Failure>, number: usize, roots: usize) -> Result<(), Failure> {
    result.map_err(|failure| failure.inside(&place(number, roots)))
}

/// Everything in the certificate is used (section 8.6).
fn all_used(predicates: &Predicates, proof: &ProofSpace, usage: &Usage) -> Result<(), Failure> {
    let unused = |list: &[bool]| list.iter().position(|used| !used);
    if let Some(i) = unused(&usage.triples) {
        return Err(Reason::Unused("triple")).at(|| format!("triple {i}"));
    }
    if let Some(i) = unused(&usage.configurations) {
        return Err(Reason::Unused("configuration")).at(|| format!("configuration {i}"));
    }
    for (i, initial) in proof.initial.iter().enumerate() {
        if !usage.initial.contains(&initial.predicate) {
            return Err(Reason::Unused("predicate")).at(|| format!("initial predicate {i}"));
        }
    }
    let mut named = vec![false; predicates.count()];
    let negated = emptiness::shapes(proof).flat_map(|c| c.negated);
    let pre = proof.basis.iter().flat_map(|t| &t.pre);
    let mentioned = negated.chain(pre).map(|instance| instance.0);
    for predicate in mentioned.chain(proof.basis.iter().map(|t| t.post)) {
        if let Some(mark) = usize::try_from(predicate).ok().and_then(|p| named.get_mut(p)) {
            *mark = true;
        }
    }
    match unused(&named[1..]) {
        Some(i) => Err(Reason::Unused("predicate")).at(|| format!("predicate {}", i + 1)),
        None => Ok(()),
    }
}

//! Proof spaces: safe for any number of threads by a basis of Hoare triples and an emptiness
//! certificate (SPEC.md section 8; Farzan, Kincaid, Podelski).

pub mod automaton;
pub mod basis;
pub mod emptiness;
pub mod predicates;

use crate::budget::{ascends, number};
use crate::claim::Told;
use crate::counters;
use crate::error::{At, Budget, Failure, Reason};
use crate::obligation::{Obligation, ObligationId};
use crate::scope::{Scope, template};
use crate::substitute::{negate, rename};
use automaton::Automaton;
use emptiness::{Emptiness, Usage, place};
use predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{InitialPredicate, ProofSpace};
use threadproof_format::refutation::Refutation;
use threadproof_format::work::{Group as _, List as _, Metered as _, Seq, Set, list};

/// Forms all that has to be refuted: the triples, then the initial predicates, then the impossible
/// configurations, in their order. Each is given away with its refutation, so that there need not be
/// more than one at a time.
///
/// # Errors
/// If the configurations, predicates or triples are not well formed, and those of `with`.
pub fn each_obligation(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &Budget,
    mut with: impl FnMut(Obligation, &Refutation) -> Result<(), Reason>,
) -> Result<(), Failure> {
    emptiness::well_formed(program, predicates, proof, budget)?;
    for (i, triple) in proof.basis.walk(budget)?.enumerate() {
        let id = ObligationId::Triple(i);
        basis::obligation(program, predicates, triple, id, budget)
            .and_then(|obligation| with(obligation, &triple.refutation))
            .at(|| id.to_string())?;
    }
    for (i, initial) in proof.initial.walk(budget)?.enumerate() {
        let id = ObligationId::Initial(i);
        initially(program, predicates, initial, id, budget)
            .and_then(|obligation| with(obligation, &initial.refutation))
            .at(|| id.to_string())?;
    }
    for (i, c) in (proof.configurations.len()..).zip(proof.impossible.walk(budget)?) {
        let id = ObligationId::Configuration(i);
        emptiness::obligation(program, predicates, c, id, budget)
            .and_then(|obligation| with(obligation, &c.refutation))
            .at(|| id.to_string())?;
    }
    Ok(())
}

/// The obligation that a predicate holds at the start, for all threads (section 8.5).
fn initially(
    program: &Program,
    predicates: &Predicates,
    initial: &InitialPredicate,
    id: ObligationId,
    budget: &Budget,
) -> Result<Obligation, Reason> {
    if initial.predicate == predicates::FALSE {
        return Err(Reason::Instance("`false` is never listed"));
    }
    let predicate = &predicates.get(initial.predicate, budget)?.predicate;
    let mut formulas = Seq::from([program.init.copy(budget)?]);
    for single in program.templates.walk(budget)?.filter(|t| !t.is_many()) {
        formulas.add(single.init.copy(budget)?, budget)?;
    }
    for (position, of) in (0..).zip(predicate.threads.walk(budget)?) {
        let init = &template(program, *of, budget)?.init;
        formulas.add(rename(init, &[position].into(), budget)?, budget)?;
    }
    formulas.add(negate(predicate.formula.copy(budget)?, budget)?, budget)?;
    let facts = counters::initially(program, &formulas, budget)?;
    formulas.add_all(facts.give(budget)?, budget)?;
    let threads = list(predicate.threads.walk(budget)?.copied().map(Some), budget)?;
    Scope { program, threads, inputs: None }.obligation(id, formulas, budget)
}

/// Checks a proof space (section 8).
///
/// # Errors
/// Why it is no proof, and where.
pub fn check(program: &Program, proof: &ProofSpace, budget: &Budget) -> Result<(), Failure> {
    let predicates = Predicates::new(program, &proof.predicates, budget)?;
    if !ascends(&proof.initial, budget, |one, other| Ok(one.predicate < other.predicate))? {
        return Err(Reason::Order("initial predicates").into());
    }
    each_obligation(program, &predicates, proof, budget, |obligation, refutation| {
        obligation.check(refutation, budget)
    })?;
    let usage = check_emptiness(program, &predicates, proof, budget)?;
    all_used(&predicates, proof, &usage, budget)?;
    if let Some(state) = &proof.witness {
        crate::replay::witness(program, state, budget).at(|| "witness".to_owned())?;
    }
    Ok(())
}

/// What is told of a proof space that was checked.
pub(crate) fn told(proof: &ProofSpace) -> Told<'_> {
    let [p, t, c] = [proof.predicates.len(), proof.basis.len(), proof.configurations.len()];
    let size = format!("proof space: {p} predicates, {t} triples, {c} configurations");
    Told { proof: size, witness: proof.witness.as_ref(), execution: String::new() }
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
    budget: &Budget,
) -> Result<Usage, Failure> {
    let automaton = Automaton::new(program, predicates, &proof.basis, budget)?;
    let roots = automaton.roots(budget)?;
    let mut emptiness = Emptiness::new(&automaton, proof, budget)?;
    let mut hints = proof.error_steps.walk(budget)?;
    for (i, root) in roots.walk(budget)?.enumerate() {
        at_place(emptiness.configuration(root, &mut hints, budget), i, roots.len())?;
    }
    if hints.next().is_some() {
        return Err(Reason::Unused("step")).at(|| "error configurations".to_owned());
    }
    for (i, c) in proof.configurations.walk(budget)?.enumerate() {
        let mut hints = c.steps.walk(budget)?;
        let checked = emptiness.configuration(c, &mut hints, budget);
        at_place(checked, roots.len() + i, roots.len())?;
        if hints.next().is_some() {
            return Err(Reason::Unused("step")).at(|| format!("configuration {i}"));
        }
    }
    let mut initial = Set::new();
    for known in proof.initial.walk(budget)? {
        initial.include(known.predicate, budget)?;
    }
    emptiness.finish(&roots, &proof.configurations, &initial, budget)
}

fn at_place(result: Result<(), Failure>, number: usize, roots: usize) -> Result<(), Failure> {
    result.map_err(|failure| failure.inside(&place(number, roots)))
}

/// Everything in the certificate is used (section 8.6).
fn all_used(
    predicates: &Predicates,
    proof: &ProofSpace,
    usage: &Usage,
    budget: &Budget,
) -> Result<(), Failure> {
    if let Some(i) = usage.triples.walk(budget)?.position(|used| !used) {
        return Err(Reason::Unused("triple")).at(|| format!("triple {i}"));
    }
    if let Some(i) = usage.configurations.walk(budget)?.position(|used| !used) {
        return Err(Reason::Unused("configuration")).at(|| format!("configuration {i}"));
    }
    for (i, initial) in proof.initial.walk(budget)?.enumerate() {
        if !usage.initial.has(&initial.predicate, budget)? {
            return Err(Reason::Unused("predicate")).at(|| format!("initial predicate {i}"));
        }
    }
    let mut named = Set::new();
    for c in emptiness::shapes(proof, budget)? {
        for instance in c.negated.walk(budget)? {
            named.include(instance.0, budget)?;
        }
    }
    for triple in proof.basis.walk(budget)? {
        named.include(triple.post, budget)?;
        for instance in triple.pre.walk(budget)? {
            named.include(instance.0, budget)?;
        }
    }
    for predicate in 1..number(predicates.count())? {
        if !named.has(&predicate, budget)? {
            return Err(Reason::Unused("predicate")).at(|| format!("predicate {predicate}"));
        }
    }
    Ok(())
}

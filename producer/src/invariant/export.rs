//! A proof space as the invariant that it shows: no configuration holds of a reachable state
//! (SPEC.md section 8.5; Farzan, Kincaid, Podelski, Proposition 6.14).

use super::{Assertion, Clause, Invariant};
use crate::logic::rewrite::Rewrite as _;
use std::collections::BTreeSet;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::proof_space::basis;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Instance, ProofSpace, Slot};

/// The invariant of a proof space: a clause for each error configuration, then one for each
/// configuration. The impossible ones hold of no state at all.
///
/// # Errors
/// If the proof's predicates or instances are not well formed.
pub fn export(program: &Program, proof: &ProofSpace) -> Result<Invariant, Failure> {
    let predicates = Predicates::new(program, &proof.predicates, &Budget::default())?;
    let mut clauses = Vec::new();
    for (of, template) in (0..).zip(&program.templates) {
        for (l, _) in (0..).zip(&template.locations).filter(|(_, location)| location.error) {
            clauses.push(clause(program, &predicates, &[Slot(of, Some(l))], &[])?);
        }
    }
    for c in &proof.configurations {
        clauses.push(clause(program, &predicates, &c.threads, &c.negated)?);
    }
    Ok(Invariant { clauses })
}

/// Different threads are not at these places, or one of the predicates holds.
fn clause(
    program: &Program,
    predicates: &Predicates,
    slots: &[Slot],
    negated: &[Instance],
) -> Result<Clause, Reason> {
    let (mut threads, mut premises) = (Vec::new(), Vec::new());
    // The quantified thread of each slot; none of a single template's.
    let mut numbers = Vec::new();
    for Slot(of, location) in slots {
        let template = usize::try_from(*of).ok().and_then(|t| program.templates.get(t));
        let many = template.ok_or(Reason::Index("template"))?.is_many();
        let number = u32::try_from(threads.len()).unwrap_or(u32::MAX);
        let at = location.map(|l| BTreeSet::from([l]));
        if many {
            let others = (0..).zip(&threads).filter(|(_, other)| *other == of);
            let different = others.map(|(i, _)| Assertion::Same(i, number).negate());
            premises.extend(different.collect::<Vec<_>>());
            premises.extend(at.map(|at| Assertion::At(number, at)));
            threads.push(*of);
        } else {
            premises.extend(at.map(|at| Assertion::SingleAt(*of, at)));
        }
        numbers.push(if many { number } else { u32::MAX });
    }
    let formula = |i: &Instance| {
        Ok(Assertion::Data(basis::formula(predicates, i, &Budget::default())?.rename(&numbers)))
    };
    let facts: Result<Vec<Assertion>, Reason> = negated.iter().map(formula).collect();
    Ok(Clause { threads, formula: Assertion::all(premises).implies(Assertion::any(facts?)) })
}

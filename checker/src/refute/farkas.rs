//! Linear arithmetic lemmas: Farkas' lemma with cutting planes (SPEC.md section 6.2).

use super::clauses::ClausalForm;
use super::linear::{add_scaled, is_contradiction, size, tighten};
use crate::budget::Held;
use crate::error::{Budget, Reason, RefutationReason};
use std::cmp::Ordering;
use threadproof_format::refutation::{Farkas, Linear};
use threadproof_format::work::{List as _, Seq};

/// Checks that the negations of the clause's literals, as constraints, contradict each other.
///
/// # Errors
/// A `RefutationReason`, or `Limit`.
pub fn check(form: &ClausalForm, lemma: &Farkas, budget: &Budget) -> Result<(), Reason> {
    // Each constraint, and whether a sum has it.
    let mut constraints: Seq<(Linear, bool)> = Seq::new();
    let held = Held::default();
    for lit in lemma.clause.walk(budget)? {
        let constraint = form.constraint(-lit, budget)?;
        let constraint = constraint.ok_or(RefutationReason::UnknownConstraint)?;
        held.hold(size(&constraint))?;
        constraints.add((constraint, false), budget)?;
    }
    for sum in lemma.sums.walk(budget)? {
        let mut total = Linear::default();
        let mut last = None;
        for (number, factor) in sum.walk(budget)? {
            let constraint = constraints.change(*number, budget)?;
            let (constraint, used) = constraint.ok_or(RefutationReason::UnknownConstraint)?;
            if factor.sign() != Ordering::Greater || last >= Some(*number) {
                return Err(RefutationReason::Multiplier.into());
            }
            last = Some(*number);
            total = add_scaled(&total, constraint, factor, budget)?;
            *used = true;
        }
        held.hold(size(&total))?;
        constraints.add((tighten(total, budget)?, false), budget)?;
    }
    let last = constraints.pop().filter(|_| !lemma.sums.is_empty());
    if !last.is_some_and(|(last, _)| is_contradiction(&last)) {
        return Err(RefutationReason::NoContradiction.into());
    }
    match constraints.walk(budget)?.all(|(_, used)| *used) {
        true => Ok(()),
        false => Err(RefutationReason::UnusedStep.into()),
    }
}

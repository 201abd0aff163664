//! Linear arithmetic lemmas: Farkas' lemma with cutting planes (SPEC.md section 6.2).

use super::clauses::ClausalForm;
use super::linear::{add_scaled, is_contradiction, size, tighten};
use crate::error::{Budget, Held, Reason, RefutationReason};
use num_bigint::Sign;
use threadproof_format::refutation::{Farkas, Linear};

/// Checks that the negations of the clause's literals, as constraints, contradict each other.
///
/// # Errors
/// A `RefutationReason`, or `Limit`.
pub fn check(form: &ClausalForm, lemma: &Farkas, budget: &mut Budget) -> Result<(), Reason> {
    let mut constraints: Vec<Linear> = Vec::new();
    let mut held = Held::default();
    for lit in &lemma.clause {
        let constraint = form.constraint(-lit, budget)?;
        let constraint = constraint.ok_or(RefutationReason::UnknownConstraint)?;
        held.hold(size(&constraint))?;
        constraints.push(constraint);
    }
    let mut used = vec![false; constraints.len()];
    for sum in &lemma.sums {
        let mut total = Linear::default();
        let mut last = None;
        for (number, factor) in sum {
            let index =
                usize::try_from(*number).map_err(|_| RefutationReason::UnknownConstraint)?;
            let constraint = constraints.get(index).ok_or(RefutationReason::UnknownConstraint)?;
            if factor.0.sign() != Sign::Plus || last >= Some(*number) {
                return Err(RefutationReason::Multiplier.into());
            }
            last = Some(*number);
            total = add_scaled(&total, constraint, &factor.0, budget)?;
            used[index] = true;
        }
        held.hold(size(&total))?;
        constraints.push(tighten(total, budget)?);
        used.push(false);
    }
    used.pop();
    if lemma.sums.is_empty() || !constraints.last().is_some_and(is_contradiction) {
        return Err(RefutationReason::NoContradiction.into());
    }
    if used.contains(&false) { Err(RefutationReason::UnusedStep.into()) } else { Ok(()) }
}

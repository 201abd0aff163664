//! Exact arithmetic on integer linear forms (SPEC.md section 5.1).

use crate::budget::bounded;
use crate::error::{Budget, Reason};
use std::cmp::Ordering;
use threadproof_format::work::{List as _, Metered as _, Seq, Size as _, Spent};
use threadproof_format::{Int, refutation::Linear};

/// A constant form.
///
/// # Errors
/// `Limit`.
pub fn constant(value: &Int, budget: &Budget) -> Result<Linear, Spent> {
    Ok(Linear { constant: value.copy(budget)?, terms: Seq::new() })
}

/// The form that is one leaf.
pub fn leaf(number: u32) -> Linear {
    Linear { constant: Int::from(0), terms: [(number, Int::from(1))].into() }
}

/// How much a form holds: its terms and the constant, and more for long integers.
pub fn size(form: &Linear) -> usize {
    // Without the numbers of the leaves and the list itself.
    form.size().saturating_sub(form.terms.len() + 1)
}

/// `left + factor * right`.
///
/// # Errors
/// `Limit` when the work or an integer becomes too large.
pub fn add_scaled(
    left: &Linear,
    right: &Linear,
    factor: &Int,
    budget: &Budget,
) -> Result<Linear, Reason> {
    let mut terms = Seq::new();
    let mut a = left.terms.walk(budget)?.peekable();
    let mut b = right.terms.walk(budget)?.peekable();
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some((x, _)), Some((y, _))) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => break,
        };
        let mine = if order.is_le() { a.next() } else { None };
        let theirs = if order.is_ge() { b.next() } else { None };
        let (leaf, coefficient) = match (mine, theirs) {
            (Some((leaf, c)), None) => (leaf, c.copy(budget)?),
            (None, Some((leaf, d))) => (leaf, factor.times(d, budget)?),
            (Some((leaf, c)), Some((_, d))) => (leaf, c.plus(&factor.times(d, budget)?, budget)?),
            (None, None) => break,
        };
        if coefficient.sign() != Ordering::Equal {
            terms.add((*leaf, bounded(coefficient)?), budget)?;
        }
    }
    let product = factor.times(&right.constant, budget)?;
    Ok(Linear { constant: bounded(left.constant.plus(&product, budget)?)?, terms })
}

/// `factor * form`.
///
/// # Errors
/// `Limit`.
pub fn scale(form: &Linear, factor: &Int, budget: &Budget) -> Result<Linear, Reason> {
    add_scaled(&Linear::default(), form, factor, budget)
}

/// `left - right`.
///
/// # Errors
/// `Limit`.
pub fn subtract(left: &Linear, right: &Linear, budget: &Budget) -> Result<Linear, Reason> {
    add_scaled(left, right, &Int::from(-1), budget)
}

/// The coefficients and the constant, divided by a positive integer and rounded down.
///
/// # Errors
/// `Limit`.
pub fn quotients(form: &Linear, divisor: &Int, budget: &Budget) -> Result<Linear, Spent> {
    let mut terms = Seq::new();
    for (leaf, coefficient) in form.terms.walk(budget)? {
        let quotient = coefficient.floor(divisor, budget)?;
        if quotient.sign() != Ordering::Equal {
            terms.add((*leaf, quotient), budget)?;
        }
    }
    Ok(Linear { constant: form.constant.floor(divisor, budget)?, terms })
}

/// The constraint `form <= 0` with coprime coefficients: divided by their common divisor, the
/// constant rounded up. All leaves are integers, so the solutions stay the same.
///
/// # Errors
/// `Limit`.
pub fn tighten(form: Linear, budget: &Budget) -> Result<Linear, Reason> {
    let (mut divisor, one) = (Int::from(0), Int::from(1));
    for (_, coefficient) in form.terms.walk(budget)? {
        divisor = divisor.common_divisor(coefficient, budget)?;
        if divisor == one {
            return Ok(form);
        }
    }
    if divisor.sign() == Ordering::Equal {
        return Ok(form);
    }
    let mut terms = Seq::new();
    for (leaf, coefficient) in form.terms.walk(budget)? {
        terms.add((*leaf, coefficient.over(&divisor, budget)?), budget)?;
    }
    Ok(Linear { constant: form.constant.over(&divisor, budget)?, terms })
}

/// The constraint that says the opposite: `form >= 1`, as `1 - form <= 0`.
///
/// # Errors
/// `Limit`.
pub fn complement(form: &Linear, budget: &Budget) -> Result<Linear, Reason> {
    subtract(&constant(&Int::from(1), budget)?, form, budget)
}

/// Whether `form <= 0` is the contradiction `positive constant <= 0`.
pub fn is_contradiction(form: &Linear) -> bool {
    form.terms.is_empty() && form.constant.sign() == Ordering::Greater
}

//! Exact arithmetic on integer linear forms (SPEC.md section 5.1).

use crate::error::{Budget, Reason};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use threadproof_format::{Int, refutation::Linear};

/// A constant form.
pub fn constant(value: &Int) -> Linear {
    Linear { constant: value.clone(), terms: Vec::new() }
}

/// The form that is one leaf.
pub fn leaf(number: u32) -> Linear {
    Linear { constant: Int::from(0), terms: vec![(number, Int::from(1))] }
}

fn words(value: &Int) -> usize {
    usize::try_from(value.0.bits() / 64).map_or(usize::MAX, |w| w.saturating_add(1))
}

/// `left + factor * right`.
///
/// # Errors
/// `Limit` when the work or an integer becomes too large.
pub fn add_scaled(
    left: &Linear,
    right: &Linear,
    factor: &BigInt,
    budget: &mut Budget,
) -> Result<Linear, Reason> {
    let factor_words = words(&Int(factor.clone()));
    let cost = |l: &Linear| l.terms.iter().map(|(_, c)| words(c)).sum::<usize>();
    let weight = cost(right).saturating_add(words(&right.constant));
    budget.spend(cost(left).saturating_add(weight.saturating_mul(factor_words)))?;
    let mut terms = Vec::with_capacity(left.terms.len() + right.terms.len());
    let (mut a, mut b) = (left.terms.iter().peekable(), right.terms.iter().peekable());
    loop {
        let (leaf, coefficient) = match (a.peek(), b.peek()) {
            (Some((x, c)), Some((y, d))) if x == y => {
                let sum = (*x, &c.0 + factor * &d.0);
                a.next();
                b.next();
                sum
            }
            (Some((x, c)), Some((y, _))) if x < y => {
                a.next();
                (*x, c.0.clone())
            }
            (Some((x, c)), None) => {
                a.next();
                (*x, c.0.clone())
            }
            (_, Some((y, d))) => {
                b.next();
                (*y, factor * &d.0)
            }
            (None, None) => break,
        };
        if coefficient.sign() != Sign::NoSign {
            terms.push((leaf, Int(coefficient)));
        }
    }
    let constant = Int(&left.constant.0 + factor * &right.constant.0);
    Ok(Linear { constant, terms })
}

/// `factor * form`.
///
/// # Errors
/// `Limit`.
pub fn scale(form: &Linear, factor: &BigInt, budget: &mut Budget) -> Result<Linear, Reason> {
    add_scaled(&Linear::default(), form, factor, budget)
}

/// `left - right`.
///
/// # Errors
/// `Limit`.
pub fn subtract(left: &Linear, right: &Linear, budget: &mut Budget) -> Result<Linear, Reason> {
    add_scaled(left, right, &BigInt::from(-1), budget)
}

/// The constraint `form <= 0` with coprime coefficients: divided by their common divisor, the
/// constant rounded up. All leaves are integers, so the solutions stay the same.
///
/// # Errors
/// `Limit`.
pub fn tighten(form: Linear, budget: &mut Budget) -> Result<Linear, Reason> {
    let mut divisor = BigInt::ZERO;
    for (_, coefficient) in &form.terms {
        budget.spend(words(coefficient).saturating_mul(words(&Int(divisor.clone()))))?;
        divisor = divisor.gcd(&coefficient.0);
    }
    if divisor.sign() == Sign::NoSign || divisor == BigInt::from(1) {
        return Ok(form);
    }
    let terms = form.terms.into_iter().map(|(leaf, c)| (leaf, Int(c.0 / &divisor))).collect();
    Ok(Linear { constant: Int(form.constant.0.div_ceil(&divisor)), terms })
}

/// The constraint that says the opposite: `form >= 1`, as `1 - form <= 0`.
///
/// # Errors
/// `Limit`.
pub fn complement(form: &Linear, budget: &mut Budget) -> Result<Linear, Reason> {
    subtract(&constant(&Int::from(1)), form, budget)
}

/// Whether `form <= 0` is the contradiction `positive constant <= 0`.
pub fn is_contradiction(form: &Linear) -> bool {
    form.terms.is_empty() && form.constant.0.sign() == Sign::Plus
}

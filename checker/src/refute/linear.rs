//! Exact arithmetic on integer linear forms (SPEC.md section 5.1).

use crate::error::{Budget, Reason};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use threadproof_format::{Int, limits::MAX_BITS, refutation::Linear};

/// A constant form.
pub fn constant(value: &Int) -> Linear {
    Linear { constant: value.clone(), terms: Vec::new() }
}

/// The form that is one leaf.
pub fn leaf(number: u32) -> Linear {
    Linear { constant: Int::from(0), terms: vec![(number, Int::from(1))] }
}

fn words(value: &BigInt) -> usize {
    usize::try_from(value.bits() / 64).map_or(usize::MAX, |w| w.saturating_add(1))
}

/// The cost of keeping or copying a form: its terms, and more for long integers.
pub fn size(form: &Linear) -> usize {
    let coefficients = form.terms.iter().map(|(_, c)| c).chain([&form.constant]);
    coefficients.map(|c| 1 + words(&c.0) / 8).sum()
}

fn bounded(value: BigInt) -> Result<Int, Reason> {
    if value.bits() > MAX_BITS { Err(Reason::Limit("bits of an integer")) } else { Ok(Int(value)) }
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
    let product = size(right).saturating_mul(1 + words(factor) / 8);
    budget.spend(size(left).saturating_add(product))?;
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
            terms.push((leaf, bounded(coefficient)?));
        }
    }
    let constant = bounded(&left.constant.0 + factor * &right.constant.0)?;
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
        // The common divisor takes as many rounds as there are bits.
        budget.spend(1 + words(&coefficient.0).saturating_mul(words(&divisor)))?;
        divisor = divisor.gcd(&coefficient.0);
        if divisor == BigInt::from(1) {
            return Ok(form);
        }
    }
    if divisor.sign() == Sign::NoSign {
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

//! Exact rational numbers: small ones that may overflow, and ones of any size.
//!
//! The simplex first runs on small ones, which is several times as fast, and starts over when
//! one overflows.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{Signed as _, Zero as _};
use std::cmp::Ordering;

/// An exact rational number. `None` says that a result is too large for the type.
pub trait Number: Clone + Sized {
    /// An integer.
    fn from_integer(value: &BigInt) -> Option<Self>;
    /// `self + other`.
    fn plus(&self, other: &Self) -> Option<Self>;
    /// `self - other`.
    fn minus(&self, other: &Self) -> Option<Self>;
    /// `self * other`.
    fn times(&self, other: &Self) -> Option<Self>;
    /// `self / other`; `None` also if `other` is zero.
    fn over(&self, other: &Self) -> Option<Self>;
    /// Compared with zero.
    fn sign(&self) -> Ordering;
    /// `self < other`.
    fn below(&self, other: &Self) -> bool;
    /// Numerator and positive denominator, coprime.
    fn parts(&self) -> (BigInt, BigInt);
}

/// A rational number whose parts fit 64 bits; the denominator is positive, the parts are coprime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Small {
    numerator: i64,
    denominator: i64,
}

impl Small {
    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = numerator.gcd(&denominator) * denominator.signum();
        if divisor == 0 {
            return None;
        }
        // Not the least i64, so that negation cannot overflow.
        let fit = |value: i128| i64::try_from(value).ok().filter(|v| *v != i64::MIN);
        let numerator = fit(numerator / divisor)?;
        Some(Small { numerator, denominator: fit(denominator / divisor)? })
    }

    fn wide(self) -> (i128, i128) {
        (self.numerator.into(), self.denominator.into())
    }

    fn combined(self, other: Self, sign: i128) -> Option<Self> {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        // Each product is below 2^126, so the sum is below 2^127.
        Small::reduced(a * d + sign * (c * b), b * d)
    }
}

impl Number for Small {
    fn from_integer(value: &BigInt) -> Option<Self> {
        Small::reduced(i128::from(i64::try_from(value).ok()?), 1)
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        self.combined(*other, 1)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        self.combined(*other, -1)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Small::reduced(a * c, b * d)
    }

    fn over(&self, other: &Self) -> Option<Self> {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        if c == 0 { None } else { Small::reduced(a * d, b * c) }
    }

    fn sign(&self) -> Ordering {
        self.numerator.cmp(&0)
    }

    fn below(&self, other: &Self) -> bool {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        a * d < c * b
    }

    fn parts(&self) -> (BigInt, BigInt) {
        (self.numerator.into(), self.denominator.into())
    }
}

impl Number for BigRational {
    fn from_integer(value: &BigInt) -> Option<Self> {
        Some(BigRational::from_integer(value.clone()))
    }

    fn plus(&self, other: &Self) -> Option<Self> {
        Some(self + other)
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self - other)
    }

    fn times(&self, other: &Self) -> Option<Self> {
        Some(self * other)
    }

    fn over(&self, other: &Self) -> Option<Self> {
        if other.is_zero() { None } else { Some(self / other) }
    }

    fn sign(&self) -> Ordering {
        if self.is_positive() {
            Ordering::Greater
        } else if self.is_negative() {
            Ordering::Less
        } else {
            Ordering::Equal
        }
    }

    fn below(&self, other: &Self) -> bool {
        self < other
    }

    fn parts(&self) -> (BigInt, BigInt) {
        (self.numer().clone(), self.denom().clone())
    }
}

/// Multiplies positive numbers by the least positive integer that makes all of them integers,
/// then divides by their common divisor.
pub fn primitive<N: Number>(numbers: &[N]) -> Vec<BigInt> {
    let parts: Vec<(BigInt, BigInt)> = numbers.iter().map(Number::parts).collect();
    let common = parts.iter().fold(BigInt::from(1), |lcm, (_, d)| lcm.lcm(d));
    let scaled: Vec<BigInt> = parts.into_iter().map(|(n, d)| n * (&common / d)).collect();
    let divisor = scaled.iter().fold(BigInt::ZERO, |gcd, n| gcd.gcd(n));
    if divisor.is_zero() {
        return scaled;
    }
    scaled.into_iter().map(|n| n / &divisor).collect()
}

//! Arithmetic on integers of any size (SPEC.md section 11): it costs what it takes in words of 64
//! bits.

use super::{Budget, Size as _, Spent};
use crate::Int;
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use std::cmp::Ordering;

/// Products of two words, or rounds of a common divisor on one word, for one step.
const PRODUCTS: usize = 64;
/// Decimal digits that are read at once.
const DIGITS: usize = 16;

impl Int {
    /// How many bits there are.
    pub fn bits(&self) -> u64 {
        self.0.bits()
    }

    /// How it compares with 0.
    pub fn sign(&self) -> Ordering {
        match self.0.sign() {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    fn words(&self) -> usize {
        usize::try_from(self.bits() / 64).map_or(usize::MAX, |words| words.saturating_add(1))
    }

    /// The sum.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn plus(&self, other: &Int, budget: &Budget) -> Result<Int, Spent> {
        budget.spend(self.size().max(other.size()))?;
        Ok(Int(&self.0 + &other.0))
    }

    /// The difference.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn minus(&self, other: &Int, budget: &Budget) -> Result<Int, Spent> {
        budget.spend(self.size().max(other.size()))?;
        Ok(Int(&self.0 - &other.0))
    }

    /// The product.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn times(&self, other: &Int, budget: &Budget) -> Result<Int, Spent> {
        budget.spend(product(self.words(), other.words()))?;
        Ok(Int(&self.0 * &other.0))
    }

    /// The quotient by a positive integer, rounded up.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn over(&self, divisor: &Int, budget: &Budget) -> Result<Int, Spent> {
        budget.spend(quotient(self.words(), divisor.words()))?;
        Ok(Int(self.0.div_ceil(&divisor.0)))
    }

    /// The quotient by a positive integer, rounded down.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn floor(&self, divisor: &Int, budget: &Budget) -> Result<Int, Spent> {
        budget.spend(quotient(self.words(), divisor.words()))?;
        Ok(Int(self.0.div_floor(&divisor.0)))
    }

    /// The greatest common divisor: first a remainder, so that what is left is no longer than the
    /// shorter one. That takes a round for each bit at most, and each round a look at all words.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn common_divisor(&self, other: &Int, budget: &Budget) -> Result<Int, Spent> {
        let (short, long) = if self.bits() < other.bits() { (self, other) } else { (other, self) };
        budget.spend(quotient(long.words(), short.words()))?;
        if short.sign() == Ordering::Equal {
            return Ok(Int(BigInt::from(long.0.magnitude().clone())));
        }
        let rest = &long.0 % &short.0;
        if let (Ok(one), Ok(other)) =
            (u64::try_from(short.0.magnitude()), u64::try_from(rest.magnitude()))
        {
            return Ok(Int(one.gcd(&other).into()));
        }
        let bits = if rest == BigInt::ZERO { 0 } else { short.bits() };
        let rounds = usize::try_from(bits).unwrap_or(usize::MAX).saturating_mul(2);
        budget.spend(rounds.saturating_mul(16 + short.words()) / PRODUCTS)?;
        Ok(Int(short.0.gcd(&rest)))
    }

    /// The integer with these decimal digits, and no sign.
    ///
    /// # Errors
    /// When the work is spent; otherwise `None` if they are none.
    pub fn read(digits: &str, budget: &Budget) -> Result<Option<Int>, Spent> {
        let words = 1 + digits.len() / DIGITS;
        budget.spend(product(words, words))?;
        Ok(digits.parse().ok().map(Int))
    }

    /// The integer with the other sign.
    ///
    /// # Errors
    /// When the work is spent.
    pub fn opposite(&self, budget: &Budget) -> Result<Int, Spent> {
        Int::from(0).minus(self, budget)
    }
}

/// The cost of a product of so many words.
fn product(left: usize, right: usize) -> usize {
    1 + left.saturating_mul(right) / PRODUCTS + (left.max(right)) / 8
}

/// The cost of a quotient of so many words.
fn quotient(number: usize, divisor: usize) -> usize {
    product(number.saturating_sub(divisor) + 1, divisor) + number / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn power(exponent: u32) -> Int {
        Int(BigInt::from(1) << exponent)
    }

    /// What something takes.
    fn cost<T>(what: impl Fn(&Budget) -> Result<T, Spent>) -> u64 {
        let budget = Budget::default();
        what(&budget).map(drop).unwrap();
        let cost = Budget::default().left() - budget.left();
        assert!(what(&Budget::new(cost)).is_ok());
        assert!(cost > 0 && what(&Budget::new(cost - 1)).is_err());
        cost
    }

    #[test]
    fn results_are_those_of_big_integers() {
        let budget = &Budget::default();
        let values: Vec<BigInt> = [0, 1, 2, 6, 35, i64::MAX]
            .map(BigInt::from)
            .into_iter()
            .chain([BigInt::from(6) << 200, BigInt::from(35) << 300, BigInt::from(u64::MAX) * 6])
            .flat_map(|value| [-value.clone(), value])
            .collect();
        for a in &values {
            let one = Int(a.clone());
            assert_eq!(one.sign(), a.cmp(&BigInt::ZERO));
            assert_eq!((one.bits(), one.opposite(budget)), (a.bits(), Ok(Int(-a))));
            for b in &values {
                let other = &Int(b.clone());
                assert_eq!(one.plus(other, budget), Ok(Int(a + b)));
                assert_eq!(one.minus(other, budget), Ok(Int(a - b)));
                assert_eq!(one.times(other, budget), Ok(Int(a * b)));
                assert_eq!(one.common_divisor(other, budget), Ok(Int(a.gcd(b))), "{a} {b}");
                if other.sign() == Ordering::Greater {
                    assert_eq!(one.over(other, budget), Ok(Int(a.div_ceil(b))));
                    assert_eq!(one.floor(other, budget), Ok(Int(a.div_floor(b))));
                }
            }
        }
        for text in ["0", "007", "123456789012345678901234567890"] {
            assert_eq!(Int::read(text, budget), Ok(text.parse().ok().map(Int)), "{text}");
        }
        for text in ["", "x", "1x", "-"] {
            assert_eq!(Int::read(text, budget), Ok(None), "{text}");
        }
    }

    #[test]
    fn arithmetic_charges_for_words() {
        let (short, long) = (&Int::from(5), &power(33_000));
        let both = |of: &dyn Fn(&Int, &Int, &Budget) -> Result<Int, Spent>| {
            [(short, short), (short, long), (long, long)].map(|(a, b)| cost(|w| of(a, b, w)))
        };
        assert_eq!(both(&|a, b, w| a.plus(b, w)), [1, 65, 65]);
        assert_eq!(both(&|a, b, w| a.minus(b, w)), [1, 65, 65]);
        assert_eq!(both(&|a, b, w| a.times(b, w)), [1, 73, 4_225]);
        assert_eq!(both(&|a, b, w| b.over(a, w)), [1, 137, 137]);
        assert_eq!(both(&|a, b, w| b.floor(a, w)), [1, 137, 137]);
        assert_eq!(both(&|a, b, w| a.common_divisor(b, w)), [1, 137, 137]);
        assert_eq!(cost(|w| long.opposite(w)), 65);
        // Neither divides the other: rounds for all bits.
        let odd = &Int((BigInt::from(1) << 32_999) + 12_345);
        assert_eq!(cost(|w| long.common_divisor(odd, w)), 548_762);
        assert_eq!([1, 100, 10_000].map(|n| cost(|w| Int::read(&"9".repeat(n), w))), [1, 1, 6_202]);
    }
}

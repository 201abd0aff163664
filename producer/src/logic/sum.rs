//! Linear terms as they are written: with remainders where a term has a form and the multiple of
//! its quotient.

use crate::logic::linear::{Leaf, Linear};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use threadproof_format::{Int, Op};

/// What a sum has multiples of.
#[derive(Clone, Debug)]
enum Part {
    Leaf(Leaf),
    /// The remainder of a form by a constant.
    Remainder(Linear, BigInt),
}

/// A sum of multiples and a constant.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    parts: Vec<(Part, BigInt)>,
    /// The constant.
    pub constant: BigInt,
}

impl Sum {
    /// A linear form as a sum: `k * form - k * n * (form / n)` is `k * (form % n)`.
    pub fn of(form: &Linear) -> Self {
        let mut rest = form.clone();
        let mut parts = Vec::new();
        for (leaf, coefficient) in &form.terms {
            let Leaf::Quotient(quotient) = leaf else { continue };
            let (divided, divisor) = &**quotient;
            let factor = -coefficient / divisor;
            let has = |(leaf, c): &(Leaf, BigInt)| rest.coefficient(leaf) == &factor * c;
            if coefficient.is_multiple_of(divisor) && divided.terms.iter().all(has) {
                let remainder = divided.clone().remainder(divisor).scale(&factor);
                rest = rest.sub(remainder);
                parts.push((Part::Remainder(divided.clone(), divisor.clone()), factor));
            }
        }
        let leaves = rest.terms.into_iter().map(|(leaf, c)| (Part::Leaf(leaf), c));
        Sum { parts: leaves.chain(parts).collect(), constant: rest.constant }
    }

    /// The positive multiples, and the negated negative ones, without the constant.
    pub fn sides(self) -> [Sum; 2] {
        let (left, right) = self.parts.into_iter().partition(|(_, c)| c.is_positive());
        let right: Vec<(Part, BigInt)> = right;
        let right = right.into_iter().map(|(part, c)| (part, -c)).collect();
        [left, right].map(|parts| Sum { parts, constant: BigInt::zero() })
    }

    /// Whether it is a constant.
    pub fn is_constant(&self) -> bool {
        self.parts.is_empty()
    }

    /// The sum as an expression, in postfix order.
    pub fn write(&self, out: &mut Vec<Op>) {
        let (positive, negative): (Vec<_>, Vec<_>) =
            self.parts.iter().partition(|(_, c)| c.is_positive());
        let mut empty = true;
        for (part, c) in positive {
            part.write(c, out);
            if !empty {
                out.push(Op::Add);
            }
            empty = false;
        }
        if empty {
            out.push(Op::Int(Int(self.constant.clone())));
        } else if !self.constant.is_zero() {
            out.push(Op::Int(Int(self.constant.abs())));
            out.push(if self.constant.is_negative() { Op::Sub } else { Op::Add });
        }
        for (part, c) in negative {
            part.write(&-c, out);
            out.push(Op::Sub);
        }
    }
}

impl Part {
    /// Writes a multiple.
    fn write(&self, factor: &BigInt, out: &mut Vec<Op>) {
        match self {
            Part::Leaf(leaf) => leaf.write(out),
            Part::Remainder(form, divisor) => {
                form.write(out);
                out.push(Op::Mod(Int(divisor.clone())));
            }
        }
        if !factor.is_one() {
            out.push(Op::Scale(Int(factor.clone())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::linear::Var;
    use crate::logic::print;
    use threadproof_format::Expr;

    fn text(form: &Linear) -> String {
        let mut ops = Vec::new();
        form.write(&mut ops);
        print::expr(&Expr(ops), &|op| match op {
            Op::Global(i) => ["x", "y"][usize::try_from(*i).expect("two")].to_owned(),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn remainders_are_written_as_such() {
        let (x, y) =
            (Linear::leaf(Leaf::Var(Var::Global(0))), Linear::leaf(Leaf::Var(Var::Global(1))));
        let (two, four) = (BigInt::from(2), BigInt::from(4));
        let next = x.clone().add(Linear::constant(1.into()));
        assert_eq!(text(&x.clone().remainder(&four)), "x % 4");
        assert_eq!(text(&x.clone().quotient(&four)), "x / 4");
        assert_eq!(text(&next.clone().remainder(&four)), "(x + 1) % 4");
        let sum = y.clone().sub(next.remainder(&four).scale(&two)).add(Linear::constant(5.into()));
        assert_eq!(text(&sum), "y + 5 - 2 * ((x + 1) % 4)");
        let both = x.clone().remainder(&four).add(y.clone().remainder(&two));
        assert_eq!(text(&both), "x % 4 + y % 2");
        assert_eq!(text(&x.clone().remainder(&four).add(x.clone())), "2 * x - 4 * (x / 4)");
        assert_eq!(text(&x.clone().quotient(&two).remainder(&two)), "x / 2 % 2");
        assert_eq!(text(&y.sub(x)), "y - x");
    }
}

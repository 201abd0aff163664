//! Formulas in negation normal form over linear atoms: what predicates are made of.
//!
//! Constructors normalise (common divisors, signs, order, duplicates), so that equal structure
//! means equal formula up to what they know.

use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::sum::Sum;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use threadproof_format::{Cmp, Expr, Op};

/// How a linear form stands to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// `form <= 0`.
    Le,
    /// `form == 0`.
    Eq,
    /// `form != 0`.
    Ne,
}

/// A formula in negation normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Formula {
    /// `true` or `false`.
    Const(bool),
    /// A leaf of sort Bool (with `true`) or its negation (with `false`).
    Bool(Leaf, bool),
    /// An atom. The coefficients are coprime; with `Eq` and `Ne` the first one is positive.
    Linear(Relation, Linear),
    /// A conjunction of at least two parts, none of them a conjunction, ascending.
    And(Vec<Formula>),
    /// A disjunction of at least two parts, none of them a disjunction, ascending.
    Or(Vec<Formula>),
}

impl Formula {
    /// `false`.
    pub const FALSE: Formula = Formula::Const(false);

    /// The atom of a form, in normal form: divided by the common divisor of the coefficients, with
    /// the constant rounded. `Const` if the form has no leaf, or no integers satisfy `form == 0`.
    pub fn linear(relation: Relation, form: Linear) -> Formula {
        if let Some(value) = form.value() {
            return Formula::Const(match relation {
                Relation::Le => !value.is_positive(),
                Relation::Eq => value.is_zero(),
                Relation::Ne => !value.is_zero(),
            });
        }
        let divisor = form.terms.iter().fold(BigInt::zero(), |g, (_, c)| g.gcd(c));
        let Linear { mut terms, mut constant } = form;
        if relation != Relation::Le && !constant.is_multiple_of(&divisor) {
            return Formula::Const(relation == Relation::Ne);
        }
        let flip = relation != Relation::Le && terms[0].1.is_negative();
        let divisor = if flip { -divisor } else { divisor };
        if !divisor.is_one() {
            for (_, c) in &mut terms {
                *c /= &divisor;
            }
            constant = constant.div_ceil(&divisor);
        }
        Formula::Linear(relation, Linear { terms, constant })
    }

    /// `left <= right`.
    pub fn le(left: Linear, right: Linear) -> Formula {
        Formula::linear(Relation::Le, left.sub(right))
    }

    /// `left < right`, which over the integers is `left + 1 <= right`.
    pub fn lt(left: Linear, right: Linear) -> Formula {
        Formula::le(left.add(Linear::constant(BigInt::one())), right)
    }

    /// `left == right`.
    pub fn equal(left: Linear, right: Linear) -> Formula {
        Formula::linear(Relation::Eq, left.sub(right))
    }

    /// The conjunction: flat, sorted, without duplicates. `false` if an atom and its negation are
    /// among the parts.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, true)
    }

    /// The disjunction: flat, sorted, without duplicates. `true` if an atom and its negation are
    /// among the parts.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, false)
    }

    fn join(parts: impl IntoIterator<Item = Formula>, conjunction: bool) -> Formula {
        let mut flat = Vec::new();
        for part in parts {
            match part {
                Formula::Const(value) if value == conjunction => {}
                Formula::Const(value) => return Formula::Const(value),
                Formula::And(inner) if conjunction => flat.extend(inner),
                Formula::Or(inner) if !conjunction => flat.extend(inner),
                other => flat.push(other),
            }
        }
        flat.sort();
        flat.dedup();
        pair_up(&mut flat, conjunction);
        let clash = flat.iter().any(|p| {
            matches!(p, Formula::Bool(..) | Formula::Linear(..))
                && flat.binary_search(&p.negate()).is_ok()
        });
        if clash {
            return Formula::Const(!conjunction);
        }
        match flat.len() {
            0 => Formula::Const(conjunction),
            1 => flat.swap_remove(0),
            _ if conjunction => Formula::And(flat),
            _ => Formula::Or(flat),
        }
    }

    /// The negation, with `!` pushed down to the atoms; `!(form <= 0)` is `1 - form <= 0`.
    pub fn negate(&self) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(!value),
            Formula::Bool(leaf, sign) => Formula::Bool(leaf.clone(), !sign),
            Formula::Linear(Relation::Le, form) => {
                // not (f <= 0) iff 1 - f <= 0
                let one = Linear::constant(BigInt::one());
                Formula::linear(Relation::Le, one.sub(form.clone()))
            }
            Formula::Linear(Relation::Eq, form) => Formula::Linear(Relation::Ne, form.clone()),
            Formula::Linear(Relation::Ne, form) => Formula::Linear(Relation::Eq, form.clone()),
            Formula::And(parts) => Formula::or(parts.iter().map(Formula::negate)),
            Formula::Or(parts) => Formula::and(parts.iter().map(Formula::negate)),
        }
    }

    /// Whether the formula implies another one, where their structure tells.
    pub fn compare(&self, other: &Formula) -> Option<bool> {
        match (self, other) {
            (left, right) if left == right => Some(true),
            (_, Formula::Const(value)) => Some(*value),
            (Formula::Bool(left, _), Formula::Bool(right, _)) if left == right => Some(false),
            (Formula::Linear(Relation::Le, left), Formula::Linear(Relation::Le, right))
                if left.terms == right.terms =>
            {
                Some(right.constant <= left.constant)
            }
            _ => None,
        }
    }

    /// `left == right` for truth values.
    pub fn iff(left: &Formula, right: &Formula) -> Formula {
        let both = Formula::and([left.clone(), right.clone()]);
        let neither = Formula::and([left.negate(), right.negate()]);
        Formula::or([both, neither])
    }

    /// Replaces the variables by variables.
    pub fn rename(&self, f: &mut dyn FnMut(Var) -> Var) -> Formula {
        match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Bool(leaf, sign) => Formula::Bool(leaf.rename(f), *sign),
            Formula::Linear(relation, form) => Formula::linear(*relation, form.rename(f)),
            Formula::And(parts) => Formula::and(rename_all(parts, f)),
            Formula::Or(parts) => Formula::or(rename_all(parts, f)),
        }
    }

    /// Replaces an integer variable by a term. The formula must have no reads over writes.
    pub fn substitute(&self, var: Var, by: &Linear) -> Formula {
        let all = |parts: &[Formula]| -> Vec<Formula> {
            parts.iter().map(|p| p.substitute(var, by)).collect()
        };
        match self {
            Formula::Const(value) => Formula::Const(*value),
            Formula::Bool(leaf, sign) => Formula::Bool(leaf.substitute(var, by), *sign),
            Formula::Linear(relation, form) => Formula::linear(*relation, form.substitute(var, by)),
            Formula::And(parts) => Formula::and(all(parts)),
            Formula::Or(parts) => Formula::or(all(parts)),
        }
    }

    /// Calls `f` with each variable, once for each occurrence, also in indices and in writes.
    pub fn variables(&self, f: &mut dyn FnMut(Var)) {
        match self {
            Formula::Const(_) => {}
            Formula::Bool(leaf, _) => leaf.variables(f),
            Formula::Linear(_, form) => form.variables(f),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    part.variables(f);
                }
            }
        }
    }

    /// Whether an input of a command occurs.
    pub fn has_input(&self) -> bool {
        let mut found = false;
        self.variables(&mut |v| found |= matches!(v, Var::Input(_)));
        found
    }

    /// The parts of a conjunction; otherwise the formula itself.
    pub fn conjuncts(self) -> Vec<Formula> {
        match self {
            Formula::And(parts) => parts,
            Formula::Const(true) => Vec::new(),
            other => vec![other],
        }
    }

    /// The parts of a disjunction; otherwise the formula itself.
    pub fn disjuncts(self) -> Vec<Formula> {
        match self {
            Formula::Or(parts) => parts,
            Formula::Const(false) => Vec::new(),
            other => vec![other],
        }
    }

    /// The formula as an expression of the format: positive terms stand on the left of an atom's
    /// comparison, negative ones on the right.
    pub fn expr(&self) -> Expr {
        let mut out = Vec::new();
        self.write(&mut out);
        Expr(out)
    }

    fn write(&self, out: &mut Vec<Op>) {
        match self {
            Formula::Const(value) => out.push(Op::Bool(*value)),
            Formula::Bool(leaf, sign) => {
                leaf.write(out);
                if !sign {
                    out.push(Op::Not);
                }
            }
            Formula::Linear(relation, form) => write_atom(*relation, form, out),
            Formula::And(parts) => write_all(parts, &Op::And, out),
            Formula::Or(parts) => write_all(parts, &Op::Or, out),
        }
    }
}

/// Joins bounds from both sides: f <= 0 and -f <= 0 to f = 0, f < 0 or -f < 0 to f != 0.
fn pair_up(parts: &mut Vec<Formula>, conjunction: bool) {
    while let Some((i, j, joined)) = pair(parts, conjunction) {
        parts.remove(i.max(j));
        parts.remove(i.min(j));
        if let Err(at) = parts.binary_search(&joined) {
            parts.insert(at, joined);
        }
    }
}

/// Two bounds of the same form from both sides, and what they are together.
fn pair(parts: &[Formula], conjunction: bool) -> Option<(usize, usize, Formula)> {
    // The bounds say form + offset <= 0 and -form + offset <= 0.
    let offset = Linear::constant(BigInt::from(i8::from(!conjunction)));
    let relation = if conjunction { Relation::Eq } else { Relation::Ne };
    parts.iter().enumerate().find_map(|(i, part)| {
        let Formula::Linear(Relation::Le, bound) = part else {
            return None;
        };
        let form = bound.clone().sub(offset.clone());
        let opposite = offset.clone().sub(form.clone());
        let j = parts.binary_search(&Formula::linear(Relation::Le, opposite)).ok()?;
        (i != j).then(|| (i, j, Formula::linear(relation, form)))
    })
}

fn rename_all(parts: &[Formula], f: &mut dyn FnMut(Var) -> Var) -> Vec<Formula> {
    parts.iter().map(|p| p.rename(f)).collect()
}

fn write_all(parts: &[Formula], op: &Op, out: &mut Vec<Op>) {
    for (i, part) in parts.iter().enumerate() {
        part.write(out);
        if i > 0 {
            out.push(op.clone());
        }
    }
}

/// Writes an atom with its positive terms left and its negative ones right, and a lone constant
/// on the right.
fn write_atom(relation: Relation, form: &Linear, out: &mut Vec<Op>) {
    let sum = Sum::of(form);
    let constant = sum.constant.clone();
    let [mut left, mut right] = sum.sides();
    let mut cmp = match relation {
        Relation::Le => Cmp::Le,
        Relation::Eq => Cmp::Eq,
        Relation::Ne => Cmp::Ne,
    };
    if left.is_constant() {
        std::mem::swap(&mut left, &mut right);
        cmp = if cmp == Cmp::Le { Cmp::Ge } else { cmp };
        right.constant = constant;
    } else if right.is_constant() {
        right.constant = -constant;
    } else if constant.is_one() && cmp == Cmp::Le {
        cmp = Cmp::Lt;
    } else if constant.is_positive() {
        left.constant = constant;
    } else {
        right.constant = -constant;
    }
    left.write(out);
    right.write(out);
    out.push(Op::Cmp(cmp));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(i: u32) -> Linear {
        Linear::leaf(Leaf::Var(Var::Global(i)))
    }

    fn int(value: i32) -> Linear {
        Linear::constant(value.into())
    }

    #[test]
    fn atoms_are_divided_and_rounded() {
        // 2x <= 3 iff x <= 1
        let twice = var(0).scale(&2.into());
        assert_eq!(Formula::le(twice.clone(), int(3)), Formula::le(var(0), int(1)));
        assert_eq!(Formula::equal(twice, int(3)), Formula::FALSE);
        assert_eq!(Formula::equal(int(0), var(0)), Formula::equal(var(0), int(0)));
    }

    #[test]
    fn negation_is_an_involution() {
        let atoms = [Formula::le(var(0), var(1)), Formula::equal(var(0), int(7))];
        let both = Formula::and(atoms.clone());
        for formula in atoms.iter().chain([&both]) {
            assert_eq!(formula.negate().negate(), *formula);
        }
        assert_eq!(both.negate(), Formula::or(atoms.map(|a| a.negate())));
    }

    #[test]
    fn contradictions_and_tautologies_of_atoms_are_found() {
        let (x, y) = (var(0), var(1));
        let less = Formula::lt(x.clone(), y.clone());
        assert_eq!(Formula::and([less.clone(), less.negate()]), Formula::FALSE);
        assert_eq!(Formula::or([less.clone(), less.negate()]), Formula::Const(true));
        let more = Formula::lt(y.clone(), x.clone());
        let different = Formula::linear(Relation::Ne, x.clone().sub(y.clone()));
        assert_eq!(Formula::or([less.clone(), more.clone()]), different);
        let same = Formula::equal(x.clone(), y.clone());
        assert_eq!(Formula::and([less.negate(), more.negate()]), same);
        // x < y or x + 1 > y does not leave out x = y.
        let next = Formula::lt(y, x.add(int(1)));
        assert_ne!(Formula::or([less, next]), different);
    }

    #[test]
    fn atoms_are_written_for_people() {
        let write = |f: Formula| {
            crate::logic::print::expr(&f.expr(), &|op| match op {
                Op::Global(i) => ["x", "y"][usize::try_from(*i).expect("an index")].to_owned(),
                _ => "?".to_owned(),
            })
        };
        assert_eq!(write(Formula::lt(var(0), var(1))), "x < y");
        assert_eq!(write(Formula::le(int(1), var(0))), "x >= 1");
        assert_eq!(write(Formula::le(var(0), int(-2))), "x <= -2");
        assert_eq!(write(Formula::le(var(0).add(int(10)), var(1))), "x + 10 <= y");
        assert_eq!(write(Formula::equal(var(0), var(1).add(int(1)))), "x == y + 1");
    }
}

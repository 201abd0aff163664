//! Terms in postfix order, with constant folding.

use crate::frontend::negated;
use num_bigint::BigInt;
use num_integer::Integer as _;
use std::collections::BTreeMap;
use threadproof_format::{Cmp, Int, Op};

pub(crate) fn int(value: impl Into<BigInt>) -> Vec<Op> {
    vec![Op::Int(Int(value.into()))]
}

pub(crate) fn constant(term: &[Op]) -> Option<&BigInt> {
    match term {
        [Op::Int(Int(value))] => Some(value),
        _ => None,
    }
}

pub(crate) fn add(a: &[Op], b: &[Op]) -> Vec<Op> {
    two(a, b, Op::Add)
}

pub(crate) fn sub(a: &[Op], b: &[Op]) -> Vec<Op> {
    two(a, b, Op::Sub)
}

pub(crate) fn scale(factor: &BigInt, a: &[Op]) -> Vec<Op> {
    let mut out = a.to_vec();
    out.push(Op::Scale(Int(factor.clone())));
    fold(out)
}

/// `a` divided by a constant of at least 2, rounded down.
pub(crate) fn floor(a: &[Op], divisor: &BigInt) -> Vec<Op> {
    fold([a, &[Op::Div(Int(divisor.clone()))]].concat())
}

/// What remains then.
pub(crate) fn modulo(a: &[Op], divisor: &BigInt) -> Vec<Op> {
    fold([a, &[Op::Mod(Int(divisor.clone()))]].concat())
}

pub(crate) fn compare(cmp: Cmp, a: &[Op], b: &[Op]) -> Vec<Op> {
    two(a, b, Op::Cmp(cmp))
}

pub(crate) fn not(a: &[Op]) -> Vec<Op> {
    let mut out = a.to_vec();
    out.push(Op::Not);
    fold(out)
}

pub(crate) fn and(a: &[Op], b: &[Op]) -> Vec<Op> {
    two(a, b, Op::And)
}

pub(crate) fn or(a: &[Op], b: &[Op]) -> Vec<Op> {
    two(a, b, Op::Or)
}

/// `low <= a && a <= high`
pub(crate) fn between(low: &BigInt, a: &[Op], high: &BigInt) -> Vec<Op> {
    and(&compare(Cmp::Ge, a, &int(low.clone())), &compare(Cmp::Le, a, &int(high.clone())))
}

/// `array[index]`
pub(crate) fn select(array: Op, index: &[Op]) -> Vec<Op> {
    let mut out = vec![array];
    out.extend_from_slice(index);
    out.push(Op::Select);
    out
}

/// `array[index := value]`
pub(crate) fn store(array: Op, index: &[Op], value: &[Op]) -> Vec<Op> {
    let mut out = vec![array];
    out.extend_from_slice(index);
    out.extend_from_slice(value);
    out.push(Op::Store);
    out
}

fn two(a: &[Op], b: &[Op], op: Op) -> Vec<Op> {
    let mut out = a.to_vec();
    out.extend_from_slice(b);
    out.push(op);
    fold(out)
}

/// A term with values in the place of variables.
pub(crate) fn replaced(ops: &[Op], values: &BTreeMap<Op, Vec<Op>>) -> Vec<Op> {
    let mut out = Vec::with_capacity(ops.len());
    for op in ops {
        match values.get(op) {
            Some(value) => out.extend(value.iter().cloned()),
            None => out.push(op.clone()),
        }
    }
    fold(out)
}

/// Evaluates operators on constants, and moves constants to the right of sums and comparisons.
pub(crate) fn fold(ops: Vec<Op>) -> Vec<Op> {
    let mut stack: Vec<Vec<Op>> = Vec::new();
    for op in ops {
        let arity = op.arity();
        let operands = stack.split_off(stack.len().saturating_sub(arity));
        stack.push(apply(operands, op));
    }
    stack.pop().unwrap_or_default()
}

fn apply(operands: Vec<Vec<Op>>, op: Op) -> Vec<Op> {
    if let [a, b] = operands.as_slice()
        && let Some(out) = binary(a, b, &op)
    {
        return out;
    }
    match (operands.as_slice(), &op) {
        ([a], Op::Scale(Int(factor))) => {
            if let Some(value) = constant(a) {
                return int(value * factor);
            }
            if *factor == BigInt::from(1) {
                return a.clone();
            }
        }
        ([a], Op::Div(Int(divisor))) if constant(a).is_some() => {
            return int(constant(a).expect("a constant").div_floor(divisor));
        }
        ([a], Op::Mod(Int(divisor))) if constant(a).is_some() => {
            return int(constant(a).expect("a constant").mod_floor(divisor));
        }
        ([a], Op::Not) => match a.as_slice() {
            [Op::Bool(value)] => return vec![Op::Bool(!value)],
            [inner @ .., Op::Not] => return inner.to_vec(),
            [inner @ .., Op::Cmp(cmp)] => {
                let mut out = inner.to_vec();
                out.push(Op::Cmp(negated(*cmp)));
                return out;
            }
            _ => {}
        },
        _ => {}
    }
    let mut out = operands.concat();
    out.push(op);
    out
}

/// A term as one without a constant at its end, and that constant.
fn parts(term: &[Op]) -> (&[Op], BigInt) {
    match term {
        [rest @ .., Op::Int(Int(value)), Op::Add] => (rest, value.clone()),
        [rest @ .., Op::Int(Int(value)), Op::Sub] => (rest, -value),
        _ => (term, BigInt::from(0)),
    }
}

/// `term + offset`
fn plus(term: &[Op], offset: BigInt) -> Vec<Op> {
    if offset == BigInt::from(0) {
        return term.to_vec();
    }
    let mut out = term.to_vec();
    let negative = offset < BigInt::from(0);
    out.push(Op::Int(Int(if negative { -offset } else { offset })));
    out.push(if negative { Op::Sub } else { Op::Add });
    out
}

/// Whether `factor * term` is a number, as what that says of the term.
fn multiple(scaled: &[Op], number: &BigInt, cmp: Cmp) -> Option<Vec<Op>> {
    let [rest @ .., Op::Scale(Int(factor))] = scaled else { return None };
    if !matches!(cmp, Cmp::Eq | Cmp::Ne) || *factor == BigInt::from(0) {
        return None;
    }
    let quotient = number / factor;
    if &quotient * factor != *number {
        return Some(vec![Op::Bool(cmp == Cmp::Ne)]);
    }
    Some(compare(cmp, rest, &int(quotient)))
}

fn binary(a: &[Op], b: &[Op], op: &Op) -> Option<Vec<Op>> {
    match op {
        Op::Add | Op::Sub => {
            let sign = if *op == Op::Add { 1 } else { -1 };
            match (constant(a), constant(b)) {
                (Some(x), Some(y)) => Some(int(x + y * sign)),
                (None, Some(y)) => {
                    let (rest, offset) = parts(a);
                    Some(plus(rest, offset + y * sign))
                }
                (Some(x), None) if *op == Op::Add => {
                    let (rest, offset) = parts(b);
                    Some(plus(rest, offset + x))
                }
                _ if *op == Op::Sub && a == b => Some(int(0)),
                _ => None,
            }
        }
        Op::Cmp(cmp) => match (constant(a), constant(b)) {
            (Some(x), Some(y)) => Some(vec![Op::Bool(cmp.holds(x, y))]),
            (None, Some(y)) => {
                let (rest, offset) = parts(a);
                let zero = offset == BigInt::from(0);
                let bound = y - offset;
                multiple(rest, &bound, *cmp).or_else(|| {
                    (!zero).then(|| [rest, &int(bound), std::slice::from_ref(op)].concat())
                })
            }
            (Some(_), None) => {
                let turned = match cmp {
                    Cmp::Lt => Cmp::Gt,
                    Cmp::Le => Cmp::Ge,
                    Cmp::Gt => Cmp::Lt,
                    Cmp::Ge => Cmp::Le,
                    same => *same,
                };
                let op = Op::Cmp(turned);
                Some(binary(b, a, &op).unwrap_or_else(|| [b, a, &[op]].concat()))
            }
            _ if a == b && !a.is_empty() => Some(vec![Op::Bool(cmp.holds(&0, &0))]),
            _ => None,
        },
        Op::And | Op::Or => {
            let neutral = [Op::Bool(*op == Op::And)];
            let absorbing = [Op::Bool(*op != Op::And)];
            if a == neutral || b == absorbing {
                Some(b.to_vec())
            } else if b == neutral || a == absorbing {
                Some(a.to_vec())
            } else {
                None
            }
        }
        _ => None,
    }
}

/// A comparison with a number.
pub(crate) fn is(cmp: Cmp, term: &[Op], value: i32) -> Vec<Op> {
    compare(cmp, term, &int(value))
}

//! Guards with as few conjuncts as possible: the bounds of a term are intersected with each other
//! and with the range of its type (intervals with holes).

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::Ranges;
use crate::frontend::c::term::{compare, fold, int};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_format::{Cmp, Int, Op};

/// What conditions say of one term.
#[derive(Default)]
struct Bounds {
    low: Option<BigInt>,
    high: Option<BigInt>,
    not: Vec<BigInt>,
}

/// The conditions simplified; none if they cannot all hold.
pub(crate) fn simplified(
    guard: &[Vec<Op>],
    range: &dyn Fn(&Op) -> Option<(BigInt, BigInt)>,
) -> Option<Vec<Vec<Op>>> {
    let mut order: Vec<Vec<Op>> = Vec::new();
    let mut bounds: BTreeMap<Vec<Op>, Bounds> = BTreeMap::new();
    let mut others: Vec<Vec<Op>> = Vec::new();
    for formula in guard.iter().flat_map(|formula| conjuncts(formula.clone())) {
        match fold(formula).as_slice() {
            [Op::Bool(true)] => {}
            [Op::Bool(false)] => return None,
            [term @ .., Op::Int(Int(value)), Op::Cmp(cmp)] => {
                if !bounds.contains_key(term) {
                    order.push(term.to_vec());
                }
                bounds.entry(term.to_vec()).or_default().add(*cmp, value);
            }
            other if others.iter().any(|formula| formula == other) => {}
            other => others.push(other.to_vec()),
        }
    }
    let mut out = Vec::new();
    for term in order {
        let known = match term.as_slice() {
            [op] => range(op),
            _ => None,
        };
        out.extend(bounds.remove(&term)?.formulas(&term, known)?);
    }
    out.extend(others);
    Some(out)
}

impl Bounds {
    fn add(&mut self, cmp: Cmp, value: &BigInt) {
        let (low, high) = match cmp {
            Cmp::Eq => (Some(value.clone()), Some(value.clone())),
            Cmp::Ne => {
                self.not.push(value.clone());
                return;
            }
            Cmp::Lt => (None, Some(value - 1)),
            Cmp::Le => (None, Some(value.clone())),
            Cmp::Gt => (Some(value + 1), None),
            Cmp::Ge => (Some(value.clone()), None),
        };
        // None is less than any number: for the upper bound it has to be none.
        self.low = self.low.take().max(low);
        self.high = match (self.high.take(), high) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// The bounds as formulas; none if no value of the term is left.
    fn formulas(self, term: &[Op], known: Option<(BigInt, BigInt)>) -> Option<Vec<Vec<Op>>> {
        let fixed = known.as_ref().is_some_and(|(least, most)| least == most);
        let (least, most) = known.unzip();
        let mut low = self.low.max(least.clone());
        let mut high = match (self.high, &most) {
            (Some(a), Some(b)) => Some(a.min(b.clone())),
            (a, b) => a.or(b.clone()),
        };
        let mut not = self.not;
        not.sort();
        not.dedup();
        let mut count = usize::MAX;
        while count != not.len() {
            count = not.len();
            not.retain(|value| {
                if low.as_ref() == Some(value) {
                    low = Some(value + 1);
                    return false;
                }
                if high.as_ref() == Some(value) {
                    high = Some(value - 1);
                    return false;
                }
                low.as_ref().is_none_or(|low| low < value)
                    && high.as_ref().is_none_or(|high| value < high)
            });
        }
        if let (Some(low), Some(high)) = (&low, &high) {
            if low > high {
                return None;
            }
            if low == high && !fixed {
                return Some(vec![compare(Cmp::Eq, term, &int(low.clone()))]);
            }
        }
        let mut out = Vec::new();
        if let Some(low) = low.filter(|low| Some(low) != least.as_ref()) {
            out.push(compare(Cmp::Ge, term, &int(low)));
        }
        if let Some(high) = high.filter(|high| Some(high) != most.as_ref()) {
            out.push(compare(Cmp::Le, term, &int(high)));
        }
        out.extend(not.into_iter().map(|value| compare(Cmp::Ne, term, &int(value))));
        Some(out)
    }
}

/// The parts of a conjunction.
fn conjuncts(formula: Vec<Op>) -> Vec<Vec<Op>> {
    let (mut out, mut todo) = (Vec::new(), vec![formula]);
    while let Some(mut next) = todo.pop() {
        if next.last() != Some(&Op::And) {
            out.push(next);
            continue;
        }
        next.pop();
        // The second operand is the shortest end that is a formula.
        let (mut missing, mut start) = (1_usize, next.len());
        while missing > 0 && start > 0 {
            start -= 1;
            missing = missing + next[start].arity() - 1;
        }
        let second = next.split_off(start);
        todo.extend([second, next]);
    }
    out
}

impl Command {
    /// Simplifies the conditions, given the ranges of variables; false if they cannot all hold.
    /// Conditions on an input that nothing else mentions are dropped, if some value in its range
    /// satisfies them.
    pub(crate) fn simplify(&mut self, ranges: &Ranges) -> bool {
        let inputs = &self.inputs;
        let range = |op: &Op| match op {
            Op::Input(i) => inputs[*i as usize].range.clone(),
            other => ranges.get(other).cloned(),
        };
        let Some(guard) = simplified(&self.guard, &range) else { return false };
        self.guard = guard;
        let mut uses = vec![0_usize; self.inputs.len()];
        for op in self.ops() {
            if let Op::Input(i) = op {
                uses[*i as usize] += 1;
            }
        }
        // A single condition on an input alone: it can hold, or there would be none left.
        self.guard.retain(|formula| match formula.as_slice() {
            [Op::Input(i), Op::Int(_), Op::Cmp(_)] => uses[*i as usize] != 1,
            _ => true,
        });
        true
    }
}

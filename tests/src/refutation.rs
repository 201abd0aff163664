//! Helpers of the tests about refutations: random obligations, and z3's opinion on them.

use quickcheck::{Arbitrary, Gen};
use std::collections::HashMap;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};
use z3::ast::{Bool, Dynamic};

/// The variables that random formulas mention.
pub const VARIABLES: [Sort; 8] = [
    Sort::Int,
    Sort::Int,
    Sort::Int,
    Sort::Bool,
    Sort::Bool,
    Sort::IntArray,
    Sort::BoolArray,
    Sort::IntArray,
];

/// An obligation over global variables of the given sorts.
pub fn obligation(sorts: &[Sort], formulas: Vec<Expr>) -> Obligation {
    let sorts: HashMap<Op, Sort> = (0..).map(Op::Global).zip(sorts.iter().copied()).collect();
    Obligation { id: ObligationId::Triple(0), sorts, formulas }
}

/// A source of random formulas.
pub struct Source {
    /// The generator.
    pub random: Gen,
    /// Whether formulas mention arrays.
    pub arrays: bool,
    /// Coefficients are below this.
    pub coefficient: i64,
}

impl Source {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(u16::arbitrary(&mut self.random)) % bound
    }

    pub fn small(&mut self, bound: i64) -> i64 {
        i64::from(i16::arbitrary(&mut self.random)) % (bound + 1)
    }

    fn variable(&mut self, sort: Sort) -> Vec<Op> {
        let fitting: Vec<u32> =
            (0..).zip(VARIABLES).filter(|(_, s)| *s == sort).map(|(i, _)| i).collect();
        vec![Op::Global(fitting[self.below(fitting.len())])]
    }

    fn of(&mut self, sort: Sort, depth: usize) -> Vec<Op> {
        match sort {
            Sort::Int => self.int(depth),
            Sort::Bool => self.bool(depth),
            Sort::IntArray | Sort::BoolArray => self.array(sort, depth),
        }
    }

    fn apply(&mut self, op: Op, sorts: &[Sort], depth: usize) -> Vec<Op> {
        let mut out: Vec<Op> = sorts.iter().flat_map(|s| self.of(*s, depth)).collect();
        out.push(op);
        out
    }

    fn int(&mut self, depth: usize) -> Vec<Op> {
        let below = depth.saturating_sub(1);
        let choices = if depth == 0 { 4 } else { 12 };
        match self.below(choices) {
            0 => vec![Op::Int(self.small(4).into())],
            1..=3 => self.variable(Sort::Int),
            4..=5 => self.apply(Op::Add, &[Sort::Int; 2], below),
            6 => self.apply(Op::Sub, &[Sort::Int; 2], below),
            7 => {
                let factor = self.small(self.coefficient);
                self.apply(Op::Scale(factor.into()), &[Sort::Int], below)
            }
            8..=9 => {
                let divisor = Int::from(i64::try_from(2 + self.below(4)).expect("a small number"));
                let op = if self.below(2) == 0 { Op::Div(divisor) } else { Op::Mod(divisor) };
                self.apply(op, &[Sort::Int], below)
            }
            _ if self.arrays => self.apply(Op::Select, &[Sort::IntArray, Sort::Int], below),
            _ => self.variable(Sort::Int),
        }
    }

    fn array(&mut self, sort: Sort, depth: usize) -> Vec<Op> {
        if depth == 0 || self.below(2) == 0 {
            return self.variable(sort);
        }
        let element = sort.element().unwrap_or(Sort::Int);
        self.apply(Op::Store, &[sort, Sort::Int, element], depth - 1)
    }

    /// A random formula.
    pub fn bool(&mut self, depth: usize) -> Vec<Op> {
        const COMPARISONS: [Cmp; 6] = [Cmp::Eq, Cmp::Ne, Cmp::Lt, Cmp::Le, Cmp::Gt, Cmp::Ge];
        let below = depth.saturating_sub(1);
        match self.below(if depth == 0 { 1 } else { 14 }) {
            0 => self.variable(Sort::Bool),
            1..=7 => {
                let cmp = COMPARISONS[self.below(6)];
                self.apply(Op::Cmp(cmp), &[Sort::Int; 2], below)
            }
            8 => {
                let cmp = COMPARISONS[self.below(2)];
                self.apply(Op::Cmp(cmp), &[Sort::Bool; 2], below)
            }
            9 => self.apply(Op::Not, &[Sort::Bool], below),
            10 => self.apply(Op::And, &[Sort::Bool; 2], below),
            11..=12 => self.apply(Op::Or, &[Sort::Bool; 2], below),
            _ if self.arrays => self.apply(Op::Select, &[Sort::BoolArray, Sort::Int], below),
            _ => self.variable(Sort::Bool),
        }
    }
}

/// z3's opinion on an obligation: `None` if it has none.
pub fn satisfiable(obligation: &Obligation) -> Option<bool> {
    let solver = z3::Solver::new();
    for formula in &obligation.formulas {
        let term = encode(formula, &obligation.sorts).as_bool().expect("a formula");
        solver.assert(&term);
    }
    match solver.check() {
        z3::SatResult::Sat => Some(true),
        z3::SatResult::Unsat => Some(false),
        z3::SatResult::Unknown => None,
    }
}

fn sort(sort: Sort) -> z3::Sort {
    match sort {
        Sort::Int => z3::Sort::int(),
        Sort::Bool => z3::Sort::bool(),
        Sort::IntArray => z3::Sort::array(&z3::Sort::int(), &z3::Sort::int()),
        Sort::BoolArray => z3::Sort::array(&z3::Sort::int(), &z3::Sort::bool()),
    }
}

fn constant(value: &Int) -> z3::ast::Int {
    value.to_string().parse().expect("a numeral")
}

fn encode(formula: &Expr, sorts: &HashMap<Op, Sort>) -> Dynamic {
    let mut stack: Vec<Dynamic> = Vec::new();
    for op in &formula.0 {
        let operands = stack.split_off(stack.len() - op.arity());
        let int = |i: usize| operands[i].as_int().expect("an integer");
        let bool = |i: usize| operands[i].as_bool().expect("a Boolean");
        let array = || operands[0].as_array().expect("an array");
        let term: Dynamic = match op {
            Op::Int(value) => constant(value).into(),
            Op::Bool(value) => Bool::from_bool(*value).into(),
            Op::Global(i) => Dynamic::new_const(format!("g{i}"), &sort(sorts[op])),
            Op::Local(..) | Op::Input(_) | Op::Count(..) => unreachable!("tests use globals"),
            Op::Add => (int(0) + int(1)).into(),
            Op::Sub => (int(0) - int(1)).into(),
            Op::Scale(factor) => (constant(factor) * int(0)).into(),
            Op::Div(divisor) => int(0).div(constant(divisor)).into(),
            Op::Mod(divisor) => int(0).modulo(constant(divisor)).into(),
            Op::Select => array().select(&int(1)),
            Op::Store => array().store(&int(1), &operands[2]).into(),
            Op::Cmp(Cmp::Eq) => operands[0].eq(&operands[1]).into(),
            Op::Cmp(Cmp::Ne) => operands[0].eq(&operands[1]).not().into(),
            Op::Cmp(Cmp::Lt) => int(0).lt(int(1)).into(),
            Op::Cmp(Cmp::Le) => int(0).le(int(1)).into(),
            Op::Cmp(Cmp::Gt) => int(0).gt(int(1)).into(),
            Op::Cmp(Cmp::Ge) => int(0).ge(int(1)).into(),
            Op::Not => bool(0).not().into(),
            Op::And => Bool::and(&[bool(0), bool(1)]).into(),
            Op::Or => Bool::or(&[bool(0), bool(1)]).into(),
        };
        stack.push(term);
    }
    stack.pop().expect("an expression")
}

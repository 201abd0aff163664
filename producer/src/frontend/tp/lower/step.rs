//! One atomic step, evaluated symbolically: what its variables become, and when it can be taken.
//!
//! A step starts in the pre-state. Its values are terms over the pre-state and the step's inputs,
//! so a variable that is written and then read again within the step has its new value.

use super::super::ir::{Cond, Place, Slot, Term};
use super::variables::Variables;
use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_format::program::Variable;
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// Operators of one term of a step.
const MAX_TERM: usize = 10_000;
/// Paths through one step.
pub(super) const MAX_PATHS: usize = 256;

/// The ways in which a condition can come out.
pub(super) type Ways = Vec<(State, bool)>;

/// There are more than `MAX_PATHS` ways.
pub(super) struct TooMany;

/// A path through an atomic step, up to some point.
#[derive(Clone, Default)]
pub(super) struct State {
    /// New values of the variables that were written.
    values: BTreeMap<Op, Vec<Op>>,
    /// What has to hold for this path to be taken.
    guard: Vec<Vec<Op>>,
    /// Fresh values: wanted name and sort.
    inputs: Vec<(String, Sort)>,
    /// Divisions made so far: dividend, divisor, and the input that is the quotient.
    quotients: Vec<(Vec<Op>, BigInt, u32)>,
    /// Whether a term grew past `MAX_TERM`; the step is then refused.
    pub too_large: bool,
}

/// Positions in small lists; no list of a program comes near the limit.
pub(super) fn id(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 variables, locations and edges")
}

fn number(value: BigInt) -> Op {
    Op::Int(Int(value))
}

impl State {
    /// A fresh value.
    pub(super) fn input(&mut self, name: String, sort: Sort) -> Op {
        self.inputs.push((name, sort));
        Op::Input(id(self.inputs.len() - 1))
    }

    /// Adds a condition.
    pub(super) fn require(&mut self, formula: Vec<Op>) {
        if formula != [Op::Bool(true)] && formula != [Op::Bool(false), Op::Not] {
            self.guard.push(formula);
        }
    }

    fn current(&self, variable: &Op) -> Vec<Op> {
        let value = self.values.get(variable).cloned();
        value.unwrap_or_else(|| vec![variable.clone()])
    }

    /// The value of a term now.
    pub(super) fn eval(&mut self, term: &Term, frame: &[Op]) -> Vec<Op> {
        let mut out = Vec::new();
        self.push(term, frame, &mut out);
        out
    }

    fn push(&mut self, term: &Term, frame: &[Op], out: &mut Vec<Op>) {
        if out.len() > MAX_TERM {
            self.too_large = true;
            return;
        }
        let mut two = |a: &Term, b: &Term, op: Op| {
            self.push(a, frame, out);
            self.push(b, frame, out);
            out.push(op);
        };
        match term {
            Term::Int(value) => out.push(number(value.clone())),
            Term::Bool(value) => out.push(Op::Bool(*value)),
            Term::Count(labels) => out.push(super::counts::placeholder(*labels)),
            Term::Candidate(node) => out.push(super::layers::placeholder(*node)),
            Term::Var(slot) => out.extend(self.current(&variable(*slot, frame))),
            Term::Select(slot, index) => {
                out.extend(self.current(&variable(*slot, frame)));
                self.push(index, frame, out);
                out.push(Op::Select);
            }
            Term::Add(a, b) => two(a, b, Op::Add),
            Term::Sub(a, b) => two(a, b, Op::Sub),
            Term::Cmp(cmp, a, b) => two(a, b, Op::Cmp(*cmp)),
            Term::And(a, b) => two(a, b, Op::And),
            Term::Or(a, b) => two(a, b, Op::Or),
            Term::Scale(factor, a) => {
                self.push(a, frame, out);
                out.push(Op::Scale(Int(factor.clone())));
            }
            Term::Not(a) => {
                self.push(a, frame, out);
                out.push(Op::Not);
            }
            Term::Div(a, divisor) => {
                let dividend = self.eval(a, frame);
                out.push(self.quotient(&dividend, divisor));
            }
            Term::Mod(a, divisor) => {
                let dividend = self.eval(a, frame);
                let quotient = self.quotient(&dividend, divisor);
                out.extend(dividend);
                out.extend([quotient, Op::Scale(Int(divisor.clone())), Op::Sub]);
            }
        }
    }

    /// The quotient of a division that truncates towards zero, as an input: for every dividend
    /// exactly one value satisfies the condition that is added.
    fn quotient(&mut self, dividend: &[Op], divisor: &BigInt) -> Op {
        let known = |(e, k, _): &&(Vec<Op>, BigInt, u32)| e == dividend && k == divisor;
        if let Some((.., input)) = self.quotients.iter().find(known) {
            return Op::Input(*input);
        }
        let quotient = self.input("quotient".to_owned(), Sort::Int);
        if let Op::Input(i) = quotient {
            self.quotients.push((dividend.to_vec(), divisor.clone(), i));
        }
        let product = [quotient.clone(), Op::Scale(Int(divisor.clone()))];
        let most = number(divisor - 1);
        let mut formula = Vec::new();
        // e >= 0 && k * q <= e && e <= k * q + (k - 1)
        formula.extend_from_slice(dividend);
        formula.extend([number(0.into()), Op::Cmp(Cmp::Ge)]);
        formula.extend(product.clone());
        formula.extend_from_slice(dividend);
        formula.extend([Op::Cmp(Cmp::Le), Op::And]);
        formula.extend_from_slice(dividend);
        formula.extend(product.clone());
        formula.extend([most.clone(), Op::Add, Op::Cmp(Cmp::Le), Op::And]);
        // e <= 0 && k * q >= e && e >= k * q - (k - 1)
        formula.extend_from_slice(dividend);
        formula.extend([number(0.into()), Op::Cmp(Cmp::Le)]);
        formula.extend(product.clone());
        formula.extend_from_slice(dividend);
        formula.extend([Op::Cmp(Cmp::Ge), Op::And]);
        formula.extend_from_slice(dividend);
        formula.extend(product);
        formula.extend([most, Op::Sub, Op::Cmp(Cmp::Ge), Op::And, Op::Or]);
        self.require(formula);
        quotient
    }

    /// Writes to a variable or an array element.
    pub(super) fn write(&mut self, place: &Place, value: Vec<Op>, frame: &[Op]) {
        let target = variable(place.slot, frame);
        let value = match &place.index {
            None => value,
            Some(index) => {
                let mut array = self.current(&target);
                array.extend(self.eval(index, frame));
                array.extend(value);
                array.push(Op::Store);
                array
            }
        };
        self.assign(target, value);
    }

    /// Gives a variable a new value.
    pub(super) fn assign(&mut self, variable: Op, value: Vec<Op>) {
        self.too_large = self.too_large || value.len() > MAX_TERM;
        self.values.insert(variable, value);
    }

    /// Gives a place any value; the input is named after the variable.
    pub(super) fn havoc(&mut self, place: &Place, variables: &Variables, frame: &[Op]) {
        let name = format!("any_{}", variables.name(&variable(place.slot, frame)));
        let input = self.input(name, place.sort);
        self.write(place, vec![input], frame);
    }

    /// The paths on which a formula holds and fails. They share the inputs of its divisions.
    pub(super) fn fork(mut self, term: &Term, frame: &[Op]) -> [State; 2] {
        let holds = self.eval(term, frame);
        let mut no = self.clone();
        let fails = no.eval(&term.clone().negate(), frame);
        self.require(holds);
        no.require(fails);
        [self, no]
    }

    /// Evaluates a condition in C's order, once for each way that it can come out.
    pub(super) fn decide(self, condition: &Cond, frame: &[Op]) -> Result<Ways, TooMany> {
        match condition {
            Cond::Term(Term::Bool(value)) => Ok(vec![(self, *value)]),
            Cond::Term(term) => {
                let [yes, no] = self.fork(term, frame);
                // What was written before in the same step may settle the condition.
                let possible = |s: &State| s.guard.last().is_none_or(|f| !is_false(f));
                let ways = [(yes, true), (no, false)].into_iter();
                Ok(ways.filter(|(state, _)| possible(state)).collect())
            }
            Cond::Any => Ok(vec![(self.clone(), true), (self, false)]),
            Cond::Cas(place, old, new) => self.compare_and_swap(place, old, new, frame),
            Cond::Not(inner) => {
                let ways = self.decide(inner, frame)?.into_iter();
                Ok(ways.map(|(state, value)| (state, !value)).collect())
            }
            Cond::And(a, b) => self.decide_two(a, b, true, frame),
            Cond::Or(a, b) => self.decide_two(a, b, false, frame),
        }
    }

    /// `&&` and `||`: the second operand is evaluated iff the first one is `go_on`.
    fn decide_two(self, a: &Cond, b: &Cond, go_on: bool, frame: &[Op]) -> Result<Ways, TooMany> {
        let mut out = Vec::new();
        for (state, value) in self.decide(a, frame)? {
            if value == go_on {
                out.extend(state.decide(b, frame)?);
            } else {
                out.push((state, value));
            }
            if out.len() > MAX_PATHS {
                return Err(TooMany);
            }
        }
        Ok(out)
    }

    fn compare_and_swap(
        self,
        place: &Place,
        old: &Term,
        new: &Term,
        frame: &[Op],
    ) -> Result<Ways, TooMany> {
        let found = match &place.index {
            None => Term::Var(place.slot),
            Some(index) => Term::Select(place.slot, Box::new(index.clone())),
        };
        let same = Cond::Term(found.compare(Cmp::Eq, old.clone()));
        let mut ways = self.decide(&same, frame)?;
        for (state, swaps) in &mut ways {
            if *swaps {
                let value = state.eval(new, frame);
                state.write(place, value, frame);
            }
        }
        Ok(ways)
    }

    /// Whether the step neither waits nor changes anything.
    pub(super) fn is_idle(&self) -> bool {
        self.values.is_empty() && self.guard.is_empty()
    }

    /// The command: inputs, guard and updates. Inputs that nothing mentions are left out.
    /// Inputs get names beside those that are taken.
    pub(super) fn finish(self, taken: &Names) -> (Vec<Variable>, Expr, Vec<(Op, Expr)>) {
        let mut guard = Vec::new();
        for (i, formula) in self.guard.into_iter().enumerate() {
            guard.extend(formula);
            if i > 0 {
                guard.push(Op::And);
            }
        }
        if guard.is_empty() {
            guard.push(Op::Bool(true));
        }
        let changed = self.values.into_iter().filter(|(v, e)| e.as_slice() != [v.clone()]);
        let updates: Vec<(Op, Expr)> = changed.map(|(v, e)| (v, Expr(e))).collect();
        let guard = Expr(guard);
        let mut inputs = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut names = taken.clone();
        for (i, (name, sort)) in self.inputs.iter().enumerate() {
            let op = Op::Input(id(i));
            let used = guard.0.contains(&op) || updates.iter().any(|(_, e)| e.0.contains(&op));
            if used {
                numbers.insert(op, Op::Input(id(inputs.len())));
                inputs.push(Variable { name: names.fresh(name), sort: *sort, owner: None });
            }
        }
        let renumber = |e: &Expr| e.substitute(|op| numbers.get(op).map(|new| vec![new.clone()]));
        let updates = updates.iter().map(|(v, e)| (v.clone(), renumber(e)));
        (inputs, renumber(&guard), updates.collect())
    }

    /// The number of operators, to bound what a template grows to.
    pub(super) fn size(&self) -> usize {
        let values = self.values.values().map(Vec::len).sum::<usize>();
        values + self.guard.iter().map(Vec::len).sum::<usize>()
    }
}

fn is_false(formula: &[Op]) -> bool {
    matches!(formula, [Op::Bool(false)] | [Op::Bool(true), Op::Not])
}

/// The core variable that a slot of a body means.
pub(super) fn variable(slot: Slot, frame: &[Op]) -> Op {
    match slot {
        Slot::Global(i) => Op::Global(id(i)),
        Slot::Local(i) => frame[i].clone(),
    }
}

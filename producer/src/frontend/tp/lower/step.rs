//! One atomic step, evaluated symbolically: what its variables become, and when it can be taken.
//!
//! A step starts in the pre-state. Its values are terms over the pre-state and the step's inputs,
//! so a variable that is written and then read again within the step has its new value.

use super::super::ir::{Cond, Place, Slot, Term};
use super::signs::not_negative;
use super::variables::Variables;
use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
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
    /// The core variables that are never negative.
    not_negative: Rc<BTreeSet<Op>>,
    /// Dividends and whether they are negative, on this path or in the case that is written.
    signs: Vec<(Vec<Op>, bool)>,
    /// The first dividend that was met whose sign is not known.
    open: Option<Vec<Op>>,
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

/// The dividend and the divisor, if a remainder is compared with zero: whether it is zero does not
/// depend on the dividend's sign.
fn divisibility<'t>(cmp: Cmp, a: &'t Term, b: &Term) -> Option<(&'t Term, &'t BigInt)> {
    match (cmp, a, b) {
        (Cmp::Eq | Cmp::Ne, Term::Mod(a, divisor), Term::Int(zero)) if zero.is_zero() => {
            Some((a, divisor))
        }
        _ => None,
    }
}

/// Whether a term is negative: the two cases.
fn signs(term: &[Op]) -> [(bool, Vec<Op>); 2] {
    let case = |cmp| [term, &[number(0.into()), Op::Cmp(cmp)]].concat();
    [(false, case(Cmp::Ge)), (true, case(Cmp::Lt))]
}

impl State {
    /// Before a step; these core variables are never negative.
    pub(super) fn of(not_negative: Rc<BTreeSet<Op>>) -> Self {
        State { not_negative, ..State::default() }
    }

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

    /// The paths on which the signs of the dividends in some terms are known.
    pub(super) fn split(self, terms: &[&Term], frame: &[Op]) -> Result<Vec<State>, TooMany> {
        let (mut done, mut todo) = (Vec::new(), vec![self]);
        while let Some(mut state) = todo.pop() {
            for term in terms {
                state.push(term, frame, &mut Vec::new());
            }
            match state.open.take() {
                None => done.push(state),
                Some(dividend) => {
                    for (negative, formula) in signs(&dividend) {
                        let mut case = state.clone();
                        case.require(formula);
                        case.signs.push((dividend.clone(), negative));
                        todo.push(case);
                    }
                }
            }
            if done.len() + todo.len() > MAX_PATHS {
                return Err(TooMany);
            }
        }
        Ok(done)
    }

    /// The value of a term now; the signs of its dividends are known ([`State::split`]).
    pub(super) fn eval(&mut self, term: &Term, frame: &[Op]) -> Vec<Op> {
        let mut out = Vec::new();
        self.push(term, frame, &mut out);
        assert_eq!(self.open, None, "a dividend whose sign is not known");
        out
    }

    /// A formula now. Its divisions need no inputs: where a dividend's sign matters and is not
    /// known, both cases are told apart.
    pub(super) fn formula(&mut self, term: &Term, frame: &[Op]) -> Vec<Op> {
        let mut out = Vec::new();
        self.push_formula(term, frame, &mut out);
        out
    }

    fn push_formula(&mut self, term: &Term, frame: &[Op], out: &mut Vec<Op>) {
        match term {
            Term::And(a, b) | Term::Or(a, b) => {
                self.push_formula(a, frame, out);
                self.push_formula(b, frame, out);
                out.push(if matches!(term, Term::And(..)) { Op::And } else { Op::Or });
            }
            Term::Not(a) => {
                self.push_formula(a, frame, out);
                out.push(Op::Not);
            }
            atom => self.atom(atom, frame, out),
        }
    }

    /// An atom: `d >= 0 && atom || d < 0 && atom` if the sign of a dividend d is not known.
    fn atom(&mut self, atom: &Term, frame: &[Op], out: &mut Vec<Op>) {
        if self.too_large || out.len() > MAX_TERM {
            self.too_large = true;
            return;
        }
        let mut text = Vec::new();
        self.push(atom, frame, &mut text);
        let Some(dividend) = self.open.take() else {
            out.extend(text);
            return;
        };
        for (negative, formula) in signs(&dividend) {
            out.extend(formula);
            self.signs.push((dividend.clone(), negative));
            self.atom(atom, frame, out);
            self.signs.pop();
            out.push(Op::And);
        }
        out.push(Op::Or);
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
            Term::Cmp(cmp, a, b) => match divisibility(*cmp, a, b) {
                Some((a, divisor)) => {
                    self.push(a, frame, out);
                    out.extend([Op::Mod(Int(divisor.clone())), number(0.into()), Op::Cmp(*cmp)]);
                }
                None => two(a, b, Op::Cmp(*cmp)),
            },
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
            Term::Div(a, divisor) => self.truncated(a, Op::Div(Int(divisor.clone())), frame, out),
            Term::Mod(a, divisor) => self.truncated(a, Op::Mod(Int(divisor.clone())), frame, out),
        }
    }

    /// A quotient that truncates towards zero, or its remainder: that of a negative dividend is
    /// the negation of what the logic has for its absolute value.
    fn truncated(&mut self, dividend: &Term, op: Op, frame: &[Op], out: &mut Vec<Op>) {
        let mut ops = Vec::new();
        self.push(dividend, frame, &mut ops);
        let known = |slot| self.not_negative.contains(&variable(slot, frame));
        let negative = if not_negative(dividend, &known) {
            Some(false)
        } else {
            self.signs.iter().find(|(of, _)| *of == ops).map(|(_, negative)| *negative)
        };
        match negative {
            Some(false) => out.extend(ops.into_iter().chain([op])),
            Some(true) => {
                let minus = || Op::Scale(Int::from(-1));
                out.extend(ops.into_iter().chain([minus(), op, minus()]));
            }
            None => {
                self.open.get_or_insert(ops);
                out.push(number(0.into()));
            }
        }
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

    /// The paths on which a formula holds and fails; the signs of its dividends are known.
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
                // What was written before in the same step may settle the condition.
                let possible = |s: &State| s.guard.last().is_none_or(|f| !is_false(f));
                let mut ways = Vec::new();
                for state in self.split(&[term], frame)? {
                    let [yes, no] = state.fork(term, frame);
                    ways.extend([(yes, true), (no, false)].into_iter().filter(|w| possible(&w.0)));
                }
                Ok(ways)
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
        let mut ways = Vec::new();
        for (state, swaps) in self.decide(&same, frame)? {
            if !swaps {
                ways.push((state, false));
                continue;
            }
            for mut state in state.split(&place.terms(new), frame)? {
                let value = state.eval(new, frame);
                state.write(place, value, frame);
                ways.push((state, true));
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

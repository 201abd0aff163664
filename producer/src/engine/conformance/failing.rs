//! The shortest failing execution of the conformance checker: the concrete thread's steps with the
//! values of globals before and after each, and the candidates on the way.

use super::clauses::arguments;
use crate::solve::values::Reader;
use crate::solve::{encode, solver};
use std::collections::BTreeMap;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::conformance::{
    CANDIDATES, Pair, Values, locations,
};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::work::Seq;
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{Bool, Dynamic, Int};
use z3::{Model, SatResult, Solver};

/// How many steps are tried.
const LENGTH: usize = 40;

/// What z3 may do for one length, in its own unit; it is tried no further then.
const WORK: u32 = 1_000_000;

/// A failing execution of the conformance checker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing {
    /// The steps of the concrete thread.
    pub steps: Vec<Step>,
    /// The state at the end.
    pub end: State,
    /// What is wrong there.
    pub kind: Kind,
}

/// A step of the concrete thread, between which others may change the globals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The state before.
    pub before: State,
    /// The edge: an index into the template's edges.
    pub edge: usize,
    /// The globals after the step.
    pub after: Vec<Value>,
}

/// A state of the conformance checker, with the globals that the next step begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The concrete thread's location.
    pub location: u32,
    /// The globals.
    pub globals: Vec<Value>,
    /// The concrete thread's locals.
    pub locals: Vec<Value>,
    /// The locations where the abstract thread may be.
    pub candidates: Vec<u32>,
}

/// How the conformance checker fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No step of the abstract thread matches the last step.
    Unmatched,
    /// The concrete thread goes wrong by this edge, and no candidate does.
    Wrong(usize),
    /// The abstract thread's initial condition does not hold at the start.
    Start,
}

/// The unrolled conformance checker.
struct Unrolled<'a> {
    pair: &'a Pair<'a>,
    copies: &'a Seq<u32>,
    /// The concrete thread's locations that are no errors.
    places: Vec<u32>,
    solver: Solver,
    /// The terms of T's locals, the candidates and T#'s locals before each step, and the location.
    states: Vec<(BTreeMap<Op, Dynamic>, Int)>,
    /// The edge that each step takes.
    edges: Vec<Int>,
    indices: Vec<Int>,
    /// Whether z3 has given up.
    lost: bool,
}

/// Looks for the shortest failing execution.
pub fn shortest(pair: &Pair, copies: &Seq<u32>) -> Option<Failing> {
    let mut unrolled = Unrolled {
        pair,
        copies,
        places: locations(&pair.concrete, &Budget::default()).ok()?,
        solver: solver(),
        states: Vec::new(),
        edges: Vec::new(),
        indices: Vec::new(),
        lost: false,
    };
    let mut params = z3::Params::new();
    params.set_u32("rlimit", WORK);
    unrolled.solver.set_params(&params);
    unrolled.start()?;
    for _ in 0..LENGTH {
        match unrolled.failing() {
            Some(found) => return Some(found),
            None if unrolled.lost => return None,
            None => unrolled.step()?,
        }
    }
    None
}

impl Unrolled<'_> {
    /// Terms of a new state.
    fn state(&mut self) {
        let at = self.states.len();
        let variables = arguments(self.pair).into_iter();
        let terms = variables.map(|(op, sort)| (op.clone(), constant(&op, at, sort))).collect();
        self.states.push((terms, Int::new_const(format!("location.{at}"))));
    }

    /// An expression before a step, or at the end; `edge` is the one whose inputs occur.
    fn term(&mut self, expr: &Expr, at: usize, edge: Option<usize>) -> Dynamic {
        let mut indices = std::mem::take(&mut self.indices);
        let term = self.term_at(expr, at, edge, &mut indices);
        self.indices = indices;
        term
    }

    fn term_at(
        &self,
        expr: &Expr,
        at: usize,
        edge: Option<usize>,
        indices: &mut Vec<Int>,
    ) -> Dynamic {
        let inputs = edge.map(|e| &self.pair.concrete.edges[e].inputs);
        let mut leaf = |op: &Op| {
            if let Some(term) = self.states[at].0.get(op) {
                return term.clone();
            }
            let sort = self
                .pair
                .sort(op, inputs, &Budget::default())
                .expect("what an obligation is about");
            match (op, edge) {
                // Each edge has its own inputs and its own candidates afterwards.
                (Op::Input(_) | Op::Local(..), Some(edge)) => {
                    encode::constant(&format!("{op:?}.{at}.{edge}"), sort)
                }
                _ => constant(op, at, sort),
            }
        };
        encode::encode(expr, &mut leaf, indices)
    }

    fn formula(&mut self, expr: &Expr, at: usize, edge: Option<usize>) -> Bool {
        self.term(expr, at, edge).as_bool().expect("a formula")
    }

    fn all(&mut self, formulas: &[Expr], at: usize, edge: Option<usize>) -> Bool {
        let parts: Vec<Bool> = formulas.iter().map(|f| self.formula(f, at, edge)).collect();
        Bool::and(&parts)
    }

    /// The initial states.
    fn start(&mut self) -> Option<()> {
        self.state();
        let (premises, _, values) = self.pair.beginning(self.copies, &Budget::default()).ok()?;
        for premise in &premises {
            let known = self.initially(premise).as_bool()?;
            self.solver.assert(&known);
        }
        let initial = self.states[0].1.eq(Int::from_i64(0));
        self.solver.assert(&initial);
        for (op, value) in &values {
            let value = self.initially(value);
            let equal = self.states[0].0[op].eq(&value);
            self.solver.assert(&equal);
        }
        Some(())
    }

    /// An expression at the start. The globals have constants of their own there: before the thread's
    /// first step, others may change them.
    fn initially(&mut self, expr: &Expr) -> Dynamic {
        let (pair, local) = (self.pair, &self.states[0].0);
        let mut leaf = |op: &Op| {
            local.get(op).cloned().unwrap_or_else(|| {
                let sort =
                    pair.sort(op, None, &Budget::default()).expect("what an obligation is about");
                encode::constant(&format!("{op:?}.start"), sort)
            })
        };
        encode::encode(expr, &mut leaf, &mut self.indices)
    }

    /// The abstract thread's initial condition does not hold at the start, where the globals are
    /// as they are before the first step.
    fn wrong_start(&mut self) -> Option<Bool> {
        let (_, goal, _) = self.pair.beginning(self.copies, &Budget::default()).ok()?;
        let mut all = vec![self.initially(&goal).as_bool()?.not()];
        for (i, variable) in (0..).zip(&self.pair.shared) {
            let op = Op::Global(i);
            let before = constant(&op, 0, variable.sort);
            all.push(self.initially(&Expr(vec![op])).eq(&before));
        }
        Some(Bool::and(&all))
    }

    /// One more step, by some edge.
    fn step(&mut self) -> Option<()> {
        let at = self.states.len() - 1;
        self.state();
        let edge = Int::new_const(format!("edge.{at}"));
        let pair = self.pair;
        let mut choices = Vec::new();
        for (i, taken) in pair.concrete.edges.iter().enumerate() {
            if !self.places.contains(&taken.source) || !self.places.contains(&taken.target) {
                continue;
            }
            let nodes = locations(&pair.abstraction, &Budget::default()).ok()?;
            let (body, values) =
                pair.transition(self.copies, taken, &nodes, &Budget::default()).ok()?;
            let mut all = vec![
                edge.eq(Int::from_u64(i as u64)),
                self.states[at].1.eq(Int::from_u64(taken.source.into())),
                self.states[at + 1].1.eq(Int::from_u64(taken.target.into())),
                self.all(&body, at, Some(i)),
            ];
            all.extend(self.updated(&values, at, i));
            choices.push(Bool::and(&all));
        }
        self.solver.assert(Bool::or(&choices));
        self.edges.push(edge);
        Some(())
    }

    /// The state after a step by an edge.
    fn updated(&mut self, values: &Values, at: usize, edge: usize) -> Vec<Bool> {
        let variables: Vec<(Op, Dynamic)> =
            self.states[at + 1].0.iter().map(|(op, term)| (op.clone(), term.clone())).collect();
        let mut equal = Vec::new();
        for (op, term) in variables {
            let new = values.iter().find(|(variable, _)| *variable == op);
            let new = new.map_or_else(|| Expr(vec![op]), |(_, value)| value.clone());
            equal.push(term.eq(self.term(&new, at, Some(edge))));
        }
        equal
    }

    /// A failing execution of the present length.
    fn failing(&mut self) -> Option<Failing> {
        let at = self.states.len() - 1;
        let pair = self.pair;
        if at == 0 {
            let wrong = self.wrong_start()?;
            if let Some(found) = self.found(&wrong, Kind::Start) {
                return Some(found);
            }
        }
        let none = self.all(&pair.no_candidate(&Budget::default()).ok()?, at, None);
        if let Some(found) = self.found(&none, Kind::Unmatched) {
            return Some(found);
        }
        for (i, edge) in pair.concrete.edges.iter().enumerate() {
            if self.places.contains(&edge.source) && !self.places.contains(&edge.target) {
                let here = self.states[at].1.eq(Int::from_u64(edge.source.into()));
                let wrong =
                    self.all(&pair.wrong_alone(edge, &Budget::default()).ok()?, at, Some(i));
                if let Some(found) = self.found(&Bool::and(&[here, wrong]), Kind::Wrong(i)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// The execution that ends like this, if there is one.
    fn found(&mut self, end: &Bool, kind: Kind) -> Option<Failing> {
        self.solver.push();
        self.solver.assert(end);
        let model = match self.solver.check() {
            SatResult::Sat => self.solver.get_model(),
            SatResult::Unsat => None,
            SatResult::Unknown => {
                self.lost = true;
                None
            }
        };
        self.solver.pop(1);
        let model = model?;
        let reader = Reader::new(&model, &self.indices)?;
        let mut steps = Vec::new();
        for (at, edge) in self.edges.iter().enumerate() {
            let edge = usize::try_from(integer(&model, edge)?).ok()?;
            let before = self.read(&model, &reader, at)?;
            let after = self.after(&model, at, edge)?;
            steps.push(Step { before, edge, after });
        }
        let end = self.read(&model, &reader, self.edges.len())?;
        Some(Failing { steps, end, kind })
    }

    fn read(&self, model: &Model, reader: &Reader, at: usize) -> Option<State> {
        let (terms, location) = &self.states[at];
        let globals = (0..).zip(&self.pair.shared);
        let global = |(i, v): (u32, &threadproof_format::program::Variable)| {
            reader.value(&constant(&Op::Global(i), at, v.sort), v.sort)
        };
        let locals = (0..).zip(&self.pair.concrete.locals);
        let local = |(i, v): (u32, &threadproof_format::program::Variable)| {
            reader.value(&terms[&Op::Local(0, i)], v.sort)
        };
        let mut candidates = Vec::new();
        for x in locations(&self.pair.abstraction, &Budget::default()).ok()? {
            let is = reader.value(&terms[&Op::Local(CANDIDATES, x)], Sort::Bool)?;
            if is == Value::Bool(true) {
                candidates.push(x);
            }
        }
        Some(State {
            location: u32::try_from(integer(model, location)?).ok()?,
            globals: globals.map(global).collect::<Option<_>>()?,
            locals: locals.map(local).collect::<Option<_>>()?,
            candidates,
        })
    }

    /// The globals after a step.
    fn after(&self, model: &Model, at: usize, edge: usize) -> Option<Vec<Value>> {
        let taken = &self.pair.concrete.edges[edge];
        let mut indices = self.indices.clone();
        let mut values = Vec::new();
        for (i, variable) in (0..).zip(&self.pair.shared) {
            let op = Op::Global(i);
            let new = taken.updates.iter().find(|(v, _)| *v == op);
            let new = new.map_or_else(|| Expr(vec![op]), |(_, value)| value.clone());
            let term = self.term_at(&new, at, Some(edge), &mut indices);
            values.push(Reader::new(model, &indices)?.value(&term, variable.sort)?);
        }
        Some(values)
    }
}

/// The constant of a variable before a step.
fn constant(op: &Op, at: usize, sort: Sort) -> Dynamic {
    encode::constant(&format!("{op:?}.{at}"), sort)
}

fn integer(model: &Model, term: &Int) -> Option<i64> {
    model.eval(term, true)?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use threadproof_checker::internals::core_form;

    /// Whether another thread has to act before the thread can go wrong: the program starts with
    /// `freed` false.
    #[test]
    fn others_may_act_before_the_first_step() {
        let program = |abstraction: bool| {
            let guard = if abstraction { "freed && !known" } else { "freed" };
            let text = format!(
                "core 1; global known: bool; global freed: bool; init !known && !freed;
                 many t {{ location a; location bad error; edge a -> bad {{ when {guard}; }} edge a -> a {{ }} }}"
            );
            core_form::parse(&text).unwrap().0
        };
        let (concrete, abstraction) = (program(false), program(true));
        let pair = Pair::new((&concrete, 0), (&abstraction, 0), &Budget::default()).unwrap();
        let found =
            shortest(&pair, &vec![]).expect("it goes wrong where its abstract thread does not");
        assert_eq!((found.kind, found.steps.len()), (Kind::Wrong(0), 0));
        assert_eq!(found.end.globals, [Value::Bool(true), Value::Bool(true)]);
    }
}

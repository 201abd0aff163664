//! The inductive invariant of a path program that excludes its last step, as the solution of linear
//! Horn clauses with a relation for each place.

use super::super::convert::{self, Item};
use super::super::facts::{Facts, index, number};
use super::super::formula::Formula;
use super::super::linear::Var;
use super::super::predicates::Thread;
use super::super::trace::{Trace, acting};
use super::program::{PathProgram, Position};
use crate::solve::fixedpoint::{Answer, Clauses};
use crate::solve::{decode, encode};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::{Expr, Op};
use z3::FuncDecl;
use z3::ast::{Ast, Bool, Dynamic};

/// What z3 may do for one path program, in its own unit.
const WORK: u32 = 4_000_000;

/// What holds at each place: formulas over globals and the locals of its threads, by position.
pub type Invariant = Vec<Vec<Formula>>;

/// The invariant of a trace's path program; `None` if there is none, or none was found that the logic can
/// say. `given` holds at every place.
pub fn solve(
    facts: &Facts,
    trace: &Trace,
    program: &PathProgram,
    given: &[Expr],
) -> Option<Invariant> {
    let mut system = System {
        facts,
        trace,
        program,
        given,
        clauses: Clauses::new(WORK),
        relations: Vec::new(),
    };
    system.declare();
    system.start();
    let mut seen = BTreeSet::new();
    for step in 0..program.positions.len() {
        if seen.insert(system.edge(step)) {
            system.step(step);
        }
    }
    match system.clauses.solve() {
        Answer::Solved => system.values(),
        Answer::Derived | Answer::Unknown(_) => None,
    }
}

struct System<'s, 'a> {
    facts: &'s Facts<'a>,
    trace: &'s Trace<'a>,
    program: &'s PathProgram,
    given: &'s [Expr],
    clauses: Clauses,
    /// The relation of each place.
    relations: Vec<FuncDecl>,
}

/// What a step does in the path program: two steps with the same are one.
type Edge = (usize, usize, Option<usize>, Option<(usize, Vec<Option<usize>>)>);

/// The values of the variables in one clause.
#[derive(Clone, Default)]
struct State(BTreeMap<Var, Dynamic>);

impl System<'_, '_> {
    fn declare(&mut self) {
        for place in 0..self.program.places {
            let position = self.position(place);
            let sort = |var: &Var| encode::z3_sort(self.facts.sort(&self.trace.threads, *var));
            let sorts: Vec<z3::Sort> = self.arguments(position).iter().map(sort).collect();
            let relation = self.clauses.relation(&format!("place{place}"), &sorts);
            self.relations.push(relation);
        }
    }

    /// A position at a place; all of them have the same arguments up to threads' numbers.
    fn position(&self, place: usize) -> &Position {
        let mut positions = self.program.positions.iter();
        positions.find(|p| p.place == place).expect("a place of the trace")
    }

    /// Globals and the locals of a position's threads.
    fn arguments(&self, position: &Position) -> Vec<Var> {
        let mut all: Vec<Var> = (0..number(self.facts.program.globals.len())).map(Var::Global).collect();
        position.threads.iter().for_each(|thread| all.extend(self.locals(*thread)));
        all
    }

    fn locals(&self, thread: Thread) -> impl Iterator<Item = Var> + use<> {
        let template = self.trace.threads[usize::from(thread)];
        let locals = self.facts.program.templates[index(template)].locals.len();
        (0..number(locals)).map(move |i| Var::Local(u32::from(thread), i))
    }

    /// Any values of a position's arguments and a further thread's locals.
    fn state(&self, position: &Position, further: Option<Thread>) -> State {
        let mut vars = self.arguments(position);
        vars.extend(further.into_iter().flat_map(|thread| self.locals(thread)));
        let value = |var: Var| {
            let sort = self.facts.sort(&self.trace.threads, var);
            (var, encode::constant(&format!("{var:?}"), sort))
        };
        State(vars.into_iter().map(value).collect())
    }

    fn apply(&self, position: &Position, state: &State) -> Bool {
        let arguments = self.arguments(position);
        let terms: Vec<&dyn Ast> = arguments.iter().map(|v| &state.0[v] as &dyn Ast).collect();
        let relation = &self.relations[position.place];
        relation.apply(&terms).as_bool().expect("a relation is a formula")
    }

    fn start(&self) {
        let position = &self.program.positions[0];
        let state = self.state(position, None);
        let mut body: Vec<Bool> =
            self.facts.init.iter().map(|f| state.formula(&f.expr(), 0, &[])).collect();
        for thread in &position.threads {
            let template = self.trace.threads[usize::from(*thread)];
            let init = self.facts.thread_init[index(template)].iter();
            body.extend(init.map(|f| state.formula(&f.expr(), usize::from(*thread), &[])));
        }
        let variables: Vec<Dynamic> = state.0.values().cloned().collect();
        self.clauses.add(&variables, &body, Some(&self.apply(position, &state)));
    }

    /// The clause of a step; the last one leads to the goal.
    fn step(&self, step: usize) {
        let (command, actor) = self.trace.steps[step];
        let command = &self.facts.commands[command];
        let position = &self.program.positions[step];
        let fresh = self.fresh(step);
        let state = self.state(position, fresh);
        let mut variables: Vec<Dynamic> = state.0.values().cloned().collect();
        let input = |(i, sort): (usize, &_)| encode::constant(&format!("input{i}"), *sort);
        let inputs: Vec<Dynamic> = command.inputs.iter().enumerate().map(input).collect();
        variables.extend(inputs.iter().cloned());
        let actor = usize::from(actor);
        let mut body = vec![self.apply(position, &state)];
        if let Some(thread) = fresh {
            let template = self.trace.threads[usize::from(thread)];
            let init = own_init(self.facts, template);
            body.extend(init.map(|f| state.formula(&f.expr(), actor, &[])));
        }
        body.extend(self.given.iter().map(|f| state.formula(f, 0, &[])));
        let located = self.trace.located(step);
        body.extend(located.iter().map(|f| state.formula(&f.expr(), 0, &[])));
        body.extend(command.guard.iter().map(|f| state.formula(&f.expr(), actor, &inputs)));
        let mut after = state.clone();
        for (var, value) in &command.updates {
            after.0.insert(acting(*var, actor), state.term(value, actor, &inputs));
        }
        let head = self.program.positions.get(step + 1).map(|next| self.apply(next, &after));
        self.clauses.add(&variables, &body, head.as_ref());
    }

    /// The acting thread, if the place before the step does not know it.
    fn fresh(&self, step: usize) -> Option<Thread> {
        let (command, actor) = self.trace.steps[step];
        let many = self.facts.many[self.facts.commands[command].template];
        (many && !self.program.positions[step].threads.contains(&actor)).then_some(actor)
    }

    fn edge(&self, step: usize) -> Edge {
        let (command, actor) = self.trace.steps[step];
        let source = &self.program.positions[step];
        let at = |thread: &Thread| source.threads.iter().position(|t| t == thread);
        let target = self.program.positions.get(step + 1);
        let target = target.map(|p| (p.place, p.threads.iter().map(at).collect()));
        (source.place, command, at(&actor), target)
    }

    /// After a solution was found: what it says.
    fn values(&self) -> Option<Invariant> {
        (0..self.program.places).map(|place| self.value(place)).collect()
    }

    fn value(&self, place: usize) -> Option<Vec<Formula>> {
        let Some(value) = self.clauses.value(&self.relations[place]) else {
            // Nothing depends on it.
            return Some(Vec::new());
        };
        let position = self.position(place);
        let arguments = self.arguments(position).into_iter();
        let sorts: Vec<_> = arguments.map(|v| (v, self.facts.sort(&self.trace.threads, v))).collect();
        let slot = |thread: u32| position.threads.iter().position(|t| u32::from(*t) == thread);
        let own = |var: Var| match var {
            Var::Local(t, i) => Var::Local(number(slot(t).expect("a thread of the place")), i),
            other => other,
        };
        let ops: Vec<Op> = sorts.iter().map(|(var, _)| own(*var).op()).collect();
        let sorts: BTreeMap<Var, _> = sorts.iter().map(|(v, sort)| (own(*v), *sort)).collect();
        let formula = decode::formula(&value, &ops).ok()?;
        Some(convert::formula(&formula, &|v| Item::variable(v, sorts[&v])).conjuncts())
    }
}

impl State {
    fn term(&self, expr: &Expr, actor: usize, inputs: &[Dynamic]) -> Dynamic {
        let mut leaf = |op: &Op| match op {
            Op::Input(i) => inputs[index(*i)].clone(),
            op => self.0[&acting(Var::of(op).expect("a variable"), actor)].clone(),
        };
        encode::encode(expr, &mut leaf, &mut Vec::new())
    }

    fn formula(&self, formula: &Expr, actor: usize, inputs: &[Dynamic]) -> Bool {
        self.term(formula, actor, inputs).as_bool().expect("a formula")
    }
}

/// What holds of a thread's locals until it acts, whatever the globals are by then; the thread is
/// number 0.
pub fn own_init<'a>(facts: &'a Facts, template: u32) -> impl Iterator<Item = &'a Formula> {
    facts.thread_init[index(template)].iter().filter(|formula| {
        let mut own = true;
        formula.variables(&mut |v| own &= matches!(v, Var::Local(..)));
        own
    })
}

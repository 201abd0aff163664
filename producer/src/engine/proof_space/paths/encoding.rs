//! The steps of a path program as z3 formulas.

use super::program::{PathProgram, Position};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::model::{Facts, acting, index, number};
use crate::logic::predicates::Thread;
use crate::solve::encode;
use crate::trace::Trace;
use std::collections::BTreeMap;
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{Bool, Dynamic};

/// A path program with the trace that it was made from.
pub struct Encoding<'s, 'a> {
    /// The program.
    pub facts: &'s Facts<'a>,
    /// The trace.
    pub trace: &'s Trace<'a>,
    /// Its path program.
    pub program: &'s PathProgram,
}

/// The values of the variables of a clause.
#[derive(Clone)]
pub struct State(BTreeMap<Var, Dynamic>);

/// A step as a relation of states.
pub struct Step {
    /// The state before.
    pub before: State,
    /// The state after.
    pub after: State,
    /// What holds of them.
    pub body: Vec<Bool>,
    /// All variables of the step.
    pub variables: Vec<Dynamic>,
}

/// What a step does in the path program: place, command, actor, and the next place with its
/// threads.
type Edge = (usize, usize, Option<usize>, Option<(usize, Vec<Option<usize>>)>);

impl Step {
    /// Any value for a variable after the step.
    fn havoc(&mut self, var: Var, sort: Sort) {
        let any = encode::constant(&format!("any {var:?}"), sort);
        self.variables.push(any.clone());
        self.after.0.insert(var, any);
    }
}

impl Encoding<'_, '_> {
    /// A position at a place; all of them have the same arguments up to threads' numbers.
    pub fn position(&self, place: usize) -> &Position {
        let mut positions = self.program.positions.iter();
        positions.find(|p| p.place == place).expect("a place of the trace")
    }

    /// The variables of a position: globals and the locals of its threads.
    pub fn arguments(&self, position: &Position) -> Vec<Var> {
        let globals = number(self.facts.program.globals.len());
        let mut all: Vec<Var> = (0..globals).map(Var::Global).collect();
        position.threads.iter().for_each(|thread| all.extend(self.locals(*thread)));
        all
    }

    /// The variables of a place, with the threads' positions in it for their numbers.
    pub fn slots(&self, place: usize) -> Vec<(Var, Sort)> {
        let position = self.position(place);
        let slot = |t: u32| position.threads.iter().position(|u| u32::from(*u) == t);
        let own = |var: Var| match var {
            Var::Local(t, i) => Var::Local(number(slot(t).expect("a thread of the place")), i),
            other => other,
        };
        let arguments = self.arguments(position).into_iter();
        arguments.map(|var| (own(var), self.sort(var))).collect()
    }

    /// The sort of a variable of the trace's threads.
    pub fn sort(&self, var: Var) -> Sort {
        self.facts.sort(&self.trace.threads, var)
    }

    fn locals(&self, thread: Thread) -> impl Iterator<Item = Var> + use<> {
        let template = self.trace.threads[usize::from(thread)];
        let locals = self.facts.program.templates[index(template)].locals.len();
        (0..number(locals)).map(move |i| Var::Local(u32::from(thread), i))
    }

    /// Any values of a position's variables and a further thread's locals.
    fn state(&self, position: &Position, further: Option<Thread>) -> State {
        let mut vars = self.arguments(position);
        vars.extend(further.into_iter().flat_map(|thread| self.locals(thread)));
        let value = |var: Var| (var, encode::constant(&format!("{var:?}"), self.sort(var)));
        State(vars.into_iter().map(value).collect())
    }

    /// The initial states, as far as the trace's initial condition is on and about variables of the
    /// place.
    pub fn start(&self) -> (State, Vec<Bool>) {
        let position = &self.program.positions[0];
        let state = self.state(position, None);
        let known = |formula: &Formula| {
            let mut known = true;
            formula.variables(&mut |v| known &= state.0.contains_key(&v));
            known
        };
        let on = self.trace.initial_condition().into_iter().filter(known);
        let body = on.map(|f| state.formula(&f.expr(), 0, &[])).collect();
        (state, body)
    }

    /// The steps, counted from 0, those that do the same together.
    pub fn edges(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<Edge, Vec<usize>> = BTreeMap::new();
        for step in 0..self.program.positions.len() {
            groups.entry(self.edge(step)).or_default().push(step);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_unstable();
        groups
    }

    fn edge(&self, step: usize) -> Edge {
        let (command, actor) = self.trace.steps[step];
        let source = &self.program.positions[step];
        let at = |thread: &Thread| source.threads.iter().position(|t| t == thread);
        let target = self.program.positions.get(step + 1);
        let target = target.map(|p| (p.place, p.threads.iter().map(at).collect()));
        (source.place, command, at(&actor), target)
    }

    /// What steps that do the same do: every piece that is on in one of them.
    pub fn step(&self, same: &[usize]) -> Step {
        let step = same[0];
        let (command, actor) = self.trace.steps[step];
        let command = &self.facts.commands[command];
        let actor = usize::from(actor);
        let before = self.state(&self.program.positions[step], self.fresh(step));
        let mut variables = before.values();
        let input = |(i, sort): (usize, &_)| encode::constant(&format!("input{i}"), *sort);
        let inputs: Vec<Dynamic> = command.inputs.iter().enumerate().map(input).collect();
        variables.extend(inputs.iter().cloned());
        let mut body = self.starting(step, &before);
        let on = |piece: usize| same.iter().any(|step| self.trace.is_on(step + 1, piece));
        let guard = command.guard.iter().enumerate().filter(|(piece, _)| on(*piece));
        body.extend(guard.map(|(_, f)| before.formula(&f.expr(), actor, &inputs)));
        let mut out = Step { after: before.clone(), before, body, variables };
        for (piece, (var, value)) in (command.guard.len()..).zip(&command.updates) {
            let var = acting(*var, actor);
            if on(piece) {
                out.after.0.insert(var, out.before.term(value, actor, &inputs));
            } else {
                out.havoc(var, self.sort(var));
            }
        }
        out
    }

    /// How the acting thread starts, if it has not before a step.
    fn starting(&self, step: usize, before: &State) -> Vec<Bool> {
        let Some(thread) = self.fresh(step) else { return Vec::new() };
        let init = own_init(self.facts, self.trace.threads[usize::from(thread)]);
        init.map(|f| before.formula(&f.expr(), usize::from(thread), &[])).collect()
    }

    /// The acting thread, if the place before the step does not know it.
    fn fresh(&self, step: usize) -> Option<Thread> {
        let (command, actor) = self.trace.steps[step];
        let many = self.facts.many[self.facts.commands[command].template];
        (many && !self.program.positions[step].threads.contains(&actor)).then_some(actor)
    }
}

impl State {
    /// A variable's value.
    pub fn value(&self, var: Var) -> &Dynamic {
        &self.0[&var]
    }

    /// All values.
    pub fn values(&self) -> Vec<Dynamic> {
        self.0.values().cloned().collect()
    }

    fn term(&self, expr: &Expr, actor: usize, inputs: &[Dynamic]) -> Dynamic {
        let mut leaf = |op: &Op| match op {
            Op::Input(i) => inputs[index(*i)].clone(),
            op => self.0[&acting(Var::of(op).expect("a variable"), actor)].clone(),
        };
        encode::encode(expr, &mut leaf, &mut Vec::new())
    }

    /// A formula in this state; `actor` stands for thread 0.
    pub fn formula(&self, formula: &Expr, actor: usize, inputs: &[Dynamic]) -> Bool {
        self.term(formula, actor, inputs).as_bool().expect("a formula")
    }
}

/// A place's formula about the threads of one of its positions.
pub fn at(position: &Position, formula: &Formula) -> Formula {
    formula.rename(&mut |var| position.variable(var))
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

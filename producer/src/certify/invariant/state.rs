//! Counterexamples to induction: states with the values that matter, out of z3's models.

use super::query::Query;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::counters;
use threadproof_checker::internals::proof_space::automaton::Step;
use threadproof_checker::internals::scope::Scope;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::Slot;
use threadproof_format::{Expr, Op, Sort};
use z3::Model;

/// What an invariant does not survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// A state that satisfies the invariant, as far as it is about the threads shown; or an initial
    /// one.
    pub before: State,
    /// The step and the state after it; `None` if the initial state itself breaks a clause.
    pub step: Option<(Taken, State)>,
    /// What is broken.
    pub broken: Broken,
}

/// What a state breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A clause, by number, and the thread of the state that each quantified thread is.
    Clause(usize, Vec<usize>),
    /// A thread is at an error location: template and location.
    Error(u32, u32),
}

/// Threads and the values that matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// Globals, by number.
    pub globals: BTreeMap<u32, Value>,
    /// Threads; there may be others.
    pub threads: Vec<Thread>,
    /// Counters of templates with many threads, by template and location.
    pub counters: BTreeMap<(u32, u32), Value>,
}

/// A thread of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Template.
    pub template: u32,
    /// Location, if it matters.
    pub location: Option<u32>,
    /// Locals, by number.
    pub locals: BTreeMap<u32, Value>,
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The acting thread of the state.
    pub thread: usize,
    /// The acting thread's template.
    pub template: u32,
    /// The edge.
    pub edge: u32,
    /// Values of the inputs.
    pub inputs: Vec<Value>,
}

/// A model as states.
pub struct Shown<'a> {
    /// The program.
    pub program: &'a Program,
    /// The threads.
    pub slots: Vec<Slot>,
    /// The position of each thread in formulas; `None` for single templates.
    pub numbers: Vec<Option<u32>>,
    /// The template of each position.
    pub templates: Vec<Option<u32>>,
    /// Which variables and counters occur.
    pub symbols: BTreeSet<Op>,
}

impl Shown<'_> {
    fn scope<'s>(&'s self, edge: Option<&'s Edge>) -> Scope<'s> {
        let threads = self.templates.clone();
        Scope { program: self.program, threads, inputs: edge.map(|edge| &edge.inputs) }
    }

    /// The state of a model.
    pub fn state(&self, query: &mut Query, model: &Model) -> Option<State> {
        self.after(query, model, &[], None)
    }

    /// A step from the state of a model, whose acting thread is among those here.
    ///
    /// # Errors
    /// If there is no such edge.
    pub fn step(
        mut self,
        query: &mut Query,
        model: &Model,
        (step, edge): (&Step, &Edge),
    ) -> Result<Option<(State, Taken, State)>, Reason> {
        let mut updates = edge.updates.clone();
        let written = updates.iter().map(|(op, _)| op);
        let read = updates.iter().flat_map(|(_, e)| &e.0).filter(|op| op.is_symbol());
        self.symbols.extend(written.chain(read).cloned());
        updates.extend(counters::updates(self.program, step.template, edge, &Budget::default())?);
        let inputs: Vec<(Expr, Sort)> =
            (0..).zip(&edge.inputs).map(|(i, v)| (Expr(vec![Op::Input(i)]), v.sort)).collect();
        let scope = self.scope(Some(edge));
        let inputs = query
            .values(model, &inputs, &|op| scope.sort(op, &Budget::default()).unwrap_or(Sort::Int));
        let before = self.after(query, model, &[], Some(edge));
        let thread = usize::try_from(step.actor).unwrap_or(usize::MAX);
        if let Some(slot) = self.slots.get_mut(thread) {
            slot.1 = Some(edge.target);
        }
        let after = self.after(query, model, &updates, Some(edge));
        let (template, number) = (step.template, step.edge);
        Ok(before.zip(inputs).zip(after).map(|((before, inputs), after)| {
            (before, Taken { thread, template, edge: number, inputs }, after)
        }))
    }

    /// The state of a model after updates.
    fn after(
        &self,
        query: &mut Query,
        model: &Model,
        updates: &[(Op, Expr)],
        edge: Option<&Edge>,
    ) -> Option<State> {
        let scope = self.scope(edge);
        let sort = |op: &Op| scope.sort(op, &Budget::default()).unwrap_or(Sort::Int);
        let symbols: Vec<&Op> =
            self.symbols.iter().filter(|op| !matches!(op, Op::Input(_))).collect();
        let value = |op: &&Op| {
            let update = updates.iter().find(|(updated, _)| updated == *op);
            (update.map_or_else(|| Expr(vec![(*op).clone()]), |(_, e)| e.clone()), sort(op))
        };
        let exprs: Vec<(Expr, Sort)> = symbols.iter().map(value).collect();
        let values = query.values(model, &exprs, &sort)?;
        let thread =
            |slot: &Slot| Thread { template: slot.0, location: slot.1, locals: BTreeMap::new() };
        let mut threads: Vec<Thread> = self.slots.iter().map(thread).collect();
        let mut state = State::default();
        for (symbol, value) in symbols.into_iter().zip(values) {
            match symbol {
                Op::Global(g) => drop(state.globals.insert(*g, value)),
                Op::Count(of, location) => drop(state.counters.insert((*of, *location), value)),
                Op::Local(position, i) => {
                    let at = self.numbers.iter().position(|number| *number == Some(*position))?;
                    threads.get_mut(at)?.locals.insert(*i, value);
                }
                _ => {}
            }
        }
        state.threads = threads;
        self.place_singles(&mut state);
        Some(state)
    }

    /// The counters of a single template tell where its thread is.
    fn place_singles(&self, state: &mut State) {
        let one = Value::Int(threadproof_format::Int(1.into()));
        for (of, template) in (0..).zip(&self.program.templates) {
            if template.is_many() {
                continue;
            }
            let here = state.counters.iter().find(|((t, _), count)| *t == of && **count == one);
            let location = here.map(|((_, location), _)| *location);
            state.counters.retain(|(t, _), _| *t != of);
            let shown = state.threads.iter().any(|thread| thread.template == of);
            if location.is_some() && !shown {
                state.threads.push(Thread { template: of, location, locals: BTreeMap::new() });
            }
        }
    }
}

//! Counterexamples to induction: states with the values that matter, out of z3's models.

use super::query::Query;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::counters;
use threadproof_checker::error::Reason;
use threadproof_checker::scope::Scope;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::Slot;
use threadproof_format::{Expr, Op, Sort};
use z3::Model;

/// What an invariant does not survive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    /// A state that satisfies the invariant, as far as it is about the threads shown; or an initial one.
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
    /// The template and location of each position, `None` where there is no thread.
    pub threads: Vec<Option<Slot>>,
    /// Which variables and counters occur.
    pub symbols: BTreeSet<Op>,
}

impl Shown<'_> {
    fn scope<'s>(&'s self, edge: Option<&'s Edge>) -> Scope<'s> {
        let threads = self.threads.iter().map(|slot| slot.map(|s| s.0)).collect();
        Scope { program: self.program, threads, inputs: edge.map_or(&[], |edge| &edge.inputs) }
    }

    /// The state of a model.
    pub fn state(&self, query: &mut Query, model: &Model) -> Option<State> {
        self.after(query, model, &[], None)
    }

    /// A step from the state of a model: of the thread at position 0, or of a single template's.
    ///
    /// # Errors
    /// If there is no such edge.
    pub fn step(
        mut self,
        query: &mut Query,
        model: &Model,
        (template, number, edge): (u32, u32, &Edge),
    ) -> Result<Option<(State, Taken, State)>, Reason> {
        let mut updates = edge.updates.clone();
        updates.extend(counters::updates(self.program, template, edge)?);
        let mentioned = updates.iter().filter(|(op, _)| !matches!(op, Op::Count(..)));
        self.symbols.extend(mentioned.map(|(op, _)| op.clone()));
        if self.threads.first() == Some(&None) {
            // A single template's thread has no position of its own.
            self.threads.push(Some(Slot(template, Some(edge.source))));
        }
        let acting = self.threads.iter().position(|s| s.is_some_and(|s| s.0 == template));
        let many = self.threads.first().is_some_and(Option::is_some);
        let acting = if many { Some(0) } else { acting };
        let inputs: Vec<(Expr, Sort)> =
            (0..).zip(&edge.inputs).map(|(i, v)| (Expr(vec![Op::Input(i)]), v.sort)).collect();
        let scope = self.scope(Some(edge));
        let sort = |op: &Op| scope.sort(op).unwrap_or(Sort::Int);
        let inputs = query.values(model, &inputs, &sort);
        let before = self.after(query, model, &[], Some(edge));
        let mut moved =
            Shown { threads: self.threads.clone(), symbols: self.symbols.clone(), ..self };
        if let Some(Some(slot)) = acting.and_then(|at| moved.threads.get_mut(at)) {
            slot.1 = Some(edge.target);
        }
        let after = moved.after(query, model, &updates, Some(edge));
        let shift = usize::from(!many);
        Ok((|| {
            let thread = acting? - shift;
            Some((before?, Taken { thread, template, edge: number, inputs: inputs? }, after?))
        })())
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
        let sort = |op: &Op| scope.sort(op).unwrap_or(Sort::Int);
        let symbols: Vec<&Op> =
            self.symbols.iter().filter(|op| !matches!(op, Op::Input(_))).collect();
        let value = |op: &&Op| {
            let update = updates.iter().find(|(updated, _)| updated == *op);
            (update.map_or_else(|| Expr(vec![(*op).clone()]), |(_, e)| e.clone()), sort(op))
        };
        let exprs: Vec<(Expr, Sort)> = symbols.iter().map(value).collect();
        let values = query.values(model, &exprs, &sort)?;
        let thread = |slot: &Option<Slot>| {
            let Slot(template, location) = (*slot)?;
            Some(Thread { template, location, locals: BTreeMap::new() })
        };
        let mut threads: Vec<Option<Thread>> = self.threads.iter().map(thread).collect();
        let mut state = State::default();
        for (symbol, value) in symbols.into_iter().zip(values) {
            match symbol {
                Op::Global(g) => drop(state.globals.insert(*g, value)),
                Op::Count(of, location) => drop(state.counters.insert((*of, *location), value)),
                Op::Local(position, i) => {
                    let at = usize::try_from(*position).ok()?;
                    threads.get_mut(at)?.as_mut()?.locals.insert(*i, value);
                }
                _ => {}
            }
        }
        state.threads = threads.into_iter().flatten().collect();
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

//! States of a few threads as z3 terms: what the relations of the Horn clauses are about.

pub(super) use crate::logic::model::index;
use crate::solve::encode;
use std::collections::BTreeSet;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::counters::{self, Place};
use threadproof_format::program::{Edge, Program};
use threadproof_format::{Expr, Op, Sort};
use z3::ast::{Bool, Dynamic, Int};

/// Where threads are: the location of each single template, and the places of some threads of
/// templates of many, ascending.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Places {
    /// Of the single templates, in order.
    pub singles: Vec<Place>,
    /// Of different threads.
    pub threads: Vec<Place>,
}

/// The numbers of a list's elements.
pub fn numbers<T>(list: &[T]) -> std::ops::Range<u32> {
    0..u32::try_from(list.len()).expect("no more than 2^32 things")
}

/// What a state consists of.
pub struct Shape<'a> {
    /// The program.
    pub program: &'a Program,
    /// The counters of templates of many that states have; those of single templates follow from
    /// their locations.
    pub counters: Vec<Place>,
    /// Formulas over globals and counters that are known to hold of every state.
    pub known: Vec<Expr>,
}

/// Values of globals and counters, and where the single templates' threads are.
#[derive(Clone)]
pub struct State {
    globals: Vec<Dynamic>,
    counters: Vec<Dynamic>,
    /// The location of each single template.
    pub singles: Vec<Place>,
}

/// A thread: where it is, and its locals.
#[derive(Clone)]
pub struct Thread {
    /// Template and location.
    pub place: Place,
    /// Values of its locals.
    pub locals: Vec<Dynamic>,
}

/// The variables of one clause.
#[derive(Default)]
pub struct Variables(pub Vec<Dynamic>);

impl Variables {
    fn new_variable(&mut self, sort: Sort) -> Dynamic {
        let variable = encode::constant(&format!("v{}", self.0.len()), sort);
        self.0.push(variable.clone());
        variable
    }
}

impl<'a> Shape<'a> {
    /// The states of a program, with all counters or with those that are mentioned.
    pub fn new(program: &'a Program, all_counters: bool, known: Vec<Expr>) -> Self {
        let many = |t: u32| program.templates[index(t)].is_many();
        let mut places: BTreeSet<Place> = mentioned(program, &known);
        places.retain(|(t, _)| many(*t));
        if all_counters {
            for t in numbers(&program.templates).filter(|t| many(*t)) {
                let template = &program.templates[index(t)];
                let all = numbers(&template.locations);
                places.extend(all.filter(|l| template.counts(*l)).map(|l| (t, l)));
            }
        }
        Shape { program, counters: places.into_iter().collect(), known }
    }

    /// The sorts of a relation's arguments, and what they are; thread i's locals are those of
    /// position i.
    pub fn arguments(&self, threads: &[Place]) -> Vec<(Op, Sort)> {
        let globals = numbers(&self.program.globals).zip(&self.program.globals);
        let mut list: Vec<_> = globals.map(|(i, g)| (Op::Global(i), g.sort)).collect();
        list.extend(self.counters.iter().map(|(t, l)| (Op::Count(*t, *l), Sort::Int)));
        for (p, (t, _)) in numbers(threads).zip(threads) {
            let locals = &self.program.templates[index(*t)].locals;
            list.extend(numbers(locals).zip(locals).map(|(i, l)| (Op::Local(p, i), l.sort)));
        }
        list
    }

    /// Any state.
    pub fn state(&self, singles: &[Place], variables: &mut Variables) -> State {
        let globals = self.program.globals.iter().map(|g| variables.new_variable(g.sort));
        let globals = globals.collect();
        let counters = self.counters.iter().map(|_| variables.new_variable(Sort::Int)).collect();
        State { globals, counters, singles: singles.to_vec() }
    }

    /// A state in which nothing is counted yet.
    pub fn initial(&self, singles: &[Place], variables: &mut Variables) -> State {
        let mut state = self.state(singles, variables);
        state.counters = self.counters.iter().map(|_| Int::from_i64(0).into()).collect();
        state
    }

    /// Any thread at a place.
    pub fn thread(&self, place: Place, variables: &mut Variables) -> Thread {
        let locals = &self.program.templates[index(place.0)].locals;
        Thread { place, locals: locals.iter().map(|l| variables.new_variable(l.sort)).collect() }
    }

    /// A formula as a term; `actor` has the locals of position 0.
    pub fn formula(&self, formula: &Expr, state: &State, actor: Option<&Thread>) -> Bool {
        encode::formula(formula, &mut |op| self.value(op, state, actor, &[]))
    }

    fn value(&self, op: &Op, state: &State, actor: Option<&Thread>, inputs: &[Dynamic]) -> Dynamic {
        match op {
            Op::Global(i) => state.globals[index(*i)].clone(),
            Op::Local(_, i) => actor.expect("a thread that acts").locals[index(*i)].clone(),
            Op::Input(i) => inputs[index(*i)].clone(),
            Op::Count(t, l) => self.count((*t, *l), state),
            _ => unreachable!("only variables have values of their own"),
        }
    }

    fn count(&self, place: Place, state: &State) -> Dynamic {
        match self.counters.binary_search(&place) {
            Ok(i) => state.counters[i].clone(),
            Err(_) => Int::from_i64(i64::from(state.singles.contains(&place))).into(),
        }
    }

    /// What is known of a state with these threads: the checker's facts about counters, and what
    /// the caller knows.
    pub fn facts(&self, state: &State, threads: &[&Thread]) -> Vec<Bool> {
        let counters: Vec<Expr> =
            self.counters.iter().map(|(t, l)| Expr(vec![Op::Count(*t, *l)])).collect();
        let places: Vec<Place> = threads.iter().map(|t| t.place).collect();
        let facts = counters::facts(self.program, &counters, &places, &Budget::default());
        let facts = facts.expect("counters of the program");
        facts.iter().chain(&self.known).map(|f| self.formula(f, state, None)).collect()
    }

    /// The guard of an edge, and the state and the acting thread of a template of many after it.
    pub fn step(
        &self,
        (template, edge): (u32, &Edge),
        state: &State,
        actor: Option<&Thread>,
        variables: &mut Variables,
    ) -> (Bool, State, Option<Thread>) {
        let inputs: Vec<Dynamic> =
            edge.inputs.iter().map(|i| variables.new_variable(i.sort)).collect();
        let mut leaf = |op: &Op| self.value(op, state, actor, &inputs);
        let (mut after, mut acted) = (state.clone(), actor.cloned());
        let counted = counters::updates(self.program, template, edge, &Budget::default())
            .expect("a program's edge");
        for (variable, value) in edge.updates.iter().chain(&counted) {
            let value = encode::encode(value, &mut leaf, &mut Vec::new());
            match (variable, &mut acted) {
                (Op::Global(i), _) => after.globals[index(*i)] = value,
                (Op::Local(_, i), Some(thread)) => thread.locals[index(*i)] = value,
                (Op::Count(t, l), _) => {
                    if let Ok(i) = self.counters.binary_search(&(*t, *l)) {
                        after.counters[i] = value;
                    }
                }
                _ => unreachable!("a single template has no locals of its own"),
            }
        }
        let guard = encode::formula(&edge.guard, &mut leaf);
        if let Some(thread) = &mut acted {
            thread.place.1 = edge.target;
        } else if let Some(single) = after.singles.iter_mut().find(|(t, _)| *t == template) {
            single.1 = edge.target;
        }
        (guard, after, acted)
    }

    /// Whether others see that a thread has taken an edge.
    pub fn is_seen(&self, template: u32, edge: &Edge) -> bool {
        let counted = counters::updates(self.program, template, edge, &Budget::default())
            .expect("a program's edge");
        let seen = |op: &Op| match op {
            Op::Global(_) => true,
            Op::Count(t, l) => self.counters.binary_search(&(*t, *l)).is_ok(),
            _ => false,
        };
        edge.updates.iter().chain(&counted).any(|(variable, _)| seen(variable))
    }
}

/// The terms of a relation's arguments.
pub fn terms(state: &State, threads: &[&Thread]) -> Vec<Dynamic> {
    let locals = threads.iter().flat_map(|t| &t.locals);
    state.globals.iter().chain(&state.counters).chain(locals).cloned().collect()
}

/// The counters that a program's edges or some formulas mention.
fn mentioned(program: &Program, formulas: &[Expr]) -> BTreeSet<Place> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let expressions = edges
        .flat_map(|e| std::iter::once(&e.guard).chain(e.updates.iter().map(|(_, value)| value)));
    let ops = expressions.chain(formulas).flat_map(|e| &e.0);
    ops.filter_map(|op| match op {
        Op::Count(t, l) => Some((*t, *l)),
        _ => None,
    })
    .collect()
}

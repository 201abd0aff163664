//! The Horn clauses that say of relations over a few threads that they are an inductive invariant
//! (Hoenicke, Majumdar, Podelski, "Thread Modularity at Many Levels", section 4).
//!
//! There is one relation for each choice of places of the single templates' threads and of `level`
//! different other threads. It is about all ways to number threads at the same place. It is closed
//! under the steps of these threads, of the single templates' threads, and of one further thread of
//! which only that is known which the relations say about all choices of `level` of the threads.

use super::Why;
use super::idle::Idle;
use super::state::{Places, Shape, State, Thread, Variables, index, numbers, terms};
use crate::solve::fixedpoint::{Answer, Clauses, Settings};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::internals::counters::Place;
use threadproof_format::Expr;
use threadproof_format::program::{Edge, Template};
use z3::FuncDecl;
use z3::ast::{Ast, Bool};

/// How many clauses a system may have.
const CLAUSES: usize = 20_000;

/// The clauses of a program.
pub struct System<'a> {
    shape: &'a Shape<'a>,
    idle: Option<&'a Idle>,
    clauses: Clauses,
    relations: BTreeMap<Places, FuncDecl>,
    size: usize,
}

impl<'a> System<'a> {
    /// Builds the clauses for a number of threads. `work` bounds what z3 may do, in its own unit.
    ///
    /// # Errors
    /// If there are too many.
    pub fn new(
        shape: &'a Shape<'a>,
        (threads, idle): (usize, Option<&'a Idle>),
        work: u32,
    ) -> Result<Self, Why> {
        let mut system = System {
            shape,
            idle,
            clauses: Clauses::new(work, Settings::Cores),
            relations: BTreeMap::new(),
            size: 0,
        };
        for (i, places) in all_places(shape, threads)?.into_iter().enumerate() {
            let sorts: Vec<z3::Sort> = shape
                .arguments(&places.threads)
                .iter()
                .map(|(_, sort)| crate::solve::encode::z3_sort(*sort))
                .collect();
            let relation = system.clauses.relation(&format!("invariant{i}"), &sorts);
            system.relations.insert(places, relation);
        }
        for places in system.relations.keys().cloned().collect::<Vec<_>>() {
            system.start(&places)?;
            system.own_steps(&places)?;
            system.single_steps(&places)?;
            system.further_steps(&places)?;
        }
        Ok(system)
    }

    /// Solves the clauses.
    ///
    /// # Errors
    /// If they have no solution, or none was found.
    pub fn solve(&self) -> Result<(), Why> {
        match self.clauses.solve() {
            Answer::Solved => Ok(()),
            Answer::Derived => Err(Why::TooWeak),
            Answer::Unknown(reason) => Err(Why::Unknown(reason)),
        }
    }

    /// After a solution was found: each relation and its value.
    pub fn values(&self) -> impl Iterator<Item = (&Places, Option<Bool>)> {
        self.relations.iter().map(|(places, relation)| (places, self.clauses.value(relation)))
    }

    /// In initial states the relation of the initial locations holds.
    fn start(&mut self, places: &Places) -> Result<(), Why> {
        if places.singles.iter().chain(&places.threads).any(|(_, location)| *location != 0) {
            return Ok(());
        }
        let mut variables = Variables::default();
        let state = self.shape.initial(&places.singles, &mut variables);
        let threads = self.threads(&places.threads, &mut variables);
        let program = self.shape.program;
        let mut body = vec![self.shape.formula(&program.init, &state, None)];
        for (t, _) in &places.singles {
            body.push(self.shape.formula(&program.templates[index(*t)].init, &state, None));
        }
        for thread in &threads {
            let init: &Expr = &program.templates[index(thread.place.0)].init;
            body.push(self.shape.formula(init, &state, Some(thread)));
        }
        self.add(&variables, &body, &state, &threads)
    }

    /// The relation's threads step.
    fn own_steps(&mut self, places: &Places) -> Result<(), Why> {
        for (i, place) in places.threads.iter().enumerate() {
            if i > 0 && places.threads[i - 1] == *place {
                // Threads at the same place can change their numbers.
                continue;
            }
            for edge in edges(self.template(*place), place.1) {
                let mut variables = Variables::default();
                let state = self.shape.state(&places.singles, &mut variables);
                let mut threads = self.threads(&places.threads, &mut variables);
                let (guard, after, actor) =
                    self.shape.step((place.0, edge), &state, Some(&threads[i]), &mut variables);
                let mut body = self.premises(&state, &threads, &[None]);
                body.push(guard);
                if self.is_wrong(*place, edge) {
                    threads.remove(i);
                    self.exclude(&variables, body, &threads)?;
                    continue;
                }
                threads[i] = actor.expect("a thread acts");
                self.add(&variables, &body, &after, &threads)?;
            }
        }
        Ok(())
    }

    /// The single templates' threads step.
    fn single_steps(&mut self, places: &Places) -> Result<(), Why> {
        for place in &places.singles {
            for edge in edges(self.template(*place), place.1) {
                let mut variables = Variables::default();
                let state = self.shape.state(&places.singles, &mut variables);
                let threads = self.threads(&places.threads, &mut variables);
                let (guard, after, _) =
                    self.shape.step((place.0, edge), &state, None, &mut variables);
                let mut body = self.premises(&state, &threads, &[None]);
                body.push(guard);
                if self.is_wrong(*place, edge) {
                    self.exclude(&variables, body, &threads)?;
                    continue;
                }
                self.add(&variables, &body, &after, &threads)?;
            }
        }
        Ok(())
    }

    /// A further thread steps.
    fn further_steps(&mut self, places: &Places) -> Result<(), Why> {
        let program = self.shape.program;
        for (t, template) in numbers(&program.templates).zip(&program.templates) {
            if !template.is_many() {
                continue;
            }
            let reached = reachable(template);
            let seen = template.edges.iter().filter(|e| self.shape.is_seen(t, e));
            for edge in seen.filter(|e| reached.contains(&e.source)) {
                if template.locations[index(edge.target)].error {
                    // Executions end at the first error, and that is each thread's own.
                    continue;
                }
                let mut variables = Variables::default();
                let state = self.shape.state(&places.singles, &mut variables);
                let mut threads = self.threads(&places.threads, &mut variables);
                let further = self.shape.thread((t, edge.source), &mut variables);
                let (guard, after, _) =
                    self.shape.step((t, edge), &state, Some(&further), &mut variables);
                threads.push(further);
                let omitted: Vec<_> = (0..threads.len()).rev().map(Some).collect();
                let mut body = self.premises(&state, &threads, &omitted);
                body.push(guard);
                threads.pop();
                self.add(&variables, &body, &after, &threads)?;
            }
        }
        Ok(())
    }

    /// What holds before a step: the relation of the threads without one, for each that is to be
    /// omitted, and the facts.
    fn premises(&self, state: &State, threads: &[Thread], omitted: &[Option<usize>]) -> Vec<Bool> {
        let all: Vec<&Thread> = threads.iter().collect();
        let mut body = self.shape.facts(state, &all);
        for omit in omitted {
            let chosen = all.iter().enumerate().filter(|(i, _)| Some(*i) != *omit).map(|(_, t)| *t);
            body.push(self.apply(state, &mut chosen.collect::<Vec<_>>()));
        }
        body
    }

    /// The relation of the threads, in the order of their places.
    fn apply(&self, state: &State, threads: &mut [&Thread]) -> Bool {
        threads.sort_by_key(|t| t.place);
        let places = Places {
            singles: state.singles.clone(),
            threads: threads.iter().map(|t| t.place).collect(),
        };
        let arguments = terms(state, threads);
        let arguments: Vec<&dyn Ast> = arguments.iter().map(|a| a as &dyn Ast).collect();
        let relation = self.relations.get(&places).expect("a relation for all reachable places");
        relation.apply(&arguments).as_bool().expect("a relation is a formula")
    }

    fn is_wrong(&self, place: Place, edge: &Edge) -> bool {
        self.template(place).locations[index(edge.target)].error
    }

    /// A step to an error is not possible. It is enough to say so where all further threads are
    /// idle, since idle threads can always be there.
    fn exclude(
        &mut self,
        variables: &Variables,
        mut body: Vec<Bool>,
        further: &[Thread],
    ) -> Result<(), Why> {
        for (thread, idle) in further.iter().flat_map(|t| self.idle.map(|idle| (t, idle))) {
            if thread.place != idle.place {
                return Ok(());
            }
            body.extend(idle.equations(thread));
        }
        self.clauses.add(&variables.0, &body, None);
        self.count()
    }

    /// Clauses with the relation of the threads as their heads: one for each way to number threads
    /// at the same place.
    fn add(
        &mut self,
        variables: &Variables,
        body: &[Bool],
        state: &State,
        threads: &[Thread],
    ) -> Result<(), Why> {
        let places: Vec<Place> = threads.iter().map(|t| t.place).collect();
        for order in orders(&places) {
            let mut ordered: Vec<&Thread> = order.iter().map(|i| &threads[*i]).collect();
            let head = self.apply(state, &mut ordered);
            self.clauses.add(&variables.0, body, Some(&head));
            self.count()?;
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), Why> {
        self.size += 1;
        if self.size > CLAUSES { Err(Why::TooLarge) } else { Ok(()) }
    }

    fn threads(&self, places: &[Place], variables: &mut Variables) -> Vec<Thread> {
        places.iter().map(|place| self.shape.thread(*place, variables)).collect()
    }

    fn template(&self, (template, _): Place) -> &'a Template {
        &self.shape.program.templates[index(template)]
    }
}

/// The orders of some threads in which their places ascend.
fn orders(places: &[Place]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new()];
    for _ in places {
        let longer = |order: Vec<usize>| {
            let rest = (0..places.len()).filter(|i| !order.contains(i));
            let least = rest.clone().map(|i| places[i]).min();
            let next: Vec<usize> = rest.filter(|i| Some(places[*i]) == least).collect();
            next.into_iter().map(move |i| [order.as_slice(), &[i]].concat())
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    orders
}

fn edges(template: &Template, source: u32) -> impl Iterator<Item = &Edge> {
    template.edges.iter().filter(move |e| e.source == source)
}

/// The locations of a template that its control-flow graph reaches, without those where it is
/// wrong.
fn reachable(template: &Template) -> BTreeSet<u32> {
    let mut reached = BTreeSet::from([0]);
    let mut new = vec![0];
    while let Some(location) = new.pop() {
        for edge in edges(template, location) {
            let error = template.locations[index(edge.target)].error;
            if !error && reached.insert(edge.target) {
                new.push(edge.target);
            }
        }
    }
    reached
}

/// All places of the single templates' threads and a number of others.
fn all_places(shape: &Shape, threads: usize) -> Result<Vec<Places>, Why> {
    let templates = &shape.program.templates;
    let mut list = vec![Places { singles: Vec::new(), threads: Vec::new() }];
    let mut places: Vec<Place> = Vec::new();
    for (t, template) in numbers(templates).zip(templates) {
        let reached = reachable(template).into_iter().map(|l| (t, l));
        if template.is_many() {
            places.extend(reached);
            continue;
        }
        let all: Vec<Place> = reached.collect();
        let longer = |p: Places| {
            let with = |place: &Place| {
                let mut longer = p.clone();
                longer.singles.push(*place);
                longer
            };
            all.iter().map(with).collect::<Vec<_>>()
        };
        list = list.into_iter().flat_map(longer).collect();
        within(list.len())?;
    }
    for _ in 0..threads {
        let longer = |p: Places| {
            let last = p.threads.last().copied();
            let with = |place: &Place| {
                let mut longer = p.clone();
                longer.threads.push(*place);
                longer
            };
            places.iter().filter(|place| last <= Some(**place)).map(with).collect::<Vec<_>>()
        };
        list = list.into_iter().flat_map(longer).collect();
        within(list.len())?;
    }
    Ok(list)
}

fn within(size: usize) -> Result<(), Why> {
    if size > CLAUSES { Err(Why::TooLarge) } else { Ok(()) }
}

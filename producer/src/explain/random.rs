//! Random error traces of a program's control-flow graphs.

use super::trace::{Thread, Trace, edge};
use crate::logic::model::{index, number};
use std::collections::VecDeque;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::proof_space::automaton::Step;
use threadproof_checker::internals::replay::{self, Execution};
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::proof::counterexample::{self, Move, State, Value};
use threadproof_format::{Expr, Int, Sort};

/// The most threads of each template with many.
const THREADS: u32 = 3;

/// A trace takes so many steps for each edge of the largest control-flow graph, at most, before
/// it turns to its end.
const STEPS: usize = 3;

/// A thread takes so many steps in a row on average, at most.
const ROW: u32 = 8;

/// So many steps are looked for that can be executed, at most, before one is taken that cannot.
const PATIENCE: usize = 400;

/// Initial states that are tried.
const STARTS: usize = 20;

/// Makes random error traces. The same seed gives the same traces.
pub struct Generator<'a> {
    program: &'a Program,
    witness: Option<&'a State>,
    random: fastrand::Rng,
    /// For each template and location, how many steps an error location is away at least.
    distances: Vec<Vec<Option<usize>>>,
}

/// Which edges a thread may take.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Those that do not end at an error location.
    Elsewhere,
    /// Of these, those after which an error location can still be reached.
    Wandering,
    /// Those that come nearer to an error location.
    Direct,
}

/// A trace in the making.
struct Walk {
    threads: Vec<Thread>,
    /// The thread that goes to an error location in the end.
    last: usize,
    locations: Vec<u32>,
    steps: Vec<Step>,
    /// The state, as long as all steps can be executed.
    state: Option<Execution>,
}

impl<'a> Generator<'a> {
    /// For a program and, if one is known, an initial state with one thread of each template with
    /// many; `None` if the control-flow graphs have no path to an error location.
    pub fn new(program: &'a Program, witness: Option<&'a State>, seed: u64) -> Option<Self> {
        let distances: Vec<Vec<Option<usize>>> = program.templates.iter().map(distances).collect();
        let some = distances.iter().any(|d| d[0].is_some());
        let random = fastrand::Rng::with_seed(seed);
        some.then_some(Generator { program, witness, random, distances })
    }

    /// The next trace: random threads take random edges for a while, most of which can be executed
    /// (otherwise the first steps would contradict each other already); then one of them, which
    /// stayed where an error location can be reached, goes there.
    pub fn trace(&mut self) -> Trace {
        let mut walk = self.start();
        let largest = self.program.templates.iter().map(|t| t.edges.len()).max().unwrap_or(0);
        let mut wander = self.random.usize(..=STEPS * largest);
        let mut patience = self.random.usize(..=PATIENCE);
        let row = self.random.u32(1..=ROW);
        loop {
            let Some(step) = self.choose(&walk, wander == 0, row) else {
                wander = 0;
                continue;
            };
            let executed = walk.state.as_ref().and_then(|state| self.execute(state, &step));
            if executed.is_none() && walk.state.is_some() && patience > 0 {
                patience -= 1;
                continue;
            }
            wander = wander.saturating_sub(1);
            let target = edge(self.program, &step).target;
            walk.locations[index(step.actor)] = target;
            walk.steps.push(step);
            walk.state = executed;
            if self.distances[index(step.template)][index(target)] == Some(0) {
                return only_acting(&walk.threads, &walk.steps);
            }
        }
    }

    fn start(&mut self) -> Walk {
        let threads = self.threads();
        let can_end = |t: &usize| self.distances[index(threads[*t].template)][0].is_some();
        let ending: Vec<usize> = (0..threads.len()).filter(can_end).collect();
        let last = ending[self.random.usize(..ending.len())];
        let locations = vec![0; threads.len()];
        let state = self.initial(&threads);
        Walk { threads, last, locations, steps: Vec::new(), state }
    }

    /// A step that a thread may take; `None` if none can move.
    fn choose(&mut self, walk: &Walk, direct: bool, row: u32) -> Option<Step> {
        let way = |t| match (t == walk.last, direct) {
            (false, _) => Way::Elsewhere,
            (true, false) => Way::Wandering,
            (true, true) => Way::Direct,
        };
        let edges = |t: usize| self.edges(walk.threads[t].template, walk.locations[t], way(t));
        let able = (0..walk.threads.len()).map(edges).collect::<Vec<Vec<u32>>>();
        let mut actors: Vec<usize> = (0..able.len()).filter(|t| !able[*t].is_empty()).collect();
        let previous = walk.steps.last().map(|step| index(step.actor));
        let previous = previous.filter(|t| actors.contains(t));
        if direct && self.random.bool() {
            actors = vec![walk.last];
        } else if let Some(previous) = previous
            && self.random.u32(..row) != 0
        {
            actors = vec![previous];
        }
        let actor = self.random.choice(actors)?;
        let edge = *self.random.choice(&able[actor])?;
        Some(Step { actor: number(actor), template: walk.threads[actor].template, edge })
    }

    /// The state after a step with random inputs, if it can be executed.
    fn execute(&mut self, state: &Execution, step: &Step) -> Option<Execution> {
        let inputs = &edge(self.program, step).inputs;
        let inputs = inputs.iter().map(|input| self.value(input.sort)).collect();
        let taken = Move { edge: step.edge, inputs, thread: step.actor };
        let mut after = state.clone();
        after.step(self.program, &taken, &Budget::default()).ok()?;
        Some(after)
    }

    /// An initial state: the known one, with other values where that can be.
    fn initial(&mut self, threads: &[Thread]) -> Option<Execution> {
        let known = self.witness?;
        (1..=STARTS).find_map(|attempt| {
            let last = attempt == STARTS;
            let globals = self.values(&known.globals, &self.program.globals, last);
            let threads = threads.iter().map(|thread| {
                let of = known.threads.iter().find(|t| t.template == thread.template);
                let locals = &self.program.templates[index(thread.template)].locals;
                let locals = self.values(of.map_or(&[], |t| &t.locals), locals, last);
                counterexample::Thread { locals, template: thread.template }
            });
            let state = State { threads: threads.collect(), globals };
            replay::start(self.program, &state, &Budget::default()).ok()
        })
    }

    /// The known values, or some others in their places.
    fn values(&mut self, known: &[Value], variables: &[Variable], keep: bool) -> Vec<Value> {
        let pick = |(value, variable): (&Value, &Variable)| {
            if keep || self.random.bool() { value.clone() } else { self.value(variable.sort) }
        };
        known.iter().zip(variables).map(pick).collect()
    }

    fn value(&mut self, sort: Sort) -> Value {
        let random = &mut self.random;
        let small = |random: &mut fastrand::Rng| {
            Int::from(if random.bool() { random.i64(-1..=2) } else { random.i64(-20..=50) })
        };
        match sort {
            Sort::Int => Value::Int(small(random)),
            Sort::Bool => Value::Bool(random.bool()),
            Sort::IntArray => Value::IntArray(small(random), Vec::new()),
            Sort::BoolArray => Value::BoolArray(random.bool(), Vec::new()),
        }
    }

    /// Threads for a trace; one of them at least can reach an error location.
    fn threads(&mut self) -> Vec<Thread> {
        let mut threads = Vec::new();
        let mut named = 0;
        for (t, template) in self.program.templates.iter().enumerate() {
            let least = u32::from(self.distances[t][0].is_some());
            let count = if template.is_many() { self.random.u32(least..=THREADS) } else { 1 };
            for _ in 0..count {
                named += u32::from(template.is_many());
                let number = if template.is_many() { named } else { 0 };
                threads.push(Thread { template: self::number(t), number });
            }
        }
        threads
    }

    /// The edges that a thread may take.
    fn edges(&self, template: u32, location: u32, way: Way) -> Vec<u32> {
        let distances = &self.distances[index(template)];
        let edges = (0u32..).zip(&self.program.templates[index(template)].edges);
        let able = edges.filter(|(_, edge)| {
            let after = distances[index(edge.target)];
            edge.source == location
                && !is_idle(edge)
                && match way {
                    Way::Elsewhere => after != Some(0),
                    Way::Wandering => after.is_some_and(|d| d > 0),
                    Way::Direct => after.is_some() && after < distances[index(location)],
                }
        });
        able.map(|(e, _)| e).collect()
    }
}

/// Whether nothing happens by an edge, as by those that let abstract threads follow steps of which
/// they see nothing.
fn is_idle(edge: &Edge) -> bool {
    edge.source == edge.target && edge.updates.is_empty() && edge.guard == Expr::bool(true)
}

/// For each location of a template, how many steps an error location is away at least; no edge
/// of an error location counts.
fn distances(template: &Template) -> Vec<Option<usize>> {
    let mut distances: Vec<Option<usize>> =
        template.locations.iter().map(|l| l.error.then_some(0)).collect();
    let mut queue: VecDeque<usize> =
        (0..distances.len()).filter(|l| distances[*l].is_some()).collect();
    while let Some(at) = queue.pop_front() {
        let next = distances[at].map(|d| d + 1);
        for edge in template.edges.iter().filter(|e| index(e.target) == at) {
            let source = &mut distances[index(edge.source)];
            if source.is_none() {
                *source = next;
                queue.push_back(index(edge.source));
            }
        }
    }
    distances
}

/// The trace with only the threads that act, in the order in which they first do.
fn only_acting(threads: &[Thread], steps: &[Step]) -> Trace {
    let mut trace = Trace { threads: Vec::new(), steps: Vec::new() };
    for step in steps {
        let thread = threads[index(step.actor)];
        let known = trace.threads.iter().position(|t| *t == thread);
        let actor = known.unwrap_or_else(|| {
            trace.threads.push(thread);
            trace.threads.len() - 1
        });
        trace.steps.push(Step { actor: number(actor), ..*step });
    }
    trace
}

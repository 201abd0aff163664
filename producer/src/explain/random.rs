//! Random error traces of a program's control-flow graphs.

use super::trace::{Thread, Trace, edge};
use crate::engine::proof_space::{index, number};
use std::collections::VecDeque;
use threadproof_checker::proof_space::automaton::Step;
use threadproof_format::program::{Program, Template};

/// The most threads of each template with many.
const THREADS: u32 = 3;

/// A trace takes so many steps for each edge of the largest control-flow graph, at most, before
/// it turns to its end.
const ROUNDS: usize = 3;

/// A thread takes so many steps in a row on average, at most. Where threads take turns all the time,
/// the first lock contradicts the trace already.
const ROW: u32 = 8;

/// Makes random error traces. The same seed gives the same traces.
pub struct Generator<'a> {
    program: &'a Program,
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

impl<'a> Generator<'a> {
    /// For a program; `None` if its control-flow graphs have no path to an error location.
    pub fn new(program: &'a Program, seed: u64) -> Option<Self> {
        let distances: Vec<Vec<Option<usize>>> = program.templates.iter().map(distances).collect();
        let some = distances.iter().any(|d| d[0].is_some());
        some.then(|| Generator { program, random: fastrand::Rng::with_seed(seed), distances })
    }

    /// The next trace: random threads take random edges for a while; then one of them, which
    /// stayed where an error location can be reached, goes there.
    pub fn trace(&mut self) -> Trace {
        let threads = self.threads();
        let can_end = |t: &usize| self.distances[index(threads[*t].template)][0].is_some();
        let ending: Vec<usize> = (0..threads.len()).filter(can_end).collect();
        let last = ending[self.random.usize(..ending.len())];
        let largest = self.program.templates.iter().map(|t| t.edges.len()).max().unwrap_or(0);
        let mut wander = self.random.usize(..=ROUNDS * largest);
        let row = self.random.u32(1..=ROW);
        let mut locations = vec![0; threads.len()];
        let mut steps: Vec<Step> = Vec::new();
        loop {
            let direct = wander == 0;
            wander = wander.saturating_sub(1);
            let way = |t| match (t == last, direct) {
                (false, _) => Way::Elsewhere,
                (true, false) => Way::Wandering,
                (true, true) => Way::Direct,
            };
            let choices = |t: usize| self.choices(threads[t].template, locations[t], way(t));
            let mut able: Vec<usize> =
                (0..threads.len()).filter(|t| !choices(*t).is_empty()).collect();
            if able.is_empty() {
                wander = 0;
                continue;
            }
            let previous = steps.last().map(|step| index(step.actor)).filter(|t| able.contains(t));
            if direct && self.random.bool() {
                able = vec![last];
            } else if let Some(previous) = previous
                && self.random.u32(..row) != 0
            {
                able = vec![previous];
            }
            let actor = able[self.random.usize(..able.len())];
            let edges = self.choices(threads[actor].template, locations[actor], way(actor));
            let taken = edges[self.random.usize(..edges.len())];
            let step =
                Step { actor: number(actor), template: threads[actor].template, edge: taken };
            locations[actor] = edge(self.program, &step).target;
            steps.push(step);
            if self.distances[index(step.template)][index(locations[actor])] == Some(0) {
                return only_acting(&threads, &steps);
            }
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
    fn choices(&self, template: u32, location: u32, way: Way) -> Vec<u32> {
        let distances = &self.distances[index(template)];
        let edges = (0u32..).zip(&self.program.templates[index(template)].edges);
        let able = edges.filter(|(_, edge)| {
            let after = distances[index(edge.target)];
            edge.source == location
                && match way {
                    Way::Elsewhere => after != Some(0),
                    Way::Wandering => after.is_some_and(|d| d > 0),
                    Way::Direct => after.is_some() && after < distances[index(location)],
                }
        });
        able.map(|(e, _)| e).collect()
    }
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

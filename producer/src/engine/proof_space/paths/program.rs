//! The path program of a trace: its steps over places that are the same again where the trace comes
//! round.

use crate::logic::linear::Var;
use crate::logic::model::{Facts, index};
use crate::logic::predicates::Thread;
use std::collections::{BTreeMap, BTreeSet};

/// Which threads a place tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Those under way, which have acted and will act again, without their numbers: one thread's
    /// part of a trace may be an iteration of another's.
    UnderWay,
    /// All that act, each by its number.
    All,
}

/// A place: locations of some threads, and their numbers if they matter.
type Place = Vec<(Thread, usize, u32)>;

/// A position of a trace: after 0, 1, ... steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Its place; positions at the same place are merged.
    pub place: usize,
    /// The threads whose locals matter there, in the order of the place.
    pub threads: Vec<Thread>,
}

impl Position {
    /// A variable of the place, about this position's thread.
    pub fn variable(&self, var: Var) -> Var {
        match var {
            Var::Local(slot, i) => Var::Local(u32::from(self.threads[index(slot)]), i),
            other => other,
        }
    }
}

/// A sequential program that has a trace, and with it the traces that go round its loops any number
/// of times (Beyer, Henzinger, Majumdar, Rybalchenko, "Path Invariants").
pub struct PathProgram {
    /// The positions before the last step.
    pub positions: Vec<Position>,
    /// How many places there are.
    pub places: usize,
}

impl PathProgram {
    /// Of a trace, with its positions merged.
    pub fn new(facts: &Facts, steps: &[(usize, Thread)], merge: Merge) -> Self {
        let mut places: BTreeMap<Place, usize> = BTreeMap::new();
        let mut positions = Vec::new();
        for taken in 0..steps.len() {
            let mut at = locations(facts, steps, taken, merge);
            at.sort_unstable_by_key(|(t, template, location)| (*template, *location, *t));
            let place = |entry: &(Thread, usize, u32)| match merge {
                Merge::UnderWay => (0, entry.1, entry.2),
                Merge::All => *entry,
            };
            let many = at.iter().filter(|(_, template, _)| facts.many[*template]);
            let threads = many.map(|(t, _, _)| *t).collect();
            let next = places.len();
            let place = *places.entry(at.iter().map(place).collect()).or_insert(next);
            positions.push(Position { place, threads });
        }
        PathProgram { positions, places: places.len() }
    }

    /// How often the trace comes to the place where it is most often.
    pub fn visits(&self) -> usize {
        let visits = |place| self.positions.iter().filter(|p| p.place == place).count();
        (0..self.places).map(visits).max().unwrap_or(0)
    }
}

/// The threads of a place and where they are. Single threads are never forgotten: another one
/// cannot stand in for them.
fn locations(
    facts: &Facts,
    steps: &[(usize, Thread)],
    taken: usize,
    merge: Merge,
) -> Vec<(Thread, usize, u32)> {
    let (before, after) = steps.split_at(taken);
    let acting: BTreeSet<Thread> = steps.iter().map(|(_, t)| *t).collect();
    let mut out = Vec::new();
    for thread in acting {
        let own = |(_, t): &&(usize, Thread)| *t == thread;
        let (last, next) = (before.iter().rfind(own), after.iter().find(own));
        let command = last.or(next).map(|(c, _)| &facts.commands[*c]).expect("a thread that acts");
        let under_way = last.is_some() && next.is_some();
        if under_way || merge == Merge::All || !facts.many[command.template] {
            let location = if last.is_some() { command.target } else { 0 };
            out.push((thread, command.template, location));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::testing::LOOPS;
    use super::*;
    use crate::logic::counters::Counters;

    /// The places along a trace, with the threads that they know.
    fn places(steps: &[(usize, Thread)], merge: Merge) -> Vec<(usize, Vec<Thread>)> {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(LOOPS).expect("a program");
        let facts = Facts::new(&program, Counters::default());
        let positions = PathProgram::new(&facts, steps, merge).positions;
        positions.into_iter().map(|p| (p.place, p.threads)).collect()
    }

    #[test]
    fn iterations_of_a_loop_are_merged() {
        // Begin, up, up, on, end; then the error.
        let steps = [0, 1, 1, 2, 4].map(|command| (command, 0));
        let own = vec![0];
        let all = places(&steps, Merge::All);
        let under_way =
            [(0, vec![]), (1, own.clone()), (1, own.clone()), (1, own.clone()), (2, own.clone())];
        assert_eq!(places(&steps, Merge::UnderWay), under_way);
        assert_eq!(all.iter().map(|(place, _)| *place).collect::<Vec<_>>(), [0, 1, 1, 1, 2]);
        assert!(all.iter().all(|(_, threads)| *threads == own));
    }

    #[test]
    fn a_thread_under_way_stands_for_another() {
        // Threads 1 and 2 go up once and stop; then thread 0 does.
        let steps = [(0, 1), (1, 1), (0, 2), (1, 2), (0, 0), (1, 0)];
        let under_way =
            [(0, vec![]), (1, vec![1]), (0, vec![]), (1, vec![2]), (0, vec![]), (1, vec![0])];
        assert_eq!(places(&steps, Merge::UnderWay), under_way);
        let all = places(&steps, Merge::All).into_iter().map(|(place, _)| place);
        assert_eq!(all.collect::<Vec<_>>(), [0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn a_single_thread_is_where_it_was() {
        let (program, _) = threadproof_checker::internals::core_form::parse(
            "core 1; one s { location a; location b; edge a -> b { } edge b -> b { } }
many t { location o; location p; edge o -> p { } }",
        )
        .expect("a program");
        let facts = Facts::new(&program, Counters::default());
        // The single thread moves; then two others do, which makes no difference to a place.
        let program = PathProgram::new(&facts, &[(0, 0), (2, 1), (2, 2), (1, 0)], Merge::UnderWay);
        let places: Vec<usize> = program.positions.iter().map(|p| p.place).collect();
        assert_eq!((places, program.visits()), (vec![0, 1, 1, 1], 3));
    }
}

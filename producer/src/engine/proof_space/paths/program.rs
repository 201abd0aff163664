//! The path program of a trace: its steps over places that are the same again where the trace comes
//! round.

use super::super::facts::Facts;
use super::super::predicates::Thread;
use std::collections::{BTreeMap, BTreeSet};

/// Which threads a place tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Those under way, which have acted and will act again, without their numbers: one thread's
    /// part of a trace may be a round of another's.
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

/// The threads of a place and where they are. Single threads are never forgotten: another one cannot
/// stand in for them.
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

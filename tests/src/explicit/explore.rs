//! All executions within bounds, breadth first.

use super::start::{Bounds, initial};
use super::state::{State, Step};
use std::collections::HashSet;
use threadproof_format::program::Program;

/// What an exploration found.
pub enum Explored {
    /// A shortest execution to an error.
    Error(State, Vec<Step>),
    /// All states within the bounds, and no error.
    All,
    /// No error in as many states as the bound says; there are more.
    Some,
}

/// A shortest execution to an error, if there is one within the bounds.
pub fn search(program: &Program, bounds: &Bounds) -> Option<(State, Vec<Step>)> {
    match explore(program, bounds) {
        Explored::Error(start, steps) => Some((start, steps)),
        Explored::All | Explored::Some => None,
    }
}

/// Explores all executions within the bounds, breadth first.
pub fn explore(program: &Program, bounds: &Bounds) -> Explored {
    explore_to(program, bounds, &mut Vec::new())
}

/// The reachable states within the bounds, of a program that is safe within them.
///
/// # Panics
/// If it is not, or there are more states than the bound says.
pub fn reachable(program: &Program, bounds: &Bounds) -> Vec<State> {
    let mut all = Vec::new();
    assert!(matches!(explore_to(program, bounds, &mut all), Explored::All));
    all.into_iter().map(|(state, _)| state).collect()
}

/// A state that was visited, and how: from which one and by which step, unless it is initial.
type Visited = (State, Option<(usize, Step)>);

fn explore_to(program: &Program, bounds: &Bounds, all: &mut Vec<Visited>) -> Explored {
    let mut seen = HashSet::new();
    for state in initial(program, bounds) {
        if seen.insert(state.key()) {
            all.push((state, None));
        }
    }
    let mut at = 0;
    while at < all.len() {
        if all.len() > bounds.states {
            return Explored::Some;
        }
        for (step, next) in all[at].0.steps(program, &bounds.values) {
            if !seen.insert(next.key()) {
                continue;
            }
            let error = next.is_error(program);
            all.push((next, Some((at, step))));
            if error {
                let (start, steps) = path(all);
                return Explored::Error(start, steps);
            }
        }
        at += 1;
    }
    Explored::All
}

/// The execution that leads to the last state.
fn path(all: &[Visited]) -> (State, Vec<Step>) {
    let mut at = all.len() - 1;
    let mut steps = Vec::new();
    while let Some((before, step)) = &all[at].1 {
        steps.push(step.clone());
        at = *before;
    }
    steps.reverse();
    (all[at].0.clone(), steps)
}

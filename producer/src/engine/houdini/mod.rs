//! Houdini: facts about up to two threads at places that are inductive together (Flanagan, Leino,
//! "Houdini, an annotation assistant for ESC/Java").
//!
//! The trace loop ([`super::proof_space`]) diverges where each longer queue of threads needs a
//! predicate that relates one thread more to its neighbour, though each two threads of the queue
//! stand in a simple relation. Here candidates are what holds of sampled states; those that some
//! step breaks are given up until none is broken.

mod candidates;
mod inductive;
mod steps;
mod vocabulary;

use super::attempts::{Ended, FIRST, Invariants, Named};
use super::{Budget, Engine, Search, Task};
use crate::control::Control;
use crate::invariant::{Invariant, Lemma};
use crate::logic::convert::{self, Item};
use crate::logic::counters::Counters;
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::model::{Facts, index, number};
use crate::logic::operators;
use crate::solve;
use candidates::{Candidates, Finder, Open};
use std::fmt;
use steps::Steps;
use threadproof_checker::internals::counters::Place;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use vocabulary::Vocabulary;

/// The engine by Houdini.
#[derive(Debug)]
pub struct Houdini;

impl Engine for Houdini {
    fn name(&self) -> &'static str {
        "Houdini"
    }

    fn strategies(&self) -> Vec<&'static str> {
        Strategy::portfolio().iter().map(Named::name).collect()
    }

    fn counts(&self) -> bool {
        false
    }

    fn start<'p>(&self, names: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p> {
        let Task { program, hints, control, .. } = task;
        // A strategy does all of its work in one budget, but for facts about one thread before.
        let attempt = move |strategy: &Strategy, budget: Budget| {
            let level = if budget < FIRST { 1 } else { LEVEL };
            match solve(program, (strategy, level), hints, control) {
                Ok(invariant) => Ended::Found(invariant),
                Err(_) if level < LEVEL => Ended::Unfinished,
                Err(why) => Ended::Failed(why.to_string()),
            }
        };
        let divides = operators::in_commands(program, operators::divides);
        let first = if divides { Budget(0) } else { FIRST };
        Invariants::search(Strategy::portfolio(), names, &task, (first, attempt))
    }
}

impl Named for Strategy {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// How much candidates may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Comparisons and truth values.
    Atoms,
    /// Also that one of them, or that a thread can take a step, implies another.
    Implications,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Name, for reports and the command line.
    pub name: &'static str,
    /// What candidates may say.
    pub shape: Shape,
}

impl Strategy {
    /// The strategies, in the order in which they are tried.
    pub fn portfolio() -> Vec<Strategy> {
        vec![
            Strategy { name: "facts about two threads", shape: Shape::Atoms },
            Strategy { name: "implications about two threads", shape: Shape::Implications },
        ]
    }
}

/// How many threads a fact may be about.
const LEVEL: usize = 2;

/// More candidates than this are not looked at.
const CANDIDATES: usize = 20_000;

/// What z3 may do in one search, in its own unit.
const WORK: u64 = 20_000_000;

/// Why there is no invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// The facts that are inductive do not exclude an error. There may be one.
    TooWeak,
    /// There are too many candidates, or z3 has done as much as it may.
    TooLarge,
    /// z3 does not know whether a step keeps a fact, or the search was stopped.
    Unknown,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::TooWeak => "the inductive ones do not exclude an error",
            Why::TooLarge => "there are too many candidates",
            Why::Unknown => "z3 has no answer",
        })
    }
}

/// Looks for facts about up to `level` threads that are inductive together and exclude all errors,
/// in a program whose commands count no threads. The same program and strategy give the same
/// answer, unless the search is stopped.
///
/// # Errors
/// Why there are none.
pub fn solve(
    program: &Program,
    (strategy, level): (&Strategy, usize),
    hints: &[(Vec<u32>, Expr)],
    control: &Control,
) -> Result<Invariant, Why> {
    solve::interruptible(control, || {
        let facts = Facts::new(program, Counters::default());
        let hints: Vec<_> = hints.iter().filter_map(|hint| read(&facts, hint)).collect();
        let vocabulary = Vocabulary::new(&facts, &hints);
        let finder = Finder::new(&facts, &vocabulary, &hints);
        let inductive = |open| {
            let candidates = finder.find(level, open, CANDIDATES);
            inductive(&facts, candidates, control)
        };
        let needed = |open| inductive::needed(&mut inductive(open)?);
        // More passes are worth their time for one thread only.
        let more = level < LEVEL;
        let hinted = more && !hints.is_empty();
        let first = match strategy.shape {
            Shape::Atoms if hinted => needed(Open::Hints),
            Shape::Atoms => needed(Open::Nothing),
            Shape::Implications => needed(Open::Sampled),
        };
        let needed = match (first, strategy.shape) {
            (Err(Why::TooWeak), Shape::Atoms) if hinted => needed(Open::Nothing),
            // Samples may be too few to show that an atom fails; then it is not inductive.
            (Err(Why::TooWeak), Shape::Implications) if more => {
                needed(Open::Given(&inductive(Open::Nothing)?.left()))
            }
            (first, _) => first,
        }?;
        let clauses = needed.into_iter().map(|(places, formula)| lemma(&facts, &places, &formula));
        Ok(Invariant { clauses: clauses.map(|lemma| lemma.clause()).collect() })
    })
}

/// Those of the candidates that are inductive together.
fn inductive<'a>(
    facts: &'a Facts<'a>,
    candidates: Candidates,
    control: &Control,
) -> Result<Steps<'a>, Why> {
    if candidates.values().map(Vec::len).sum::<usize>() > CANDIDATES {
        return Err(Why::TooLarge);
    }
    let mut steps = Steps::new(facts, candidates);
    inductive::greatest(&mut steps, control)?;
    Ok(steps)
}

/// A hint, if it does not count threads.
fn read(facts: &Facts, (threads, formula): &(Vec<u32>, Expr)) -> Option<(Vec<u32>, Formula)> {
    let formula = facts.counters.ghosts(formula)?;
    let variable = |v| Item::variable(v, facts.sort(threads, v));
    Some((threads.clone(), convert::formula(&formula, &variable)))
}

/// A fact with threads of single templates apart.
fn lemma(facts: &Facts, places: &[Place], formula: &Formula) -> Lemma {
    let many = |place: &Place| facts.many[index(place.0)];
    let positions: Vec<usize> =
        (0..places.len()).map(|p| places[..p].iter().filter(|place| many(place)).count()).collect();
    Lemma {
        singles: places.iter().copied().filter(|place| !many(place)).collect(),
        threads: places.iter().copied().filter(many).collect(),
        formula: rename(formula, &positions).expr(),
    }
}

/// A formula about other threads: `positions` gives the one for each of its own.
fn rename(formula: &Formula, positions: &[usize]) -> Formula {
    formula.rename(&mut |v| match v {
        Var::Local(p, i) => Var::Local(number(positions[index(p)]), i),
        other => other,
    })
}

/// The ways to find the kinds among others, each at another position.
fn injections<T: PartialEq>(kinds: &[T], among: &[T]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for kind in kinds {
        let longer = |chosen: Vec<usize>| {
            let free = (0..among.len()).filter(|i| among[*i] == *kind && !chosen.contains(i));
            let free: Vec<usize> = free.collect();
            free.into_iter().map(move |i| [chosen.as_slice(), &[i]].concat())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certify;
    use crate::certify::invariant::Extent;
    use crate::frontend::tp;

    const QUEUE: &str = include_str!("../../../../corpus/array_queue_lock.tp");
    const TWO_STEPS: &str = include_str!("../../../../corpus/array_queue_lock_two_steps.tp");

    fn solved(text: &str, shape: Shape) -> Result<bool, Why> {
        let program = tp::lower("queue.tp", text).expect("a program").program;
        let (strategy, control) = (Strategy { name: "", shape }, Control::default());
        let invariant = solve(&program, (&strategy, LEVEL), &[], &control)?;
        let proof = certify::invariant::certify(&program, &invariant, Extent::Needed, &control);
        Ok(proof.is_ok())
    }

    #[test]
    fn a_queue_of_any_length_needs_implications_about_two_threads() {
        assert_eq!(solved(QUEUE, Shape::Implications), Ok(true));
        assert_eq!(solved(QUEUE, Shape::Atoms), Err(Why::TooWeak));
    }

    #[test]
    fn nothing_excludes_an_error_that_is_there() {
        assert!(solved(TWO_STEPS, Shape::Implications).is_err());
    }

    #[test]
    fn injections_are_all_ways_to_choose_different_positions() {
        assert_eq!(injections(&[1, 1], &[1, 2, 1]), [vec![0, 2], vec![2, 0]]);
        assert!(injections(&[1, 1], &[1, 2]).is_empty());
        assert_eq!(injections::<u8>(&[], &[1]), [Vec::<usize>::new()]);
    }
}

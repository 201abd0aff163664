//! Which strategy searches when: the strategies take turns, those that count threads on the program
//! with ghost globals, the others on the program itself.

use super::refine::Search;
use super::strategy::Strategy;
use crate::control::Control;
use crate::logic::counters::{self, Counters};
use crate::logic::model::Facts;
use crate::solve;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::proof_space::ProofSpace;

/// Bounds of the search. They count steps, not time, so that a run can be repeated.
#[derive(Clone, Debug)]
pub struct Options {
    /// Refinements of each strategy in its first turn; each later turn has twice as many.
    pub first_turn: usize,
    /// Turns of each strategy.
    pub turns: usize,
    /// Elementary steps of covering in one emptiness check of a first turn; each later turn has
    /// eight times as many.
    pub effort: usize,
    /// What z3 may do in the whole search, in its own unit; looked at after each refinement.
    pub work: u64,
    /// The strategies that take turns.
    pub strategies: Vec<Strategy>,
    /// Formulas that may help, over globals and the locals of different threads of the templates.
    pub hints: Vec<(Vec<u32>, Expr)>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            first_turn: 20,
            turns: 3,
            effort: 250_000,
            work: 40_000_000,
            strategies: Strategy::portfolio(),
            hints: Vec::new(),
        }
    }
}

/// The search's answer.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Safe for any number of threads; the proof still lacks its refutations and hints.
    Safe(ProofSpace),
    /// An execution that goes wrong.
    Unsafe(Counterexample),
    /// Neither was found.
    Unknown(Unknown),
}

/// Why there is no answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// The reason, in a sentence.
    pub reason: String,
    /// What was tried: a line for each strategy.
    pub tried: Vec<String>,
    /// The last trace without a proof, a line for each step.
    pub trace: Vec<String>,
    /// The predicates that were added last.
    pub predicates: Vec<String>,
    /// The predicates that grow, by strategy.
    pub growing: Vec<String>,
    /// What would help, a sentence each.
    pub help: Vec<String>,
    /// How to go on.
    pub next: Vec<String>,
}

impl Unknown {
    /// Two reports about one program as one.
    fn and(mut self, other: Unknown) -> Unknown {
        self.tried.extend(other.tried);
        self.growing.extend(other.growing);
        if self.trace.is_empty() {
            (self.trace, self.predicates) = (other.trace, other.predicates);
        }
        for (mine, theirs) in [(&mut self.help, other.help), (&mut self.next, other.next)] {
            mine.extend(theirs.into_iter().filter(|line| !mine.contains(line)).collect::<Vec<_>>());
        }
        self
    }
}

/// Decides whether the program is safe, if the search ends.
///
/// The program must be well sorted. The same program and options give the same outcome, unless
/// the search is stopped.
pub fn prove(program: &Program, options: &Options, control: &Control) -> Outcome {
    prove_between(program, options, control, &mut |_| false)
}

/// Something else that is tried, with the number of the pause; `true` ends the search without an answer. Pause 0 is
/// after the first turns and one second turn, and each further one after the second, third, ... turns.
pub type Between<'a> = dyn FnMut(usize) -> bool + Send + Sync + 'a;

/// As [`prove`], with pauses for something else.
pub fn prove_between(
    program: &Program,
    options: &Options,
    control: &Control,
    between: &mut Between,
) -> Outcome {
    solve::interruptible(control, || turns(program, options, control, between))
}

/// Lets the strategies that count threads and the others take turns, each on its own program.
fn turns(
    program: &Program,
    options: &Options,
    control: &Control,
    between: &mut Between,
) -> Outcome {
    let (ghosted, ghosts) = counters::ghosted(program);
    // Of a program that mentions counters every strategy sees the ghosts.
    let plain = match counters::mentioned(program) {
        true => Facts::new(&ghosted, ghosts.clone()),
        false => Facts::new(program, Counters::default()),
    };
    let counting = Facts::new(&ghosted, ghosts);
    let share = |counts: bool| {
        let own = options.strategies.iter().filter(|s| s.counters.is_some() == counts);
        Options { strategies: own.cloned().collect(), ..options.clone() }
    };
    let (others, counts) = (share(false), share(true));
    let mut searches =
        [Search::new(&plain, &others, control), Search::new(&counting, &counts, control)];
    let reason = match all_turns(&mut searches, options, control, between) {
        Ok(outcome) => return outcome,
        Err(reason) => reason,
    };
    if options.strategies.first().is_some_and(|s| s.counters.is_some()) {
        searches.reverse();
    }
    let [first, second] = searches.map(|search| search.give_up(reason));
    Outcome::Unknown(first.and(second))
}

/// The first answer, or why there is none. The strategies take turns in their order, each in the
/// search of its kind; where all threads are single ones, those that count come last.
fn all_turns(
    searches: &mut [Search; 2],
    options: &Options,
    control: &Control,
    between: &mut Between,
) -> Result<Outcome, &'static str> {
    let kinds = options.strategies.iter().map(|s| (usize::from(s.counters.is_some()), s.late));
    let mut kinds: Vec<(usize, bool)> = kinds.collect();
    if !searches[0].facts.many.contains(&true) {
        kinds.sort_by_key(|(kind, _)| *kind);
    }
    // Strategies that come late wait only for others.
    let wait = kinds.iter().any(|(_, late)| !late);
    let mut tried = false;
    for turn in 0..options.turns {
        let mut next = [0, 0];
        for (kind, late) in kinds.iter().copied() {
            let number = next[kind];
            next[kind] += 1;
            if turn == 0 && late && wait {
                continue;
            }
            if let Some(outcome) = searches[kind].run(number, turn) {
                return Ok(outcome);
            }
            if control.should_stop() {
                return Err("the search was asked to stop");
            }
            if turn == 1 && !std::mem::replace(&mut tried, true) && between(0) {
                return Err("something else was found");
            }
        }
        if searches.iter().all(|search| search.attempts.is_empty() || search.exhausted()) {
            return Err("z3 has done as much as one search may ask for");
        }
        if turn > 0 && between(turn) {
            return Err("something else was found");
        }
    }
    Err("no strategy came to an end")
}

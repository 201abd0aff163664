//! Which strategy searches when: the strategies take turns, those that count threads on the program
//! with ghost globals, the others on the program itself.

use super::refine::{Refinement, Watched};
use super::strategy::Strategy;
use crate::control::Control;
use crate::engine::{Board, Budget, Engine, Found, Ghosted, Search, Step, Task, Unknown};
use crate::logic::operators;
use crate::solve;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
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

/// The engine by error traces and their proofs.
#[derive(Debug)]
pub struct Traces;

impl Engine for Traces {
    fn name(&self) -> &'static str {
        "proof spaces"
    }

    fn strategies(&self) -> Vec<&'static str> {
        Strategy::portfolio().iter().map(|strategy| strategy.name).collect()
    }

    fn counts(&self) -> bool {
        true
    }

    fn start<'p>(&self, names: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p> {
        let mut options = Options::default();
        options.strategies.retain(|strategy| names.contains(&strategy.name));
        options.hints = task.hints.to_vec();
        Box::new(Turns::new(options, task))
    }
}

/// The strategies that take turns, each in the search of its kind.
struct Turns<'p> {
    options: Options,
    control: &'p Control,
    /// Those that do not count threads, and those that do.
    searches: [Refinement<'p>; 2],
    /// The kind of each strategy, in the order of a turn, and whether it comes late.
    order: Vec<(usize, bool)>,
    /// What the budgets so far have reached: the turn, and the strategies that have had it.
    turn: usize,
    done: usize,
    /// Why the search is over, if it is.
    ended: Option<String>,
    /// What glimpses work on, until they are taken. Only a program that divides has some: z3 takes
    /// long for its traces, so that the first turn comes after those of other engines.
    glimpse: Option<Task<'p>>,
    /// Whether the program divides.
    divides: bool,
}

/// With more counters than these, strategies that count come late: each of their first steps takes
/// seconds.
const MANY_COUNTERS: usize = 100;

const NO_END: &str = "no strategy finished";

impl<'p> Turns<'p> {
    fn new(options: Options, task: Task<'p>) -> Self {
        let share = |counts: bool| {
            let own = options.strategies.iter().filter(|s| s.counters.is_some() == counts);
            Options { strategies: own.cloned().collect(), ..options.clone() }
        };
        // The report of the first strategy's kind comes first.
        let first = options.strategies.first().is_some_and(|s| s.counters.is_some());
        let search = |counts: bool| {
            let facts = if counts { task.counting } else { task.plain };
            let part = usize::from(counts != first);
            Refinement::new(
                facts,
                share(counts),
                Watched { control: task.control, board: task.board.clone(), part },
            )
        };
        let searches = [search(false), search(true)];
        let dear = task.counting.counters.iter().count() > MANY_COUNTERS;
        let kinds = options.strategies.iter().map(|s| {
            let counts = s.counters.is_some();
            (usize::from(counts), s.late || (counts && dear))
        });
        let mut order: Vec<(usize, bool)> = kinds.collect();
        // Where all threads are single ones, those that count come last.
        if !task.plain.many.contains(&true) {
            order.sort_by_key(|(kind, _)| *kind);
        }
        let control = task.control;
        let divides = operators::in_commands(task.program, operators::divides);
        let glimpse = divides.then_some(task);
        Turns { options, control, searches, order, turn: 0, done: 0, ended: None, glimpse, divides }
    }

    /// The first turns of some strategies, as far as they get with little work.
    fn glimpse(&self, task: Task<'p>) -> Option<Found> {
        let mut strategies = self.options.strategies.iter().filter(|s| s.glimpse > 0);
        strategies.find_map(|strategy| {
            let strategies = vec![strategy.clone()];
            let options = Options { strategies, work: u64::MAX, ..self.options.clone() };
            let watched = Watched { control: task.control, board: Board::default(), part: 0 };
            let facts = if strategy.counters.is_some() { task.counting } else { task.plain };
            let turn = || Refinement::new(facts, options, watched).run(0, 0);
            solve::sparing(strategy.glimpse, turn)
        })
    }

    /// How far a budget reaches: all before this turn, and so many strategies of it.
    fn goal(&self, budget: Budget) -> (usize, usize) {
        match budget.0 {
            0 if self.divides => (0, 0),
            0 => (1, 0),
            // Something else is tried after one second turn.
            1 | 2 => (1, 1),
            later => ((later - 1) / 2 + 1, 0),
        }
    }

    /// The turn of one strategy.
    fn next(&mut self) -> Option<Found> {
        let (kind, late) = self.order[self.done];
        let before = self.order[..self.done].iter();
        let number = before.filter(|(other, _)| *other == kind).count();
        self.done += 1;
        // Strategies that come late wait only for others.
        let wait = self.turn == 0 && late && self.order.iter().any(|(_, late)| !late);
        if wait { None } else { self.searches[kind].run(number, self.turn) }
    }

    /// Why the search is over after a turn, if it is.
    fn end(&self) -> Option<&'static str> {
        if self.exhausted() {
            return Some("z3 has reached the work limit of one search");
        }
        (self.turn >= self.options.turns).then_some(NO_END)
    }

    /// Whether z3 has done as much as it may.
    fn exhausted(&self) -> bool {
        self.searches.iter().all(|search| search.attempts.is_empty() || search.exhausted())
    }
}

impl Search for Turns<'_> {
    fn run(&mut self, budget: Budget) -> Step {
        if let Some(task) = self.glimpse.take()
            && let Some(found) = self.glimpse(task)
        {
            return Step::Found(found);
        }
        while self.ended.is_none() && (self.turn, self.done) < self.goal(budget) {
            if let Some(found) = self.next() {
                return Step::Found(found);
            }
            if self.control.should_stop() {
                return Step::NotYet;
            }
            if self.done == self.order.len() {
                (self.turn, self.done) = (self.turn + 1, 0);
                self.ended = self.end().map(str::to_owned);
            }
        }
        if self.ended.is_some() { Step::Exhausted } else { Step::NotYet }
    }

    fn refused(&mut self, why: String) {
        // A glimpse ends nothing.
        let begun = (self.turn, self.done) > (0, 0);
        self.ended = begun.then_some(why);
    }

    fn report(&self) -> Unknown {
        let stopped = self.control.should_stop().then(|| "the search was stopped".to_owned());
        let reason = self.ended.clone().or(stopped).unwrap_or_else(|| NO_END.to_owned());
        let mut reports = self.searches.each_ref().map(|search| search.report(&reason));
        if self.options.strategies.first().is_some_and(|s| s.counters.is_some()) {
            reports.reverse();
        }
        let [first, second] = reports;
        first.and(second)
    }
}

/// The search's answer, alone.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Safe for any number of threads; the proof still lacks its refutations and hints.
    Safe(ProofSpace),
    /// An execution that goes wrong.
    Unsafe(Counterexample),
    /// Neither was found.
    Unknown(Unknown),
}

/// Decides whether the program is safe, if the search ends, by this engine alone.
///
/// The program must be well sorted. The same program and options give the same outcome, unless
/// the search is stopped.
pub fn prove(program: &Program, options: &Options, control: &Control) -> Outcome {
    solve::interruptible(control, || {
        let (ghosted, board) = (Ghosted::new(program), Board::default());
        let [plain, counting] = &ghosted.models();
        let hints = &options.hints;
        let task = Task { program, plain, counting, hints, control, board: &board };
        let mut search = Turns::new(options.clone(), task);
        match search.run(Budget(usize::MAX)) {
            Step::Found(Found::Draft(proof)) => Outcome::Safe(proof),
            Step::Found(Found::Proof(Proof::Counterexample(run))) => Outcome::Unsafe(run),
            _ => Outcome::Unknown(search.report()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::TRIED;
    use crate::logic::model::testing;

    #[test]
    fn a_search_goes_on_where_it_was_and_ends_with_its_turns() {
        let program = testing::counting();
        let (ghosted, board, control) =
            (Ghosted::new(&program), Board::default(), Control::default());
        let [plain, counting] = &ghosted.models();
        let program = &program;
        let task = Task { program, plain, counting, hints: &[], control: &control, board: &board };
        let mut options = Options { first_turn: 1, turns: 2, effort: 1, ..Options::default() };
        options.strategies.truncate(3);
        let mut search = Turns::new(options, task);
        let goals: Vec<(usize, usize)> = (0..8).map(|b| search.goal(Budget(b))).collect();
        assert_eq!(goals, [(1, 0), (1, 1), (1, 1), (2, 0), (2, 0), (3, 0), (3, 0), (4, 0)]);
        assert_eq!(board.read().expect("a report").lines(TRIED).len(), 3);
        assert!(matches!(search.run(Budget(0)), Step::NotYet));
        assert_eq!((search.turn, search.done), (1, 0));
        assert!(matches!(search.run(Budget(0)), Step::NotYet));
        assert!(matches!(search.run(Budget(2)), Step::NotYet));
        assert_eq!((search.turn, search.done), (1, 1));
        control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(search.run(Budget(3)), Step::NotYet));
        assert_eq!((search.turn, search.done), (1, 2));
        control.stop.store(false, std::sync::atomic::Ordering::Relaxed);
        assert!(matches!(search.run(Budget(3)), Step::Exhausted));
        assert_eq!(search.report().reason, NO_END);
    }
}

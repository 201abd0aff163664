//! The refinement loop (Algorithm 2) of several strategies over one program.

use super::attempt::Attempt;
use super::automaton::Automaton;
use super::automaton::configuration::Effort;
use super::automaton::draft;
use super::automaton::emptiness::Emptiness;
use super::automaton::shrink;
use super::counting::inductive::Inductive;
use super::infeasible::Prover;
use super::report::diagnosis;
use super::report::growth::Watchdog;
use super::report::summary::summary;
use super::strategy::Strategy;
use super::traces::relax::{self, Feasibility};
use super::turns::Options;
use crate::control::{Control, Progress};
use crate::counting::invariants;
use crate::counting::sample::Samples;
use crate::engine::{Board, Found, Unknown};
use crate::logic::convert::{self, Item};
use crate::logic::model::{Facts, number};
use crate::trace::execution;
use crate::trace::{Trace, Word};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay;
use threadproof_format::Expr;
use threadproof_format::proof::{Proof, Witness};
use z3::SatResult;

/// The search of one program: what its strategies share, and what each has found.
pub struct Refinement<'a> {
    options: Options,
    watched: Watched<'a>,
    prover: Prover<'a>,
    watchdog: Watchdog,
    /// The strategies.
    pub attempts: Vec<Attempt>,
    samples: Option<Samples>,
    started: Instant,
    /// When the board had the last report.
    posted: Option<Instant>,
}

/// Who watches a search, and where it reports.
pub struct Watched<'a> {
    /// The hold on the search.
    pub control: &'a Control,
    /// Where it reports while it runs, and as which part.
    pub board: Board,
    /// Its part of the board.
    pub part: usize,
}

/// How often the board has a new report.
const PERIOD: Duration = Duration::from_millis(250);

/// What one refinement led to.
enum Step {
    /// The search is over.
    Done(Found),
    /// The basis has grown.
    Refined,
    /// The strategy needs more room, for this reason.
    Paused(&'static str),
    /// The strategy is at its end, for this reason.
    Ended(&'static str),
}

impl<'a> Refinement<'a> {
    /// Begins a search.
    pub fn new(facts: &'a Facts<'a>, options: Options, watched: Watched<'a>) -> Self {
        let mut search = Refinement {
            options,
            watched,
            prover: Prover::new(facts),
            watchdog: Watchdog::new(facts),
            attempts: Vec::new(),
            samples: None,
            started: Instant::now(),
            posted: None,
        };
        let hints = search.hints();
        let attempt = |strategy: &Strategy| Attempt::new(strategy.clone(), hints.clone());
        search.attempts = search.options.strategies.iter().map(attempt).collect();
        search.post();
        search
    }

    /// The predicates of the hints: they are known from the start, so that reuse finds them.
    fn hints(&mut self) -> BTreeSet<u32> {
        let Prover { facts, predicates, .. } = &mut self.prover;
        let mut known = BTreeSet::new();
        for (threads, formula) in &self.options.hints {
            // What counts threads helps where they are counted.
            let Some(formula) = facts.counters.ghosts(formula) else { continue };
            let variable = |v| Item::variable(v, facts.sort(threads, v));
            for conjunct in convert::formula(&formula, &variable).conjuncts() {
                known.extend(predicates.intern(&conjunct, threads).map(|i| i.predicate));
            }
        }
        known.remove(&0);
        known
    }

    /// Whether z3 has done what it may in this search.
    pub fn exhausted(&self) -> bool {
        self.prover.validity.work() >= self.options.work
    }

    /// Gives a strategy its turn: it refines for a while, until its predicates get too large for
    /// this turn. An answer, if it finds one.
    pub fn run(&mut self, number: usize, turn: usize) -> Option<Found> {
        if self.exhausted() {
            return None;
        }
        let effort = Effort(self.options.effort << (3 * turn));
        self.post();
        self.find_invariants(number);
        self.attempts[number].loops = turn > 0;
        for _ in 0..self.options.first_turn << turn {
            self.post();
            if self.attempts[number].ended || self.exhausted() {
                return None;
            }
            let step = self.refine(number, effort);
            let attempt = &mut self.attempts[number];
            match step {
                Step::Done(found) => return Some(found),
                Step::Refined => attempt.state = "more refinements are needed",
                Step::Paused(reason) => {
                    attempt.state = reason;
                    return None;
                }
                Step::Ended(reason) => {
                    attempt.state = reason;
                    attempt.ended = true;
                }
            }
            let mut added = attempt.added.iter().map(|p| self.prover.predicates.get(*p));
            if let Some(growth) = added.find_map(|p| self.watchdog.growth(p, turn)) {
                attempt.state = growth;
                return None;
            }
        }
        None
    }

    /// Finds the invariants of a strategy that counts, once.
    fn find_invariants(&mut self, number: usize) {
        let attempt = &mut self.attempts[number];
        let Some(level) = attempt.strategy.counters.filter(|_| attempt.inductive.is_none()) else {
            return;
        };
        let Prover { facts, predicates, validity } = &mut self.prover;
        let samples = self.samples.get_or_insert_with(|| Samples::of(facts));
        let hints = attempt.known.iter().map(|p| predicates.get(*p));
        let hints = hints.filter(|p| p.threads.is_empty()).map(|p| p.formula().clone());
        let asked = (hints.collect(), level);
        let found = invariants::invariants(facts, predicates, validity, samples, asked);
        attempt.inductive = Some(Inductive::new(found));
    }

    fn refine(&mut self, number: usize, effort: Effort) -> Step {
        let initial = self.initial(number);
        let control = self.watched.control;
        let Prover { facts, predicates, .. } = &self.prover;
        let attempt = &mut self.attempts[number];
        let found = attempt.explore((facts, predicates), &initial, effort, control);
        control.report(&Progress {
            iteration: attempt.iterations,
            predicates: attempt.known.len(),
            triples: attempt.basis.triples.len(),
            configurations: attempt.configurations(),
            elapsed: self.started.elapsed(),
        });
        attempt.iterations += 1;
        match found {
            Emptiness::Stopped => Step::Paused(diagnosis::TOO_MANY),
            Emptiness::Word(word) => self.treat(number, &word),
            Emptiness::Empty(closed) => {
                let initial = &initial;
                let automaton = Automaton { facts, predicates, basis: &attempt.basis, initial };
                let (basis, closed) = shrink::shrink(&automaton, closed, effort, control);
                let automaton = Automaton { facts, predicates, basis: &basis, initial };
                let mut proof = draft::draft(&automaton, &closed);
                proof.witness = self.witness();
                Step::Done(Found::Draft(proof))
            }
        }
    }

    /// The known predicates that hold at the start.
    fn initial(&mut self, number: usize) -> BTreeSet<u32> {
        let Prover { facts, predicates, validity } = &mut self.prover;
        let holds = |p: &u32| validity.initially(facts, predicates, *p);
        self.attempts[number].known.iter().copied().filter(holds).collect()
    }

    /// Executes an error trace or proves it infeasible.
    fn treat(&mut self, number: usize, word: &Word) -> Step {
        let attempt = &mut self.attempts[number];
        attempt.last = Some(word.clone());
        let mut trace = Trace::new(self.prover.facts, word);
        let invariants = attempt.invariants().iter().map(|i| self.prover.predicates.expr(i));
        trace.grant(&invariants.collect::<Vec<Expr>>());
        match relax::feasibility(&trace) {
            Feasibility::Feasible => self.execute(&trace),
            Feasibility::Unknown => {
                Step::Ended("z3 could not decide whether a trace can be executed")
            }
            Feasibility::Infeasible => match self.prover.explain(attempt, &mut trace) {
                Ok(()) => Step::Refined,
                Err(reason) => Step::Ended(reason),
            },
        }
    }

    /// Executes a feasible error trace.
    fn execute(&self, trace: &Trace<'a>) -> Step {
        let facts = self.prover.facts;
        let execution = trace.model().and_then(|model| execution::execution(facts, trace, &model));
        // An interrupted z3 may give values that are no execution.
        let replayed = |run: &_| replay::check(facts.program, run, &Budget::default()).is_ok();
        match execution.filter(replayed) {
            Some(mut execution) => {
                facts.counters.forget(&mut execution.start);
                Step::Done(Found::Proof(Proof::Counterexample(execution)))
            }
            None => Step::Ended("z3 gave no values that execute an error trace"),
        }
    }

    /// An initial state with a thread of each template of many threads.
    fn witness(&self) -> Witness {
        let facts = self.prover.facts;
        let templates = (0..facts.many.len()).filter(|t| facts.many[*t]);
        let word = Word { threads: templates.map(number).collect(), steps: Vec::new() };
        let trace = Trace::new(facts, &word);
        let sat = trace.check(0) == SatResult::Sat;
        let model = sat.then(|| trace.model()).flatten()?;
        let mut start = execution::start(facts, &trace, &model)?;
        facts.counters.forget(&mut start);
        Some(start)
    }

    /// Leaves a report on the board, now and then.
    fn post(&mut self) {
        if self.posted.is_none_or(|last| last.elapsed() >= PERIOD) {
            let report = self.report("the search is under way");
            self.watched.board.post(self.watched.part, report);
            self.posted = Some(Instant::now());
        }
    }

    /// What was tried, and why there is no answer.
    pub fn report(&self, reason: &str) -> Unknown {
        summary(self.prover.facts, &self.prover.predicates, &self.attempts, reason)
    }
}

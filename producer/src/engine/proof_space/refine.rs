//! The refinement loop (Algorithm 2), for several strategies in turn.

use super::automaton::Automaton;
use super::basis::{Basis, Triple};
use super::configuration::Effort;
use super::convert::{self, Item};
use super::counterexample;
use super::derive::Derivation;
use super::draft;
use super::emptiness::{Emptiness, Exploration, Word};
use super::facts::{Facts, index, number};
use super::growth::Watchdog;
use super::predicates::Predicates;
use super::relax::{self, Feasibility};
use super::shrink;
use super::strategy::Strategy;
use super::trace::{Kind, Trace};
use super::validity::Validity;
use crate::engine::control::{Control, Progress};
use crate::report::print;
use crate::solve;
use std::collections::BTreeSet;
use std::time::Instant;
use threadproof_checker::{error::Budget, replay};
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Witness;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::proof_space::ProofSpace;
use z3::SatResult;

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
}

/// Decides whether the program is safe, if the search ends.
///
/// The program must be well sorted. The same program and options give the same outcome, unless
/// the search is stopped.
pub fn prove(program: &Program, options: &Options, control: &Control) -> Outcome {
    solve::interruptible(control, || {
        let facts = Facts::new(program);
        Search::new(&facts, options, control).run()
    })
}

/// One strategy's basis and history.
struct Attempt {
    strategy: Strategy,
    basis: Basis,
    known: BTreeSet<u32>,
    iterations: usize,
    /// How the last refinement went.
    state: &'static str,
    ended: bool,
    last: Option<Word>,
    added: Vec<u32>,
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    options: &'a Options,
    control: &'a Control,
    predicates: Predicates<'a>,
    validity: Validity,
    watchdog: Watchdog,
    started: Instant,
}

/// What one refinement led to.
enum Step {
    /// The search is over.
    Done(Outcome),
    /// The basis has grown.
    Refined,
    /// The strategy needs more room, for this reason.
    Paused(&'static str),
    /// The strategy is at its end, for this reason.
    Ended(&'static str),
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts<'a>, options: &'a Options, control: &'a Control) -> Self {
        Search {
            facts,
            options,
            control,
            predicates: Predicates::new(facts.program),
            validity: Validity::default(),
            watchdog: Watchdog::new(facts),
            started: Instant::now(),
        }
    }

    fn run(&mut self) -> Outcome {
        let hints = self.hints();
        let attempt = |strategy: &Strategy| Attempt::new(strategy.clone(), hints.clone());
        let mut attempts: Vec<Attempt> = self.options.strategies.iter().map(attempt).collect();
        for turn in 0..self.options.turns {
            for attempt in &mut attempts {
                if let Some(outcome) = self.turn(attempt, turn) {
                    return outcome;
                }
                if self.control.should_stop() {
                    return self.give_up(&attempts, "the search was asked to stop");
                }
                if self.exhausted() {
                    return self
                        .give_up(&attempts, "z3 has done as much as one search may ask for");
                }
            }
        }
        self.give_up(&attempts, "no strategy came to an end")
    }

    /// The predicates of the hints: they are known from the start, so that reuse finds them.
    fn hints(&mut self) -> BTreeSet<u32> {
        let mut known = BTreeSet::new();
        for (threads, formula) in &self.options.hints {
            let variable = |v| Item::variable(v, self.facts.sort(threads, v));
            for conjunct in convert::formula(formula, &variable).conjuncts() {
                known.extend(self.predicates.intern(&conjunct, threads).map(|i| i.predicate));
            }
        }
        known.remove(&0);
        known
    }

    /// An initial state with a thread of each template of many threads.
    fn witness(&self) -> Witness {
        let many = &self.facts.many;
        let templates = (0..many.len()).filter(|t| many[*t]);
        let word = Word { threads: templates.map(number).collect(), steps: Vec::new() };
        let trace = Trace::new(self.facts, &word);
        let sat = trace.check(0) == SatResult::Sat;
        let model = sat.then(|| trace.model()).flatten()?;
        counterexample::start(self.facts, &trace, &model)
    }

    fn exhausted(&self) -> bool {
        self.validity.work() >= self.options.work
    }

    /// Lets a strategy refine for a while, until its predicates get too large for this turn.
    fn turn(&mut self, attempt: &mut Attempt, turn: usize) -> Option<Outcome> {
        let effort = Effort(self.options.effort << (3 * turn));
        for _ in 0..self.options.first_turn << turn {
            if attempt.ended || self.exhausted() {
                return None;
            }
            match self.refine(attempt, effort) {
                Step::Done(outcome) => return Some(outcome),
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
            let mut added = attempt.added.iter().map(|p| self.predicates.get(*p));
            if let Some(growth) = added.find_map(|p| self.watchdog.growth(p, turn)) {
                attempt.state = growth;
                return None;
            }
        }
        None
    }

    fn refine(&mut self, attempt: &mut Attempt, effort: Effort) -> Step {
        let mut initial = BTreeSet::new();
        for predicate in &attempt.known {
            if self.validity.initially(self.facts, &self.predicates, *predicate) {
                initial.insert(*predicate);
            }
        }
        let automaton = Automaton {
            facts: self.facts,
            predicates: &self.predicates,
            basis: &attempt.basis,
            initial: &initial,
        };
        let mut exploration = Exploration::new(&automaton, effort);
        let found = exploration.run(self.control);
        self.control.report(&Progress {
            iteration: attempt.iterations,
            predicates: attempt.known.len(),
            triples: attempt.basis.triples.len(),
            configurations: exploration.visited(),
            elapsed: self.started.elapsed(),
        });
        attempt.iterations += 1;
        match found {
            Emptiness::Stopped => Step::Paused("the automaton has too many configurations"),
            Emptiness::Word(word) => self.treat(attempt, &word),
            Emptiness::Empty(closed) => {
                let spent = Effort(effort.0 - exploration.effort().0);
                let (basis, closed) = shrink::shrink(&automaton, closed, spent, self.control);
                let smaller = Automaton { basis: &basis, ..automaton };
                let mut proof = draft::draft(&smaller, &closed);
                proof.witness = self.witness();
                Step::Done(Outcome::Safe(proof))
            }
        }
    }

    /// Executes an error trace or proves it infeasible.
    fn treat(&mut self, attempt: &mut Attempt, word: &Word) -> Step {
        attempt.last = Some(word.clone());
        let mut trace = Trace::new(self.facts, word);
        match relax::feasibility(&trace) {
            Feasibility::Feasible => {
                let model = trace.model();
                let execution =
                    model.and_then(|m| counterexample::execution(self.facts, &trace, &m));
                // An interrupted z3 may give values that are no execution.
                let program = self.facts.program;
                let replayed =
                    |run: &_| replay::check(program, run, &mut Budget::default()).is_ok();
                match execution.filter(replayed) {
                    Some(execution) => Step::Done(Outcome::Unsafe(execution)),
                    None => Step::Ended("z3 gave no values that execute an error trace"),
                }
            }
            Feasibility::Unknown => {
                Step::Ended("z3 could not decide whether a trace can be executed")
            }
            Feasibility::Infeasible => self.explain(attempt, &mut trace),
        }
    }

    /// Adds the triples of a proof of the trace's infeasible prefix.
    fn explain(&mut self, attempt: &mut Attempt, trace: &mut Trace<'a>) -> Step {
        let mut best: Option<(usize, Vec<Triple>)> = None;
        for kinds in attempt.strategy.relaxations.clone() {
            let Some(triples) = self.derive(attempt, trace, &kinds) else {
                continue;
            };
            if triples.iter().all(|t| attempt.basis.contains(t)) {
                continue;
            }
            let cost = self.new_formulas(attempt, &triples);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, triples));
            }
            if !attempt.strategy.dummies || cost == 0 {
                break;
            }
        }
        let Some((_, triples)) = best else {
            return Step::Ended("an infeasible trace could not be proved conjunct by conjunct");
        };
        attempt.add(triples);
        Step::Refined
    }

    /// How many formulas of triples the strategy has not used yet; dummy threads cost nothing.
    fn new_formulas(&self, attempt: &Attempt, triples: &[Triple]) -> usize {
        let narrow = |p: &u32| self.predicates.get(*p).narrow;
        let known: BTreeSet<u32> = attempt.known.iter().map(narrow).chain([0]).collect();
        let new: BTreeSet<u32> = attempt.new_predicates(triples).iter().map(narrow).collect();
        new.difference(&known).count()
    }

    /// A proof of the trace's infeasible prefix after relaxing pieces of the given kinds.
    fn derive(
        &mut self,
        attempt: &Attempt,
        trace: &mut Trace<'a>,
        kinds: &[Kind],
    ) -> Option<Vec<Triple>> {
        trace.reset();
        if attempt.strategy.cut_first {
            relax::cut(trace);
        }
        relax::relax(trace, kinds, attempt.strategy.latest_first);
        relax::cut(trace);
        let derivation = Derivation {
            facts: self.facts,
            predicates: &mut self.predicates,
            validity: &mut self.validity,
            known: &attempt.known,
            strategy: &attempt.strategy,
            trace,
            needed: Vec::new(),
            links: Vec::new(),
        };
        derivation.run()
    }

    fn give_up(&self, attempts: &[Attempt], reason: &str) -> Outcome {
        let tried = attempts.iter().map(|a| {
            format!(
                "{}: {} refinements, {} predicates, {} triples; {}",
                a.strategy.name,
                a.iterations,
                a.known.len(),
                a.basis.triples.len(),
                a.state,
            )
        });
        let last = attempts.iter().rev().find_map(|a| a.last.as_ref());
        let added = attempts.iter().rev().find(|a| !a.added.is_empty());
        Outcome::Unknown(Unknown {
            reason: reason.to_owned(),
            tried: tried.collect(),
            trace: last.map(|w| self.describe(w)).unwrap_or_default(),
            predicates: added.map_or_else(Vec::new, |a| {
                let added = a.added.iter();
                added.map(|p| self.describe_predicate(*p)).collect()
            }),
        })
    }

    fn describe(&self, word: &Word) -> Vec<String> {
        let line = |(command, thread): &(usize, u8)| {
            let command = &self.facts.commands[*command];
            let template = &self.facts.program.templates[command.template];
            let name = |l: u32| &template.locations[index(l)].name;
            format!(
                "thread {} ({}): {} -> {}",
                thread + 1,
                template.name,
                name(command.source),
                name(command.target)
            )
        };
        word.steps.iter().map(line).collect()
    }

    fn describe_predicate(&self, predicate: u32) -> String {
        let predicate = self.predicates.get(predicate);
        print::assertion(self.facts.program, &predicate.threads, &[], &predicate.expr)
    }
}

impl Attempt {
    fn new(strategy: Strategy, known: BTreeSet<u32>) -> Self {
        Attempt {
            strategy,
            basis: Basis::default(),
            known,
            iterations: 0,
            state: "not tried",
            ended: false,
            last: None,
            added: Vec::new(),
        }
    }

    /// Predicates of triples that are not yet known.
    fn new_predicates(&self, triples: &[Triple]) -> BTreeSet<u32> {
        let all = triples.iter().flat_map(|t| {
            let pre = t.pre.iter().map(|i| i.predicate);
            pre.chain([t.post])
        });
        all.filter(|p| *p != 0 && !self.known.contains(p)).collect()
    }

    /// Adds triples.
    fn add(&mut self, triples: Vec<Triple>) {
        self.added = self.new_predicates(&triples).into_iter().collect();
        self.known.extend(&self.added);
        for triple in triples {
            self.basis.add(triple);
        }
    }
}

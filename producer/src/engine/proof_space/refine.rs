//! The refinement loop (Algorithm 2), for several strategies in turn.

use super::automaton::Automaton;
use super::basis::Basis;
use super::counterexample;
use super::derive::Derivation;
use super::draft;
use super::emptiness::{Emptiness, Exploration, Word};
use super::facts::{Facts, index, number};
use super::predicates::Predicates;
use super::relax::{self, Feasibility};
use super::strategy::Strategy;
use super::trace::Trace;
use super::validity::Validity;
use crate::engine::control::{Control, Progress};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use threadproof_format::print;
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
    /// Configurations that one emptiness check may visit.
    pub configurations: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            first_turn: 20,
            turns: 4,
            configurations: 50_000,
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
    z3::with_z3_config(&z3::Config::new(), || {
        let context = z3::Context::thread_local();
        let handle = context.handle();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| watch(control, &done, &handle));
            let outcome = {
                let facts = Facts::new(program);
                Search::new(&facts, options, control).run()
            };
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            watcher.thread().unpark();
            outcome
        })
    })
}

/// Interrupts z3 when the search is asked to stop.
fn watch(
    control: &Control,
    done: &std::sync::atomic::AtomicBool,
    handle: &z3::ContextHandle<'_>,
) {
    while !done.load(std::sync::atomic::Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(20));
        if control.should_stop() {
            handle.interrupt();
        }
    }
}

/// One strategy's basis and history.
struct Attempt {
    strategy: Strategy,
    basis: Basis,
    known: BTreeSet<u32>,
    iterations: usize,
    ended: Option<String>,
    last: Option<Word>,
    added: Vec<u32>,
}

struct Search<'a> {
    facts: &'a Facts<'a>,
    options: &'a Options,
    control: &'a Control,
    predicates: Predicates<'a>,
    validity: Validity,
    started: Instant,
}

/// What one refinement led to.
enum Step {
    /// The search is over.
    Done(Outcome),
    /// The basis has grown.
    Refined,
    /// The strategy is at its end, for this reason.
    Ended(String),
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts<'a>, options: &'a Options, control: &'a Control) -> Self {
        Search {
            facts,
            options,
            control,
            predicates: Predicates::new(facts.program),
            validity: Validity::default(),
            started: Instant::now(),
        }
    }

    fn run(&mut self) -> Outcome {
        let mut attempts: Vec<Attempt> = Strategy::portfolio()
            .into_iter()
            .map(Attempt::new)
            .collect();
        for turn in 0..self.options.turns {
            for attempt in &mut attempts {
                let budget = self.options.first_turn << turn;
                if let Some(outcome) = self.turn(attempt, budget) {
                    return outcome;
                }
                if self.control.should_stop() {
                    return self.give_up(&attempts, "the search was asked to stop");
                }
            }
        }
        self.give_up(&attempts, "no strategy came to an end")
    }

    /// An initial state with a thread of each template of many threads.
    fn witness(&self) -> Witness {
        let many = &self.facts.many;
        let templates = (0..many.len()).filter(|t| many[*t]);
        let word = Word {
            threads: templates.map(number).collect(),
            steps: Vec::new(),
        };
        let trace = Trace::new(self.facts, &word);
        let sat = trace.check(0) == SatResult::Sat;
        let model = sat.then(|| trace.model()).flatten()?;
        counterexample::start(self.facts, &trace, &model)
    }

    /// Lets a strategy refine for a while.
    fn turn(&mut self, attempt: &mut Attempt, budget: usize) -> Option<Outcome> {
        for _ in 0..budget {
            if attempt.ended.is_some() {
                return None;
            }
            match self.refine(attempt) {
                Step::Done(outcome) => return Some(outcome),
                Step::Refined => {}
                Step::Ended(reason) => attempt.ended = Some(reason),
            }
        }
        None
    }

    fn refine(&mut self, attempt: &mut Attempt) -> Step {
        let mut initial = BTreeSet::new();
        for predicate in std::iter::once(&0).chain(&attempt.known) {
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
        let mut exploration = Exploration::new(&automaton);
        let found = exploration.run(self.options.configurations, self.control);
        self.control.report(&Progress {
            iteration: attempt.iterations,
            predicates: attempt.known.len(),
            triples: attempt.basis.triples.len(),
            configurations: exploration.visited(),
            elapsed: self.started.elapsed(),
        });
        attempt.iterations += 1;
        match found {
            Emptiness::Stopped(reason) => Step::Ended(reason.to_owned()),
            Emptiness::Word(word) => self.treat(attempt, &word),
            Emptiness::Empty(closed) => {
                let mut proof = draft::draft(&automaton, &closed);
                proof.witness = self.witness();
                Step::Done(Outcome::Safe(proof))
            }
        }
    }

    /// Executes an error trace or proves it infeasible.
    fn treat(&mut self, attempt: &mut Attempt, word: &Word) -> Step {
        attempt.last = Some(word.clone());
        let trace = Trace::new(self.facts, word);
        match relax::feasibility(&trace) {
            Feasibility::Feasible => {
                let model = trace.model();
                let execution =
                    model.and_then(|m| counterexample::execution(self.facts, &trace, &m));
                match execution {
                    Some(execution) => Step::Done(Outcome::Unsafe(execution)),
                    None => Step::Ended("z3 gave no values for an error trace".to_owned()),
                }
            }
            Feasibility::Unknown => {
                Step::Ended("z3 could not decide whether a trace can be executed".to_owned())
            }
            Feasibility::Infeasible => self.explain(attempt, word),
        }
    }

    /// Adds the triples of a proof of the trace's infeasible prefix.
    fn explain(&mut self, attempt: &mut Attempt, word: &Word) -> Step {
        for kinds in attempt.strategy.relaxations.clone() {
            let mut trace = Trace::new(self.facts, word);
            if attempt.strategy.cut_first {
                relax::cut(&mut trace);
            }
            relax::relax(&mut trace, &kinds, attempt.strategy.latest_first);
            relax::cut(&mut trace);
            let derivation = Derivation {
                facts: self.facts,
                predicates: &mut self.predicates,
                validity: &mut self.validity,
                known: &attempt.known,
                strategy: &attempt.strategy,
                trace: &mut trace,
                needed: Vec::new(),
                triples: Vec::new(),
            };
            let triples = derivation.run();
            if triples.is_some_and(|t| attempt.add(t)) {
                return Step::Refined;
            }
        }
        Step::Ended("an infeasible trace could not be proved conjunct by conjunct".to_owned())
    }

    fn give_up(&self, attempts: &[Attempt], reason: &str) -> Outcome {
        let tried = attempts.iter().map(|a| {
            format!(
                "{}: {} refinements, {} predicates, {} triples; {}",
                a.strategy.name,
                a.iterations,
                a.known.len(),
                a.basis.triples.len(),
                a.ended.as_deref().unwrap_or("not at its end"),
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
    fn new(strategy: Strategy) -> Self {
        Attempt {
            strategy,
            basis: Basis::default(),
            known: BTreeSet::new(),
            iterations: 0,
            ended: None,
            last: None,
            added: Vec::new(),
        }
    }

    /// Adds triples; whether one is new.
    fn add(&mut self, triples: Vec<super::basis::Triple>) -> bool {
        self.added.clear();
        let mut new = false;
        for triple in triples {
            let all = triple.pre.iter().map(|i| i.predicate);
            for predicate in all.chain([triple.post]).filter(|p| *p != 0) {
                if self.known.insert(predicate) {
                    self.added.push(predicate);
                }
            }
            new |= self.basis.add(triple);
        }
        new
    }
}

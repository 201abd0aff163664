//! The refinement loop (Algorithm 2) of several strategies over one program.

use super::automaton::Automaton;
use super::automaton::configuration::Effort;
use super::automaton::draft;
use super::automaton::emptiness::{Emptiness, Exploration};
use super::automaton::gaps::Gaps;
use super::automaton::graph::Graph;
use super::automaton::shrink;
use super::paths::{self, Paths};
use super::report::diagnosis::{self, Tried, diagnose};
use super::report::growth::Watchdog;
use super::strategy::Strategy;
use super::traces::alike::Alike;
use super::traces::derive::Derivation;
use super::traces::relax::{self, Feasibility};
use super::turns::Options;
use crate::control::{Control, Progress};
use crate::counting::invariants;
use crate::counting::sample::Samples;
use crate::engine::{Board, Found, GROWING, HELP, NEXT, TRIED, Unknown};
use crate::logic::basis::{self, Basis, Triple};
use crate::logic::convert::{self, Item};
use crate::logic::model::{Facts, number};
use crate::logic::predicates::{Instance, Predicates};
use crate::logic::validity::{Act, Validity};
use crate::logic::{print, steps};
use crate::trace::execution;
use crate::trace::{Kind, Trace, Word};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::replay;
use threadproof_format::Expr;
use threadproof_format::proof::{Proof, Witness};
use z3::SatResult;

/// Traces that one strategy excludes by path programs: where it needs more of them it diverges all
/// the same.
const MAX_PATHS: usize = 4;

/// One strategy's basis and history.
pub struct Attempt {
    strategy: Strategy,
    basis: Basis,
    graph: Graph,
    /// Predicates whose missing triples were looked for with the known ones.
    settled: BTreeSet<u32>,
    known: BTreeSet<u32>,
    iterations: usize,
    /// Traces that were excluded with all rounds of their loops.
    paths: usize,
    /// Whether path programs may be tried: not in a first turn, which few programs need more than,
    /// and not again where the loops of a trace had no proof, for then those of others like it have
    /// none either.
    loops: bool,
    /// How the last refinement went.
    state: &'static str,
    ended: bool,
    last: Option<Word>,
    added: Vec<u32>,
    /// Inductive predicates, if the strategy counts and they have been looked for.
    invariants: Vec<Instance>,
    prepared: bool,
    /// The invariants whose inductiveness the basis shows.
    supported: BTreeSet<Instance>,
}

/// The search of one program: what its strategies share, and what each has found.
pub struct Refinement<'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    options: Options,
    watched: Watched<'a>,
    predicates: Predicates<'a>,
    validity: Validity,
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
            facts,
            options,
            watched,
            predicates: Predicates::new(facts),
            validity: Validity::new(facts),
            watchdog: Watchdog::new(facts),
            attempts: Vec::new(),
            samples: None,
            started: Instant::now(),
            posted: None,
        };
        let hints = search.hints();
        let attempt = |strategy: &Strategy| Attempt::new(strategy.clone(), hints.clone());
        let attempts: Vec<Attempt> = search.options.strategies.iter().map(attempt).collect();
        search.post(&attempts);
        search.attempts = attempts;
        search
    }

    /// Gives a strategy its turn; an answer, if it finds one.
    pub fn run(&mut self, attempt: usize, turn: usize) -> Option<Found> {
        if self.exhausted() {
            return None;
        }
        let mut attempts = std::mem::take(&mut self.attempts);
        let found = self.turn(&mut attempts, attempt, turn);
        self.attempts = attempts;
        found
    }

    /// Leaves a report on the board, now and then.
    fn post(&mut self, attempts: &[Attempt]) {
        if self.posted.is_none_or(|last| last.elapsed() >= PERIOD) {
            let report = self.told(attempts, "the search is under way");
            self.watched.board.post(self.watched.part, report);
            self.posted = Some(Instant::now());
        }
    }

    /// The predicates of the hints: they are known from the start, so that reuse finds them.
    fn hints(&mut self) -> BTreeSet<u32> {
        let mut known = BTreeSet::new();
        for (threads, formula) in &self.options.hints {
            // What counts threads helps where they are counted.
            let Some(formula) = self.facts.counters.ghosts(formula) else { continue };
            let variable = |v| Item::variable(v, self.facts.sort(threads, v));
            for conjunct in convert::formula(&formula, &variable).conjuncts() {
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
        let mut start = execution::start(self.facts, &trace, &model)?;
        self.facts.counters.forget(&mut start);
        Some(start)
    }

    /// Whether z3 has done what it may in this search.
    pub fn exhausted(&self) -> bool {
        self.validity.work() >= self.options.work
    }

    /// Finds the invariants of a strategy that counts, once.
    fn find_invariants(&mut self, attempt: &mut Attempt) {
        let Some(level) = attempt.strategy.counters.filter(|_| !attempt.prepared) else { return };
        attempt.prepared = true;
        let facts = self.facts;
        let samples = self.samples.get_or_insert_with(|| Samples::of(facts));
        let hints = attempt.known.iter().map(|p| self.predicates.get(*p));
        let hints = hints.filter(|p| p.threads.is_empty()).map(|p| p.formula().clone());
        let asked = (hints.collect(), level);
        attempt.invariants =
            invariants::invariants(facts, &mut self.predicates, &mut self.validity, samples, asked);
    }

    /// The triples that show that invariants which some triples need are inductive: for each
    /// command the least part of the invariants that suffices.
    fn supporting(&mut self, attempt: &mut Attempt, triples: &mut Vec<Triple>) -> bool {
        let mut next = 0;
        while let Some(triple) = triples.get(next) {
            next += 1;
            for instance in triple.pre.clone() {
                if attempt.invariants.contains(&instance) && attempt.supported.insert(instance) {
                    match self.support(attempt, &instance) {
                        Some(support) => triples.extend(support),
                        None => return false,
                    }
                }
            }
        }
        true
    }

    fn support(&mut self, attempt: &Attempt, invariant: &Instance) -> Option<Vec<Triple>> {
        let mut out = Vec::new();
        let facts = self.facts;
        for (command, of) in facts.commands.iter().enumerate() {
            let wrong = |l: u32| facts.is_error(of.template, l);
            let actor = facts.many[of.template].then_some(0);
            let framed = basis::framed(facts, &self.predicates, command, actor, invariant);
            if framed || wrong(of.source) || wrong(of.target) {
                continue;
            }
            let threads = [number(of.template)];
            let act = Act { facts, threads: &threads, command, thread: 0 };
            let mut candidates = vec![*invariant];
            candidates.extend(attempt.invariants.iter().filter(|i| *i != invariant));
            let pre =
                self.validity.least_precondition(&self.predicates, &act, &candidates, invariant)?;
            out.extend(Basis::variants(&self.predicates, command, actor, &pre, invariant));
        }
        Some(out)
    }

    /// Lets a strategy refine for a while, until its predicates get too large for this turn.
    fn turn(&mut self, all: &mut [Attempt], number: usize, turn: usize) -> Option<Found> {
        let effort = Effort(self.options.effort << (3 * turn));
        self.post(all);
        self.find_invariants(&mut all[number]);
        all[number].loops = turn > 0;
        for _ in 0..self.options.first_turn << turn {
            self.post(all);
            let attempt = &mut all[number];
            if attempt.ended || self.exhausted() {
                return None;
            }
            match self.refine(attempt, effort) {
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
            let mut added = attempt.added.iter().map(|p| self.predicates.get(*p));
            if let Some(growth) = added.find_map(|p| self.watchdog.growth(p, turn)) {
                attempt.state = growth;
                return None;
            }
        }
        None
    }

    fn refine(&mut self, attempt: &mut Attempt, effort: Effort) -> Step {
        let initial = self.initial(attempt);
        let found = self.explore(attempt, &initial, effort);
        self.watched.control.report(&Progress {
            iteration: attempt.iterations,
            predicates: attempt.known.len(),
            triples: attempt.basis.triples.len(),
            configurations: attempt.graph.alive().count(),
            elapsed: self.started.elapsed(),
        });
        attempt.iterations += 1;
        match found {
            Emptiness::Stopped => Step::Paused(diagnosis::TOO_MANY),
            Emptiness::Word(word) => self.treat(attempt, &word),
            Emptiness::Empty(closed) => {
                let automaton = self.automaton(&attempt.basis, &initial);
                let (basis, closed) =
                    shrink::shrink(&automaton, closed, effort, self.watched.control);
                let mut proof = draft::draft(&self.automaton(&basis, &initial), &closed);
                proof.witness = self.witness();
                Step::Done(Found::Draft(proof))
            }
        }
    }

    /// The known predicates that hold at the start.
    fn initial(&mut self, attempt: &Attempt) -> BTreeSet<u32> {
        let holds = |p: &u32| self.validity.initially(self.facts, &self.predicates, *p);
        attempt.known.iter().copied().filter(holds).collect()
    }

    fn automaton<'b>(&'b self, basis: &'b Basis, initial: &'b BTreeSet<u32>) -> Automaton<'b> {
        Automaton { facts: self.facts, predicates: &self.predicates, basis, initial }
    }

    /// Checks emptiness; a word for which there are triples of known predicates at hand is
    /// excluded by them at once.
    fn explore(
        &mut self,
        attempt: &mut Attempt,
        initial: &BTreeSet<u32>,
        effort: Effort,
    ) -> Emptiness {
        loop {
            let automaton = self.automaton(&attempt.basis, initial);
            let found =
                Exploration::new(&automaton, &mut attempt.graph, effort).run(self.watched.control);
            let accepting = attempt.graph.accepting();
            let path = accepting.map(|n| attempt.graph.path(n)).unwrap_or_default();
            let mut gaps = Gaps {
                facts: self.facts,
                predicates: &self.predicates,
                basis: &attempt.basis,
                known: &attempt.known,
                settled: &mut attempt.settled,
            };
            let triples = gaps.fill(&path);
            if triples.is_empty() {
                return found;
            }
            triples.into_iter().for_each(|t| attempt.basis.add(t));
        }
    }

    /// Executes an error trace or proves it infeasible.
    fn treat(&mut self, attempt: &mut Attempt, word: &Word) -> Step {
        attempt.last = Some(word.clone());
        let mut trace = Trace::new(self.facts, word);
        let invariants = attempt.invariants.iter().map(|i| self.predicates.expr(i));
        trace.grant(&invariants.collect::<Vec<Expr>>());
        match relax::feasibility(&trace) {
            Feasibility::Feasible => {
                let model = trace.model();
                let execution = model.and_then(|m| execution::execution(self.facts, &trace, &m));
                // An interrupted z3 may give values that are no execution.
                let program = self.facts.program;
                let replayed = |run: &_| replay::check(program, run, &Budget::default()).is_ok();
                match execution.filter(replayed) {
                    Some(mut execution) => {
                        self.facts.counters.forget(&mut execution.start);
                        Step::Done(Found::Proof(Proof::Counterexample(execution)))
                    }
                    None => Step::Ended("z3 gave no values that execute an error trace"),
                }
            }
            Feasibility::Unknown => {
                Step::Ended("z3 could not decide whether a trace can be executed")
            }
            Feasibility::Infeasible => self.explain(attempt, &mut trace),
        }
    }

    /// Adds the triples of a proof of the trace's path program, or of its infeasible prefix.
    fn explain(&mut self, attempt: &mut Attempt, trace: &mut Trace<'a>) -> Step {
        let found = self.rounds(attempt, trace).or_else(|| self.prefix(attempt, trace));
        let Some(mut triples) = found else {
            return Step::Ended(diagnosis::NO_PROOF);
        };
        if !self.supporting(attempt, &mut triples) {
            return Step::Ended("z3 could not show again that an invariant is inductive");
        }
        if !self.facts.counters.is_empty() {
            let (predicates, validity) = (&self.predicates, &mut self.validity);
            let mut alike =
                Alike { facts: self.facts, predicates, validity, basis: &attempt.basis };
            let further = alike.further(&triples);
            triples.extend(further);
        }
        attempt.add(triples);
        Step::Refined
    }

    /// Triples of a proof of the trace's path program that are not all known. Not where threads are
    /// counted: the counters are many more variables.
    fn rounds(&mut self, attempt: &mut Attempt, trace: &mut Trace<'a>) -> Option<Vec<Triple>> {
        let off = !attempt.loops || attempt.paths == MAX_PATHS;
        if off || !self.facts.counters.is_empty() || !paths::goes_round(self.facts, trace) {
            return None;
        }
        let mut paths = Paths {
            facts: self.facts,
            predicates: &mut self.predicates,
            validity: &mut self.validity,
            known: &attempt.known,
        };
        let found = paths.rounds(trace, &attempt.strategy, &attempt.basis);
        attempt.paths += usize::from(found.is_some());
        attempt.loops = found.is_some();
        found
    }

    /// Triples of a proof of the trace's infeasible prefix, not all known.
    fn prefix(&mut self, attempt: &Attempt, trace: &mut Trace<'a>) -> Option<Vec<Triple>> {
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
        best.map(|(_, triples)| triples)
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
            invariants: &attempt.invariants,
            given: Vec::new(),
            trace,
            needed: Vec::new(),
            links: Vec::new(),
        };
        derivation.run()
    }

    /// What was tried, and why there is no answer.
    pub fn report(&self, reason: &str) -> Unknown {
        self.told(&self.attempts, reason)
    }

    fn told(&self, attempts: &[Attempt], reason: &str) -> Unknown {
        let last = attempts.iter().rev().find_map(|a| a.last.as_ref());
        let added = attempts.iter().rev().find(|a| !a.added.is_empty());
        let all: Vec<Tried<'_>> = attempts.iter().map(Attempt::tried).collect();
        let diagnosis = diagnose(self.facts, &self.predicates, &all, last);
        let predicates = added.map_or_else(Vec::new, |a| {
            a.added.iter().map(|p| self.describe_predicate(*p)).collect()
        });
        Unknown {
            reason: reason.to_owned(),
            details: vec![
                (TRIED, attempts.iter().map(Attempt::line).collect()),
                (diagnosis::TRACE, last.map(|w| self.describe(w)).unwrap_or_default()),
                (diagnosis::PREDICATES, predicates),
                (GROWING, diagnosis.growing),
                (HELP, diagnosis.help),
                (NEXT, diagnosis.next),
            ],
        }
    }

    fn describe(&self, word: &Word) -> Vec<String> {
        let program = self.facts.program;
        let step = |(command, thread): &(usize, u8)| {
            let command = &self.facts.commands[*command];
            let template = number(command.template);
            let name = steps::thread_name(program, template, u32::from(*thread) + 1);
            (name, template, number(command.edge))
        };
        steps::lines(program, word.steps.iter().map(step))
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
            graph: Graph::default(),
            settled: BTreeSet::new(),
            known,
            iterations: 0,
            paths: 0,
            loops: false,
            state: "not tried",
            ended: false,
            last: None,
            added: Vec::new(),
            invariants: Vec::new(),
            prepared: false,
            supported: BTreeSet::new(),
        }
    }

    /// What the strategy did, in a line.
    fn line(&self) -> String {
        let paths = match self.paths {
            0 => String::new(),
            paths => format!(" ({paths} by path programs)"),
        };
        format!(
            "{}: {} refinements{paths}, {} predicates, {} triples; {}",
            self.strategy.name,
            self.iterations,
            self.known.len(),
            self.basis.triples.len(),
            self.state,
        )
    }

    fn tried(&self) -> Tried<'_> {
        Tried { name: self.strategy.name, known: &self.known, state: self.state }
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
        if !self.added.is_empty() {
            self.known.extend(&self.added);
            self.settled.clear();
        }
        for triple in triples {
            self.basis.add(triple);
        }
    }
}

//! Strategies side by side on one program. They are dealt to threads; on each thread the engines
//! take turns by growing budgets. The first proof is given out at once: the other threads are asked
//! to stop, and left alone if they do not.

use crate::certify::hints::{self, CertifyError};
use crate::certify::invariant::{self, Extent};
use crate::control::Control;
use crate::engine::{
    self, Board, Budget, Engine, Found, Ghosted, Search, Step, TRIED, Task, Unknown,
};
use crate::logic::counters;
use crate::solve;
use crate::source::Annotation;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;

/// How often the caller's wish to stop is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// How long a thread that was asked to stop may take to say what it tried.
const GRACE: Duration = Duration::from_millis(300);

/// The stack of a thread: that of a main thread.
const STACK: usize = 8 << 20;

/// A strategy of some engine.
#[derive(Clone, Copy)]
pub struct Strategy {
    /// The engine.
    pub engine: &'static dyn Engine,
    /// The strategy's name.
    pub name: &'static str,
}

impl fmt::Debug for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Strategy {
    /// The strategies of all engines, in the order in which they are tried.
    pub fn all() -> Vec<Strategy> {
        let of = |engine: &'static dyn Engine| {
            engine.strategies().into_iter().map(move |name| Strategy { engine, name })
        };
        engine::all().into_iter().flat_map(of).collect()
    }

    /// The strategy with this name.
    pub fn named(name: &str) -> Option<Strategy> {
        Strategy::all().into_iter().find(|strategy| strategy.name == name)
    }
}

/// What is tried, and on how many threads.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The strategies.
    pub strategies: Vec<Strategy>,
    /// How many threads share them. With one, the same program always gives the same certificate.
    pub threads: usize,
    /// How far engines may go.
    pub budget: Budget,
    /// What z3 may do for the invariants of one abstracted thread, in its own unit.
    pub conformance_work: u32,
}

impl Default for Plan {
    /// All strategies in turn, on one thread.
    fn default() -> Self {
        Plan {
            strategies: Strategy::all(),
            threads: 1,
            budget: Budget::of_turns(3),
            conformance_work: engine::conformance::WORK,
        }
    }
}

impl Plan {
    /// The same with no more than so many turns of each strategy.
    pub(super) fn within(&self, turns: usize) -> Plan {
        Plan { budget: self.budget.min(Budget::of_turns(turns)), ..self.clone() }
    }

    /// The share of each thread, none empty: strategies are dealt in turn.
    fn shares(&self) -> Vec<Vec<Strategy>> {
        let threads = self.threads.clamp(1, self.strategies.len().max(1));
        let mut shares = vec![Vec::new(); threads];
        for (i, strategy) in self.strategies.iter().enumerate() {
            shares[i % threads].push(*strategy);
        }
        shares
    }
}

/// The first proof that is found, complete, or why there is none.
///
/// # Errors
/// What was tried.
pub fn find(
    program: &Program,
    annotations: &[Annotation],
    plan: &Plan,
    control: &Control,
) -> Result<Proof, Unknown> {
    control.begin("searching for a proof");
    let hints = annotations.iter().map(|a| (a.threads.clone(), a.formula.clone())).collect();
    let problem = Arc::new(Problem { program: program.clone(), hints, budget: plan.budget });
    let own = control.part();
    let (results, received) = mpsc::channel();
    let mut team = Team { boards: Vec::new(), threads: Vec::new(), received };
    for share in plan.shares() {
        let share = by_engine(&share);
        team.boards.extend(share.iter().map(|(_, _, board)| board.clone()));
        let (problem, own, results) = (problem.clone(), own.clone(), results.clone());
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || {
            let found = solve::watched(&own, || search(&problem, &share, &own));
            // Nobody listens any more once there is a winner.
            let _ = results.send(found);
        });
        team.threads.push(thread.map_err(|e| format!("could not start a search thread: {e}"))?);
    }
    drop(results);
    let found = team.first(control);
    own.stop.store(true, Ordering::Relaxed);
    found.ok_or_else(|| team.unknown(control))
}

/// What all threads of a search share.
struct Problem {
    program: Program,
    hints: Vec<(Vec<u32>, Expr)>,
    budget: Budget,
}

/// The strategies of one engine, and where its search reports.
type Share = (&'static dyn Engine, Vec<&'static str>, Board);

/// A thread's strategies by engine, in the order in which engines occur.
fn by_engine(strategies: &[Strategy]) -> Vec<Share> {
    let mut out: Vec<Share> = Vec::new();
    for Strategy { engine, name } in strategies {
        match out.iter_mut().find(|(known, _, _)| known.name() == engine.name()) {
            Some((_, names, _)) => names.push(name),
            None => out.push((*engine, vec![name], Board::default())),
        }
    }
    out
}

/// The threads of a search.
struct Team {
    boards: Vec<Board>,
    threads: Vec<JoinHandle<()>>,
    received: mpsc::Receiver<Option<Proof>>,
}

impl Team {
    /// Waits for the first proof, until all threads have ended or the caller wants no more; then
    /// only for those that end soon.
    fn first(&mut self, control: &Control) -> Option<Proof> {
        let mut stopped: Option<Instant> = None;
        loop {
            match self.received.recv_timeout(PERIOD) {
                Ok(Some(proof)) => return Some(proof),
                Ok(None) => {}
                Err(mpsc::RecvTimeoutError::Timeout) if control.should_stop() => {
                    if stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                        return None;
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    self.end();
                    return None;
                }
            }
        }
    }

    /// All threads have ended: a panic of one of them is a panic of the search.
    fn end(&mut self) {
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    }

    /// The latest reports of all searches in one.
    fn unknown(&self, control: &Control) -> Unknown {
        let all = self.boards.iter().filter_map(Board::read);
        let mut unknown = all.reduce(Unknown::and).unwrap_or_default();
        if control.should_stop() {
            unknown.reason = "the search was stopped".to_owned();
        }
        unknown
    }
}

/// One thread's share of the search.
fn search(problem: &Problem, share: &[Share], control: &Control) -> Option<Proof> {
    let program = &problem.program;
    let ghosted = Ghosted::new(program);
    let [plain, counting] = &ghosted.models();
    let hints = &problem.hints;
    let counts = counters::mentioned(program);
    let mut searches = Vec::new();
    for (engine, names, board) in share {
        if counts && !engine.counts() {
            board.finish(counted(names));
            continue;
        }
        let task = Task { program, plain, counting, hints, control, board };
        searches.push((engine.start(names, task), board));
    }
    let found = take_turns(program, &mut searches, problem.budget, control);
    if found.is_none() {
        searches.iter().for_each(|(search, board)| board.finish(search.report()));
    }
    found
}

/// Why an engine is not for a program whose commands count threads.
fn counted(names: &[&'static str]) -> Unknown {
    let lines = names.iter().map(|name| format!("{name}: the program counts threads"));
    Unknown { reason: "no strategy finished".to_owned(), details: vec![(TRIED, lines.collect())] }
}

/// Grants growing budgets to all searches in turn, until one has a proof or none goes on.
fn take_turns(
    program: &Program,
    searches: &mut [(Box<dyn Search + '_>, &Board)],
    last: Budget,
    control: &Control,
) -> Option<Proof> {
    let mut open = vec![true; searches.len()];
    for budget in last.up_to() {
        for ((search, _), open) in searches.iter_mut().zip(&mut open) {
            while *open && !control.should_stop() {
                match search.run(budget) {
                    Step::Found(found) => match complete(program, found, control) {
                        Ok(proof) => return Some(proof),
                        Err(why) => search.refused(why.to_string()),
                    },
                    Step::NotYet => break,
                    Step::Exhausted => *open = false,
                }
            }
        }
        if !open.contains(&true) || control.should_stop() {
            break;
        }
    }
    None
}

/// Why what was found makes no proof.
#[derive(Debug, thiserror::Error)]
enum Incomplete {
    /// It was a draft.
    #[error("the proof could not be completed: {0}")]
    Draft(#[from] CertifyError),
    /// It was an invariant.
    #[error(transparent)]
    Invariant(#[from] invariant::Failure),
}

/// The proof that something found makes.
fn complete(program: &Program, found: Found, control: &Control) -> Result<Proof, Incomplete> {
    let proof = match found {
        Found::Draft(draft) => hints::complete(program, draft, control)?,
        Found::Invariant(found) => invariant::certify(program, &found, Extent::Needed, control)?,
        Found::Proof(proof) => return Ok(proof),
    };
    Ok(Proof::ProofSpace(proof))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use threadproof_format::proof::counterexample::{Counterexample, State};
    use threadproof_format::proof::proof_space::ProofSpace;

    /// What a run of a test's engine does.
    type Act = fn(Budget) -> Step;

    /// An engine with one strategy, whose runs are noted.
    #[derive(Debug)]
    struct Acting {
        name: &'static str,
        act: Act,
        counts: bool,
    }

    impl Acting {
        const fn new(name: &'static str, act: Act) -> Self {
            Acting { name, act, counts: true }
        }
    }

    struct Running<'p>(&'static str, Act, Task<'p>);

    static LOG: Mutex<Vec<(&str, usize)>> = Mutex::new(Vec::new());

    impl Engine for Acting {
        fn name(&self) -> &'static str {
            self.name
        }
        fn strategies(&self) -> Vec<&'static str> {
            vec![self.name]
        }
        fn counts(&self) -> bool {
            self.counts
        }
        fn start<'p>(&self, _: &[&'static str], task: Task<'p>) -> Box<dyn Search + 'p> {
            let search = Running(self.name, self.act, task);
            search.2.board.post(0, search.report());
            Box::new(search)
        }
    }

    impl Search for Running<'_> {
        fn run(&mut self, budget: Budget) -> Step {
            LOG.lock().expect("no panic").push((self.0, budget.0));
            (self.1)(budget)
        }
        fn refused(&mut self, why: String) {
            assert!(why.starts_with("the proof could not be completed"), "{why}");
            self.1 = |_| Step::Exhausted;
        }
        fn report(&self) -> Unknown {
            let details = vec![(TRIED, vec![format!("{}: under way", self.0)])];
            Unknown { reason: "no end".to_owned(), details }
        }
    }

    fn plan(engines: &[&'static Acting], threads: usize) -> Plan {
        let strategy = |of: &&'static Acting| Strategy { engine: *of, name: of.name };
        let strategies = engines.iter().map(strategy).collect();
        Plan { strategies, threads, ..Plan::default() }
    }

    fn run() -> Proof {
        let start = State { globals: Vec::new(), threads: Vec::new() };
        Proof::Counterexample(Counterexample { start, schedule: Vec::new() })
    }

    fn searched(text: &str, plan: &Plan, control: &Control) -> Result<Proof, Unknown> {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(text).expect("a program");
        find(&program, &[], plan, control)
    }

    const PROGRAM: &str = "core 1;\nmany t { location a; location b error; edge a -> b { } }";

    fn never(_: Budget) -> Step {
        std::thread::sleep(Duration::from_secs(60));
        Step::NotYet
    }

    static DEAF: Acting = Acting::new("deaf", never);
    static QUICK: Acting = Acting::new("quick", |_| Step::Found(Found::Proof(run())));

    #[test]
    fn what_is_found_does_not_wait_for_an_engine_that_never_looks_at_the_flag() {
        let start = Instant::now();
        let found = searched(PROGRAM, &plan(&[&DEAF, &QUICK], 2), &Control::default());
        assert_eq!(found, Ok(run()));
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn at_the_limit_the_latest_reports_are_there() {
        let control = Control::default();
        let stop = control.stop.clone();
        let limit = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            stop.store(true, Ordering::Relaxed);
        });
        let start = Instant::now();
        let unknown = searched(PROGRAM, &plan(&[&DEAF], 1), &control).expect_err("no proof");
        assert_eq!(unknown.lines(TRIED), ["deaf: under way"]);
        assert_eq!(unknown.reason, "the search was stopped");
        assert!(start.elapsed() < Duration::from_secs(10));
        limit.join().expect("no panic");
    }

    fn draft(budget: Budget) -> Step {
        if budget < Budget(1) {
            return Step::NotYet;
        }
        Step::Found(Found::Draft(ProofSpace::default()))
    }

    static OPEN: Acting = Acting::new("open", |_| Step::NotYet);
    static WRONG: Acting = Acting::new("wrong draft", draft);

    #[test]
    fn engines_take_turns_and_go_on_without_what_makes_no_proof() {
        let plan = Plan { budget: Budget(2), ..plan(&[&OPEN, &WRONG], 1) };
        let unknown = searched(PROGRAM, &plan, &Control::default()).expect_err("no proof");
        assert_eq!(unknown.lines(TRIED), ["open: under way", "wrong draft: under way"]);
        let mine = |(name, _): &&(&str, usize)| *name == "open" || *name == "wrong draft";
        let log = LOG.lock().expect("no panic");
        let runs: Vec<(&str, usize)> = log.iter().filter(mine).copied().collect();
        let (open, wrong) = ("open", "wrong draft");
        let expected = [(open, 0), (wrong, 0), (open, 1), (wrong, 1), (wrong, 1), (open, 2)];
        assert_eq!(runs, expected);
    }

    static BLIND: Acting =
        Acting { counts: false, ..Acting::new("blind", |_| Step::Found(Found::Proof(run()))) };

    #[test]
    fn an_engine_that_sees_no_counters_is_not_started_where_the_program_counts() {
        let counting = "core 1;
many t { location a; location c; location b error;
  edge a -> c { } edge c -> b { when #t.c >= 2; } }";
        let plan = plan(&[&BLIND], 1);
        let unknown = searched(counting, &plan, &Control::default()).expect_err("no proof");
        assert_eq!(unknown.lines(TRIED), ["blind: the program counts threads"]);
        assert_eq!(searched(PROGRAM, &plan, &Control::default()), Ok(run()));
    }

    #[test]
    fn each_strategy_is_found_by_its_name() {
        for strategy in Strategy::all() {
            let found = Strategy::named(strategy.name).expect("a strategy");
            assert_eq!(found.engine.name(), strategy.engine.name());
        }
        assert!(Strategy::named("no such").is_none());
    }
}

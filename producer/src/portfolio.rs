//! Strategies side by side: each thread takes turns with some of them, the first answer wins, and
//! the others are stopped.

use crate::certify;
use crate::certify::invariant::Extent;
use crate::engine::control::Control;
use crate::engine::explore::{Answer, Explore};
use crate::engine::horn;
use crate::engine::houdini;
use crate::engine::proof_space::{self, Between, Options, Outcome};
use crate::frontend::Clause;
use crate::invariant::Invariant;
use crate::prove::Unknown;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;

/// How often the caller's wish to stop is looked at.
const PERIOD: Duration = Duration::from_millis(10);

/// A way to look for a proof.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// By error traces and their proofs.
    Traces(proof_space::Strategy),
    /// By facts about few threads that are inductive together.
    Houdini(houdini::Strategy),
    /// By an inductive invariant that solves Horn clauses.
    Horn(horn::Strategy),
    /// For executions alone.
    Executions,
}

impl Strategy {
    /// All strategies, in the order in which they are tried.
    pub fn portfolio() -> Vec<Strategy> {
        let traces = proof_space::Strategy::portfolio().into_iter().map(Strategy::Traces);
        let facts = houdini::Strategy::portfolio().into_iter().map(Strategy::Houdini);
        let traces = traces.chain(facts);
        traces.chain(horn::Strategy::portfolio().into_iter().map(Strategy::Horn)).collect()
    }

    /// Name, for reports and the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Strategy::Traces(strategy) => strategy.name,
            Strategy::Houdini(strategy) => strategy.name,
            Strategy::Horn(strategy) => strategy.name,
            Strategy::Executions => "executions",
        }
    }
}

/// What is tried, and on how many threads.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The strategies.
    pub strategies: Vec<Strategy>,
    /// How many threads share them. With one, the same program always gives the same certificate.
    pub threads: usize,
    /// What the program's text says to help.
    pub clauses: Vec<Clause>,
    /// Turns of each strategy; with one they have their first turns only.
    pub turns: usize,
}

impl Default for Plan {
    /// All strategies in turn, on one thread.
    fn default() -> Self {
        let turns = Options::default().turns;
        Plan { strategies: Strategy::portfolio(), threads: 1, clauses: Vec::new(), turns }
    }
}

impl Plan {
    /// What the clauses say.
    fn hints(&self) -> Vec<(Vec<u32>, Expr)> {
        self.clauses.iter().map(|c| (c.threads.clone(), c.formula.clone())).collect()
    }

    /// The share of each thread, none empty: strategies are dealt in turn.
    fn shares(&self) -> Vec<Vec<Strategy>> {
        let threads = self.threads.clamp(1, self.strategies.len().max(1));
        let mut shares = vec![Vec::new(); threads];
        for (i, strategy) in self.strategies.iter().enumerate() {
            shares[i % threads].push(strategy.clone());
        }
        shares
    }
}

/// The first proof that is found, complete, or why there is none.
///
/// # Errors
/// What was tried.
pub fn find(program: &Program, plan: &Plan, control: &Control) -> Result<Proof, Unknown> {
    let shares = plan.shares();
    if let [share] = &shares[..] {
        return search(program, plan, share, control);
    }
    // The losers have a hold of their own, which the winner or the caller sets.
    let own = Control { progress: control.progress.clone(), ..Control::default() };
    let (results, received) = mpsc::channel();
    std::thread::scope(|scope| {
        for (number, share) in shares.iter().enumerate() {
            let (results, own) = (results.clone(), &own);
            scope.spawn(move || {
                let result = search(program, plan, share, own);
                // Nobody listens any more once there is a winner.
                let _ = results.send((number, result));
            });
        }
        drop(results);
        let answer = first(&received, &own, control, shares.len());
        own.stop.store(true, Ordering::Relaxed);
        answer
    })
}

/// Waits for the first proof; without one puts together what all threads tried.
fn first(
    received: &mpsc::Receiver<(usize, Result<Proof, Unknown>)>,
    own: &Control,
    control: &Control,
    threads: usize,
) -> Result<Proof, Unknown> {
    let mut failed = Vec::new();
    while failed.len() < threads {
        match received.recv_timeout(PERIOD) {
            Ok((_, Ok(proof))) => return Ok(proof),
            Ok((number, Err(unknown))) => failed.push((number, unknown)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                if control.should_stop() {
                    own.stop.store(true, Ordering::Relaxed);
                }
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
    }
    failed.sort_by_key(|(number, _)| *number);
    let all = failed.into_iter().map(|(_, unknown)| unknown);
    Err(all.reduce(together).unwrap_or_default())
}

/// Two reports in one: the first one's reason, the details of both.
fn together(mut first: Unknown, second: Unknown) -> Unknown {
    for (title, lines) in second.details {
        match first.details.iter_mut().find(|(known, _)| *known == title) {
            // One trace is enough, and its lines belong together.
            Some((_, known)) if known.is_empty() || LISTS.contains(&title) => {
                let new: Vec<String> = lines.into_iter().filter(|l| !known.contains(l)).collect();
                known.extend(new);
            }
            Some(_) => {}
            None => first.details.push((title, lines)),
        }
    }
    first
}

/// The title of the list with a line for each strategy.
const TRIED: &str = "tried";

/// The title of the list of predicates that grow.
const GROWING: &str = "predicates that grow";

/// The title of the list of what a proof may lack.
const HELP: &str = "what would help";

/// The title of the list of what a person can do.
const NEXT: &str = "how to go on";

/// The titles of lists whose lines stand for themselves.
const LISTS: [&str; 4] = [TRIED, GROWING, HELP, NEXT];

/// One thread's share: traces first, which alone find counterexamples; in the pauses between their turns,
/// facts about few threads and Horn clauses.
fn search(
    program: &Program,
    plan: &Plan,
    strategies: &[Strategy],
    control: &Control,
) -> Result<Proof, Unknown> {
    let (mut traces, mut executions) = (Vec::new(), false);
    let mut others = Invariants {
        program,
        plan,
        control,
        facts: Vec::new(),
        clauses: Vec::new(),
        failed: Vec::new(),
    };
    for strategy in strategies.iter().cloned() {
        match strategy {
            Strategy::Traces(strategy) => traces.push(strategy),
            Strategy::Houdini(strategy) => others.facts.push(strategy),
            Strategy::Horn(strategy) => others.clauses.push(strategy),
            Strategy::Executions => executions = true,
        }
    }
    let mut failed = None;
    if executions {
        let turns = if strategies.len() == 1 { u64::MAX } else { 1 };
        match by_executions(program, turns, control) {
            Ok(proof) => return Ok(proof),
            Err(unknown) => failed = Some(unknown),
        }
    }
    if !traces.is_empty() {
        let mut found = None;
        let mut between = |pause: usize| {
            found = PARTS.get(pause).and_then(|part| others.turn(*part));
            found.is_some()
        };
        let answer = by_traces(program, plan, traces, (control, &mut between));
        match found.map_or(answer, Ok) {
            Ok(proof) => return Ok(proof),
            Err(unknown) => failed = failed.into_iter().chain([unknown]).reduce(together),
        }
    }
    if plan.turns > 1
        && let Some(proof) = others.turn(1)
    {
        return Ok(proof);
    }
    let all = failed.into_iter().chain(others.failures());
    Err(all.reduce(together).unwrap_or_default())
}

/// In each pause of the traces, which part of their work the strategies by Horn clauses may do: as their
/// first turn is cheap, so is the traces'.
const PARTS: [u32; 2] = [8, 1];

/// The strategies of a thread that look for invariants.
struct Invariants<'a> {
    program: &'a Program,
    plan: &'a Plan,
    control: &'a Control,
    /// Those by facts about few threads that have not been tried.
    facts: Vec<houdini::Strategy>,
    /// Those by Horn clauses that more work may help.
    clauses: Vec<horn::Strategy>,
    /// What the others ended with.
    failed: Vec<(&'static str, String)>,
}

impl Invariants<'_> {
    /// Lets each strategy work: those by Horn clauses do a part of their work, from the start again.
    fn turn(&mut self, part: u32) -> Option<Proof> {
        for strategy in std::mem::take(&mut self.facts) {
            if self.control.should_stop() {
                return None;
            }
            match self.by_facts(&strategy) {
                Ok(proof) => return Some(proof),
                Err(why) => self.failed.push((strategy.name, why)),
            }
        }
        for strategy in std::mem::take(&mut self.clauses) {
            if self.control.should_stop() {
                return None;
            }
            let now = horn::Strategy { work: strategy.work / part, ..strategy.clone() };
            match self.by_clauses(&now) {
                Ok(proof) => return Some(proof),
                Err(Fruitless::Unfinished(_)) if part > 1 => self.clauses.push(strategy),
                Err(Fruitless::Unfinished(why) | Fruitless::Ended(why)) => {
                    self.failed.push((strategy.name, why));
                }
            }
        }
        None
    }

    /// Looks for facts about few threads and makes a proof of them.
    fn by_facts(&self, strategy: &houdini::Strategy) -> Result<Proof, String> {
        let found = houdini::solve(self.program, strategy, &self.plan.hints(), self.control);
        self.certified(&found.map_err(|e| e.to_string())?)
    }

    /// Solves Horn clauses and makes a proof of the invariant.
    fn by_clauses(&self, strategy: &horn::Strategy) -> Result<Proof, Fruitless> {
        let invariant = horn::solve(self.program, strategy, self.control);
        let invariant = invariant.map_err(|why| match why {
            horn::Why::Unknown(_) => Fruitless::Unfinished(why.to_string()),
            why => Fruitless::Ended(why.to_string()),
        })?;
        self.certified(&invariant).map_err(Fruitless::Ended)
    }

    fn certified(&self, invariant: &Invariant) -> Result<Proof, String> {
        certify::invariant::certify(self.program, invariant, Extent::Needed, self.control)
            .map(Proof::ProofSpace)
            .map_err(|e| e.to_string())
    }

    /// Why there is no proof, for each strategy.
    fn failures(self) -> impl Iterator<Item = Unknown> {
        self.failed.into_iter().map(|(name, why)| Unknown {
            reason: "no strategy came to an end".to_owned(),
            details: vec![(TRIED, vec![format!("{name}: {why}")])],
        })
    }
}

/// Why Horn clauses gave no proof.
enum Fruitless {
    /// More work may help.
    Unfinished(String),
    /// It would not.
    Ended(String),
}

/// Searches for an execution, for so many turns.
fn by_executions(program: &Program, turns: u64, control: &Control) -> Result<Proof, Unknown> {
    let mut search = Explore::new(program);
    let mut why = "no execution to an error was found".to_owned();
    for _ in 0..turns {
        match search.run(TURN, control) {
            Answer::Found(run) => return Ok(Proof::Counterexample(run)),
            Answer::Exhausted(reason) => {
                why = reason;
                break;
            }
            Answer::NotYet if control.should_stop() => break,
            Answer::NotYet => {}
        }
    }
    Err(Unknown { reason: why, details: vec![(TRIED, vec![search.looked_at()])] })
}

/// How much of the search for executions is done at a time: some tens of milliseconds.
const TURN: u64 = 100_000;

/// Searches for traces without a proof, and completes the proof that is found.
fn by_traces(
    program: &Program,
    plan: &Plan,
    strategies: Vec<proof_space::Strategy>,
    (control, between): (&Control, &mut Between),
) -> Result<Proof, Unknown> {
    let turns = plan.turns;
    let options = Options { strategies, turns, hints: plan.hints(), ..Options::default() };
    match proof_space::prove_between(program, &options, control, between) {
        Outcome::Safe(draft) => certify::hints::complete(program, draft, control)
            .map(Proof::ProofSpace)
            .map_err(|e| format!("the proof could not be completed: {e}").into()),
        Outcome::Unsafe(run) => Ok(Proof::Counterexample(run)),
        Outcome::Unknown(why) => Err(Unknown {
            reason: why.reason,
            details: vec![
                (TRIED, why.tried),
                ("last trace without a proof", why.trace),
                ("newest predicates", why.predicates),
                (GROWING, why.growing),
                (HELP, why.help),
                (NEXT, why.next),
            ],
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock: that two threads are not at b takes two threads.
    const PROGRAM: &str = "core 1;
global g: int;
init g == 0;
many t {
  location a; location b; location wrong error;
  edge a -> b { when g == 0; g := 1; }
  edge b -> wrong { when g != 1; }
  edge b -> a { g := 0; }
}";

    fn level(level: usize) -> horn::Strategy {
        let name = if level == 1 { "level 1" } else { "level 2" };
        horn::Strategy { name, level, counters: None, work: 5_000_000 }
    }

    #[test]
    fn more_work_is_done_only_where_it_may_help() {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        let (control, plan) = (Control::default(), Plan::default());
        let mut others = Invariants {
            program: &program,
            plan: &plan,
            control: &control,
            facts: Vec::new(),
            clauses: vec![level(1), level(2)],
            failed: Vec::new(),
        };
        assert!(others.turn(5_000_000).is_none());
        let levels = |list: &[horn::Strategy]| list.iter().map(|s| s.level).collect::<Vec<_>>();
        assert_eq!((levels(&others.clauses), others.failed.len()), (vec![1, 2], 0));
        assert!(others.turn(1).is_some());
        // One thread alone does not show it.
        let ended: Vec<&str> = others.failed.iter().map(|(name, _)| *name).collect();
        assert_eq!((levels(&others.clauses), ended), (vec![], vec!["level 1"]));
        assert_eq!(others.failures().count(), 1);
    }
}

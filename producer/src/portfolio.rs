//! Strategies side by side: each thread takes turns with some of them, the first answer wins, and
//! the others are stopped.

use crate::certify;
use crate::engine::control::Control;
use crate::engine::horn;
use crate::engine::houdini;
use crate::engine::proof_space::{self, Options, Outcome};
use crate::frontend::Clause;
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
}

impl Default for Plan {
    /// All strategies in turn, on one thread.
    fn default() -> Self {
        Plan { strategies: Strategy::portfolio(), threads: 1, clauses: Vec::new() }
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

/// One thread's share: traces first, which alone find counterexamples; after their first turns,
/// facts about few threads; Horn clauses at last.
fn search(
    program: &Program,
    plan: &Plan,
    strategies: &[Strategy],
    control: &Control,
) -> Result<Proof, Unknown> {
    let (mut traces, mut facts, mut clauses) = (Vec::new(), Vec::new(), Vec::new());
    for strategy in strategies {
        match strategy {
            Strategy::Traces(strategy) => traces.push(strategy.clone()),
            Strategy::Houdini(_) => facts.push(strategy),
            Strategy::Horn(_) => clauses.push(strategy),
        }
    }
    let mut by_facts = Attempts { program, plan, control, proof: None, failed: Vec::new() };
    let mut failed = Vec::new();
    if traces.is_empty() {
        by_facts.run(&facts);
    } else {
        let found = by_traces(program, plan, traces, control, &mut || by_facts.run(&facts));
        match (found, by_facts.proof.take()) {
            (Ok(proof), _) | (_, Some(proof)) => return Ok(proof),
            (Err(unknown), None) => failed.push(unknown),
        }
    }
    if by_facts.proof.is_none() {
        by_facts.run(&clauses);
    }
    failed.append(&mut by_facts.failed);
    let failed = || failed.into_iter().reduce(together).unwrap_or_default();
    by_facts.proof.ok_or_else(failed)
}

/// What strategies that look for invariants have found.
struct Attempts<'a> {
    program: &'a Program,
    plan: &'a Plan,
    control: &'a Control,
    proof: Option<Proof>,
    failed: Vec<Unknown>,
}

impl Attempts<'_> {
    /// Tries one strategy after the other; whether one has found a proof.
    fn run(&mut self, strategies: &[&Strategy]) -> bool {
        for strategy in strategies {
            if self.control.should_stop() {
                break;
            }
            match by_invariant(self.program, self.plan, strategy, self.control) {
                Ok(proof) => {
                    self.proof = Some(proof);
                    return true;
                }
                Err(unknown) => self.failed.push(unknown),
            }
        }
        false
    }
}

/// Looks for an invariant and makes a proof of it.
fn by_invariant(
    program: &Program,
    plan: &Plan,
    strategy: &Strategy,
    control: &Control,
) -> Result<Proof, Unknown> {
    let failed = |why: String| Unknown {
        reason: "no strategy came to an end".to_owned(),
        details: vec![(TRIED, vec![format!("{}: {why}", strategy.name())])],
    };
    let found = match strategy {
        Strategy::Horn(strategy) => {
            horn::solve(program, strategy, control).map_err(|e| e.to_string())
        }
        Strategy::Houdini(strategy) => {
            houdini::solve(program, strategy, &plan.hints(), control).map_err(|e| e.to_string())
        }
        Strategy::Traces(_) => unreachable!("traces give proofs"),
    };
    let invariant = found.map_err(failed)?;
    certify::invariant::certify(program, &invariant, control)
        .map(Proof::ProofSpace)
        .map_err(|e| failed(e.to_string()))
}

/// Searches for traces without a proof, and completes the proof that is found.
fn by_traces(
    program: &Program,
    plan: &Plan,
    strategies: Vec<proof_space::Strategy>,
    control: &Control,
    between: &mut proof_space::Between,
) -> Result<Proof, Unknown> {
    let options = Options { strategies, hints: plan.hints(), ..Options::default() };
    match proof_space::prove_with(program, &options, control, between) {
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

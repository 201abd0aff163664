//! Random small programs, each judged by the prover and by brute force: what is proved safe has no
//! execution to an error with 1 to 4 threads of each template, and what is refuted goes wrong.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and
//! the first one's seed; `make random` runs many, with more effort for each.

use std::time::Instant;
use threadproof_checker::internals::core_form;
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::{Certificate, Proof};
use threadproof_producer::prove::{Verdict, prove};
use threadproof_producer::source::Source;
use threadproof_tests::explicit;
use threadproof_tests::explicit::{Bounds, Explored, State, Step, Value, explore};
use threadproof_tests::limited;
use threadproof_tests::property;
use threadproof_tests::random::RandomProgram;

/// Programs, if nothing else is said.
const PROGRAMS: u64 = 2_000;

/// The most threads of each template that brute force tries.
const THREADS: usize = 4;

/// Initial integers and inputs that brute force tries.
const VALUES: std::ops::RangeInclusive<i64> = -1..=2;

/// How much is done for one program. All of it is counted, so that a seed always gives one answer.
#[derive(Clone, Copy)]
struct Effort {
    /// Refinements after which the prover is stopped.
    refinements: usize,
    /// Predicates after which the prover is stopped.
    predicates: usize,
    /// States that brute force visits for each number of threads.
    states: usize,
}

/// What came out for one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// Proved safe. Whether brute force visited all states within its ranges.
    Safe { all: bool },
    /// Refuted. Whether brute force looked in the counterexample's range, and found an error too.
    Unsafe { found: bool },
    /// Neither. Whether brute force finds an error.
    Unknown { wrong: bool },
}

/// What the prover says, within the effort.
fn verdict(program: &Program, core: &str, effort: Effort) -> Verdict {
    let source = Source::with_core(program.clone(), core.to_owned(), Vec::new());
    let control = limited::control(effort.refinements, effort.predicates);
    prove(&source, &limited::plan(), &control).verdict
}

fn bounds(threads: usize, effort: Effort) -> Bounds {
    Bounds { threads, values: VALUES.collect(), states: effort.states }
}

/// An error within the bounds, or whether all states were visited.
fn brute_force(program: &Program, effort: Effort) -> Result<bool, (State, Vec<Step>)> {
    let mut all = true;
    for threads in 1..=THREADS {
        match explore(program, &bounds(threads, effort)) {
            Explored::Error(start, steps) => return Err((start, steps)),
            Explored::All => {}
            Explored::Some => all = false,
        }
        if !all {
            break;
        }
    }
    Ok(all)
}

/// Executes a counterexample by the explicit semantics; whether brute force looks in its range.
fn execute(program: &Program, run: &Counterexample) -> Result<bool, String> {
    let Some((start, steps)) = explicit::execute(program, run)? else { return Ok(false) };
    let locals = start.threads.iter().flat_map(|t| &t.locals);
    let values = start.globals.iter().chain(locals).chain(steps.iter().flat_map(|s| &s.2));
    let few = (0..program.templates.len())
        .all(|t| start.threads.iter().filter(|thread| thread.template == t).count() <= THREADS);
    Ok(few && values.into_iter().all(in_range))
}

/// Whether brute force tries this value.
fn in_range(value: &Value) -> bool {
    match value {
        Value::Int(i) => VALUES.contains(i),
        Value::Bool(_) => true,
        Value::Array(default, entries) => entries.is_empty() && in_range(default),
    }
}

/// Judges a program; an error says how prover and brute force contradict each other.
fn judge(core: &str, effort: Effort) -> Result<Finding, String> {
    let (program, _) = core_form::parse(core).map_err(|e| format!("no program: {e}"))?;
    match verdict(&program, core, effort) {
        Verdict::Certified(claim, bytes) => {
            let certificate: Certificate = cbor::decode(&bytes).map_err(|e| e.to_string())?;
            if claim.conclusion != certificate.proof.conclusion() {
                return Err(format!("the claim is not the proof's: {}", claim.statement));
            }
            match certificate.proof {
                Proof::ProofSpace(_) => match brute_force(&program, effort) {
                    Ok(all) => Ok(Finding::Safe { all }),
                    Err((start, steps)) => Err(format!("safe, but {start:?} {steps:?}")),
                },
                Proof::Counterexample(run) => refuted(&program, &run, effort),
            }
        }
        Verdict::Unknown(why) if why.reason.contains("the checker does not accept") => {
            Err(why.reason)
        }
        Verdict::Unknown(_) => {
            Ok(Finding::Unknown { wrong: brute_force(&program, effort).is_err() })
        }
    }
}

fn refuted(program: &Program, run: &Counterexample, effort: Effort) -> Result<Finding, String> {
    let covered = execute(program, run).map_err(|e| format!("unsafe, but {e}: {run:?}"))?;
    match brute_force(program, effort) {
        Err(_) => Ok(Finding::Unsafe { found: true }),
        Ok(true) if covered => Err(format!("unsafe, but brute force finds no error: {run:?}")),
        Ok(_) => Ok(Finding::Unsafe { found: false }),
    }
}

/// Findings of one kind, in a hundred programs.
fn percent(findings: &[Finding], kind: impl Fn(&Finding) -> bool) -> usize {
    100 * findings.iter().filter(|f| kind(f)).count() / findings.len()
}

#[test]
fn the_prover_never_contradicts_brute_force() {
    let effort = match property::many() {
        Some(_) => Effort { refinements: 40, predicates: 60, states: 20_000 },
        None => Effort { refinements: 12, predicates: 30, states: 400 },
    };
    let (seeds, start) = (property::seeds(PROGRAMS), Instant::now());
    let findings = property::findings(seeds.clone(), move |seed, program: &RandomProgram| {
        let one = Instant::now();
        let finding = judge(&program.to_string(), effort)?;
        if std::env::var("TRACE").is_ok() {
            println!("seed {seed}: {finding:?} {} ms", one.elapsed().as_millis());
        }
        Ok(finding)
    });
    let count = |kind: fn(&Finding) -> bool| findings.iter().filter(|f| kind(f)).count();
    println!(
        "{} programs from seed {}: {} safe ({} with all states in range visited), {} unsafe \
         ({} found by brute force too), {} unknown ({} of them wrong); {:.1} s",
        findings.len(),
        seeds.start,
        count(|f| matches!(f, Finding::Safe { .. })),
        count(|f| matches!(f, Finding::Safe { all: true })),
        count(|f| matches!(f, Finding::Unsafe { .. })),
        count(|f| matches!(f, Finding::Unsafe { found: true })),
        count(|f| matches!(f, Finding::Unknown { .. })),
        count(|f| matches!(f, Finding::Unknown { wrong: true })),
        start.elapsed().as_secs_f64(),
    );
    assert!(percent(&findings, |f| matches!(f, Finding::Safe { all: true })) >= 20);
    assert!(percent(&findings, |f| matches!(f, Finding::Unsafe { found: true })) >= 20);
}

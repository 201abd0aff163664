//! Random small programs, each judged by the prover and by brute force: what is proved safe has no
//! execution to an error with 1 to 4 threads of each template, and what is refuted goes wrong.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and
//! the first one's seed; `make random` runs many, with more effort for each.

#[path = "common/explicit.rs"]
mod explicit;
#[path = "common/limited.rs"]
mod limited;
#[path = "common/random/mod.rs"]
mod random;
#[path = "common/source.rs"]
mod source;

use explicit::{Bounds, Explored, State, Step, Value, explore};
use limited::from_environment;
use quickcheck::{Arbitrary, Gen};
use random::RandomProgram;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use threadproof_checker::internals::core_form;
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::{Certificate, Proof};
use threadproof_producer::prove::{Verdict, prove};

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

/// The program with this seed.
fn generate(seed: u64) -> RandomProgram {
    RandomProgram::arbitrary(&mut Gen::from_size_and_seed(10, seed))
}

/// What the prover says, within the effort.
fn verdict(program: &Program, core: &str, effort: Effort) -> Verdict {
    prove(program, core, &limited::control(effort.refinements, effort.predicates))
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

/// As `judge`; a panic is an error too.
fn judge_caught(core: &str, effort: Effort) -> Result<Finding, String> {
    catch_unwind(AssertUnwindSafe(|| judge(core, effort))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("of another kind")))
    })
}

/// A program with no part that could be left out and keep it failing.
fn reduce(program: RandomProgram, effort: Effort) -> RandomProgram {
    let fails = |p: &RandomProgram| {
        let core = p.to_string();
        core_form::parse(&core).is_ok() && judge_caught(&core, effort).is_err()
    };
    let mut smallest = program;
    while let Some(smaller) = smallest.shrink().find(|p| fails(p)) {
        smallest = smaller;
    }
    smallest
}

/// Findings of one kind, in a hundred programs.
fn percent(findings: &[Finding], kind: impl Fn(&Finding) -> bool) -> usize {
    100 * findings.iter().filter(|f| kind(f)).count() / findings.len()
}

#[test]
fn the_prover_never_contradicts_brute_force() {
    let many = from_environment("THREADPROOF_RANDOM_PROGRAMS");
    let first = from_environment("THREADPROOF_RANDOM_SEED").unwrap_or(1);
    let effort = match many {
        Some(_) => Effort { refinements: 40, predicates: 60, states: 20_000 },
        None => Effort { refinements: 12, predicates: 30, states: 400 },
    };
    let start = Instant::now();
    let mut findings = Vec::new();
    for seed in (first..).take(usize::try_from(many.unwrap_or(PROGRAMS)).expect("a number")) {
        let program = generate(seed);
        let one = Instant::now();
        match judge_caught(&program.to_string(), effort) {
            Ok(finding) => findings.push(finding),
            Err(why) => {
                let smaller = reduce(program.clone(), effort);
                let again = judge_caught(&smaller.to_string(), effort);
                panic!("seed {seed}: {why}\n{program}\nreduced: {again:?}\n{smaller}");
            }
        }
        if std::env::var("TRACE").is_ok() {
            println!("seed {seed}: {:?} {} ms", findings.last(), one.elapsed().as_millis());
        }
    }
    let count = |kind: fn(&Finding) -> bool| findings.iter().filter(|f| kind(f)).count();
    println!(
        "{} programs from seed {first}: {} safe ({} with all states in range visited), {} unsafe \
         ({} found by brute force too), {} unknown ({} of them wrong); {:.1} s",
        findings.len(),
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

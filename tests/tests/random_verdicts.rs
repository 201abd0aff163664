//! Random programs of the language, each judged by the prover and by an interpreter that shares
//! nothing with it: what is proved safe, by abstract threads or without, has no failing assertion
//! with 1 to 3 threads.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` and `THREADPROOF_RANDOM_SEED` set how many programs there are and
//! the first one's seed.

use threadproof_format::proof::Conclusion;
use threadproof_producer::frontend::tp;
use threadproof_producer::prove::{Verdict, prove};
use threadproof_tests::limited;
use threadproof_tests::property;
use threadproof_tests::surface::ast::Unit;
use threadproof_tests::surface::interpret::Machine;
use threadproof_tests::traces::goes_wrong;

/// Programs, if nothing else is said.
const PROGRAMS: u64 = 100;

/// Integers that the interpreter tries.
const INTS: [i64; 3] = [-1, 0, 1];

/// States that the interpreter visits, for each number of threads.
const STATES: usize = 300;

/// What came out for one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// Whether the interpreter visited all states within its range for one thread at least.
    Safe {
        all: bool,
    },
    /// Whether the interpreter finds a failing assertion too.
    Unsafe {
        found: bool,
    },
    Unknown,
    /// The front end refuses the program.
    Refused,
}

/// Judges a program; an error says how prover and interpreter contradict each other.
fn judge(unit: &Unit) -> Result<Finding, String> {
    let Ok(lowered) = tp::lower("random.tp", &unit.to_string()) else {
        return Ok(Finding::Refused);
    };
    let verdict = prove(&lowered, &limited::plan(), &limited::control(12, 30)).verdict;
    let wrong = |threads| goes_wrong(&Machine::new(unit, 0, threads, &INTS), STATES);
    match verdict {
        Verdict::Certified(claim, _) => match claim.conclusion {
            Conclusion::Safe => match (1..=3).find(|threads| wrong(*threads) == Some(true)) {
                Some(threads) => Err(format!("safe, but wrong with {threads} threads")),
                None => Ok(Finding::Safe { all: wrong(1).is_some() }),
            },
            Conclusion::SafeWithin { .. } => Err(format!("{}, unasked", claim.statement)),
            Conclusion::ErrorReachable => {
                Ok(Finding::Unsafe { found: (1..=3).any(|threads| wrong(threads) == Some(true)) })
            }
        },
        Verdict::Unknown(why) if why.reason.contains("the checker does not accept") => {
            Err(why.reason)
        }
        Verdict::Unknown(_) => Ok(Finding::Unknown),
    }
}

#[test]
fn the_prover_never_contradicts_the_interpreter() {
    let seeds = property::seeds(PROGRAMS);
    let findings = property::findings(seeds.clone(), |_, unit| judge(unit));
    let count = |kind: &dyn Fn(&Finding) -> bool| findings.iter().filter(|f| kind(f)).count();
    let (safe, all) = (
        count(&|f| matches!(f, Finding::Safe { .. })),
        count(&|f| *f == Finding::Safe { all: true }),
    );
    let (refuted, found) = (
        count(&|f| matches!(f, Finding::Unsafe { .. })),
        count(&|f| *f == Finding::Unsafe { found: true }),
    );
    let unknown = count(&|f| *f == Finding::Unknown);
    println!(
        "{} programs from seed {}: {safe} safe ({all} with all states of one thread visited), \
         {refuted} unsafe ({found} found by the interpreter too), {unknown} unknown",
        findings.len(),
        seeds.start,
    );
    let total = findings.len();
    assert!(10 * all >= total && 10 * found >= total && 2 * unknown <= total, "too few of a kind");
}

//! Random small programs with random abstract threads, most of them wrong: where every thread conforms and the abstract
//! program is proved safe, brute force finds no error in the program itself.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` sets ten times how many programs there are, and `THREADPROOF_RANDOM_SEED` the first one's seed.

#[path = "common/explicit.rs"]
mod explicit;
#[path = "common/limited.rs"]
mod limited;
#[path = "common/random/mod.rs"]
mod random;
#[path = "common/source.rs"]
mod source;

use explicit::{Bounds, Explored, explore};
use limited::from_environment;
use quickcheck::{Arbitrary, Gen};
use random::RandomProgram;
use threadproof_checker::internals::core_form;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_producer::control::Control;
use threadproof_producer::prove::{Verdict, conforms, prove};
use threadproof_producer::source::Source;
use threadproof_producer::transform::suggest::{Proposal, abstract_program, propose};

/// Programs, if nothing else is said.
const PROGRAMS: u64 = 50;

/// Damaged abstract threads of each program.
const DAMAGED: usize = 4;

/// Refinements after which the prover is stopped.
const REFINEMENTS: usize = 12;

/// What came out for one program and one abstract thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finding {
    /// The thread conforms, and the abstract program is safe.
    Safe,
    /// The thread conforms, and the abstract program is not proved.
    Open,
    /// The thread is not shown to conform, though the abstract program is safe and the program is not.
    Saved,
    /// The thread is not shown to conform.
    Rejected,
}

/// Whether a program has an error with 1 to 3 threads of each template.
fn is_wrong(program: &Program) -> bool {
    (1..=3).any(|threads| {
        let bounds = Bounds { threads, values: (-1..=2).collect(), states: 400 };
        matches!(explore(program, &bounds), Explored::Error(..))
    })
}

fn control() -> Control {
    limited::control(REFINEMENTS, usize::MAX)
}

/// Whether a program is proved safe within the effort.
fn is_proved(source: &Source) -> bool {
    let verdict = prove(source, &limited::plan(), &control()).verdict;
    matches!(verdict, Verdict::Certified(claim, _) if claim.safe)
}

/// Damages a proposal: a step, a guard, an update, or what the thread checks is lost or changed.
fn damage(proposal: &mut Proposal, random: &mut Gen) {
    let mut below = |n: usize| usize::arbitrary(random) % n.max(1);
    let (nodes, steps) = (proposal.nodes.len(), proposal.steps.len());
    let kind = below(7);
    let (node, step) = (below(nodes), below(steps));
    match (kind, proposal.steps.get_mut(step)) {
        (0 | 1, _) => proposal.nodes[node].wrong.clear(),
        (2, Some(_)) => {
            proposal.steps.remove(step);
        }
        (3, Some(step)) => step.guard.clear(),
        (4, Some(step)) => step.updates.clear(),
        (5, Some(step)) => step.target = node,
        (_, Some(step)) => step.guard.push(Expr::bool(false)),
        (_, None) => {}
    }
}

/// Judges one abstract thread of a program; an error is a proof of what is wrong.
fn judge(concrete: &Source, wrong: bool, proposal: &Proposal) -> Result<Finding, String> {
    let abstraction = Source::of(abstract_program(&concrete.program, 0, proposal));
    let conforms = conforms(concrete, &abstraction, &limited::plan(), &control()).is_ok();
    match (conforms, (conforms || wrong) && is_proved(&abstraction)) {
        (true, true) if wrong => Err(format!("{}\nabstract:\n{}", concrete.core, abstraction.core)),
        (true, true) => Ok(Finding::Safe),
        (true, false) => Ok(Finding::Open),
        (false, true) => Ok(Finding::Saved),
        (false, false) => Ok(Finding::Rejected),
    }
}

#[test]
fn conformance_hides_no_error() {
    let mut findings = Vec::new();
    let programs = from_environment("THREADPROOF_RANDOM_PROGRAMS");
    let programs = programs.map_or(PROGRAMS, |programs| programs.div_ceil(10));
    let first = from_environment("THREADPROOF_RANDOM_SEED").unwrap_or(1);
    for seed in first..first + programs {
        let mut random = Gen::from_size_and_seed(10, seed);
        let core = RandomProgram::arbitrary(&mut random).to_string();
        let (program, _) = core_form::parse(&core).expect("a program");
        let Ok(proposal) = propose(&program, 0) else { continue };
        let (wrong, concrete) = (is_wrong(&program), Source::of(program));
        for number in 0..=DAMAGED {
            let mut changed = proposal.clone();
            (0..number).for_each(|_| damage(&mut changed, &mut random));
            match judge(&concrete, wrong, &changed) {
                Ok(finding) => findings.push(finding),
                Err(why) => panic!("seed {seed}, {number} edits: proved, but wrong: {why}"),
            }
        }
    }
    let count = |kind| findings.iter().filter(|f| **f == kind).count();
    let kinds = [Finding::Safe, Finding::Open, Finding::Saved, Finding::Rejected].map(count);
    let total = findings.len();
    println!("{total} abstract threads from seed {first}: safe, open, saved, rejected {kinds:?}");
    assert!(20 * kinds[0] >= total && 100 * kinds[2] >= 2 * total, "too few of a kind: {kinds:?}");
}

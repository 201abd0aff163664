//! Random small programs with random abstract threads, most of them wrong: where every thread
//! conforms and the abstract program is proved safe, brute force finds no error in the program
//! itself.
//!
//! `THREADPROOF_RANDOM_PROGRAMS` sets ten times how many programs there are, and
//! `THREADPROOF_RANDOM_SEED` the first one's seed.

use quickcheck::{Arbitrary, Gen};
use std::fmt::{self, Display, Formatter};
use threadproof_checker::internals::core_form;
use threadproof_format::Expr;
use threadproof_format::program::Program;
use threadproof_format::proof::Conclusion;
use threadproof_producer::control::Control;
use threadproof_producer::prove::{Verdict, conforms, prove};
use threadproof_producer::source::Source;
use threadproof_producer::transform::suggest::{Proposal, abstract_program, propose};
use threadproof_tests::explicit::{Bounds, Explored, explore};
use threadproof_tests::limited;
use threadproof_tests::property;
use threadproof_tests::random::RandomProgram;

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
    /// The thread is not shown to conform, though the abstract program is safe and the program is
    /// not.
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
    matches!(verdict, Verdict::Certified(claim, _) if claim.conclusion == Conclusion::Safe)
}

/// A program, and damage to its abstract threads.
#[derive(Clone)]
struct Damaged {
    program: RandomProgram,
    damage: Vec<Damage>,
}

/// Damage to an abstract thread: its kind, node and step, each but for a multiple of how many there
/// are.
type Damage = [usize; 3];

impl Arbitrary for Damaged {
    fn arbitrary(random: &mut Gen) -> Self {
        let program = RandomProgram::arbitrary(random);
        let mut one = || [(); 3].map(|()| usize::arbitrary(random));
        Damaged { program, damage: (0..DAMAGED * (DAMAGED + 1) / 2).map(|_| one()).collect() }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let damage = self.damage.clone();
        Box::new(
            self.program.shrink().map(move |program| Damaged { program, damage: damage.clone() }),
        )
    }
}

impl Display for Damaged {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}\ndamage: {:?}", self.program, self.damage)
    }
}

/// Damages a proposal: a step, a guard, an update, or what the thread checks is lost or changed.
fn damage(proposal: &mut Proposal, [kind, node, step]: Damage) {
    let (nodes, steps) = (proposal.nodes.len(), proposal.steps.len());
    let (node, step) = (node % nodes.max(1), step % steps.max(1));
    match (kind % 7, proposal.steps.get_mut(step)) {
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

/// Judges a program with its proposed abstract thread, and with more and more damage to that.
fn judge_all(input: &Damaged) -> Result<Vec<Finding>, String> {
    let core = input.program.to_string();
    let (program, _) = core_form::parse(&core).map_err(|e| format!("no program: {e}"))?;
    let Ok(proposal) = propose(&program, 0) else { return Ok(Vec::new()) };
    let (wrong, concrete) = (is_wrong(&program), Source::of(program));
    let (mut findings, mut next) = (Vec::new(), input.damage.iter());
    for number in 0..=DAMAGED {
        let mut changed = proposal.clone();
        next.by_ref().take(number).for_each(|one| damage(&mut changed, *one));
        let found = judge(&concrete, wrong, &changed);
        findings.push(found.map_err(|why| format!("{number} edits: proved, but wrong: {why}"))?);
    }
    Ok(findings)
}

#[test]
fn conformance_hides_no_error() {
    let mut seeds = property::seeds(PROGRAMS);
    if let Some(many) = property::many() {
        seeds.end = seeds.start + many.div_ceil(10);
    }
    let findings = property::findings(seeds.clone(), |_, input| judge_all(input));
    let findings: Vec<Finding> = findings.into_iter().flatten().collect();
    let count = |kind| findings.iter().filter(|f| **f == kind).count();
    let kinds = [Finding::Safe, Finding::Open, Finding::Saved, Finding::Rejected].map(count);
    let total = findings.len();
    println!(
        "{total} abstract threads from seed {}: safe, open, saved, rejected {kinds:?}",
        seeds.start
    );
    assert!(20 * kinds[0] >= total && 100 * kinds[2] >= 2 * total, "too few of a kind: {kinds:?}");
}

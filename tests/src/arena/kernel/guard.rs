//! The guard of the one edge, proofs that it has no solution, and refutations that are wrong.

use crate::arena::Group;
use crate::arena::pair::{Pair, run};
use threadproof_format::Int;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::{ProofSpace, Triple};
use threadproof_format::refutation::{Congruence, Linear, Read, Refutation, Step};

/// Globals and a guard over them.
pub type Guard<'a> = (&'a str, &'a str);

fn core((globals, guard): Guard<'_>) -> String {
    let globals: String = globals.split(", ").map(|global| format!("global {global};\n")).collect();
    format!(
        "core 1;
{globals}one t {{
    location start;
    location wrong error;
    edge start -> wrong {{ when {guard}; }}
}}
"
    )
}

/// The proof that the guard has no solution.
pub fn guarded(guard: Guard<'_>, steps: &[Step]) -> Pair {
    let triple = Triple {
        pre: vec![],
        edge: 0,
        post: 0,
        acting: 0,
        template: 0,
        refutation: Refutation(steps.to_vec()),
    };
    let proof = ProofSpace { basis: vec![triple], ..ProofSpace::default() };
    Pair::new(&core(guard), Proof::ProofSpace(proof))
}

pub fn atom(constant: i64, terms: &[(u32, i64)]) -> Step {
    let terms = terms.iter().map(|(leaf, c)| (*leaf, Int::from(*c))).collect();
    Step::Atom(Linear { constant: Int::from(constant), terms })
}

pub fn hit(case: u8, leaf: u32) -> Step {
    Step::ReadHit(Read { case, leaf })
}

pub fn miss(case: u8, leaf: u32) -> Step {
    Step::ReadMiss(Read { case, leaf })
}

pub fn congruence(case: u8, left: u32, right: u32) -> Step {
    Step::Congruence(Congruence { case, left, right })
}

pub const XYZ: &str = "x: int, y: int, z: int";
pub const XY: &str = "x: int, y: int";
pub const BC: &str = "b: bool, c: bool";
pub const ARRAY: &str = "a: int[], i: int, j: int";

/// A refutation that is wrong, of a guard that has no solution.
pub fn wrong(
    group: &mut Group<'_>,
    name: &str,
    reason: &str,
    trap: &str,
    edit: impl FnOnce(&mut Vec<Step>),
) {
    group.bad(name, ("refutation", &at(reason)), trap, |pair| edit(pair.refutation(0)));
}

/// A refutation of a guard that these values satisfy, and the counterexample.
pub fn unsound(
    group: &mut Group<'_>,
    name: &str,
    reason: &str,
    trap: &str,
    (guard, solution): (Guard<'_>, &[Value]),
    steps: &[Step],
) {
    let execution = run(&core(guard), solution, &[(0, &[])], &[(0, 0, &[])]);
    let edit = |pair: &mut Pair| *pair = guarded(guard, steps);
    group.bad(name, ("refutation", &at(reason)), trap, edit).refuted(execution);
}

fn at(reason: &str) -> String {
    format!("triple 0: not a refutation: {reason}")
}

pub const MULTIPLIER: &str = "multiplier is not positive";
pub const NO_CONTRADICTION: &str = "the combination is no contradiction";
pub const CONSTRAINT: &str = "unknown linear constraint";
pub const ORDER: &str = "clause not strictly ascending";
pub const LITERAL: &str = "unknown literal";
pub const NOT_UNIT: &str = "hinted clause is not unit";
pub const NO_CONFLICT: &str = "hints do not end in the conflict";
pub const CLAUSE: &str = "unknown clause";
pub const NOT_EMPTY: &str = "the last step is not the empty clause";
pub const UNUSED: &str = "a step that nothing uses";
pub const ATOM: &str = "atom not new or not in normal form";
pub const LEMMA: &str = "array lemma does not fit its leaves";

//! Programs with layers, proofs of them, and how the checker judges those.

use std::collections::BTreeMap;
use threadproof_checker::check;
use threadproof_checker::claim::Claim;
use threadproof_checker::error::{Budget, Failure, Reason, RefutationReason};
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Proof, VERSION};
use threadproof_format::refutation::{Propagate, Refutation, Step};
use threadproof_format::{Digest, Expr, Op, cbor};
use threadproof_tests_trusted::introduction::{self, obligations};

/// Workers write back what they read; nobody writes false.
pub const CONCRETE: &str = "core 1;
global ok: bool;
global raised: bool;
init ok;
many worker {
    local seen: bool;
    location start;
    location read;
    location done;
    location bad error;
    edge start -> read { seen := ok; }
    edge read -> done { ok := seen, raised := true; }
    edge read -> bad { when !ok; }
}
one other {
    local own: bool;
    location run;
    edge run -> run { ok := true, own := ok; }
}
";

/// Workers write true, or go wrong.
pub const ABSTRACT: &str = "core 1;
global ok: bool;
global raised: bool;
init ok;
many worker {
    location work;
    location wrong error;
    edge work -> work { }
    edge work -> wrong { when !ok; }
    edge work -> work { input next: bool; when next; ok := next, raised := true; }
}
one other {
    local own: bool;
    location run;
    edge run -> run { ok := true, own := ok; }
}
";

/// As `ABSTRACT`, by a worker that remembers `ok` after its last step.
pub const REMEMBERS: &str = "core 1;
global ok: bool;
global raised: bool;
init ok;
many worker {
    local last: bool;
    init last == ok;
    location work;
    location wrong error;
    edge work -> work { last := ok; }
    edge work -> wrong { when !ok; }
    edge work -> work { input next: bool; when next; ok := next, raised := true, last := next; }
}
one other {
    local own: bool;
    location run;
    edge run -> run { ok := true, own := ok; }
}
";

pub const CANDIDATE: Op = Op::Local(1, 0);
pub const SEEN: Op = Op::Local(0, 0);

/// A refutation by unit propagation alone; none if that does not suffice.
fn by_propagation(obligation: &Obligation) -> Refutation {
    let form = obligation.clausal_form(&Budget::default()).unwrap();
    let mut value: BTreeMap<i32, bool> = BTreeMap::new();
    let mut hints = Vec::new();
    loop {
        let mut next = None;
        for (i, clause) in (0u32..).zip(form.clauses()) {
            let holds = |l: &i32| value.get(&l.abs()).map(|v| *v == (*l > 0));
            if clause.iter().any(|l| holds(l) == Some(true)) {
                continue;
            }
            let open: Vec<i32> = clause.iter().copied().filter(|l| holds(l).is_none()).collect();
            match open[..] {
                [] => {
                    hints.push(i);
                    return Refutation(vec![Step::Propagate(Propagate { hints, clause: vec![] })]);
                }
                [unit] => next = next.or(Some((i, unit))),
                _ => {}
            }
        }
        let Some((i, unit)) = next else { return Refutation(vec![]) };
        hints.push(i);
        value.insert(unit.abs(), unit > 0);
    }
}

/// The conformance of a worker: while it holds what it read, that was true.
pub fn conformance(concrete: &str, abstraction: &str, copies: Vec<u32>) -> Conformance {
    let seen = Expr(vec![CANDIDATE, SEEN, Op::And]);
    let invariants = vec![Expr(vec![CANDIDATE]), seen, Expr(vec![CANDIDATE])];
    refuted(concrete, abstraction, Conformance { copies, invariants, refutations: vec![] })
}

/// With refutations of what is to be shown, as far as it is well formed.
pub fn refuted(concrete: &str, abstraction: &str, mut proof: Conformance) -> Conformance {
    let programs =
        (core_form::parse(concrete).unwrap().0, core_form::parse(abstraction).unwrap().0);
    let budget = &Budget::default();
    let pair = Pair::new((&programs.0, 0), (&programs.1, 0), budget).unwrap();
    assert!(pair.shared.iter().all(|global| global.owner.is_none()) && pair.shared.len() == 2);
    let list = introduction::conformance(&pair, &proof, budget).unwrap_or_default();
    proof.refutations = list.iter().map(by_propagation).collect();
    proof
}

pub fn layer(abstraction: &str, conformance: Conformance) -> Layer {
    let statement = core_form::statement(abstraction).unwrap();
    let program = Digest::of([statement.as_bytes()]);
    let parts = vec![Part::Abstracted(conformance), Part::Kept];
    Layer { to: vec![0, 1], parts, program, witness: None, statement }
}

/// That `ok` always holds.
pub fn proof(abstraction: &str) -> ProofSpace {
    let triple = |template, edge, post, pre: &[Instance]| Triple {
        pre: pre.to_vec(),
        edge,
        post,
        acting: 0,
        template,
        refutation: Refutation(vec![]),
    };
    let ok = Instance(1, vec![]);
    let mut proof = ProofSpace {
        basis: vec![
            triple(0, 1, 0, std::slice::from_ref(&ok)),
            triple(0, 2, 1, &[]),
            triple(1, 0, 1, &[]),
        ],
        initial: vec![InitialPredicate { predicate: 1, refutation: Refutation(vec![]) }],
        witness: None,
        impossible: vec![],
        predicates: vec![Predicate { formula: Expr(vec![Op::Global(0)]), threads: vec![] }],
        error_steps: vec![StepHints(vec![Hint::Embed(0, vec![])])],
        configurations: vec![Configuration { steps: vec![], negated: vec![ok], threads: vec![] }],
    };
    let program = core_form::parse(abstraction).unwrap().0;
    let list = obligations(&program, &proof);
    let refutations: Vec<Refutation> = list.iter().map(by_propagation).collect();
    for (triple, refutation) in proof.basis.iter_mut().zip(&refutations) {
        triple.refutation = refutation.clone();
    }
    proof.initial[0].refutation = refutations[3].clone();
    proof
}

pub fn verdict(concrete: &str, layers: Vec<Layer>, proof: Proof) -> Result<Claim, Failure> {
    let statement = core_form::statement(concrete).unwrap();
    let program = Digest::of([statement.as_bytes()]);
    let certificate = Certificate { proof, layers, program, version: VERSION, statement };
    check(concrete, &cbor::encode(&certificate).unwrap())
}

/// One layer over a program, proved as `ABSTRACT` is.
pub fn one_layer(concrete: &str, layer: Layer) -> Result<Claim, Failure> {
    let proof = Proof::ProofSpace(proof(&layer.statement));
    verdict(concrete, vec![layer], proof)
}

/// The right layer, but for one edit.
#[track_caller]
pub fn rejects(edit: impl FnOnce(&mut Layer), place: &str, reason: Reason) {
    let mut layer = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    edit(&mut layer);
    let failure = verdict(CONCRETE, vec![layer], Proof::ProofSpace(proof(ABSTRACT))).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

/// Another abstract program, with the same invariants.
#[track_caller]
pub fn rejects_program(change: (&str, &str), place: &str, reason: Reason) {
    let changed = ABSTRACT.replacen(change.0, change.1, 1);
    assert_ne!(changed, ABSTRACT);
    let layer = layer(&changed, conformance(CONCRETE, &changed, vec![]));
    let failure = verdict(CONCRETE, vec![layer], Proof::ProofSpace(proof(ABSTRACT))).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

pub const OPEN: Reason = Reason::Refutation(RefutationReason::NoEmptyClause);

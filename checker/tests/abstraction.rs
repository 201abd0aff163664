//! Layers of abstract threads: a proof by hand is accepted, and each broken rule is rejected by its own
//! reason (SPEC.md section 12).

mod common;

use common::obligations;
use std::collections::BTreeMap;
use threadproof_checker::check;
use threadproof_checker::claim::{Claim, Vacuous};
use threadproof_checker::error::{AbstractionReason, Budget, Failure, Reason, RefutationReason};
use threadproof_checker::internals::abstraction::{self, conformance::Pair};
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Conclusion, Proof, VERSION};
use threadproof_format::refutation::{Propagate, Refutation, Step};
use threadproof_format::{Digest, Expr, Op, cbor};

/// Workers write back what they read; nobody writes false.
const CONCRETE: &str = "core 1;
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
const ABSTRACT: &str = "core 1;
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
const REMEMBERS: &str = "core 1;
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

const CANDIDATE: Op = Op::Local(1, 0);
const SEEN: Op = Op::Local(0, 0);

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
fn conformance(concrete: &str, abstraction: &str, copies: Vec<u32>) -> Conformance {
    let seen = Expr(vec![CANDIDATE, SEEN, Op::And]);
    let invariants = vec![Expr(vec![CANDIDATE]), seen, Expr(vec![CANDIDATE])];
    refuted(concrete, abstraction, Conformance { copies, invariants, refutations: vec![] })
}

/// With refutations of what is to be shown, as far as it is well formed.
fn refuted(concrete: &str, abstraction: &str, mut proof: Conformance) -> Conformance {
    let programs =
        (core_form::parse(concrete).unwrap().0, core_form::parse(abstraction).unwrap().0);
    let budget = &Budget::default();
    let pair = Pair::new((&programs.0, 0), (&programs.1, 0), budget).unwrap();
    assert!(pair.shared.iter().all(|global| global.owner.is_none()) && pair.shared.len() == 2);
    let list = common::conformance(&pair, &proof, budget).unwrap_or_default();
    proof.refutations = list.iter().map(by_propagation).collect();
    proof
}

fn layer(abstraction: &str, conformance: Conformance) -> Layer {
    let statement = core_form::statement(abstraction).unwrap();
    let program = Digest::of([statement.as_bytes()]);
    let parts = vec![Part::Abstracted(conformance), Part::Kept];
    Layer { to: vec![0, 1], parts, program, witness: None, statement }
}

/// That `ok` always holds.
fn proof(abstraction: &str) -> ProofSpace {
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

fn verdict(concrete: &str, layers: Vec<Layer>, proof: Proof) -> Result<Claim, Failure> {
    let statement = core_form::statement(concrete).unwrap();
    let program = Digest::of([statement.as_bytes()]);
    let certificate = Certificate { proof, layers, program, version: VERSION, statement };
    check(concrete, &cbor::encode(&certificate).unwrap())
}

/// One layer over a program, proved as `ABSTRACT` is.
fn one_layer(concrete: &str, layer: Layer) -> Result<Claim, Failure> {
    let proof = Proof::ProofSpace(proof(&layer.statement));
    verdict(concrete, vec![layer], proof)
}

/// The right layer, but for one edit.
#[track_caller]
fn rejects(edit: impl FnOnce(&mut Layer), place: &str, reason: Reason) {
    let mut layer = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    edit(&mut layer);
    let failure = verdict(CONCRETE, vec![layer], Proof::ProofSpace(proof(ABSTRACT))).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

/// Another abstract program, with the same invariants.
#[track_caller]
fn rejects_program(change: (&str, &str), place: &str, reason: Reason) {
    let changed = ABSTRACT.replacen(change.0, change.1, 1);
    assert_ne!(changed, ABSTRACT);
    let layer = layer(&changed, conformance(CONCRETE, &changed, vec![]));
    let failure = verdict(CONCRETE, vec![layer], Proof::ProofSpace(proof(ABSTRACT))).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

fn conformance_of(layer: &mut Layer) -> &mut Conformance {
    match &mut layer.parts[0] {
        Part::Abstracted(conformance) => conformance,
        Part::Kept => panic!("the worker is abstracted"),
    }
}

const OPEN: Reason = Reason::Refutation(RefutationReason::NoEmptyClause);

#[test]
fn a_program_is_safe_if_its_abstraction_is() {
    let layer = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    let digest = layer.program;
    let claim = one_layer(CONCRETE, layer).unwrap();
    assert_eq!(claim.conclusion, Conclusion::Safe);
    assert_eq!(claim.program, core_form::parse(CONCRETE).unwrap().1);
    assert_eq!(claim.errors, ["worker.bad"]);
    let proof = format!("abstract threads of worker (program sha256:{digest}), then proof space: ");
    assert!(claim.proof.starts_with(&proof), "{}", claim.proof);
    assert_eq!(claim.vacuous, Some(Vacuous::NoInitialState));
}

#[test]
fn an_abstract_thread_can_hold_copies() {
    let accepted = |program: &str, copies: Vec<u32>| {
        one_layer(CONCRETE, layer(program, conformance(CONCRETE, program, copies)))
    };
    assert_eq!(accepted(REMEMBERS, vec![0]).unwrap().conclusion, Conclusion::Safe);
    let reason = Reason::Abstraction(AbstractionReason::Local);
    let forgets = REMEMBERS.replace("{ last := ok; }", "{ }");
    let twists = REMEMBERS.replace("last := next", "last := !next");
    for (program, edge) in [(forgets, 0), (twists, 2)] {
        let failure = accepted(&program, vec![0]).unwrap_err();
        let place = format!("layer 0, template 0, abstract edge {edge}");
        assert_eq!((failure.place, failure.reason), (place, reason.clone()));
    }
    let failure = accepted(REMEMBERS, vec![]).unwrap_err();
    assert_eq!(failure.reason, Reason::Abstraction(AbstractionReason::Copies));
    let failure = accepted(REMEMBERS, vec![2]).unwrap_err();
    assert_eq!(failure.reason, Reason::Index("global"), "a single template's local is not shared");
    let other = REMEMBERS.replace("global raised: bool", "global raised: int");
    let other = other.replace("raised := true", "raised := 1");
    let concrete = CONCRETE.replace("global raised: bool", "global raised: int");
    let concrete = concrete.replace("raised := true", "raised := 1");
    let failure = one_layer(&concrete, layer(&other, conformance(&concrete, &other, vec![1])));
    assert_eq!(failure.unwrap_err().reason, Reason::Abstraction(AbstractionReason::CopySort));
    let starts_wrong = REMEMBERS.replace("init last == ok", "init last != ok");
    let failure = accepted(&starts_wrong, vec![0]).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), ("layer 0, template 0, start", OPEN));
}

/// An abstraction of an abstraction, with the digest as the link between the layers.
#[test]
fn layers_follow_each_other() {
    let first = || layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    let again = Conformance {
        copies: vec![0],
        invariants: vec![Expr(vec![CANDIDATE])],
        refutations: vec![],
    };
    let second = || layer(REMEMBERS, refuted(ABSTRACT, REMEMBERS, again.clone()));
    let proof = || Proof::ProofSpace(proof(REMEMBERS));
    assert_eq!(
        verdict(CONCRETE, vec![first(), second()], proof()).unwrap().conclusion,
        Conclusion::Safe
    );
    // The second layer alone is about another program.
    let failure = verdict(CONCRETE, vec![second()], proof()).unwrap_err();
    let reason = Reason::Abstraction(AbstractionReason::Invariants);
    assert_eq!((failure.place.as_str(), failure.reason), ("layer 0, template 0", reason));
}

#[test]
fn an_abstract_thread_has_to_follow_each_step() {
    // Its worker cannot write, or only false, or only when it need not.
    let write = "edge work -> work { input next: bool; when next; ok := next, raised := true; }";
    let edge = "layer 0, template 0, edge 1";
    rejects_program((write, "edge work -> work { when false; }"), edge, OPEN);
    rejects_program(("when next;", "when !next;"), edge, OPEN);
    rejects_program(("when next;", "when next && raised;"), edge, OPEN);
    // Without the idle edge it cannot follow the step that reads.
    rejects_program(("edge work -> work { }", ""), "layer 0, template 0, edge 0", OPEN);
    // What it does not assert, the worker cannot rely on; nor may it be right where the worker is wrong.
    rejects_program(("when !ok;", "when false;"), "layer 0, template 0, edge 0", OPEN);
}

#[test]
fn an_invariant_has_to_be_inductive() {
    let edited = |which: usize, invariant: Expr| {
        move |layer: &mut Layer| {
            let mut proof = conformance_of(layer).clone();
            proof.invariants[which] = invariant;
            *conformance_of(layer) = refuted(CONCRETE, ABSTRACT, proof);
        }
    };
    let place = |what: &str| format!("layer 0, template 0, {what}");
    // It assumes itself: nothing leads from the start to it.
    rejects(edited(0, Expr::bool(false)), &place("start"), OPEN);
    rejects(edited(1, Expr(vec![CANDIDATE])), &place("edge 1"), OPEN);
    rejects(edited(2, Expr::bool(true)), &place("location 2"), OPEN);
    rejects(edited(1, Expr::bool(false)), &place("edge 0"), OPEN);
    // It is about the thread, the candidates and copies, and nothing else.
    let foreign = |op: Op| edited(1, Expr(vec![op]));
    for (op, what) in [
        (Op::Global(0), "variable of an invariant"),
        (Op::Local(1, 1), "candidate"),
        (Op::Local(1, 2), "location"),
        (Op::Local(2, 0), "local"),
        (Op::Local(3, 0), "variable of an invariant"),
    ] {
        rejects(foreign(op), &place("invariant of location 1"), Reason::Index(what));
    }
    let reason = Reason::Sort("not one expression");
    rejects(edited(1, Expr(vec![CANDIDATE, SEEN])), &place("invariant of location 1"), reason);
}

#[test]
fn each_obligation_has_its_refutation() {
    let place = "layer 0, template 0";
    rejects(
        |layer| {
            conformance_of(layer).refutations.pop();
        },
        "layer 0, template 0, edge 2",
        Reason::Abstraction(AbstractionReason::Refutation),
    );
    rejects(
        |layer| conformance_of(layer).refutations.push(Refutation(vec![])),
        place,
        Reason::Unused("refutation"),
    );
    rejects(
        |layer| {
            conformance_of(layer).invariants.pop();
        },
        place,
        Reason::Abstraction(AbstractionReason::Invariants),
    );
}

#[test]
fn the_programs_have_to_fit() {
    let reason = Reason::Abstraction;
    let input = AbstractionReason::Input;
    let work = "layer 0, template 0, abstract edge";
    let more = ("global raised: bool;", "global raised: bool; global more: bool;");
    rejects_program(more, "layer 0", reason(AbstractionReason::Globals));
    rejects_program(("init ok", "init true"), "layer 0", reason(AbstractionReason::Init));
    rejects_program(
        ("ok := true, own", "ok := false, own"),
        "layer 0, template 1",
        reason(AbstractionReason::Kept),
    );
    rejects_program(("ok := next, raised", "raised"), &format!("{work} 2"), reason(input));
    rejects_program(
        ("wrong { when !ok; }", "wrong { input c: bool; when c; }"),
        &format!("{work} 1"),
        reason(input),
    );
    rejects_program(
        (
            "location wrong error;
    edge work -> work { }",
            "location wrong error; location wait;
    edge work -> work { when #worker.wait >= 0; }",
        ),
        "layer 0",
        reason(AbstractionReason::Counted),
    );
    rejects(|layer| layer.parts.truncate(1), "layer 0", reason(AbstractionReason::Templates));
    rejects(|layer| layer.to.truncate(1), "layer 0", reason(AbstractionReason::Templates));
    rejects(|layer| layer.parts[0] = Part::Kept, "layer 0", Reason::Unused("layer"));
}

/// So many single workers of a program's, and the other thread.
fn single_workers(program: &str, count: usize) -> String {
    let (before, rest) = program.split_once("many worker").unwrap();
    let (body, other) = rest.split_once("one other").unwrap();
    let workers: String = (1..=count).map(|i| format!("one worker_{i}{body}")).collect();
    format!("{before}{workers}one other{other}")
}

/// Single workers with a layer that joins them.
fn joining(abstraction: &str, to: Vec<u32>, parts: Vec<Part>) -> Layer {
    let statement = core_form::statement(abstraction).unwrap();
    let program = Digest::of([statement.as_bytes()]);
    Layer { to, parts, program, witness: None, statement }
}

#[test]
fn equal_single_threads_are_joined() {
    let concrete = single_workers(ABSTRACT, 3);
    let layer = joining(ABSTRACT, vec![0, 0, 0, 1], vec![Part::Kept; 4]);
    let digest = layer.program;
    let claim = one_layer(&concrete, layer).unwrap();
    assert_eq!(
        claim.threads[..2],
        ["worker_1: exactly one thread", "worker_2: exactly one thread"]
    );
    let proof =
        format!("any number of threads worker for single ones (program sha256:{digest}), then ");
    assert!(claim.proof.starts_with(&proof), "{}", claim.proof);
    // As well by abstract threads, and beside threads that are kept.
    let concrete = single_workers(CONCRETE, 2);
    let conforms = || Part::Abstracted(conformance(CONCRETE, ABSTRACT, vec![]));
    let parts = vec![conforms(), conforms(), Part::Kept];
    let claim = one_layer(&concrete, joining(ABSTRACT, vec![0, 0, 1], parts)).unwrap();
    let proof =
        "abstract threads of worker_1, worker_2, any number of threads worker for single ones";
    assert!(claim.proof.starts_with(proof), "{}", claim.proof);
}

#[test]
fn threads_are_joined_only_where_the_abstract_program_has_enough() {
    let concrete = single_workers(ABSTRACT, 2);
    let rejected = |concrete: &str, abstraction: &str, to: &[u32], place: &str, reason: Reason| {
        let parts = vec![Part::Kept; to.len()];
        let layer = joining(abstraction, to.to_vec(), parts);
        let failure = verdict(concrete, vec![layer], Proof::ProofSpace(proof(ABSTRACT)));
        let failure = failure.unwrap_err();
        assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
    };
    let reason = Reason::Abstraction;
    let (single, many) = (single_workers(ABSTRACT, 1), ABSTRACT);
    rejected(&concrete, many, &[0, 2, 1], "layer 0", Reason::Index("template"));
    let what = reason(AbstractionReason::ManyToOne);
    rejected(many, &single, &[0, 1], "layer 0", what);
    let what = reason(AbstractionReason::SeveralToOne);
    rejected(&concrete, &single, &[0, 0, 1], "layer 0", what);
    let what = reason(AbstractionReason::Uncovered);
    rejected(&concrete, many, &[0, 0, 0], "layer 0", what.clone());
    rejected(&single, &concrete, &[0, 2], "layer 0", what);
    // Template confusion, and a layer that changes nothing.
    let what = reason(AbstractionReason::Kept);
    rejected(&concrete, many, &[0, 1, 0], "layer 0, template 1", what);
    rejected(&concrete, &concrete, &[0, 1, 2], "layer 0", Reason::Unused("layer"));
    let what = reason(AbstractionReason::Kept);
    rejected(&concrete, &concrete, &[2, 0, 1], "layer 0, template 0", what);
    // What is counted stays as it is.
    let counted = |program: &str, by: &str| {
        program.replace("ok := true, own", &format!("ok := {by} >= 0, own"))
    };
    let rests = |program: &str| program.replace("location run;", "location run; location rest;");
    let counting = |program: &str| counted(&rests(program), "#other.rest");
    let what = reason(AbstractionReason::Counted);
    rejected(&counting(&concrete), &counting(many), &[0, 0, 1], "layer 0", what.clone());
    let more = |program: &str| program.replace("one other", "many other");
    rejected(&counting(&single), &counting(&more(&single)), &[0, 1], "layer 0", what.clone());
    let stops = |program: &str| program.replace("location wrong", "location idle; location wrong");
    let concrete = counted(&stops(&concrete), "#worker_2.idle");
    rejected(&concrete, &counted(&stops(many), "#worker.idle"), &[0, 0, 1], "layer 0", what);
}

#[test]
fn a_layer_is_bound_to_its_text() {
    rejects(|layer| layer.program = Digest::of([&b""[..]]), "layer 0", Reason::ProgramDigest);
    // Other white space: the same program, but not the text that the digest is over.
    rejects(|layer| layer.statement.push('\n'), "layer 0", Reason::ProgramDigest);
    rejects(
        |layer| layer.statement = layer.statement.replace("wrong", "bad"),
        "layer 0",
        Reason::ProgramDigest,
    );
}

#[test]
fn a_layers_witness_is_a_state_of_the_concrete_program() {
    let state = |ok: bool, locals: usize| State {
        globals: vec![Value::Bool(ok), Value::Bool(false), Value::Bool(false)],
        threads: vec![Thread { locals: vec![Value::Bool(false); locals], template: 0 }],
    };
    let mut good = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    good.witness = Some(state(true, 1));
    assert!(one_layer(CONCRETE, good).unwrap().notes.is_empty());
    let place = "layer 0, witness";
    rejects(
        |layer| layer.witness = Some(state(false, 1)),
        place,
        Reason::Replay("the initial condition"),
    );
    rejects(
        |layer| layer.witness = Some(state(true, 0)),
        place,
        Reason::Replay("number of values"),
    );
}

/// An execution of the abstract program is none of the concrete one.
#[test]
fn a_counterexample_has_no_layers() {
    let broken = CONCRETE.replace("ok := seen,", "ok := false,");
    let go = |edge, thread| Move { edge, inputs: vec![], thread };
    let thread = || Thread { locals: vec![Value::Bool(true)], template: 0 };
    let run = Counterexample {
        start: State {
            globals: vec![Value::Bool(true), Value::Bool(false), Value::Bool(true)],
            threads: vec![thread(), thread()],
        },
        schedule: vec![go(0, 0), go(0, 1), go(1, 0), go(2, 1)],
    };
    assert_eq!(
        verdict(&broken, vec![], Proof::Counterexample(run.clone())).unwrap().conclusion,
        Conclusion::ErrorReachable
    );
    let other = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    let failure = verdict(CONCRETE, vec![other], Proof::Counterexample(run)).unwrap_err();
    assert_eq!(failure.reason, Reason::Unused("layer"));
}

/// However little work is allowed, the answer is "declined", and it is never "accepted" too soon.
#[test]
fn work_is_bounded_everywhere() {
    let mut layer = layer(ABSTRACT, conformance(CONCRETE, ABSTRACT, vec![]));
    let thread = Thread { locals: vec![Value::Bool(true)], template: 0 };
    let globals = vec![Value::Bool(true); 3];
    layer.witness = Some(State { globals, threads: vec![thread] });
    let program = core_form::parse(CONCRETE).unwrap().0;
    let check = |work| abstraction::check(&program, &vec![layer.clone()], &Budget::new(work));
    let enough = (0..5000).find(|work| check(*work).is_ok()).expect("it is little work");
    assert!(enough > 500, "{enough}");
    for work in 0..enough {
        assert_eq!(check(work).unwrap_err().reason, Reason::Limit("work"));
    }
    assert!((enough..enough + 100).all(|work| check(work).is_ok()));
}

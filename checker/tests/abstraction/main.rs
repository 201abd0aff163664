//! Layers of abstract threads: a proof by hand is accepted, and each broken rule is rejected by its
//! own reason (SPEC.md section 12).

mod conforming;
mod joined;
mod support;

use support::{
    ABSTRACT, CANDIDATE, CONCRETE, REMEMBERS, conformance, layer, one_layer, proof, refuted,
    rejects, verdict,
};
use threadproof_checker::claim::Vacuous;
use threadproof_checker::error::{AbstractionReason, Budget, Reason};
use threadproof_checker::internals::{abstraction, core_form};
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::{Conclusion, Proof};
use threadproof_format::{Digest, Expr};

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

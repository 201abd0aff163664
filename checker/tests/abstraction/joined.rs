//! Equal single threads that are joined to any number of threads.

use crate::support::{ABSTRACT, CONCRETE, conformance, one_layer, proof, verdict};
use threadproof_checker::error::{AbstractionReason, Reason};
use threadproof_checker::internals::core_form;
use threadproof_format::Digest;
use threadproof_format::proof::Proof;
use threadproof_format::proof::abstraction::{Layer, Part};

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

//! Whether the threads of a program conform to abstract ones.

use crate::support::{
    ABSTRACT, CANDIDATE, CONCRETE, OPEN, REMEMBERS, SEEN, conformance, layer, one_layer, refuted,
    rejects, rejects_program,
};
use threadproof_checker::error::{AbstractionReason, Reason};
use threadproof_format::proof::Conclusion;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Op};

fn conformance_of(layer: &mut Layer) -> &mut Conformance {
    match &mut layer.parts[0] {
        Part::Abstracted(conformance) => conformance,
        Part::Kept => panic!("the worker is abstracted"),
    }
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
    // What it does not assert, the worker cannot rely on; nor may it be right where the worker is
    // wrong.
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

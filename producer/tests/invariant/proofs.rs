//! Inductive invariants give certificates, and certificates give inductive invariants. `certify`
//! runs the checker on what it gives.

use super::support::{core, corpus, invariant, prove};
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Configuration, ProofSpace};
use threadproof_producer::certify::invariant::{Extent, Failure, certify};
use threadproof_producer::control::Control;
use threadproof_producer::invariant::{Invariant, export, parse, print};

/// The invariant of a proof, by way of its text.
fn exported(program: &Program, proof: &ProofSpace) -> Invariant {
    let invariant = export::export(program, proof).expect("well formed");
    let text = print::invariant(program, &invariant);
    let read = parse(program, "exported", &text).unwrap_or_else(|errors| panic!("{text}{errors}"));
    assert_eq!(read, invariant, "{text}");
    invariant
}

fn there_and_back(name: &str, text: &str) {
    let program = corpus(name);
    let proof = prove(&program, text).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    let invariant = exported(&program, &proof);
    certify(&program, &invariant, Extent::All, &Control::default())
        .unwrap_or_else(|failure| panic!("{name}, exported: {failure}"));
}

#[test]
fn ticket_lock() {
    there_and_back("ticket_lock", include_str!("ticket_lock.inv"));
}

#[test]
fn introduction() {
    there_and_back("introduction", include_str!("introduction.inv"));
}

#[test]
fn clauses_that_are_not_needed_are_not_shown() {
    let program = corpus("introduction");
    let text = format!("{} invariant g <= 7;", include_str!("introduction.inv"));
    let invariant = parse(&program, "with more", &text).expect("an invariant");
    let proof = |extent| certify(&program, &invariant, extent, &Control::default());
    assert!(matches!(proof(Extent::All), Err(Failure::Counterexample(_))));
    assert_eq!(
        proof(Extent::Needed),
        Ok(prove(&program, include_str!("introduction.inv")).expect("a proof"))
    );
}

#[test]
fn thread_pool() {
    there_and_back("thread_pool", include_str!("thread_pool.inv"));
}

#[test]
fn peterson() {
    there_and_back("peterson", include_str!("peterson.inv"));
}

/// A thread goes in only while nobody is counted there, so two are never there together: the
/// location axiom.
const COUNTED: &str = "global x: int;
    many t { location out; location in; location bad error;
        edge out -> in { when #t.in == 0; x := 1; } edge in -> bad { when x != 1; } edge in -> out { x := 0; } }";

#[test]
fn threads_at_locations_are_counted() {
    let program = core(COUNTED);
    let alone = "invariant forall a: t, b: t . a != b && a at {in} ==> !(b at {in});";
    let proof =
        prove(&program, &format!("{alone} invariant forall a: t . a at {{in}} ==> x == 1;"));
    assert!(!proof.expect("an inductive invariant").impossible.is_empty());
    let counted = "invariant #t.in <= 1; invariant #t.in == 0 || x == 1;";
    prove(&program, counted).expect("an inductive invariant");
}

/// Where the single thread is decides what holds of data, at one location (a slot) or at several
/// (counters).
const PHASES: &str = "global x: int; init x == 0;
    one main { location a; location b; location c; location d; edge a -> b { x := 1; } edge b -> c { } edge c -> d { x := 2; } }
    many t { local y: int; location l0; location l1; location bad error; edge l0 -> l1 { y := x; } edge l1 -> bad { when y > x; } }";

#[test]
fn case_analysis_over_a_single_thread() {
    let program = core(PHASES);
    let text = "invariant main at {a} ==> x == 0;
        invariant main at {b, c} ==> x == 1;
        invariant !(main at {a, b, c}) ==> x == 2;
        invariant forall i: t . i at {l1} ==> i.y == 0 || i.y == 1 && !(main at {a}) || i.y == 2 && main at {d};";
    prove(&program, text).expect("an inductive invariant");
}

/// The clause about all workers needs to know where each is, though it does not say so.
#[test]
fn a_thread_is_located_where_a_step_needs_it() {
    let program = core(
        "global g: int; init g == 1;
        many t { local y: int; init y == 0; location a; location b; location bad error;
            edge a -> b { g := 0; } edge b -> bad { when g < 0; } }",
    );
    let text = "invariant forall i: t . i at {a} ==> i.y == 0; invariant forall i: t . i at {b} ==> i.y == 0;
        invariant forall i: t . g >= i.y;";
    let proof = prove(&program, text).expect("an inductive invariant");
    let located = |c: &Configuration| c.threads.iter().all(|slot| slot.1.is_some());
    assert!(proof.configurations.iter().all(located), "{:?}", proof.configurations);
}

/// Quantified threads may be the same one: y at b says of x, which may be y, as much as of others.
#[test]
fn quantified_threads_may_be_the_same() {
    let program = core(
        "global g: int; init g == 0;
        many t { location a; location bad error; edge a -> bad { when g != 0; } edge a -> a { } }",
    );
    let text = "invariant forall x: t, y: t . x == y ==> g == 0;";
    prove(&program, text).expect("an inductive invariant");
    let vacuous = "invariant forall x: t, y: t . x != y ==> g == 0;";
    assert!(prove(&program, vacuous).is_err());
}

#[test]
fn the_order_of_clauses_does_not_matter() {
    let program = corpus("ticket_lock");
    let mut invariant = invariant(&program, include_str!("ticket_lock.inv"));
    invariant.clauses.reverse();
    certify(&program, &invariant, Extent::All, &Control::default())
        .expect("an inductive invariant");
}

//! What is said of invariants that prove nothing: the states that show it.

use super::support::{core, corpus, prove, why};
use threadproof_producer::certify::invariant::Failure;

#[test]
fn not_at_the_start() {
    let program = corpus("introduction");
    let expected = "clause 1 of the invariant may fail at the start
clause: invariant g >= 2;
initial state: g = 1";
    assert_eq!(why(&program, "invariant g >= 2;"), expected);
}

#[test]
fn not_after_a_step() {
    let text = why(&corpus("introduction"), "invariant g >= 0;");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "clause 1 of the invariant may fail after a step");
    let number = |line: &str, name: &str| -> i64 {
        let value = line.split(&format!("{name} = ")).nth(1).expect("a value");
        value.split(';').next().expect("a value").parse().expect("a number")
    };
    let (g, x) = (number(lines[2], "g"), number(lines[2], "x"));
    assert!(g >= 0 && g + x < 0, "{text}");
    assert_eq!(lines[3], "step: adder 1: L2 -> L3: g := g + x");
    assert_eq!(number(lines[4], "g"), g + x, "{text}");
}

/// Nothing is said of what customers at L2 wait for.
#[test]
fn a_step_of_another_thread() {
    let text = include_str!("ticket_lock.inv").replace("x.ticket != y.ticket", "true");
    let text = why(&corpus("ticket_lock"), &text);
    assert!(text.starts_with("clause 3 of the invariant may fail after a step"), "{text}");
    assert!(text.contains("t1 is customer 1") && text.contains("customer 2: L5 -> end"), "{text}");
}

#[test]
fn a_pool_whose_blocks_may_overlap() {
    let text = include_str!("thread_pool.inv");
    let text = text.replace("x.end <= y.c || y.end <= x.c", "x.end <= y.c");
    let text = why(&corpus("thread_pool"), &text);
    assert!(text.starts_with("clause 5 of the invariant may fail after a step"), "{text}");
    assert!(text.contains("t1 is worker 1, t2 is worker 2"), "{text}");
}

/// Without the clause about q inside, p may be overtaken.
#[test]
fn peterson_with_one_side_only() {
    let text = include_str!("peterson.inv");
    let text = text.replace("q at {L5, L6, L7} && p at {L4, L5, L6, L7} ==> turn == 1", "true");
    let text = why(&corpus("peterson"), &text);
    assert!(text.starts_with("clause 7 of the invariant may fail after a step"), "{text}");
    assert!(text.contains("p at L6") && text.contains("q: L5 -> L6: shared := 1"), "{text}");
}

#[test]
fn an_error_that_is_not_excluded() {
    let text = why(&corpus("introduction"), "invariant true;");
    assert!(text.starts_with("the invariant does not exclude the error at error_1 of adder"));
    assert!(text.contains("step: adder 1: L3 -> error_1: assume(g < 1)"), "{text}");
    let single = core("global x: int; init x == 0;
        one main { location a; location bad error; edge a -> bad { input i: int; when i == x + 3; } }");
    let text = why(&single, "invariant x == 0;");
    let expected = "the invariant does not exclude the error at bad of main
before: x = 0; main at a
step: main: a -> bad: assume(i == x + 3) with i = 3
after: x = 0; main at bad";
    assert_eq!(text, expected);
}

/// What a clause says of threads at error locations is not assumed.
#[test]
fn errors_are_not_assumed_away() {
    let program = corpus("introduction");
    let text = why(&program, "invariant forall x: adder . !(x at {error_1});");
    assert!(text.starts_with("the invariant does not exclude the error"), "{text}");
}

#[test]
fn false_is_no_invariant() {
    let program = corpus("introduction");
    assert!(
        why(&program, "invariant false;")
            .starts_with("clause 1 of the invariant may fail at the start")
    );
}

#[test]
fn unsafe_programs_have_no_invariant() {
    for (twin, text) in [
        ("ticket_lock_early_release", include_str!("ticket_lock.inv")),
        ("introduction_no_init", include_str!("introduction.inv")),
        ("thread_pool_off_by_one", include_str!("thread_pool.inv")),
        ("peterson_turn_first", include_str!("peterson.inv")),
    ] {
        assert!(matches!(prove(&corpus(twin), text), Err(Failure::Counterexample(_))), "{twin}");
    }
}

#[test]
fn too_many_threads_are_refused() {
    let program = corpus("introduction");
    let names = ["a", "b", "c", "d", "e", "f", "h"];
    let declared = names.map(|name| format!("{name}: adder")).join(", ");
    let text = format!("invariant g >= 1; invariant forall {declared} . a.x == 0;");
    assert_eq!(prove(&program, &text), Err(Failure::TooManyThreads(1)));
}

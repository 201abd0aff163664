//! What a search without an answer says: which predicates grow, what would help, next steps.

use threadproof_producer::control::Control;
use threadproof_producer::engine::proof_space::{Options, Outcome, Strategy, TRACE, prove};
use threadproof_producer::engine::{GROWING, HELP, NEXT, Unknown};
use threadproof_producer::frontend::tp;

/// The iterations of two loops, which needs y == 2 * x.
const ITERATIONS: &str = "global int x = 0;
    global int y = 0;
    thread main {
        while (*) { x = x + 1; y = y + 2; }
        while (x > 0) { x = x - 1; y = y - 2; }
        assert(y == 0);
    }";

fn unknown(text: &str) -> Unknown {
    after(20, text)
}

/// What a search of so many refinements says of a program for which they do not suffice.
fn after(first_turn: usize, text: &str) -> Unknown {
    threadproof_producer::solve::start().unwrap();
    let lowered = tp::lower("test.tp", text).unwrap();
    let strategies = Strategy::portfolio().into_iter().take(1).collect();
    let options = Options { first_turn, turns: 1, strategies, ..Options::default() };
    match prove(&lowered.program, &options, &Control::default()) {
        Outcome::Unknown(unknown) => unknown,
        other => panic!("{other:?}"),
    }
}

/// Whether some line begins like this.
fn says(lines: &[String], begin: &str) -> bool {
    lines.iter().any(|line| line.starts_with(begin))
}

#[test]
fn rounds_of_a_loop_lack_a_relation() {
    let unknown = unknown(ITERATIONS);
    let growing = "difference bounds: y == k for k = 0, 2, 4, ..., ";
    assert!(says(unknown.lines(GROWING), growing), "{unknown:?}");
    assert_eq!(
        unknown.lines(HELP),
        ["a relation between x and y, for all iterations of a loop at once (x >= k)"]
    );
    assert!(says(unknown.lines(TRACE), "main: L1 -> L2 -> L3"), "{unknown:?}");
}

#[test]
fn predicates_that_grow_with_the_threads_lack_a_count() {
    let unknown = unknown(
        "global int n = 0;
         thread t[*] { n = n + 1; n = n - 1; assert(n >= 0); }",
    );
    assert!(says(unknown.lines(HELP), "counting threads: predicates like n "), "{unknown:?}");
    assert_eq!(unknown.lines(HELP).len(), 1);
    let hint = "put a label where the counted threads are";
    assert!(says(unknown.lines(NEXT), hint), "{unknown:?}");
    assert!(unknown.lines(NEXT).iter().any(|line| line.ends_with("`hint (n >= count(label));`")));
}

#[test]
fn predicates_about_slot_after_slot_lack_a_fact_about_all() {
    let array = "global int a[];
         global int n;
         thread main {
             local int i = 0;
             while (i < n) { a[i] = 1; i = i + 1; }
             i = 0;
             while (i < n) { assert(a[i] == 1); i = i + 1; }
         }";
    let single = unknown(array);
    assert!(says(single.lines(HELP), "a fact about all slots of an array"), "{single:?}");
    assert!(says(single.lines(NEXT), "no clause can name all slots"), "{single:?}");
    let pointed = unknown(&format!("{array} thread worker[*] {{ local int c; c = n; }}"));
    let hint =
        "state it for the slots that threads point at: `hint forall worker t (a[t.c] == ...);`";
    assert!(says(pointed.lines(NEXT), hint), "{pointed:?}");
}

#[test]
fn a_few_refinements_show_no_growth() {
    let unknown = after(3, ITERATIONS);
    assert_eq!(unknown.lines(GROWING), [""; 0]);
    assert_eq!(unknown.lines(HELP), [""; 0]);
    assert!(says(unknown.lines(NEXT), "add clauses to the program"), "{unknown:?}");
}

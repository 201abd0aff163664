//! `count`, `invariant` and `hint`: which counters and variables they mean, and what is refused.

use super::{edges, lowered};
use crate::errors::check;
use threadproof_producer::logic::print;
use threadproof_producer::source::{Annotation, AnnotationKind, Source};

/// The clauses as text: kind, threads, formula.
fn clauses(l: &Source) -> Vec<String> {
    let text = |clause: &Annotation| {
        let kind = if clause.kind == AnnotationKind::Hint { "hint" } else { "invariant" };
        let formula = print::assertion(&l.program, &clause.threads, &[], &clause.formula);
        format!("{kind} {:?} {formula}", clause.threads)
    };
    l.annotations.iter().map(text).collect()
}

#[test]
fn count_is_a_sum_of_counters() {
    let l = lowered(
        "global int x;\nthread s { at: x = 1; x = 2; }\nvoid f() { x = 3; in: x = 4; }\n\
         thread t[*] { x = 5; at: also: f(); f(); assert(count(at, also, in) <= x); }\n",
    );
    // The label of the procedure stands in two places, and `also` where `at` does.
    let sum = "#s.at + #t.at + #t.in + #t.in_2";
    let last: Vec<String> = edges(&l).into_iter().filter(|e| e.contains('#')).collect();
    let start = "L3 -> ";
    assert_eq!(
        last,
        [
            format!("{start}error_1 {{ when {sum} > x; }}"),
            format!("{start}end {{ when {sum} <= x; }}")
        ]
    );
}

#[test]
fn clauses_are_about_globals_and_different_threads() {
    let l = lowered(
        "global int g;\ninvariant (g >= count(here) + main.y);\n\
         hint forall t a, u b, t c (a.x != c.x || b.z[g] == a.x);\n\
         thread main { local int y; hint (y <= g); y = 1; }\n\
         thread pair[2] { local int w; invariant (w > 0); w = 1; }\n\
         thread t[*] { local int x; invariant (x > g); hint (x > 1); x = 0; here: x = 1; }\n\
         thread u[*] { local int z[]; z[0] = 1; }\n",
    );
    assert_eq!(
        clauses(&l),
        [
            "invariant [] g >= #t.here + main.y",
            "hint [3, 4, 3] x(1) != x(3) || z(2)[g] == x(1)",
            "hint [] main.y <= g",
            "invariant [] pair_1.w > 0",
            "invariant [] pair_2.w > 0",
            "invariant [3] x(1) > g",
            "hint [3] x(1) > 1",
        ]
    );
    assert_eq!(l.annotations[0].note, "test.tp:2: invariant (g >= count(here) + main.y);");
    // The core program is the same without them.
    assert!(!l.core.contains("invariant") && !l.core.contains("hint"));
}

#[test]
fn a_program_may_use_count_as_a_name() {
    let l =
        lowered("global int count;\nthread t[*] { count = 1; a: assert(count(a) <= count); }\n");
    assert!(edges(&l)[1].contains("#t.a > count"));
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let in_thread = |statements: &str, message: &str| {
        let source = format!("global int x;\nthread t[*] {{\n{statements}\n}}\n");
        check(&source, &[message]);
    };
    in_thread("x = count(a); a: x = 1;", "3:5: there is no procedure `count`");
    in_thread(
        "if (count(a) > 0) x = 0; a: x = 1;",
        "3:5: `count` stands in `assert`, `invariant` and `hint` only",
    );
    in_thread(
        "a: x = 1; assert(count(a) > 0);",
        "3:24: threads at `a` are not counted: they start there",
    );
    in_thread("x = 1; assert(count(b) > 0);", "3:21: there is no label `b`");
    in_thread("x = 1; assert(count() > 0);", "3:15: `count` without labels");
    in_thread("x = 1; assert(count(1) > 0);", "3:21: `count` takes labels");
    in_thread("x = 1; a: assert(count(a));", "3:18: expected a truth value, found an integer");
}

#[test]
fn wrong_clauses_are_refused() {
    let program = |clause: &str| {
        format!(
            "global int g;\n{clause}\nthread s {{ local int y; y = 1; }}\nthread t[*] {{ local int x; x = 1; }}\n"
        )
    };
    let outside = |clause: &str, message: &str| check(&program(clause), &[message]);
    outside("invariant (g);", "2:12: expected a truth value, found an integer");
    outside("invariant (x > 0);", "2:12: `x` is not declared");
    outside("invariant (t.x > 0);", "2:12: `t.x` is not declared here");
    outside("invariant forall s a (a.y > 0);", "2:18: `s` is not declared with `[*]`");
    outside("invariant forall v a (g > 0);", "2:18: `v` is not a thread");
    outside("invariant forall t g (g > 0);", "2:20: the name `g` is taken");
    outside("hint forall t a, t a (g > 0);", "2:20: the name `a` is taken");
    outside("hint (2 / g > 0);", "2:11: the divisor is not a constant");
    outside("hint (cas(g, 0, 1));", "2:7: `cas` is not allowed here");
    let in_procedure = "global int g;\nvoid f() { hint (g > 0); g = 1; }\nthread t { f(); }\n";
    check(in_procedure, &["2:18: a clause in a procedure"]);
    let in_thread = "global int g;\nthread t[*] { g = 1; hint (g > 0); }\n";
    check(in_thread, &["2:22: an `invariant` or `hint` after the first statement"]);
}

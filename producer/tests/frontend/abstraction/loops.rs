//! Invariants of the loops of threads that have an abstraction.

use super::comparable::{comparable_layers, pair};
use crate::errors::check;
use crate::lowered;
use threadproof_format::Op;
use threadproof_producer::logic::print;
use threadproof_producer::source::{LoopInvariant, Source};

/// What is said of the loops, with `x(1)` for a local and `F[idle]` for a candidate.
fn loop_invariants(l: &Source) -> Vec<String> {
    let layer = &l.abstractions[0];
    let text = |said: &LoopInvariant| {
        let of = usize::try_from(said.template).expect("a small number");
        let pair = pair(&l.program, &layer.program, said.template);
        let at = usize::try_from(said.location).expect("a small number");
        let name = |op: &Op| match op {
            Op::Local(0, i) => {
                pair.concrete.locals[usize::try_from(*i).expect("small")].name.clone()
            }
            Op::Local(1, x) => {
                let x = usize::try_from(*x).expect("small");
                format!("F[{}]", pair.abstraction.locations[x].name)
            }
            other => panic!("{other:?}"),
        };
        let formula = print::expr(&said.formula, &name);
        let template = &l.program.templates[of];
        format!("{} {}: {formula}", template.name, template.locations[at].name)
    };
    layer.loop_invariants.iter().map(text).collect()
}

#[test]
fn loops_say_what_holds_of_locals_and_candidates() {
    let l = lowered(
        "global int g;\n\
         abstract W abstracts V { local bool b; initial node idle; node busy; edge idle -> busy unchanged except (b); }\n\
         abstract V { initial node v; edge v -> v; }\n\
         void spin(int n) { while (n > 0) invariant (n >= 0 || candidate(busy)) { n = n - 1; } }\n\
         thread a { local int i; i = 1; }\n\
         thread s abstracts W {\n    local int j; local int f[];\n    g = 1;\n\
             head: while (*) invariant (j > f[j]) invariant (candidate(idle) && !candidate(busy)) { j = 2; }\n}\n\
         thread p[2] abstracts W { local int k; while (k > 0) invariant (k > 1) { spin(k); } }\n\
         thread u[*] { spin(3); }\n",
    );
    comparable_layers(&l);
    let spin = "spin_n >= 0 || (F[busy] || F[busy_b])";
    assert_eq!(
        loop_invariants(&l),
        [
            "s head: j > f[j]".to_owned(),
            "s head: F[start] && !(F[busy] || F[busy_b])".to_owned(),
            "p_1 L1: k > 1".to_owned(),
            format!("p_1 L3: {spin}"),
            "p_2 L1: k > 1".to_owned(),
            format!("p_2 L3: {spin}"),
        ]
    );
    assert_eq!(l.abstractions[0].loop_invariants[0].note, "test.tp:9: invariant (j > f[j]);");
    assert_eq!(
        l.abstractions[0].loop_invariants[3].note,
        "test.tp:4: invariant (n >= 0 || candidate(busy)); (called at 11)"
    );
    // They are no part of the core program, and not about the second layer.
    assert!(l.abstractions[1].loop_invariants.is_empty());
    assert!(!l.core.contains("invariant"));
}

#[test]
fn wrong_invariants_of_loops() {
    let said = |formula: &str, error: &str| {
        refused_loop(&format!("invariant ({formula})"), "abstracts W", error);
    };
    said("x > 0", "2:22: the global `x` in a loop invariant");
    said("y", "2:22: expected a truth value, found an integer");
    said("z > 0", "2:22: `z` is not declared");
    said("y' > 0", "2:22: `y'` is not allowed here");
    said("y / 0 == 0", "2:26: the divisor is not positive");
    said("count(l) > 0", "2:22: `count` stands in `assert`, `invariant` and `hint` only");
    said("candidate(c)", "2:32: `W` has no node `c`");
    said("candidate(1)", "2:22: `candidate` takes the name of a node");
    said("candidate()", "2:22: `candidate` takes the name of a node");
    said("*", "2:22: `*` is not allowed here");
    refused_loop("invariant y > 0", "abstracts W", "2:21: expected `(`, found `y`");
    refused_loop(
        "invariant (y > 0)",
        "",
        "2:22: a loop invariant in a thread without an abstraction",
    );
    let source = "global int x; thread t { if (candidate(a)) x = 1; }";
    check(source, &["1:30: a call is not allowed inside an expression"]);
}

/// The error of a thread whose loop, on line 2, says this.
fn refused_loop(said: &str, abstracts: &str, error: &str) {
    let source = format!(
        "global int x; thread t[*] {abstracts} {{ local int y; y = x;\nwhile (*) {said} y = 1; }}\n\
         abstract W {{ initial node a; }} thread u abstracts W {{ x = 1; }}\n"
    );
    check(&source, &[error]);
}

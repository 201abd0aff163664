//! Abstract threads: the layers of programs that they make, and what is refused.

use super::errors::check;
use super::{edges_of, lowered};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::abstraction::{comparable, conformance::Pair};
use threadproof_checker::internals::core_form;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::abstraction::{Conformance, Part};
use threadproof_format::{Digest, Expr, Op};
use threadproof_producer::certify::obligations;
use threadproof_producer::logic::print;
use threadproof_producer::source::{LoopInvariant, Source};

/// Lowers a program with an abstract thread `W` of these parts, and its thread.
fn machine(globals: &str, parts: &str) -> Source {
    let thread = "thread t[*] abstracts W { assume(true); }";
    let l = lowered(&format!("{globals}\nabstract W {{\n{parts}\n}}\n{thread}\n"));
    comparable_layers(&l);
    l
}

/// The edges of the first layer.
fn machine_edges(globals: &str, parts: &str) -> Vec<String> {
    edges_of(&machine(globals, parts).abstractions[0].program)
}

/// Asserts that the checker reads each layer as the same program, finds that it can be compared
/// with the one before, and takes its abstract threads for well formed.
pub fn comparable_layers(l: &Source) {
    let budget = Budget::default();
    let mut concrete = &l.program;
    for layer in &l.abstractions {
        let (read, _) = core_form::parse(&layer.core).expect("the checker reads it");
        assert_eq!(read, layer.program);
        assert_eq!(layer.program.assumptions, l.program.assumptions);
        let parts = parts(concrete, layer);
        let stated = threadproof_format::proof::abstraction::Layer {
            to: (0..).take(parts.len()).collect(),
            parts: parts.clone(),
            program: Digest::of([&b""[..]]),
            witness: None,
            statement: String::new(),
        };
        comparable(concrete, &layer.program, &stated, &budget).expect("they can be compared");
        for (of, part) in (0..).zip(&parts) {
            let pair = pair(concrete, &layer.program, of);
            match part {
                Part::Kept => {}
                Part::Abstracted(proof) => {
                    obligations::conformance(&pair, proof, &budget).expect("well formed");
                }
            }
        }
        concrete = &layer.program;
    }
}

/// A template and the abstract program's of the same number.
fn pair<'a>(concrete: &'a Program, program: &Program, of: u32) -> Pair<'a> {
    Pair::new((concrete, of), (program, of), &Budget::default()).expect("a pair")
}

/// The parts of a layer, with proofs that say nothing.
fn parts(concrete: &Program, layer: &Source) -> Vec<Part> {
    let part = |of: u32| {
        let pair = pair(concrete, &layer.program, of);
        let copied = |local: &Variable| {
            let global = local.name.strip_prefix("copy_").expect("a copy");
            let of = layer.program.globals.iter().position(|g| g.name == global);
            u32::try_from(of.expect("a global")).expect("a small number")
        };
        if pair.same(&Budget::default()).unwrap() {
            return Part::Kept;
        }
        let inner = pair.concrete.locations.iter().filter(|l| !l.error);
        let invariants = inner.map(|_| Expr::bool(true)).collect();
        let copies = pair.abstraction.locals.iter().map(copied).collect();
        Part::Abstracted(Conformance { copies, invariants, refutations: Vec::new() })
    };
    (0..).take(concrete.templates.len()).map(part).collect()
}

#[test]
fn nodes_are_locations_with_idle_edges_and_assertions_lead_to_errors() {
    assert_eq!(
        machine_edges(
            "global int x; global bool b;",
            "common assertion (x >= 0);\ninitial node idle;\nnode inside (!b && x > 0);\n\
             edge idle -> inside (x' == x + 1 && !b) unchanged except (x);\nedge inside -> idle unchanged;",
        ),
        [
            "idle -> error_1 { when x < 0; }",
            "idle -> idle { }",
            "idle -> inside { when !b; x := x + 1; }",
            "inside -> error_1 { when x < 0; }",
            "inside -> error_2 { when b || x <= 0; }",
            "inside -> inside { }",
            "inside -> idle { }",
        ]
    );
}

#[test]
fn the_core_form_of_a_layer_is_this_text() {
    let l = machine("global int x;", "initial node a (x > 0);\nedge a -> a (x' > x);");
    let expected = "\
core 1;
assumption \"memory is sequentially consistent, and each statement, each condition and each atomic block is one atomic step\";
assumption \"integers are mathematical: no overflow happens\";
global x: int;
many W {
    location a;
    location error_1 error;
    edge a -> error_1 { when x <= 0; } // test.tp:3: initial node a (x > 0); fails
    edge a -> a { } // test.tp:3: initial node a (x > 0); (idle)
    edge a -> a { input next_x: int; when next_x > x; x := next_x; } // test.tp:4: edge a -> a (x' > x);
}
";
    assert_eq!(l.abstractions[0].core, expected);
}

/// The one edge, beside the idle one, of a relation between `x`, `y`, `b`, `c` and `a[]`.
fn relation(relation: &str) -> String {
    let globals = "global int x; global int y; global bool b; global bool c; global int a[];";
    let all = machine_edges(globals, &format!("initial node n;\nedge n -> n {relation};"));
    assert_eq!((all.len(), &all[0][..]), (2, "n -> n { }"));
    all[1].strip_prefix("n -> n ").expect("the edge").to_owned()
}

#[test]
fn next_values_that_are_fixed_are_assigned() {
    let only_x = |formula: &str| relation(&format!("({formula}) unchanged except (x)"));
    assert_eq!(only_x("x' == x + 1"), "{ x := x + 1; }");
    assert_eq!(only_x("2 * y == x'"), "{ x := 2 * y; }");
    assert_eq!(only_x("x' == y && x' > 3"), "{ when y > 3; x := y; }");
    assert_eq!(only_x("x' == y && x' == 7"), "{ when y == 7; x := y; }");
    assert_eq!(only_x("x' == x && y > 0"), "{ when y > 0; }");
    assert_eq!(
        only_x("x' == x' + y"),
        "{ input next_x: int; when next_x == next_x + y; x := next_x; }"
    );
    assert_eq!(
        only_x("x' == 1 || x' == 2"),
        "{ input next_x: int; when next_x == 1 || next_x == 2; x := next_x; }"
    );
    assert_eq!(relation("(b' && !c') unchanged except (b, c)"), "{ b := true, c := false; }");
    assert_eq!(relation("(b' == (x > 0)) unchanged except (b)"), "{ b := x > 0; }");
}

#[test]
fn next_values_are_fixed_by_those_that_are() {
    let both = |formula: &str| relation(&format!("({formula}) unchanged except (x, y)"));
    assert_eq!(both("x' == y' + 1 && y' == x"), "{ x := x + 1, y := x; }");
    assert_eq!(both("x' == y && y' == x"), "{ x := y, y := x; }");
    assert_eq!(
        both("x' == y' && y' > x"),
        "{ input next_x: int; input next_y: int; when next_x == next_y && next_y > x; x := next_x, y := next_y; }"
    );
}

#[test]
fn what_no_relation_and_no_unchanged_speaks_of_is_arbitrary() {
    assert_eq!(
        relation("(x' == 0)"),
        "{ input next_y: int; input next_b: bool; input next_c: bool; input next_a: int[]; \
         x := 0, y := next_y, b := next_b, c := next_c, a := next_a; }"
    );
    assert_eq!(relation("unchanged except (y)"), "{ input next_y: int; y := next_y; }");
    assert_eq!(
        relation("(a'[x] == 5 && a'[y] > a[y]) unchanged except (a)"),
        "{ input next_a: int[]; when next_a[x] == 5 && next_a[y] > a[y]; a := next_a; }"
    );
}

#[test]
fn an_edge_that_is_the_idle_one_stands_once() {
    assert_eq!(machine_edges("", "initial node a;\nedge a -> a unchanged;"), ["a -> a { }"]);
}

#[test]
fn words_of_abstract_threads_are_names_elsewhere() {
    let l = lowered(
        "global int node; global int edge; global int abstract; global int common;\n\
         abstract W { initial node node; edge node -> node (edge' > common) unchanged except (edge); }\n\
         thread unchanged abstracts W { initial: edge = common + 1; }\n",
    );
    comparable_layers(&l);
    assert_eq!(l.abstractions[0].program.templates[0].locations[0].name, "node");
}

#[test]
fn locals_are_values_at_the_nodes() {
    assert_eq!(
        machine_edges(
            "global int x;",
            "local bool busy = false;\nlocal int k in -1..1 = 0;\n\
             initial node a (busy || x > k);\nnode b;\n\
             edge a -> b (busy' && k' == k - 1 && x' == k) unchanged except (busy, k, x);\n\
             edge b -> a (busy && !busy') unchanged except (busy);",
        ),
        [
            "a_k_0 -> error_1 { when x <= 0; }",
            "a_k_0 -> a_k_0 { }",
            "a_k_0 -> b_busy_k_minus_1 { x := 0; }",
            "a_k_minus_1 -> error_1 { when x <= -1; }",
            "a_k_minus_1 -> a_k_minus_1 { }",
            "b_busy_k_minus_1 -> b_busy_k_minus_1 { }",
            "b_busy_k_minus_1 -> a_k_minus_1 { }",
        ]
    );
}

#[test]
fn a_local_that_an_edge_does_not_speak_of_is_arbitrary() {
    assert_eq!(
        machine_edges("", "local int k in 1..2 = 1;\ninitial node a;\nedge a -> a;"),
        ["a_k_1 -> a_k_1 { }", "a_k_1 -> a_k_2 { }", "a_k_2 -> a_k_2 { }", "a_k_2 -> a_k_1 { }"]
    );
}

#[test]
fn several_initial_nodes_are_one_location() {
    let globals = "global int x;";
    let parts = "initial node start (x > 0);\ninitial node b (x > 1);\nnode c;\n\
                 edge start -> c (x' == 1);\nedge b -> c (x' == 1);\nedge b -> c (x' == 2);\nedge c -> b (x' == 3);";
    assert_eq!(
        machine_edges(globals, parts),
        [
            "start -> error_1 { when x <= 0; }",
            "start -> error_2 { when x <= 1; }",
            "start -> start { }",
            "start -> c { x := 1; }",
            "start -> c { x := 2; }",
            "b -> error_2 { when x <= 1; }",
            "b -> b { }",
            "b -> c { x := 1; }",
            "b -> c { x := 2; }",
            "c -> c { }",
            "c -> b { x := 3; }",
        ]
    );
    // The node `start` is a location of its own if an edge leads to it, and keeps its name.
    let back = machine(globals, &format!("{parts}\nedge c -> start (x' == 0);"));
    let names = |l: &Source| -> Vec<String> {
        let locations = &l.abstractions[0].program.templates[0].locations;
        locations.iter().map(|l| l.name.clone()).collect()
    };
    assert_eq!(names(&back), ["start_2", "start", "b", "c", "error_1", "error_2"]);
    // A local without an initial value has any.
    let any = machine(globals, "local bool b;\ninitial node a (b);");
    assert_eq!(names(&any), ["start", "error_1"]);
}

#[test]
fn layers_replace_each_thread_by_its_next_abstraction() {
    let l = lowered(
        "global int x; global int y;\n\
         invariant (x >= u.i);\nhint (s.j > 0);\nhint forall t a (a.k > y);\nhint forall v a (a.m > s.j);\n\
         abstract W abstracts V { initial node w; }\nabstract V { initial node v; }\n\
         thread s abstracts V { local int j; x = j; }\n\
         thread u { local int i; i = x; x = i + y; }\n\
         thread p[2] abstracts W { local int k; k = x; }\n\
         thread q abstracts W { x = 1; }\n\
         thread t[*] abstracts W { local int k; k = 1; }\n\
         thread v[*] { local int m; m = y; l: assert(count(l) > m); }\n",
    );
    comparable_layers(&l);
    let names = |layer: &Source| -> Vec<String> {
        layer.program.templates.iter().map(|t| t.name.clone()).collect()
    };
    assert_eq!(l.abstractions.len(), 2);
    assert_eq!(names(&l.abstractions[0]), ["V", "u", "W_1", "W_2", "W", "W_3", "v"]);
    assert_eq!(names(&l.abstractions[1]), ["V", "u", "V_1", "V_2", "V_3", "V_4", "v"]);
    let abstracted = |concrete: &Source, layer: &Source| -> Vec<bool> {
        let parts = parts(&concrete.program, layer);
        parts.iter().map(|part| matches!(part, Part::Abstracted(_))).collect()
    };
    let [first, second] = &l.abstractions[..] else { panic!("two layers") };
    assert_eq!(abstracted(&l, first), [true, false, true, true, true, true, false]);
    assert_eq!(abstracted(first, second), [false, false, true, true, true, true, false]);
    // The locals of `u` are globals behind those of `s`, which are gone.
    let owners: Vec<_> =
        l.abstractions[0].program.globals.iter().map(|v| (v.name.as_str(), v.owner)).collect();
    assert_eq!(owners, [("x", None), ("y", None), ("i", Some(1))]);
    let last: Vec<String> = edges_of(&l.abstractions[1].program).split_off(7);
    assert_eq!(
        last,
        ["L1 -> l { m := y; }", "l -> error_1 { when #v.l <= m; }", "l -> end { when #v.l > m; }"]
    );
    let notes = |layer: &Source| -> Vec<String> {
        layer.annotations.iter().map(|said| said.note.clone()).collect()
    };
    assert_eq!(notes(&l.abstractions[0]), ["test.tp:2: invariant (x >= u.i);"]);
    assert_eq!(notes(&l.abstractions[1]), notes(&l.abstractions[0]));
    assert!(lowered("thread t { assume(true); }").abstractions.is_empty());
}

/// The errors of an abstract thread; its parts are on line 2.
fn refused(parts: &str, errors: &[&str]) {
    let source = format!(
        "global int x; global bool b; global int a[]; abstract W {{\n{parts}\n}}\nthread t[*] abstracts W {{ local int y; y = x; }}\n"
    );
    check(&source, errors);
}

#[test]
fn syntax() {
    refused("initial a;", &["2:9: expected `node`, found `a`"]);
    refused("common (x > 0);", &["2:8: expected `assertion`, found `(`"]);
    refused("node a", &["2:6: expected `;`, found `}`"]);
    refused("x = 1;", &["2:1: expected a part of an abstract thread, found `x`"]);
    refused("edge a b;", &["2:8: expected `->`, found `b`"]);
    refused("edge a -> 1;", &["2:11: expected the name of a node, found `1`"]);
    refused("edge a -> b unchanged except x;", &["2:30: expected `(`, found `x`"]);
    refused(
        "edge a -> b unchanged except ();",
        &["2:31: expected the name of a variable, found `)`"],
    );
    refused("local int k in 0..x;", &["2:19: expected a bound of a range, found `x`"]);
    refused("local int k in 0, 3;", &["2:17: expected `..`, found `,`"]);
    refused(
        "node 1; edge a -> b c;\nlocal float f;",
        &[
            "2:6: expected the name of a node, found `1`",
            "2:21: expected `;`, found `c`",
            "3:7: expected a type (int, bool or lock), found `float`",
        ],
    );
    check("abstract W {\n", &["1:12: expected `}`, found the end of the file"]);
    check("thread t abstracts { }", &["1:20: expected the name of an abstract thread, found `{`"]);
}

#[test]
fn wrong_nodes_and_edges() {
    refused("node a;", &["1:55: `W` has no initial node"]);
    refused("initial node a; node a;", &["2:22: the node `a` is declared twice"]);
    refused("initial node a; edge a -> b;", &["2:27: there is no node `b`"]);
    refused("initial node a; node b; edge b -> a;", &["2:17: no path leads to the node `b`"]);
    refused("initial node a; edge a -> a (false);", &["2:17: this edge can never be taken"]);
    refused(
        "local int k in 0..2 = 1; initial node a; edge a -> a (k == 2) unchanged;",
        &["2:42: this edge can never be taken"],
    );
    refused("initial node a (true);", &["2:17: this assertion always holds"]);
    refused("initial node a (x);", &["2:17: expected a truth value, found an integer"]);
}

#[test]
fn what_abstract_threads_cannot_mention() {
    let assertion = |formula: &str, error: &str| {
        refused(&format!("initial node a ({formula});"), &[error]);
    };
    assertion("y > 0", "2:17: `y` is not declared");
    assertion("x' > 0", "2:17: `x'` is not allowed here");
    assertion("W > 0", "2:17: `W` is an abstract thread, not a variable");
    assertion("count(a) > 0", "2:17: `count` stands in `assert`, `invariant` and `hint` only");
    assertion("2 / x > 0", "2:21: the divisor is not a constant");
    assertion("*", "2:17: `*` is not allowed here");
    let edge = |text: &str, errors: &[&str]| {
        refused(&format!("initial node a; edge a -> a {text};"), errors);
    };
    edge("(x' == 2 % x)", &["2:40: the divisor is not a constant"]);
    edge("(z' == x)", &["2:30: `z` is not declared"]);
    edge("(x' == x) unchanged", &["2:30: this edge leaves `x` unchanged"]);
    edge("(a' == a)", &["2:30: expected an integer, found an array"]);
    edge("(t' == x)", &["2:30: `t` is a thread, not a variable"]);
    edge("unchanged except (y, x, x)", &["2:47: `y` is not declared", "2:53: `x` is named twice"]);
    check("global int x; thread t { x = x'; }", &["1:30: `x'` is not allowed here"]);
    check("global int x; thread t { x' = 1; }", &["1:26: `x'` is not allowed here"]);
}

#[test]
fn wrong_locals() {
    let local = |text: &str, errors: &[&str]| {
        refused(&format!("local {text}; initial node n;"), errors);
    };
    local("int k", &["2:11: `k` can have infinitely many values"]);
    local("int k[]", &["2:11: `k` can have infinitely many values"]);
    local("int k in 2..1", &["2:16: this range is empty"]);
    local("int k in 0..256", &["2:16: a range of more than 256 values"]);
    local(
        "int k in 0..15, j in 0..16",
        &["2:23: the locals have more than 256 combinations of values"],
    );
    local("int k in 0..3 = 4", &["2:23: the initial value is not in the range"]);
    local("int k in 0..3 = x", &["2:23: an initial value must be a constant"]);
    local("bool k in 0..1", &["2:17: only an integer has a range"]);
    local("bool x", &["2:12: the local `x` hides a global, procedure or thread of that name"]);
    refused(
        "local int k in 0..255;\ninitial node n; edge n -> n;",
        &["3:1: an abstract thread of more than 50000 edges"],
    );
    local("bool k, k", &["2:15: `k` is declared twice"]);
    local("lock l", &["2:12: a local lock"]);
}

#[test]
fn wrong_use_of_abstractions() {
    let thread = "thread t abstracts W { assume(true); }";
    check(thread, &["1:20: there is no abstract thread `W`"]);
    check(
        "abstract W { initial node a; } thread t { assume(true); }",
        &["1:10: no thread has the abstraction `W`"],
    );
    check(
        &format!(
            "abstract W abstracts V {{ initial node a; }} abstract V abstracts W {{ initial node a; }} {thread}"
        ),
        &["1:10: `W` abstracts itself"],
    );
    check(
        &format!("abstract W {{ initial node a; }} abstract W {{ initial node a; }} {thread}"),
        &["1:10: no thread has the abstraction `W`", "1:41: `W` is declared twice"],
    );
    // The label is in two threads, of which one is abstracted.
    check(
        "global int x; abstract W { initial node a; }\n\
         thread t[*] abstracts W { x = 1; l: x = 2; }\n\
         thread u[*] { x = 1; l: assert(count(l) <= x); }\n",
        &["3:38: `t` is abstracted: its threads cannot be counted"],
    );
}

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

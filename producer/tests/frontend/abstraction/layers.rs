//! The programs that abstract threads make.

use super::comparable::{comparable_layers, parts};
use crate::{edges_of, lowered};
use threadproof_format::proof::abstraction::Part;
use threadproof_producer::source::Source;

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

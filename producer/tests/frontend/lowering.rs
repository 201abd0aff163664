//! The core programs that the front end makes: one edge for each step and no other.

use super::{edges, lowered, thread};

#[test]
fn every_statement_is_one_edge_and_jumps_are_none() {
    let l = thread(
        "global int x = 0; global lock m;",
        "local int c = 3;",
        "lock(m);\nwhile (c > 0) {\nc = c - 1;\nif (c == x) break;\n}\nunlock(m);\nassert(c >= 0);",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { when !m; m := true; }",
            "L2 -> L3 { when c > 0; }",
            "L2 -> L5 { when c <= 0; }",
            "L3 -> L4 { c := c - 1; }",
            "L4 -> L5 { when c == x; }",
            "L4 -> L2 { when c != x; }",
            "L5 -> L6 { m := false; }",
            "L6 -> error_1 { when c < 0; }",
            "L6 -> end { when c >= 0; }",
        ]
    );
}

#[test]
fn the_core_form_is_this_text() {
    let l = lowered(
        "global int a[];\nglobal bool b = false;\ninit (a[0] >= 1 || b);\n\
         thread t {\n    local int i = 2;\n    a[i] = a[0]; // copy\n    assert(a[i] > 0);\n}\n",
    );
    let expected = "\
core 1;
assumption \"memory is sequentially consistent, and each statement, each condition and each atomic block is one atomic step\";
assumption \"integers are mathematical: no overflow happens\";
assumption \"arrays are unbounded: no bounds are checked\";
global a: int[];
global b: bool;
init !b && (a[0] >= 1 || b);
one t {
    local i: int;
    init i == 2;
    location L1;
    location L2;
    location end;
    location error_1 error;
    edge L1 -> L2 { a := a[i := a[0]]; } // test.tp:6: a[i] = a[0];
    edge L2 -> error_1 { when a[i] <= 0; } // test.tp:7: assert(a[i] > 0); fails
    edge L2 -> end { when a[i] > 0; } // test.tp:7: assert(a[i] > 0);
}
";
    assert_eq!(l.core, expected);
}

#[test]
fn locals_of_single_threads_are_owned_globals() {
    let l = lowered(
        "global int g;\nthread a { local int x = 1; g = x; }\nthread b[2] { local int x; x = g; }\n",
    );
    let owners: Vec<_> = l.program.globals.iter().map(|v| (v.name.as_str(), v.owner)).collect();
    assert_eq!(owners, [("g", None), ("x", Some(0)), ("x", Some(1)), ("x", Some(2))]);
    let names: Vec<_> = l.program.templates.iter().map(|t| t.name.as_str()).collect();
    assert_eq!(names, ["a", "b_1", "b_2"]);
    assert_eq!(
        edges(&l),
        ["L1 -> end { g := x; }", "L1 -> end { x := g; }", "L1 -> end { x := g; }"]
    );
}

#[test]
fn labels_name_locations_and_goto_takes_no_step() {
    let l = thread(
        "global int x;",
        "",
        "again: x = x + 1;\nif (x < 5) goto again;\nif (x > 9) { goto out; }\nx = 0;\nout: ;",
    );
    assert_eq!(
        edges(&l),
        [
            "again -> L1 { x := x + 1; }",
            "L1 -> again { when x < 5; }",
            "L1 -> L2 { when x >= 5; }",
            "L2 -> out { when x > 9; }",
            "L2 -> L3 { when x <= 9; }",
            "L3 -> out { x := 0; }",
        ]
    );
}

#[test]
fn empty_branches_loops_and_statements_leave_no_location_behind() {
    let l = thread("global int x;", "", "if (x == 0) { } else { ; }\nwhile (x == 1) ;\nx = 2;");
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { when x == 0; }",
            "L1 -> L2 { when x != 0; }",
            "L2 -> L2 { when x == 1; }",
            "L2 -> L3 { when x != 1; }",
            "L3 -> end { x := 2; }",
        ]
    );
}

#[test]
fn an_endless_loop_has_no_exit() {
    let l = thread("global int x;", "", "while (true) { x = x + 1; if (*) continue; x = 0; }");
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { }",
            "L2 -> L3 { x := x + 1; }",
            "L3 -> L1 { }",
            "L3 -> L4 { }",
            "L4 -> L1 { x := 0; }",
        ]
    );
}

#[test]
fn an_atomic_block_is_one_edge_for_each_path() {
    let l = thread(
        "global int x; global int a[];",
        "local int i;",
        "atomic { i = x; if (i > 0) { a[i] = i; x = a[i]; } else { havoc x; assert(x < i); } }",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> error_1 { input any_x: int; when x <= 0 && any_x >= x; x := any_x, i := x; }",
            "L1 -> end { when x > 0; x := a[x := x][x], a := a[x := x], i := x; }",
            "L1 -> end { input any_x: int; when x <= 0 && any_x < x; x := any_x, i := x; }",
        ]
    );
}

#[test]
fn break_continue_and_return_leave_an_atomic_block() {
    let l = thread(
        "global int x;",
        "",
        "while (*) {\natomic { if (x == 1) break; if (x == 2) return; if (x == 3) { continue; } x = 4; }\nx = 5;\n}\nx = 6;",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { }",
            "L1 -> L4 { }",
            "L2 -> L4 { when x == 1; }",
            "L2 -> end { when x != 1 && x == 2; }",
            "L2 -> L1 { when x != 1 && x != 2 && x == 3; }",
            "L2 -> L3 { when x != 1 && x != 2 && x != 3; x := 4; }",
            "L3 -> L1 { x := 5; }",
            "L4 -> end { x := 6; }",
        ]
    );
}

#[test]
fn cas_swaps_in_the_step_of_its_condition() {
    let l = thread(
        "global int x; global bool b;",
        "local bool done;",
        "while (!cas(x, 0, 1)) { }\ndone = cas(b, false, true);\nassume(cas(x, 1, 2) && done);",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { when x == 0; x := 1; }",
            "L1 -> L1 { when x != 0; }",
            "L2 -> L3 { when !b; b := true, done := true; }",
            "L2 -> L3 { when b; done := false; }",
            "L3 -> end { when x == 1 && done; x := 2; }",
        ]
    );
}

#[test]
fn both_operands_of_a_condition_are_evaluated_in_one_step_as_in_c() {
    let l = thread("global int x; global int y;", "", "if (y > 0 || cas(x, y, 7)) { y = 1; }");
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { when y > 0; }",
            "L1 -> L2 { when y <= 0 && x == y; x := 7; }",
            "L1 -> end { when y <= 0 && x != y; }",
            "L2 -> end { y := 1; }",
        ]
    );
}

#[test]
fn procedures_are_inlined_with_arguments_in_one_step() {
    let l = lowered(
        "global int g;\n\
         int twice(int n) {\n    local int r;\n    r = 2 * n;\n    return r;\n}\n\
         void bump() { g = g + 1; }\n\
         thread t[*] {\n    local int x;\n    x = twice(g + 1);\n    bump();\n    x = twice(x);\n}\n",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { input any_twice_r: int; twice_n := g + 1, twice_r := any_twice_r; }",
            "L2 -> L3 { twice_r := 2 * twice_n; }",
            "L3 -> L4 { x := twice_r; }",
            "L4 -> L5 { g := g + 1; }",
            "L5 -> L6 { input any_twice_r: int; twice_n := x, twice_r := any_twice_r; }",
            "L6 -> L7 { twice_r := 2 * twice_n; }",
            "L7 -> end { x := twice_r; }",
        ]
    );
    assert_eq!(l.notes[0][1], "test.tp:4: r = 2 * n; (called at 10)");
}

#[test]
fn procedures_in_an_atomic_block_are_part_of_its_step() {
    let l = lowered(
        "global int g; global bool b;\n\
         bool take(int n) { if (g < n) return false; g = g - n; return true; }\n\
         thread t[*] { local bool ok; atomic { ok = take(2); assume(ok); b = ok; } }\n",
    );
    // The path on which `take` returns false ends at `assume(ok)`.
    assert_eq!(
        edges(&l),
        ["L1 -> end { when g >= 2; g := g - 2, b := true, ok := true, take_n := 2; }"]
    );
}

#[test]
fn names_that_the_core_form_cannot_have_are_changed() {
    let l = lowered(
        "global int edge; global int input; global int L1;\n\
         thread one[*] {\n    local int error;\n    local int many_;\n    havoc edge;\n    error: input = edge;\n    error = many_;\n}\n",
    );
    let names: Vec<_> = l.program.globals.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["edge_", "input_", "L1"]);
    assert_eq!(l.program.templates[0].name, "one_");
    assert_eq!(edges(&l)[0], "L1 -> error_ { input any_edge_: int; edge_ := any_edge_; }");
    threadproof_checker::internals::core_form::parse(&l.core).expect("the checker reads it");
}

#[test]
fn locks_are_free_unless_init_mentions_them() {
    let l = lowered("global lock a; global lock b; init (b);\nthread t { lock(a); unlock(b); }\n");
    assert!(l.core.contains("init !a && b;"), "{}", l.core);
}

#[test]
fn two_assertions_on_a_line_have_error_locations_of_their_own() {
    let l = thread("global int x;", "", "assert(x > 0); assert(x > 1);");
    let names: Vec<_> = l.program.templates[0].locations.iter().map(|l| l.name.as_str()).collect();
    assert_eq!(names, ["L1", "L2", "end", "error_1", "error_2"]);
}

#[test]
fn assumptions_are_those_that_apply() {
    let l = lowered("global bool b;\nthread t { b = true; }\n");
    assert_eq!(l.program.assumptions.len(), 1);
}

#[test]
fn havoc_takes_a_variable_an_element_or_an_array() {
    let l = thread(
        "global int x; global bool f[];",
        "",
        "havoc x; havoc f[x]; havoc f; l: }\nthread u {",
    );
    assert_eq!(
        edges(&l),
        [
            "L1 -> L2 { input any_x: int; x := any_x; }",
            "L2 -> L3 { input any_f: bool; f := f[x := any_f]; }",
            "L3 -> l { input any_f: bool[]; f := any_f; }",
        ]
    );
}

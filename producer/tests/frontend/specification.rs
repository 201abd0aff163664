//! Thread-modular specifications: the abstract threads that they make, and what is refused.

use super::abstraction::comparable_layers;
use super::errors::check;
use super::{edges_of, lowered};

const GLOBALS: &str = "global int x; global int y; global bool b; global int a[];";

/// A specification of these parts, on line 3, and a thread that has it.
fn program(parts: &str, count: &str) -> String {
    format!(
        "{GLOBALS}\nspecification S {{\n{parts}\n}}\nthread t{count} abstracts S {{ assume(true); }}\n"
    )
}

#[test]
fn steps_follow_each_other_and_the_copies_follow_the_steps() {
    let l = lowered(&program(
        "pre (x == 0); invariant (x >= 0); environment (x' >= x && (!b || b'));\n\
         step (x' == x + 1 && y' > 0) unchanged except (x, y); step unchanged except (b); post (b);",
        "[*]",
    ));
    comparable_layers(&l);
    let template = &l.abstractions[0].program.templates[0];
    let names: Vec<&str> = template.locals.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["copy_x", "copy_b"]);
    let same = "copy_x := x, copy_b := b";
    assert_eq!(
        edges_of(&l.abstractions[0].program),
        [
            "done_0 -> error_1 { when x != 0; }".to_owned(),
            "done_0 -> error_2 { when x < 0; }".to_owned(),
            "done_0 -> error_3 { when x < copy_x || copy_b && !b; }".to_owned(),
            format!("done_0 -> done_0 {{ {same}; }}"),
            "done_0 -> done_1 { input next_y: int; when next_y > 0; x := x + 1, y := next_y, copy_x := x + 1, copy_b := b; }"
                .to_owned(),
            "done_1 -> error_2 { when x < 0; }".to_owned(),
            "done_1 -> error_3 { when x < copy_x || copy_b && !b; }".to_owned(),
            format!("done_1 -> done_1 {{ {same}; }}"),
            "done_1 -> done_2 { input next_b: bool; b := next_b, copy_x := x, copy_b := next_b; }"
                .to_owned(),
            "done_2 -> error_2 { when x < 0; }".to_owned(),
            "done_2 -> error_3 { when x < copy_x || copy_b && !b; }".to_owned(),
            format!("done_2 -> done_2 {{ {same}; }}"),
            format!("done_2 -> end {{ when b; {same}; }}"),
            "end -> error_2 { when x < 0; }".to_owned(),
            "end -> error_3 { when x < copy_x || copy_b && !b; }".to_owned(),
            format!("end -> end {{ {same}; }}"),
        ]
    );
    let core = &l.abstractions[0].core;
    assert!(core.contains("    init copy_x == x && copy_b == b;"), "{core}");
    assert!(core.contains("// test.tp:3: environment (x' >= x && (!b || b')); fails"), "{core}");
    assert!(core.contains("// test.tp:2: specification S (idle)"), "{core}");
}

#[test]
fn copies_of_single_threads_are_globals_of_theirs() {
    let l = lowered(&format!(
        "{GLOBALS}\nspecification S abstracts W {{ environment (x' >= x); environment (y' >= y && y' >= x || true); }}\n\
         abstract W {{ initial node n; edge n -> n; }}\n\
         thread s {{ local int i; i = x; }}\nthread t[2] abstracts S {{ local int copy_x; copy_x = x; }}\n\
         thread u {{ local int j; local int k; j = k; }}\n"
    ));
    comparable_layers(&l);
    let owned = |layer: usize| -> Vec<(String, u32)> {
        let globals = &l.abstractions[layer].program.globals;
        globals.iter().filter_map(|v| Some((v.name.clone(), v.owner?))).collect()
    };
    let text = |name: &str, owner| (name.to_owned(), owner);
    assert_eq!(
        owned(0),
        [text("i", 0), text("copy_x", 1), text("copy_x", 2), text("j", 3), text("k", 3)]
    );
    assert_eq!(owned(1), [text("i", 0), text("j", 3), text("k", 3)]);
    let first = &edges_of(&l.abstractions[0].program)[1..3];
    assert_eq!(
        first,
        ["done_0 -> error_1 { when x < copy_x; }", "done_0 -> done_0 { copy_x := x; }"]
    );
    assert_eq!(
        edges_of(&l.abstractions[0].program).last().map(String::as_str),
        Some("L1 -> end { j := k; }")
    );
}

/// The errors of a specification; its parts are on line 3.
fn refused(parts: &str, errors: &[&str]) {
    check(&program(parts, "[*]"), errors);
}

#[test]
fn an_environment_is_reflexive_and_transitive() {
    let reflexive = "3:1: this environment is not known to be reflexive";
    let transitive = "3:1: the environment is not known to be transitive";
    refused("environment (x' > x);", &[reflexive]);
    refused("environment (x' == 0 && x == 1);", &[reflexive]);
    refused("environment (x' <= x + 1);", &[transitive]);
    refused("environment (x' == x || y' == y);", &[transitive]);
    // Each is transitive, and so are both.
    comparable_layers(&lowered(&program(
        "environment (x' >= x); environment (b' == b && (y' == y || !b));",
        "[*]",
    )));
}

#[test]
fn syntax() {
    refused("step", &["3:4: expected `;`, found `}`"]);
    refused("node n;", &["3:1: expected a part of a specification, found `node`"]);
    refused("local bool c;", &["3:1: expected a part of a specification, found `local`"]);
    refused("pre x;", &["3:5: expected `(`, found `x`"]);
    refused("post (b); step unchanged;", &["3:11: a part after `post`"]);
    refused("post (b); post (b);", &["3:11: a part after `post`"]);
    check("specification S {\n", &["1:17: expected `}`, found the end of the file"]);
    check(
        "specification S { } thread t { assume(true); }",
        &["1:15: no thread has the abstraction `S`"],
    );
}

#[test]
fn what_specifications_cannot_mention() {
    refused("pre (x' == 0);", &["3:6: `x'` is not allowed here"]);
    refused("invariant (z == 0);", &["3:12: `z` is not declared"]);
    refused("invariant (true);", &["3:12: this assertion always holds"]);
    refused("environment (a'[0] == a[0]);", &["3:1: the environment mentions the array `a`"]);
    refused("step (x' == 0) unchanged;", &["3:7: this edge leaves `x` unchanged"]);
    refused("post (b' || x == 0);", &["3:7: this edge leaves `b` unchanged"]);
}

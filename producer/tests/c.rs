//! The C front end: what it refuses, with the place, and what it makes of a program.

use threadproof_producer::frontend::Lowered;
use threadproof_producer::frontend::c::{DataModel, lower};

fn error(text: &str) -> String {
    match lower("t.c", text, DataModel::Lp64) {
        Ok(lowered) => panic!("no error in {text}\n{}", lowered.core_form()),
        Err(error) => error.to_string(),
    }
}

fn lowered(text: &str) -> Lowered {
    match lower("t.c", text, DataModel::Lp64) {
        Ok(lowered) => lowered,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The edges of the core form, without what they come from.
fn edges(text: &str) -> Vec<String> {
    let core = lowered(text).core_form();
    let lines = core.lines().filter_map(|line| line.trim().strip_prefix("edge "));
    lines.map(|line| line.split(" //").next().unwrap_or_default().to_owned()).collect()
}

/// Statements of `main` with globals before it, and the error: on the statements' line.
const STATEMENTS: &[(&str, &str, &str)] = &[
    ("int x, y;", "x = x * y;", "1:5: not supported: a product of two variables"),
    ("int x, y;", "x = x / y;", "1:5: not supported: a division by a variable"),
    ("int x;", "x = x / 0;", "1:5: a division by zero"),
    (
        "int x, y;",
        "x = x << y;",
        "1:5: not supported: a shift by a variable, or by more bits than there are",
    ),
    ("int x, y;", "x = x & y;", "1:5: not supported: a bitwise operator on two variables"),
    ("int x;", "x = 1.5;", "1:5: not supported: a floating-point number"),
    ("float f;", "f = 1;", "1:1: not supported: a floating-point number"),
    ("union u { int a; } u;", "u.a = 1;", "1:1: not supported: a union"),
    ("struct s { int a : 3; } s;", ";", "0:25: not supported: a bit-field"),
    ("", "int *p = malloc(4);", "1:10: not supported: a call of `malloc`, which has no definition"),
    ("", "f();", "1:1: not supported: a call of `f`, which has no definition"),
    ("int f(int n) { return n ? f(n - 1) : 0; }", "f(3);", "0:27: not supported: `f` calls itself"),
    ("int a[3];", "a[3] = 1;", "1:1: an index beyond the array"),
    (
        "int *p;",
        "*p = 1;",
        "1:1: not supported: a pointer of which it is not known where it points",
    ),
    ("int x; int *p = &x;", "if (p < &x) ;", "1:5: not supported: an order of pointers"),
    (
        "int x; char *p;",
        "p = &x;",
        "1:1: not supported: a conversion between pointers to different types",
    ),
    (
        "int x; long y;",
        "y = (long)&x;",
        "1:5: not supported: an address as a number, or a number as an address",
    ),
    ("struct s { int a; } s, t;", "s = t;", "1:1: not supported: an assignment of a structure"),
    ("", "__asm__(\"nop\");", "1:1: not supported: assembly"),
    ("", "x = 1;", "1:1: `x` is not declared"),
    ("", "goto nowhere;", "0:5: `main` has no label `nowhere`"),
    ("", "break;", "1:1: this jump leads nowhere"),
    ("int x;", "x = (int){3};", "1:5: not supported: such an expression"),
    ("int x;", "x = \"abc\"[0];", "1:5: not supported: a string"),
    (
        "",
        "__VERIFIER_atomic_begin(); while (1) ; ",
        "1:28: not supported: a loop inside an atomic section",
    ),
    ("", "__VERIFIER_atomic_end();", "1:1: an atomic section ends that has not begun"),
    ("int x;", "x = 1 +;", "1:8: syntax error before `;`"),
    (
        "int x; int f(void);",
        "x = f();",
        "1:5: not supported: a call of `f`, which has no definition",
    ),
];

#[test]
fn what_is_not_modelled_is_an_error_with_its_place() {
    for (globals, statements, expected) in STATEMENTS {
        let text =
            format!("# 1 \"h.c\"\n{globals}\n# 1 \"t.c\"\nint main(void) {{\n{statements}\n}}\n");
        let (file, place) = match expected.strip_prefix("0:") {
            // In the globals, or in the head of `main`.
            Some(rest) if expected.contains("label") => ("t.c", format!("1:{rest}")),
            Some(rest) => ("h.c", format!("1:{rest}")),
            None => ("t.c", expected.replacen("1:", "2:", 1)),
        };
        assert_eq!(error(&text), format!("{file}:{place}"), "{text}");
    }
}

const HEADER: &str = "typedef unsigned long pthread_t; typedef struct { int s; } pthread_mutex_t;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
";

/// Programs with threads, and their errors.
const THREADS: &[(&str, &str)] = &[
    (
        "void *f(void *a) { return 0; }\nint main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0);\npthread_join(t, 0); }",
        "not supported: a join of a thread that is created in a loop",
    ),
    (
        "int *p; void *f(void *a) { int x; p = &x; return 0; }\nint main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }",
        "not supported: the address of a local variable of one of many threads, where other threads see it",
    ),
    (
        "void *f(void *a) { return 0; }\nint main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r); }",
        "not supported: the result of a thread that is joined",
    ),
    ("int main(void) { pthread_t t; t = pthread_self(); }", "not supported: `pthread_self`"),
    (
        "void *f(void *a) { return 0; }\nint main(void) { pthread_t t; while (1) { __VERIFIER_atomic_begin(); pthread_create(&t, 0, f, 0);\npthread_create(&t, 0, f, 0); __VERIFIER_atomic_end(); } }",
        "not supported: threads created repeatedly inside an atomic section",
    ),
    (
        "int x, *g = &x; int main(void) { int *p = &x; again: g = p; int y; p = &y; goto again; }",
        "not supported: a variable whose address is kept, declared behind a use of pointers",
    ),
    ("int x __attribute__((mode(QI))); int main(void) { }", "not supported: the attribute `mode`"),
    ("pthread_mutex_t m = { 1 }; int main(void) { }", "not supported: a lock with attributes"),
    ("int f(void) { return 0; }", "there is no function `main`"),
];

#[test]
fn what_threads_may_not_do_is_an_error() {
    for (text, expected) in THREADS {
        let found = error(&format!("{HEADER}{text}\n"));
        assert!(found.ends_with(expected), "{found}\n{text}");
    }
}

#[test]
fn each_access_to_a_shared_variable_is_a_step() {
    let text = "int x, y; int main(void) {\nx = y;\ny = x + 1;\nif (y != 2) reach_error();\n}\n";
    assert_eq!(
        edges(text),
        [
            "L1 -> L2 { t1 := y; }",
            "L2 -> L3 { x := t1; }",
            "L3 -> L4 { when x <= 2147483646; t1 := x; }",
            "L4 -> L5 { y := t1 + 1; }",
            "L5 -> error_1 { when y != 2; }",
        ]
    );
}

#[test]
fn a_write_is_seen_though_the_thread_waits_for_ever_behind_it() {
    let text = "int x; void __VERIFIER_assume(int); int main(void) { int n = __VERIFIER_nondet_int(); x = 1; __VERIFIER_assume(n > 3); x = 2; if (x == 1) reach_error(); }\n";
    let edges = edges(text);
    let write = edges.iter().find(|e| e.contains("x := 1")).expect("the write");
    assert!(!write.contains("> 3") && !write.contains(">= 4"), "{edges:?}");
}

#[test]
fn a_write_is_seen_though_the_thread_goes_round_for_ever_behind_it() {
    let text = "int x; int main(void) { int n = __VERIFIER_nondet_int(); x = 1; while (n > 3) { } if (x != 1) reach_error(); }\n";
    let edges = edges(text);
    let write = edges.iter().find(|e| e.contains("x := 1")).expect("the write");
    assert!(!write.contains("n <="), "{edges:?}");
}

#[test]
fn an_atomic_section_is_one_step_with_a_path_for_each_outcome() {
    let text = "int x, y; void __VERIFIER_atomic_f(void) { if (x > 0) { y = x; } else { x++; } }\nint main(void) { __VERIFIER_atomic_f(); if (y) reach_error(); }\n";
    let edges = edges(text);
    assert!(edges.contains(&"L1 -> L2 { when x >= 1; y := x; }".to_owned()), "{edges:?}");
    assert!(edges.contains(&"L1 -> L2 { when x <= 0; x := x + 1; }".to_owned()), "{edges:?}");
}

#[test]
fn deeply_nested_text_is_an_error() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("int x; int main(void) {{ x = {}1{}; }}\n", open.repeat(n), close.repeat(n))
    };
    for text in [deep("(", ")", 1_000), deep("!", "", 100_000), deep("1 ? 1 : ", "", 100_000)] {
        assert!(error(&text).ends_with("the text is nested too deeply"), "{}", error(&text));
    }
}

#[test]
fn the_same_text_is_lowered_the_same_way_twice() {
    let text = "int x; void *f(void *a) { x++; return 0; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); if (x > 1) reach_error(); }\n";
    let text = format!("{HEADER}{text}");
    assert_eq!(lowered(&text), lowered(&text));
}

#[test]
fn a_difference_of_equal_terms_is_no_constant_beyond_its_type() {
    let text = "int x; int main(void) { int n = x; n = n - n; if (n) reach_error(); }\n";
    assert!(edges(text).iter().all(|e| !e.contains("error")), "{:?}", edges(text));
}

#[test]
fn what_an_atomic_operator_gives_is_what_it_wrote() {
    let text = "int main(void) { int n = 2; int r = __sync_add_and_fetch(&n, n); if (r == 4) reach_error(); }\n";
    assert!(edges(text).iter().any(|e| e.contains("error")), "{:?}", edges(text));
    let text = text.replace("r == 4", "r == 6");
    assert!(edges(&text).iter().all(|e| !e.contains("error")), "{:?}", edges(&text));
}

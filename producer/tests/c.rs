//! The C front end: what it refuses, with the place, and what it makes of a program.

use threadproof_producer::frontend::c::{DataModel, lower};
use threadproof_producer::source::Source;
use threadproof_producer::text::Diagnostics;

/// Each error as `file:line:column: message`.
fn told(errors: &Diagnostics) -> String {
    let told = errors.items().iter().map(|item| {
        let (line, column) = errors.position(item);
        format!("{}:{line}:{column}: {}", errors.file(item), item.message)
    });
    told.collect::<Vec<_>>().join("\n")
}

fn error(text: &str) -> String {
    match lower("t.c", text, DataModel::Lp64) {
        Ok(lowered) => panic!("no error in {text}\n{}", lowered.core),
        Err(errors) => told(&errors),
    }
}

fn lowered(text: &str) -> Source {
    match lower("t.c", text, DataModel::Lp64) {
        Ok(lowered) => lowered,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The edges of the core form, without what they come from.
fn edges(text: &str) -> Vec<String> {
    let core = lowered(text).core;
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
    ("", "int *p = malloc(3);", "1:17: not supported: an allocation of a part of its type"),
    ("", "int *p; while (1) p = malloc(4);", "1:23: not supported: an allocation in a loop"),
    (
        "int f(void *p) { return 0; }",
        "f(malloc(4));",
        "1:3: not supported: an allocation that is not assigned to a pointer with a type",
    ),
    ("", "f();", "1:1: not supported: a call of `f`, which has no definition"),
    ("int f(int n) { return n ? f(n - 1) : 0; }", "f(3);", "0:27: not supported: `f` calls itself"),
    ("int a[3];", "a[3] = 1;", "1:1: an index beyond the array"),
    (
        "int *p;",
        "*p = 1;",
        "1:1: not supported: a pointer of which it is not known where it points",
    ),
    ("int x; int *p = &x;", "if (p < 3) ;", "1:5: not supported: an order of pointers and numbers"),
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
    ("_Atomic struct s { int a; } s, t;", "s = t;", "1:5: not supported: an atomic structure"),
    ("", "__asm__(\"nop\");", "1:1: not supported: assembly"),
    ("", "x = 1;", "1:1: `x` is not declared"),
    ("", "goto nowhere;", "0:5: `main` has no label `nowhere`"),
    ("", "break;", "1:1: this jump leads nowhere"),
    ("int x;", "x = (int){3};", "1:5: not supported: such an expression"),
    ("int x;", "x = L\"abc\"[0];", "1:5: not supported: this string"),
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
        "int *p; void *f(void *a) { int x; p = &x; return 0; }\nint main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }",
        "not supported: the address of a local variable of one of many threads, where other threads see it",
    ),
    (
        "void *f(void *a) { int x; int *p = &x; return p; }\nint main(void) { pthread_t t; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r); }",
        "not supported: a pointer that other threads see and that may point to the local variable `x`",
    ),
    (
        "void *f(void *a) { int *p = malloc(4); return 0; }\nint main(void) { pthread_t t; while (1) pthread_create(&t, 0, f, 0); }",
        "not supported: an allocation in one of many threads",
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

/// The edges of `main`, beside another thread that uses `x` and `y`.
fn edges_of_main(globals: &str, body: &str) -> Vec<String> {
    let other = "int x, y; void *f(void *a) { x = 7; y = 7; if (x == y) reach_error(); return 0; }";
    let main = format!("int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0);\n{body}\n}}");
    let core = lowered(&format!("{HEADER}{other}\n{globals}\n{main}\n")).core;
    let lines = core.lines().skip_while(|line| *line != "one main {");
    let lines =
        lines.take_while(|line| *line != "}").filter_map(|l| l.trim().strip_prefix("edge "));
    lines.map(|line| line.split(" //").next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn each_access_to_a_shared_variable_is_a_step() {
    assert_eq!(
        edges_of_main("", "x = y;\ny = x + 1;\nif (y != 2) reach_error();"),
        [
            "L1 -> L2 { f_created := 1; }",
            "L2 -> L3 { t1 := y; }",
            "L3 -> L4 { x := t1; }",
            "L4 -> L5 { when x <= 2147483646; t1 := x; }",
            "L5 -> L6 { y := t1 + 1; }",
            "L6 -> error_1 { when y != 2; }",
        ]
    );
}

#[test]
fn a_write_is_seen_though_the_thread_waits_for_ever_behind_it() {
    let body = "int n = __VERIFIER_nondet_int(); x = 1; __VERIFIER_assume(n > 3); x = 2; if (x == 1) reach_error();";
    let edges = edges_of_main("void __VERIFIER_assume(int);", body);
    let written = |e: &String| e.contains("x := 1") && !e.contains(">= 4");
    assert!(edges.iter().any(written), "{edges:?}");
}

#[test]
fn a_write_is_seen_though_the_thread_goes_round_for_ever_behind_it() {
    let body =
        "int n = __VERIFIER_nondet_int(); x = 1; while (n > 3) { } if (x != 1) reach_error();";
    let edges = edges_of_main("", body);
    let write = edges.iter().find(|e| e.contains("x := 1")).expect("the write");
    assert!(!write.contains("n <="), "{edges:?}");
}

#[test]
fn an_atomic_section_is_one_step_with_a_path_for_each_outcome() {
    let section = "void __VERIFIER_atomic_f(void) { if (x > 0) { y = x; } else { x++; } }";
    let edges = edges_of_main(section, "__VERIFIER_atomic_f(); if (y) reach_error();");
    assert!(edges.contains(&"L2 -> L3 { when x >= 1; y := x; }".to_owned()), "{edges:?}");
    assert!(edges.contains(&"L2 -> L3 { when x <= 0; x := x + 1; }".to_owned()), "{edges:?}");
}

#[test]
fn what_one_thread_alone_uses_does_not_separate_steps() {
    let edges = edges("int x; int main(void) { x = 3; x = x + 1; if (x > 4) reach_error(); }\n");
    assert!(edges.is_empty(), "{edges:?}");
}

#[test]
fn a_loop_that_only_creates_threads_leaves_word_for_good() {
    let threads = |body: &str| {
        let text = format!(
            "int x; void *f(void *a) {{ x = 1; return 0; }} void *g(void *a) {{ if (x) reach_error(); return 0; }}\nint main(void) {{ pthread_t t; {body} }}\n"
        );
        edges(&format!("{HEADER}{text}"))
    };
    let waits = |edges: &[String]| edges.iter().any(|e| e.contains("f_created == 0"));
    let both = threads("while (1) { pthread_create(&t, 0, f, 0); pthread_create(&t, 0, g, 0); }");
    assert!(!waits(&both) && both.iter().any(|e| e.contains("f_created := 1")), "{both:?}");
    let between =
        threads("while (1) { pthread_create(&t, 0, f, 0); x = 0; pthread_create(&t, 0, g, 0); }");
    assert!(waits(&between), "{between:?}");
}

#[test]
fn an_error_function_is_one_whatever_its_body_says() {
    let wrong = |call: &str| {
        let text = format!(
            "void reach_error(void) {{ }} int main(void) {{ void (*e)(void) = reach_error; {call} }}\n"
        );
        edges(&text).iter().any(|edge| edge.contains("-> error_1"))
    };
    assert!(wrong("reach_error();") && wrong("e();") && !wrong(""));
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
fn an_index_with_effects_is_evaluated_once() {
    let body =
        "int a[9]; int i = 2; a[i++] = x; if (i != 3) reach_error(); if (a[2] == 1) reach_error();";
    let edges = edges_of_main("", body);
    assert_eq!(edges.iter().filter(|e| e.contains("error")).count(), 1, "{edges:?}");
    assert!(edges.iter().all(|e| !e.contains("[3]")), "{edges:?}");
}

#[test]
fn structures_that_are_passed_are_values_of_their_own() {
    let functions = "struct s { int a; }; struct s f1(int n) { struct s r = { n }; return r; }
void g(struct s p, struct s q) { if (p.a != 1) reach_error(); if (q.a != 2) reach_error(); }";
    let edges = edges_of_main(functions, "g(f1(1), f1(2));");
    assert_eq!(edges, ["L1 -> L2 { f_created := 1; }"]);
    let functions = "struct s { int a; int b[3]; }; struct s f1(int n) { struct s r = { n, { n, n, n } }; return r; }
void g(struct s p) { if (p.b[f1(2).a] != 1) reach_error(); }";
    let edges = edges_of_main(functions, "g(f1(1)); if (f1(5).b[f1(1).a] != 5) reach_error();");
    assert_eq!(edges, ["L1 -> L2 { f_created := 1; }"]);
    let functions = "struct s { int a; }; struct s k; struct s *h(void) { k.a = 8; return &k; }";
    let found = error(&format!("{functions}\nint main(void) {{ *h() = k; }}\n"));
    assert!(found.ends_with("a structure's value in front of further effects"), "{found}");
}

#[test]
fn equal_threads_that_are_joined_at_once_are_counted() {
    let text = "int x; void *f(void *a) { x++; return 0; }\nint main(void) { pthread_t t[4]; int i; for (i = 0; i < 4; i++) pthread_create(&t[i], 0, f, 0);\nfor (i = 0; i < 4; i++) pthread_join(t[i], 0); if (x > 3) reach_error(); }\n";
    let core = lowered(&format!("{HEADER}{text}")).core;
    assert!(core.contains("many f {") && !core.contains("one f"), "{core}");
    assert!(core.contains("f_created := f_created + 4;"), "{core}");
    assert!(core.contains("f_ended == 4"), "{core}");
}

#[test]
fn threads_that_are_joined_one_by_one_keep_their_identity() {
    let text = "int x; void *f(void *a) { x++; return 0; }\nint main(void) { pthread_t t[3]; int i; for (i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);\nfor (i = 0; i < 3; i++) { pthread_join(t[i], 0); x = 5; } if (x > 6) reach_error(); }\n";
    let core = lowered(&format!("{HEADER}{text}")).core;
    assert_eq!(core.matches("one f").count(), 3, "{core}");
}

#[test]
fn what_an_atomic_operator_gives_is_what_it_wrote() {
    let text = "int main(void) { int n = 2; int r = __sync_add_and_fetch(&n, n); if (r == 4) reach_error(); }\n";
    assert!(edges(text).iter().any(|e| e.contains("error")), "{:?}", edges(text));
    let text = text.replace("r == 4", "r == 6");
    assert!(edges(&text).iter().all(|e| !e.contains("error")), "{:?}", edges(&text));
}

#[test]
fn characters_that_mislead_are_told_with_their_places() {
    use threadproof_producer::frontend::c::{preprocess, warnings};
    let folder = tempfile::tempdir().expect("a folder");
    let [main, header] = ["w.c", "w.h"].map(|name| folder.path().join(name));
    let text = "\u{feff}#include \"w.h\"\n/* \u{f6}: \u{202e} */\nint x; // a\rb\nint main(void) { return x; }\r\n";
    std::fs::write(&main, text).expect("a file");
    std::fs::write(&header, "/* \u{200b} */\n").expect("a file");
    let text = preprocess(&main, DataModel::Lp64).expect("a C compiler");
    let said = warnings(&main, &text);
    let direction = "is an invisible character or one that changes the direction of text";
    let (main, header) = (main.display(), header.display());
    let expected = [
        format!("{main}:2:7: warning: U+202E {direction}"),
        format!("{main}:3:12: warning: U+000D is a carriage return without a line feed"),
        format!("{header}:1:4: warning: U+200B {direction}"),
    ];
    assert_eq!(said, expected);
    let text = "int main(void) { } /* \u{2066} */\n";
    let said = warnings(std::path::Path::new("p.i"), text);
    assert_eq!(said, [format!("p.i:1:23: warning: U+2066 {direction}")]);
    assert!(lower("p.i", "\u{feff}int main(void) { }\n", DataModel::Lp64).is_ok());
}

#[test]
fn a_weak_exchange_that_may_fail_does_so_as_its_operand_says() {
    let text = |weak: &str| {
        format!(
            "int x, e; int main(void) {{ int w = 0; int r = __atomic_compare_exchange_n(&x, &e, 1, {weak}, 5, 5); if (!r) reach_error(); }}\n"
        )
    };
    // A strong one fails where it finds something else, and only there.
    let other = |edge: &String| edge.contains("x != e");
    let fails = |weak: &str| {
        let edges = edges(&text(weak));
        edges.iter().any(|edge| edge.contains("error") && !other(edge))
    };
    assert_eq!(["1", "w + 1", "0", "w"].map(fails), [true, true, false, false]);
}

#[test]
fn atomic_arithmetic_on_a_pointer_is_refused() {
    let text = "int a[3], *p = a; int main(void) { __atomic_fetch_add(&p, 4, 5); }\n";
    assert!(error(text).ends_with("not supported: atomic arithmetic on a pointer"));
}

#[test]
fn errors_are_shown_with_their_lines() {
    let text = "union u { int a; } u;\nint a[0 - 1];\nint b[0 - 2]; int main(void) { return 0; }\n";
    let errors = lower("t.c", text, DataModel::Lp64).expect_err("errors").to_string();
    let expected = "\
error: not supported: an array of -1 elements
 --> t.c:2:7
  |
2 | int a[0 - 1];
  |       ^

error: not supported: an array of -2 elements
 --> t.c:3:7
  |
3 | int b[0 - 2]; int main(void) { return 0; }
  |       ^
";
    assert_eq!(errors, expected);
}

#[test]
fn errors_are_in_the_files_that_line_markers_name() {
    let text = "# 1 \"m.c\"\n# 7 \"h.h\" 1\nint a[3];\n# 2 \"m.c\" 2\nint main(void) {\n    a[3] = 1;\n}\n";
    let errors = lower("t.c", text, DataModel::Lp64).expect_err("errors").to_string();
    let expected = "\
error: an index beyond the array
 --> m.c:3:5
  |
3 |     a[3] = 1;
  |     ^
  |
  = help: with --check bounds this is an error location of the program
";
    assert_eq!(errors, expected);
}

#[test]
fn the_first_error_of_each_thread_is_told() {
    let threads = "int x, y; void *f(void *a) { x = x * y; return 0; }
void *g(void *a) { x = x / y; x = x * y; return 0; }";
    let main = "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0);\npthread_create(&t, 0, g, 0); x = x & y; }";
    let told = error(&format!("{HEADER}{threads}\n{main}\n"));
    let messages: Vec<&str> = told.lines().filter_map(|line| line.split(": ").last()).collect();
    assert_eq!(
        messages,
        [
            "a product of two variables",
            "a division by a variable",
            "a bitwise operator on two variables"
        ]
    );
}

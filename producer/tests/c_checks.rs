//! `--check` for C programs: where the core form gets error locations, and what is assumed no more.

use threadproof_producer::frontend::c::{Check, DataModel, Options, lower};
use threadproof_producer::text::Diagnostics;

fn core(text: &str, checks: &[Check]) -> String {
    let options = Options { data_model: DataModel::Lp64, checks: checks.to_vec() };
    match lower("t.c", text, options) {
        Ok(lowered) => lowered.core,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// The edges of the core form, without what they come from.
fn edges(text: &str, checks: &[Check]) -> Vec<String> {
    let core = core(text, checks);
    let lines = core.lines().filter_map(|line| line.trim().strip_prefix("edge "));
    lines.map(|line| line.split(" //").next().unwrap_or_default().to_owned()).collect()
}

/// Those of a `main` with globals before it that lead to an error of a kind, without locations.
fn errors(globals: &str, statements: &str, check: Check, label: &str) -> Vec<String> {
    let declarations = "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int);";
    let text = format!("{declarations} {globals}\nint main(void) {{ {statements} }}\n");
    let edges = edges(&text, &[check]).into_iter();
    let errors = edges.filter(|edge| edge.contains(&format!("-> {label}_")));
    errors.map(|edge| edge[edge.find('{').expect("a command")..].to_owned()).collect()
}

/// Globals, statements, and the steps to errors.
type Cases = &'static [(&'static str, &'static str, &'static [&'static str])];

fn compare(cases: Cases, check: Check, label: &str) {
    for (globals, statements, expected) in cases {
        let found = errors(globals, statements, check, label);
        assert_eq!(found, *expected, "{globals} {statements}");
    }
}

const OVERFLOW: Cases = &[
    ("int x;", "x = x + 1;", &["{ when x == 2147483647; }"]),
    ("int x;", "x++;", &["{ when x == 2147483647; }"]),
    ("int x;", "--x;", &["{ when x == -2147483648; }"]),
    ("int x;", "x -= 3;", &["{ when x <= -2147483646; }"]),
    ("int x;", "x = -x;", &["{ when -1 * x >= 2147483648; }"]),
    ("int x;", "x = x % -1;", &["{ when -1 * x >= 2147483648; }"]),
    (
        "int x;",
        "x = x << 30;",
        &["{ when x <= -1; }", "{ when x >= 0 && 1073741824 * x >= 2147483648; }"],
    ),
    ("unsigned char x;", "int y = x << 24;", &["{ when 16777216 * x >= 2147483648; }"]),
    (
        "long x;",
        "x = x * 2;",
        &["{ when 2 * x <= -9223372036854775809; }", "{ when 2 * x >= 9223372036854775808; }"],
    ),
    ("", "int x = 2147483647 + 1;", &["{ }"]),
    ("", "int x = -1 << 2;", &["{ }"]),
    ("_Atomic int x;", "x++;", &["{ when x == 2147483647; }"]),
    // No overflow: what is unsigned, promoted, converted, or done by an atomic function.
    ("int x;", "x = ~x;", &[]),
    ("unsigned x;", "x = -x * 3 + 1;", &[]),
    ("short x;", "x++;", &[]),
    ("signed char x; int y;", "x = y;", &[]),
    ("int x;", "x = x / 2 + x % 7 + (x >> 1) / 4;", &[]),
    ("int x;", "int y = __atomic_fetch_add(&x, 1, 5); y = __sync_sub_and_fetch(&x, 5);", &[]),
];

#[test]
fn signed_arithmetic_that_does_not_fit_is_an_error() {
    compare(OVERFLOW, Check::Overflow, "overflow");
}

#[test]
fn atomic_functions_wrap_where_overflow_is_checked() {
    let text = "int x; void *f(void *a) { if (x == 3) reach_error(); return 0; }
        int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); __atomic_fetch_add(&x, 1, 5); }\n";
    let edges = edges(&format!("{HEADER}{text}"), &[Check::Overflow]);
    let wraps = |edge: &String| edge.ends_with("{ when x == 2147483647; x := x - 4294967295; }");
    assert!(edges.iter().any(wraps), "{edges:?}");
}

/// The address of the first variable, and of its cells.
const BOUNDS: Cases = &[
    ("int a[3];", "a[3] = 1;", &["{ }"]),
    ("int a[3];", "a[-1] = 1;", &["{ }"]),
    ("int a[3], i;", "a[i] = 1;", &["{ when i <= -1; }", "{ when i >= 3; }"]),
    ("int a[20], i;", "a[i] = 1;", &["{ when i <= -1; }", "{ when i >= 20; }"]),
    ("int a[2][3]; unsigned i;", "a[1][i] = 1;", &["{ when i >= 3; }"]),
    ("int a[3];", "int *p = &a[4];", &["{ }"]),
    ("int a[3];", "int *p = &a[3]; *p = 1;", &["{ }"]),
    (
        "int a[3], i; int f(int *p, int i) { return p[i]; }",
        "f(a, i);",
        &["{ when i <= -1; }", "{ when i >= 4; }", "{ when i == 3; }"],
    ),
    ("", "int *p = 0; *p = 1;", &["{ }"]),
    ("int x; int *p;", "*p = 1;", &["{ }"]),
    ("int x; int *p = &x;", "*p = 1;", &["{ when p != FIRST; }"]),
    // An address is not used yet, and a pointer to another type leads nowhere.
    ("int a[3];", "int *p = &a[3], *q = p - 1; int *r = &*p;", &[]),
    ("char c; int x; int *p = &x; char *q = &c;", "*q = 1;", &["{ when q != FIRST; }"]),
];

#[test]
fn what_is_out_of_bounds_is_an_error() {
    for (globals, statements, expected) in BOUNDS {
        let found = errors(globals, statements, Check::Bounds, "bounds");
        let first = 1_u64 << 62;
        let expected = expected.iter().map(|edge| {
            let names = ["FIRST", "SECOND", "THIRD"].iter().enumerate();
            names.fold((*edge).to_owned(), |edge, (i, name)| {
                edge.replace(name, &(first + i as u64).to_string())
            })
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "{globals} {statements}");
    }
}

#[test]
fn a_pointer_does_not_get_from_one_variable_to_another() {
    let text = "int a[2], b[2]; int *p = a, *q = b; int main(int n) { if (n) p = q; p = p + 3; if (n) reach_error(); }\n";
    let edges = edges(text, &[Check::Bounds]);
    let [a, b] = [1_u64 << 62, (1_u64 << 62) + 3];
    for first in [a, b] {
        let inside = format!(
            "q >= {first} && q <= {} && (q >= {} && q <= {})",
            first + 2,
            first - 3,
            first - 1
        );
        for says in ["bounds_1 { when !(", "error_1 { when "] {
            let to = |edge: &String| edge.contains(says) && edge.contains(&inside);
            assert!(edges.iter().any(to), "{says} {inside}: {edges:?}");
        }
    }
}

#[test]
fn what_is_checked_is_not_assumed() {
    let text = "int a[3], i; int *p = a; int main(void) { i++; a[i] = *p; }\n";
    let assumed = |checks: &[Check]| -> Vec<bool> {
        let core = core(text, checks);
        let said = |what| core.contains(&format!("assumption \"{what}"));
        let all = [
            "no signed integer overflow",
            "array indices are in bounds",
            "pointers that are used",
            "errors are failing assertions (error_...) and: ",
        ];
        all.map(said).to_vec()
    };
    assert_eq!(assumed(&[]), [true, true, true, false]);
    assert_eq!(assumed(&[Check::Overflow]), [false, true, true, true]);
    assert_eq!(assumed(&[Check::Bounds]), [true, false, false, true]);
    assert_eq!(assumed(&[Check::Race]), [true, true, true, true]);
    assert_eq!(
        assumed(&[Check::Race, Check::Overflow, Check::Bounds]),
        [false, false, false, true]
    );
}

/// Each error as `file:line:column: message`.
fn told(errors: &Diagnostics) -> String {
    let told = errors.items().iter().map(|item| {
        let (line, column) = errors.position(item);
        format!("{}:{line}:{column}: {}", errors.file(item), item.message)
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_goes_wrong_without_checks_is_still_refused() {
    let refused = |statement: &str, checks: &[Check]| {
        let text = format!("int a[3]; int main(void) {{\n{statement}\n}}\n");
        let options = Options { data_model: DataModel::Lp64, checks: checks.to_vec() };
        lower("t.c", &text, options).err().map(|errors| told(&errors))
    };
    let beyond = Some("t.c:2:1: an index beyond the array".to_owned());
    assert_eq!(refused("a[3] = 1;", &[Check::Overflow]), beyond);
    assert_eq!(refused("a[3] = 1;", &[Check::Bounds]), None);
    let large = Some("t.c:2:9: a constant beyond its type".to_owned());
    assert_eq!(refused("int x = 2147483647 + 1;", &[Check::Bounds]), large);
    let zero = Some("t.c:2:9: a division by zero".to_owned());
    assert_eq!(refused("int x = 1 / 0;", &[Check::Overflow, Check::Bounds]), zero);
}

#[test]
fn a_write_is_seen_though_the_thread_waits_at_a_member_of_another_type() {
    let text = "struct s { int a; char c; }; int f(int *p, int i) { return p[i]; } int x;
        int main(void) { struct s s = { 0, 0 }; int n = __VERIFIER_nondet_int();
        __VERIFIER_assume(n >= 0 && n < 2); x = 1; int y = f(&s.a, n); if (y) x = 2; if (x == 2) reach_error(); }\n";
    let text = format!("int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int); {text}");
    let other = "void *g(void *a) { if (x == 1) x = 3; return 0; }";
    let text = text.replace(
        "int main(void) {",
        &format!("{other} int main(void) {{ pthread_t t; pthread_create(&t, 0, g, 0);"),
    );
    let edges = edges(&format!("{HEADER}{text}"), &[]);
    let write = edges.iter().find(|edge| edge.contains("x := 1")).expect("the write");
    assert!(!write.contains("== 0"), "{edges:?}");
}

const HEADER: &str = "typedef unsigned long pthread_t; typedef struct { int s; } pthread_mutex_t;
int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void);
";

/// The steps that announce and that go wrong of a thread `f` beside `main`, as globals, `f` and
/// `main` behind the creation.
fn races(globals: &str, f: &str, main: &str) -> Vec<String> {
    let text = format!(
        "{HEADER}{globals} void *f(void *a) {{ {f} return 0; }}\nint main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {main} }}\n"
    );
    let edges = edges(&text, &[Check::Race]).into_iter();
    let edges = edges.filter(|edge| edge.contains("racing"));
    edges.map(|edge| edge[edge.find("->").expect("a step")..].to_owned()).collect()
}

#[test]
fn a_thread_that_is_about_to_write_is_announced_and_whoever_meets_it_goes_wrong() {
    assert_eq!(
        races("int x;", "x = 1;", "int y = x;"),
        ["-> race_x_1 { when racing_x == 1; }", "-> L2 { when f_created == 1; racing_x := 1; }"]
    );
}

#[test]
fn a_read_is_announced_if_there_are_atomic_writes() {
    let read = races("int x;", "__atomic_store_n(&x, 1, 5);", "int y = x;");
    assert_eq!(
        read,
        ["-> L3 { racing_x := -1; }", "-> race_x_1 { when f_created == 1 && racing_x == -1; }"]
    );
    assert_eq!(races("_Atomic int x;", "x = 1;", "int y = x;"), [""; 0]);
    let section = "__VERIFIER_atomic_begin(); x = 2; __VERIFIER_atomic_end();";
    assert_eq!(races("int x;", section, section), [""; 0]);
    assert_eq!(races("int x;", section, "int y = x;"), read);
}

#[test]
fn what_two_threads_cannot_access_together_is_not_looked_at() {
    assert_eq!(races("int x, y;", "x = 1;", "y = x * 0;").len(), 2);
    assert_eq!(races("int x, y;", "int z = x;", "y = x;"), [""; 0]);
    assert_eq!(races("int x, y;", "x = 1;", "y = 1;"), [""; 0]);
    assert_eq!(races("_Thread_local int x;", "x = 1;", "x = 1;"), [""; 0]);
    // Before the creation nobody else is there.
    let text = "int x; void *f(void *a) { if (x == 3) reach_error(); return 0; }
        int main(void) { pthread_t t; x = 2; pthread_create(&t, 0, f, 0); }\n";
    let edges = edges(&format!("{HEADER}{text}"), &[Check::Race]);
    assert!(!edges.is_empty() && edges.iter().all(|edge| !edge.contains("racing")), "{edges:?}");
}

#[test]
fn cells_of_arrays_and_structures_have_numbers_of_their_own() {
    let long = races("int i, b[9];", "int j = i; b[j] = 1;", "b[8] = 2;");
    assert!(long.iter().any(|edge| edge.contains("racing_b := i + 1")), "{long:?}");
    let members = "struct { int a, b; } s;";
    assert_eq!(races(members, "s.a = 1;", "s.b = 1;"), [""; 0]);
    assert_eq!(races(members, "s.b = 1;", "s.b = 1;").len(), 4);
}

#[test]
fn a_variable_that_is_read_for_nothing_is_read() {
    assert_eq!(races("int x;", "x = 1;", "x;").len(), 2);
}

#[test]
fn an_object_is_there_though_nothing_of_it_is_modelled() {
    let create = "for (int i = 0; i < 3; i++) pthread_create(&ids[i], 0, f, 0);";
    let text = |declarations: &str, main: &str| {
        format!(
            "{HEADER}{declarations} void *f(void *a) {{ return 0; }}\nint main(void) {{ {main} }}\n"
        )
    };
    let goes_wrong = |declarations: &str, main: &str| {
        let edges = edges(&text(declarations, main), &[Check::Bounds]);
        edges.iter().any(|edge| edge.contains("-> bounds_1"))
    };
    // One more than there are; the address behind the last one may be taken, but not used.
    assert!(goes_wrong("pthread_t ids[2];", create));
    let condition =
        "typedef struct { int s; } pthread_cond_t; int pthread_cond_signal(pthread_cond_t *);
        pthread_cond_t c[2]; int i;";
    assert!(goes_wrong(condition, "pthread_cond_signal(&c[2]);"));
    assert!(!goes_wrong(condition, "pthread_cond_signal(&c[1]);"));
    let signal = format!("{condition}\n");
    let counts =
        edges(&text(&signal, "pthread_cond_signal(&c[i++]); if (i != 1) reach_error();"), &[]);
    assert!(counts.iter().any(|edge| edge.contains("error_1 { when i >= 1")), "{counts:?}");
}

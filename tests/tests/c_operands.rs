//! What a C program evaluates, the front end evaluates: a change of a variable in each operand of
//! each modelled function, and in each part of the language, against the same program as gcc
//! compiles it. An assertion that fails in the one fails in the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;
use threadproof_producer::frontend::c::{DataModel, lower, modelled, preprocess};
use threadproof_tests::c::calls::{self, EFFECTS, LINES, Line, OBJECTS, UNEVALUATED};
use threadproof_tests::c::core::{Core, line};

/// What all programs begin with; `bad` fails where it stands.
const HEAD: &str = "
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
void assume_abort_if_not(int);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __assert_disabled(void);
int __VERIFIER_nondet_int(void);
int nanosleep();
struct pair { int a, b; } whole, pairs[2];
int c;
pthread_t handle, handles[4];
pthread_once_t onces[4];
void *start(void *p) { return 0; }
void first(void) { }
void unused(int n) { }
void unnamed(int);
int two(int n, int k) { return 0; }
int fewer();
int fewer(n) int n; { return 0; }
int given(int n) { return n; }
int *at(int *p) { return p; }
void taken(struct pair q) { }
struct pair pair(int n) { struct pair q = { 1, 2 }; return q; }
void (*pf)(int) = unused;
void (*table[2])(int) = { unused, unused };
void __VERIFIER_atomic_f(int n) { }
#line 100 \"case.c\"
int bad(int n) { assert(n == 0); return n; }
";

/// `HEAD`, and the objects of the calls.
fn head() -> String {
    let objects: Vec<&str> = OBJECTS.iter().map(|(_, declaration)| *declaration).collect();
    format!("{HEAD}{}", objects.join("\n"))
}

/// What SV-COMP's conventions are for the compiler, and how a failure is told.
const COMPILED: &str = "
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <fcntl.h>
static int *told, here;
static void fails(int line) { told[here] = line; abort(); }
void __assert_fail(const char *e, const char *file, unsigned line, const char *f) { fails(line); }
void __assert(const char *e, const char *file, int line) { fails(line); }
void __VERIFIER_assume(int e) { if (!e) _exit(0); }
void assume_abort_if_not(int e) { if (!e) _exit(0); }
void __VERIFIER_atomic_begin(void) { }
void __VERIFIER_atomic_end(void) { }
void __assert_disabled(void) { }
int __VERIFIER_nondet_int(void) { return 0; }
#define __VERIFIER_assert(e) ((e) ? (void)0 : fails(__LINE__))
#define __VERIFIER_error() fails(__LINE__)
#define reach_error() fails(__LINE__)
";

/// Statements, on three lines from the second one on; behind them it is asserted that `c` is 0.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    before: String,
    statement: String,
    /// Whether something has to fail.
    fails: bool,
}

impl Case {
    /// The program, its function called so.
    fn text(&self, name: &str) -> String {
        let Case { before, statement, .. } = self;
        format!(
            "#line 1 \"case.c\"\nint {name}(void) {{\n{before}\n{statement}\nassert(c == 0);\nreturn 0;\n}}\n"
        )
    }
}

fn case(statement: &str, fails: bool) -> Case {
    Case { before: String::new(), statement: statement.to_owned(), fails }
}

/// The ways to change `c` in an operand.
fn changed(operand: &str, returns: bool) -> Vec<String> {
    if operand.starts_with('!') {
        return Vec::new();
    }
    let plain = operand.trim_start_matches('#');
    if !returns {
        return vec![format!("(bad(++c), {plain})")];
    }
    let mut out = vec![format!("(++c, {plain})"), format!("(c++, {plain})")];
    if operand.starts_with('#') {
        out.push(format!("{plain} + (c++ != 0)"));
        out.push(format!("({plain} + two(c++, 0))"));
    }
    if plain.contains("[0]") {
        out.push(plain.replace("[0]", "[c++]"));
        out.push(plain.replace("[0]", "[given(c++)]"));
    }
    out
}

/// The call as it is, and with each operand changed.
fn cases(line: &Line) -> Vec<Case> {
    let with = |operands: &[String], fails| Case {
        before: line.before.to_owned(),
        statement: line.call(operands),
        fails,
    };
    let plain = line.plain();
    // Who waits for a signal that nobody gives is not compared.
    let error = ["__assert_fail", "__assert", "__VERIFIER_error", "reach_error"];
    let mut out = match line.name {
        "pthread_cond_wait" => Vec::new(),
        name => vec![with(&plain, error.contains(&name))],
    };
    for (i, operand) in line.operands.iter().enumerate() {
        for new in changed(operand, line.returns) {
            let mut operands = plain.clone();
            operands[i] = new;
            out.push(with(&operands, true));
        }
    }
    out
}

/// The line of the assertion that fails in each program, compiled; 0 if none does.
fn compiled(cases: &[Case]) -> Vec<usize> {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("all.c"), folder.path().join("all"));
    let mut all = format!("#define _GNU_SOURCE\n{}\nvoid unnamed(int n) {{ }}\n{COMPILED}", head());
    for (i, case) in cases.iter().enumerate() {
        all.push_str(&case.text(&format!("case_{i}")));
    }
    let count = cases.len();
    writeln!(all, "int (*all[])(void) = {{").expect("a string");
    (0..count).for_each(|i| writeln!(all, "case_{i},").expect("a string"));
    write!(
        all,
        "}};
int main(void) {{
    told = mmap(0, {count} * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (here = 0; here < {count}; here++) {{
        if (fork() == 0) {{
            int null = open(\"/dev/null\", O_WRONLY);
            dup2(null, 1); dup2(null, 2);
            alarm(20);
            all[here]();
            _exit(0);
        }}
        wait(0);
    }}
    for (int i = 0; i < {count}; i++) printf(\"%d\\n\", told[i]);
}}
"
    )
    .expect("a string");
    std::fs::write(&source, all).expect("a file");
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-std=gnu11", "-O1", "-pthread", "-o"]).arg(&binary).arg(&source);
    run(&mut gcc);
    let lines = run(&mut Command::new(&binary));
    lines.lines().map(|line| line.parse().expect("a number")).collect()
}

/// What a command prints; it has to succeed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The lines of the assertions that fail in each program's core program, or why there is none.
fn lowered(cases: &[Case]) -> Vec<Result<BTreeSet<usize>, String>> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.c");
    let head = head().replace("int fewer(n) int n; {", "int fewer(int n) {");
    let mut all = format!("{head}void unnamed(int n) {{ }}\n");
    for case in cases {
        write!(all, "@@\n{}", case.text("main")).expect("a string");
    }
    std::fs::write(&path, all).expect("a file");
    let all = preprocess(&path, DataModel::Lp64).expect("a C compiler");
    let mut parts = all.split("@@");
    let head = parts.next().expect("the headers");
    let judged = |part: &str| {
        let lowered = lower("case.c", &format!("{head}{part}"), DataModel::Lp64);
        let lowered = lowered.map_err(|error| error.to_string())?;
        let core = Core { program: &lowered.program, values: &[0, 1], threads: 1, states: 20_000 };
        let reached = core.reached();
        assert!(reached.complete && reached.undetermined.is_none(), "{reached:?}");
        let lines = reached.first.iter().map(|(t, e)| line("case.c", &lowered.notes[*t][*e]));
        Ok(lines.collect())
    };
    parts.map(judged).collect()
}

/// The same assertion fails in the program and in its core program.
fn compare(cases: &[Case]) {
    let (real, ours) = (compiled(cases), lowered(cases));
    assert_eq!((real.len(), ours.len()), (cases.len(), cases.len()));
    let mut wrong = Vec::new();
    for ((case, real), ours) in cases.iter().zip(real).zip(ours) {
        let expected: BTreeSet<usize> = Some(real).filter(|line| *line > 0).into_iter().collect();
        if expected.is_empty() == case.fails {
            wrong.push(format!("compiled {expected:?}: {case:?}"));
        }
        if ours.as_ref() != Ok(&expected) {
            wrong.push(format!("compiled {expected:?}, lowered {ours:?}: {case:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    println!("{} programs", cases.len());
}

#[test]
fn every_operand_of_every_modelled_function_is_evaluated() {
    compare(&calls::all().flat_map(cases).collect::<Vec<_>>());
}

#[test]
fn every_modelled_function_has_a_line_with_all_of_its_operands() {
    let lines: BTreeMap<&str, usize> = LINES.iter().map(|l| (l.name, l.operands.len())).collect();
    assert_eq!(lines.len(), LINES.len());
    let mut known = BTreeSet::new();
    for (name, operands, more) in modelled() {
        let found = lines.get(name).unwrap_or_else(|| panic!("`{name}` has no line"));
        assert!(*found == operands || (more && *found > operands), "{name}");
        assert!(known.insert(name), "`{name}` stands twice");
    }
    assert_eq!(known, lines.keys().copied().collect());
}

#[test]
fn every_part_of_the_language_evaluates_what_it_has_to() {
    let effects = EFFECTS.iter().map(|statement| case(statement, true));
    compare(&effects.collect::<Vec<_>>());
}

#[test]
fn what_is_not_evaluated_has_no_effect() {
    let none = UNEVALUATED.iter().map(|statement| case(statement, false));
    compare(&none.collect::<Vec<_>>());
}

#[test]
fn an_effect_that_compilers_do_not_agree_on_is_refused() {
    for line in LINES {
        for i in (0..line.operands.len()).filter(|i| line.operands[*i].starts_with('!')) {
            let mut operands = vec!["1"; line.operands.len()];
            operands[i] = "c++";
            let call = format!("{}({})", line.name, operands.join(", "));
            let text = format!("int c; int main(void) {{ {call}; }}\n");
            let error = lower("t.c", &text, DataModel::Lp64).expect_err("an error");
            let message = &error.items()[0].message;
            assert!(message.contains("an effect where it depends on the compiler"), "{call}");
        }
    }
}

#[test]
fn operands_beyond_those_of_a_function_are_refused() {
    for (name, operands, more) in modelled() {
        let name = if name.ends_with('_') { format!("{name}int") } else { name.to_owned() };
        let call = |count: usize| format!("{name}({})", vec!["0"; count].join(", "));
        let error = |count| {
            let text = format!("int main(void) {{ {}; }}\n", call(count));
            lower("t.c", &text, DataModel::Lp64)
                .err()
                .map(|errors| errors.items()[0].message.clone())
        };
        let many = Some("too many arguments".to_owned());
        assert_eq!(error(operands + 1) == many, !more, "{}", call(operands + 1));
        if let Some(fewer) = operands.checked_sub(1) {
            let few = Some("too few arguments".to_owned());
            assert_eq!(error(fewer), few, "{}", call(fewer));
        }
    }
}

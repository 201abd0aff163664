//! No assertion of a source disappears: each is an error location of the core program, or an
//! assumption names it, over the whole corpus. The assertions are counted in the text, without the
//! front ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use threadproof_format::program::Program;
use threadproof_producer::frontend::c::{DataModel, lower, preprocess};
use threadproof_producer::frontend::tp;
use threadproof_producer::source::Source;
use threadproof_tests::c::core::line;

fn programs(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let files =
        std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == extension)).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}

/// What assumptions say of assertions: each place with its reason.
fn named(program: &Program) -> Vec<(String, String)> {
    let said = program.assumptions.iter().filter_map(|text| text.strip_prefix("assertion "));
    let parts = said.map(|text| text.split_once(" is no error location: ").expect("a reason"));
    parts.map(|(place, reason)| (place.to_owned(), reason.to_owned())).collect()
}

/// The lines of assertions that are error locations.
fn present(file: &str, lowered: &Source) -> BTreeSet<usize> {
    let mut out = BTreeSet::new();
    for (template, notes) in lowered.program.templates.iter().zip(&lowered.notes) {
        for (edge, note) in template.edges.iter().zip(notes) {
            let target = usize::try_from(edge.target).expect("a location");
            let target = &template.locations[target];
            if target.error && target.name.starts_with("error_") {
                out.insert(line(file, note));
            }
        }
    }
    out
}

/// The text without comments.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        out.push_str(before);
        let end = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => comment.find("*/").map_or(comment.len(), |end| end + 2),
            _ => {
                out.push('/');
                rest = &comment[1..];
                continue;
            }
        };
        out.extend(comment[..end].chars().filter(|c| *c == '\n'));
        rest = &comment[end..];
    }
    out + rest
}

#[test]
fn every_assertion_of_a_c_program_is_an_error_location_or_is_named() {
    let (mut all, mut gone) = (0, 0);
    for path in programs("corpus/c", "c") {
        let (file, text) = (name(&path), std::fs::read_to_string(&path).expect("a text"));
        let text = code(&text);
        let lines = text.lines().enumerate().filter(|(_, line)| {
            let declared = ["void", "extern", "static"].iter().any(|w| line.starts_with(w));
            let called = |name: &str| line.contains(&format!("{name}("));
            ["assert", "reach_error", "__VERIFIER_error"].into_iter().any(called)
                && (!declared || line.contains("assert("))
        });
        let written: BTreeSet<usize> = lines.map(|(i, _)| i + 1).collect();
        let text = preprocess(&path, DataModel::Lp64).expect("a C compiler");
        let lowered = lower(&file, &text, DataModel::Lp64).unwrap_or_else(|e| panic!("{e}"));
        let missing: BTreeSet<usize> = named(&lowered.program)
            .iter()
            .map(|(place, _)| {
                let line = place.split(' ').next().and_then(|place| place.rsplit_once(':'));
                line.expect("a line").1.parse().expect("a number")
            })
            .collect();
        let found: BTreeSet<usize> = present(&file, &lowered).union(&missing).copied().collect();
        assert_eq!(found, written, "{file}");
        (all, gone) = (all + written.len(), gone + missing.len());
    }
    println!("{all} assertions, {gone} of them named");
    assert!(all > 150 && gone > 0);
}

/// What stands between the braces behind `word NAME`.
fn blocks(text: &str, word: &str) -> (String, Vec<String>) {
    let (mut rest, mut out, mut found) = (text.to_owned(), String::new(), Vec::new());
    while let Some(at) = rest.find(&format!("{word} ")) {
        let open = at + rest[at..].find('{').expect("a block");
        let (mut depth, mut end) = (0, open);
        for (i, c) in rest[open..].char_indices() {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            if depth == 0 {
                end = open + i + 1;
                break;
            }
        }
        out.push_str(&rest[..at]);
        found.push(rest[at..end].to_owned());
        rest = rest[end..].to_owned();
    }
    (out + &rest, found)
}

fn asserts(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| *word == "assert").count()
}

#[test]
fn every_assertion_of_a_program_is_an_error_location() {
    let mut all = 0;
    for path in [programs("corpus", "tp"), programs("corpus/abstract", "tp")].concat() {
        let (file, text) = (name(&path), std::fs::read_to_string(&path).expect("a text"));
        let lowered = tp::lower(&file, &text).unwrap_or_else(|e| panic!("{e}"));
        let (text, _) = blocks(&code(&text), "abstract");
        let (outside, threads) = blocks(&text, "thread");
        let locations = lowered.program.templates.iter().flat_map(|t| &t.locations);
        let errors = locations.filter(|l| l.error).count() + named(&lowered.program).len();
        let written = asserts(&text);
        // What stands in procedures is there in each thread that calls them.
        let several = asserts(&outside) > 0 || lowered.program.templates.len() > threads.len();
        assert!(if several { errors >= written } else { errors == written }, "{file}");
        all += written;
    }
    println!("{all} assertions");
    assert!(all > 400);
}

#[test]
fn an_assertion_that_a_block_decides_is_named() {
    let text = "global int x;\nglobal bool b;\nthread t[*] {\natomic {\nb = true; x = 1;\nif (!b) { assert(x == 3); }\nassert(x == 1);\n}\n}\n";
    let lowered = tp::lower("t.tp", text).unwrap_or_else(|e| panic!("{e}"));
    let (place, reason) =
        ("t.tp:6".to_owned(), "no path of its atomic block leads to it".to_owned());
    assert_eq!(named(&lowered.program), [(place, reason)]);
    assert_eq!(lowered.program.templates[0].locations.iter().filter(|l| l.error).count(), 1);
}

fn lowered(text: &str) -> Source {
    lower("t.c", text, DataModel::Lp64).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

const DECLARED: &str =
    "void assert(int); void reach_error(void); int __VERIFIER_nondet_int(void); int x;";

/// What is before `main` on the second line, its statements on the third, and what is said.
type Cases = &'static [(&'static str, &'static str, &'static [(&'static str, &'static str)])];

const NAMED: Cases = &[
    ("", "assert(x);", &[]),
    ("", "assert(1);", &[("t.c:3", "its condition is constant")]),
    ("", "if (0) reach_error();", &[("t.c:3", "its condition is constant")]),
    ("", "x = 1; assert(x >= 1);", &[("t.c:3", DECIDED)]),
    (
        "",
        "if (0) { x = __VERIFIER_nondet_int(); assert(x); }",
        &[("t.c:3", "no execution reaches it")],
    ),
    ("", "return 0; assert(x);", &[("t.c:3", "no execution reaches it")]),
    ("", "assert(1); assert(x);", &[("t.c:3 (1 of 2 in this line)", "its condition is constant")]),
    (
        "void f(void) { assert(x); }",
        "",
        &[("t.c:2", "it is in `f`, which is neither called nor run by a thread")],
    ),
    ("void f(int n) { assert(n); }", "f(1); f(x);", &[]),
    ("void f(int n) { assert(n); }", "f(1); f(2);", &[("t.c:2", "its condition is constant")]),
    (
        "void __VERIFIER_assert(int n) { if (!n) reach_error(); }",
        "__VERIFIER_assert(1);\n__VERIFIER_assert(x);",
        &[("t.c:3", "its condition is constant")],
    ),
    ("void __VERIFIER_assert(int n) { if (!n) reach_error(); }", "", &[]),
    (
        "void __VERIFIER_assert(int n) { }",
        "__VERIFIER_assert(x);",
        &[("t.c:3", "the program defines `__VERIFIER_assert`, and there is no error in that")],
    ),
    ("void (*e)(void) = reach_error;", "if (0) e();", &[("t.c:3", "no execution reaches it")]),
    ("", "__assert_disabled();", &[("t.c:3", "NDEBUG is defined")]),
    ("", "_Static_assert(sizeof(int) == 4, \"\");", &[]),
    ("", "for (int i = 0; i < 3; i++) assert(x + i < 9);", &[]),
];

const DECIDED: &str =
    "the translation finds by the values and ranges of variables that it does not fail";

#[test]
fn assertions_without_a_location_are_named_with_the_reason() {
    for (before, statements, expected) in NAMED {
        let text = format!(
            "{DECLARED}\n{before}\nint main(void) {{ x = __VERIFIER_nondet_int(); {statements}\n}}\n"
        );
        let expected = expected.iter().map(|(p, r)| ((*p).to_owned(), (*r).to_owned()));
        let program = lowered(&text).program;
        assert_eq!(named(&program), expected.collect::<Vec<_>>(), "{text}");
        let locations = program.templates.iter().flat_map(|t| &t.locations);
        let all = ["assert(x", "assert(n", "__VERIFIER_assert(x"].iter().any(|a| text.contains(a));
        assert!(all || locations.filter(|l| l.error).count() == 0, "{text}");
    }
}

#[test]
fn each_call_of_an_assertion_that_is_defined_is_an_error_location() {
    let text = format!(
        "{DECLARED} void __VERIFIER_assert(int n) {{ if (!n) reach_error(); }}\nint main(void) {{ x = __VERIFIER_nondet_int(); __VERIFIER_assert(x);\n__VERIFIER_assert(x > 3); }}\n"
    );
    let program = lowered(&text).program;
    assert_eq!(program.templates[0].locations.iter().filter(|l| l.error).count(), 2);
}

#[test]
fn a_static_assertion_that_fails_is_an_error() {
    let error = lower("t.c", "_Static_assert(1 > 2, \"\"); int main(void) { }\n", DataModel::Lp64);
    assert_eq!(error.expect_err("an error").items()[0].message, "this static assertion fails");
}

#[test]
fn without_assertions_by_the_preprocessor_each_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("n.c");
    let text = "#define NDEBUG\n#include <assert.h>\nint x;\nint main(void) { x++;\nassert(x > 5);\nreturn 0; }\n";
    std::fs::write(&path, text).expect("a file");
    let text = preprocess(&path, DataModel::Lp64).expect("a C compiler");
    let program = lower("n.c", &text, DataModel::Lp64).unwrap_or_else(|e| panic!("{e}")).program;
    assert_eq!(named(&program), [("n.c:5".to_owned(), "NDEBUG is defined".to_owned())]);
}

//! Certificates with layers of abstract threads through both checkers: they accept what is proved,
//! give the category of SPEC.md for each rule that an edit breaks, and agree on mutants.
//!
//! `THREADPROOF_MUTANTS` sets how many mutants of each certificate the checkers are compared on.

use ciborium::Value;
use threadproof_tests::harness::{arg, checker, compare_checkers, root, run};
use threadproof_tests::layers;
use threadproof_tests::layers::{Layered, field, items};

/// What a checker says with `--json`: the category, or `accepted`.
fn outcome(
    program: impl AsRef<std::path::Path>,
    before: &[&str],
    core: &std::path::Path,
) -> String {
    let certificate = core.with_extension("cert");
    let arguments = [before, &["--json", arg(core), arg(&certificate)]].concat();
    let (_, out, error) = run(program, &arguments);
    let verdict: serde_json::Value =
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}{error}"));
    let said = verdict.get("category").unwrap_or(&verdict["verdict"]);
    said.as_str().expect("a text").to_owned()
}

/// What both checkers say.
fn outcomes(example: &Layered) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let core = example.write(folder.path());
    let second = root().join("tests/reference_checker/check.py");
    [outcome(checker(), &[], &core), outcome("python3", &[arg(&second)], &core)]
}

/// What an edit changes, of which example, how, and the category that it has to get.
type Edit = (&'static str, &'static str, fn(&mut Layered), &'static str);

fn operator(name: &str, operands: [u8; 2]) -> Value {
    let operands = operands.map(|k| Value::Integer(k.into())).into();
    Value::Map(vec![(Value::Text(name.to_owned()), Value::Array(operands))])
}

fn empty_counterexample() -> Value {
    let map = |fields: [(&str, Value); 2]| {
        Value::Map(fields.map(|(name, value)| (Value::Text(name.to_owned()), value)).into())
    };
    let none = || Value::Array(vec![]);
    let run =
        map([("start", map([("globals", none()), ("threads", none())])), ("schedule", none())]);
    Value::Map(vec![(Value::Text("counterexample".to_owned()), run)])
}

/// Edits of what the two programs must have in common (12.1).
const PROGRAMS: [Edit; 12] = [
    ("spaces", "lock", |e| *field(e.layer(0), "statement") = Value::Text(e.core.clone()), "digest"),
    (
        "no program",
        "lock",
        |e| *field(e.layer(0), "statement") = Value::Text("core 2;".into()),
        "syntax",
    ),
    (
        "init",
        "server",
        |e| e.restate_layer(&[("x == 0 && !stop", "!stop && x == 0")]),
        "abstraction",
    ),
    (
        "another global",
        "still",
        |e| e.restate_layer(&[("init g", "global h: int; init g")]),
        "abstraction",
    ),
    (
        "one for many",
        "server",
        |e| e.restate_layer(&[("many Listener", "one Listener")]),
        "abstraction",
    ),
    ("fewer parts", "server", |e| drop(items(field(e.layer(0), "parts")).pop()), "abstraction"),
    (
        "all kept",
        "lock",
        |e| *field(e.layer(0), "parts") = Value::Array(vec![Value::Text("kept".into())]),
        "unused",
    ),
    ("counted", "copy", |e| e.restate_layer(&[("#Counted.on", "#K.x")]), "abstraction"),
    (
        "kept: local",
        "copy",
        |e| e.restate_layer(&[("local k", "local j"), ("k :=", "j :=")]),
        "abstraction",
    ),
    (
        "kept: input",
        "copy",
        |e| e.restate_layer(&[("input q", "input r"), (":= q", ":= r")]),
        "abstraction",
    ),
    (
        "kept: order",
        "copy",
        |e| e.restate_layer(&[("g := g, k := q;", "k := q, g := g;")]),
        "abstraction",
    ),
    (
        "counterexample",
        "lock",
        |e| *field(&mut e.certificate, "proof") = empty_counterexample(),
        "unused",
    ),
];

/// Edits of which template comes to which (12.1).
const JOINS: [Edit; 7] = [
    ("fewer numbers", "joined", |e| drop(items(field(e.layer(0), "to")).pop()), "abstraction"),
    ("no such template", "joined", |e| *e.comes_to(1) = Value::Integer(2.into()), "index"),
    ("two to one", "joined", |e| *e.comes_to(2) = Value::Integer(1.into()), "abstraction"),
    ("none to one", "joined", |e| *e.comes_to(1) = Value::Integer(0.into()), "abstraction"),
    ("one for all", "joined", |e| e.restate_layer(&[("many W", "one W")]), "abstraction"),
    (
        "many to one",
        "joined",
        |e| e.restate_program(&[("one watcher", "many watcher")]),
        "abstraction",
    ),
    (
        "counted",
        "joined",
        |e| {
            e.restate_program(&[("#watcher.on", "#W_1.inside")]);
            e.restate_layer(&[("#watcher.on", "#W.inside")]);
        },
        "abstraction",
    ),
];

/// Edits of abstract threads and invariants (12.2), refutations (12.3) and programs that no longer
/// conform.
const THREADS: [Edit; 17] = [
    ("copies", "copy", |e| drop(e.conformance(0, "copies").pop()), "abstraction"),
    ("unknown copy", "copy", |e| e.conformance(0, "copies")[0] = Value::Integer(1.into()), "index"),
    (
        "unknown copy, no edge",
        "still",
        |e| e.conformance(0, "copies")[0] = Value::Integer(1.into()),
        "index",
    ),
    (
        "copy's sort, no edge",
        "still",
        |e| e.restate_layer(&[("c: int; init c == g", "c: bool; init c")]),
        "abstraction",
    ),
    ("no copy", "copy", |e| e.restate_layer(&[("{ c := g; }", "{ c := g + 0; }")]), "abstraction"),
    (
        "free input",
        "server",
        |e| e.restate_layer(&[("run -> run { }", "run -> run { input u: int; }")]),
        "abstraction",
    ),
    (
        "error input",
        "lock",
        |e| e.restate_layer(&[("wrong { when", "wrong { input u: int; when")]),
        "abstraction",
    ),
    ("invariants", "lock", |e| drop(e.conformance(0, "invariants").pop()), "abstraction"),
    (
        "error candidate",
        "lock",
        |e| e.conformance(0, "invariants")[1] = vec![operator("l", [1, 1])].into(),
        "index",
    ),
    (
        "counter",
        "copy",
        |e| items(&mut e.conformance(0, "invariants")[0]).insert(0, operator("n", [2, 1])),
        "index",
    ),
    (
        "empty invariant",
        "lock",
        |e| e.conformance(0, "invariants")[0] = Value::Array(vec![]),
        "sort",
    ),
    ("one refutation less", "lock", |e| drop(e.conformance(0, "refutations").pop()), "abstraction"),
    (
        "one refutation more",
        "lock",
        |e| e.conformance(0, "refutations").push(Value::Array(vec![])),
        "unused",
    ),
    ("swapped refutations", "lock", |e| e.conformance(0, "refutations").swap(0, 4), "refutation"),
    (
        "truncated refutation",
        "lock",
        |e| drop(items(&mut e.conformance(0, "refutations")[2]).pop()),
        "refutation",
    ),
    (
        "no step back",
        "lock",
        |e| e.restate_layer(&[("when !next; n := n - 1", "when next; n := n - 1")]),
        "refutation",
    ),
    (
        "other concrete step",
        "lock",
        |e| e.restate_program(&[("n := n - i", "n := n - 2")]),
        "refutation",
    ),
];

#[test]
fn both_checkers_accept_what_is_proved() {
    for example in layers::proved() {
        assert_eq!(outcomes(&example), ["accepted", "accepted"], "{}", example.name);
    }
}

#[test]
fn both_checkers_give_the_category_of_each_rule_that_is_broken() {
    let examples = layers::proved();
    for (what, name, edit, category) in PROGRAMS.iter().chain(&JOINS).chain(&THREADS) {
        let example = examples.iter().find(|example| example.name == *name).expect("an example");
        let mut edited = example.clone();
        edit(&mut edited);
        assert_eq!(outcomes(&edited), [*category, *category], "{name}: {what}");
    }
}

#[test]
fn both_checkers_agree_on_mutants_of_layers() {
    let folder = tempfile::tempdir().unwrap();
    let mutants = std::env::var("THREADPROOF_MUTANTS").unwrap_or("120".to_owned());
    let cores: Vec<_> = layers::proved().iter().map(|e| e.write(folder.path())).collect();
    let checker = checker();
    let mut arguments = vec!["--mutants", &mutants, arg(&checker)];
    arguments.extend(cores.iter().map(|core| arg(core)));
    let counts = compare_checkers("compare.py", &arguments);
    let judged = ["abstraction", "digest", "index", "refutation", "replay", "sort", "syntax"];
    for category in judged.map(|name| format!("rejected ({name})")) {
        assert!(counts.contains(&category), "no mutant is {category}:\n{counts}");
    }
}

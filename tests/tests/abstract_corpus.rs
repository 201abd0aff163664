//! The programs of corpus/abstract through the binaries: threads that conform and whose abstract
//! program is safe get an accepted certificate; of the others the report says what is wrong.

use serde_json::Value;
use std::path::{Path, PathBuf};
use threadproof_producer::control::Control;
use threadproof_producer::frontend::tp;
use threadproof_producer::prove::{Plan, conforms};
use threadproof_producer::source::Source;
use threadproof_tests::harness::{arg, checker, root, run, threadproof};

/// What comes of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// The threads conform, and the abstract program is safe.
    Safe,
    /// A thread does not conform, or its abstract thread says nothing.
    Rejected,
    /// The threads conform, and only the abstract program is unsafe.
    Abstract,
    /// The program is unsafe.
    Unsafe,
}

struct Entry {
    file: String,
    outcome: Outcome,
    twin_of: Option<String>,
    /// What the report contains.
    message: Vec<String>,
}

fn folder() -> PathBuf {
    root().join("corpus/abstract")
}

/// The manifest's entries; fails if it does not list each program once.
fn corpus() -> Vec<Entry> {
    let text = std::fs::read_to_string(folder().join("manifest.json")).expect("the manifest");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let entries: Vec<Entry> = list.iter().map(entry).collect();
    let mut listed: Vec<&str> = entries.iter().map(|e| e.file.as_str()).collect();
    let files = std::fs::read_dir(folder()).expect("the corpus");
    let name =
        |f: std::io::Result<std::fs::DirEntry>| f.unwrap().file_name().into_string().unwrap();
    let mut found: Vec<String> = files.map(name).filter(|n| n.ends_with(".tp")).collect();
    listed.sort_unstable();
    found.sort();
    assert_eq!(listed, found, "the manifest lists each program once");
    entries
}

fn entry(item: &Value) -> Entry {
    let messages = item["message"].as_array().map(Vec::as_slice).unwrap_or_default();
    Entry {
        file: item["file"].as_str().expect("file").to_owned(),
        outcome: match item["outcome"].as_str() {
            Some("safe") => Outcome::Safe,
            Some("conformance" | "assertion" | "vacuous") => Outcome::Rejected,
            Some("abstract") => Outcome::Abstract,
            Some("unsafe") => Outcome::Unsafe,
            other => panic!("outcome {other:?}"),
        },
        twin_of: item["twin_of"].as_str().map(str::to_owned),
        message: messages.iter().map(|m| m.as_str().expect("a text").to_owned()).collect(),
    }
}

/// The entries with an outcome that are not as the manifest says, and why.
fn wrong(outcome: Outcome, check: impl Fn(&Entry, &Path) -> Result<(), String>) -> Vec<String> {
    let temporary = tempfile::tempdir().unwrap();
    let entries = corpus().into_iter().filter(|e| e.outcome == outcome);
    let failed =
        |e: Entry| check(&e, temporary.path()).err().map(|why| format!("{}: {why}", e.file));
    entries.filter_map(failed).collect()
}

/// Runs the prover on one thread; the standard output if it ends as it should.
fn prove(code: i32, program: &Path, more: &[&str]) -> Result<String, String> {
    let arguments = [&["prove", arg(program), "--threads", "1"][..], more].concat();
    let (got, out, err) = run(threadproof(), &arguments);
    if got == code { Ok(out) } else { Err(format!("{arguments:?}: exit {got}: {out}{err}")) }
}

fn contains(text: &str, parts: &[&str]) -> Result<(), String> {
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("no {part:?} in {text}")),
    }
}

fn lower(file: &str) -> Source {
    let text = std::fs::read_to_string(folder().join(file)).expect("a program");
    tp::lower(file, &text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| e.to_string())
}

/// The exit code of both checkers for a certificate that is accepted.
fn code(safe: bool) -> i32 {
    if safe { 0 } else { 6 }
}

/// Both checkers accept a certificate about the program itself, and say the same.
fn accepted(entry: &Entry, certificate: &Path, parts: &[&str]) -> Result<(), String> {
    let core = certificate.with_extension("core");
    write(&core, &lower(&entry.file).core)?;
    let second = root().join("tests/reference_checker/check.py");
    let arguments = [arg(&core), arg(certificate)];
    let first = run(checker(), &arguments);
    let second = run("python3", &[&[arg(&second)][..], &arguments].concat());
    if [first.0, second.0] != [code(entry.outcome != Outcome::Unsafe); 2] {
        return Err(format!("{first:?} and {second:?}"));
    }
    if first.1.contains("note:") {
        return Err(format!("vacuous: {}", first.1));
    }
    contains(&first.1, parts)?;
    contains(&second.1, &parts[..1])
}

/// The largest certificate of this corpus.
const MAX_BYTES: u64 = 100 * 1024;

#[test]
fn safe_programs_get_an_accepted_certificate_about_the_threads_themselves() {
    let failed = wrong(Outcome::Safe, |entry, temporary| {
        let certificate = temporary.join("program.cert");
        prove(0, &folder().join(&entry.file), &["-o", arg(&certificate)])?;
        accepted(entry, &certificate, &["accepted: safe", "proof: abstract threads of"])?;
        let size = std::fs::metadata(&certificate).map_err(|e| e.to_string())?.len();
        if size > MAX_BYTES { Err(format!("{size} bytes")) } else { Ok(()) }
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_does_not_conform_is_reported_with_its_place() {
    let failed = wrong(Outcome::Rejected, |entry, _| {
        let out = prove(2, &folder().join(&entry.file), &[])?;
        let message: Vec<&str> = entry.message.iter().map(String::as_str).collect();
        assert!(!message.is_empty(), "{} has no message", entry.file);
        contains(&out, &message)
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A strategy that finds the counterexamples of this corpus soon.
const STRATEGY: [&str; 2] = ["--strategy", "counters-and-affine-equalities"];

#[test]
fn some_abstract_programs_are_unsafe_where_the_threads_are_not() {
    let failed = wrong(Outcome::Abstract, |entry, temporary| {
        let program = lower(entry.twin_of.as_deref().expect("a safe twin")).program;
        let lowered = lower(&entry.file);
        if lowered.program != program {
            return Err("its threads are not those of its twin".to_owned());
        }
        for (below, above) in lowered.chain().zip(&lowered.abstractions) {
            let (plan, control) = (Plan::default(), Control::default());
            conforms(below, above, &plan, &control).map_err(|why| why.reason)?;
        }
        let last = lowered.chain().last().expect("a program");
        let path = temporary.join("layer.core");
        write(&path, &last.core)?;
        contains(&prove(1, &path, &STRATEGY)?, &["accepted: unsafe"])?;
        // What is said of the program depends on whether it is proved without the abstract threads,
        // which takes long.
        if entry.message.is_empty() {
            return Ok(());
        }
        let message: Vec<&str> = entry.message.iter().map(String::as_str).collect();
        contains(&prove(0, &folder().join(&entry.file), &[])?, &message)
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn unsafe_programs_get_an_accepted_counterexample_of_the_threads_themselves() {
    let failed = wrong(Outcome::Unsafe, |entry, temporary| {
        let certificate = temporary.join("program.cert");
        let more = [&["-o", arg(&certificate)][..], &STRATEGY].concat();
        prove(1, &folder().join(&entry.file), &more)?;
        accepted(entry, &certificate, &["accepted: unsafe"])
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Programs that are proved or refuted for a number of threads as they are for any number.
const FIXED: [(&str, &str, i32); 4] = [
    ("bluetooth_abstract.tp", "11", 0),
    ("battery.tp", "4", 0),
    ("bluetooth_abstract_unsafe_test_first.tp", "7", 1),
    ("battery_unsafe_no_wait.tp", "3", 1),
];

#[test]
fn a_fixed_number_of_threads_is_proved_as_any_number() {
    let temporary = tempfile::tempdir().expect("a folder");
    for (file, number, code) in FIXED {
        let path = |end: &str| temporary.path().join(file).with_extension(end);
        let (core, certificate, program) = (path("core"), path("cert"), folder().join(file));
        let exactly = ["--exactly", number];
        let more = [&exactly[..], &["-o", arg(&certificate)]].concat();
        let out = prove(code, &program, &more).unwrap_or_else(|why| panic!("{file}: {why}"));
        let joined = "any number of threads";
        assert_eq!(out.contains(joined), code == 0, "{file}: {out}");
        let lowered = run(threadproof(), &[&["lower", arg(&program)], &exactly[..]].concat());
        std::fs::write(&core, lowered.1).expect("the core form");
        let second = root().join("tests/reference_checker/check.py");
        for (checker, before) in [(checker(), None), (PathBuf::from("python3"), Some(arg(&second)))]
        {
            let arguments: Vec<&str> =
                before.into_iter().chain([arg(&core), arg(&certificate)]).collect();
            let checked = run(checker, &arguments);
            assert_eq!(checked.0, self::code(code == 0), "{file}: {}{}", checked.1, checked.2);
        }
    }
}

#[test]
fn each_driver_has_ten_broken_twins() {
    let entries = corpus();
    for driver in ["bluetooth_abstract.tp", "battery.tp"] {
        let broken = entries.iter().filter(|e| e.twin_of.as_deref() == Some(driver));
        assert!(broken.filter(|e| e.outcome != Outcome::Safe).count() >= 10, "{driver}");
    }
}

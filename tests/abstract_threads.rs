//! The programs of corpus/abstract through the binaries: threads that conform and whose abstract program is safe get an
//! accepted certificate; of the others the report says what is wrong.

mod common;

use common::{THREADPROOF, arg, checker, root, run};
use serde_json::Value;
use std::path::{Path, PathBuf};

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

/// Each entry with an outcome, and why it is not as the manifest says.
fn wrong(outcome: Outcome, check: impl Fn(&Entry, &Path) -> Result<(), String>) -> Vec<String> {
    let temporary = tempfile::tempdir().unwrap();
    let entries = corpus().into_iter().filter(|e| e.outcome == outcome);
    let failed =
        |e: Entry| check(&e, temporary.path()).err().map(|why| format!("{}: {why}", e.file));
    entries.filter_map(failed).collect()
}

/// Runs the prover; the standard output if it ends as it should.
fn ends(code: i32, arguments: &[&str]) -> Result<String, String> {
    let (got, out, err) = run(THREADPROOF, arguments);
    if got == code { Ok(out) } else { Err(format!("{arguments:?}: exit {got}: {out}{err}")) }
}

fn contains(text: &str, parts: &[&str]) -> Result<(), String> {
    match parts.iter().find(|part| !text.contains(**part)) {
        None => Ok(()),
        Some(part) => Err(format!("no {part:?} in {text}")),
    }
}

/// Writes a layer's core form, if there is one.
fn lowered(source: &Path, layer: &str, to: &Path) -> Result<(), String> {
    let core = ends(0, &["lower", arg(source), "--layer", layer])?;
    std::fs::write(to, core).map_err(|e| e.to_string())
}

#[test]
fn safe_programs_get_an_accepted_certificate_about_the_threads_themselves() {
    let failed = wrong(Outcome::Safe, |entry, temporary| {
        let source = folder().join(&entry.file);
        let (core, cert) = (temporary.join("program.core"), temporary.join("program.cert"));
        ends(0, &["prove", arg(&source), "--threads", "1", "-o", arg(&cert)])?;
        lowered(&source, "0", &core)?;
        let (code, out, err) = run(checker(), &[arg(&core), arg(&cert)]);
        if code != 0 || out.contains("note:") {
            return Err(format!("exit {code}: {out}{err}"));
        }
        contains(&out, &["accepted: safe", "proof: abstract threads of"])?;
        let size = std::fs::metadata(&cert).map_err(|e| e.to_string())?.len();
        if size > 100 * 1024 { Err(format!("{size} bytes")) } else { Ok(()) }
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn what_does_not_conform_is_reported_with_its_place() {
    let failed = wrong(Outcome::Rejected, |entry, _| {
        let source = folder().join(&entry.file);
        let out = ends(2, &["prove", arg(&source), "--threads", "1"])?;
        let message: Vec<&str> = entry.message.iter().map(String::as_str).collect();
        assert!(!message.is_empty(), "{} has no message", entry.file);
        contains(&out, &message)
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The strategy that proves both drivers.
const STRATEGY: [&str; 4] = ["--threads", "1", "--strategy", "counters-and-affine-equalities"];

#[test]
fn abstract_programs_that_are_unsafe_prove_nothing() {
    let failed = wrong(Outcome::Abstract, |entry, temporary| {
        let source = folder().join(&entry.file);
        let layer = temporary.join("layer.core");
        let layers = (1..).take_while(|n: &u32| lowered(&source, &n.to_string(), &layer).is_ok());
        assert!(layers.count() > 0, "{} has no abstract threads", entry.file);
        let out = ends(1, &[&["prove", arg(&layer)][..], &STRATEGY].concat())?;
        contains(&out, &["accepted: unsafe"])?;
        // The threads conform, and no assertion of theirs fails: it takes a proof without abstract threads.
        let out = ends(0, &[&["prove", arg(&source)][..], &STRATEGY].concat())?;
        if out.contains("abstract threads of") { Err(out) } else { Ok(()) }
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn unsafe_programs_get_an_accepted_counterexample_of_the_threads_themselves() {
    let failed = wrong(Outcome::Unsafe, |entry, temporary| {
        let source = folder().join(&entry.file);
        let (core, cert) = (temporary.join("program.core"), temporary.join("program.cert"));
        let prove = ["prove", arg(&source), "-o", arg(&cert)];
        ends(1, &[&prove[..], &STRATEGY].concat())?;
        lowered(&source, "0", &core)?;
        let (code, out, err) = run(checker(), &[arg(&core), arg(&cert)]);
        if code == 0 { contains(&out, &["accepted: unsafe"]) } else { Err(format!("{out}{err}")) }
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Each driver has ten broken twins or more.
#[test]
fn each_driver_has_broken_twins() {
    let entries = corpus();
    for driver in ["bluetooth_abstract.tp", "battery.tp"] {
        let broken = entries.iter().filter(|e| e.twin_of.as_deref() == Some(driver));
        assert!(broken.filter(|e| e.outcome != Outcome::Safe).count() >= 10, "{driver}");
    }
}

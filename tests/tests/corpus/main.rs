//! Every program of the corpus through the binaries, as a user would: safe ones get an accepted
//! certificate, unsafe ones an accepted counterexample, and each safe one has a broken twin.
//! What is wrong about these certificates, or about other programs, is rejected.

mod broken_twins;
mod random_edits;

use std::sync::OnceLock;
use threadproof_tests::corpus::{Entry, assert_twins, corpus};
use threadproof_tests::harness::{arg, checker, root, run, threadproof};

/// A program of the corpus with its core form and certificate.
struct Proved {
    entry: Entry,
    core: String,
    certificate: Vec<u8>,
}

/// The corpus, proved once for all tests here.
fn proved() -> &'static [Proved] {
    static PROVED: OnceLock<Vec<Proved>> = OnceLock::new();
    PROVED.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let all = corpus().into_iter().map(|entry| prove(entry, folder.path()));
        let (proved, wrong): (Vec<_>, Vec<_>) = all.partition(Result::is_ok);
        let wrong: Vec<String> = wrong.into_iter().filter_map(Result::err).collect();
        assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
        proved.into_iter().flatten().collect()
    })
}

/// The output of a program that ends with the right exit code.
fn expect(
    entry: &Entry,
    what: &str,
    wanted: i32,
    got: (i32, String, String),
) -> Result<String, String> {
    if got.0 == wanted {
        Ok(got.1)
    } else {
        Err(format!("{}: {what}: exit {}: {}{}", entry.file, got.0, got.1, got.2))
    }
}

fn prove(entry: Entry, folder: &std::path::Path) -> Result<Proved, String> {
    let (source, file) = (entry.path(), folder.join(&entry.file).with_extension("cert"));
    let arguments = ["prove", arg(&source), "-o", arg(&file), "--time-limit", "60"];
    expect(&entry, "prove", entry.code(), run(threadproof(), &arguments))?;
    let core = expect(&entry, "lower", 0, run(threadproof(), &["lower", arg(&source)]))?;
    let certificate = std::fs::read(&file).map_err(|e| e.to_string())?;
    Ok(Proved { entry, core, certificate })
}

fn check(program: &Proved, folder: &std::path::Path) -> Result<(), String> {
    let entry = &program.entry;
    let source = entry.path();
    let certificate = folder.join(&entry.file).with_extension("cert");
    let core = folder.join(&entry.file).with_extension("core");
    let (source, cert) = (arg(&source), arg(&certificate));
    std::fs::write(cert, &program.certificate).map_err(|e| e.to_string())?;
    std::fs::write(&core, &program.core).map_err(|e| e.to_string())?;
    let expect = |what: &str, wanted, got| expect(entry, what, wanted, got);
    let accepted =
        expect("threadproof-check", entry.checked(), run(checker(), &[arg(&core), cert]))?;
    let same = expect("check", entry.checked(), run(threadproof(), &["check", source, cert]))?;
    if accepted != same {
        return Err(format!("{}: the checkers differ: {accepted} and {same}", entry.file));
    }
    let second = root().join("tests/reference_checker/check.py");
    let second = run("python3", &[arg(&second), arg(&core), cert]);
    let second = expect("the checker written from SPEC.md", entry.checked(), second)?;
    let word = if entry.safe { "accepted: safe" } else { "accepted: unsafe" };
    if !accepted.starts_with(word) || !second.starts_with(word) {
        return Err(format!("{}: {accepted} and {second}", entry.file));
    }
    if entry.safe && accepted.contains("note:") {
        return Err(format!("{}: vacuous: {accepted}", entry.file));
    }
    let shown = expect("show", 0, run(threadproof(), &["show", cert]))?;
    let part = if entry.safe { "Hoare triples" } else { "interleaving" };
    if !shown.contains(part) {
        return Err(format!("{}: show: {shown}", entry.file));
    }
    if !entry.safe {
        return Ok(());
    }
    let exported = expect("export", 0, run(threadproof(), &["export", "--invariant", cert]))?;
    let invariant = certificate.with_extension("inv");
    std::fs::write(&invariant, exported).map_err(|e| e.to_string())?;
    let again = certificate.with_extension("again");
    let arguments = ["certify", source, arg(&invariant), "-o", arg(&again)];
    expect("certify what was exported", 0, run(threadproof(), &arguments))?;
    let accepted = expect("threadproof-check", 0, run(checker(), &[arg(&core), arg(&again)]))?;
    if accepted.contains("note:") {
        return Err(format!("{}: vacuous: {accepted}", entry.file));
    }
    Ok(())
}

#[test]
fn every_program_gets_its_verdict_and_an_accepted_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let all = proved();
    let wrong: Vec<String> = all.iter().filter_map(|p| check(p, folder.path()).err()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn the_thread_pools_certificate_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let (source, cert) = (root().join("corpus/thread_pool.tp"), folder.path().join("pool.cert"));
    let (code, out, _) = run(threadproof(), &["prove", arg(&source), "-o", arg(&cert)]);
    assert_eq!(code, 0, "{out}");
    let size = std::fs::metadata(&cert).unwrap().len();
    assert!(size <= 64 << 10, "{size} bytes");
}

#[test]
fn each_safe_program_has_a_broken_twin() {
    assert_twins(&corpus());
}

//! Solvers that know nothing of this project judge what certificates refute: z3 and cvc5, as processes of their own,
//! on the SMT-LIB files of `threadproof export --obligations`. `./setup.sh z3 cvc5` fetches them; without them these
//! tests fail.
//!
//! The arena's certificates here; all of the corpus with `make oracles`.

#[path = "oracles/ask.rs"]
mod ask;
mod common;

use ask::{Script, Verdict, export, verdicts, without_each_assertion};
use common::{THREADPROOF, arg, corpus, root, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use threadproof_format::cbor;
use threadproof_format::proof::{Certificate, Proof};

/// A case of the arena with a proof space.
struct Case {
    name: String,
    certificate: PathBuf,
    accepted: bool,
    /// Nothing is wrong but a refutation, and the claim is false.
    wrongly_refuted: bool,
}

/// The arena's cases that can be decoded and are to prove safety.
fn arena() -> Vec<Case> {
    let folder = root().join("corpus/certificates");
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let case = |item: &Value| {
        let certificate = folder.join(item["certificate"].as_str()?);
        let bytes = std::fs::read(&certificate).expect("a certificate");
        let decoded: Certificate = cbor::decode(&bytes).ok()?;
        let safe = matches!(decoded.proof, Proof::ProofSpace(_));
        safe.then(|| Case {
            name: item["name"].as_str().expect("a name").to_owned(),
            certificate,
            accepted: item["verdict"] == "accepted",
            wrongly_refuted: item["category"] == "refutation" && item["refuted_by"].is_string(),
        })
    };
    list.iter().filter_map(case).collect()
}

#[test]
fn both_solvers_find_what_accepted_certificates_refute_unsatisfiable() {
    let folder = tempfile::tempdir().unwrap();
    let cases: Vec<Case> = arena().into_iter().filter(|case| case.accepted).collect();
    let exported = cases.iter().flat_map(|c| export(&c.name, &c.certificate, folder.path()));
    let scripts: Vec<Script> = exported.collect();
    println!("{} certificates, {} obligations", cases.len(), scripts.len());
    assert!(cases.len() >= 30 && scripts.len() >= 150);
    all_unsatisfiable(&scripts);
    some_assertion_is_needed(&scripts);
}

#[test]
fn where_a_false_claim_has_a_wrong_refutation_both_solvers_find_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let cases: Vec<Case> = arena().into_iter().filter(|case| case.wrongly_refuted).collect();
    assert!(cases.len() >= 30, "{} certificates", cases.len());
    for case in cases {
        let scripts = export(&case.name, &case.certificate, folder.path());
        let found = verdicts(&scripts);
        assert!(found.contains(&Verdict::Satisfiable), "{}: all are unsatisfiable", case.name);
    }
}

fn all_unsatisfiable(scripts: &[Script]) {
    let found = scripts.iter().zip(verdicts(scripts));
    let wrong: Vec<&str> =
        found.filter(|f| f.1 != Verdict::Unsatisfiable).map(|f| f.0.name.as_str()).collect();
    assert_eq!(wrong, [""; 0], "satisfiable");
}

/// Of the scripts, which are unsatisfiable, most have an assertion without which they have a model: so the solvers
/// say `unsat` of what they were given, and not of everything.
fn some_assertion_is_needed(scripts: &[Script]) {
    let folder = tempfile::tempdir().unwrap();
    let (mut shorter, mut of) = (Vec::new(), Vec::new());
    for (number, script) in scripts.iter().enumerate() {
        let copies = without_each_assertion(script, folder.path());
        of.extend(vec![number; copies.len()]);
        shorter.extend(copies);
    }
    let mut needing: Vec<usize> = of
        .into_iter()
        .zip(verdicts(&shorter))
        .filter(|f| f.1 == Verdict::Satisfiable)
        .map(|f| f.0)
        .collect();
    needing.dedup();
    println!(
        "{} scripts without an assertion: {} of {} obligations need one",
        shorter.len(),
        needing.len(),
        scripts.len()
    );
    assert!(needing.len() * 10 > scripts.len() * 9);
}

/// The safe programs of a corpus, proved.
fn proved(folder: &Path, programs: impl Iterator<Item = PathBuf>) -> Vec<(String, PathBuf)> {
    let prove = |program: PathBuf| {
        let name = program.file_stem().expect("a name").to_string_lossy().into_owned();
        let certificate = folder.join(&name).with_extension("cert");
        let arguments = ["prove", arg(&program), "-o", arg(&certificate), "--time-limit", "120"];
        let (code, out, error) = run(THREADPROOF, &arguments);
        assert_eq!(code, 0, "{name}: {out}{error}");
        (name, certificate)
    };
    programs.map(prove).collect()
}

#[test]
#[ignore = "takes minutes: `make oracles`"]
fn both_solvers_find_what_the_corpus_refutes_unsatisfiable() {
    let folder = tempfile::tempdir().unwrap();
    let safe = corpus().into_iter().filter(|entry| entry.safe);
    let text = std::fs::read_to_string(root().join("corpus/abstract/manifest.json"));
    let list: Vec<Value> =
        serde_json::from_str(&text.expect("the manifest")).expect("a JSON array");
    let layered = list.iter().filter(|item| item["outcome"] == "safe");
    let layered = layered.map(|item| item["file"].as_str().expect("a file").to_owned());
    let layered = layered.map(|file| root().join("corpus/abstract").join(file));
    let all = proved(folder.path(), safe.map(|entry| entry.path()).chain(layered));
    let exported = tempfile::tempdir().unwrap();
    let scripts = all.iter().flat_map(|(name, file)| export(name, file, exported.path()));
    let scripts: Vec<Script> = scripts.collect();
    println!("{} certificates, {} obligations", all.len(), scripts.len());
    all_unsatisfiable(&scripts);
    some_assertion_is_needed(&scripts);
}

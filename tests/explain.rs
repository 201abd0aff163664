//! `threadproof explain`: random error traces of every safe program of the corpus are explained, and
//! each derivation is checked; traces in files, and what is wrong with them.

mod common;
#[path = "common/derivation.rs"]
mod derivation;

use common::{THREADPROOF, arg, corpus, root, run};
use derivation::Judge;
use serde_json::Value;
use std::path::{Path, PathBuf};
use threadproof_checker::core_form;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::proof_space::ProofSpace;

/// Random traces of each program.
const TRACES: &str = "40";

fn prove(file: &str, folder: &Path) -> PathBuf {
    let source = root().join("corpus").join(file);
    let certificate = folder.join(file).with_extension("cert");
    let (code, out, err) = run(THREADPROOF, &["prove", arg(&source), "-o", arg(&certificate)]);
    assert!(code <= 1, "{file}: {out}{err}");
    certificate
}

fn read(certificate: &Path) -> (Program, ProofSpace) {
    let certificate = threadproof_checker::decode(&std::fs::read(certificate).unwrap()).unwrap();
    let (program, _) = core_form::parse(&certificate.statement).unwrap();
    match certificate.proof {
        Proof::ProofSpace(proof) => (program, proof),
        Proof::Counterexample(_) => panic!("no proof"),
    }
}

fn json(arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = run(THREADPROOF, arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{err}");
    let object: Value = serde_json::from_str(&out).unwrap();
    object["traces"].as_array().unwrap().clone()
}

fn lines(trace: &Value) -> String {
    let steps = trace["steps"].as_array().unwrap().iter();
    steps.map(|step| format!("{}\n", step["step"].as_str().unwrap())).collect()
}

#[test]
fn random_traces_of_every_safe_program_are_explained_and_each_derivation_is_right() {
    let folder = tempfile::tempdir().unwrap();
    for entry in corpus().iter().filter(|e| e.safe) {
        let certificate = prove(&entry.file, folder.path());
        let (program, proof) = read(&certificate);
        let judge = Judge::new(&program, &proof);
        let traces = json(&["explain", arg(&certificate), "--random", TRACES, "--json"]);
        assert_eq!(traces.len().to_string(), TRACES);
        for trace in &traces {
            if let Err(why) = judge.check(trace) {
                panic!("{}: {why}\n{}", entry.file, lines(trace));
            }
        }
        let longest = traces.iter().max_by_key(|t| lines(t).len()).unwrap();
        let file = folder.path().join("trace.txt");
        std::fs::write(&file, lines(longest)).unwrap();
        let again = json(&["explain", arg(&certificate), "--trace", arg(&file), "--json"]);
        assert_eq!(again[0]["derivation"], longest["derivation"], "{}", entry.file);
    }
}

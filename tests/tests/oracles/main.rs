//! Solvers and a checker that know nothing of this project judge what certificates refute: z3 and
//! cvc5, as processes of their own, on the SMT-LIB files of `threadproof export --obligations`, and
//! on the steps of the proofs that `--alethe` writes beside them. `./setup.sh z3 cvc5` fetches
//! them; without them these tests fail.
//!
//! The arena's certificates here; all of the corpus with `make oracles`, and Carcara's verdicts
//! with `make carcara`.

mod alethe;
mod ask;
mod random;

use ask::{Script, Verdict, export, verdicts, without_each_assertion};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use threadproof_format::cbor;
use threadproof_format::proof::Certificate;
use threadproof_producer::smtlib::alethe::AXIOMS;
use threadproof_tests::corpus::corpus;
use threadproof_tests::harness::{arg, root, run, threadproof};
use threadproof_tests::kinds;

/// A case of the arena with a proof space.
struct Case {
    name: String,
    certificate: PathBuf,
    accepted: bool,
    /// Nothing is wrong but a refutation, and the claim is false.
    wrongly_refuted: bool,
}

/// An arena case whose layer has lost an edge that its proof names: without a proof it has no
/// obligations.
const NO_PROOF: &str = "abstract_edge_is_missing";

/// The arena's cases that can be decoded and whose proof has obligations.
fn arena() -> Vec<Case> {
    let folder = root().join("corpus/certificates");
    let text = std::fs::read_to_string(folder.join("manifest.json")).expect("the manifest");
    let list: Vec<Value> = serde_json::from_str(&text).expect("a JSON array");
    let case = |item: &Value| {
        let certificate = folder.join(item["certificate"].as_str()?);
        let bytes = std::fs::read(&certificate).expect("a certificate");
        let mut decoded: Certificate = cbor::decode(&bytes).ok()?;
        let obliged = kinds::of_mut(&mut decoded.proof).obliged().is_some();
        obliged.then(|| Case {
            name: item["name"].as_str().expect("a name").to_owned(),
            certificate,
            accepted: item["verdict"] == "accepted",
            wrongly_refuted: item["category"] == "refutation" && item["refuted_by"].is_string(),
        })
    };
    list.iter().filter_map(case).collect()
}

/// The obligations of the arena's accepted certificates.
fn of_the_arena(folder: &Path) -> Vec<Script> {
    let cases: Vec<Case> = arena().into_iter().filter(|case| case.accepted).collect();
    let exported = cases.iter().flat_map(|c| export(&c.name, &c.certificate, folder, true));
    let scripts: Vec<Script> = exported.collect();
    println!("{} certificates, {} obligations", cases.len(), scripts.len());
    assert!(cases.len() >= 30 && scripts.len() >= 150);
    scripts
}

#[test]
fn both_solvers_agree_with_what_accepted_certificates_refute() {
    let folder = tempfile::tempdir().unwrap();
    solvers_agree(&of_the_arena(folder.path()));
}

#[test]
fn both_solvers_agree_with_random_refutations() {
    let folder = tempfile::tempdir().unwrap();
    let random = random::random(folder.path(), 50);
    let (refuted, satisfiable) = (random.refuted.len(), random.satisfiable.len());
    println!("{refuted} refuted, {satisfiable} satisfiable, steps {:?}", random.steps);
    assert!(refuted >= 50 && satisfiable >= 50);
    assert!(random.steps.iter().all(|count| *count >= 5), "{:?}", random.steps);
    assert_eq!(with(&random.refuted, Verdict::Satisfiable), [""; 0]);
    assert_eq!(with(&random.satisfiable, Verdict::Unsatisfiable), [""; 0]);
    right_steps(&random.refuted);
}

#[test]
fn where_a_false_claim_has_a_wrong_refutation_both_solvers_find_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = |case: &Case| case.wrongly_refuted && case.name != NO_PROOF;
    let cases: Vec<Case> = arena().into_iter().filter(wrong).collect();
    assert!(cases.len() >= 30, "{} certificates", cases.len());
    let exported = cases.iter().flat_map(|c| export(&c.name, &c.certificate, folder.path(), false));
    let scripts: Vec<Script> = exported.collect();
    let found = with(&scripts, Verdict::Satisfiable);
    for case in cases {
        let of = |name: &&str| name.starts_with(&format!("{}: ", case.name));
        assert!(found.iter().any(of), "{}: all are unsatisfiable", case.name);
        let proofs = folder.path().join("proofs");
        let arguments =
            ["export", "--obligations", arg(&proofs), "--alethe", arg(&case.certificate)];
        assert_eq!(run(threadproof(), &arguments).0, 3, "{}: a proof of what is wrong", case.name);
        std::fs::remove_dir_all(&proofs).unwrap();
    }
}

/// The names of scripts of which both solvers say this.
fn with(scripts: &[Script], verdict: Verdict) -> Vec<&str> {
    let found = scripts.iter().zip(verdicts(scripts));
    found.filter(|f| f.1 == verdict).map(|f| f.0.name.as_str()).collect()
}

/// Both solvers find the scripts unsatisfiable and the steps of the proofs beside them right.
fn solvers_agree(scripts: &[Script]) {
    assert_eq!(with(scripts, Verdict::Satisfiable), [""; 0]);
    most_need_each_assertion(scripts);
    right_steps(scripts);
}

/// Most of these scripts, which are unsatisfiable, have an assertion without which they have a
/// model: so the solvers say `unsat` of what they were given, and not of everything.
fn most_need_each_assertion(scripts: &[Script]) {
    let folder = tempfile::tempdir().unwrap();
    let (mut shorter, mut of) = (Vec::new(), Vec::new());
    for (number, script) in scripts.iter().enumerate() {
        let copies = without_each_assertion(script, folder.path());
        of.extend(vec![number; copies.len()]);
        shorter.extend(copies);
    }
    let found = of.into_iter().zip(verdicts(&shorter));
    let mut needing: Vec<usize> =
        found.filter(|f| f.1 == Verdict::Satisfiable).map(|f| f.0).collect();
    needing.dedup();
    println!(
        "{} of {} have a model without one of their assertions ({} scripts)",
        needing.len(),
        scripts.len(),
        shorter.len()
    );
    assert!(needing.len() * 10 > scripts.len() * 9);
}

/// The steps of the proofs beside these scripts are right; and a literal that lacks in an axiom is
/// mostly missed.
fn right_steps(scripts: &[Script]) {
    let folder = tempfile::tempdir().unwrap();
    let (right, wrong) = alethe::wrong_steps(scripts, folder.path());
    assert_eq!(with(&right, Verdict::Satisfiable), [""; 0], "a step is wrong");
    let missed = with(&wrong, Verdict::Satisfiable).len();
    println!("{} proofs; of {} without a literal {missed} are wrong", right.len(), wrong.len());
    assert!(wrong.len() * 10 > right.len() * 5 && missed * 10 > wrong.len() * 9);
}

/// The obligations of both corpora's safe programs, proved anew.
fn of_the_corpus(folder: &Path) -> Vec<Script> {
    let text = std::fs::read_to_string(root().join("corpus/abstract/manifest.json"));
    let list: Vec<Value> =
        serde_json::from_str(&text.expect("the manifest")).expect("a JSON array");
    let layered = list.iter().filter(|item| item["outcome"] == "safe");
    let layered = layered.map(|item| item["file"].as_str().expect("a file"));
    let layered = layered.map(|file| root().join("corpus/abstract").join(file));
    let plain = corpus().into_iter().filter(|entry| entry.safe).map(|entry| entry.path());
    let mut scripts = Vec::new();
    let programs: Vec<PathBuf> = plain.chain(layered).collect();
    for (number, program) in programs.iter().enumerate() {
        let name = program.file_stem().expect("a name").to_string_lossy();
        let name = format!("{number} {name}");
        let certificate = folder.join(&name).with_extension("cert");
        let arguments = ["prove", arg(program), "-o", arg(&certificate), "--time-limit", "300"];
        let (code, out, error) = run(threadproof(), &arguments);
        assert_eq!(code, 0, "{name}: {out}{error}");
        scripts.extend(export(&name, &certificate, folder, true));
    }
    println!("{} certificates, {} obligations", programs.len(), scripts.len());
    scripts
}

#[test]
#[ignore = "takes minutes: `make oracles`"]
fn both_solvers_agree_with_what_the_corpus_refutes() {
    let folder = tempfile::tempdir().unwrap();
    solvers_agree(&of_the_corpus(folder.path()));
}

/// Carcara finds the proofs beside these scripts valid, and those that lack a premise not.
fn carcara_agrees(scripts: &[Script], folder: &Path) {
    let carcara = std::env::var("CARCARA").expect("CARCARA is the path of its program");
    let rules = folder.join("arrays.rare");
    std::fs::write(&rules, AXIOMS).unwrap();
    let mut wrong: BTreeMap<String, usize> = BTreeMap::new();
    for script in scripts {
        let Some(proof) = script.proof() else { continue };
        // Its exit code is also 0 of proofs with holes: what counts is the word.
        let verdict = |proof: &Path| {
            let arguments = ["check", arg(proof), arg(&script.path), "--rare-file", arg(&rules)];
            run(&carcara, &arguments).1.trim().to_owned()
        };
        assert_eq!(verdict(&proof), "valid", "{}", script.name);
        let shorter = script.path.with_extension("wrong");
        std::fs::write(&shorter, alethe::without_a_premise(&proof)).unwrap();
        *wrong.entry(verdict(&shorter)).or_default() += 1;
    }
    println!("{} proofs are valid; without a premise of the last step: {wrong:?}", scripts.len());
    assert_eq!(wrong.keys().collect::<Vec<_>>(), ["invalid"]);
}

#[test]
#[ignore = "needs a Carcara that you have built: `make carcara CARCARA=PATH`"]
fn carcara_finds_proofs_of_the_arena_and_random_ones_valid() {
    let folder = tempfile::tempdir().unwrap();
    let scripts = of_the_arena(folder.path());
    let random = random::random(folder.path(), 400).refuted;
    carcara_agrees(&[scripts, random].concat(), folder.path());
}

#[test]
#[ignore = "needs a Carcara that you have built: `make carcara CARCARA=PATH`"]
fn carcara_finds_proofs_of_the_corpus_valid() {
    let folder = tempfile::tempdir().unwrap();
    carcara_agrees(&of_the_corpus(folder.path()), folder.path());
}

//! What both checkers say of many mutants, and whether what they accept is a proof.

use crate::explicit::{Bounds, Explored, explore};
use crate::kinds;
use crate::layer_oracle::objection_to_layer;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use threadproof_checker::check;
use threadproof_checker::internals::core_form;
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::Part;
use threadproof_format::proof::{Certificate, Conclusion};

/// A program and a changed certificate, or a certificate and a changed program.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// What was changed, for a person.
    pub what: String,
    pub core: String,
    pub bytes: Vec<u8>,
}

/// How many mutants the second checker gets at once.
const BATCH: usize = 5000;

/// The category that both checkers give for each mutant, or `accepted`.
///
/// # Panics
/// If they differ.
pub fn both_checkers(mutants: &[&Mutant]) -> Vec<String> {
    let second: Vec<String> = mutants.chunks(BATCH).flat_map(second_checker).collect();
    let mut wrong = Vec::new();
    let mut agreed = Vec::new();
    for (mutant, other) in mutants.iter().zip(second) {
        let verdict = check(&mutant.core, &mutant.bytes);
        let own = verdict.map_or_else(|failure| failure.reason.category(), |_| "accepted");
        if bytes_or_schema(own) != bytes_or_schema(&other) {
            wrong.push(format!("{}: {own}, and the second checker: {other}", mutant.what));
        }
        agreed.push(bytes_or_schema(own).to_owned());
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    agreed
}

/// Section 10: either of the two may be given.
fn bytes_or_schema(category: &str) -> &str {
    if ["encoding", "schema"].contains(&category) { "encoding or schema" } else { category }
}

fn second_checker(mutants: &[&Mutant]) -> Vec<String> {
    let mut command = Command::new("python3");
    command.arg(crate::harness::root().join("tests/reference_checker/batch.py"));
    let lines = mutants.iter().map(|m| crate::harness::pair_line(m.core.as_bytes(), &m.bytes));
    let said = crate::harness::answers(command, lines.collect()).into_iter();
    said.map(|line| {
        let verdict: Value = serde_json::from_str(&line).expect("a verdict as JSON");
        let word = verdict.get("category").unwrap_or(&verdict["verdict"]);
        word.as_str().expect("a word").to_owned()
    })
    .collect()
}

/// Judges what was accepted. Refutations and hints do not matter for that, so that most proofs have
/// been judged before.
#[derive(Default)]
pub struct Judge {
    judged: BTreeSet<(String, Vec<u8>)>,
    /// Whether brute force finds an error in a program.
    wrong: BTreeMap<String, bool>,
}

impl Judge {
    /// Judges an accepted certificate.
    ///
    /// # Panics
    /// If it is no proof.
    pub fn accepted(&mut self, what: &str, core: &str, bytes: &[u8]) {
        let certificate: Certificate = cbor::decode(bytes).expect("an accepted certificate");
        let content = cbor::encode(&without_reasons(certificate.clone())).expect("bytes");
        if self.judged.insert((core.to_owned(), content)) {
            let objection = self.objection(core, &certificate);
            assert_eq!(objection, None, "{what}: accepted, and no proof of:\n{core}");
        }
    }

    /// Why a certificate is no proof about a program: by z3, and by brute force about the claim.
    fn objection(&mut self, core: &str, certificate: &Certificate) -> Option<String> {
        let (program, _) = core_form::parse(core).expect("the program");
        if let Some(why) = objection_to_layers(&program, certificate) {
            return Some(why);
        }
        let last = certificate.layers.last();
        let last = last.map(|layer| core_form::parse(&layer.statement).expect("a program").0);
        let last = last.as_ref().unwrap_or(&program);
        let safe = match certificate.proof.conclusion() {
            Conclusion::Safe => true,
            // Brute force counts no rounds.
            Conclusion::SafeWithin { .. } | Conclusion::ErrorReachable => false,
        };
        let mut wrong = || *self.wrong.entry(core.to_owned()).or_insert_with(|| is_wrong(&program));
        if safe && wrong() {
            return Some("it goes wrong".to_owned());
        }
        kinds::of(&certificate.proof).objection(&program, last)
    }
}

/// Why the layers of a certificate do not show that the program is safe if the last one is.
pub fn objection_to_layers(program: &Program, certificate: &Certificate) -> Option<String> {
    let mut last = program.clone();
    for (number, layer) in certificate.layers.iter().enumerate() {
        if let Some(why) = objection_to_layer(&last, layer) {
            return Some(format!("layer {number}: {why}"));
        }
        last = core_form::parse(&layer.statement).expect("a program").0;
    }
    None
}

/// The certificate without what the oracle does not look at.
fn without_reasons(mut certificate: Certificate) -> Certificate {
    for part in certificate.layers.iter_mut().flat_map(|layer| &mut layer.parts) {
        if let Part::Abstracted(conformance) = part {
            conformance.refutations.clear();
        }
    }
    kinds::of_mut(&mut certificate.proof).forget_reasons();
    certificate
}

/// Whether a program has an error with 1 or 2 threads of each template and small values.
pub fn is_wrong(program: &Program) -> bool {
    (1..=2).any(|threads| {
        let bounds = Bounds { threads, values: vec![0, 1], states: 300 };
        matches!(explore(program, &bounds), Explored::Error(..))
    })
}

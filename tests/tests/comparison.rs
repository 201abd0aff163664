//! The two checkers on the same pairs of a program and a certificate: this process has the one in
//! Rust, and a script in `tests/comparison` has the other one, makes the pairs and compares.
//!
//! `THREADPROOF_COMPARE` is a number of mutants; with it all pairs are made (`make compare`).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use threadproof_checker::check_within;
use threadproof_checker::claim::Claim;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::abstraction::conformance;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_checker::verdict::verdict;
use threadproof_format::cbor;
use threadproof_format::program::Program;
use threadproof_format::proof::Certificate;
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::proof_space::ProofSpace;
use threadproof_format::refutation::Refutation;
use threadproof_producer::certify::hints::complete;
use threadproof_producer::certify::obligations::{self, obligations};
use threadproof_producer::certify::refute::refute;
use threadproof_producer::control::Control;
use threadproof_tests::kinds;

/// Work for one pair: enough for the small ones here. What takes more is not compared (SPEC.md
/// section 11).
const WORK: u64 = 50_000_000;

/// Runs the script with some arguments: its exit code, and what it has to say.
fn script(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new("python3")
        .arg(threadproof_tests::harness::root().join("tests/comparison/main.py"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let mut answers = child.stdin.take().expect("its input");
    let mut requests = BufReader::new(child.stdout.take().expect("its output"));
    let mut said = String::new();
    let mut line = String::new();
    while requests.read_line(&mut line).expect("a line") > 0 {
        if let Some((word @ ("judge" | "fill"), lengths)) = line.split_once(' ') {
            let mut lengths = lengths.split_whitespace().map(|n| n.parse().expect("a length"));
            let mut next = || {
                let mut bytes = vec![0; lengths.next().expect("two lengths")];
                requests.read_exact(&mut bytes).expect("the bytes");
                bytes
            };
            let (program, certificate) = (next(), next());
            let answer = match word {
                "judge" => answer(&program, &certificate).into_bytes(),
                _ => filled(&program, &certificate),
            };
            answers.write_all(&answer).and_then(|()| answers.flush()).expect("a reader");
        } else {
            print!("{line}");
            said.push_str(&line);
        }
        line.clear();
    }
    (child.wait().expect("its end").code(), said)
}

/// A line: where the check ended, a tab, and the verdict as JSON.
fn answer(program: &[u8], certificate: &[u8]) -> String {
    let checked = catch_unwind(AssertUnwindSafe(|| judged(program, certificate)));
    checked.unwrap_or_else(|_| "panic\t{\"verdict\":\"crash\",\"category\":\"panic\"}\n".to_owned())
}

fn judged(program: &[u8], certificate: &[u8]) -> String {
    let budget = Budget::new(WORK);
    let result = check_within(program, certificate, &budget);
    let depth = (WORK - budget.left()).checked_ilog2().unwrap_or_default();
    let json = verdict(&result, true).0;
    format!("{}\t{depth}\t{}\n", rule(&result), json.trim_end())
}

/// A line with a length, and a certificate of this length that has the refutations and hints that
/// the producer finds; of length 0 if it has no obligations.
fn filled(program: &[u8], certificate: &[u8]) -> Vec<u8> {
    let made = catch_unwind(|| {
        let (program, _) = core_form::parse(std::str::from_utf8(program).ok()?).ok()?;
        let mut certificate: Certificate = cbor::decode(certificate).ok()?;
        let mut last = program;
        for layer in &mut certificate.layers {
            let (abstraction, _) = core_form::parse(&layer.statement).ok()?;
            fill_layer(&last, &abstraction, layer)?;
            last = abstraction;
        }
        if let Some(proof) = kinds::of_mut(&mut certificate.proof).obliged() {
            match complete(&last, proof.clone(), &Control::default()) {
                Ok(completed) => *proof = ProofSpace { witness: proof.witness.take(), ..completed },
                Err(_) => fill_proof(&last, proof)?,
            }
        }
        cbor::encode(&certificate).ok()
    });
    let made = made.unwrap_or_default().unwrap_or_default();
    [format!("{}\n", made.len()).as_bytes(), &made].concat()
}

fn found(obligation: &Obligation) -> Refutation {
    refute(obligation, &AtomicBool::new(false)).unwrap_or_default()
}

fn fill_layer(concrete: &Program, abstraction: &Program, layer: &mut Layer) -> Option<()> {
    let budget = Budget::new(WORK);
    for ((of, to), part) in (0..).zip(&layer.to).zip(&mut layer.parts) {
        if let Part::Abstracted(proof) = part {
            let both = ((concrete, of), (abstraction, *to));
            let pair = conformance::Pair::new(both.0, both.1, &budget).ok()?;
            let list = obligations::conformance(&pair, proof, &budget).ok()?;
            proof.refutations = list.iter().map(found).collect();
        }
    }
    Some(())
}

fn fill_proof(program: &Program, proof: &mut ProofSpace) -> Option<()> {
    let budget = Budget::new(WORK);
    let predicates = Predicates::new(program, &proof.predicates, &budget).ok()?;
    let list = obligations(program, &predicates, proof, &budget).ok()?;
    for obligation in &list {
        let place = obligations::refutation(proof, obligation.id).expect("its place");
        *place = found(obligation);
    }
    Some(())
}

/// The rule at which a check ends: its reason, and the place without numbers.
fn rule(result: &Result<Claim, Failure>) -> String {
    match result {
        Ok(claim) => format!("accepted with {} notes", claim.notes.len()),
        Err(Failure { place, reason: Reason::Syntax(_, _, what) }) => {
            format!("{}: syntax: {}", shape(place), shape(what))
        }
        Err(Failure { place, reason }) => {
            format!("{}: {}", shape(place), shape(&format!("{reason:?}")))
        }
    }
}

/// A text without digits, quoted words and control characters.
fn shape(text: &str) -> String {
    let quoted = text.split('`').enumerate().map(|(k, part)| if k % 2 == 0 { part } else { "`" });
    quoted.collect::<String>().replace(|c: char| c.is_ascii_digit() || c.is_control(), "")
}

/// The figure before a word of a report.
fn figure(said: &str, word: &str) -> usize {
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = words.iter().position(|w| *w == word).unwrap_or_else(|| panic!("no {word}:\n{said}"));
    words[at - 1].parse().expect("a number")
}

/// Has the script compare: a few pairs, or with the environment's number all of a kind. What it
/// says has no difference.
fn compared(few: &[&str], all: &[&str]) -> String {
    let is_full = std::env::var("THREADPROOF_COMPARE").is_ok();
    let (code, said) = script(if is_full { all } else { few });
    assert_eq!((code, figure(&said, "differences")), (Some(0), 0), "{said}");
    said
}

#[test]
fn mutants_that_end_at_new_rules() {
    let number = std::env::var("THREADPROOF_COMPARE").unwrap_or_default();
    let said = compared(&["guided", "--mutants", "2000"], &["guided", "--mutants", &number]);
    assert!(figure(&said, "pairs") > 200 && figure(&said, "compared,") > 2000, "{said}");
}

#[test]
fn two_faults_in_one_certificate() {
    const FEW: &str = "lock,shared_input";
    let said = compared(&["faults", "--each", "1", "--bases", FEW], &["faults"]);
    assert!(figure(&said, "rules;") > 150, "{said}");
}

#[test]
fn unusual_tokens_and_integers() {
    let said = compared(&["unusual", "--every", "40"], &["unusual", "--full"]);
    assert!(figure(&said, "compared,") > 1500, "{said}");
}

/// The comparison can fail: it notices a checker without a rule, or with two rules in another
/// order.
#[test]
fn altered_checkers_are_noticed() {
    const RULES: &str = "edge's source,a value has another sort";
    let few = ["altered", "--certificates", "--bases", "arrays_and_inputs", "--rules", RULES];
    let said = match std::env::var("THREADPROOF_COMPARE") {
        Ok(_) => script(&["altered"]).1,
        Err(_) => script(&few).1,
    };
    assert_eq!(figure(&said, "unnoticed"), 0, "{said}");
}

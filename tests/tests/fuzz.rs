//! What the fuzzers do, without them: each input of the corpus is judged as a target judges it, and
//! so are edits of it. Inputs that made trouble once are in `corpus/fuzz` (`make fuzz` puts them
//! there); each target gets all of them.

use fastrand::Rng;
use std::cell::Cell;
use std::path::Path;
use std::time::Duration;
use threadproof_checker::check;
use threadproof_checker::claim::Claim;
use threadproof_checker::internals::core_form as core;
use threadproof_format::proof::{Certificate, Conclusion};
use threadproof_format::{Digest, cbor};
use threadproof_tests::cost;
use threadproof_tests::fuzzing::check::{Checker, Judge};
use threadproof_tests::fuzzing::{c, core_form, decode, edit, lengthen, tp};
use threadproof_tests::harness::root;

/// The targets, each with its inputs' extension in the corpus and how often each of them is edited.
const TARGETS: [(&str, &str, usize); 6] = [
    ("decode", "cert", 4),
    ("core_form", "core", 20),
    ("tp", "tp", 4),
    ("c", "c", 4),
    ("check", "cert", 4),
    ("cost", "cert", 2),
];

/// The files in a folder and below, sorted, that end in one of these.
fn files(folder: &Path, extension: Option<&str>) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|e| e.expect("a file").path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if extension.is_none_or(|wanted| path.extension().is_some_and(|e| e == wanted)) {
            found.push(std::fs::read(&path).expect("a file"));
        }
    }
    found
}

fn judge() -> Judge {
    Judge::new(&root().join("corpus/certificates/good"))
}

/// An input as a target judges it: whether it is taken for what it should be.
type Run<'a> = &'a mut dyn FnMut(&[u8]) -> bool;
/// An edit of an input.
type Edit = fn(&[u8], &mut Rng) -> Option<Vec<u8>>;

/// Judges what made trouble once, the corpus, and edits of it.
fn replay(target: &str, run: Run, edit: Edit) {
    let (_, extension, edits) = TARGETS.into_iter().find(|t| t.0 == target).expect("a target");
    let corpus = root().join("corpus");
    let found = files(&corpus.join("fuzz"), None);
    let seeds = files(&corpus, Some(extension));
    assert!(
        !found.is_empty() && seeds.len() >= 60,
        "{target}: {} and {}",
        found.len(),
        seeds.len()
    );
    let mut random = Rng::with_seed(1);
    let (mut taken, mut refused, mut edited) = (0, 0, 0);
    let mut judged = |bytes: &[u8]| match run(bytes) {
        true => taken += 1,
        false => refused += 1,
    };
    found.iter().for_each(|bytes| judged(bytes));
    for seed in &seeds {
        judged(seed);
        for bytes in (0..edits).filter_map(|_| edit(seed, &mut random)) {
            judged(&bytes);
            edited += 1;
        }
    }
    println!("{target}: {taken} taken, {refused} refused, {edited} of them edited");
    assert!(edited > seeds.len() && taken > 100 && refused > 100);
}

#[test]
fn bytes_are_decoded_or_refused() {
    replay("decode", &mut decode::run, edit::certificate);
}

#[test]
fn texts_are_programs_in_the_core_form_or_refused() {
    replay("core_form", &mut core_form::run, edit::core);
}

#[test]
fn texts_are_programs_of_the_language_or_refused() {
    replay("tp", &mut tp::run, edit::tp);
}

#[test]
fn texts_are_c_programs_or_refused() {
    replay("c", &mut c::run, edit::c);
}

#[test]
fn certificates_are_accepted_only_of_what_is_true() {
    let mut judge = judge();
    replay(
        "check",
        &mut |bytes| judge.run(&check, bytes).unwrap_or_else(|e| panic!("{e}")),
        edit::certificate,
    );
}

/// How many of the arena's bad cases the judge objects to, if a checker accepts them with a claim.
fn objections(claim: impl Fn(&Certificate) -> Conclusion) -> usize {
    let good = files(&root().join("corpus/certificates/good"), Some("cert"));
    let certificate: Certificate = cbor::decode(&good[0]).expect("a certificate");
    let model: Claim = check(&certificate.statement, &good[0]).expect("a claim");
    let accept: &Checker<'_> = &|_, bytes| {
        let certificate: Certificate = cbor::decode(bytes).expect("a certificate");
        let mut accepted = model.clone();
        accepted.conclusion = claim(&certificate);
        (accepted.program, accepted.certificate) = (certificate.program, Digest::of([bytes]));
        Ok(accepted)
    };
    let bad = files(&root().join("corpus/certificates/bad"), Some("cert"));
    let of_a_program = |bytes: &&Vec<u8>| {
        let certificate = cbor::decode::<Certificate>(bytes);
        certificate.is_ok_and(|c| core::parse(&c.statement).is_ok())
    };
    let mut judge = judge();
    bad.iter().filter(of_a_program).filter(|bytes| judge.run(accept, bytes).is_err()).count()
}

#[test]
fn a_checker_that_accepts_what_is_false_is_noticed() {
    let found = objections(|c| c.proof.conclusion());
    assert!(found >= 60, "{found} objections to a checker that accepts all");
    let found = objections(|c| match c.proof.conclusion() {
        Conclusion::Safe if !c.layers.is_empty() => Conclusion::ErrorReachable,
        Conclusion::Safe | Conclusion::SafeWithin { .. } | Conclusion::ErrorReachable => {
            Conclusion::Safe
        }
    });
    assert!(found >= 60, "{found}");
}

/// Without looking at the time: whether more work was charged than for reading the program.
#[test]
fn longer_certificates_are_judged_as_others_are() {
    let mut longer = 0;
    let run = &mut |bytes: &[u8]| {
        let program = cost::stated(bytes);
        let check = || cost::charged(&program, bytes);
        let cost = cost::measure(check, || Duration::ZERO, program.len() + bytes.len());
        cost::climb(&cost);
        longer += usize::from(bytes.len() > 50_000);
        cost.work > cost::charged(&program, &[])
    };
    replay("cost", run, lengthen::certificate);
    assert!(longer >= 20, "{longer} long ones");
}

/// What a check costs that takes so long each time, by a clock of its own.
fn cost_of(times: &[Duration], work: u64, bytes: usize) -> cost::Cost {
    let (now, mut next) = (Cell::new(Duration::ZERO), times.iter().cycle());
    let check = || {
        now.set(now.get() + *next.next().expect("a time"));
        work
    };
    cost::measure(check, || now.get(), bytes)
}

#[test]
fn a_check_that_charges_too_little_is_noticed() {
    let second = Duration::from_secs(1);
    let objects =
        |times: &[Duration], work, bytes| cost::objection(&cost_of(times, work, bytes)).is_some();
    assert!(objects(&[second], 0, 1000));
    // The charge or the bytes account for it.
    assert!(!objects(&[second], 11_000_000, 1000) && objects(&[second], 9_000_000, 1000));
    assert!(!objects(&[second], 0, 3_000_000) && objects(&[second], 0, 2_000_000));
    // So short a time shows nothing, nor does one that is long by chance.
    assert!(!objects(&[Duration::from_millis(19)], 0, 1000));
    assert!(!objects(&[second, second, Duration::from_millis(1), second], 0, 1000));
}

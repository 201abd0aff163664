//! Random one-field edits of every certificate of the corpus: each is rejected, or the oracle shows
//! that it is still a valid proof. (`matrix.rs` goes through all fields.)
//!
//! `THREADPROOF_MUTANTS` sets how many edits of each certificate there are.

use super::proved;
use ciborium::Value;
use threadproof_checker::check;
use threadproof_tests::judge::Judge;
use threadproof_tests::tree::{edit, item, item_mut, paths};

/// Edits of each certificate, if nothing else is said.
const EDITS: usize = 40;

/// What happened to the edits of one certificate.
#[derive(Default, Debug)]
struct Count {
    rejected: usize,
    still_valid: usize,
    /// Rejected by a rule rather than by the encoding, the schema or the digest.
    by_rule: usize,
}

fn judge(core: &str, bytes: &[u8], judge: &mut Judge, count: &mut Count) {
    let failure = match check(core, bytes) {
        Ok(_) => {
            judge.accepted("a random edit", core, bytes);
            count.still_valid += 1;
            return;
        }
        Err(failure) => failure,
    };
    count.rejected += 1;
    let outer = ["encoding", "schema", "digest", "version", "limit"];
    count.by_rule += usize::from(!outer.contains(&failure.reason.category()));
}

impl Count {
    fn add(&mut self, other: &Count) {
        self.rejected += other.rejected;
        self.still_valid += other.still_valid;
        self.by_rule += other.by_rule;
    }

    fn assert_deep(&self) {
        println!("all: {self:?}");
        assert!(self.by_rule * 2 > self.rejected, "too few edits get past the decoder: {self:?}");
    }
}

/// Edits the certificate at random and judges what comes out.
fn edits(name: &str, core: &str, bytes: &[u8], edits: usize, seed: u64) -> Count {
    let (mut count, mut oracle) = (Count::default(), Judge::default());
    judge(core, bytes, &mut oracle, &mut count);
    assert_eq!(count.still_valid, 1, "the oracle agrees with the certificate itself");
    let value: Value = ciborium::from_reader(bytes).unwrap();
    let (paths, mut random) = (paths(&value), fastrand::Rng::with_seed(seed));
    let mut left = edits;
    while left > 0 {
        let mut mutant = value.clone();
        let path = &paths[random.usize(..paths.len())];
        // Most edits of words and maps fail in the decoder: fewer of those.
        let shallow = matches!(item(&value, path), Value::Text(_) | Value::Map(_));
        if shallow && random.u8(..8) != 0 {
            continue;
        }
        if !edit(item_mut(&mut mutant, path), &mut random) {
            continue;
        }
        left -= 1;
        let mut encoded = Vec::new();
        ciborium::into_writer(&mutant, &mut encoded).unwrap();
        judge(core, &encoded, &mut oracle, &mut count);
    }
    assert_eq!(count.rejected + count.still_valid, edits + 1);
    println!("{name}: {count:?} (seed {seed})");
    count
}

#[test]
fn every_edit_is_rejected_or_still_a_proof() {
    let number = std::env::var("THREADPROOF_MUTANTS").map(|n| n.parse().expect("a number"));
    let number = number.unwrap_or(EDITS);
    let mut total = Count::default();
    for (seed, program) in (1..).zip(proved()) {
        total.add(&edits(&program.entry.file, &program.core, &program.certificate, number, seed));
    }
    total.assert_deep();
}

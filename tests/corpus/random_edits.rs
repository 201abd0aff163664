//! Random one-field edits of every certificate of the corpus: each is rejected, or the oracle shows that it is still a
//! valid proof. (`matrix.rs` goes through all fields.)
//!
//! `THREADPROOF_MUTANTS` sets how many edits of each certificate there are.

use super::judge::Judge;
use super::proved;
use super::schema::{item, item_mut};
use ciborium::Value;
use threadproof_checker::check;

/// Edits of each certificate, if nothing else is said.
const EDITS: usize = 40;

/// The nodes of a value, each by the path of child numbers that leads to it.
fn paths(value: &Value) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        let children = match item(value, &path) {
            Value::Array(items) => items.len(),
            Value::Map(entries) => 2 * entries.len(),
            _ => 0,
        };
        found.extend((0..children).map(|child| [path.as_slice(), &[child]].concat()));
    }
    found
}

const WORDS: [&str; 21] = [
    "+", "-", "[]", "[:=]", "!", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "g", "l", "i", "e",
    "s", "f", "u", "n",
];

/// Changes one node into another; false if it came out the same.
fn edit(target: &mut Value, random: &mut fastrand::Rng) -> bool {
    let before = target.clone();
    match target {
        Value::Integer(i) => {
            let old = i128::from(*i);
            let near = random.i128(-2..8);
            let other = [old + 1, old + 1, (old - 1).max(0), old - 1, -old, near, near.max(0)];
            let new = other[random.usize(..other.len())];
            *target = Value::Integer(new.try_into().unwrap_or(0.into()));
        }
        Value::Text(_) => *target = Value::Text(WORDS[random.usize(..WORDS.len())].to_owned()),
        Value::Bytes(bytes) => {
            let at = random.usize(..bytes.len());
            bytes[at] ^= 1 << random.u8(..8);
        }
        Value::Bool(b) => *b = !*b,
        Value::Null => *target = Value::Integer(random.u8(..3).into()),
        Value::Array(items) if items.is_empty() => items.push(Value::Integer(0.into())),
        Value::Array(items) => {
            let at = random.usize(..items.len());
            match random.u8(..4) {
                0 => drop(items.remove(at)),
                1 => items.insert(at, items[at].clone()),
                2 if at > 0 => items.swap(at, at - 1),
                _ => {
                    let other = items[random.usize(..items.len())].clone();
                    items[at] = other;
                }
            }
        }
        Value::Map(entries) => {
            let at = random.usize(..entries.len());
            drop(entries.remove(at));
        }
        _ => panic!("no certificate has {target:?}"),
    }
    *target != before
}

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

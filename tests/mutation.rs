//! One-field edits of every certificate of the corpus and of proofs that count threads: each is
//! rejected, or the oracle shows that it is still a valid proof.

mod common;
#[path = "common/counting.rs"]
mod counting;
#[path = "common/oracle.rs"]
mod oracle;
#[path = "common/smt.rs"]
mod smt;

use ciborium::Value;
use common::{THREADPROOF, arg, corpus, run};
use threadproof_checker::{check, core_form};
use threadproof_format::proof::{Certificate, Proof};

/// Edits of each certificate of the corpus.
const EDITS: usize = 60;

/// Edits of each certificate that counts.
const COUNTING_EDITS: usize = 1000;

/// The nodes of a value, each by the path of child numbers that leads to it.
fn paths(value: &Value) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        let children = match node(value, &path) {
            Value::Array(items) => items.len(),
            Value::Map(entries) => 2 * entries.len(),
            _ => 0,
        };
        found.extend((0..children).map(|child| [path.as_slice(), &[child]].concat()));
    }
    found
}

fn node<'a>(value: &'a Value, path: &[usize]) -> &'a Value {
    path.iter().fold(value, |at, child| match at {
        Value::Array(items) => &items[*child],
        Value::Map(entries) if child % 2 == 0 => &entries[child / 2].0,
        Value::Map(entries) => &entries[child / 2].1,
        _ => panic!("a path ends early"),
    })
}

fn node_mut<'a>(mut value: &'a mut Value, path: &[usize]) -> &'a mut Value {
    for child in path {
        value = match value {
            Value::Array(items) => &mut items[*child],
            Value::Map(entries) => {
                let (key, item) = &mut entries[child / 2];
                if child % 2 == 0 { key } else { item }
            }
            _ => panic!("a path ends early"),
        };
    }
    value
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

fn judge(core: &str, bytes: &[u8], count: &mut Count) {
    let failure = match check(core, bytes) {
        Ok(_) => {
            let (program, _) = core_form::parse(core).expect("the program");
            let certificate: Certificate =
                threadproof_format::cbor::decode(bytes).expect("an accepted certificate");
            let objection = match &certificate.proof {
                Proof::ProofSpace(proof) => oracle::Oracle::new(&program, proof).objection(),
                Proof::Counterexample(run) => oracle::objection_to_run(&program, run),
            };
            assert_eq!(objection, None, "an edit was accepted that is no proof of:\n{core}");
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
    let mut count = Count::default();
    judge(core, bytes, &mut count);
    assert_eq!(count.still_valid, 1, "the oracle agrees with the certificate itself");
    let value: Value = ciborium::from_reader(bytes).unwrap();
    let (paths, mut random) = (paths(&value), fastrand::Rng::with_seed(seed));
    let mut left = edits;
    while left > 0 {
        let mut mutant = value.clone();
        let path = &paths[random.usize(..paths.len())];
        // Most edits of words and maps fail in the decoder: fewer of those.
        let shallow = matches!(node(&value, path), Value::Text(_) | Value::Map(_));
        if shallow && random.u8(..8) != 0 {
            continue;
        }
        if !edit(node_mut(&mut mutant, path), &mut random) {
            continue;
        }
        left -= 1;
        let mut encoded = Vec::new();
        ciborium::into_writer(&mutant, &mut encoded).unwrap();
        judge(core, &encoded, &mut count);
    }
    assert_eq!(count.rejected + count.still_valid, edits + 1);
    println!("{name}: {count:?} (seed {seed})");
    count
}

#[test]
fn every_edit_of_a_counting_proof_is_rejected_or_still_a_proof() {
    let mut total = Count::default();
    for (seed, (name, core, bytes)) in (1..).zip(counting::certificates()) {
        total.add(&edits(name, core, &bytes, COUNTING_EDITS, seed));
    }
    total.assert_deep();
}

#[test]
fn every_edit_is_rejected_or_still_a_proof() {
    let folder = tempfile::tempdir().unwrap();
    let mut total = Count::default();
    for (seed, entry) in (1..).zip(corpus()) {
        let source = entry.path();
        let file = folder.path().join(&entry.file).with_extension("cert");
        let proved = run(THREADPROOF, &["prove", arg(&source), "-o", arg(&file)]);
        assert_eq!(proved.0, i32::from(!entry.safe), "{}: {}", entry.file, proved.1);
        let core = run(THREADPROOF, &["lower", arg(&source)]).1;
        let bytes = std::fs::read(&file).unwrap();
        total.add(&edits(&entry.file, &core, &bytes, EDITS, seed));
    }
    total.assert_deep();
}

//! Every field of the schema against every kind of proof: each edit of it is rejected by both checkers for the
//! same reason, or an oracle shows that what comes out is still a proof.
//!
//! The fields are those of SPEC.md section 2.4. A field that no certificate here has, a field that SPEC.md does not
//! know, and a field whose edits no rule rejects are failures.
//!
//! `THREADPROOF_MUTANTS` sets in how many places of each context a field is edited.

mod common;
#[path = "common/counting.rs"]
mod counting;
#[path = "common/edits.rs"]
mod edits;
#[path = "common/explicit.rs"]
mod explicit;
#[path = "common/judge.rs"]
mod judge;
#[path = "common/layer_oracle.rs"]
mod layer_oracle;
#[path = "common/layers.rs"]
mod layers;
#[path = "common/oracle.rs"]
mod oracle;
#[path = "common/samples.rs"]
mod samples;
#[path = "common/schema.rs"]
mod schema;
#[path = "common/smt.rs"]
mod smt;

use ciborium::Value;
use edits::edits;
use judge::{Judge, Mutant, both_checkers};
use samples::{Sample, samples};
use schema::{Occurrence, Schema, item};
use std::collections::{BTreeMap, BTreeSet};

/// What a certificate with layers is counted as; the others by the name of their proof.
const LAYERS: &str = "layer";

/// Fields that a kind of proof has no valid certificate with, or whose edits no rule rejects, and why.
const EXCEPTIONS: [(&str, &str, &str); 0] = [];

/// A field and a kind of proof.
type Cell = (String, String);

/// A sample and where its fields are.
struct Placed<'a> {
    sample: &'a Sample,
    kind: String,
    certificate: Value,
    occurrences: Vec<Occurrence<'a>>,
}

/// Whether a field is looked at in certificates of a kind, and whether those inside it are: of certificates with layers
/// the layers, of the others the proof.
fn within(kind: &str, field: &str) -> (bool, bool) {
    match field.strip_prefix("proof.") {
        _ if field == "certificate.layers[]" => (kind == LAYERS, kind == LAYERS),
        Some(proof) => (proof == kind || kind == LAYERS && proof == "proof-space", proof == kind),
        None => (true, true),
    }
}

fn kind(certificate: &Value) -> String {
    let mut certificate = certificate.clone();
    if !layers::items(layers::field(&mut certificate, "layers")).is_empty() {
        return LAYERS.to_owned();
    }
    let proof = layers::field(&mut certificate, "proof").as_map().expect("a map");
    proof[0].0.as_text().expect("a name").to_owned()
}

fn place<'a>(schema: &'a Schema, sample: &'a Sample) -> Placed<'a> {
    let certificate: Value = ciborium::from_reader(sample.bytes.as_slice()).expect("CBOR");
    let kind = kind(&certificate);
    let occurrences = schema.occurrences(&certificate, &|field| within(&kind, field));
    Placed { sample, kind, certificate, occurrences }
}

/// The edits of a field in some places of each context, spread over all samples of a kind.
fn mutants<'a>(schema: &Schema, all: &'a [Placed], cell: &Cell, each: usize) -> Vec<Mutant<'a>> {
    let mut contexts: BTreeMap<&str, Vec<(&Placed, &Occurrence)>> = BTreeMap::new();
    for placed in all.iter().filter(|p| p.kind == cell.1) {
        for at in placed.occurrences.iter().filter(|o| o.field == cell.0) {
            contexts.entry(&at.context).or_default().push((placed, at));
        }
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for places in contexts.values() {
        let step = places.len().div_ceil(each);
        for (placed, at) in places.iter().step_by(step) {
            let old = item(&placed.certificate, &at.path);
            let same = placed.occurrences.iter().filter(|o| o.context == at.context);
            let others = same.map(|o| item(&placed.certificate, &o.path)).filter(|v| *v != old);
            let others: Vec<&Value> = others.take(1).collect();
            for edit in edits(schema, &placed.certificate, at, &others) {
                let Some(bytes) = edit.apply(&placed.certificate) else { continue };
                if seen.insert((placed.sample.name.as_str(), bytes.clone())) {
                    let what = format!("{}, {}: {}", placed.sample.name, at.context, edit.what);
                    found.push(Mutant { what, core: &placed.sample.core, bytes });
                }
            }
        }
    }
    found
}

/// How the mutants of a cell were judged: how often each category was given.
type Row = BTreeMap<String, usize>;

/// Whether a rule rejects: not the bytes or the schema alone.
fn by_rule(category: &str) -> bool {
    !["accepted", "encoding or schema"].contains(&category)
}

fn print(matrix: &BTreeMap<Cell, Row>) {
    for ((field, kind), row) in matrix {
        let counts: Vec<String> = row.iter().map(|(name, n)| format!("{name} {n}")).collect();
        println!("{field:50} {kind:15} {}", counts.join(", "));
    }
}

#[test]
fn every_field_is_checked_in_every_kind_of_proof() {
    let schema = Schema::of_the_specification();
    let samples = samples();
    let placed: Vec<Placed> = samples.iter().map(|s| place(&schema, s)).collect();
    let kinds = schema.proofs().into_iter().chain([LAYERS.to_owned()]);
    let cells = kinds.flat_map(|kind| {
        let fields = schema.fields(&|field| within(&kind, field));
        fields.into_iter().map(|field| (field, kind.clone())).collect::<Vec<Cell>>()
    });
    let cells: Vec<Cell> = cells.collect();
    let each = std::env::var("THREADPROOF_MUTANTS").map_or(1, |n| n.parse().expect("a number"));
    let lists: Vec<Vec<Mutant>> =
        cells.iter().map(|cell| mutants(&schema, &placed, cell, each)).collect();
    let all: Vec<&Mutant> = lists.iter().flatten().collect();
    let mut verdicts = both_checkers(&all).into_iter();
    let mut judge = Judge::default();
    for sample in &samples {
        judge.accepted(&sample.name, &sample.core, &sample.bytes);
    }
    let mut matrix: BTreeMap<Cell, Row> = BTreeMap::new();
    for (cell, list) in cells.iter().zip(&lists) {
        let row = matrix.entry(cell.clone()).or_default();
        for mutant in list {
            let verdict = verdicts.next().expect("one for each");
            if verdict == "accepted" {
                judge.accepted(&mutant.what, mutant.core, &mutant.bytes);
            }
            *row.entry(verdict).or_default() += 1;
        }
    }
    print(&matrix);
    println!("{} mutants of {} cells", all.len(), cells.len());
    let excepted = |(field, kind): &Cell| {
        EXCEPTIONS.iter().any(|(f, k, _)| f == field && (k == kind || *k == "any"))
    };
    for (cell, row) in &matrix {
        let checked = row.keys().any(|category| by_rule(category));
        assert_ne!(checked, excepted(cell), "{cell:?}: {row:?}");
    }
}

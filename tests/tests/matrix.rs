//! Every field of the schema against every kind of proof: each edit of it is rejected by both
//! checkers for the same reason, or an oracle shows that what comes out is still a proof.
//!
//! The fields are those of SPEC.md section 2.4. A field that no certificate here has, a field that
//! SPEC.md does not know, and a field whose edits no rule rejects are failures.
//!
//! `THREADPROOF_MUTANTS` sets in how many places of each context a field is edited.

use ciborium::Value;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::check;
use threadproof_checker::error::Failure;
use threadproof_checker::internals::core_form;
use threadproof_format::proof::Certificate;
use threadproof_format::{Digest, cbor};
use threadproof_producer::source::Source;
use threadproof_tests::changes;
use threadproof_tests::changes::changes;
use threadproof_tests::edits::edits;
use threadproof_tests::judge::{Judge, Mutant, both_checkers, objection_to_layers};
use threadproof_tests::kinds::Sample;
use threadproof_tests::layers;
use threadproof_tests::samples::samples;
use threadproof_tests::schema::{Occurrence, Schema};
use threadproof_tests::tree::item;

/// What a certificate with layers is counted as; the others by the name of their proof.
const LAYERS: &str = "layer";

/// Fields that no valid proof of a kind has, and why. (They are put where others stand.)
const EXCEPTIONS: [(&str, &str, &str); 6] = [
    ("op.u", "proof-space", "a predicate is about no command, so it has no inputs (8.1)"),
    ("op.u", LAYERS, INVARIANT),
    ("op.g", LAYERS, INVARIANT),
    ("op.n", LAYERS, INVARIANT),
    ("op.n.template", LAYERS, INVARIANT),
    ("op.n.location", LAYERS, INVARIANT),
];

const INVARIANT: &str = "an invariant is about locals and candidates (12.2)";

/// In how many places of a context a field is edited whose first edits are not rejected by a rule.
const MORE: usize = 16;

/// A field and a kind of proof.
type Cell = (String, String);

/// A sample and where its fields are.
struct Placed<'a> {
    sample: &'a Sample,
    kind: String,
    certificate: Value,
    occurrences: Vec<Occurrence<'a>>,
}

/// Whether a field is looked at in certificates of a kind, and whether those inside it are: of
/// certificates with layers the layers, of the others the proof.
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
fn mutants(schema: &Schema, all: &[Placed], cell: &Cell, each: usize) -> Vec<Mutant> {
    let samples = all.iter().filter(|p| p.kind == cell.1);
    let places = samples.flat_map(|p| p.occurrences.iter().map(move |at| (p, at)));
    let places: Vec<(&Placed, &Occurrence)> = places.filter(|(_, o)| o.field == cell.0).collect();
    let mut contexts: BTreeMap<&str, Vec<(&Placed, &Occurrence)>> = BTreeMap::new();
    for (placed, at) in &places {
        contexts.entry(&at.context).or_default().push((placed, at));
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for group in contexts.values() {
        for (placed, at) in group.iter().step_by(group.len().div_ceil(each)) {
            for edit in edits(schema, &placed.certificate, at, &others(&places, placed, at)) {
                let Some(bytes) = edit.apply(&placed.certificate) else { continue };
                if seen.insert((placed.sample.name.as_str(), bytes.clone())) {
                    let what = format!("{}, {}: {}", placed.sample.name, at.context, edit.what);
                    found.push(Mutant { what, core: placed.sample.core.clone(), bytes });
                }
            }
        }
    }
    found
}

/// Other values of a field: one from the same certificate, and one from another.
fn others<'a>(
    places: &[(&'a Placed, &'a Occurrence)],
    placed: &Placed,
    at: &Occurrence,
) -> Vec<&'a Value> {
    let old = item(&placed.certificate, &at.path);
    let is_here = |p: &Placed| p.sample.name == placed.sample.name;
    [true, false]
        .into_iter()
        .filter_map(|here| {
            let those = places.iter().filter(|(p, _)| is_here(p) == here);
            those.map(|(p, o)| item(&p.certificate, &o.path)).find(|value| *value != old)
        })
        .collect()
}

/// How the mutants of each cell were judged: how often each category was given.
#[derive(Default)]
struct Matrix(BTreeMap<Cell, BTreeMap<String, usize>>);

impl Matrix {
    /// Judges the mutants of some cells.
    fn extend(&mut self, cells: &[Cell], lists: &[Vec<Mutant>], judge: &mut Judge) {
        let all: Vec<&Mutant> = lists.iter().flatten().collect();
        let mut verdicts = both_checkers(&all).into_iter();
        for (cell, list) in cells.iter().zip(lists) {
            let row = self.0.entry(cell.clone()).or_default();
            for mutant in list {
                let verdict = verdicts.next().expect("one for each");
                if verdict == "accepted" {
                    judge.accepted(&mutant.what, &mutant.core, &mutant.bytes);
                }
                *row.entry(verdict).or_default() += 1;
            }
        }
    }

    /// The cells without a mutant that a rule rejects: not the bytes, the schema or the digest
    /// alone.
    fn unchecked(&self, outside: &[&str]) -> BTreeSet<Cell> {
        let open =
            |row: &BTreeMap<String, usize>| row.keys().all(|c| outside.contains(&c.as_str()));
        self.0.iter().filter(|(_, row)| open(row)).map(|(cell, _)| cell.clone()).collect()
    }

    fn print(&self) {
        for ((field, kind), row) in &self.0 {
            let counts: Vec<String> = row.iter().map(|(name, n)| format!("{name} {n}")).collect();
            println!("{field:40} {kind:15} {}", counts.join(", "));
        }
        let mutants: usize = self.0.values().flat_map(BTreeMap::values).sum();
        println!("{mutants} mutants of {} cells", self.0.len());
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
    let mut judge = Judge::default();
    for sample in &samples {
        judge.accepted(&sample.name, &sample.core, &sample.bytes);
    }
    let each = std::env::var("THREADPROOF_MUTANTS").map_or(1, |n| n.parse().expect("a number"));
    let mut matrix = Matrix::default();
    let edited = |cells: &[Cell], each| -> Vec<Vec<Mutant>> {
        cells.iter().map(|cell| mutants(&schema, &placed, cell, each)).collect()
    };
    matrix.extend(&cells, &edited(&cells, each), &mut judge);
    let outside = ["accepted", "encoding or schema"];
    let open: Vec<Cell> = matrix.unchecked(&outside).into_iter().collect();
    matrix.extend(&open, &edited(&open, MORE), &mut judge);
    matrix.print();
    assert_eq!(matrix.unchecked(&outside), listed(&EXCEPTIONS));
}

fn listed(exceptions: &[(&str, &str, &str)]) -> BTreeSet<Cell> {
    exceptions.iter().map(|(what, kind, _)| ((*what).to_owned(), (*kind).to_owned())).collect()
}

/// What can be lost without harm to any certificate of a kind, and why.
const HARMLESS: [(&str, &str, &str); 4] = [
    ("initial condition", "counterexample", ALLOWED),
    ("guard", "counterexample", ALLOWED),
    ("wait", "counterexample", ALLOWED),
    ("lock", "counterexample", "who does not wait can take the same steps"),
];

const ALLOWED: &str = "where more is allowed, each execution stays one";

/// What is counted beside the kinds of proofs: the abstract programs of layers.
const LAYERS_PROGRAMS: &str = "layer's program";

/// The program of a sample and those of its layers, each with changes of it: the certificates as
/// they were, and with statement and digest of what came out.
fn damaged(placed: &Placed) -> Vec<(Cell, Mutant)> {
    let sample = placed.sample;
    let decoded: Certificate = cbor::decode(&sample.bytes).expect("a certificate");
    let mut found = Vec::new();
    for (change, program) in changes(&core_form::parse(&sample.core).expect("a program").0) {
        let core = Source::of(program).core;
        let mut adapted = decoded.clone();
        adapted.statement = core_form::statement(&core).expect("a program");
        adapted.program = Digest::of([adapted.statement.as_bytes()]);
        for (certificate, how) in [(&decoded, "the old certificate"), (&adapted, "adapted")] {
            let what = format!("{}, {change}, {how}:\n{core}", sample.name);
            let bytes = cbor::encode(certificate).expect("bytes");
            found.push((
                (change.to_owned(), placed.kind.clone()),
                Mutant { what, core: core.clone(), bytes },
            ));
        }
    }
    for (number, layer) in decoded.layers.iter().enumerate() {
        for (change, program) in changes(&core_form::parse(&layer.statement).expect("a program").0)
        {
            let mut adapted = decoded.clone();
            let (layer, core) = (&mut adapted.layers[number], Source::of(program).core);
            layer.statement = core_form::statement(&core).expect("a program");
            layer.program = Digest::of([layer.statement.as_bytes()]);
            let what = format!("{}, {change} in layer {number}:\n{core}", sample.name);
            let bytes = cbor::encode(&adapted).expect("bytes");
            found.push((
                (change.to_owned(), LAYERS_PROGRAMS.to_owned()),
                Mutant { what, core: sample.core.clone(), bytes },
            ));
        }
    }
    found
}

#[test]
fn what_a_program_loses_is_noticed_or_harmless() {
    let schema = Schema::of_the_specification();
    let samples = samples();
    let mut lists: BTreeMap<Cell, Vec<Mutant>> = BTreeMap::new();
    for (cell, mutant) in samples.iter().flat_map(|s| damaged(&place(&schema, s))) {
        lists.entry(cell).or_default().push(mutant);
    }
    let (cells, lists): (Vec<Cell>, Vec<Vec<Mutant>>) = lists.into_iter().unzip();
    let kinds = schema.proofs().len() + [LAYERS, LAYERS_PROGRAMS].len();
    assert_eq!(cells.len(), changes::ALL.len() * kinds, "a change without a program: {cells:?}");
    let mut matrix = Matrix::default();
    let mut judge = Judge::default();
    matrix.extend(&cells, &lists, &mut judge);
    matrix.print();
    assert_eq!(matrix.unchecked(&["accepted", "digest"]), listed(&HARMLESS));
    let programs = cells.iter().zip(&lists).filter(|((_, kind), _)| kind == LAYERS_PROGRAMS);
    the_oracle_of_layers_objects(programs.flat_map(|(_, list)| list));
}

/// The oracle of layers is worth asking: it has something against most of what the checkers find no
/// refutation for.
fn the_oracle_of_layers_objects<'a>(mutants: impl Iterator<Item = &'a Mutant>) {
    let (mut open, mut against) = (0, 0);
    for mutant in mutants {
        let failure = check(&mutant.core, &mutant.bytes).err();
        let inside =
            |f: &Failure| f.place.starts_with("layer") && f.reason.category() == "refutation";
        if failure.is_some_and(|f| inside(&f)) {
            let program = core_form::parse(&mutant.core).expect("a program").0;
            let certificate = cbor::decode(&mutant.bytes).expect("of the schema");
            open += 1;
            against += usize::from(objection_to_layers(&program, &certificate).is_some());
        }
    }
    println!("layers without a refutation: the oracle objects to {against} of {open}");
    assert!(open >= 20 && 2 * against > open, "{against} of {open}");
}

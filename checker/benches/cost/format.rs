//! The lists, texts and integers of certificates, as the schema has them (SPEC.md section 2.4):
//! each long, in a certificate that has little else.

use super::encoding::{Input, repeat};
use ciborium::Value;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::internals::core_form::statement;
use threadproof_format::limits::MAX_DIGITS;
use threadproof_format::{Digest, cbor};
use threadproof_tests_trusted::root;
use threadproof_tests_trusted::schema::{Schema, Type};

/// What any list is about: a program of one thread that can go wrong, with a variable of each kind.
const CORE: &str = "core 1; global x: int; many t { local y: int; location a; location e error; \
                    edge a -> e { input u: int; when x == u; x := u; } }";

/// The schema, and the places in it that can be long.
pub struct Format {
    schema: Schema,
}

impl Format {
    pub fn new() -> Self {
        Format { schema: Schema::of_the_specification() }
    }

    /// The places, without those whose length is fixed by the digest.
    pub fn places(&self) -> Vec<String> {
        let places = self.schema.lengths().into_keys();
        places.filter(|place| !place.ends_with("statement")).collect()
    }

    /// A certificate with n elements, or n digits, at a place.
    pub fn long(&self, place: &str, n: usize) -> Input {
        // The bytes of an item of its own stand where the long one comes.
        let mark = Value::Text("where the long item comes".to_owned());
        let mut value = self.schema.with_place(place, &mark);
        fill(&mut value);
        let bytes = cbor::encode(&value).expect("items");
        let mark = cbor::encode(&mark).expect("an item");
        let at = bytes.windows(mark.len()).position(|part| part == mark).expect("the mark");
        let item = match self.schema.lengths()[place] {
            Type::List(element) => {
                let element = cbor::encode(&self.schema.example(element)).expect("an item");
                repeat(n, &element)
            }
            Type::Int => super::encoding::text(&"7".repeat(n.min(MAX_DIGITS))),
            _ => super::encoding::text(&"7".repeat(n)),
        };
        let certificate = [&bytes[..at], &item, &bytes[at + mark.len()..]].concat();
        Input { core: CORE.to_owned(), certificate }
    }

    /// The lists of the rules, each once, wherever the rule is used.
    pub fn lists(&self) -> BTreeSet<String> {
        let fields = self.schema.fields(&|_| (true, true));
        // The operator `[]` is none.
        fields
            .into_iter()
            .filter(|field| field.ends_with("[]") && !field.ends_with(".[]"))
            .collect()
    }

    /// How long each list of the rules is in a certificate, at most.
    pub fn lengths_in(&self, certificate: &[u8]) -> BTreeMap<String, usize> {
        let value: Value = ciborium::from_reader(certificate).expect("items");
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let mut note = |place: String, length: usize| {
            let longest = found.entry(place).or_default();
            *longest = length.max(*longest);
        };
        for at in self.schema.occurrences(&value, &|_| (true, true)) {
            // An element's number in its list is the last of its path.
            if at.field.ends_with("[]") {
                note(at.field, at.path.last().map_or(0, |number| number + 1));
            }
        }
        found
    }
}

/// Keys in their order, and the program's statement, digest and version.
fn fill(value: &mut Value) {
    let stated = statement(CORE).expect("a program");
    let digest = Digest::of([stated.as_bytes()]);
    for (key, item) in value.as_map_mut().expect("a certificate") {
        match key.as_text() {
            Some("statement") => *item = Value::Text(stated.clone()),
            Some("program") => *item = Value::Bytes(digest.0.to_vec()),
            Some("version") => *item = Value::Integer(threadproof_format::proof::VERSION.into()),
            _ => {}
        }
    }
}

/// SPEC.md's grammar of the core form.
pub fn grammar() -> String {
    let text = std::fs::read_to_string(root().join("SPEC.md")).expect("SPEC.md");
    let (_, rest) = text.split_once("```ebnf\n").expect("a grammar");
    rest.split_once("```").expect("its end").0.to_owned()
}

//! The arena's cases: pairs of a program and a certificate that a checker has to accept (`good`),
//! to reject by the reason that is named (`bad`), or to survive (`nocrash`). Each bad one is a good
//! one with one trap.
//!
//! The files in `corpus/certificates` are made from here.

mod characters;
mod counters;
mod encoding;
mod executions;
mod hostile;
mod joined;
mod kernel;
mod layers;
mod layers_broken;
mod orders;
mod pair;
mod predicates;
mod programs;
mod proofs;
mod starts;
mod steps;
mod triples;
mod work;

pub use pair::Pair;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use threadproof_checker::internals::core_form;
use threadproof_format::Digest;
use threadproof_format::proof::Conclusion;

/// Bytes as pieces, each to be repeated so many times. [`NUMBER`] in a piece stands for the number
/// of the repetition.
pub type Bytes = Vec<(Vec<u8>, usize)>;

/// What stands for a number in a piece: no certificate or program has these bytes.
pub const NUMBER: &[u8; 2] = b"\0#";

/// The bytes of some pieces.
pub fn expand(pieces: &Bytes) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (piece, times) in pieces {
        let parts: Vec<&[u8]> = match piece.windows(2).position(|pair| pair == NUMBER) {
            Some(at) => vec![&piece[..at], &piece[at + 2..]],
            None => vec![piece],
        };
        for number in 0..*times {
            bytes.extend(parts.join(number.to_string().as_bytes()));
        }
    }
    bytes
}

/// What a checker has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// `accepted`, `rejected`, `declined` or `bad-input`.
    pub verdict: String,
    /// The word of an accepted claim's conclusion (SPEC.md section 7), or nothing.
    pub conclusion: String,
    /// Why an accepted claim is vacuous (SPEC.md section 7.5), or nothing.
    pub vacuous: String,
    /// The error category (SPEC.md section 10).
    pub category: String,
    /// Words of the reason, as the Rust checker says it.
    pub reason: String,
}

/// One program and certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// `good`, `bad` or `nocrash`.
    pub folder: String,
    /// Its name: the trap's.
    pub name: String,
    /// The program.
    pub core: Bytes,
    /// The certificate.
    pub certificate: Bytes,
    /// What has to be said about it.
    pub expected: Expected,
    /// What it shows, or where the trap is.
    pub trap: String,
    /// The rule of SPEC.md, or its section.
    pub section: String,
    /// The good case that it was made of.
    pub base: Option<String>,
    /// A good case about the same program that claims the opposite: so this claim is false.
    pub refuted_by: Option<String>,
}

/// All cases, as they are collected.
#[derive(Default)]
pub struct Arena {
    /// The pairs of the good cases, by name.
    pairs: Vec<(String, Pair)>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// Makes all cases.
pub fn all() -> Vec<Case> {
    let mut arena = Arena::default();
    kernel::add(&mut arena);
    proofs::add(&mut arena);
    predicates::add(&mut arena);
    triples::add(&mut arena);
    starts::add(&mut arena);
    steps::add(&mut arena);
    counters::add(&mut arena);
    executions::add(&mut arena);
    layers::add(&mut arena);
    layers_broken::add(&mut arena);
    joined::add(&mut arena);
    encoding::add(&mut arena);
    programs::add(&mut arena);
    characters::add(&mut arena);
    orders::add(&mut arena);
    hostile::add(&mut arena);
    work::add(&mut arena);
    arena.cases
}

/// What is expected of a rejected case: category and words of the reason.
pub type Why<'a> = (&'a str, &'a str);

fn once(bytes: impl Into<Vec<u8>>) -> Bytes {
    vec![(bytes.into(), 1)]
}

/// What is expected of a case that is not accepted. Without a program there is nothing to reject.
fn refused((category, reason): Why<'_>, section: &str) -> Expected {
    let verdict = match category {
        "limit" | "version" => "declined",
        "syntax" if section.starts_with("4.") => "bad-input",
        _ => "rejected",
    };
    Expected {
        verdict: verdict.to_owned(),
        conclusion: String::new(),
        vacuous: String::new(),
        category: category.to_owned(),
        reason: reason.to_owned(),
    }
}

/// What is expected of a case that is accepted.
fn accepted(conclusion: Conclusion, vacuous: &str) -> Expected {
    Expected {
        verdict: "accepted".to_owned(),
        conclusion: conclusion.word().to_owned(),
        vacuous: vacuous.to_owned(),
        category: String::new(),
        reason: String::new(),
    }
}

impl Arena {
    /// Adds a case that has to be accepted.
    pub fn good(&mut self, name: &str, section: &str, shows: &str, pair: Pair) {
        self.cases.push(Case {
            folder: "good".to_owned(),
            name: name.to_owned(),
            core: once(pair.core.as_str()),
            certificate: once(pair.bytes()),
            expected: accepted(pair.certificate.proof.conclusion(), pair.vacuous()),
            trap: shows.to_owned(),
            section: section.to_owned(),
            base: None,
            refuted_by: None,
        });
        self.pairs.push((name.to_owned(), pair));
    }

    /// The pair of a good case.
    pub fn pair(&self, name: &str) -> Pair {
        let found = self.pairs.iter().find(|(other, _)| other == name);
        found.unwrap_or_else(|| panic!("no good case {name}")).1.clone()
    }

    /// Cases that have to be rejected: edits of one good case, by one section's rules.
    pub fn on<'a>(&'a mut self, base: &'a str, section: &'a str) -> Group<'a> {
        assert!(self.pairs.iter().any(|(other, _)| other == base), "no good case {base}");
        Group { arena: self, base, section }
    }
}

/// Cases made of one good case by one section's rules.
pub struct Group<'a> {
    arena: &'a mut Arena,
    base: &'a str,
    section: &'a str,
}

impl Group<'_> {
    /// Adds a case: a good one with one edit.
    pub fn bad(
        &mut self,
        name: &str,
        why: Why<'_>,
        trap: &str,
        edit: impl FnOnce(&mut Pair),
    ) -> &mut Self {
        let mut pair = self.arena.pair(self.base);
        edit(&mut pair);
        let bytes = pair.bytes();
        self.given(name, why, trap, &pair.core, bytes)
    }

    /// Adds a case: a certificate with one edit that the types do not allow.
    pub fn untyped(
        &mut self,
        name: &str,
        why: Why<'_>,
        trap: &str,
        edit: impl FnOnce(&mut ciborium::Value),
    ) -> &mut Self {
        self.bytes(name, why, trap, |bytes| {
            let mut value = ciborium::from_reader(bytes.as_slice()).expect("a certificate");
            edit(&mut value);
            bytes.clear();
            ciborium::into_writer(&value, bytes).expect("bytes");
        })
    }

    /// Adds a case: a certificate with one edit of its bytes.
    pub fn bytes(
        &mut self,
        name: &str,
        why: Why<'_>,
        trap: &str,
        edit: impl FnOnce(&mut Vec<u8>),
    ) -> &mut Self {
        let pair = self.arena.pair(self.base);
        let mut bytes = pair.bytes();
        edit(&mut bytes);
        self.given(name, why, trap, &pair.core, bytes)
    }

    /// Adds a case: a text that need not be a program. If it has tokens, the certificate is about
    /// them; also if characters are refused but for which it would be a program.
    pub fn program(
        &mut self,
        name: &str,
        why: Why<'_>,
        trap: &str,
        edit: impl FnOnce(&str) -> String,
    ) -> &mut Self {
        let mut pair = self.arena.pair(self.base);
        let core = edit(&pair.core);
        if let Some(statement) = statement(&core) {
            pair.certificate.program = Digest::of([statement.as_bytes()]);
            pair.certificate.statement = statement;
        }
        self.given(name, why, trap, &core, pair.bytes())
    }

    /// Adds a case: another program, and the certificate of the good one.
    pub fn swapped(&mut self, name: &str, why: Why<'_>, trap: &str, core: &str) -> &mut Self {
        let bytes = self.arena.pair(self.base).bytes();
        self.given(name, why, trap, core, bytes)
    }

    fn given(
        &mut self,
        name: &str,
        why: Why<'_>,
        trap: &str,
        core: &str,
        bytes: Vec<u8>,
    ) -> &mut Self {
        self.arena.cases.push(Case {
            folder: "bad".to_owned(),
            name: name.to_owned(),
            core: once(core),
            certificate: once(bytes),
            expected: refused(why, self.section),
            trap: trap.to_owned(),
            section: self.section.to_owned(),
            base: Some(self.base.to_owned()),
            refuted_by: None,
        });
        self
    }

    /// The claim of the last case is false: a good case says the opposite of the same program.
    pub fn refuted_by(&mut self, name: &str) -> &mut Self {
        self.arena.cases.last_mut().expect("a case").refuted_by = Some(name.to_owned());
        self
    }

    /// The claim of the last case is false: this counterexample becomes a good case.
    pub fn refuted(&mut self, execution: Pair) -> &mut Self {
        let last = self.arena.cases.pop().expect("a case");
        let name = format!("{}_unsafe", last.name);
        let shows = format!("why what bad/{} claims is false", last.name);
        self.arena.good(&name, "9", &shows, execution);
        self.arena.cases.push(last);
        self.refuted_by(&name)
    }
}

/// The statement of a text; characters that the core form does not use are letters.
fn statement(core: &str) -> Option<String> {
    let refused = |c: &char| !matches!(c, ' '..='~' | '\t' | '\n' | '\r');
    let found: BTreeSet<char> = core.chars().filter(refused).collect();
    let word = |c: &char| format!("ZZ{:x}ZZ", u32::from(*c));
    let plain = found.iter().fold(core.to_owned(), |text, c| text.replace(*c, &word(c)));
    let plain = plain.replace("\r\n", "\n").replace('\r', " ");
    let statement = core_form::statement(&plain).ok()?;
    if !found.is_empty() && core_form::parse(&plain).is_err() {
        return None;
    }
    Some(found.iter().fold(statement, |text, c| text.replace(&word(c), &c.to_string())))
}

/// A file of the arena: its path below `corpus/certificates`, and its bytes.
pub type File = (String, Vec<u8>);

/// The files of some cases, the manifest included. What a case shares with the good ones that it
/// names is not repeated.
pub fn files(cases: &[Case]) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    let mut lines = Vec::new();
    for case in cases {
        let program = place(case, &case.core, "core", &mut files);
        let certificate = place(case, &case.certificate, "cert", &mut files);
        let mut line = json!({
            "folder": case.folder,
            "name": case.name,
            "program": program,
            "certificate": certificate,
            "verdict": case.expected.verdict,
            "trap": case.trap,
            "section": case.section,
        });
        let optional = [
            ("conclusion", Some(&case.expected.conclusion)),
            ("vacuous", Some(&case.expected.vacuous)),
            ("category", Some(&case.expected.category)),
            ("reason", Some(&case.expected.reason)),
            ("base", case.base.as_ref()),
            ("refuted_by", case.refuted_by.as_ref()),
        ];
        for (key, value) in optional {
            if let Some(value) = value.filter(|text| !text.is_empty()) {
                line[key] = json!(value);
            }
        }
        lines.push(line.to_string());
    }
    files.push(("manifest.json".to_owned(), format!("[\n{}\n]\n", lines.join(",\n")).into_bytes()));
    files
}

/// The path of a file with these bytes, which is added if there is none; or a recipe for long ones.
fn place(case: &Case, bytes: &Bytes, extension: &str, files: &mut Vec<File>) -> Value {
    let [(content, 1)] = &bytes[..] else {
        let pieces = bytes.iter().map(|(piece, times)| json!([hex(piece), times]));
        return Value::Array(pieces.collect());
    };
    let name = |name: &str, folder: &str| format!("{folder}/{name}.{extension}");
    for other in [&case.base, &case.refuted_by].into_iter().flatten() {
        let path = name(other, "good");
        if files.iter().any(|(other, known)| *other == path && known == content) {
            return Value::String(path);
        }
    }
    let path = name(&case.name, &case.folder);
    files.push((path.clone(), content.clone()));
    Value::String(path)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

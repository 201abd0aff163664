//! Random edits that keep the shape of an input: of a certificate item by item, of a text word by word.

#[path = "../../tests/common/tree.rs"]
pub(super) mod tree;

use super::{c, tp};
use ciborium::Value;
use fastrand::Rng;
use threadproof_checker::internals::core_form::{keywords, statement};
use threadproof_format::Digest;

/// The signs of the core form.
const SIGNS: [&str; 26] = [
    ":=", "==", "!=", "<=", ">=", "&&", "||", "->", ";", ":", "{", "}", "(", ")", "[", "]", ",",
    "<", ">", "!", "+", "-", "*", "#", ".", "1",
];

/// A certificate with an item changed; mostly with the digests of the statements that it then has, so that more than
/// these is looked at. `None` for bytes that are not CBOR.
pub fn certificate(bytes: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    let mut value: Value = ciborium::from_reader(bytes).ok()?;
    change(&mut value, random);
    if random.u8(..8) > 0 {
        restate(&mut value);
    }
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).ok()?;
    Some(bytes)
}

/// Changes an item: at random, into another one of the same certificate, or a program word by word.
fn change(value: &mut Value, random: &mut Rng) {
    let paths = tree::paths(value);
    let mut pick = || &paths[random.usize(..paths.len())];
    let (path, other) = (pick(), pick());
    let other = tree::item(value, other).clone();
    let target = tree::item_mut(value, path);
    match target {
        Value::Text(text) if text.starts_with("core\n") => *text = statement_of(text, random),
        _ if random.bool() && kind(target) == kind(&other) => *target = other,
        _ => drop(tree::edit(target, random)),
    }
}

/// Items that are alike so far can be exchanged, and the schema often stays: what an item is, and its first element.
fn kind(value: &Value) -> (u8, u8) {
    let outside = |value: &Value| match value {
        Value::Array(_) => 1,
        Value::Map(_) => 2,
        Value::Integer(_) => 3,
        Value::Text(_) => 4,
        Value::Bytes(_) => 5,
        Value::Bool(_) => 6,
        _ => 7,
    };
    let first = value.as_array().and_then(|items| items.first());
    (outside(value), first.map_or(0, outside))
}

/// Puts the digests of the statements in, of the certificate and of its layers.
pub(super) fn restate(value: &mut Value) {
    let Value::Map(entries) = value else { return };
    let is = |key: &Value, name: &str| key.as_text() == Some(name);
    let stated = entries.iter().find(|(key, _)| is(key, "statement"));
    let digest = stated.and_then(|(_, text)| text.as_text());
    let digest = digest.map(|text| Digest::of([text.as_bytes()]));
    for (key, item) in entries {
        match (item, digest) {
            (item, Some(digest)) if is(key, "program") => *item = Value::Bytes(digest.0.to_vec()),
            (Value::Array(layers), _) if is(key, "layers") => layers.iter_mut().for_each(restate),
            _ => {}
        }
    }
}

/// A program with a few words changed, each token on a line.
fn statement_of(text: &str, random: &mut Rng) -> String {
    let edited = words(text, &core_words(), random);
    statement(&edited).unwrap_or(edited)
}

fn core_words() -> Vec<&'static str> {
    keywords().chain(SIGNS).collect()
}

/// A text in the core form with a few words changed. `None` for bytes that are no text.
pub fn core(bytes: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    Some(words(std::str::from_utf8(bytes).ok()?, &core_words(), random).into_bytes())
}

/// A text of the language with a few words changed. `None` for bytes that are no text.
pub fn tp(bytes: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    Some(words(std::str::from_utf8(bytes).ok()?, &tp::PIECES, random).into_bytes())
}

/// A C program with a few words changed. `None` for bytes that are no text.
pub fn c(bytes: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    Some(words(std::str::from_utf8(bytes).ok()?, &c::PIECES, random).into_bytes())
}

/// A text with a few of its words taken out, repeated, exchanged or replaced, by words of its own or by others.
fn words(text: &str, others: &[&str], random: &mut Rng) -> String {
    let mut words = split(text);
    let length = words.len();
    if length == 0 {
        return others[random.usize(..others.len())].to_owned();
    }
    let (at, from) = (random.usize(..length), random.usize(..length));
    let other = others[random.usize(..others.len())];
    let few = 1 + random.usize(..8);
    let end = |start: usize| (start + few).min(length);
    match random.u8(..6) {
        0 => drop(words.drain(at..end(at))),
        1 => {
            let copy = words[from..end(from)].to_vec();
            drop(words.splice(at..at, copy));
        }
        2 => words.swap(at, from),
        3 => words[at] = words[from],
        4 => words[at] = other,
        _ => drop(words.splice(at..at, [" ", other, " "])),
    }
    words.concat()
}

/// The words, signs and spaces of a text.
fn split(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = match kind(first) {
            2 => first.len_utf8(),
            same => rest.find(|c| kind(c) != same).unwrap_or(rest.len()),
        };
        let (word, after) = rest.split_at(length);
        found.push(word);
        rest = after;
    }
    found
}

//! Edits of one field of a certificate, such as its type in the schema allows them.

use crate::schema::{Occurrence, Schema, Type, number};
use crate::tree::{item, item_mut};
use ciborium::Value;

/// What happens to a field.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    Put(Value),
    Remove,
    Twice,
}

/// An edit of a field.
#[derive(Clone, Debug)]
pub struct Edit {
    /// What is changed, for a person.
    pub what: String,
    path: Vec<usize>,
    change: Change,
}

impl Edit {
    /// The edited certificate; `None` if it is the same.
    pub fn apply(&self, certificate: &Value) -> Option<Vec<u8>> {
        let mut edited = certificate.clone();
        match &self.change {
            Change::Put(value) => *item_mut(&mut edited, &self.path) = value.clone(),
            change => {
                let (last, outer) = self.path.split_last().expect("a field inside another");
                match item_mut(&mut edited, outer) {
                    Value::Array(items) => repeat(items, *last, change),
                    Value::Map(entries) => repeat(entries, last / 2, change),
                    other => panic!("{other:?} has no fields"),
                }
            }
        }
        (edited != *certificate).then(|| encoded(&edited))
    }
}

fn repeat<T: Clone>(list: &mut Vec<T>, at: usize, change: &Change) {
    match change {
        Change::Twice => list.insert(at, list[at].clone()),
        _ => drop(list.remove(at)),
    }
}

/// An item's bytes.
pub fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).expect("bytes");
    bytes
}

/// The edits of one field; `others` are values of the same field elsewhere.
pub fn edits(
    schema: &Schema,
    certificate: &Value,
    field: &Occurrence,
    others: &[&Value],
) -> Vec<Edit> {
    let old = item(certificate, &field.path);
    let mut new = replacements(schema, field.of, old);
    new.extend(others.iter().map(|v| ("another one's value".to_owned(), (*v).clone())));
    let mut edits: Vec<Edit> = new
        .into_iter()
        .map(|(what, value)| Edit { what, path: field.path.clone(), change: Change::Put(value) })
        .collect();
    if !field.path.is_empty() {
        for (what, change) in [("removed", Change::Remove), ("twice", Change::Twice)] {
            edits.push(Edit { what: what.to_owned(), path: field.path.clone(), change });
        }
    }
    edits
}

/// What is put in the place of an item of a type, and why.
fn replacements(schema: &Schema, of: &Type, old: &Value) -> Vec<(String, Value)> {
    let mut list: Vec<(&str, Value)> = vec![
        ("of another kind: null", Value::Null),
        ("of another kind: a float", Value::Float(0.5)),
    ];
    let alternatives = schema.alternatives(of);
    for other in alternatives.iter().filter(|t| !schema.fits(t, old)) {
        list.push(("another alternative", schema.example(other)));
        list.extend(under_another_name(other, old).map(|v| ("another alternative's name", v)));
    }
    let same = alternatives.into_iter().find(|t| schema.fits(t, old));
    match same.expect("it is of the schema") {
        Type::Number(low, high) => list.extend(numbers(*low, *high, old)),
        Type::Int => list.extend(integers(old)),
        Type::Text | Type::Word(_) => list.extend(texts(old)),
        Type::Bytes(_) => list.extend(bytes(old)),
        Type::Bool => list.push(("negated", Value::Bool(old.as_bool() != Some(true)))),
        Type::Null => {}
        Type::Map(_) => list.extend(maps(old)),
        Type::Tuple(_) => list.extend(arrays(old, Value::Null)),
        Type::List(element) => list.extend(arrays(old, schema.example(element))),
        Type::Choice(_) | Type::Rule(_) => unreachable!("alternatives are neither"),
    }
    list.into_iter().map(|(what, value)| (what.to_owned(), value)).collect()
}

/// The content of a map with one member, under the name that another such map has.
fn under_another_name(other: &Type, old: &Value) -> Option<Value> {
    match (other, old) {
        (Type::Map(members), Value::Map(entries)) if members.len() == 1 && entries.len() == 1 => {
            let name = Value::Text(members[0].0.clone());
            Some(Value::Map(vec![(name, entries[0].1.clone())]))
        }
        _ => None,
    }
}

fn numbers(low: i128, high: i128, old: &Value) -> Vec<(&'static str, Value)> {
    let n = i128::from(old.as_integer().expect("a number"));
    vec![
        ("one more", number(n + 1)),
        ("one less", number(n - 1)),
        ("the negative", number(-n)),
        ("nought", number(0)),
        ("the greatest", number(high)),
        ("too great", number(high + 1)),
        ("too small", number(low - 1)),
        ("another sign's least", number(-(1 << 31))),
        ("2^63", number(1 << 63)),
        ("as text", Value::Text(n.to_string())),
    ]
}

fn integers(old: &Value) -> Vec<(&'static str, Value)> {
    let text = |text: String| Value::Text(text);
    let mut list = vec![
        ("nought", number(0)),
        ("the greatest short one", number((1 << 63) - 1)),
        ("2^63 without text", number(1 << 63)),
        ("2^63", text((1_i128 << 63).to_string())),
        ("below -2^63", text((-(1_i128 << 63) - 1).to_string())),
        ("negative nought", text("-0".to_owned())),
        ("no number", text("--1".to_owned())),
    ];
    match old {
        Value::Integer(i) => {
            let n = i128::from(*i);
            list.extend([
                ("one more", number(n + 1)),
                ("one less", number(n - 1)),
                ("the negative", number(-n)),
                ("twice as much", number(2 * n)),
                ("as text", text(n.to_string())),
                ("with a nought in front", text(format!("0{n}"))),
            ]);
        }
        Value::Text(digits) => list.extend([
            ("ten times as much", text(format!("{digits}0"))),
            ("with a nought in front", text(format!("0{digits}"))),
            ("the negative", text(format!("-{digits}").replace("--", ""))),
        ]),
        other => panic!("{other:?} is no integer"),
    }
    list
}

fn texts(old: &Value) -> Vec<(&'static str, Value)> {
    let text = old.as_text().expect("a text");
    let mut shorter = text.to_owned();
    shorter.pop();
    [
        ("emptied", String::new()),
        ("shorter", shorter),
        ("longer", format!("{text} ")),
        ("capitals", text.to_uppercase()),
    ]
    .map(|(what, text)| (what, Value::Text(text)))
    .into()
}

fn bytes(old: &Value) -> Vec<(&'static str, Value)> {
    let bytes = old.as_bytes().expect("bytes");
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Value::Bytes(bytes)
    };
    vec![
        ("its first bit", with(&|b| b[0] ^= 128)),
        ("its last bit", with(&|b| *b.last_mut().expect("bytes") ^= 1)),
        ("shorter", with(&|b| b.truncate(b.len() - 1))),
        ("longer", with(&|b| b.push(0))),
        ("emptied", with(&Vec::clear)),
    ]
}

fn maps(old: &Value) -> Vec<(&'static str, Value)> {
    let entries = old.as_map().expect("a map");
    let mut more = entries.clone();
    more.push((Value::Text("unknown".to_owned()), number(0)));
    let mut numbered = entries.clone();
    numbered[0].0 = number(0);
    vec![
        ("an unknown member", Value::Map(more)),
        ("a number for a name", Value::Map(numbered)),
        ("emptied", Value::Map(vec![])),
        ("the other way round", Value::Map(entries.iter().rev().cloned().collect())),
    ]
}

fn arrays(old: &Value, element: Value) -> Vec<(&'static str, Value)> {
    let items = old.as_array().expect("an array");
    let with = |change: &dyn Fn(&mut Vec<Value>)| {
        let mut items = items.clone();
        change(&mut items);
        Value::Array(items)
    };
    let mut list = vec![
        ("emptied", with(&Vec::clear)),
        ("one element more", with(&|items| items.push(element.clone()))),
        ("one element more in front", with(&|items| items.insert(0, element.clone()))),
        ("the other way round", with(&|items| items.reverse())),
    ];
    if let Some(last) = items.len().checked_sub(1) {
        list.extend([
            ("without the first", with(&|items| drop(items.remove(0)))),
            ("without the last", with(&|items| drop(items.pop()))),
            ("the first twice", with(&|items| items.insert(0, items[0].clone()))),
            ("the last twice", with(&|items| items.push(items[last].clone()))),
            ("the first two swapped", with(&|items| items.swap(0, last.min(1)))),
            ("the last two swapped", with(&|items| items.swap(last, last.saturating_sub(1)))),
            ("all the first", with(&|items| *items = vec![items[0].clone(); last + 1])),
        ]);
    }
    list
}

//! Certificates written item by item, so that long ones need not be built in memory first.

use threadproof_checker::internals::core_form::statement;
use threadproof_format::Digest;
use threadproof_format::proof::VERSION;

/// A program and a certificate.
pub struct Input {
    pub core: String,
    pub certificate: Vec<u8>,
}

impl Input {
    pub fn bytes(&self) -> usize {
        self.core.len() + self.certificate.len()
    }
}

/// An item's bytes.
pub type Item = Vec<u8>;

fn head(kind: u8, argument: usize) -> Item {
    let bytes = (argument as u64).to_be_bytes();
    let kind = kind << 5;
    match argument {
        0..24 => vec![kind | bytes[7]],
        24..0x100 => vec![kind | 24, bytes[7]],
        0x100..0x1_0000 => [&[kind | 25], &bytes[6..]].concat(),
        0x1_0000..0x1_0000_0000 => [&[kind | 26], &bytes[4..]].concat(),
        _ => [&[kind | 27], &bytes[..]].concat(),
    }
}

pub fn number(n: usize) -> Item {
    head(0, n)
}

/// -1 - n.
pub fn negative(n: usize) -> Item {
    head(1, n)
}

pub fn text(text: &str) -> Item {
    [head(3, text.len()), text.as_bytes().to_vec()].concat()
}

pub fn truth(value: bool) -> Item {
    vec![if value { 0xf5 } else { 0xf4 }]
}

pub fn null() -> Item {
    vec![0xf6]
}

/// An array of some items.
pub fn list(items: &[Item]) -> Item {
    [head(4, items.len()), items.concat()].concat()
}

/// An array of equal items.
pub fn repeat(count: usize, item: &[u8]) -> Item {
    [head(4, count), item.repeat(count)].concat()
}

/// An array of items by number.
pub fn each(count: usize, item: impl Fn(usize) -> Item) -> Item {
    let mut bytes = head(4, count);
    (0..count).for_each(|i| bytes.extend(item(i)));
    bytes
}

/// A map, its keys in their order.
pub fn map(members: &[(&str, Item)]) -> Item {
    let mut members: Vec<_> = members.iter().map(|(key, item)| (text(key), item)).collect();
    members.sort();
    let mut bytes = head(5, members.len());
    members.iter().for_each(|(key, item)| bytes.extend([key.as_slice(), item].concat()));
    bytes
}

fn stated(core: &str) -> (Item, Item) {
    // A text that is no program has no tokens, and is refused before they matter.
    let stated = statement(core).unwrap_or_default();
    let digest = Digest::of([stated.as_bytes()]);
    ([head(2, 32), digest.0.to_vec()].concat(), text(&stated))
}

pub fn certificate(core: &str, proof: Item, layers: &[Item]) -> Vec<u8> {
    let (program, statement) = stated(core);
    map(&[
        ("proof", proof),
        ("layers", list(layers)),
        ("program", program),
        ("version", number(usize::try_from(VERSION).expect("a small number"))),
        ("statement", statement),
    ])
}

/// A layer with this abstract program.
pub fn layer(core: &str, to: Item, parts: Item) -> Item {
    let (program, statement) = stated(core);
    map(&[
        ("to", to),
        ("parts", parts),
        ("program", program),
        ("witness", null()),
        ("statement", statement),
    ])
}

/// A proof space with these lists, the others empty.
pub fn proof_space(given: &[(&str, Item)]) -> Item {
    let names = [
        "basis",
        "initial",
        "witness",
        "impossible",
        "predicates",
        "error_steps",
        "configurations",
    ];
    let absent = |name: &&str| if *name == "witness" { null() } else { list(&[]) };
    let member = |name| {
        let found = given.iter().find(|(key, _)| *key == name);
        (name, found.map_or_else(|| absent(&name), |(_, item)| item.clone()))
    };
    map(&[("proof-space", map(&names.map(member)))])
}

/// A refutation by one clause that is empty: clause 1, where the first formula that gives clauses
/// is false.
pub fn plainly_false() -> Item {
    list(&[conflict(&[1])])
}

/// The step that derives the empty clause from the hinted ones.
pub fn conflict(hints: &[usize]) -> Item {
    let hints: Vec<Item> = hints.iter().map(|h| number(*h)).collect();
    map(&[("u", map(&[("h", list(&hints)), ("l", list(&[]))]))])
}

//! A certificate as a tree of CBOR items: its nodes, and random edits of them.

use ciborium::Value;

/// The item at a path, with the numbers of children (of a map: key, value, key, ...).
pub fn item<'a>(root: &'a Value, path: &[usize]) -> &'a Value {
    path.iter().fold(root, |at, child| match at {
        Value::Array(items) => &items[*child],
        Value::Map(entries) if child % 2 == 0 => &entries[child / 2].0,
        Value::Map(entries) => &entries[child / 2].1,
        _ => panic!("a path ends early"),
    })
}

/// The item at a path, to be changed.
pub fn item_mut<'a>(mut root: &'a mut Value, path: &[usize]) -> &'a mut Value {
    for child in path {
        root = match root {
            Value::Array(items) => &mut items[*child],
            Value::Map(entries) => {
                let (key, item) = &mut entries[child / 2];
                if child % 2 == 0 { key } else { item }
            }
            _ => panic!("a path ends early"),
        };
    }
    root
}

/// The nodes of a value, each by the path of child numbers that leads to it.
pub fn paths(value: &Value) -> Vec<Vec<usize>> {
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

/// Changes one node at random into another; false if it came out the same.
pub fn edit(target: &mut Value, random: &mut fastrand::Rng) -> bool {
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
        Value::Bytes(bytes) if bytes.is_empty() => bytes.push(0),
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
        Value::Map(entries) if !entries.is_empty() => {
            let at = random.usize(..entries.len());
            drop(entries.remove(at));
        }
        _ => *target = Value::Null,
    }
    *target != before
}

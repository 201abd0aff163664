//! Random edits that make an input longer, and keep its shape: what a check costs shows only in
//! what is long.

use super::edit::restate;
use crate::tree;
use ciborium::Value;
use fastrand::Rng;
use std::collections::HashSet;

/// Repetitions of what is repeated: up to two to the power of this.
const REPETITIONS: u32 = 13;
/// Longer inputs take too long to show anything.
const LONGEST: usize = 1 << 18;
/// What begins a declaration; a name follows, but after `edge` and `assumption`.
const DECLARATIONS: [&str; 8] =
    ["global", "local", "location", "input", "many", "one", "edge", "assumption"];

/// A certificate with something longer in it, with the digests of the statements that it then has.
/// `None` for bytes that are not CBOR, and for what becomes too long.
pub fn certificate(bytes: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    let mut value: Value = ciborium::from_reader(bytes).ok()?;
    let paths = tree::paths(&value);
    let texts: Vec<_> =
        paths.iter().filter(|path| is_statement(tree::item(&value, path))).collect();
    let path = match texts.len() {
        0 => &paths[random.usize(..paths.len())],
        texts_length if random.bool() => texts[random.usize(..texts_length)],
        _ => &paths[random.usize(..paths.len())],
    };
    let times = 1_usize << random.u32(1..=REPETITIONS);
    lengthen(tree::item_mut(&mut value, path), times, random)?;
    restate(&mut value);
    let mut bytes = Vec::new();
    ciborium::into_writer(&value, &mut bytes).ok()?;
    (bytes.len() <= LONGEST).then_some(bytes)
}

fn is_statement(value: &Value) -> bool {
    value.as_text().is_some_and(|text| text.starts_with("core\n"))
}

fn lengthen(target: &mut Value, times: usize, random: &mut Rng) -> Option<()> {
    match target {
        Value::Text(text) if text.starts_with("core\n") => *text = program(text, times, random)?,
        Value::Text(_) | Value::Integer(_) => {
            *target = Value::Text(format!("1{}1", "0".repeat(times * 8)));
        }
        Value::Array(items) if !items.is_empty() => {
            let from = random.usize(..items.len());
            let few = (1 + random.usize(..3)).min(items.len() - from);
            let part = items[from..from + few].to_vec();
            let numbered = numbers(&part, random);
            let times = times.min(LONGEST / size(&part)?);
            let copies = (1..times).flat_map(|i| numbered_by(&part, &numbered, i));
            let copies: Vec<_> = copies.collect();
            items.splice(from + few..from + few, copies);
        }
        _ => return None,
    }
    Some(())
}

/// Bytes of some items, one at least.
fn size(part: &[Value]) -> Option<usize> {
    let mut bytes = Vec::new();
    ciborium::into_writer(part, &mut bytes).ok()?;
    Some(bytes.len())
}

/// One of the numbers in some items, or none: it will count the copies, so that they ascend.
fn numbers(part: &[Value], random: &mut Rng) -> Option<Vec<usize>> {
    let root = Value::Array(part.to_vec());
    let paths = tree::paths(&root);
    let numbers: Vec<_> = paths.iter().filter(|p| tree::item(&root, p).is_integer()).collect();
    if numbers.is_empty() || random.bool() {
        return None;
    }
    Some(numbers[random.usize(..numbers.len())].clone())
}

fn numbered_by(part: &[Value], path: &Option<Vec<usize>>, i: usize) -> Vec<Value> {
    let mut root = Value::Array(part.to_vec());
    if let Some(path) = path
        && let Value::Integer(number) = tree::item_mut(&mut root, path)
    {
        let sum = i128::from(*number) + i as i128;
        *number = sum.try_into().unwrap_or(*number);
    }
    root.into_array().unwrap_or_default()
}

/// A program, a token a line, with a declaration or some tokens repeated, or with a longer name or
/// number.
fn program(text: &str, times: usize, random: &mut Rng) -> Option<String> {
    let tokens: Vec<&str> = text.lines().collect();
    let at = random.usize(..tokens.len());
    let word = tokens[at];
    if random.u8(..6) == 0 {
        let longer = match word.bytes().next()? {
            b'0'..=b'9' => format!("{word}{}", "7".repeat(times * 8)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => format!("{word}{}", "n".repeat(times * 8)),
            _ => return None,
        };
        let all = tokens.iter().map(|token| if *token == word { longer.as_str() } else { token });
        return Some(lines(all));
    }
    let (from, to) = if random.u8(..3) == 0 {
        (at, (at + 1 + random.usize(..12)).min(tokens.len()))
    } else {
        let from = (at..tokens.len()).find(|i| DECLARATIONS.contains(&tokens[*i]))?;
        (from, end(&tokens, from))
    };
    let part = &tokens[from..to];
    let declared: HashSet<&str> = part
        .windows(2)
        .filter(|pair| DECLARATIONS[..6].contains(&pair[0]))
        .map(|pair| pair[1])
        .collect();
    let mut all = lines(tokens[..to].iter().copied());
    for i in 1..times {
        let renamed = part.iter().map(|token| match declared.contains(token) {
            true => format!("{token}_{i}"),
            false => (*token).to_owned(),
        });
        renamed.for_each(|token| all.extend([token.as_str(), "\n"]));
        if all.len() > LONGEST {
            return None;
        }
    }
    Some(all + &lines(tokens[to..].iter().copied()))
}

fn lines<'a>(tokens: impl Iterator<Item = &'a str>) -> String {
    tokens.flat_map(|token| [token, "\n"]).collect()
}

/// The end of a declaration: after its `;` or, if it has braces, the last of them.
fn end(tokens: &[&str], from: usize) -> usize {
    let mut depth = 0_usize;
    for (i, token) in tokens.iter().enumerate().skip(from) {
        match *token {
            "{" => depth += 1,
            "}" if depth <= 1 => return i + 1,
            "}" => depth -= 1,
            ";" if depth == 0 => return i + 1,
            _ => {}
        }
    }
    tokens.len()
}

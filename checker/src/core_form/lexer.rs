//! Tokens of the core form, and the program's digest over them (SPEC.md sections 2.3 and 4.1).

use crate::error::Reason;
use threadproof_format::work::{Budget, List as _, Seq, Spent};
use threadproof_format::{Digest, limits};

/// A token: its text and the byte offset where it begins. The last one is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub start: usize,
}

const TWO: [&str; 8] = [":=", "==", "!=", "<=", ">=", "&&", "||", "->"];
const ONE: &[u8] = b";:{}()[],<>!+-*/%#.";

/// A program's bytes as text: printable ASCII, tabs and line ends (`\n` or `\r\n`), so that what is
/// shown is what is read.
pub(crate) fn text(bytes: &[u8]) -> Result<&str, Reason> {
    if bytes.len() > limits::MAX_BYTES {
        return Err(Reason::Limit("bytes of a program"));
    }
    let ends_line = |at: usize| bytes.get(at + 1) == Some(&b'\n');
    let allowed = |(at, byte): &(usize, &u8)| match byte {
        b' '..=b'~' | b'\t' | b'\n' => true,
        b'\r' => ends_line(*at),
        _ => false,
    };
    let count = bytes.iter().enumerate().take_while(allowed).count();
    let text = bytes.get(..count).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let text = text.unwrap_or_default();
    if count < bytes.len() { Err(syntax(text, count, UNKNOWN)) } else { Ok(text) }
}

const UNKNOWN: &str = "a character that the core form does not use";

/// Splits a text into tokens. White space and `//` comments are dropped.
///
/// # Errors
/// `Syntax` or `Limit`.
pub(crate) fn tokens<'a>(text: &'a str, budget: &Budget) -> Result<Seq<Token<'a>>, Reason> {
    let bytes = text.as_bytes();
    let mut list = Seq::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            b'/' if rest.get(1) == Some(&b'/') => {
                at += run(rest, |b| b != b'\n');
                continue;
            }
            b'0'..=b'9' => {
                let digits = run(rest, |b| b.is_ascii_digit());
                within(digits, limits::MAX_DIGITS, "digits of an integer")?
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let name = run(rest, |b| b.is_ascii_alphanumeric() || b == b'_');
                within(name, limits::MAX_NAME, "characters of a name")?
            }
            b'"' => match run(&rest[1..], |b| b != b'"' && b != b'\n') + 2 {
                n if rest.get(n - 1) == Some(&b'"') => n,
                _ => return Err(syntax(text, at, "a string that does not end")),
            },
            _ if TWO.iter().any(|two| rest.starts_with(two.as_bytes())) => 2,
            _ if ONE.contains(&byte) => 1,
            _ => return Err(syntax(text, at, UNKNOWN)),
        };
        let token = text.get(at..at + length);
        let token = token.ok_or_else(|| syntax(text, at, UNKNOWN))?;
        list.add(Token { text: token, start: at }, budget)?;
        at += length;
        within(list.len(), limits::MAX_TOKENS, "tokens of a program")?;
    }
    list.add(Token { text: "", start: text.len() }, budget)?;
    Ok(list)
}

/// The length of something, if it is within its limit.
fn within(length: usize, most: usize, what: &'static str) -> Result<usize, Reason> {
    if length > most { Err(Reason::Limit(what)) } else { Ok(length) }
}

/// The digest of a program: SHA-256 over its tokens, each followed by a line feed.
pub(crate) fn digest(tokens: &Seq<Token<'_>>, budget: &Budget) -> Result<Digest, Spent> {
    let all = tokens.walk(budget)?.filter(|t| !t.text.is_empty());
    Ok(Digest::of(all.flat_map(|t| [t.text.as_bytes(), b"\n"])))
}

/// The text that [`digest`] hashes.
pub(crate) fn statement(tokens: &Seq<Token<'_>>, budget: &Budget) -> Result<String, Spent> {
    let all = tokens.walk(budget)?.filter(|t| !t.text.is_empty());
    Ok(all.flat_map(|t| [t.text, "\n"]).collect())
}

/// A syntax error at a byte offset.
pub(crate) fn syntax(text: &str, at: usize, what: impl Into<String>) -> Reason {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = before[line_start..].chars().count() + 1;
    Reason::Syntax(before.matches('\n').count() + 1, column, what.into())
}

fn run(bytes: &[u8], more: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| more(**b)).count()
}

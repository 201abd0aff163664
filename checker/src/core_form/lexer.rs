//! Tokens of the core form, and the program's digest over them (SPEC.md sections 2.3 and 4.1).

use crate::error::Reason;
use threadproof_format::{Digest, limits};

/// A token: its text and the byte offset where it begins. The last one is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub start: usize,
}

const TWO: [&str; 8] = [":=", "==", "!=", "<=", ">=", "&&", "||", "->"];
const ONE: &[u8] = b";:{}()[],<>!+-*#.";

/// Splits a text into tokens. White space and `//` comments are dropped.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Reason> {
    if text.len() > limits::MAX_BYTES {
        return Err(Reason::Limit("bytes of a program"));
    }
    let bytes = text.as_bytes();
    let mut list = Vec::new();
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
            b'0'..=b'9' => run(rest, |b| b.is_ascii_digit()),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                run(rest, |b| b.is_ascii_alphanumeric() || b == b'_')
            }
            b'"' => match run(&rest[1..], |b| b != b'"' && b != b'\n') + 2 {
                n if rest.get(n - 1) == Some(&b'"') => n,
                _ => return Err(syntax(text, at, "a string that does not end")),
            },
            _ if TWO.iter().any(|two| rest.starts_with(two.as_bytes())) => 2,
            _ if ONE.contains(&byte) => 1,
            _ => {
                return Err(syntax(text, at, "a character that the core form does not use"));
            }
        };
        let token = text.get(at..at + length);
        let token = token.ok_or_else(|| syntax(text, at, "a broken character"))?;
        list.push(Token { text: token, start: at });
        at += length;
        if list.len() > limits::MAX_TOKENS {
            return Err(Reason::Limit("tokens of a program"));
        }
    }
    list.push(Token { text: "", start: text.len() });
    Ok(list)
}

/// The digest of a program: SHA-256 over its tokens, each followed by a line feed.
pub(crate) fn digest(tokens: &[Token<'_>]) -> Digest {
    let all = tokens.iter().filter(|t| !t.text.is_empty());
    Digest::of(all.flat_map(|t| [t.text.as_bytes(), b"\n"]))
}

/// The text that [`digest`] hashes.
pub(crate) fn statement(tokens: &[Token<'_>]) -> String {
    let all = tokens.iter().filter(|t| !t.text.is_empty());
    all.flat_map(|t| [t.text, "\n"]).collect()
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

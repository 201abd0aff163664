//! The preprocessed text: its tree, and where in the C files each part of it comes from.

use crate::frontend::c::error::{Fault, Problem};
use crate::text::diagnostics::{Diagnostic, Diagnostics, Origin};
use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, parse_preprocessed};
use lang_c::span::Span;

/// Brackets inside each other.
const MAX_BRACKETS: usize = 200;
/// Tokens between two of `;`, `{` and `}`, and `else` in the whole text: what the parser recurses
/// on.
const MAX_TOKENS: usize = 20_000;
/// Characters of the text that a note shows.
const MAX_TEXT: usize = 72;

/// A preprocessed text.
pub(crate) struct Source {
    text: String,
    /// For each line that begins at a byte: its file and number in the C source.
    lines: Vec<(usize, usize, usize)>,
    files: Vec<String>,
}

/// A place in the C source: file and line, from 1.
pub(crate) struct Position<'a> {
    pub file: &'a str,
    pub line: usize,
}

impl Source {
    /// Reads the line markers of a preprocessed text. `name` is the file if there are none.
    pub(crate) fn new(name: &str, text: String) -> Self {
        let mut source =
            Source { text: String::new(), lines: Vec::new(), files: vec![name.to_owned()] };
        let (mut file, mut number, mut at) = (0, 1, 0);
        for line in text.split_inclusive('\n') {
            source.lines.push((at, file, number));
            number += 1;
            if let Some((next, name)) = marker(line) {
                number = next;
                let known = source.files.iter().position(|f| *f == name);
                file = known.unwrap_or_else(|| {
                    source.files.push(name);
                    source.files.len() - 1
                });
            }
            at += line.len();
        }
        source.text = text;
        source
    }

    /// Parses the text.
    pub(crate) fn parse(&self) -> Result<TranslationUnit, Fault> {
        self.shallow()?;
        let config =
            Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
        match parse_preprocessed(&config, self.text.clone()) {
            Ok(parsed) => Ok(parsed.unit),
            Err(error) => {
                let at = error.offset.min(self.text.len());
                let token = self.text[at..].split_whitespace().next().unwrap_or("the end");
                Err(Fault::wrong(at, format!("syntax error before `{token}`")))
            }
        }
    }

    /// The parser recurses: it gets nothing that is nested deeply.
    fn shallow(&self) -> Result<(), Fault> {
        let (mut depth, mut tokens, mut elses) = (0_usize, 0_usize, 0_usize);
        let bytes = self.text.as_bytes();
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            at += 1;
            match bytes[start] {
                b'"' | b'\'' => {
                    while at < bytes.len() && bytes[at] != bytes[start] {
                        at += if bytes[at] == b'\\' { 2 } else { 1 };
                    }
                    at += 1;
                }
                b'{' | b'(' | b'[' => depth += 1,
                b'}' | b')' | b']' => depth = depth.saturating_sub(1),
                b if word(b) => {
                    while at < bytes.len() && word(bytes[at]) {
                        at += 1;
                    }
                    elses += usize::from(&bytes[start..at] == b"else");
                }
                b if b.is_ascii_whitespace() => continue,
                _ => {}
            }
            tokens = if matches!(bytes[start], b';' | b'{' | b'}') { 0 } else { tokens + 1 };
            if depth > MAX_BRACKETS || tokens > MAX_TOKENS || elses > MAX_TOKENS {
                return Err(Fault::wrong(start, "the text is nested too deeply"));
            }
        }
        Ok(())
    }

    /// Whether the text has one of some words.
    pub(crate) fn mentions(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.text.contains(word))
    }

    /// Where a byte of the preprocessed text comes from.
    pub(crate) fn place(&self, at: usize) -> Position<'_> {
        let index = self.lines.partition_point(|(start, ..)| *start <= at).saturating_sub(1);
        let (_, file, line) = self.lines.get(index).copied().unwrap_or((0, 0, 1));
        Position { file: &self.files[file], line }
    }

    /// Problems with the lines of the C files that they are in.
    pub(crate) fn diagnose(&self, problems: Vec<Problem>) -> Diagnostics {
        let mut origins = Vec::new();
        let mut items = Vec::new();
        for Problem { at, message, hint } in problems {
            let at = self.text.floor_char_boundary(at);
            let start = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let Position { file, line } = self.place(at);
            origins.push(Origin { start, file: file.to_owned(), line });
            let span = at..at + token(&self.text[at..]);
            items.push(Diagnostic { span, message, hint: hint.map(str::to_owned) });
        }
        Diagnostics::preprocessed(&self.text, origins, items)
    }

    /// `pool.c:12`
    pub(crate) fn line(&self, at: usize) -> String {
        let place = self.place(at);
        let file = place.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let file: String = file.chars().filter(|c| !c.is_control()).collect();
        format!("{file}:{}", place.line)
    }

    /// `pool.c:12: x = 1`, with the text on one line, cut off when it is long.
    pub(crate) fn note(&self, span: Span) -> String {
        let text = self.text.get(span.start..span.end).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        let text = words.join(" ");
        let cut: String = text.chars().take(MAX_TEXT).collect();
        let more = if cut.len() < text.len() { " ..." } else { "" };
        format!("{}: {cut}{more}", self.line(span.start))
    }
}

/// A file, and those that line markers name and that are no headers of the system.
pub(crate) fn own_files(first: &str, text: &str) -> Vec<String> {
    let mut out = vec![first.to_owned()];
    for line in text.lines() {
        let system = |flags: &str| flags.split_whitespace().any(|flag| flag == "3");
        if line.rsplit_once('"').is_some_and(|(_, flags)| !system(flags))
            && let Some((_, name)) = marker(line)
            && !out.contains(&name)
        {
            out.push(name);
        }
    }
    out
}

/// A line marker: the number of the next line, and its file.
fn marker(line: &str) -> Option<(usize, String)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.trim_end().split_once(' ')?;
    let name = rest.strip_prefix('"')?;
    let (name, _) = name.rsplit_once('"')?;
    Some((number.parse().ok()?, name.to_owned()))
}

/// The length of the word or character that a text begins with; none of a space.
fn token(text: &str) -> usize {
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let first = text.chars().next().filter(|c| !c.is_whitespace());
    word.max(first.map_or(0, char::len_utf8))
}

//! Where an edge comes from, as a comment of the core form.

use super::super::ast::Span;

/// Characters of a statement that a note shows.
const MAX_TEXT: usize = 72;

/// Makes notes for one source text.
pub(super) struct Notes<'a> {
    file: &'a str,
    /// The text, its comments blank.
    source: &'a str,
    /// Where the lines start.
    lines: &'a [usize],
    /// The calls that are being inlined.
    calls: Vec<usize>,
}

impl<'a> Notes<'a> {
    /// `file` may be a path; notes show its last part.
    pub(super) fn new(file: &'a str, source: &'a str, lines: &'a [usize]) -> Self {
        let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
        Notes { file, source, lines, calls: Vec::new() }
    }

    pub(super) fn enter(&mut self, call: &Span) {
        self.calls.push(line(self.lines, call.start));
    }

    pub(super) fn leave(&mut self) {
        self.calls.pop();
    }

    /// `pool.tp:12`
    pub(super) fn place(&self, span: &Span) -> String {
        let file: String = self.file.chars().filter(|c| !c.is_control()).collect();
        format!("{file}:{}", line(self.lines, span.start))
    }

    /// `pool.tp:12: lock(m);`
    pub(super) fn statement(&self, span: &Span) -> String {
        self.note(span, &self.text(span))
    }

    /// The same for an invariant or hint; the span is its formula's.
    pub(super) fn clause(&self, word: &str, span: &Span) -> String {
        self.note(span, &format!("{word} ({});", self.text(span)))
    }

    /// The same for a condition that came out as `value`.
    pub(super) fn condition(&self, span: &Span, value: bool) -> String {
        let text = self.text(span);
        match value {
            true => self.note(span, &text),
            false if text.starts_with('(') && text.ends_with(')') => {
                self.note(span, &format!("!{text}"))
            }
            false => self.note(span, &format!("!({text})")),
        }
    }

    fn note(&self, span: &Span, text: &str) -> String {
        let place = self.place(span);
        let calls: Vec<String> = self.calls.iter().rev().map(usize::to_string).collect();
        match calls.is_empty() {
            true => format!("{place}: {text}"),
            false => format!("{place}: {text} (called at {})", calls.join(", ")),
        }
    }

    /// The source text on one line, cut off when it is long.
    fn text(&self, span: &Span) -> String {
        let words: Vec<&str> = self.source[span.clone()].split_whitespace().collect();
        let text = words.join(" ");
        if text.chars().count() <= MAX_TEXT {
            return text;
        }
        let cut: String = text.chars().take(MAX_TEXT).collect();
        format!("{cut} ...")
    }
}

/// Where the lines of a text start.
pub(super) fn line_starts(source: &str) -> Vec<usize> {
    let newlines = source.bytes().enumerate().filter(|(_, b)| *b == b'\n');
    std::iter::once(0).chain(newlines.map(|(i, _)| i + 1)).collect()
}

/// The line, from 1, that a byte is on.
pub(super) fn line(lines: &[usize], at: usize) -> usize {
    lines.partition_point(|start| *start <= at)
}

//! What is wrong with a source text: every error with its place, the source line and a hint.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// One error of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The bytes of the source that the error is about.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// How to put it right.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// An error without a hint.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into(), hint: None }
    }

    /// The same error with a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// A line of a preprocessed text, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The byte where the line begins.
    pub start: usize,
    /// The file.
    pub file: String,
    /// The line in the file, from 1.
    pub line: usize,
}

/// The errors of one source text, in the order of their places. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    source: String,
    /// Lines with errors of a preprocessed text, in their order.
    origins: Vec<Origin>,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Sorts the errors by place; an error that is reported twice is kept once.
    pub fn new(file: &str, source: &str, mut items: Vec<Diagnostic>) -> Self {
        items.sort_by(|a, b| (a.span.start, &a.message).cmp(&(b.span.start, &b.message)));
        items.dedup();
        let (file, source) = (file.to_owned(), source.to_owned());
        Diagnostics { file, source, origins: Vec::new(), items }
    }

    /// The errors of a preprocessed text, with the origin of each line that has one.
    pub fn preprocessed(source: &str, mut origins: Vec<Origin>, items: Vec<Diagnostic>) -> Self {
        origins.sort_by_key(|origin| origin.start);
        Diagnostics { origins, ..Diagnostics::new("", source, items) }
    }

    /// The errors.
    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// The file that an error is in.
    pub fn file(&self, item: &Diagnostic) -> &str {
        self.origin(item).map_or(&self.file, |origin| &origin.file)
    }

    /// Line and column of an error, both from 1; the column counts characters.
    pub fn position(&self, item: &Diagnostic) -> (usize, usize) {
        let before = self.source.get(..item.span.start).unwrap_or(&self.source);
        let line = || before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.origin(item).map_or_else(line, |origin| origin.line);
        (line, before[start..].chars().count() + 1)
    }

    /// Where the line of an error comes from.
    fn origin(&self, item: &Diagnostic) -> Option<&Origin> {
        self.origins.iter().rev().find(|origin| origin.start <= item.span.start)
    }

    /// The source line of an error with its number, and the error's place in it. Of a text that is
    /// not preprocessed it is all lines.
    fn excerpt(&self, item: &Diagnostic) -> (&str, usize, Range<usize>) {
        let Some(origin) = self.origin(item) else { return (&self.source, 1, item.span.clone()) };
        let text = self.source.get(origin.start..).unwrap_or_default();
        let line = text.lines().next().unwrap_or_default();
        // A line marker is in none of the files.
        let line = if line.starts_with('#') { "" } else { line };
        let place = |at: usize| (at - origin.start).min(line.len());
        (line, origin.line, place(item.span.start)..place(item.span.end))
    }

    /// All errors as text, with colours if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for item in &self.items {
            let (source, line, span) = self.excerpt(item);
            let place = AnnotationKind::Primary.span(span);
            let snippet =
                Snippet::source(source).line_start(line).path(self.file(item)).annotation(place);
            let mut group = Level::ERROR.primary_title(&item.message).element(snippet);
            if let Some(hint) = &item.hint {
                group = group.element(Level::HELP.message(hint));
            }
            out.push_str(&renderer.render(&[group]));
            out.push_str("\n\n");
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
        out
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

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

/// The errors of one source text, in the order of their places. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics {
    file: String,
    source: String,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Sorts the errors by place; an error that is reported twice is kept once.
    pub fn new(file: &str, source: &str, mut items: Vec<Diagnostic>) -> Self {
        items.sort_by(|a, b| (a.span.start, &a.message).cmp(&(b.span.start, &b.message)));
        items.dedup();
        Diagnostics { file: file.to_owned(), source: source.to_owned(), items }
    }

    /// The errors.
    pub fn items(&self) -> &[Diagnostic] {
        &self.items
    }

    /// The name of the source text.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Line and column of an error, both from 1; the column counts characters.
    pub fn position(&self, item: &Diagnostic) -> (usize, usize) {
        let before = self.source.get(..item.span.start).unwrap_or(&self.source);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// All errors as text, with colours if `colour`.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let mut out = String::new();
        for item in &self.items {
            let place = AnnotationKind::Primary.span(item.span.clone());
            let snippet = Snippet::source(&self.source).path(&self.file).annotation(place);
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

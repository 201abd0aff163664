//! Words, signs and what to say when another one was expected.

use crate::text::Diagnostic;
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while};
use nom::character::complete::{alpha1, alphanumeric1, digit1, multispace0};
use nom::combinator::recognize;
use nom::error::{ErrorKind, ParseError};
use nom::multi::many0_count;
use nom::sequence::{pair, terminated};
use nom::{Err, IResult};
use std::cell::{Cell, RefCell};
use std::ops::Range;

/// Bytes of the source.
pub type Span = Range<usize>;

/// An identifier where it stands.
#[derive(Clone, Debug)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// Words that cannot be names.
const KEYWORDS: [&str; 28] = [
    "global",
    "local",
    "int",
    "bool",
    "lock",
    "void",
    "init",
    "thread",
    "atomic",
    "if",
    "else",
    "while",
    "assume",
    "assert",
    "havoc",
    "unlock",
    "cas",
    "goto",
    "break",
    "continue",
    "return",
    "true",
    "false",
    "for",
    "do",
    "switch",
    "invariant",
    "hint",
];

/// Levels of nesting of statements and parentheses.
const MAX_NESTING: usize = 100;
/// Operators on a path of one expression; the later passes recurse as deep as that.
pub(crate) const MAX_OPERATORS: usize = 200;

/// Why a parser failed, and where.
#[derive(Debug)]
pub(crate) struct Syntax<'a> {
    /// The text from the error on.
    pub rest: &'a str,
    /// What is wrong; empty where an alternative simply does not apply.
    pub message: String,
    /// How to put it right.
    pub hint: Option<String>,
}

impl<'a> ParseError<&'a str> for Syntax<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Syntax { rest, message: String::new(), hint: None }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Result of a parser: the rest of the text and what was read.
pub(crate) type Parsed<'a, T> = IResult<&'a str, T, Syntax<'a>>;

/// The text being parsed (its comments are blank), and the errors found so far.
pub(crate) struct Parser<'a> {
    pub source: &'a str,
    pub errors: RefCell<Vec<Diagnostic>>,
    depth: Cell<usize>,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(source: &'a str) -> Self {
        Parser { source, errors: RefCell::default(), depth: Cell::new(0) }
    }

    /// Every text that is parsed is a suffix of the source, so its length tells its place.
    pub(crate) fn offset(&self, rest: &str) -> usize {
        self.source.len() - rest.len()
    }

    /// From the start of one suffix to the last token before another one.
    pub(crate) fn span(&self, from: &str, to: &str) -> Span {
        let (start, end) = (self.offset(from), self.offset(to));
        start..start + self.source[start..end].trim_end().len()
    }

    /// Runs a parser one level deeper.
    pub(crate) fn nested<T>(
        &self,
        i: &'a str,
        parser: impl FnOnce(&'a str) -> Parsed<'a, T>,
    ) -> Parsed<'a, T> {
        if self.depth.get() >= MAX_NESTING {
            return fail(i, format!("nested more than {MAX_NESTING} levels deep"));
        }
        self.depth.set(self.depth.get() + 1);
        let result = parser(i);
        self.depth.set(self.depth.get() - 1);
        result
    }

    /// The sign, or an error that says what stands there instead.
    pub(crate) fn expect(&self, i: &'a str, sign: &'static str) -> Parsed<'a, ()> {
        symbol(i, sign).or_else(|_| fail(i, format!("expected `{sign}`, found {}", found(i))))
    }

    /// A name that is not a keyword; `what` is what it would be the name of.
    pub(crate) fn name(&self, i: &'a str, what: &str) -> Parsed<'a, Name> {
        match word(i) {
            Ok((rest, text)) if !KEYWORDS.contains(&text) => {
                let span = self.span(i, rest);
                let text = text.to_owned();
                Ok((rest, Name { text, span }))
            }
            Ok((_, text)) => fail(i, format!("expected {what}, found the keyword `{text}`")),
            Err(_) => fail(i, format!("expected {what}, found {}", found(i))),
        }
    }

    /// Records an error. What is missing at the end of a line is reported there.
    pub(crate) fn report(&self, error: &Syntax<'a>) {
        let start = self.offset(error.rest);
        let before = self.source[..start].trim_end().len();
        let missing = self.source[before..start].contains('\n') || error.rest.is_empty();
        let expected = error.message.starts_with("expected `");
        let span = if missing && expected && before > 0 {
            let last = self.source[..before].chars().next_back();
            before - last.map_or(0, char::len_utf8)..before
        } else {
            start..start + token(error.rest).len()
        };
        let mut item = Diagnostic::new(span, error.message.clone());
        item.hint.clone_from(&error.hint);
        self.errors.borrow_mut().push(item);
    }
}

/// An error that no alternative can mend.
pub(crate) fn fail<T>(rest: &str, message: impl Into<String>) -> Parsed<'_, T> {
    Err(Err::Failure(Syntax { rest, message: message.into(), hint: None }))
}

/// The same with a hint.
pub(crate) fn fail_hint<'a, T>(
    rest: &'a str,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Parsed<'a, T> {
    Err(Err::Failure(Syntax { rest, message: message.into(), hint: Some(hint.into()) }))
}

/// An identifier or keyword, and the space after it.
pub(crate) fn word(i: &str) -> Parsed<'_, &str> {
    let start = alt((alpha1, tag("_")));
    let next = many0_count(alt((alphanumeric1, tag("_"))));
    terminated(recognize(pair(start, next)), multispace0).parse(i)
}

/// Whether the keyword stands next.
pub(crate) fn keyword<'a>(i: &'a str, wanted: &str) -> Option<&'a str> {
    word(i).ok().filter(|(_, w)| *w == wanted).map(|(rest, _)| rest)
}

/// The sign, and the space after it. `=` is not the start of `==`.
pub(crate) fn symbol<'a>(i: &'a str, sign: &'static str) -> Parsed<'a, ()> {
    let (rest, ()) = tag(sign).map(|_| ()).parse(i)?;
    if sign == "=" && rest.starts_with('=') {
        return Err(Err::Error(Syntax::from_error_kind(i, ErrorKind::Tag)));
    }
    multispace0.map(|_| ()).parse(rest)
}

/// The text of the token at the start: a word, a number, or a sign of one or two characters.
pub(crate) fn token(i: &str) -> &str {
    let run = take_while::<_, _, Syntax<'_>>(|c: char| c.is_alphanumeric() || c == '_');
    let two = ["==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "->"];
    match digit1::<_, Syntax<'_>>(i) {
        Ok((_, number)) => number,
        Err(_) => match recognize(run).parse(i) {
            Ok((_, text)) if !text.is_empty() => text,
            _ => match two.iter().find(|t| i.starts_with(**t)) {
                Some(sign) => &i[..sign.len()],
                None => &i[..i.chars().next().map_or(0, char::len_utf8)],
            },
        },
    }
}

/// The token at the start, as an error names it.
pub(crate) fn found(i: &str) -> String {
    match token(i) {
        "" => "the end of the file".to_owned(),
        text => format!("`{}`", text.escape_debug()),
    }
}

//! Abstract threads: state machines over the globals. Their words are no keywords elsewhere.

use super::super::ast::{Abstraction, Edge, Expr, Finite, Name, Node, Said, Type};
use crate::text::token::{Parsed, Parser, Syntax, fail, fail_hint, found, keyword, symbol, word};
use nom::character::complete::{digit1, multispace0};
use num_bigint::BigInt;
use threadproof_format::limits::MAX_DIGITS;

/// A relation, and what may change after `unchanged`.
pub(super) type Relation = (Option<Expr>, Option<Vec<Name>>);

impl Abstraction {
    /// An abstract thread without parts.
    pub(super) fn new(name: Name, abstracts: Option<Name>) -> Self {
        let (locals, nodes, edges) = Default::default();
        let (common, environment) = Default::default();
        Abstraction { name, abstracts, locals, common, environment, nodes, edges }
    }
}

impl<'a> Parser<'a> {
    /// An abstract thread, behind the word `abstract`.
    pub(super) fn abstraction(&self, i: &'a str) -> Parsed<'a, Abstraction> {
        let (i, name) = self.name(i, "the name of an abstract thread")?;
        let (i, abstracts) = self.abstracts(i)?;
        let (mut i, ()) = self.expect(i, "{")?;
        let mut out = Abstraction::new(name, abstracts);
        loop {
            if let Ok((rest, ())) = symbol(i, "}") {
                return Ok((rest, out));
            }
            i = self.next_part(i, |i| self.part(i, &mut out))?;
        }
    }

    /// One part of an abstract thread. After an error in it the next one is read.
    pub(super) fn next_part(
        &self,
        i: &'a str,
        part: impl FnOnce(&'a str) -> Parsed<'a, ()>,
    ) -> Result<&'a str, nom::Err<Syntax<'a>>> {
        if i.is_empty() {
            return fail(i, "expected `}`, found the end of the file").map(|(rest, ())| rest);
        }
        match part(i) {
            Ok((rest, ())) => Ok(rest),
            Err(error) => self.recover(error),
        }
    }

    /// `abstracts W`, or nothing.
    pub(super) fn abstracts(&self, i: &'a str) -> Parsed<'a, Option<Name>> {
        match keyword(i, "abstracts") {
            Some(rest) => {
                let (rest, name) = self.name(rest, "the name of an abstract thread")?;
                Ok((rest, Some(name)))
            }
            None => Ok((i, None)),
        }
    }

    fn part(&self, i: &'a str, out: &mut Abstraction) -> Parsed<'a, ()> {
        match word(i) {
            Ok((rest, "local")) => {
                let (rest, locals) = self.finite(rest)?;
                out.locals.extend(locals);
                Ok((rest, ()))
            }
            Ok((rest, "common")) => {
                let (rest, ()) = self.expect_word(rest, "assertion")?;
                let (rest, assertion) = self.said(i, rest)?;
                out.common.push(assertion);
                Ok((rest, ()))
            }
            Ok((_, "initial" | "node")) => {
                let (rest, node) = self.node(i)?;
                out.nodes.push(node);
                Ok((rest, ()))
            }
            Ok((rest, "edge")) => {
                let (rest, edge) = self.edge(i, rest)?;
                out.edges.push(edge);
                Ok((rest, ()))
            }
            _ => fail_hint(
                i,
                format!("expected a part of an abstract thread, found {}", found(i)),
                "in an abstract thread stand `local`, `common assertion`, `initial node`, `node` and `edge`",
            ),
        }
    }

    /// `(formula);`, said from `start` on.
    pub(super) fn said(&self, start: &'a str, i: &'a str) -> Parsed<'a, Said> {
        let (i, formula) = self.parenthesised(i)?;
        let (i, ()) = self.expect(i, ";")?;
        Ok((i, Said { formula, span: self.span(start, i) }))
    }

    /// A word that is a keyword only where it stands.
    fn expect_word(&self, i: &'a str, wanted: &str) -> Parsed<'a, ()> {
        match keyword(i, wanted) {
            Some(rest) => Ok((rest, ())),
            None => fail(i, format!("expected `{wanted}`, found {}", found(i))),
        }
    }

    /// `int k in 0..3 = 1, j in 0..1;` or `bool b;`
    fn finite(&self, i: &'a str) -> Parsed<'a, Vec<Finite>> {
        let (mut i, kind) = self.kind_word(i)?;
        let mut out = Vec::new();
        loop {
            let (rest, local) = self.finite_local(i, kind)?;
            out.push(local);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.expect(rest, ";").map(|(rest, ())| (rest, out)),
            }
        }
    }

    fn finite_local(&self, i: &'a str, kind: Type) -> Parsed<'a, Finite> {
        let (mut i, mut decl) = self.named(i, kind)?;
        let mut range = None;
        if let Some(start) = keyword(i, "in") {
            let (rest, least) = self.bound(start)?;
            let (rest, ()) = self.expect(rest, "..")?;
            let (rest, greatest) = self.bound(rest)?;
            range = Some((least, greatest, self.span(start, rest)));
            i = rest;
        }
        (i, decl.init) = self.initial_value(i)?;
        Ok((i, Finite { decl, range }))
    }

    /// A bound of a range: an integer, which may have a sign.
    fn bound(&self, i: &'a str) -> Parsed<'a, BigInt> {
        let (rest, negative) = match symbol(i, "-") {
            Ok((rest, ())) => (rest, true),
            Err(_) => (i, false),
        };
        let digits: Parsed<'a, &str> = digit1(rest);
        match digits.map(|(rest, digits)| (rest, digits.len(), digits.parse::<BigInt>())) {
            Ok((rest, length, Ok(value))) if length <= MAX_DIGITS => {
                let (rest, _) = multispace0(rest)?;
                Ok((rest, if negative { -value } else { value }))
            }
            _ => fail_hint(
                rest,
                format!("expected a bound of a range, found {}", found(rest)),
                "write `int k in 0..3` for the values 0, 1, 2 and 3",
            ),
        }
    }

    fn node(&self, start: &'a str) -> Parsed<'a, Node> {
        let (i, initial) = match keyword(start, "initial") {
            Some(rest) => (rest, true),
            None => (start, false),
        };
        let (i, ()) = self.expect_word(i, "node")?;
        let (mut i, name) = self.name(i, "the name of a node")?;
        let mut formula = None;
        if i.starts_with('(') {
            let (rest, e) = self.parenthesised(i)?;
            formula = Some(e);
            i = rest;
        }
        let (i, ()) = self.expect(i, ";")?;
        let span = self.span(start, i);
        let said = |formula| Said { formula, span: span.clone() };
        let assertions = formula.map(said).into_iter().collect();
        Ok((i, Node { name, initial, assertions, span }))
    }

    /// An edge; `start` stands at the word, `i` behind it.
    fn edge(&self, start: &'a str, i: &'a str) -> Parsed<'a, Edge> {
        let (i, source) = self.name(i, "the name of a node")?;
        let (i, ()) = self.expect(i, "->")?;
        let (i, target) = self.name(i, "the name of a node")?;
        let (i, (relation, unchanged)) = self.relation(i)?;
        Ok((i, Edge { source, target, relation, unchanged, span: self.span(start, i) }))
    }

    /// `(formula) unchanged except (x, y);`, all of it optional but the semicolon.
    pub(super) fn relation(&self, mut i: &'a str) -> Parsed<'a, Relation> {
        let (mut relation, mut unchanged) = (None, None);
        if i.starts_with('(') {
            let (rest, formula) = self.parenthesised(i)?;
            relation = Some(formula);
            i = rest;
        }
        if let Some(rest) = keyword(i, "unchanged") {
            let (rest, except) = self.except(rest)?;
            unchanged = Some(except);
            i = rest;
        }
        let (i, ()) = self.expect(i, ";")?;
        Ok((i, (relation, unchanged)))
    }

    /// `except (x, y)`, or nothing.
    fn except(&self, i: &'a str) -> Parsed<'a, Vec<Name>> {
        let mut out = Vec::new();
        let Some(rest) = keyword(i, "except") else { return Ok((i, out)) };
        let (mut i, ()) = self.expect(rest, "(")?;
        loop {
            let (rest, name) = self.name(i, "the name of a variable")?;
            out.push(name);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.expect(rest, ")").map(|(rest, ())| (rest, out)),
            }
        }
    }
}

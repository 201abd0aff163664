//! Expressions, with C's precedence.

use super::super::ast::{Binary, Expr, ExprKind, Name};
use crate::text::token::{MAX_OPERATORS, Parsed, Parser, fail, fail_hint, found, symbol, word};
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{digit1, multispace0};
use nom::combinator::value;
use nom::sequence::terminated;
use num_bigint::BigInt;
use threadproof_format::Cmp;
use threadproof_format::limits::MAX_DIGITS;

/// A sign between two operands and how strongly it binds; 1 is the weakest.
fn operator(i: &str) -> Parsed<'_, (Binary, u8)> {
    let sign = alt((
        value((Binary::Or, 1), tag("||")),
        value((Binary::And, 2), tag("&&")),
        value((Binary::Cmp(Cmp::Eq), 3), tag("==")),
        value((Binary::Cmp(Cmp::Ne), 3), tag("!=")),
        value((Binary::Cmp(Cmp::Le), 4), tag("<=")),
        value((Binary::Cmp(Cmp::Ge), 4), tag(">=")),
        value((Binary::Cmp(Cmp::Lt), 4), tag("<")),
        value((Binary::Cmp(Cmp::Gt), 4), tag(">")),
        value((Binary::Add, 5), tag("+")),
        value((Binary::Sub, 5), tag("-")),
        value((Binary::Mul, 6), tag("*")),
        value((Binary::Div, 6), tag("/")),
        value((Binary::Mod, 6), tag("%")),
    ));
    terminated(sign, multispace0).parse(i)
}

impl<'a> Parser<'a> {
    /// An expression.
    pub(super) fn expression(&self, i: &'a str) -> Parsed<'a, Expr> {
        self.nested(i, |i| self.binary(i, 1))
    }

    /// Operands joined by signs that bind at least as strongly as `least`.
    fn binary(&self, i: &'a str, least: u8) -> Parsed<'a, Expr> {
        let start = i;
        let (mut i, mut left) = self.unary(i)?;
        while let Ok((rest, (sign, strength))) = operator(i) {
            if strength < least {
                break;
            }
            let (rest, right) = self.binary(rest, strength + 1)?;
            let depth = left.depth.max(right.depth) + 1;
            if depth > MAX_OPERATORS {
                return fail_hint(
                    start,
                    format!("an expression of more than {MAX_OPERATORS} operators in a chain"),
                    "split it into several statements",
                );
            }
            let span = left.span.start..right.span.end;
            let kind = ExprKind::Binary(sign, Box::new(left), Box::new(right));
            left = Expr { kind, span, depth };
            i = rest;
        }
        Ok((i, left))
    }

    fn unary(&self, i: &'a str) -> Parsed<'a, Expr> {
        let wrap: fn(Box<Expr>) -> ExprKind = if i.starts_with('!') && !i.starts_with("!=") {
            ExprKind::Not
        } else if i.starts_with('-') && !i.starts_with("--") {
            ExprKind::Neg
        } else {
            return self.primary(i);
        };
        let (rest, _) = multispace0(&i[1..])?;
        let (rest, operand) = self.nested(rest, |i| self.unary(i))?;
        let depth = operand.depth + 1;
        self.made(i, rest, wrap(Box::new(operand)), depth)
    }

    fn primary(&self, i: &'a str) -> Parsed<'a, Expr> {
        if i.starts_with(|c: char| c.is_ascii_digit()) {
            return self.number(i);
        }
        if let Ok((rest, ())) = symbol(i, "*") {
            return self.made(i, rest, ExprKind::Any, 1);
        }
        if let Ok((rest, ())) = symbol(i, "(") {
            let (rest, mut inner) = self.expression(rest)?;
            let (rest, ()) = self.expect(rest, ")")?;
            inner.span = self.span(i, rest);
            return Ok((rest, inner));
        }
        match word(i) {
            Ok((rest, "true")) => self.made(i, rest, ExprKind::Bool(true), 1),
            Ok((rest, "false")) => self.made(i, rest, ExprKind::Bool(false), 1),
            Ok((rest, "cas")) => self.cas(i, rest),
            Ok(_) => self.variable(i),
            Err(_) => fail(i, format!("expected an expression, found {}", found(i))),
        }
    }

    fn number(&self, i: &'a str) -> Parsed<'a, Expr> {
        let (rest, digits) = digit1(i)?;
        if rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
            return fail_hint(
                rest,
                "unexpected character in a number",
                "numbers are decimal integers",
            );
        }
        match digits.parse::<BigInt>() {
            Ok(number) if digits.len() <= MAX_DIGITS => {
                let (rest, _) = multispace0(rest)?;
                self.made(i, rest, ExprKind::Int(number), 1)
            }
            _ => fail(i, format!("a number of more than {MAX_DIGITS} digits")),
        }
    }

    /// `cas(place, old, new)`; `i` stands at the word, `rest` behind it.
    fn cas(&self, i: &'a str, rest: &'a str) -> Parsed<'a, Expr> {
        let open = rest;
        let (rest, arguments) = self.arguments(rest)?;
        match <[Expr; 3]>::try_from(arguments) {
            Ok(three) => {
                let depth = three.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
                self.made(i, rest, ExprKind::Cas(Box::new(three)), depth)
            }
            Err(other) => fail_hint(
                open,
                format!("`cas` takes 3 arguments, not {}", other.len()),
                "write `cas(variable, old, new)`",
            ),
        }
    }

    /// A variable or its next value, an array element or a call.
    pub(super) fn variable(&self, i: &'a str) -> Parsed<'a, Expr> {
        let (mut rest, mut name) = self.name(i, "an expression")?;
        if let Some(local) = rest.strip_prefix('.') {
            let (after, local) = self.name(local, "the name of a local")?;
            name =
                Name { text: format!("{}.{}", name.text, local.text), span: self.span(i, after) };
            rest = after;
        } else if let Ok((after, ())) = symbol(rest, "'") {
            name = Name { text: format!("{}'", name.text), span: self.span(i, after) };
            rest = after;
        }
        if rest.starts_with('(') {
            let (rest, arguments) = self.arguments(rest)?;
            let depth = arguments.iter().map(|e| e.depth).max().unwrap_or(0) + 1;
            return self.made(i, rest, ExprKind::Call(name, arguments), depth);
        }
        if let Ok((rest, ())) = symbol(rest, "[") {
            let (rest, index) = self.expression(rest)?;
            let (rest, ()) = self.expect(rest, "]")?;
            if rest.starts_with('[') {
                return fail(rest, "arrays have one dimension");
            }
            let depth = index.depth + 1;
            return self.made(i, rest, ExprKind::Index(name, Box::new(index)), depth);
        }
        self.made(i, rest, ExprKind::Name(name), 1)
    }

    fn arguments(&self, i: &'a str) -> Parsed<'a, Vec<Expr>> {
        let (mut i, ()) = self.expect(i, "(")?;
        let mut out = Vec::new();
        if let Ok((rest, ())) = symbol(i, ")") {
            return Ok((rest, out));
        }
        loop {
            let (rest, argument) = self.expression(i)?;
            out.push(argument);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.expect(rest, ")").map(|(rest, ())| (rest, out)),
            }
        }
    }

    /// A variable or an array element, to be written to.
    pub(super) fn place(&self, i: &'a str) -> Parsed<'a, Expr> {
        let (rest, place) = self.variable(i)?;
        match place.kind {
            ExprKind::Call(..) => fail(i, "a call cannot be written to"),
            _ => Ok((rest, place)),
        }
    }

    fn made(&self, from: &'a str, to: &'a str, kind: ExprKind, depth: usize) -> Parsed<'a, Expr> {
        let span = self.span(from, to);
        Ok((to, Expr { kind, span, depth }))
    }

    /// A condition in parentheses.
    pub(super) fn parenthesised(&self, i: &'a str) -> Parsed<'a, Expr> {
        let (rest, ()) = self.expect(i, "(")?;
        let (rest, e) = self.expression(rest)?;
        let (rest, ()) = self.expect(rest, ")")?;
        Ok((rest, e))
    }
}

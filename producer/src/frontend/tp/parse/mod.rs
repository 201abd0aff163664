//! From the text to the syntax tree.
//!
//! The parser is predictive: the first word of a statement decides. An error therefore has one
//! place, and parsing goes on behind the statement that it is in.

mod abstraction;
mod expression;
mod specification;
mod statement;

use super::ast::{Body, Clause, Count, Decl, Expr, Procedure, Thread, Type, Unit};
use crate::source::AnnotationKind;
use crate::text::Diagnostic;
use crate::text::token::{Parsed, Parser, fail, fail_hint, found, keyword, symbol, word};
use nom::character::complete::{digit1, multispace0};

/// Threads of one template that are written out (`thread t[3]`).
const MAX_THREADS: u32 = 64;

/// Parses a text whose comments are blank.
pub(super) fn unit(source: &str) -> Result<Unit, Vec<Diagnostic>> {
    let parser = Parser::new(source);
    let mut unit = Unit::default();
    let mut i = source.trim_start();
    while !i.is_empty() {
        i = match parser.item(i, &mut unit) {
            Ok((rest, ())) => rest,
            Err(error) => match parser.recover(error) {
                // A closing brace too many stands outside of every block: go on behind it.
                Ok(rest) => rest.strip_prefix('}').unwrap_or(rest).trim_start(),
                Err(nom::Err::Error(last) | nom::Err::Failure(last)) => {
                    parser.report(&last);
                    break;
                }
                Err(nom::Err::Incomplete(_)) => break,
            },
        };
    }
    let errors = parser.errors.into_inner();
    if errors.is_empty() { Ok(unit) } else { Err(errors) }
}

impl<'a> Parser<'a> {
    fn item(&self, i: &'a str, unit: &mut Unit) -> Parsed<'a, ()> {
        match word(i) {
            Ok((rest, "global")) => {
                let (rest, decls) = self.declarations(rest)?;
                unit.globals.extend(decls);
                Ok((rest, ()))
            }
            Ok((rest, "init")) => {
                let (rest, formula) = self.parenthesised(rest)?;
                let (rest, ()) = self.expect(rest, ";")?;
                unit.inits.push(formula);
                Ok((rest, ()))
            }
            Ok((_, "invariant" | "hint")) => {
                let (rest, clause) = self.clause(i, true)?;
                unit.clauses.push(clause);
                Ok((rest, ()))
            }
            Ok((rest, "thread")) => {
                let (rest, thread) = self.thread(rest)?;
                unit.threads.push(thread);
                Ok((rest, ()))
            }
            Ok((rest, "abstract")) => {
                let (rest, abstraction) = self.abstraction(rest)?;
                unit.abstractions.push(abstraction);
                Ok((rest, ()))
            }
            Ok((rest, "specification")) => {
                let (rest, abstraction) = self.specification(i, rest)?;
                unit.abstractions.push(abstraction);
                Ok((rest, ()))
            }
            Ok((_, "void" | "int" | "bool")) => {
                let (rest, procedure) = self.procedure(i)?;
                unit.procedures.push(procedure);
                Ok((rest, ()))
            }
            Ok((_, "lock")) => fail_hint(
                i,
                "a declaration without `global`",
                "variables outside of threads are declared with `global`",
            ),
            _ => fail_hint(
                i,
                format!("expected a declaration, found {}", found(i)),
                "allowed outside of threads are `global`, `init`, `invariant`, `hint`, `thread`, `abstract`, `specification` and procedures",
            ),
        }
    }

    /// `invariant forall worker w, worker v (w.x != v.x);`; `forall` only outside of threads.
    fn clause(&self, i: &'a str, outside: bool) -> Parsed<'a, Clause> {
        let (kind, mut i) = match word(i)? {
            (rest, "invariant") => (AnnotationKind::Invariant, rest),
            (rest, _) => (AnnotationKind::Hint, rest),
        };
        let mut threads = Vec::new();
        if let Some(mut rest) = keyword(i, "forall").filter(|_| outside) {
            loop {
                let (after, template) = self.name(rest, "the name of a thread")?;
                let (after, name) = self.name(after, "a name for one of these threads")?;
                threads.push((template, name));
                match symbol(after, ",") {
                    Ok((after, ())) => rest = after,
                    Err(_) => {
                        i = after;
                        break;
                    }
                }
            }
        }
        let (rest, formula) = self.parenthesised(i)?;
        let (rest, ()) = self.expect(rest, ";")?;
        Ok((rest, Clause { kind, threads, formula }))
    }

    /// `int a[], b = 1;`
    fn declarations(&self, i: &'a str) -> Parsed<'a, Vec<Decl>> {
        let (mut i, kind) = self.kind_word(i)?;
        let mut out = Vec::new();
        loop {
            let (rest, decl) = self.declared(i, kind)?;
            out.push(decl);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.expect(rest, ";").map(|(rest, ())| (rest, out)),
            }
        }
    }

    fn kind_word(&self, i: &'a str) -> Parsed<'a, Type> {
        let (rest, kind) = match word(i) {
            Ok((rest, "int")) => (rest, Type::Int),
            Ok((rest, "bool")) => (rest, Type::Bool),
            Ok((rest, "lock")) => (rest, Type::Lock),
            _ => {
                return fail(i, format!("expected a type (int, bool or lock), found {}", found(i)));
            }
        };
        Ok((rest, kind))
    }

    fn declared(&self, i: &'a str, kind: Type) -> Parsed<'a, Decl> {
        let (i, mut decl) = self.named(i, kind)?;
        let (i, init) = self.initial_value(i)?;
        decl.init = init;
        Ok((i, decl))
    }

    /// `a[]` or `b`
    fn named(&self, i: &'a str, kind: Type) -> Parsed<'a, Decl> {
        let (mut i, name) = self.name(i, "the name of a variable")?;
        let mut array = false;
        if let Ok((rest, ())) = symbol(i, "[") {
            array = true;
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                return fail_hint(
                    rest,
                    "an array with a size",
                    "arrays are unbounded, no bounds are checked: write `[]`",
                );
            }
            (i, ()) = self.expect(rest, "]")?;
        }
        Ok((i, Decl { kind, array, name, init: None }))
    }

    /// `= 1`, or nothing.
    fn initial_value(&self, i: &'a str) -> Parsed<'a, Option<Expr>> {
        match symbol(i, "=") {
            Ok((rest, ())) => self.expression(rest).map(|(rest, value)| (rest, Some(value))),
            Err(_) => Ok((i, None)),
        }
    }

    fn thread(&self, i: &'a str) -> Parsed<'a, Thread> {
        let (mut i, name) = self.name(i, "the name of a thread")?;
        let mut count = Count::Single;
        if let Ok((rest, ())) = symbol(i, "[") {
            let (rest, number) = self.count(rest)?;
            count = number;
            (i, ()) = self.expect(rest, "]")?;
        }
        let (i, abstracts) = self.abstracts(i)?;
        let (i, body) = self.body(i)?;
        Ok((i, Thread { name, count, abstracts, body }))
    }

    fn count(&self, i: &'a str) -> Parsed<'a, Count> {
        if let Ok((rest, ())) = symbol(i, "*") {
            return Ok((rest, Count::Any));
        }
        let digits: Parsed<'a, &str> = digit1(i);
        match digits {
            Ok((rest, digits)) => match digits.parse::<u32>() {
                Ok(n) if (1..=MAX_THREADS).contains(&n) => {
                    let (rest, _) = multispace0(rest)?;
                    Ok((rest, Count::Exactly(n)))
                }
                _ => fail_hint(
                    i,
                    format!("the number of threads must be between 1 and {MAX_THREADS}"),
                    "write `[*]` for any number of threads",
                ),
            },
            Err(_) => fail_hint(
                i,
                format!("expected a number of threads, found {}", found(i)),
                "write `[*]` for any number of threads, or a number",
            ),
        }
    }

    fn procedure(&self, i: &'a str) -> Parsed<'a, Procedure> {
        let start = i;
        let (i, result) = match keyword(i, "void") {
            Some(rest) => (rest, None),
            None => self.kind_word(i).map(|(rest, kind)| (rest, Some(kind)))?,
        };
        let (i, name) = self.name(i, "the name of a procedure")?;
        if !i.starts_with('(') {
            return fail_hint(
                start,
                "a declaration without `global`",
                "variables outside of threads are declared with `global`",
            );
        }
        let (i, params) = self.params(i)?;
        let (i, body) = self.body(i)?;
        Ok((i, Procedure { result, name, params, body }))
    }

    fn params(&self, i: &'a str) -> Parsed<'a, Vec<Decl>> {
        let (mut i, ()) = self.expect(i, "(")?;
        let mut out = Vec::new();
        if let Ok((rest, ())) = symbol(i, ")") {
            return Ok((rest, out));
        }
        if let Some(rest) = keyword(i, "void") {
            return self.expect(rest, ")").map(|(rest, ())| (rest, out));
        }
        loop {
            let (rest, kind) = self.kind_word(i)?;
            let (rest, decl) = self.declared(rest, kind)?;
            out.push(decl);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.expect(rest, ")").map(|(rest, ())| (rest, out)),
            }
        }
    }

    /// Locals, then clauses, then statements, in braces.
    fn body(&self, i: &'a str) -> Parsed<'a, Body> {
        let (mut i, ()) = self.expect(i, "{")?;
        let mut locals = Vec::new();
        while let Some(rest) = keyword(i, "local") {
            match self.declarations(rest) {
                Ok((rest, decls)) => {
                    locals.extend(decls);
                    i = rest;
                }
                Err(error) => i = self.recover(error)?,
            }
        }
        let mut clauses = Vec::new();
        while keyword(i, "invariant").or_else(|| keyword(i, "hint")).is_some() {
            match self.clause(i, false) {
                Ok((rest, clause)) => {
                    clauses.push(clause);
                    i = rest;
                }
                Err(error) => i = self.recover(error)?,
            }
        }
        let (i, code) = self.rest_of_block(i)?;
        Ok((i, Body { locals, clauses, code }))
    }
}

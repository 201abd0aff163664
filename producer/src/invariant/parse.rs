//! The text of invariants (docs/invariants.md). Expressions are those of the core form, and names
//! are its names.

use super::operand::{
    Binary, COMPARISON, Item, data, joined, minus, negated, operator, sorted, truth, wrong,
};
use super::{Assertion, Clause, Invariant};
use crate::text::comments::without_comments;
use crate::text::token::{Parsed, Parser, Syntax, fail, fail_hint, found, keyword, symbol, word};
use crate::text::{Diagnostic, Diagnostics};
use nom::Parser as _;
use nom::character::complete::{digit1, multispace0};
use nom::sequence::terminated;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::scope::Scope;
use threadproof_format::limits::MAX_DIGITS;
use threadproof_format::program::{Program, Template};
use threadproof_format::{Expr, Int, Op, Sort};

/// Reads an invariant of a program.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn parse(program: &Program, file: &str, source: &str) -> Result<Invariant, Diagnostics> {
    let errors = |items| Diagnostics::new(file, source, items);
    let text = without_comments(source).map_err(|e| errors(vec![e]))?;
    let parser = Parser::new(&text);
    let mut invariant = Invariant::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let reader = Reader { parser: &parser, program, names: BTreeMap::new(), threads: vec![] };
        match reader.clause(rest) {
            Ok((after, clause)) => {
                invariant.clauses.push(clause);
                rest = after;
            }
            Err(nom::Err::Error(e) | nom::Err::Failure(e)) => {
                parser.report(&e);
                break;
            }
            Err(nom::Err::Incomplete(_)) => break,
        }
    }
    let found: Vec<Diagnostic> = parser.errors.into_inner();
    if found.is_empty() { Ok(invariant) } else { Err(errors(found)) }
}

/// A reader of one clause.
struct Reader<'p, 'a> {
    parser: &'p Parser<'a>,
    program: &'p Program,
    /// The quantified threads by name.
    names: BTreeMap<&'a str, u32>,
    /// Their templates.
    threads: Vec<u32>,
}

impl<'a> Reader<'_, 'a> {
    /// `invariant forall x: worker, y: worker . formula;`
    fn clause(mut self, i: &'a str) -> Parsed<'a, Clause> {
        let Some(rest) = keyword(i, "invariant") else {
            return fail(i, format!("expected `invariant`, found {}", found(i)));
        };
        // `forall` is a word only here, so that it can be a variable's name.
        let quantified = keyword(rest, "forall").filter(|after| word(after).is_ok());
        let rest = match quantified {
            Some(after) => self.quantifier(after)?,
            None => rest,
        };
        let (rest, formula) = self.formula(rest)?;
        let (rest, ()) = self.parser.expect(rest, ";")?;
        Ok((rest, Clause { threads: self.threads, formula }))
    }

    /// The declarations after `forall`; gives the text behind the dot.
    fn quantifier(&mut self, mut i: &'a str) -> Result<&'a str, nom::Err<Syntax<'a>>> {
        loop {
            let (rest, name) = self.word(i, "a name for a thread")?;
            let mut globals = self.program.globals.iter().filter(|v| v.owner.is_none());
            let variable = globals.any(|v| v.name == name);
            let template = self.program.templates.iter().any(|t| t.name == name);
            if variable || template || self.names.contains_key(name) {
                return fail(i, format!("the name `{name}` is taken")).map(|(rest, ())| rest);
            }
            let (rest, ()) = self.parser.expect(rest, ":")?;
            let (after, (of, template)) = self.template(rest)?;
            if !template.is_many() {
                let failed = fail_hint(
                    rest,
                    format!("there is only one thread of `{}`", template.name),
                    "its locals and locations can be named without `forall`",
                );
                return failed.map(|(rest, ())| rest);
            }
            let number = u32::try_from(self.threads.len()).unwrap_or(u32::MAX);
            self.names.insert(name, number);
            self.threads.push(of);
            match symbol(after, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.parser.expect(after, ".").map(|(rest, ())| rest),
            }
        }
    }

    fn word(&self, i: &'a str, what: &str) -> Parsed<'a, &'a str> {
        word(i).or_else(|_| fail(i, format!("expected {what}, found {}", found(i))))
    }

    fn template(&self, i: &'a str) -> Parsed<'a, (u32, &Template)> {
        let (rest, name) = self.word(i, "the name of a thread")?;
        match (0..).zip(&self.program.templates).find(|(_, t)| t.name == name) {
            Some(found) => Ok((rest, found)),
            None => fail(i, format!("the program has no thread `{name}`")),
        }
    }

    /// A formula.
    fn formula(&self, i: &'a str) -> Parsed<'a, Assertion> {
        let (rest, item) = self.expression(i)?;
        Ok((rest, truth(i, item)?))
    }

    fn expression(&self, i: &'a str) -> Parsed<'a, Item> {
        self.parser.nested(i, |i| self.binary(i, 0))
    }

    /// Operands joined by signs that bind at least as strongly as `least`.
    fn binary(&self, start: &'a str, least: u8) -> Parsed<'a, Item> {
        let (mut i, mut left) = self.unary(start)?;
        let mut compared = false;
        while let Ok((rest, (sign, strength))) = operator(i) {
            if strength < least {
                break;
            }
            if strength == COMPARISON && std::mem::replace(&mut compared, true) {
                return fail(i, "comparisons do not chain");
            }
            compared &= strength == COMPARISON;
            let (after, right) = match sign {
                Binary::Implies => self.expression(rest)?,
                // `2 * 3 * x` is 2 * (3 * x).
                Binary::Mul => self.binary(rest, strength)?,
                _ => self.binary(rest, strength + 1)?,
            };
            left = joined(sign, (start, left), (rest, right))?;
            i = after;
        }
        Ok((i, left))
    }

    fn unary(&self, i: &'a str) -> Parsed<'a, Item> {
        if i.starts_with('!') && !i.starts_with("!=") {
            let rest = i[1..].trim_start();
            let (after, operand) = self.parser.nested(rest, |i| self.unary(i))?;
            return Ok((after, negated(rest, operand)?));
        }
        if let Some(rest) = i.strip_prefix('-') {
            let rest = rest.trim_start();
            let (after, operand) = self.parser.nested(rest, |i| self.unary(i))?;
            return Ok((after, minus(rest, operand)?));
        }
        let (rest, item) = self.primary(i)?;
        self.elements(i, rest, item)
    }

    fn primary(&self, i: &'a str) -> Parsed<'a, Item> {
        if i.starts_with(|c: char| c.is_ascii_digit()) {
            let (rest, digits) = terminated(digit1, multispace0).parse(i)?;
            return match digits.parse::<BigInt>() {
                Ok(number) if digits.len() <= MAX_DIGITS => {
                    Ok((rest, Item::Data(Expr(vec![Op::Int(Int(number))]), Sort::Int)))
                }
                _ => fail(i, format!("a number of more than {MAX_DIGITS} digits")),
            };
        }
        if let Ok((rest, ())) = symbol(i, "(") {
            let (rest, inner) = self.expression(rest)?;
            let (rest, ()) = self.parser.expect(rest, ")")?;
            return Ok((rest, inner));
        }
        if let Ok((rest, ())) = symbol(i, "#") {
            let (rest, (of, template)) = self.template(rest)?;
            let (rest, ()) = self.parser.expect(rest, ".")?;
            let (after, location) = self.location(rest, template)?;
            return self.symbol(rest, after, Op::Count(of, location));
        }
        let (rest, name) = self.word(i, "an expression")?;
        match name {
            "true" | "false" => Ok((rest, Item::Data(Expr::bool(name == "true"), Sort::Bool))),
            name => self.named(i, rest, name),
        }
    }

    /// A name and what belongs to it: a local, a location, or nothing.
    fn named(&self, i: &'a str, rest: &'a str, name: &'a str) -> Parsed<'a, Item> {
        let thread = self.names.get(name).copied();
        let single = (0..).zip(&self.program.templates);
        let single = single.filter(|(_, t)| !t.is_many()).find(|(_, t)| t.name == name);
        if let Ok((rest, ())) = symbol(rest, ".")
            && (thread.is_some() || single.is_some())
        {
            let (after, local) = self.word(rest, "the name of a local")?;
            return match self.local(thread, single.map(|(of, _)| of), local) {
                Some(op) => self.symbol(i, after, op),
                None => fail(rest, format!("`{name}` has no local `{local}`")),
            };
        }
        if let Some(rest) = keyword(rest, "at") {
            if let Some(thread) = thread {
                let of = usize::try_from(thread).ok().and_then(|t| self.threads.get(t));
                let of = of.and_then(|of| self.program.templates.get(usize::try_from(*of).ok()?));
                let Some(of) = of else { return fail(i, "unknown thread") };
                let (rest, at) = self.locations(rest, of)?;
                return Ok((rest, Item::Assertion(Assertion::At(thread, at))));
            }
            if let Some((of, template)) = single {
                let (rest, at) = self.locations(rest, template)?;
                return Ok((rest, Item::Assertion(Assertion::SingleAt(of, at))));
            }
        }
        if let Some(thread) = thread {
            return Ok((rest, Item::Thread(thread)));
        }
        let variables = (0..).zip(&self.program.globals);
        match variables.filter(|(_, v)| v.owner.is_none()).find(|(_, v)| v.name == name) {
            Some((g, _)) => self.symbol(i, rest, Op::Global(g)),
            None => fail_hint(
                i,
                format!(
                    "`{name}` is not a global variable, a quantified thread or a single thread"
                ),
                "locals are written `x.name`, where `x` is a thread after `forall` or a single thread",
            ),
        }
    }

    fn local(&self, thread: Option<u32>, single: Option<u32>, name: &str) -> Option<Op> {
        if let Some(thread) = thread {
            let of = self.threads.get(usize::try_from(thread).ok()?)?;
            let locals = &self.program.templates.get(usize::try_from(*of).ok()?)?.locals;
            let (i, _) = (0..).zip(locals).find(|(_, v)| v.name == name)?;
            return Some(Op::Local(thread, i));
        }
        let globals = (0..).zip(&self.program.globals);
        let (g, _) = globals.filter(|(_, v)| v.owner == single).find(|(_, v)| v.name == name)?;
        Some(Op::Global(g))
    }

    /// A variable or counter with its sort.
    fn symbol(&self, at: &'a str, rest: &'a str, op: Op) -> Parsed<'a, Item> {
        let threads = self.threads.iter().copied().map(Some).collect();
        let scope = Scope { program: self.program, threads, inputs: None };
        match scope.sort(&op, &Budget::default()) {
            Ok(sort) => Ok((rest, Item::Data(Expr(vec![op]), sort))),
            Err(_) => fail(at, "threads are not counted at this location"),
        }
    }

    /// `{L1, L2}`
    fn locations(&self, i: &'a str, template: &Template) -> Parsed<'a, BTreeSet<u32>> {
        let (mut i, ()) = self.parser.expect(i, "{")?;
        let mut list = BTreeSet::new();
        if let Ok((rest, ())) = symbol(i, "}") {
            return Ok((rest, list));
        }
        loop {
            let (rest, location) = self.location(i, template)?;
            list.insert(location);
            match symbol(rest, ",") {
                Ok((rest, ())) => i = rest,
                Err(_) => return self.parser.expect(rest, "}").map(|(rest, ())| (rest, list)),
            }
        }
    }

    fn location(&self, i: &'a str, template: &Template) -> Parsed<'a, u32> {
        let (rest, name) = self.word(i, "the name of a location")?;
        match (0..).zip(&template.locations).find(|(_, l)| l.name == name) {
            Some((location, _)) => Ok((rest, location)),
            None => fail_hint(
                i,
                format!("`{}` has no location `{name}`", template.name),
                "`threadproof lower` prints a program with its locations",
            ),
        }
    }

    /// `a[i]`, `a[i := v]`, once or more after an array.
    fn elements(&self, at: &'a str, mut i: &'a str, mut item: Item) -> Parsed<'a, Item> {
        while let Ok((rest, ())) = symbol(i, "[") {
            let (Expr(mut ops), sort) = data(at, item)?;
            let Some(element) = sort.element() else {
                return wrong(at, "an array is needed here");
            };
            let (after, index) = self.expression(rest)?;
            ops.extend(sorted(rest, index, Sort::Int)?.0);
            let (after, sort) = match symbol(after, ":=") {
                Ok((rest, ())) => {
                    let (after, value) = self.expression(rest)?;
                    ops.extend(sorted(rest, value, element)?.0);
                    ops.push(Op::Store);
                    (after, sort)
                }
                Err(_) => {
                    ops.push(Op::Select);
                    (after, element)
                }
            };
            (i, ()) = self.parser.expect(after, "]")?;
            item = Item::Data(Expr(ops), sort);
        }
        Ok((i, item))
    }
}

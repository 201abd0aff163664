//! The text of invariants (docs/invariants.md). Expressions are those of the core form, and names
//! are its names.

use super::{Assertion, Clause, Invariant};
use crate::logic::rewrite::Rewrite as _;
use crate::text::comments::without_comments;
use crate::text::token::{Parsed, Parser, Syntax, fail, fail_hint, found, keyword, symbol, word};
use crate::text::{Diagnostic, Diagnostics};
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{digit1, multispace0};
use nom::combinator::value;
use nom::sequence::terminated;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::scope::Scope;
use threadproof_format::limits::MAX_DIGITS;
use threadproof_format::program::{Program, Template};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

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

/// What a piece of text stands for.
enum Item {
    /// A term or formula over data.
    Data(Expr, Sort),
    /// A formula that is not only about data.
    Assertion(Assertion),
    /// A quantified thread.
    Thread(u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Binary {
    Implies,
    Or,
    And,
    Cmp(Cmp),
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

/// A sign between two operands and how strongly it binds.
fn operator(i: &str) -> Parsed<'_, (Binary, u8)> {
    let sign = alt((
        value((Binary::Implies, 0), tag("==>")),
        value((Binary::Or, 1), tag("||")),
        value((Binary::And, 2), tag("&&")),
        value((Binary::Cmp(Cmp::Eq), COMPARISON), tag("==")),
        value((Binary::Cmp(Cmp::Ne), COMPARISON), tag("!=")),
        value((Binary::Cmp(Cmp::Le), COMPARISON), tag("<=")),
        value((Binary::Cmp(Cmp::Ge), COMPARISON), tag(">=")),
        value((Binary::Cmp(Cmp::Lt), COMPARISON), tag("<")),
        value((Binary::Cmp(Cmp::Gt), COMPARISON), tag(">")),
        value((Binary::Add, 4), tag("+")),
        value((Binary::Sub, 4), tag("-")),
        value((Binary::Div, 5), tag("/")),
        value((Binary::Mod, 5), tag("%")),
        value((Binary::Mul, 6), tag("*")),
    ));
    terminated(sign, multispace0).parse(i)
}

const COMPARISON: u8 = 3;

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
        Ok((rest, self.truth(i, item)?))
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
            left = self.joined(sign, (start, left), (rest, right))?;
            i = after;
        }
        Ok((i, left))
    }

    /// Two operands, each with the place where it begins.
    fn joined(
        &self,
        sign: Binary,
        (at, left): (&'a str, Item),
        (right_at, right): (&'a str, Item),
    ) -> Result<Item, nom::Err<Syntax<'a>>> {
        let op = match sign {
            Binary::Implies | Binary::Or | Binary::And => {
                let (left, right) = (self.truth(at, left)?, self.truth(right_at, right)?);
                return Ok(connected(sign, left, right));
            }
            Binary::Mul => return product(at, left, right),
            Binary::Div | Binary::Mod => return quotient(sign, (at, left), (right_at, right)),
            Binary::Cmp(cmp) => Op::Cmp(cmp),
            Binary::Add => Op::Add,
            Binary::Sub => Op::Sub,
        };
        if let (Item::Thread(a), Item::Thread(b)) = (&left, &right) {
            let same = if a == b {
                Assertion::constant(true)
            } else {
                Assertion::Same(*a.min(b), *a.max(b))
            };
            match op {
                Op::Cmp(Cmp::Eq) => return Ok(Item::Assertion(same)),
                Op::Cmp(Cmp::Ne) => return Ok(Item::Assertion(same.negate())),
                _ => {}
            }
        }
        let (left, sort) = data(at, left)?;
        let (right, other) = data(right_at, right)?;
        let equality = matches!(op, Op::Cmp(Cmp::Eq | Cmp::Ne));
        if sort != Sort::Int && !(equality && sort == Sort::Bool) {
            return wrong(at, "an integer is needed here");
        }
        if other != sort {
            return wrong(right_at, "the operands have different sorts");
        }
        let sort = if matches!(op, Op::Cmp(_)) { Sort::Bool } else { Sort::Int };
        Ok(Item::Data(chain(left, right, op), sort))
    }

    /// A formula, where one is needed.
    fn truth(&self, at: &'a str, item: Item) -> Result<Assertion, nom::Err<Syntax<'a>>> {
        match item {
            Item::Assertion(formula) => Ok(formula),
            Item::Data(formula, Sort::Bool) => Ok(Assertion::Data(formula)),
            _ => wrong(at, "a formula is needed here"),
        }
    }

    fn unary(&self, i: &'a str) -> Parsed<'a, Item> {
        if i.starts_with('!') && !i.starts_with("!=") {
            let rest = i[1..].trim_start();
            let (after, operand) = self.parser.nested(rest, |i| self.unary(i))?;
            let negated = match operand {
                Item::Data(formula, Sort::Bool) => Item::Data(formula.negate(), Sort::Bool),
                other => Item::Assertion(self.truth(rest, other)?.negate()),
            };
            return Ok((after, negated));
        }
        if let Some(rest) = i.strip_prefix('-') {
            let rest = rest.trim_start();
            let (after, operand) = self.parser.nested(rest, |i| self.unary(i))?;
            let (Expr(mut ops), sort) = data(rest, operand)?;
            if sort != Sort::Int {
                return wrong(rest, "an integer is needed here");
            }
            match &mut ops[..] {
                [Op::Int(Int(number))] => *number = -std::mem::take(number),
                _ => ops.push(Op::Scale(Int((-1).into()))),
            }
            return Ok((after, Item::Data(Expr(ops), sort)));
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

fn wrong<'a, T>(at: &'a str, what: &str) -> Result<T, nom::Err<Syntax<'a>>> {
    Err(nom::Err::Failure(Syntax { rest: at, message: what.to_owned(), hint: None }))
}

/// A term or formula over data, where one is needed.
fn data(at: &str, item: Item) -> Result<(Expr, Sort), nom::Err<Syntax<'_>>> {
    match item {
        Item::Data(expr, sort) => Ok((expr, sort)),
        Item::Assertion(_) => wrong(at, "locations and threads cannot be compared with data"),
        Item::Thread(_) => wrong(at, "a local of this thread is needed here"),
    }
}

fn sorted(at: &str, item: Item, wanted: Sort) -> Result<Expr, nom::Err<Syntax<'_>>> {
    match data(at, item)? {
        (expr, sort) if sort == wanted => Ok(expr),
        _ if wanted == Sort::Int => wrong(at, "an integer is needed here"),
        _ => wrong(at, "a truth value is needed here"),
    }
}

fn chain(Expr(mut left): Expr, Expr(right): Expr, op: Op) -> Expr {
    left.extend(right);
    left.push(op);
    Expr(left)
}

fn connected(sign: Binary, left: Assertion, right: Assertion) -> Item {
    match (sign, left, right) {
        (Binary::And, Assertion::Data(left), Assertion::Data(right)) => {
            Item::Data(chain(left, right, Op::And), Sort::Bool)
        }
        (Binary::Or, Assertion::Data(left), Assertion::Data(right)) => {
            Item::Data(chain(left, right, Op::Or), Sort::Bool)
        }
        (Binary::And, left, right) => Item::Assertion(Assertion::all([left, right])),
        (Binary::Or, left, right) => Item::Assertion(Assertion::any([left, right])),
        (_, left, right) => match left.implies(right) {
            Assertion::Data(formula) => Item::Data(formula, Sort::Bool),
            other => Item::Assertion(other),
        },
    }
}

/// A quotient by a literal, rounded down, or its remainder.
fn quotient<'a>(
    sign: Binary,
    (at, left): (&'a str, Item),
    (right_at, right): (&'a str, Item),
) -> Result<Item, nom::Err<Syntax<'a>>> {
    let (Expr(mut ops), right) =
        (sorted(at, left, Sort::Int)?, sorted(right_at, right, Sort::Int)?);
    match &right.0[..] {
        [Op::Int(divisor)] if *divisor > Int::from(1) => ops.push(match sign {
            Binary::Div => Op::Div(divisor.clone()),
            _ => Op::Mod(divisor.clone()),
        }),
        _ => return wrong(right_at, "the divisor must be a constant of at least 2"),
    }
    Ok(Item::Data(Expr(ops), Sort::Int))
}

/// A product with a literal.
fn product(at: &str, left: Item, right: Item) -> Result<Item, nom::Err<Syntax<'_>>> {
    let (left, right) = (sorted(at, left, Sort::Int)?, sorted(at, right, Sort::Int)?);
    let (factor, Expr(mut ops)) = match (&left.0[..], &right.0[..]) {
        ([Op::Int(k)], _) => (k.clone(), right),
        (_, [Op::Int(k)]) => (k.clone(), left),
        _ => return wrong(at, "one factor must be a constant: terms are linear"),
    };
    ops.push(Op::Scale(factor));
    Ok(Item::Data(Expr(ops), Sort::Int))
}

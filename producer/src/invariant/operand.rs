//! Operands in the text of invariants, with their sorts, and what operators make of them.

use super::Assertion;
use crate::logic::rewrite::Rewrite as _;
use crate::text::token::{Parsed, Syntax};
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::multispace0;
use nom::combinator::value;
use nom::sequence::terminated;
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// What a piece of text stands for.
pub enum Item {
    /// A term or formula over data.
    Data(Expr, Sort),
    /// A formula that is not only about data.
    Assertion(Assertion),
    /// A quantified thread.
    Thread(u32),
}

/// A sign between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Binary {
    /// `==>`
    Implies,
    /// `||`
    Or,
    /// `&&`
    And,
    /// A comparison.
    Cmp(Cmp),
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`, by a literal
    Mul,
    /// `/`, by a literal
    Div,
    /// `%`, by a literal
    Mod,
}

/// A sign between two operands and how strongly it binds.
pub fn operator(i: &str) -> Parsed<'_, (Binary, u8)> {
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

/// How strongly comparisons bind.
pub const COMPARISON: u8 = 3;

/// Two operands, each with the place where it begins.
pub fn joined<'a>(
    sign: Binary,
    (at, left): (&'a str, Item),
    (right_at, right): (&'a str, Item),
) -> Result<Item, nom::Err<Syntax<'a>>> {
    let op = match sign {
        Binary::Implies | Binary::Or | Binary::And => {
            let (left, right) = (truth(at, left)?, truth(right_at, right)?);
            return Ok(connected(sign, left, right));
        }
        Binary::Mul => return product(at, left, right),
        Binary::Div | Binary::Mod => return quotient(sign, (at, left), (right_at, right)),
        Binary::Cmp(cmp) => Op::Cmp(cmp),
        Binary::Add => Op::Add,
        Binary::Sub => Op::Sub,
    };
    if let (Item::Thread(a), Item::Thread(b)) = (&left, &right) {
        let same =
            if a == b { Assertion::constant(true) } else { Assertion::Same(*a.min(b), *a.max(b)) };
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
pub fn truth(at: &str, item: Item) -> Result<Assertion, nom::Err<Syntax<'_>>> {
    match item {
        Item::Assertion(formula) => Ok(formula),
        Item::Data(formula, Sort::Bool) => Ok(Assertion::Data(formula)),
        _ => wrong(at, "a formula is needed here"),
    }
}

/// `!`
pub fn negated(at: &str, operand: Item) -> Result<Item, nom::Err<Syntax<'_>>> {
    match operand {
        Item::Data(formula, Sort::Bool) => Ok(Item::Data(formula.negate(), Sort::Bool)),
        other => Ok(Item::Assertion(truth(at, other)?.negate())),
    }
}

/// `-` before one operand.
pub fn minus(at: &str, operand: Item) -> Result<Item, nom::Err<Syntax<'_>>> {
    let Expr(mut ops) = sorted(at, operand, Sort::Int)?;
    match &mut ops[..] {
        [Op::Int(Int(number))] => *number = -std::mem::take(number),
        _ => ops.push(Op::Scale(Int((-1).into()))),
    }
    Ok(Item::Data(Expr(ops), Sort::Int))
}

/// Something is wrong with an operand.
pub fn wrong<'a, T>(at: &'a str, what: &str) -> Result<T, nom::Err<Syntax<'a>>> {
    Err(nom::Err::Failure(Syntax { rest: at, message: what.to_owned(), hint: None }))
}

/// A term or formula over data, where one is needed.
pub fn data(at: &str, item: Item) -> Result<(Expr, Sort), nom::Err<Syntax<'_>>> {
    match item {
        Item::Data(expr, sort) => Ok((expr, sort)),
        Item::Assertion(_) => wrong(at, "locations and threads cannot be compared with data"),
        Item::Thread(_) => wrong(at, "a local of this thread is needed here"),
    }
}

/// A term or formula of this sort, where one is needed.
pub fn sorted(at: &str, item: Item, wanted: Sort) -> Result<Expr, nom::Err<Syntax<'_>>> {
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

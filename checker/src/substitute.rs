//! Formulas with other variables, positions and values in them (SPEC.md section 4.3).

use crate::budget::Held;
use crate::error::{Budget, Reason};
use threadproof_format::limits::MAX_OPS;
use threadproof_format::work::{
    List as _, Map, Metered as _, Seq, Size as _, Spent, Table as _, gather,
};
use threadproof_format::{Expr, Op};

/// A formula with other thread positions: position p becomes `positions[p]`. Positions beyond stay.
pub(crate) fn rename(formula: &Expr, positions: &Seq<u32>, budget: &Budget) -> Result<Expr, Spent> {
    let renamed = formula.0.walk(budget)?.map(|op| match op {
        Op::Local(p, i) => Ok(Op::Local(positions.at(*p, budget)?.copied().unwrap_or(*p), *i)),
        _ => op.copy(budget),
    });
    Ok(Expr(gather(renamed, budget)?))
}

/// The negation of a formula.
pub(crate) fn negate(mut formula: Expr, budget: &Budget) -> Result<Expr, Spent> {
    formula.0.add(Op::Not, budget)?;
    Ok(formula)
}

/// Variables and counters, and what replaces each.
pub(crate) type News<'a> = Map<&'a Op, &'a Expr>;

/// Updates as a table.
pub(crate) fn news<'a>(
    updates: impl Iterator<Item = &'a (Op, Expr)>,
    budget: &Budget,
) -> Result<News<'a>, Spent> {
    let mut news = Map::new();
    for (variable, value) in updates {
        news.put(variable, value, budget)?;
    }
    Ok(news)
}

/// What replaces a variable or counter, if anything.
pub(crate) fn new<'a>(
    news: &News<'a>,
    op: &Op,
    budget: &Budget,
) -> Result<Option<&'a Expr>, Spent> {
    Ok(news.look(&op, budget)?.copied())
}

/// A formula with variables and counters replaced, all at once.
///
/// # Errors
/// `Limit` if the result is too large.
pub fn substitute(
    formula: &Expr,
    updates: &Seq<(Op, Expr)>,
    budget: &Budget,
) -> Result<Expr, Reason> {
    replace(formula, &news(updates.walk(budget)?, budget)?, budget)
}

/// [`substitute`], with a table that serves for many formulas.
pub(crate) fn replace(formula: &Expr, news: &News<'_>, budget: &Budget) -> Result<Expr, Reason> {
    let mut out = Seq::new();
    let held = Held::default();
    let copy = |op: &Op, out: &mut Seq<Op>| -> Result<(), Reason> {
        held.hold(op.size())?;
        Ok(out.add(op.copy(budget)?, budget)?)
    };
    for op in formula.0.walk(budget)? {
        let new = if op.is_symbol() { new(news, op, budget)? } else { None };
        if out.len() + new.map_or(1, |value| value.0.len()) > MAX_OPS {
            return Err(Reason::Limit("operators of a formula"));
        }
        match new {
            Some(value) => {
                for op in value.0.walk(budget)? {
                    copy(op, &mut out)?;
                }
            }
            None => copy(op, &mut out)?,
        }
    }
    Ok(Expr(out))
}

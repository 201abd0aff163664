//! Sort checking of expressions (SPEC.md section 3.2).

use crate::error::{Budget, Reason};
use threadproof_format::work::{List as _, Map, Metered as _, Seq, Table as _};
use threadproof_format::{Cmp, Expr, Int, Op, Sort, limits::MAX_OPS};

/// The sort of an expression; `leaf` gives the sorts of variables and inputs.
///
/// # Errors
/// `Sort` if it is not well sorted, whatever `leaf` reports, or `Limit`.
pub fn sort_of(
    expr: &Expr,
    leaf: &dyn Fn(&Op) -> Result<Sort, Reason>,
    budget: &Budget,
) -> Result<Sort, Reason> {
    fold(expr, budget, |op, operands| {
        Ok(match (op, operands) {
            (Op::Int(_), _) => Sort::Int,
            (Op::Bool(_), _) => Sort::Bool,
            (symbol, _) if symbol.is_symbol() => leaf(symbol)?,
            (Op::Add | Op::Sub, [Some(Sort::Int), Some(Sort::Int), _])
            | (Op::Scale(_), [Some(Sort::Int), ..]) => Sort::Int,
            (Op::Div(n) | Op::Mod(n), [Some(Sort::Int), ..]) if *n > Int::from(1) => Sort::Int,
            (Op::Select, [Some(array), Some(Sort::Int), _]) => {
                array.element().ok_or(Reason::Sort("reading what is no array"))?
            }
            (Op::Store, [Some(array), Some(Sort::Int), Some(value)])
                if array.element() == Some(value) =>
            {
                array
            }
            (Op::Cmp(_), [Some(Sort::Int), Some(Sort::Int), _])
            | (Op::Cmp(Cmp::Eq | Cmp::Ne), [Some(Sort::Bool), Some(Sort::Bool), _])
            | (Op::Not, [Some(Sort::Bool), ..])
            | (Op::And | Op::Or, [Some(Sort::Bool), Some(Sort::Bool), _]) => Sort::Bool,
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        })
    })
}

/// Requires an expression to have a sort.
///
/// # Errors
/// As [`sort_of`], and `Sort` if the sort is another.
pub fn require(
    expr: &Expr,
    sort: Sort,
    leaf: &dyn Fn(&Op) -> Result<Sort, Reason>,
    budget: &Budget,
) -> Result<(), Reason> {
    if sort_of(expr, leaf, budget)? == sort {
        Ok(())
    } else {
        Err(Reason::Sort("another sort is needed"))
    }
}

/// The sorts of the variables, inputs and counters that occur in formulas.
pub(crate) fn sorts<'a>(
    formulas: impl IntoIterator<Item = &'a Expr>,
    budget: &Budget,
    sort: impl Fn(&Op) -> Result<Sort, Reason>,
) -> Result<Map<Op, Sort>, Reason> {
    let mut sorts = Map::new();
    for formula in formulas {
        for op in formula.0.walk(budget)?.filter(|op| op.is_symbol()) {
            if sorts.look(op, budget)?.is_none() {
                sorts.put(op.copy(budget)?, sort(op)?, budget)?;
            }
        }
    }
    Ok(sorts)
}

/// Evaluates an expression, operator by operator, each with its operands.
///
/// # Errors
/// `Sort` if an operand is missing or one is left over, `Limit`, and those of `apply`.
pub(crate) fn fold<T>(
    expr: &Expr,
    budget: &Budget,
    mut apply: impl FnMut(&Op, [Option<T>; 3]) -> Result<T, Reason>,
) -> Result<T, Reason> {
    if expr.0.len() > MAX_OPS {
        return Err(Reason::Limit("operators of a formula"));
    }
    let mut stack: Seq<T> = Seq::new();
    for op in expr.0.walk(budget)? {
        let mut operands = [None, None, None];
        for operand in operands.iter_mut().take(op.arity()).rev() {
            *operand = Some(stack.pop().ok_or(Reason::Sort("missing operand"))?);
        }
        stack.add(apply(op, operands)?, budget)?;
    }
    match (stack.pop(), stack.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(Reason::Sort("not one expression")),
    }
}

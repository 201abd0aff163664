//! Sort checking of expressions (SPEC.md section 3.2).

use crate::error::Reason;
use threadproof_format::{Cmp, Expr, Op, Sort, limits::MAX_OPS};

/// The sort of an expression; `leaf` gives the sorts of variables and inputs.
///
/// # Errors
/// `Sort` if it is not well sorted, whatever `leaf` reports, or `Limit`.
pub fn sort_of(expr: &Expr, leaf: &dyn Fn(&Op) -> Result<Sort, Reason>) -> Result<Sort, Reason> {
    if expr.0.len() > MAX_OPS {
        return Err(Reason::Limit("operators of a formula"));
    }
    let mut stack: Vec<Sort> = Vec::new();
    for op in &expr.0 {
        let from = stack.len().checked_sub(op.arity()).ok_or(Reason::Sort("missing operand"))?;
        let sort = match (op, &stack[from..]) {
            (Op::Int(_), _) => Sort::Int,
            (Op::Bool(_), _) => Sort::Bool,
            (symbol, _) if symbol.is_symbol() => leaf(symbol)?,
            (Op::Add | Op::Sub, [Sort::Int, Sort::Int]) | (Op::Scale(_), [Sort::Int]) => Sort::Int,
            (Op::Select, [array, Sort::Int]) => {
                array.element().ok_or(Reason::Sort("reading what is no array"))?
            }
            (Op::Store, [array, Sort::Int, value]) if array.element() == Some(*value) => *array,
            (Op::Cmp(_), [Sort::Int, Sort::Int])
            | (Op::Cmp(Cmp::Eq | Cmp::Ne), [Sort::Bool, Sort::Bool])
            | (Op::Not, [Sort::Bool])
            | (Op::And | Op::Or, [Sort::Bool, Sort::Bool]) => Sort::Bool,
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        };
        stack.truncate(from);
        stack.push(sort);
    }
    match stack[..] {
        [sort] => Ok(sort),
        _ => Err(Reason::Sort("not one expression")),
    }
}

/// Requires an expression to have a sort.
///
/// # Errors
/// As [`sort_of`], and `Sort` if the sort is another.
pub fn require(
    expr: &Expr,
    sort: Sort,
    leaf: &dyn Fn(&Op) -> Result<Sort, Reason>,
) -> Result<(), Reason> {
    if sort_of(expr, leaf)? == sort { Ok(()) } else { Err(Reason::Sort("another sort is needed")) }
}

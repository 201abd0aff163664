//! Expressions as SMT-LIB terms.

use threadproof_format::{Cmp, Expr, Int, Op};

/// What remains to be written.
enum Rest {
    /// The term whose last operator stands here.
    Term(usize),
    /// A parenthesis, or two, or a divisor and one.
    Close(String),
}

/// Prints a well sorted expression; `symbol` gives the symbols of variables, inputs and counters.
pub fn term(expr: &Expr, symbol: &dyn Fn(&Op) -> String) -> String {
    let begins = beginnings(expr);
    let mut text = String::new();
    let mut todo: Vec<Rest> = expr.0.len().checked_sub(1).map(Rest::Term).into_iter().collect();
    while let Some(rest) = todo.pop() {
        let at = match rest {
            Rest::Close(parentheses) => {
                text += &parentheses;
                continue;
            }
            Rest::Term(at) => at,
        };
        let Some(op) = expr.0.get(at) else { continue };
        if !text.is_empty() && !text.ends_with('(') {
            text.push(' ');
        }
        let (head, close) = match op {
            Op::Int(value) => (integer(value), ""),
            Op::Bool(value) => (value.to_string(), ""),
            symbolic if symbolic.is_symbol() => (symbol(symbolic), ""),
            Op::Cmp(Cmp::Ne) => ("(not (=".to_owned(), "))"),
            Op::Scale(k) => (format!("(* {}", integer(k)), ")"),
            Op::Div(k) | Op::Mod(k) => {
                text += &format!("({}", function(op));
                todo.push(Rest::Close(format!(" {})", integer(k))));
                todo.extend(at.checked_sub(1).map(Rest::Term));
                continue;
            }
            other => (format!("({}", function(other)), ")"),
        };
        text += &head;
        todo.push(Rest::Close(close.to_owned()));
        let mut end = at;
        for _ in 0..op.arity() {
            let Some(last) = end.checked_sub(1) else { break };
            todo.push(Rest::Term(last));
            end = begins.get(last).copied().unwrap_or(0);
        }
    }
    text
}

/// Where the subexpression begins that ends at each operator.
fn beginnings(expr: &Expr) -> Vec<usize> {
    let (mut open, mut begins) = (Vec::new(), Vec::with_capacity(expr.0.len()));
    for (at, op) in expr.0.iter().enumerate() {
        let mut first = at;
        for _ in 0..op.arity() {
            first = open.pop().unwrap_or(0);
        }
        open.push(first);
        begins.push(first);
    }
    begins
}

/// The function of an operator with operands.
fn function(op: &Op) -> &'static str {
    match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Div(_) => "div",
        Op::Mod(_) => "mod",
        Op::Select => "select",
        Op::Store => "store",
        Op::Not => "not",
        Op::And => "and",
        Op::Or => "or",
        Op::Cmp(Cmp::Lt) => "<",
        Op::Cmp(Cmp::Le) => "<=",
        Op::Cmp(Cmp::Gt) => ">",
        Op::Cmp(Cmp::Ge) => ">=",
        _ => "=",
    }
}

/// An integer.
pub fn integer(value: &Int) -> String {
    let text = value.to_string();
    text.strip_prefix('-').map_or_else(|| text.clone(), |digits| format!("(- {digits})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_written_in_prefix_order() {
        let name = |op: &Op| match op {
            Op::Global(i) => format!("g{i}"),
            other => panic!("{other:?}"),
        };
        let text = |ops: &[Op]| term(&Expr(ops.to_vec()), &name);
        let (a, x, y) = (Op::Global(0), Op::Global(1), Op::Global(2));
        assert_eq!(text(&[Op::Int(Int::from(-3))]), "(- 3)");
        let scaled = [x.clone(), Op::Scale(Int::from(-2)), y.clone(), Op::Sub];
        assert_eq!(text(&scaled), "(- (* (- 2) g1) g2)");
        let unequal = [x.clone(), y.clone(), Op::Cmp(Cmp::Ne), Op::Bool(true), Op::And];
        assert_eq!(text(&unequal), "(and (not (= g1 g2)) true)");
        let written = [a, x, y.clone(), Op::Store, y, Op::Select, Op::Not];
        assert_eq!(text(&written), "(not (select (store g0 g1 g2) g2))");
    }

    #[test]
    fn a_deep_term_takes_no_stack() {
        let deep: Vec<Op> = [Op::Bool(true)].into_iter().chain(vec![Op::Not; 100_000]).collect();
        assert_eq!(term(&Expr(deep), &|_| String::new()).len(), 4 + 100_000 * 6);
    }
}

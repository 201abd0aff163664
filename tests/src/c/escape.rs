//! Variables whose address a function takes: what other code does with them may be a step.

use super::ast::{Expr, Init, Stmt};

/// The names.
pub(super) fn addressed(code: &[Stmt]) -> Vec<String> {
    let mut out = Vec::new();
    code.iter().for_each(|s| stmt(s, &mut out));
    out
}

fn stmt(s: &Stmt, out: &mut Vec<String>) {
    let inner = |s: &Stmt, out: &mut Vec<String>| stmt(s, out);
    match s {
        Stmt::Empty | Stmt::Goto(_) | Stmt::Break | Stmt::Continue | Stmt::Return(None) => {}
        Stmt::Expr(e)
        | Stmt::Return(Some(e))
        | Stmt::Assert(_, e)
        | Stmt::Observe(_, e)
        | Stmt::Fail(_, e)
        | Stmt::Library { effect: e, .. } => expr(e, out),
        Stmt::Decl(decl) => decl.init.iter().for_each(|i| init(i, out)),
        Stmt::Block(code) => code.iter().for_each(|s| inner(s, out)),
        Stmt::If(e, then, other) => {
            expr(e, out);
            inner(then, out);
            other.iter().for_each(|s| inner(s, out));
        }
        Stmt::While(e, body) | Stmt::DoWhile(body, e) => {
            expr(e, out);
            inner(body, out);
        }
        Stmt::For(first, condition, next, body) => {
            inner(first, out);
            condition.iter().chain(next).for_each(|e| expr(e, out));
            inner(body, out);
        }
        Stmt::Switch(e, body) => {
            expr(e, out);
            body.iter().for_each(|s| inner(s, out));
        }
        Stmt::Case(_, s) | Stmt::Default(s) | Stmt::Label(_, s) => inner(s, out),
    }
}

fn init(i: &Init, out: &mut Vec<String>) {
    match i {
        Init::Value(e) => expr(e, out),
        Init::List(list) => list.iter().for_each(|i| init(i, out)),
    }
}

fn expr(e: &Expr, out: &mut Vec<String>) {
    match e {
        Expr::Constant(..) => {}
        // An array by itself is its address; for others this only makes more steps.
        Expr::Name(_) => {}
        Expr::Address(place) => {
            root(place, out);
            expr(place, out);
        }
        Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Deref(e) | Expr::Step { place: e, .. } => {
            expr(e, out)
        }
        Expr::Member(e, _) | Expr::Arrow(e, _) => expr(e, out),
        Expr::Binary(_, a, b) | Expr::And(a, b) | Expr::Or(a, b) | Expr::Comma(a, b) => {
            expr(a, out);
            expr(b, out);
        }
        Expr::Assign(_, a, b) | Expr::Index(a, b) => {
            expr(a, out);
            expr(b, out);
        }
        Expr::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|e| expr(e, out)),
        Expr::Call(f, arguments) => {
            expr(f, out);
            arguments.iter().for_each(|e| expr(e, out));
        }
    }
}

/// The variable that a place is part of.
fn root(place: &Expr, out: &mut Vec<String>) {
    match place {
        Expr::Name(name) => out.push(name.clone()),
        Expr::Index(a, _) | Expr::Member(a, _) => root(a, out),
        _ => {}
    }
}

//! Smaller programs, to reduce one that fails.

use super::ast::{Stmt, Unit};

/// The programs with one part less.
pub(super) fn smaller(unit: &Unit) -> Vec<Unit> {
    let mut out = Vec::new();
    let mut with = |edit: &dyn Fn(&mut Unit)| {
        let mut smaller = unit.clone();
        edit(&mut smaller);
        out.push(smaller);
    };
    for (t, thread) in unit.threads.iter().enumerate() {
        if unit.threads.len() > 1 {
            with(&|u| drop(u.threads.remove(t)));
        }
        for code in codes(&thread.body.code) {
            with(&|u| u.threads[t].body.code = code.clone());
        }
    }
    for (p, procedure) in unit.procedures.iter().enumerate() {
        with(&|u| drop(u.procedures.remove(p)));
        for code in codes(&procedure.body.code) {
            with(&|u| u.procedures[p].body.code = code.clone());
        }
    }
    for (a, abstraction) in unit.abstractions.iter().enumerate() {
        (0..abstraction.edges.len())
            .for_each(|e| with(&|u| drop(u.abstractions[a].edges.remove(e))));
        (0..abstraction.common.len())
            .for_each(|c| with(&|u| drop(u.abstractions[a].common.remove(c))));
        (0..abstraction.nodes.len())
            .for_each(|n| with(&|u| u.abstractions[a].nodes[n].assertion = None));
    }
    (0..unit.inits.len()).for_each(|i| with(&|u| drop(u.inits.remove(i))));
    out
}

/// The lists of statements with one statement less, or with what is inside a statement in its
/// place.
fn codes(code: &[Stmt]) -> Vec<Vec<Stmt>> {
    let mut out = Vec::new();
    for (i, s) in code.iter().enumerate() {
        let with = |by: Vec<Stmt>| [&code[..i], &by, &code[i + 1..]].concat();
        out.push(with(Vec::new()));
        out.extend(simpler(s).into_iter().map(|by| with(vec![by])));
    }
    out
}

fn simpler(s: &Stmt) -> Vec<Stmt> {
    let within = |inner: &Stmt, make: &dyn Fn(Box<Stmt>) -> Stmt| -> Vec<Stmt> {
        simpler(inner).into_iter().map(|inner| make(Box::new(inner))).collect()
    };
    match s {
        Stmt::Block(code) => {
            let mut out: Vec<Stmt> = codes(code).into_iter().map(Stmt::Block).collect();
            out.extend(code.iter().cloned());
            out
        }
        Stmt::Atomic(code) => {
            let mut out: Vec<Stmt> = codes(code).into_iter().map(Stmt::Atomic).collect();
            out.push(Stmt::Block(code.clone()));
            out
        }
        Stmt::Label(name, inner) => {
            let mut out = within(inner, &|inner| Stmt::Label(name.clone(), inner));
            out.push((**inner).clone());
            out
        }
        Stmt::While(e, inner) => {
            let mut out = within(inner, &|inner| Stmt::While(e.clone(), inner));
            out.push((**inner).clone());
            out
        }
        Stmt::If(e, then, other) => {
            let mut out = vec![(**then).clone(), Stmt::If(e.clone(), then.clone(), None)];
            out.retain(|smaller| smaller != s);
            out.extend(within(then, &|then| Stmt::If(e.clone(), then, other.clone())));
            out.extend(other.iter().map(|other| (**other).clone()));
            out
        }
        _ => Vec::new(),
    }
}

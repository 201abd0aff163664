//! Changes of what a program does: a lock, a wait, a guard, an update, an edge or an initial
//! condition is lost, or a guard is turned into its opposite.

use threadproof_format::program::{Edge, Program};
use threadproof_format::{Expr, Op};
use threadproof_producer::logic::rewrite::Rewrite as _;

/// All kinds of changes.
pub const ALL: [&str; 7] =
    ["lock", "wait", "guard", "opposite guard", "update", "edge", "initial condition"];

/// The changed programs, each with what was changed.
pub fn changes(program: &Program) -> Vec<(&'static str, Program)> {
    let mut found = Vec::new();
    let mut change = |what, with: &dyn Fn(&mut Program)| {
        assert!(ALL.contains(&what));
        let mut changed = program.clone();
        with(&mut changed);
        if changed != *program {
            found.push((what, changed));
        }
    };
    let truth = || Expr::bool(true);
    change("initial condition", &|p| p.init = truth());
    for (t, template) in program.templates.iter().enumerate() {
        change("initial condition", &|p| p.templates[t].init = truth());
        for (e, edge) in template.edges.iter().enumerate() {
            let mut of_edge = |what, with: &dyn Fn(&mut Edge)| {
                change(what, &|p| with(&mut p.templates[t].edges[e]));
            };
            let error = |l: u32| template.locations.iter().zip(0..).any(|(x, i)| i == l && x.error);
            if let Some(lock) = taken(edge) {
                of_edge("lock", &|edge| {
                    edge.guard = truth();
                    edge.updates.retain(|(variable, _)| *variable != lock);
                });
            }
            if edge.updates.is_empty() && !error(edge.target) {
                of_edge("wait", &|edge| edge.guard = truth());
            } else {
                of_edge("guard", &|edge| edge.guard = truth());
            }
            of_edge("opposite guard", &|edge| edge.guard = edge.guard.clone().negate());
            for update in 0..edge.updates.len() {
                of_edge("update", &|edge| drop(edge.updates.remove(update)));
            }
            change("edge", &|p| drop(p.templates[t].edges.remove(e)));
        }
    }
    found
}

/// The lock that an edge takes: it waits until a truth value does not hold, and sets it.
fn taken(edge: &Edge) -> Option<Op> {
    let waits =
        |variable: &Op| edge.guard.0.windows(2).any(|ops| ops == [variable.clone(), Op::Not]);
    let sets = |(variable, value): &&(Op, Expr)| *value == Expr::bool(true) && waits(variable);
    edge.updates.iter().find(sets).map(|(variable, _)| variable.clone())
}

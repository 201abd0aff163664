//! Assertions without an error location: they are named, so that none disappears without a word.
//!
//! What is never called, can never run or always holds is an error of the program. What is left is
//! an assertion in an atomic block, in a branch that is decided by what the block has written
//! before it.

use super::super::ast::Span;
use super::super::ir::{Stmt, StmtKind, Unit};
use super::notes::Notes;
use std::collections::BTreeMap;

/// What is said of the assertions that are not among those with an error location in some template.
pub(super) fn missing(unit: &Unit, asserted: &[Span], notes: &Notes<'_>) -> Vec<String> {
    let bodies = unit.threads.iter().map(|t| &t.body);
    let bodies = bodies.chain(unit.procedures.iter().map(|p| &p.body));
    let mut written = BTreeMap::new();
    bodies.for_each(|body| assertions(&body.code, &mut written));
    let gone = written.into_values().filter(|span| !asserted.contains(span));
    gone.map(|span| {
        let place = notes.place(&span);
        format!("assertion {place} is no error location: no path of its atomic block leads to it")
    })
    .collect()
}

/// The assertions of some statements, by their places.
fn assertions(code: &[Stmt], out: &mut BTreeMap<usize, Span>) {
    for s in code {
        match &s.kind {
            StmtKind::Assert(_) => {
                out.insert(s.span.start, s.span.clone());
            }
            StmtKind::If(_, _, then, other) => {
                assertions(then, out);
                assertions(other, out);
            }
            StmtKind::While(.., inner) | StmtKind::Atomic(inner) | StmtKind::Block(inner) => {
                assertions(inner, out);
            }
            _ => {}
        }
    }
}

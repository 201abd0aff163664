//! The call graph: recursion, procedures that nothing calls, and loops called inside `atomic`.

use super::super::ast::Span;
use super::super::ir::{Stmt, StmtKind, Unit};
use crate::text::Diagnostic;

/// What a body does that matters to its callers.
#[derive(Default)]
struct Summary {
    /// Calls: callee, place, whether inside `atomic`.
    calls: Vec<(usize, Span, bool)>,
    /// The first loop or jump.
    jump: Option<Span>,
}

/// Errors of the call graph.
pub(super) fn check(unit: &Unit) -> Vec<Diagnostic> {
    let summarise = |code: &[Stmt]| {
        let mut summary = Summary::default();
        summary.block(code, false);
        summary
    };
    let procedures: Vec<Summary> =
        unit.procedures.iter().map(|p| summarise(&p.body.code)).collect();
    let threads: Vec<Summary> = unit.threads.iter().map(|t| summarise(&t.body.code)).collect();
    let mut errors = recursion(unit, &procedures);
    if !errors.is_empty() {
        return errors;
    }
    let all = || procedures.iter().chain(&threads).flat_map(|s| &s.calls);
    for (i, procedure) in unit.procedures.iter().enumerate() {
        if !all().any(|(callee, ..)| *callee == i) {
            let message = format!("the procedure `{}` is never called", procedure.name);
            errors.push(Diagnostic::new(procedure.span.clone(), message).hint("remove it"));
        }
    }
    let jumping = jumping(&procedures);
    for (callee, span, _) in all().filter(|(callee, _, atomic)| *atomic && jumping[*callee]) {
        let name = &unit.procedures[*callee].name;
        let message = format!("`{name}` has a loop or a `goto`, and is called inside `atomic`");
        let hint = "an atomic block is one step, without loops";
        errors.push(Diagnostic::new(span.clone(), message).hint(hint));
    }
    errors
}

impl Summary {
    fn block(&mut self, code: &[Stmt], atomic: bool) {
        for statement in code {
            match &statement.kind {
                StmtKind::Call(call) => {
                    let call = (call.procedure, statement.span.clone(), atomic);
                    self.calls.push(call);
                }
                StmtKind::If(_, _, then, other) => {
                    self.block(then, atomic);
                    self.block(other, atomic);
                }
                StmtKind::While(.., body) => {
                    self.jump.get_or_insert(statement.span.clone());
                    self.block(body, atomic);
                }
                StmtKind::Goto(_) => {
                    self.jump.get_or_insert(statement.span.clone());
                }
                StmtKind::Atomic(body) => self.block(body, true),
                StmtKind::Block(body) => self.block(body, atomic),
                _ => {}
            }
        }
    }
}

/// Takes away, again and again, the procedures that call none of the remaining ones: what stays
/// is on a cycle or calls one.
fn recursion(unit: &Unit, procedures: &[Summary]) -> Vec<Diagnostic> {
    let mut left = vec![true; procedures.len()];
    loop {
        let calls_left = |i: usize| procedures[i].calls.iter().any(|(c, ..)| left[*c]);
        let Some(done) = (0..procedures.len()).find(|i| left[*i] && !calls_left(*i)) else {
            break;
        };
        left[done] = false;
    }
    let Some(start) = left.iter().position(|l| *l) else {
        return Vec::new();
    };
    // From any of them a walk along remaining calls enters a cycle after as many steps.
    let next = |i: usize| procedures[i].calls.iter().find(|(c, ..)| left[*c]);
    let mut at = start;
    for _ in 0..procedures.len() {
        at = next(at).map_or(at, |(callee, ..)| *callee);
    }
    let span = next(at).map_or(0..0, |(_, span, _)| span.clone());
    let name = &unit.procedures[at].name;
    let message = format!("the procedure `{name}` is recursive");
    vec![Diagnostic::new(span, message).hint("procedures are inlined: write a loop instead")]
}

/// Which procedures have a loop or jump, themselves or through a call. There is no recursion.
fn jumping(procedures: &[Summary]) -> Vec<bool> {
    let mut jumping: Vec<bool> = procedures.iter().map(|p| p.jump.is_some()).collect();
    for _ in 0..procedures.len() {
        for (i, summary) in procedures.iter().enumerate() {
            let calls = summary.calls.iter().any(|(callee, ..)| jumping[*callee]);
            jumping[i] = jumping[i] || calls;
        }
    }
    jumping
}

//! Invariants and hints, in the core program's variables.

use super::super::ir::{self, Owner, Unit};
use super::notes::Notes;
use super::step::{State, id};
use super::{Placed, run};
use crate::source::{Annotation, AnnotationKind};
use crate::text::Diagnostic;
use threadproof_format::{Expr, Op};

/// The clauses of a program. One about a thread that is written out several times gives one each.
pub(super) fn clauses(
    unit: &Unit,
    placed: &[Placed],
    notes: &Notes<'_>,
) -> Result<Vec<Annotation>, Vec<Diagnostic>> {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    for clause in &unit.clauses {
        for instance in instances(clause, placed) {
            match lowered(clause, placed, instance, notes) {
                Ok(made) => out.push(made),
                Err(error) => errors.push(error),
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// The templates that a clause of a single thread may be about: one, or those of `t[3]`.
fn instances(clause: &ir::Clause, placed: &[Placed]) -> Vec<Option<usize>> {
    let single = clause.locals.iter().find_map(|owner| match owner {
        Owner::Single(thread, _) => Some(*thread),
        Owner::Position(..) => None,
    });
    let Some(thread) = single else { return vec![None] };
    let copies = (0..placed.len()).filter(|i| placed[*i].thread == thread);
    copies.map(Some).collect()
}

fn lowered(
    clause: &ir::Clause,
    placed: &[Placed],
    instance: Option<usize>,
    notes: &Notes<'_>,
) -> Result<Annotation, Diagnostic> {
    let template = |thread: usize| {
        let first = placed.iter().position(|place| place.thread == thread);
        first.expect("every thread has a template")
    };
    let owned = |owner: &Owner| match *owner {
        Owner::Position(position, local) => {
            match placed[template(clause.threads[position])].locals[local] {
                Op::Local(_, i) => Op::Local(id(position), i),
                ref global => global.clone(),
            }
        }
        Owner::Single(thread, local) => {
            let copy = instance.filter(|i| placed[*i].thread == thread);
            placed[copy.unwrap_or_else(|| template(thread))].locals[local].clone()
        }
    };
    let frame: Vec<Op> = clause.locals.iter().map(owned).collect();
    let mut state = State::default();
    let formula = Expr(state.formula(&clause.formula, &frame));
    if state.too_large {
        return Err(run::too_large(&clause.span));
    }
    let word = match clause.kind {
        AnnotationKind::Invariant => "invariant",
        AnnotationKind::Hint => "hint",
    };
    Ok(Annotation {
        kind: clause.kind,
        threads: clause.threads.iter().map(|thread| id(template(*thread))).collect(),
        formula,
        note: notes.clause(word, &clause.span),
    })
}

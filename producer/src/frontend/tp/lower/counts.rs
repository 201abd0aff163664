//! `count(label, ...)`: which counters of the core program it means. The locations are known only
//! when all templates are made, so a placeholder stands for it until then.

use super::super::ast::Span;
use super::super::ir::Unit;
use super::Placed;
use super::step::id;
use crate::logic::rewrite::Rewrite as _;
use crate::source::Source;
use crate::text::Diagnostic;
use std::collections::BTreeSet;
use threadproof_format::program::Program;
use threadproof_format::{Expr, Int, Op};

/// Stands for an entry of `Unit::counts`: no template has this number.
pub(super) fn placeholder(entry: usize) -> Op {
    Op::Count(u32::MAX, id(entry))
}

/// Puts the counters into commands and clauses. Commands count no threads that are abstracted.
pub(super) fn fill_in(
    unit: &Unit,
    placed: &[Placed],
    out: &mut Source,
) -> Result<(), Vec<Diagnostic>> {
    let (mut sums, mut errors) = (Vec::new(), Vec::new());
    let counted = counted(&out.program);
    for (entry, labels) in unit.counts.iter().enumerate() {
        let mut places = BTreeSet::new();
        for (label, span) in labels {
            match locations(&out.program, placed, label, span) {
                Ok(found) => {
                    if counted.contains(&id(entry)) {
                        errors.extend(abstracted(unit, placed, &found, span));
                    }
                    places.extend(found);
                }
                Err(error) => errors.push(error),
            }
        }
        sums.push(sum(&places));
    }
    let sum = |op: &Op| match op {
        Op::Count(u32::MAX, entry) => {
            usize::try_from(*entry).ok().and_then(|entry| sums.get(entry)).cloned()
        }
        _ => None,
    };
    let fill = |e: &mut Expr| *e = e.substitute(sum);
    for edge in out.program.templates.iter_mut().flat_map(|t| &mut t.edges) {
        fill(&mut edge.guard);
        edge.updates.iter_mut().for_each(|(_, value)| fill(value));
    }
    out.annotations.iter_mut().for_each(|annotation| fill(&mut annotation.formula));
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// The entries of `Unit::counts` that commands name.
fn counted(program: &Program) -> BTreeSet<u32> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let values = edges.flat_map(|e| e.updates.iter().map(|(_, value)| value).chain([&e.guard]));
    let entry = |op: &Op| match op {
        Op::Count(u32::MAX, entry) => Some(*entry),
        _ => None,
    };
    values.flat_map(|value| value.0.iter().filter_map(entry)).collect()
}

/// The error of a label in a thread that is abstracted.
fn abstracted(
    unit: &Unit,
    placed: &[Placed],
    found: &[(u32, u32)],
    span: &Span,
) -> Option<Diagnostic> {
    let threads = (0..).zip(placed).map(|(of, place)| (of, &unit.threads[place.thread]));
    let mut threads = threads.filter(|(of, _)| found.iter().any(|(counted, _)| counted == of));
    let (_, thread) = threads.find(|(_, thread)| thread.abstraction.is_some())?;
    let message = format!("`{}` is abstracted: its threads cannot be counted", thread.name);
    let hint = "an abstract thread has other locations: count them in a global";
    Some(Diagnostic::new(span.clone(), message).hint(hint))
}

/// Where a label is: template and location.
fn locations(
    program: &Program,
    placed: &[Placed],
    label: &str,
    span: &Span,
) -> Result<Vec<(u32, u32)>, Diagnostic> {
    let mut found = Vec::new();
    for ((of, place), template) in (0..).zip(placed).zip(&program.templates) {
        for (_, location) in place.labels.iter().filter(|(name, _)| name == label) {
            if !template.counts(*location) {
                let message = format!("threads at `{label}` are not counted: they start there");
                let hint = "put a statement before the label, for instance `assume(true);`";
                return Err(Diagnostic::new(span.clone(), message).hint(hint));
            }
            found.push((of, *location));
        }
    }
    if found.is_empty() {
        let message = format!("there is no label `{label}`");
        return Err(Diagnostic::new(span.clone(), message));
    }
    Ok(found)
}

fn sum(places: &BTreeSet<(u32, u32)>) -> Vec<Op> {
    let mut out = Vec::new();
    for (i, (of, location)) in places.iter().enumerate() {
        out.push(Op::Count(*of, *location));
        if i > 0 {
            out.push(Op::Add);
        }
    }
    if out.is_empty() { vec![Op::Int(Int(0.into()))] } else { out }
}

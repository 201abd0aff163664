//! What is said of the loops of threads that are abstracted, in the core program's variables.

use super::super::Placed;
use super::super::abstraction::Machine;
use super::super::step::id;
use crate::frontend::tp::ir::Unit;
use crate::logic::rewrite::Rewrite as _;
use crate::source::LoopInvariant;
use crate::text::Diagnostic;
use threadproof_checker::internals::abstraction::conformance::{CANDIDATES, CONCRETE};
use threadproof_format::Op;
use threadproof_format::program::Program;

/// Stands for an entry of `Unit::candidates` until it is known which locations its node has.
pub(in super::super) fn placeholder(entry: usize) -> Op {
    Op::Local(CANDIDATES, id(entry))
}

/// The invariants of all loops of threads that are abstracted.
pub(super) fn invariants(
    unit: &Unit,
    placed: &[Placed],
    program: &Program,
    machines: &[Machine],
) -> Result<Vec<LoopInvariant>, Vec<Diagnostic>> {
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    for (template, place) in (0..).zip(placed) {
        let Some(abstraction) = unit.threads[place.thread].abstraction else { continue };
        // A single template's locals are globals in the core form.
        let first = (0..).zip(&program.globals).find(|(_, g)| g.owner == Some(template));
        for (location, formula, note) in &place.said {
            let mut error = None;
            let formula = formula.substitute(|op| match op {
                Op::Global(i) => {
                    let (first, _) = first?;
                    Some(vec![Op::Local(CONCRETE, i - first)])
                }
                Op::Local(CANDIDATES, entry) => match node(unit, abstraction, machines, *entry) {
                    Ok(locations) => Some(locations),
                    Err(found) => {
                        error = Some(found);
                        None
                    }
                },
                _ => None,
            });
            match error {
                Some(error) => errors.push(error),
                None => out.push(LoopInvariant {
                    template,
                    location: *location,
                    formula,
                    note: note.clone(),
                }),
            }
        }
    }
    if errors.is_empty() { Ok(out) } else { Err(errors) }
}

/// "One of the node's locations is a candidate."
fn node(
    unit: &Unit,
    abstraction: usize,
    machines: &[Machine],
    entry: u32,
) -> Result<Vec<Op>, Diagnostic> {
    let entry = usize::try_from(entry).unwrap_or(usize::MAX);
    let (name, span) = &unit.candidates[entry];
    let here = (0..).zip(&machines[abstraction].nodes);
    let here = here.filter(|(_, nodes)| nodes.contains(name)).map(|(location, _)| location);
    let mut out = Vec::new();
    for (i, location) in here.enumerate() {
        out.push(Op::Local(CANDIDATES, location));
        if i > 0 {
            out.push(Op::Or);
        }
    }
    if out.is_empty() {
        let message = format!("`{}` has no node `{name}`", unit.abstractions[abstraction].name);
        return Err(Diagnostic::new(span.clone(), message));
    }
    Ok(out)
}

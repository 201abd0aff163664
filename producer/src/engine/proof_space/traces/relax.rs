//! Relaxing an infeasible trace: its pieces are switched off while it stays infeasible.
//!
//! Order (measured, it matters): conjuncts of the initial condition, then updates x := x + c,
//! then other updates (a variable that loses its update gets any value), then guards.

use crate::trace::{Kind, Trace};
use z3::SatResult;

/// Whether a trace can be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasibility {
    /// It can; the solver holds a model.
    Feasible,
    /// It cannot.
    Infeasible,
    /// z3 doesn't know.
    Unknown,
}

/// Decides feasibility.
pub fn feasibility(trace: &Trace) -> Feasibility {
    match trace.check(trace.length) {
        SatResult::Sat => Feasibility::Feasible,
        SatResult::Unknown => Feasibility::Unknown,
        SatResult::Unsat => Feasibility::Infeasible,
    }
}

/// Cuts an infeasible trace to its shortest infeasible prefix.
pub fn cut(trace: &mut Trace) {
    let mut length = trace.length;
    while length > 0 && trace.check(length) == SatResult::Unsat {
        let needed = last_step(trace, &trace.core());
        trace.truncate(needed);
        length = needed.saturating_sub(1);
    }
    trace.forget();
}

fn last_step(trace: &Trace, core: &[bool]) -> usize {
    let pieces = trace.pieces.iter().zip(core);
    pieces.filter(|(_, needed)| **needed).map(|(p, _)| p.step).max().unwrap_or(0)
}

/// Switches off the pieces of the given kinds, as many as can be; the trace must be infeasible.
///
/// In the end no single piece of these kinds can be left out.
pub fn relax(trace: &mut Trace, kinds: &[Kind], latest_first: bool) {
    for kind in kinds {
        let mut pieces: Vec<usize> = (0..trace.pieces.len())
            .filter(|i| trace.pieces[*i].kind == *kind && trace.enabled[*i])
            .collect();
        if latest_first {
            pieces.reverse();
        }
        if pieces.is_empty() || try_without(trace, &pieces, *kind) {
            continue;
        }
        for piece in pieces {
            if trace.enabled[piece] {
                try_without(trace, &[piece], *kind);
            }
        }
    }
}

/// Switches pieces off if the trace stays infeasible, and with them those of the kind that the
/// refutation doesn't need.
fn try_without(trace: &mut Trace, pieces: &[usize], kind: Kind) -> bool {
    let before = trace.enabled.clone();
    for piece in pieces {
        trace.enabled[*piece] = false;
    }
    if trace.check(trace.length) != SatResult::Unsat {
        trace.enabled = before;
        return false;
    }
    let core = trace.core();
    for (i, needed) in core.iter().enumerate() {
        if trace.pieces[i].kind == kind && !needed {
            trace.enabled[i] = false;
        }
    }
    true
}

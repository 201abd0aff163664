//! Making a proof smaller: predicates that it can do without are given up.

use super::Automaton;
use super::configuration::{Configuration, Effort};
use super::draft;
use super::emptiness::{Emptiness, Exploration};
use super::graph::Graph;
use crate::control::Control;
use crate::logic::basis::{Basis, Triple};
use std::collections::BTreeSet;

/// A basis and its closed configurations.
pub type Proof = (Basis, Vec<Configuration>);

/// Gives up unused triples, and then one predicate after the other, the last ones first, as long as
/// the automaton stays empty and its configurations don't become more. No try may take more effort
/// than `effort`, nor than the emptiness check of the used triples takes from scratch.
pub fn shrink(
    automaton: &Automaton,
    closed: Vec<Configuration>,
    effort: Effort,
    control: &Control,
) -> Proof {
    let used = draft::needed(automaton, &closed);
    let mut best = (Basis::of(used), closed);
    let mut effort = effort;
    if let Some((closed, spent)) = empty(automaton, &best.0, effort, control) {
        (best.1, effort) = (closed, spent);
    }
    let predicates: BTreeSet<u32> = best.0.triples.iter().map(|t| t.post).collect();
    for predicate in predicates.into_iter().rev().filter(|p| *p != 0) {
        let free =
            |t: &&Triple| t.post != predicate && t.pre.iter().all(|i| i.predicate != predicate);
        let rest = best.0.triples.iter().filter(free).cloned();
        let rest = Basis::of(rest.collect());
        if let Some((closed, _)) = empty(automaton, &rest, effort, control)
            && closed.len() <= best.1.len()
        {
            best = (rest, closed);
        }
    }
    best
}

/// The closed configurations of another basis, if it has any, and the effort that it took.
fn empty(
    automaton: &Automaton,
    basis: &Basis,
    effort: Effort,
    control: &Control,
) -> Option<(Vec<Configuration>, Effort)> {
    let automaton = Automaton { basis, ..*automaton };
    let mut graph = Graph::default();
    let mut exploration = Exploration::new(&automaton, &mut graph, effort);
    match exploration.run(control) {
        Emptiness::Empty(closed) => Some((closed, Effort(effort.0 - exploration.effort().0))),
        _ => None,
    }
}

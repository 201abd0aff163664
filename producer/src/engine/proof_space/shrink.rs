//! Making a proof smaller: predicates that it can do without are given up.

use super::automaton::Automaton;
use super::basis::{Basis, Triple};
use super::configuration::{Configuration, Effort};
use super::draft;
use super::emptiness::{Emptiness, Exploration};
use crate::engine::control::Control;
use std::collections::BTreeSet;

/// A basis and its closed configurations.
pub type Proof = (Basis, Vec<Configuration>);

/// Gives up unused triples, and then one predicate after the other, the last ones first, as long as
/// the automaton stays empty and its configurations don't become more. `effort` is for each try.
pub fn shrink(
    automaton: &Automaton,
    closed: Vec<Configuration>,
    effort: Effort,
    control: &Control,
) -> Proof {
    let used = draft::needed(automaton, &closed);
    let mut best = (Basis::of(used), closed);
    let predicates: BTreeSet<u32> = best.0.triples.iter().map(|t| t.post).collect();
    for predicate in predicates.into_iter().rev().filter(|p| *p != 0) {
        let free =
            |t: &&Triple| t.post != predicate && t.pre.iter().all(|i| i.predicate != predicate);
        let rest = best.0.triples.iter().filter(free).cloned();
        let rest = Basis::of(rest.collect());
        if let Some(smaller) = empty(automaton, &rest, best.1.len(), effort, control) {
            best = (rest, smaller);
        }
    }
    best
}

/// The closed configurations of another basis, if they are no more than `most`.
fn empty(
    automaton: &Automaton,
    basis: &Basis,
    most: usize,
    effort: Effort,
    control: &Control,
) -> Option<Vec<Configuration>> {
    let automaton = Automaton { basis, ..*automaton };
    let mut exploration = Exploration::new(&automaton, effort);
    match exploration.run(control) {
        Emptiness::Empty(closed) if closed.len() <= most => Some(closed),
        _ => None,
    }
}

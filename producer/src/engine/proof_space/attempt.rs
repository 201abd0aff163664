//! One strategy's proof space, and how far it has come with it.

use super::automaton::Automaton;
use super::automaton::configuration::Effort;
use super::automaton::emptiness::{Emptiness, Exploration};
use super::automaton::gaps::Gaps;
use super::automaton::graph::Graph;
use super::counting::inductive::Inductive;
use super::strategy::Strategy;
use crate::control::Control;
use crate::logic::basis::{Basis, Triple};
use crate::logic::model::Facts;
use crate::logic::predicates::{Instance, Predicates};
use crate::trace::Word;
use std::collections::BTreeSet;

/// One strategy's basis and history.
pub struct Attempt {
    /// The strategy.
    pub strategy: Strategy,
    /// The triples of its proofs.
    pub basis: Basis,
    graph: Graph,
    /// Predicates whose missing triples were looked for with the known ones.
    settled: BTreeSet<u32>,
    /// The basis' predicates, and those of the hints.
    pub known: BTreeSet<u32>,
    /// How often it has refined.
    pub iterations: usize,
    /// Traces that were excluded with all iterations of their loops.
    pub paths: usize,
    /// Whether path programs may be tried: not in a first turn, which few programs need more than,
    /// and not again where the loops of a trace had no proof, for then those of others like it have
    /// none either.
    pub loops: bool,
    /// How the last refinement went.
    pub state: &'static str,
    /// Whether it is at its end.
    pub ended: bool,
    /// The last trace that was looked at.
    pub last: Option<Word>,
    /// The predicates that were added last.
    pub added: Vec<u32>,
    /// The invariants of a strategy that counts, once they have been looked for.
    pub inductive: Option<Inductive>,
}

impl Attempt {
    /// A strategy that has done nothing yet.
    pub fn new(strategy: Strategy, known: BTreeSet<u32>) -> Self {
        Attempt {
            strategy,
            basis: Basis::default(),
            graph: Graph::default(),
            settled: BTreeSet::new(),
            known,
            iterations: 0,
            paths: 0,
            loops: false,
            state: "not tried",
            ended: false,
            last: None,
            added: Vec::new(),
            inductive: None,
        }
    }

    /// Checks emptiness; a word for which there are triples of known predicates at hand is
    /// excluded by them at once.
    pub fn explore(
        &mut self,
        (facts, predicates): (&Facts, &Predicates),
        initial: &BTreeSet<u32>,
        effort: Effort,
        control: &Control,
    ) -> Emptiness {
        loop {
            let automaton = Automaton { facts, predicates, basis: &self.basis, initial };
            let found = Exploration::new(&automaton, &mut self.graph, effort).run(control);
            let accepting = self.graph.accepting();
            let path = accepting.map(|n| self.graph.path(n)).unwrap_or_default();
            let mut gaps = Gaps {
                facts,
                predicates,
                basis: &self.basis,
                known: &self.known,
                settled: &mut self.settled,
            };
            let triples = gaps.fill(&path);
            if triples.is_empty() {
                return found;
            }
            triples.into_iter().for_each(|t| self.basis.add(t));
        }
    }

    /// The invariants that need no proof.
    pub fn invariants(&self) -> &[Instance] {
        self.inductive.as_ref().map_or(&[], |inductive| &inductive.invariants)
    }

    /// How many configurations the last emptiness check has left.
    pub fn configurations(&self) -> usize {
        self.graph.alive().count()
    }

    /// Predicates of triples that are not yet known.
    pub fn new_predicates(&self, triples: &[Triple]) -> BTreeSet<u32> {
        let all = triples.iter().flat_map(|t| {
            let pre = t.pre.iter().map(|i| i.predicate);
            pre.chain([t.post])
        });
        all.filter(|p| *p != 0 && !self.known.contains(p)).collect()
    }

    /// Adds triples.
    pub fn add(&mut self, triples: Vec<Triple>) {
        self.added = self.new_predicates(&triples).into_iter().collect();
        if !self.added.is_empty() {
            self.known.extend(&self.added);
            self.settled.clear();
        }
        for triple in triples {
            self.basis.add(triple);
        }
    }
}

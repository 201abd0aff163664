//! Inductive invariants over globals and counters, and the triples that show them to be inductive.

use crate::logic::basis::{self, Basis, Triple};
use crate::logic::model::{Facts, number};
use crate::logic::predicates::{Instance, Predicates};
use crate::logic::validity::{Act, Validity};
use std::collections::BTreeSet;

/// The invariants of a strategy that counts.
pub struct Inductive {
    /// All of them; only together they are inductive.
    pub invariants: Vec<Instance>,
    /// Those whose inductiveness the basis shows.
    supported: BTreeSet<Instance>,
}

impl Inductive {
    /// None of these invariants is in a basis yet.
    pub fn new(invariants: Vec<Instance>) -> Self {
        Inductive { invariants, supported: BTreeSet::new() }
    }

    /// Adds the triples that show that invariants which some triples need are inductive: for each
    /// command the least part of the invariants that suffices. Whether they were all found.
    pub fn support(
        &mut self,
        facts: &Facts,
        predicates: &Predicates,
        validity: &mut Validity,
        triples: &mut Vec<Triple>,
    ) -> bool {
        let mut next = 0;
        while let Some(triple) = triples.get(next) {
            next += 1;
            for instance in triple.pre.clone() {
                if self.invariants.contains(&instance) && self.supported.insert(instance) {
                    match self.preserved(facts, predicates, validity, &instance) {
                        Some(support) => triples.extend(support),
                        None => return false,
                    }
                }
            }
        }
        true
    }

    /// A triple for each command that could falsify an invariant.
    fn preserved(
        &self,
        facts: &Facts,
        predicates: &Predicates,
        validity: &mut Validity,
        invariant: &Instance,
    ) -> Option<Vec<Triple>> {
        let mut out = Vec::new();
        for (command, of) in facts.commands.iter().enumerate() {
            let wrong = |l: u32| facts.is_error(of.template, l);
            let actor = facts.many[of.template].then_some(0);
            let framed = basis::framed(facts, predicates, command, actor, invariant);
            if framed || wrong(of.source) || wrong(of.target) {
                continue;
            }
            let threads = [number(of.template)];
            let act = Act { facts, threads: &threads, command, thread: 0 };
            let mut candidates = vec![*invariant];
            candidates.extend(self.invariants.iter().filter(|i| *i != invariant));
            let pre = validity.least_precondition(predicates, &act, &candidates, invariant)?;
            out.extend(Basis::variants(predicates, command, actor, &pre, invariant));
        }
        Some(out)
    }
}

//! Lemmas: clauses about threads at certain places, as searches find them.

use super::{Assertion, Clause};
use std::collections::BTreeSet;
use threadproof_checker::internals::counters::Place;
use threadproof_format::Expr;

/// A part of an inductive invariant: if the threads of single templates are where it says, it holds
/// for all different threads at its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lemma {
    /// Locations of single templates' threads: of all, or of none.
    pub singles: Vec<Place>,
    /// Places of different threads of templates of many.
    pub threads: Vec<Place>,
    /// What holds of globals, counters and the locals of these threads, by position.
    pub formula: Expr,
}

impl Lemma {
    /// The lemma as a clause of an invariant.
    pub fn clause(&self) -> Clause {
        let at = |location: u32| BTreeSet::from([location]);
        let singles = self.singles.iter().map(|(t, l)| Assertion::SingleAt(*t, at(*l)).negate());
        let threads = (0u32..).zip(&self.threads);
        let places = threads.clone().map(|(p, (_, l))| Assertion::At(p, at(*l)).negate());
        // Threads at different places are different anyway.
        let pairs = threads.clone().flat_map(|(p, place)| {
            let before = threads.clone().take_while(move |(q, _)| *q < p);
            before.filter(move |(_, other)| *other == place).map(move |(q, _)| (q, p))
        });
        let same = pairs.map(|(q, p)| Assertion::Same(q, p));
        let data = [Assertion::Data(self.formula.clone())];
        Clause {
            threads: self.threads.iter().map(|(t, _)| *t).collect(),
            formula: Assertion::any(singles.chain(places).chain(same).chain(data)),
        }
    }
}

//! Configurations of the automaton (Definition 6.2) and the covering relation between them
//! (Definition 6.6).

use crate::logic::model::Slot;
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::solve;

/// Threads at locations, and predicates over them that do not hold; `false` is implied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The threads.
    pub slots: Vec<Slot>,
    /// The negated predicates, ascending.
    pub negated: Vec<Instance>,
}

/// Threads and negated predicates (ascending), borrowed.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The threads.
    pub slots: &'a [Slot],
    /// The negated predicates, ascending.
    pub negated: &'a [Instance],
}

/// After so many steps it is asked whether the search has to stop.
const PERIOD: usize = 1 << 14;

/// Elementary steps that are left to the tests for covering.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub usize);

impl Effort {
    /// Takes some steps off; whether they were left. None is left of a search that is asked to
    /// stop.
    pub fn spend(&mut self, steps: usize) -> bool {
        let (enough, before) = (self.0 >= steps, self.0 / PERIOD);
        self.0 = self.0.saturating_sub(steps);
        if self.0 / PERIOD != before && solve::stopped() {
            self.0 = 0;
        }
        enough
    }
}

/// An injective map: the covered configuration's thread for each of the covering one's.
pub type Embedding = Vec<Thread>;

impl Configuration {
    /// The configuration, borrowed.
    pub fn view(&self) -> View<'_> {
        View { slots: &self.slots, negated: &self.negated }
    }
}

impl View<'_> {
    /// A signature: if a configuration covers another, its bits are a subset of the other's.
    ///
    /// Features are the k-th thread at each location, and the k-th negated predicate with the
    /// locations of its arguments.
    pub fn mask(&self, predicates: &Predicates) -> u128 {
        let slots = self.slots.iter().map(|s| self.slot_feature(*s));
        let negated = self.negated.iter().map(|instance| {
            // Symmetric arguments stand in no order that an embedding keeps.
            let arrangements = predicates.arrangements(instance);
            arrangements
                .map(|i| {
                    let seed = mix(1, u64::from(i.predicate));
                    let args = i.args().iter();
                    args.fold(seed, |h, t| mix(h, self.slot_feature(self.slots[usize::from(*t)])))
                })
                .min()
                .unwrap_or_default()
        });
        let mut features: Vec<u64> = slots.chain(negated).collect();
        features.sort_unstable();
        let (mut mask, mut run) = (0u128, 0u64);
        for (i, feature) in features.iter().enumerate() {
            run = if i > 0 && features[i - 1] == *feature { run + 1 } else { 0 };
            mask |= 1 << (mix(*feature, run) >> 57);
        }
        mask
    }

    fn slot_feature(&self, slot: Slot) -> u64 {
        mix(u64::from(slot.template), u64::from(slot.location))
    }

    /// An embedding of this configuration into another: this one covers the other. None is found
    /// without effort.
    pub fn embed(
        self,
        other: View,
        predicates: &Predicates,
        effort: &mut Effort,
    ) -> Option<Embedding> {
        if self.slots.len() > other.slots.len() || self.negated.len() > other.negated.len() {
            return None;
        }
        let mut search = Search {
            mine: self,
            theirs: other,
            predicates,
            map: vec![FREE; self.slots.len()],
            taken: vec![false; other.slots.len()],
            effort,
        };
        search.place(0).then_some(search.map)
    }
}

/// A thread that has no place yet.
const FREE: Thread = Thread::MAX;

/// The backtracking search for an embedding.
struct Search<'a> {
    mine: View<'a>,
    theirs: View<'a>,
    predicates: &'a Predicates<'a>,
    map: Embedding,
    taken: Vec<bool>,
    effort: &'a mut Effort,
}

impl Search<'_> {
    /// Maps the negated predicates from the given one on, then the threads that are left.
    fn place(&mut self, from: usize) -> bool {
        if !self.effort.spend(1) {
            return false;
        }
        let Some(mine) = self.mine.negated.get(from) else {
            return self.place_rest();
        };
        let theirs = self.theirs;
        let start = theirs.negated.partition_point(|i| i.predicate < mine.predicate);
        let same = theirs.negated[start..].iter().take_while(|i| i.predicate == mine.predicate);
        for instance in same {
            for arranged in self.predicates.arrangements(instance) {
                let mut assigned = Vec::new();
                if self.unify(mine, &arranged, &mut assigned) && self.place(from + 1) {
                    return true;
                }
                for i in assigned {
                    self.taken[usize::from(self.map[i])] = false;
                    self.map[i] = FREE;
                }
            }
        }
        false
    }

    /// Maps one instance to another; `assigned` receives the threads that get their place here.
    fn unify(&mut self, mine: &Instance, theirs: &Instance, assigned: &mut Vec<usize>) -> bool {
        mine.args().iter().zip(theirs.args()).all(|(a, b)| {
            let (i, j) = (usize::from(*a), usize::from(*b));
            if self.map[i] != FREE {
                return self.map[i] == *b;
            }
            if self.taken[j] || self.mine.slots[i] != self.theirs.slots[j] {
                return false;
            }
            self.map[i] = *b;
            self.taken[j] = true;
            assigned.push(i);
            true
        })
    }

    /// Threads without predicates are interchangeable: the first free place will do.
    fn place_rest(&mut self) -> bool {
        let mut taken = self.taken.clone();
        let mut map = self.map.clone();
        for (place, slot) in map.iter_mut().zip(self.mine.slots) {
            if *place != FREE {
                continue;
            }
            let free = (0..taken.len()).find(|j| !taken[*j] && self.theirs.slots[*j] == *slot);
            let Some(j) = free else {
                return false;
            };
            taken[j] = true;
            *place = Thread::try_from(j).expect("few threads");
        }
        self.map = map;
        true
    }
}

/// Mixes a number into a hash; the same in every run.
fn mix(hash: u64, value: u64) -> u64 {
    let mixed =
        (hash ^ value.wrapping_add(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    mixed ^ (mixed >> 32)
}

/// So many signatures are compared in one elementary step.
const SCANNED: usize = 64;

/// Configurations to test for covering.
#[derive(Default)]
pub struct Cover {
    entries: Vec<(u128, usize)>,
}

impl Cover {
    /// The first entry that covers the configuration, as `get` looks them up.
    pub fn find<'a>(
        &self,
        configuration: View,
        predicates: &Predicates,
        get: impl Fn(usize) -> &'a Configuration,
        effort: &mut Effort,
    ) -> Option<(usize, Embedding)> {
        effort.spend(1 + self.entries.len() / SCANNED);
        let missing = !configuration.mask(predicates);
        let candidates = self.entries.iter().filter(|(m, _)| m & missing == 0);
        candidates
            .map(|(_, n)| *n)
            .find_map(|n| Some((n, get(n).view().embed(configuration, predicates, effort)?)))
    }

    /// Adds an entry and takes out those that it covers; they are given back.
    pub fn insert<'a>(
        &mut self,
        number: usize,
        predicates: &Predicates,
        get: impl Fn(usize) -> &'a Configuration,
        effort: &mut Effort,
    ) -> Vec<usize> {
        let new = get(number).view();
        let mask = new.mask(predicates);
        let mut out = Vec::new();
        self.entries.retain(|(m, n)| {
            let covered = mask & !m == 0 && new.embed(get(*n).view(), predicates, effort).is_some();
            if covered {
                out.push(*n);
            }
            !covered
        });
        self.entries.push((mask, number));
        out
    }

    /// Keeps only some entries.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        self.entries.retain(|(_, n)| keep(*n));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::formula::Formula;
    use crate::logic::linear::{Leaf, Linear, Var};
    use crate::logic::model::{Facts, testing};

    /// Of two threads' locals, the left one is less.
    fn less(predicates: &mut Predicates, left: u32, right: u32) -> Instance {
        let local = |t| Linear::leaf(Leaf::Var(Var::Local(t, 0)));
        let formula = Formula::lt(local(left), local(right));
        predicates.intern(&formula, &[0; 8]).expect("two threads")
    }

    fn configuration(locations: &[u32], mut negated: Vec<Instance>) -> Configuration {
        negated.sort_unstable();
        let slots = locations.iter().map(|l| Slot { template: 0, location: *l });
        Configuration { slots: slots.collect(), negated }
    }

    fn covers(a: &Configuration, b: &Configuration, predicates: &Predicates) -> bool {
        let effort = &mut Effort(usize::MAX);
        let embedding = a.view().embed(b.view(), predicates, effort);
        let masks = (a.view().mask(predicates), b.view().mask(predicates));
        assert!(embedding.is_none() || masks.0 & !masks.1 == 0, "the mask is no signature");
        if let Some(map) = &embedding {
            let mut different = map.clone();
            different.sort_unstable();
            different.dedup();
            assert_eq!(different.len(), a.slots.len(), "not injective");
        }
        embedding.is_some()
    }

    #[test]
    fn covering_is_injective_and_keeps_locations_and_predicates() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let chain = vec![less(&mut predicates, 0, 1), less(&mut predicates, 1, 2)];
        let chain = configuration(&[1, 1, 1], chain);
        let fork = vec![less(&mut predicates, 0, 1), less(&mut predicates, 0, 2)];
        let fork = configuration(&[1, 1, 1], fork);
        let one = configuration(&[1, 1], vec![less(&mut predicates, 1, 0)]);
        assert!(covers(&one, &chain, &predicates) && covers(&one, &fork, &predicates));
        assert!(!covers(&chain, &fork, &predicates) && !covers(&fork, &chain, &predicates));
        let both = vec![less(&mut predicates, 0, 1), less(&mut predicates, 1, 0)];
        let both = configuration(&[1, 1], both);
        assert!(!covers(&both, &chain, &predicates) && covers(&one, &both, &predicates));
        // Two threads do not fit into one, nor a location into another.
        let (single, pair) = (configuration(&[1], vec![]), configuration(&[1, 1], vec![]));
        assert!(covers(&single, &pair, &predicates) && !covers(&pair, &single, &predicates));
        assert!(!covers(&configuration(&[2], vec![]), &pair, &predicates));
    }

    #[test]
    fn nothing_is_found_without_effort() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let predicates = Predicates::new(&facts);
        let single = configuration(&[1], vec![]);
        let effort = &mut Effort(0);
        assert!(single.view().embed(single.view(), &predicates, effort).is_none());
    }
}

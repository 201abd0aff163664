//! Configurations of the automaton (Definition 6.2) and the covering relation between them
//! (Definition 6.6).

use super::predicates::{Instance, Predicates, Thread};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A thread of a configuration: template and location.
///
/// The paper's configurations may hold threads without a location. Relevance (Definition 4.2,
/// condition 2) keeps them out here: a precondition's threads are the acting one and those of
/// the postcondition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Template.
    pub template: u32,
    /// Location.
    pub location: u32,
}

/// Threads at locations, and predicates over them that do not hold; `false` is implied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration {
    /// The threads.
    pub slots: Vec<Slot>,
    /// The negated predicates, ascending.
    pub negated: Vec<Instance>,
}

/// An injective map: the covered configuration's thread for each of the covering one's.
pub type Embedding = Vec<Thread>;

impl Configuration {
    /// A signature: if a configuration covers another, its bits are a subset of the other's.
    ///
    /// Features are the k-th thread at each location, and the k-th negated predicate with the
    /// locations of its arguments.
    pub fn mask(&self, predicates: &Predicates) -> u128 {
        let mut features: Vec<u64> = self.slots.iter().map(hash).collect();
        for instance in &self.negated {
            // Symmetric arguments stand in no order that an embedding keeps.
            let least = predicates
                .arrangements(instance)
                .map(|i| i.args().iter().map(|t| self.slot(*t)).collect::<Vec<_>>())
                .min();
            features.push(hash(&(instance.predicate, least)));
        }
        features.sort_unstable();
        let (mut mask, mut run) = (0u128, 0u32);
        for (i, feature) in features.iter().enumerate() {
            run = if i > 0 && features[i - 1] == *feature {
                run + 1
            } else {
                0
            };
            mask |= 1 << (hash(&(feature, run)) % 128);
        }
        mask
    }

    /// A thread of the configuration.
    pub fn slot(&self, thread: Thread) -> Slot {
        self.slots[usize::from(thread)]
    }

    /// An embedding of this configuration into another: this one covers the other.
    pub fn embed(&self, other: &Configuration, predicates: &Predicates) -> Option<Embedding> {
        if self.slots.len() > other.slots.len() || self.negated.len() > other.negated.len() {
            return None;
        }
        let mut map = vec![None; self.slots.len()];
        let mut taken = vec![false; other.slots.len()];
        self.place(other, predicates, 0, &mut map, &mut taken)
            .then(|| map.into_iter().flatten().collect())
    }

    /// Maps the negated predicates from the given one on, then the threads that are left.
    fn place(
        &self,
        other: &Configuration,
        predicates: &Predicates,
        from: usize,
        map: &mut Vec<Option<Thread>>,
        taken: &mut Vec<bool>,
    ) -> bool {
        let Some(mine) = self.negated.get(from) else {
            return self.place_rest(other, map, taken);
        };
        let start = other
            .negated
            .partition_point(|i| i.predicate < mine.predicate);
        let same = other.negated[start..]
            .iter()
            .take_while(|i| i.predicate == mine.predicate);
        for theirs in same {
            for arranged in predicates.arrangements(theirs) {
                let undo = (map.clone(), taken.clone());
                if self.unify(other, mine, &arranged, map, taken)
                    && self.place(other, predicates, from + 1, map, taken)
                {
                    return true;
                }
                (*map, *taken) = undo;
            }
        }
        false
    }

    fn unify(
        &self,
        other: &Configuration,
        mine: &Instance,
        theirs: &Instance,
        map: &mut [Option<Thread>],
        taken: &mut [bool],
    ) -> bool {
        mine.args().iter().zip(theirs.args()).all(|(a, b)| {
            let (i, j) = (usize::from(*a), usize::from(*b));
            match map[i] {
                Some(to) => to == *b,
                None if taken[j] || self.slots[i] != other.slots[j] => false,
                None => {
                    map[i] = Some(*b);
                    taken[j] = true;
                    true
                }
            }
        })
    }

    /// Threads without predicates are interchangeable: the first free place will do.
    fn place_rest(
        &self,
        other: &Configuration,
        map: &mut [Option<Thread>],
        taken: &mut [bool],
    ) -> bool {
        (0..map.len()).all(|i| {
            if map[i].is_some() {
                return true;
            }
            let free = (0..taken.len()).find(|j| !taken[*j] && other.slots[*j] == self.slots[i]);
            let Some(j) = free else {
                return false;
            };
            map[i] = Thread::try_from(j).ok();
            taken[j] = true;
            true
        })
    }

    /// The number of threads and negated predicates.
    pub fn size(&self) -> usize {
        self.slots.len() + self.negated.len()
    }
}

/// A hash that is the same in every run.
fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Configurations to test for covering.
#[derive(Default)]
pub struct Cover {
    entries: Vec<(u128, usize)>,
}

impl Cover {
    /// The first entry that covers the configuration, as `get` looks them up.
    pub fn find<'a>(
        &self,
        configuration: &Configuration,
        mask: u128,
        predicates: &Predicates,
        get: impl Fn(usize) -> &'a Configuration,
    ) -> Option<(usize, Embedding)> {
        self.entries
            .iter()
            .filter(|(m, _)| m & !mask == 0)
            .find_map(|(_, n)| Some((*n, get(*n).embed(configuration, predicates)?)))
    }

    /// Adds an entry and takes out those that it covers; they are given back.
    pub fn insert<'a>(
        &mut self,
        number: usize,
        mask: u128,
        predicates: &Predicates,
        get: impl Fn(usize) -> &'a Configuration,
    ) -> Vec<usize> {
        let new = get(number);
        let mut out = Vec::new();
        self.entries.retain(|(m, n)| {
            let covered = mask & !m == 0 && new.embed(get(*n), predicates).is_some();
            if covered {
                out.push(*n);
            }
            !covered
        });
        self.entries.push((mask, number));
        out
    }
}

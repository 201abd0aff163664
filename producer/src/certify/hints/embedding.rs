//! Embeddings of configurations into successors (Definition 6.6): which configurations may embed,
//! by their located threads, and the injective maps of threads.

use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::proof::proof_space::{Configuration, Instance, Slot};

/// Located threads beyond which the index is gone through instead of asked for all their parts.
const MAX_LOCATED: usize = 12;

/// Configurations by their located threads.
#[derive(Debug, Default)]
pub struct Index {
    by_threads: BTreeMap<Vec<Slot>, Vec<usize>>,
}

fn located(threads: &[Slot]) -> Vec<Slot> {
    let mut located: Vec<Slot> = threads.iter().copied().filter(|slot| slot.1.is_some()).collect();
    located.sort_unstable();
    located
}

impl Index {
    /// Of a list of configurations.
    pub fn new(list: &[Configuration]) -> Self {
        let mut index = Index::default();
        for (i, c) in list.iter().enumerate() {
            index.by_threads.entry(located(&c.threads)).or_default().push(i);
        }
        index
    }

    /// The configurations whose located threads are among these, ascending.
    pub fn candidates(&self, threads: &[Slot]) -> Vec<usize> {
        let mut found: Vec<usize> = if located(threads).len() > MAX_LOCATED {
            let threads = located(threads);
            let among = |part: &&Vec<Slot>| is_part(part, &threads);
            self.by_threads
                .keys()
                .filter(among)
                .flat_map(|p| &self.by_threads[p])
                .copied()
                .collect()
        } else {
            let parts = parts(&located(threads));
            parts.iter().filter_map(|part| self.by_threads.get(part)).flatten().copied().collect()
        };
        found.sort_unstable();
        found
    }
}

/// Whether an ascending list is a sub-multiset of another one.
fn is_part(part: &[Slot], list: &[Slot]) -> bool {
    let mut rest = list.iter();
    part.iter().all(|slot| rest.by_ref().any(|other| other == slot))
}

/// All sub-multisets of an ascending list.
fn parts(list: &[Slot]) -> BTreeSet<Vec<Slot>> {
    let mut parts = BTreeSet::from([Vec::new()]);
    for slot in list {
        let longer = parts.iter().cloned().map(|mut part: Vec<Slot>| {
            part.push(*slot);
            part
        });
        parts.extend(longer.collect::<Vec<_>>());
    }
    parts
}

/// A search for the embeddings of one configuration into threads.
pub struct Embeddings<'a> {
    /// The predicates.
    pub predicates: &'a Predicates,
    /// The configuration that is embedded.
    pub from: &'a Configuration,
    /// The threads into which it is embedded.
    pub threads: &'a [Slot],
}

/// No image yet.
const FREE: u32 = u32::MAX;

impl Embeddings<'_> {
    /// Calls `found` with maps of threads, and with what `image` gives for the image of each
    /// negated instance, until `found` returns true. Maps for which `image` gives `None` once are
    /// left out, and of those that differ only in threads without negated instances all but one.
    pub fn each<T: Copy>(
        &self,
        mut image: impl FnMut(Instance) -> Option<T>,
        mut found: impl FnMut(&[u32], &[T]) -> bool,
    ) {
        let slots = self.mentioned();
        let ready = self.ready();
        let none = Vec::new();
        let ground = ready.get(&None).unwrap_or(&none);
        let Some(start) = self.images(ground, &[], &mut image) else { return };
        // Partial maps, the one to go on with last.
        let mut todo = vec![(0, vec![FREE; self.from.threads.len()], start)];
        while let Some((placed, map, images)) = todo.pop() {
            let Some(&slot) = slots.get(placed) else {
                if self.complete(map).is_some_and(|map| found(&map, &images)) {
                    return;
                }
                continue;
            };
            for to in self.fitting(slot, &map).into_iter().rev() {
                let mut longer = map.clone();
                longer[slot] = to;
                let next = ready.get(&Some(slot)).unwrap_or(&none);
                if let Some(more) = self.images(next, &longer, &mut image) {
                    let mut images = images.clone();
                    images.extend(more);
                    todo.push((placed + 1, longer, images));
                }
            }
        }
    }

    /// The slots that negated instances mention, ascending.
    fn mentioned(&self) -> Vec<usize> {
        let mentioned: BTreeSet<u32> =
            self.from.negated.iter().flat_map(|i| i.1.iter().copied()).collect();
        mentioned.into_iter().filter_map(|slot| usize::try_from(slot).ok()).collect()
    }

    /// The threads that a slot can be mapped to.
    fn fitting(&self, slot: usize, map: &[u32]) -> Vec<u32> {
        let wanted = self.from.threads[slot];
        let fits = |(to, has): &(u32, &Slot)| {
            has.0 == wanted.0 && (wanted.1.is_none() || wanted.1 == has.1) && !map.contains(to)
        };
        (0..).zip(self.threads).filter(fits).map(|(to, _)| to).collect()
    }

    /// Maps the other slots, those with a location first: any threads that fit will do.
    fn complete(&self, mut map: Vec<u32>) -> Option<Vec<u32>> {
        let mut rest: Vec<usize> = (0..map.len()).filter(|slot| map[*slot] == FREE).collect();
        rest.sort_by_key(|slot| self.from.threads[*slot].1.is_none());
        for slot in rest {
            map[slot] = *self.fitting(slot, &map).first()?;
        }
        Some(map)
    }

    /// Negated instances by the last slot that they mention.
    fn ready(&self) -> BTreeMap<Option<usize>, Vec<&Instance>> {
        let mut ready: BTreeMap<Option<usize>, Vec<&Instance>> = BTreeMap::new();
        for instance in &self.from.negated {
            let last = instance.1.iter().max().and_then(|slot| usize::try_from(*slot).ok());
            ready.entry(last).or_default().push(instance);
        }
        ready
    }

    fn images<T>(
        &self,
        instances: &[&Instance],
        map: &[u32],
        image: &mut impl FnMut(Instance) -> Option<T>,
    ) -> Option<Vec<T>> {
        let mapped = |instance: &&Instance| image(mapped(self.predicates, instance, map)?);
        instances.iter().map(mapped).collect()
    }
}

/// An instance over other threads, in normal form; `None` if it has a thread without an image.
pub fn mapped(predicates: &Predicates, instance: &Instance, map: &[u32]) -> Option<Instance> {
    let to = |slot: &u32| usize::try_from(*slot).ok().and_then(|slot| map.get(slot)).copied();
    let args: Option<Vec<u32>> = instance.1.iter().map(to).collect();
    let budget = threadproof_checker::error::Budget::default();
    predicates.normal(Instance(instance.0, args?), &budget).ok()
}

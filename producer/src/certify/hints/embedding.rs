//! Embeddings of configurations into successors (Definition 6.6): which configurations may embed,
//! by their located threads, and the injective maps of threads.

use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::proof_space::predicates::Predicates;
use threadproof_format::proof::proof_space::{Configuration, Instance, Slot};

/// Located threads beyond which all configurations are tried.
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
            self.by_threads.values().flatten().copied().collect()
        } else {
            let parts = parts(&located(threads));
            parts.iter().filter_map(|part| self.by_threads.get(part)).flatten().copied().collect()
        };
        found.sort_unstable();
        found
    }
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

impl Embeddings<'_> {
    /// Calls `found` with each map of threads, and with what `image` gives for the image of each
    /// negated instance, until `found` returns true. Maps for which `image` gives `None` once
    /// are left out.
    pub fn each<T: Copy>(
        &self,
        mut image: impl FnMut(Instance) -> Option<T>,
        mut found: impl FnMut(&[u32], &[T]) -> bool,
    ) {
        let ready = self.ready();
        let none = Vec::new();
        let ground = ready.get(&None).unwrap_or(&none);
        let Some(start) = self.images(ground, &[], &mut image) else { return };
        // Partial maps, the one to go on with last.
        let mut todo: Vec<(Vec<u32>, Vec<T>)> = vec![(Vec::new(), start)];
        while let Some((map, images)) = todo.pop() {
            let slot = map.len();
            let Some(wanted) = self.from.threads.get(slot) else {
                if found(&map, &images) {
                    return;
                }
                continue;
            };
            let fits = |(to, has): &(u32, &Slot)| {
                has.0 == wanted.0 && (wanted.1.is_none() || wanted.1 == has.1) && !map.contains(to)
            };
            let fitting: Vec<u32> =
                (0..).zip(self.threads).filter(fits).map(|(to, _)| to).collect();
            for to in fitting.into_iter().rev() {
                let mut longer = map.clone();
                longer.push(to);
                let next = ready.get(&Some(slot)).unwrap_or(&none);
                if let Some(more) = self.images(next, &longer, &mut image) {
                    let mut images = images.clone();
                    images.extend(more);
                    todo.push((longer, images));
                }
            }
        }
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
    let mut budget = threadproof_checker::error::Budget::default();
    predicates.normal(Instance(instance.0, args?), &mut budget).ok()
}

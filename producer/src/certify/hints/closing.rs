//! Closing one step: which embeddings, applied in which order, make the checker's unit
//! propagation contradict itself or cover the branch; where that does not suffice, case splits.
//!
//! Propagation keeps the reason of each fact, so that going backwards from the end only what
//! is needed stays: embeddings and splits for the hints, triples for the basis.

use super::walk::Walk;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::{Duration, Instant};
use threadproof_checker::internals::proof_space::automaton::Successor;
use threadproof_format::proof::proof_space::{Configuration, Hint, Instance};

/// Case splits that are tried for one step.
const MAX_SPLITS: usize = 2_000;
/// Embeddings that are looked at for one step.
const MAX_EMBEDDINGS: usize = 100_000;

/// What closes a step.
#[derive(Clone, Debug, Default)]
pub struct Closed {
    /// The hints; none if the step closes by itself.
    pub hints: Vec<Hint>,
    /// Triples that are needed.
    pub triples: BTreeSet<usize>,
    /// Facts that are needed from before the branch.
    needed: BTreeSet<usize>,
}

/// Why a fact is known.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// A frame, or a case split's assumption.
    Given,
    /// A triple's clause.
    Triple(usize),
    /// An embedding.
    Embedding(usize),
}

/// An embedding into the successor; its instances are facts by number.
#[derive(Clone, Debug)]
struct Embedding {
    configuration: usize,
    map: Vec<u32>,
    images: Vec<usize>,
}

/// A step that is being closed. Its facts are instances by number.
pub struct Closing<'w, 'a> {
    walk: &'w Walk<'a>,
    successor: Successor,
    instances: Vec<Instance>,
    numbers: BTreeMap<Instance, usize>,
    /// The triples' clauses, those of needed triples first.
    clauses: Vec<(usize, Vec<usize>)>,
    /// Whether an instance does not hold (true) or holds, and why.
    facts: Vec<Option<(bool, Reason)>>,
    trail: Vec<usize>,
    embeddings: Option<Rc<Vec<Embedding>>>,
    splits: usize,
    /// Time spent on embeddings.
    pub embedding: Duration,
}

impl<'w, 'a> Closing<'w, 'a> {
    /// Of a step's successor.
    pub fn new(walk: &'w Walk<'a>, mut successor: Successor) -> Self {
        let clauses = std::mem::take(&mut successor.clauses);
        let negated: BTreeSet<Instance> = successor.negated.drain().collect();
        let mut closing = Closing {
            walk,
            successor,
            instances: Vec::new(),
            numbers: BTreeMap::new(),
            clauses: Vec::new(),
            facts: Vec::new(),
            trail: Vec::new(),
            embeddings: None,
            splits: 0,
            embedding: Duration::ZERO,
        };
        for instance in negated {
            let fact = closing.number(instance);
            closing.learn(fact, true, Reason::Given);
        }
        for (triple, pre) in clauses {
            let facts: Vec<usize> = pre.into_iter().map(|i| closing.number(i)).collect();
            closing.clauses.push((triple, facts));
        }
        closing.clauses.sort_by_key(|(triple, _)| !walk.is_needed(*triple));
        closing
    }

    fn number(&mut self, instance: Instance) -> usize {
        if let Some(known) = self.numbers.get(&instance) {
            return *known;
        }
        let number = self.instances.len();
        self.numbers.insert(instance.clone(), number);
        self.instances.push(instance);
        self.facts.push(None);
        number
    }

    fn learn(&mut self, fact: usize, negated: bool, reason: Reason) {
        self.facts[fact] = Some((negated, reason));
        self.trail.push(fact);
    }

    fn is(&self, fact: usize, negated: bool) -> bool {
        self.facts[fact].is_some_and(|(is, _)| is == negated)
    }

    /// Closes the step of a configuration; `None` if the configurations do not cover it.
    pub fn run(&mut self, c: &Configuration) -> Option<Closed> {
        if let Some(clause) = self.propagate() {
            return Some(self.trim(0, self.conflict(clause)));
        }
        if let Some(needed) = self.still(c) {
            return Some(self.trim(0, Closed { needed, ..Closed::default() }));
        }
        let end = self.close_here()?;
        Some(self.trim(0, end))
    }

    /// The facts by which the configuration still holds of the same threads.
    fn still(&self, c: &Configuration) -> Option<BTreeSet<usize>> {
        let mut located = c.threads.iter().zip(&self.successor.threads);
        if !located.all(|(before, now)| before.1.is_none() || before.1 == now.1) {
            return None;
        }
        let fact = |i: &Instance| self.numbers.get(i).copied().filter(|fact| self.is(*fact, true));
        c.negated.iter().map(fact).collect()
    }

    fn conflict(&self, clause: usize) -> Closed {
        let (triple, facts) = &self.clauses[clause];
        Closed {
            hints: Vec::new(),
            triples: BTreeSet::from([*triple]),
            needed: facts.iter().copied().collect(),
        }
    }

    /// Unit propagation over the triples' clauses; a clause without an open instance.
    fn propagate(&mut self) -> Option<usize> {
        loop {
            let mut changed = false;
            for i in 0..self.clauses.len() {
                let facts = &self.clauses[i].1;
                if facts.iter().any(|fact| self.is(*fact, true)) {
                    continue;
                }
                let mut open = facts.iter().filter(|fact| self.facts[**fact].is_none());
                match (open.next().copied(), open.next()) {
                    (None, _) => return Some(i),
                    (Some(fact), None) => {
                        self.learn(fact, true, Reason::Triple(i));
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return None;
            }
        }
    }

    /// Closes the branch that the facts describe.
    fn close(&mut self) -> Option<Closed> {
        let start = self.trail.len();
        let end = self.close_here();
        let closed = end.map(|end| self.trim(start, end));
        self.forget(start);
        closed
    }

    fn close_here(&mut self) -> Option<Closed> {
        loop {
            if let Some(clause) = self.propagate() {
                return Some(self.conflict(clause));
            }
            if self.embeddings.is_none()
                && let Some(cover) = self.cover()
            {
                return Some(cover);
            }
            let list = self.embeddings();
            if let Some(covering) = list.iter().find(|e| self.open(e).is_empty()) {
                return Some(covered(covering));
            }
            let unit = list.iter().enumerate().find_map(|(at, e)| match self.open(e)[..] {
                [fact] if self.facts[fact].is_none() => Some((at, fact)),
                _ => None,
            });
            match unit {
                Some((at, fact)) => self.learn(fact, false, Reason::Embedding(at)),
                None => return self.split(&list),
            }
        }
    }

    /// The instances of an embedding that are not known not to hold.
    fn open(&self, embedding: &Embedding) -> Vec<usize> {
        embedding.images.iter().copied().filter(|fact| !self.is(*fact, true)).collect()
    }

    /// A configuration of which all negated instances are known not to hold.
    fn cover(&mut self) -> Option<Closed> {
        let start = Instant::now();
        let have = |fact: &usize| self.is(*fact, true);
        let have: BTreeSet<u32> =
            (0..self.facts.len()).filter(have).map(|fact| self.instances[fact].0).collect();
        let known =
            |image: Instance| self.numbers.get(&image).copied().filter(|fact| self.is(*fact, true));
        let mut cover = None;
        for configuration in self.walk.candidates(&self.successor.threads, &have) {
            self.walk.embeddings(configuration, &self.successor.threads).each(
                known,
                |map, images| {
                    let (map, images) = (map.to_vec(), images.to_vec());
                    cover = Some(Embedding { configuration, map, images });
                    true
                },
            );
            if cover.is_some() {
                break;
            }
        }
        self.embedding += start.elapsed();
        cover.as_ref().map(covered)
    }

    /// All embeddings whose instances triples may bring or have brought. An instance that no
    /// triple can bring would only ever satisfy its embedding.
    fn embeddings(&mut self) -> Rc<Vec<Embedding>> {
        if let Some(list) = &self.embeddings {
            return Rc::clone(list);
        }
        let start = Instant::now();
        let have: BTreeSet<u32> = self.instances.iter().map(|i| i.0).collect();
        let (mut list, mut seen) = (Vec::new(), BTreeSet::new());
        for configuration in self.walk.candidates(&self.successor.threads, &have) {
            self.walk.embeddings(configuration, &self.successor.threads).each(
                |image| self.numbers.get(&image).copied(),
                |map, images| {
                    let images: BTreeSet<usize> = images.iter().copied().collect();
                    let images: Vec<usize> = images.into_iter().collect();
                    if seen.insert(images.clone()) {
                        list.push(Embedding { configuration, map: map.to_vec(), images });
                    }
                    list.len() >= MAX_EMBEDDINGS
                },
            );
        }
        self.embedding += start.elapsed();
        let list = Rc::new(list);
        self.embeddings = Some(Rc::clone(&list));
        list
    }

    /// A case split: first the instance does not hold, then it holds. What does not need its
    /// assumption makes the split needless.
    fn split(&mut self, list: &[Embedding]) -> Option<Closed> {
        self.splits += 1;
        let instance = self.best_split(list).filter(|_| self.splits <= MAX_SPLITS)?;
        let mut branch = |negated| {
            let mark = self.trail.len();
            self.learn(instance, negated, Reason::Given);
            let closed = self.close();
            self.forget(mark);
            closed
        };
        let left = branch(true)?;
        if !left.needed.contains(&instance) {
            return Some(left);
        }
        let right = branch(false)?;
        if !right.needed.contains(&instance) {
            return Some(right);
        }
        let mut both =
            Closed { hints: vec![Hint::Split(self.instances[instance].clone())], ..left.clone() };
        both.hints.extend(left.hints.into_iter().chain(right.hints));
        both.triples.extend(right.triples);
        both.needed.extend(right.needed);
        both.needed.remove(&instance);
        Some(both)
    }

    /// The instance that occurs in the shortest embeddings, among those in open clauses.
    fn best_split(&self, list: &[Embedding]) -> Option<usize> {
        let mut score: BTreeMap<usize, u64> = BTreeMap::new();
        for (_, facts) in &self.clauses {
            if !facts.iter().any(|fact| self.is(*fact, true)) {
                let open = facts.iter().filter(|fact| self.facts[**fact].is_none());
                score.extend(open.map(|fact| (*fact, 0)));
            }
        }
        for embedding in list {
            let open = self.open(embedding);
            if open.iter().all(|fact| self.facts[*fact].is_none()) {
                for fact in &open {
                    if let Some(score) = score.get_mut(fact) {
                        *score += 1 << (20 - open.len().min(20));
                    }
                }
            }
        }
        let useful = score.into_iter().filter(|(_, score)| *score > 0);
        useful.max_by_key(|(fact, score)| (*score, std::cmp::Reverse(*fact))).map(|(fact, _)| fact)
    }

    fn forget(&mut self, mark: usize) {
        for fact in self.trail.drain(mark..) {
            self.facts[fact] = None;
        }
    }

    /// Goes backwards from an end to the trail's place `start`: keeps the embeddings and triples
    /// that brought what is needed.
    fn trim(&self, start: usize, mut closed: Closed) -> Closed {
        let mut before = Vec::new();
        for fact in self.trail[start..].iter().rev() {
            let Some((_, reason)) = self.facts[*fact] else { continue };
            if !closed.needed.remove(fact) {
                continue;
            }
            let others: &[usize] = match reason {
                Reason::Given => continue,
                Reason::Triple(clause) => {
                    let (triple, facts) = &self.clauses[clause];
                    closed.triples.insert(*triple);
                    facts
                }
                Reason::Embedding(at) => {
                    let Some(embedding) = self.embeddings.as_ref().and_then(|e| e.get(at)) else {
                        continue;
                    };
                    before.extend(embedding.hint());
                    &embedding.images
                }
            };
            closed.needed.extend(others.iter().filter(|other| *other != fact));
        }
        before.reverse();
        before.append(&mut closed.hints);
        Closed { hints: before, ..closed }
    }
}

impl Embedding {
    fn hint(&self) -> Option<Hint> {
        Some(Hint::Embed(u32::try_from(self.configuration).ok()?, self.map.clone()))
    }
}

fn covered(embedding: &Embedding) -> Closed {
    Closed {
        hints: embedding.hint().into_iter().collect(),
        triples: BTreeSet::new(),
        needed: embedding.images.iter().copied().collect(),
    }
}

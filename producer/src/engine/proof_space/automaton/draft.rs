//! From closed configurations to the proof without its refutations and hints: only what some
//! step needs is kept.

use super::configuration::{Configuration, Cover, Effort, View};
use super::{Automaton, Letter, Successor};
use crate::engine::proof_space::counting::location;
use crate::logic::basis::Triple;
use crate::logic::model::{Slot, number};
use crate::logic::predicates::{Instance, Thread};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::proof::proof_space as format;
use threadproof_format::refutation::Refutation;

/// Collects what the steps of the closed configurations need.
struct Trim<'a> {
    automaton: &'a Automaton<'a>,
    closed: &'a [Configuration],
    cover: Cover,
    /// Configurations in the order in which they were reached.
    reached: Vec<usize>,
    triples: BTreeSet<usize>,
    /// Threads and a predicate that they imply (the location axiom).
    impossible: BTreeSet<(Vec<Slot>, u32)>,
}

/// Writes down the proof.
pub fn draft(automaton: &Automaton, closed: &[Configuration]) -> format::ProofSpace {
    trim(automaton, closed).write()
}

/// The triples that the steps of the closed configurations need.
pub fn needed(automaton: &Automaton, closed: &[Configuration]) -> Vec<Triple> {
    let numbers = trim(automaton, closed).triples;
    let triples = &automaton.basis.triples;
    numbers.into_iter().map(|n| triples[n].clone()).collect()
}

fn trim<'a>(automaton: &'a Automaton<'a>, closed: &'a [Configuration]) -> Trim<'a> {
    let mut cover = Cover::default();
    let mut effort = Effort(usize::MAX);
    for i in 0..closed.len() {
        cover.insert(i, automaton.predicates, |n| &closed[n], &mut effort);
    }
    let mut trim = Trim {
        automaton,
        closed,
        cover,
        reached: Vec::new(),
        triples: BTreeSet::new(),
        impossible: BTreeSet::new(),
    };
    for root in automaton.roots() {
        trim.steps(&root);
    }
    let mut next = 0;
    while let Some(i) = trim.reached.get(next) {
        trim.steps(&closed[*i]);
        next += 1;
    }
    trim
}

impl Trim<'_> {
    fn steps(&mut self, from: &Configuration) {
        for letter in self.automaton.letters(from) {
            if !self.automaton.idle(from, letter) {
                self.letter(from, letter);
            }
        }
    }

    fn letter(&mut self, from: &Configuration, letter: Letter) {
        // Without triples that kill the step: which of them does it is chosen here.
        let kill = self.automaton.killers(from, letter);
        if let Some(first) = kill.first() {
            if !kill.iter().any(|t| self.triples.contains(t)) {
                self.triples.insert(*first);
            }
            return;
        }
        if let Some(mut successor) = self.automaton.step(from, letter) {
            let known = &self.triples;
            successor
                .clauses
                .sort_by_key(|(clause, triple)| (!known.contains(triple), clause.len()));
            let cube = successor.negated.clone();
            self.branch(&successor, cube);
        }
    }

    /// Closes a partial cube by splitting on clauses; gives the literals that were needed.
    fn branch(&mut self, successor: &Successor, cube: Vec<Instance>) -> BTreeSet<Instance> {
        if let Some(used) = self.embed(successor, &cube) {
            return used;
        }
        let open = |(c, _): &&(Vec<Instance>, usize)| !c.iter().any(|i| cube.contains(i));
        let (clause, triple) = successor
            .clauses
            .iter()
            .find(open)
            .expect("every successor of a closed configuration is covered");
        let mut used = BTreeSet::new();
        for instance in clause {
            let mut longer = cube.clone();
            longer.push(*instance);
            let mut part = self.branch(successor, longer);
            if !part.remove(instance) {
                return part;
            }
            used.extend(part);
        }
        self.triples.insert(*triple);
        used
    }

    /// Finds a closed configuration that covers the cube, one already reached if possible; gives
    /// the negated predicates that it covers.
    fn embed(&mut self, successor: &Successor, cube: &[Instance]) -> Option<BTreeSet<Instance>> {
        if let Some(impossible) = self.impossible(&successor.slots, cube) {
            return Some(BTreeSet::from([impossible]));
        }
        let mut negated = cube.to_vec();
        negated.sort_unstable();
        let target = View { slots: &successor.slots, negated: &negated };
        let (predicates, closed) = (self.automaton.predicates, self.closed);
        let effort = &mut Effort(usize::MAX);
        let (i, map) = self.cover.find(target, predicates, |n| &closed[n], effort)?;
        if !self.reached.contains(&i) {
            self.reached.push(i);
        }
        let place = |t: Thread| map[usize::from(t)];
        let image = closed[i].negated.iter().map(|n| predicates.map(n, place));
        Some(image.collect())
    }

    /// A negated predicate that the threads make impossible.
    fn impossible(&mut self, slots: &[Slot], cube: &[Instance]) -> Option<Instance> {
        let instance = *cube.iter().find(|i| self.automaton.impossible(slots, i))?;
        let predicate = self.automaton.predicates.get(instance.predicate);
        let support = location::support(self.automaton.facts, slots, predicate.formula())?;
        self.impossible.insert((support, instance.predicate));
        Some(instance)
    }

    fn write(&self) -> format::ProofSpace {
        let initial = self.initial();
        let mut used: BTreeSet<u32> = initial.clone();
        let triples: BTreeSet<&Triple> =
            self.triples.iter().map(|t| &self.automaton.basis.triples[*t]).collect();
        for triple in &triples {
            used.insert(triple.post);
            used.extend(triple.pre.iter().map(|i| i.predicate));
        }
        used.remove(&0);
        let mut numbers = BTreeMap::from([(0, 0)]);
        for (new, old) in (1u32..).zip(&used) {
            numbers.insert(*old, new);
        }
        let predicates = used.iter().map(|p| {
            let predicate = self.automaton.predicates.get(*p);
            format::Predicate {
                formula: self.automaton.facts.counters.restore(&predicate.expr),
                threads: predicate.threads.clone(),
            }
        });
        let initial = initial.iter().map(|p| format::InitialPredicate {
            predicate: numbers[p],
            refutation: Refutation::default(),
        });
        let basis = triples.iter().map(|t| self.triple(t, &numbers));
        let configurations = self.reached.iter();
        format::ProofSpace {
            basis: basis.collect(),
            initial: initial.collect(),
            witness: None,
            impossible: self.impossible.iter().map(|(s, p)| impossible(s, numbers[p])).collect(),
            predicates: predicates.collect(),
            error_steps: Vec::new(),
            configurations: configurations
                .map(|i| configuration(&self.closed[*i], &numbers))
                .collect(),
        }
    }

    fn triple(&self, triple: &Triple, numbers: &BTreeMap<u32, u32>) -> format::Triple {
        let command = &self.automaton.facts.commands[triple.command];
        format::Triple {
            pre: instances(&triple.pre, numbers),
            edge: number(command.edge),
            post: numbers[&triple.post],
            acting: number(triple.acting),
            template: number(command.template),
            refutation: Refutation::default(),
        }
    }

    /// Initial predicates, one at least for each configuration that would be accepting.
    fn initial(&self) -> BTreeSet<u32> {
        let mut chosen = BTreeSet::new();
        for i in &self.reached {
            let configuration = &self.closed[*i];
            if configuration.slots.iter().any(|s| s.location != 0) {
                continue;
            }
            let mut holding = configuration.negated.iter().map(|n| n.predicate);
            if !holding.clone().any(|p| chosen.contains(&p)) {
                chosen.extend(holding.find(|p| self.automaton.initial.contains(p)));
            }
        }
        chosen
    }
}

fn instances(list: &[Instance], numbers: &BTreeMap<u32, u32>) -> Vec<format::Instance> {
    let mut out: Vec<format::Instance> = list
        .iter()
        .map(|i| {
            let args = i.args().iter().map(|t| u32::from(*t));
            format::Instance(numbers[&i.predicate], args.collect())
        })
        .collect();
    out.sort_unstable();
    out
}

fn impossible(slots: &[Slot], predicate: u32) -> format::Impossible {
    let threads = slots.iter().map(|s| format::Slot(s.template, Some(s.location)));
    format::Impossible {
        negated: vec![format::Instance(predicate, Vec::new())],
        threads: threads.collect(),
        refutation: Refutation::default(),
    }
}

fn configuration(from: &Configuration, numbers: &BTreeMap<u32, u32>) -> format::Configuration {
    let slots = from.slots.iter();
    format::Configuration {
        steps: Vec::new(),
        negated: instances(&from.negated, numbers),
        threads: slots.map(|s| format::Slot(s.template, Some(s.location))).collect(),
    }
}

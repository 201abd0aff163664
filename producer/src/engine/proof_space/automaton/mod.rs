//! The automaton whose words are the error traces without a proof in the proof space: the
//! intersection of Propositions 6.3 and 6.4 (complemented), read from right to left.

pub mod configuration;
pub mod draft;
pub mod emptiness;
pub mod gaps;
pub mod graph;
pub mod shrink;

use crate::engine::proof_space::counting::location;
use crate::logic::basis::{self, Basis, Clause};
use crate::logic::model::{Facts, Slot, index, number};
use crate::logic::predicates::{Instance, Predicates, Thread};
use configuration::Configuration;
use std::collections::BTreeSet;

/// The automaton.
#[derive(Clone, Copy)]
pub struct Automaton<'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// All predicates.
    pub predicates: &'a Predicates<'a>,
    /// The basis.
    pub basis: &'a Basis,
    /// The predicates that hold at the start, for all threads.
    pub initial: &'a BTreeSet<u32>,
}

/// A way to step back from a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Letter {
    /// Command: an index into `Facts::commands`.
    pub command: usize,
    /// The acting thread: one of the configuration's or, as its next number, a fresh one.
    pub thread: Thread,
}

/// What a step back must make false: the threads after the step, predicates that stay, and
/// clauses of negated predicates, each with the triple that gave it.
pub struct Successor {
    /// The threads, at their locations before the command.
    pub slots: Vec<Slot>,
    /// Negated predicates in every cube: by frame triples.
    pub negated: Vec<Instance>,
    /// Clauses over negated predicates.
    pub clauses: Vec<(Clause, usize)>,
}

impl Automaton<'_> {
    /// The roots: a thread at an error location.
    pub fn roots(&self) -> Vec<Configuration> {
        let mut roots = Vec::new();
        for (t, template) in (0u32..).zip(&self.facts.program.templates) {
            for (l, location) in (0u32..).zip(&template.locations) {
                if location.error {
                    roots.push(Configuration {
                        slots: vec![Slot { template: t, location: l }],
                        negated: Vec::new(),
                    });
                }
            }
        }
        roots
    }

    /// The letters that can be read in a configuration (Lemma 6.8: one fresh thread suffices). Only
    /// the last command of a trace enters an error location (SPEC.md section 8.4).
    pub fn letters(&self, configuration: &Configuration) -> Vec<Letter> {
        let mut letters = Vec::new();
        let error = |slot: &Slot| self.facts.is_error(index(slot.template), slot.location);
        let root = configuration.slots.iter().any(error);
        let fresh = Thread::try_from(configuration.slots.len()).expect("few threads");
        for (number, command) in self.facts.commands.iter().enumerate() {
            let entering = self.facts.is_error(command.template, command.target);
            if entering != root || self.facts.is_error(command.template, command.source) {
                continue;
            }
            let mut present = false;
            for (thread, slot) in (0..).zip(&configuration.slots) {
                present |= index(slot.template) == command.template;
                let at =
                    index(slot.template) == command.template && slot.location == command.target;
                if at {
                    letters.push(Letter { command: number, thread });
                }
            }
            if !root && (self.facts.many[command.template] || !present) {
                letters.push(Letter { command: number, thread: fresh });
            }
        }
        letters
    }

    /// The acting thread as far as predicates can be about it: not in a single template.
    pub fn actor(&self, letter: Letter) -> Option<Thread> {
        let template = self.facts.commands[letter.command].template;
        self.facts.many[template].then_some(letter.thread)
    }

    /// Whether the configuration covers all that the letter leads to, by itself: its threads stay
    /// where they are and its predicates are framed.
    pub fn idle(&self, from: &Configuration, letter: Letter) -> bool {
        let command = &self.facts.commands[letter.command];
        let slot = from.slots.get(usize::from(letter.thread));
        let actor = self.actor(letter);
        slot.is_none_or(|s| s.location == command.source)
            && from
                .negated
                .iter()
                .all(|i| basis::framed(self.facts, self.predicates, letter.command, actor, i))
    }

    /// The triples without precondition that prove the rest of a word.
    pub fn killers(&self, from: &Configuration, letter: Letter) -> Vec<usize> {
        let actor = self.actor(letter);
        let mut killers = Vec::new();
        for instance in std::iter::once(&Instance::FALSE).chain(&from.negated) {
            let mut found = |triple: usize, clause: Clause| {
                if clause.is_empty() {
                    killers.push(triple);
                }
            };
            self.basis.matches(self.predicates, letter.command, actor, instance, &mut found);
        }
        killers
    }

    /// The formula that a letter leads to; `None` if some triple proves the rest of the word.
    pub fn step(&self, from: &Configuration, letter: Letter) -> Option<Successor> {
        let command = &self.facts.commands[letter.command];
        let mut slots = from.slots.clone();
        let slot = Slot { template: number(command.template), location: command.source };
        match slots.get_mut(usize::from(letter.thread)) {
            Some(acting) => *acting = slot,
            None => slots.push(slot),
        }
        let actor = self.actor(letter);
        let mut successor = Successor { slots, negated: Vec::new(), clauses: Vec::new() };
        let mut dead = false;
        for instance in std::iter::once(&Instance::FALSE).chain(&from.negated) {
            if instance.predicate != 0
                && basis::framed(self.facts, self.predicates, letter.command, actor, instance)
            {
                successor.negated.push(*instance);
            }
            let mut found = |triple: usize, clause: Clause| {
                dead |= clause.is_empty();
                if !dead {
                    successor.clauses.push((clause, triple));
                }
            };
            self.basis.matches(self.predicates, letter.command, actor, instance, &mut found);
            if dead {
                return None;
            }
        }
        Some(successor)
    }

    /// Whether the configuration is accepting: every thread at its initial location and no
    /// negated predicate that holds at the start.
    pub fn accepting(&self, configuration: &Configuration) -> bool {
        configuration.slots.iter().all(|s| s.location == 0)
            && !configuration.negated.iter().any(|i| self.initial.contains(&i.predicate))
    }

    /// Whether threads at these places make a negated predicate impossible (the location axiom).
    pub fn impossible(&self, slots: &[Slot], instance: &Instance) -> bool {
        let predicate = self.predicates.get(instance.predicate);
        predicate.counting && location::implied(self.facts, slots, predicate.formula())
    }

    /// Leaves out threads of a `many` template that are at the initial location and in no
    /// predicate: a fresh thread can do all that they can. Gives the new number of each thread.
    pub fn compact(
        &self,
        slots: &[Slot],
        negated: &[Instance],
    ) -> (Configuration, Vec<Option<Thread>>) {
        let mut used: Vec<bool> =
            slots.iter().map(|s| s.location != 0 || !self.facts.many[index(s.template)]).collect();
        for instance in negated {
            for thread in instance.args() {
                used[usize::from(*thread)] = true;
            }
        }
        let mut kept = Vec::new();
        let mut numbers = Vec::new();
        for (slot, used) in slots.iter().zip(used) {
            numbers.push(used.then(|| Thread::try_from(kept.len()).expect("few threads")));
            if used {
                kept.push(*slot);
            }
        }
        let place = |t: Thread| numbers[usize::from(t)].expect("a thread that is used");
        let mut negated: Vec<Instance> =
            negated.iter().map(|i| self.predicates.map(i, place)).collect();
        negated.sort_unstable();
        let configuration = Configuration { slots: kept, negated };
        (configuration, numbers)
    }
}

/// The cubes of a successor's disjunctive normal form, depth first. `covered` prunes: it is asked
/// about every partial cube, since all that contain a covered one are covered.
pub struct Cubes<'a> {
    /// Whether a cube need not be completed.
    pub covered: &'a mut dyn FnMut(&[Slot], &[Instance]) -> bool,
    /// Receives the complete cubes; `false` ends the enumeration.
    pub complete: &'a mut dyn FnMut(&[Slot], &[Instance]) -> bool,
}

impl Cubes<'_> {
    /// Enumerates; `false` if it was ended early.
    pub fn run(&mut self, successor: &Successor) -> bool {
        let mut clauses: Vec<&Clause> = successor.clauses.iter().map(|(c, _)| c).collect();
        clauses.sort_unstable_by_key(|c| c.len());
        clauses.dedup();
        self.branch(&successor.slots, successor.negated.clone(), &clauses, &[])
    }

    fn branch(
        &mut self,
        slots: &[Slot],
        mut cube: Vec<Instance>,
        clauses: &[&Clause],
        excluded: &[Instance],
    ) -> bool {
        let mut excluded = excluded.to_vec();
        let open = loop {
            let mut unit = None;
            let mut open = Vec::new();
            for clause in clauses {
                if clause.iter().any(|i| cube.contains(i)) {
                    continue;
                }
                let mut free = clause.iter().filter(|i| !excluded.contains(i));
                match (free.next(), free.next()) {
                    (None, _) => return true,
                    (Some(only), None) => unit = Some(*only),
                    _ => open.push(*clause),
                }
            }
            match unit {
                Some(instance) => cube.push(instance),
                None => break open,
            }
        };
        let Some(clause) = open.first() else {
            return (self.covered)(slots, &cube) || (self.complete)(slots, &cube);
        };
        if (self.covered)(slots, &cube) {
            return true;
        }
        for instance in clause.iter() {
            if excluded.contains(instance) {
                continue;
            }
            let mut longer = cube.clone();
            longer.push(*instance);
            if !self.branch(slots, longer, &open, &excluded) {
                return false;
            }
            // Cubes with this one were seen, so the other branches do without it.
            excluded.push(*instance);
        }
        true
    }
}

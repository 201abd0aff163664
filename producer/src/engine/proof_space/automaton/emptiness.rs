//! Emptiness of the automaton (Algorithm 1): exploration with pruning by covering.
//!
//! Configurations are pruned when a visited one covers them, and visited ones are given up when
//! a new one covers them; so the visited ones are an antichain, and when nothing is left to
//! expand every successor of one of them is covered by one of them.

use super::configuration::{Configuration, Effort, View};
use super::graph::{Graph, Origin};
use super::{Automaton, Cubes, Letter};
use crate::control::Control;
use crate::logic::model::number;
use crate::logic::predicates::Thread;
use crate::trace::Word;
use std::cell::RefCell;

/// What the exploration found.
pub enum Emptiness {
    /// The language is empty: these configurations are closed.
    Empty(Vec<Configuration>),
    /// A word.
    Word(Word),
    /// No effort is left, or the search was asked to stop.
    Stopped,
}

/// More threads than this in one configuration mean divergence.
const MAX_SLOTS: usize = 60;

/// An emptiness check. When it is stopped, another one with the same graph goes on.
pub struct Exploration<'a> {
    automaton: &'a Automaton<'a>,
    graph: &'a mut Graph,
    effort: Effort,
}

impl<'a> Exploration<'a> {
    /// An emptiness check of an automaton. The graph is empty or one of the same program whose
    /// triples are the first of this basis.
    pub fn new(automaton: &'a Automaton<'a>, graph: &'a mut Graph, effort: Effort) -> Self {
        Exploration { automaton, graph, effort }
    }

    /// The effort that is left.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Explores until a word is found, or nothing is left to expand, or no effort.
    pub fn run(&mut self, control: &Control) -> Emptiness {
        self.graph.refine(self.automaton, &mut self.effort);
        if self.graph.nodes.is_empty() {
            for root in self.automaton.roots() {
                self.graph.visit(self.automaton, None, &root.slots, &[], &mut self.effort);
            }
        }
        loop {
            if let Some(accepting) = self.graph.accepting() {
                return self.word(accepting);
            }
            let Some(number) = self.graph.next() else {
                return Emptiness::Empty(self.graph.alive().cloned().collect());
            };
            while let Some(letter) = self.next_letter(number) {
                if !self.read(number, letter) || self.effort == Effort(0) || control.should_stop() {
                    return Emptiness::Stopped;
                }
            }
        }
    }

    /// The next letter to read in a configuration, unless there is something else to look at.
    fn next_letter(&self, number: usize) -> Option<Letter> {
        let first = self.graph.is_alive(number) && self.graph.accepting().is_none();
        self.graph.letter(number).filter(|_| first)
    }

    /// Visits the successors by a letter; `false` if there is too much work. The letter stays to be
    /// read unless all its cubes are covered.
    fn read(&mut self, number: usize, letter: Letter) -> bool {
        let automaton = self.automaton;
        let from = self.graph.nodes[number].configuration.clone();
        let successor = match automaton.idle(&from, letter) {
            true => None,
            false => automaton.step(&from, letter),
        };
        let Some(successor) = successor else {
            self.graph.done(number, letter);
            return true;
        };
        let mut wide = false;
        let (graph, effort) = (RefCell::new(&mut *self.graph), RefCell::new(&mut self.effort));
        let mut cubes = Cubes {
            covered: &mut |slots, negated| {
                if negated.iter().any(|i| automaton.impossible(slots, i)) {
                    return true;
                }
                let mut negated = negated.to_vec();
                negated.sort_unstable();
                let view = View { slots, negated: &negated };
                let (mut graph, mut effort) = (graph.borrow_mut(), effort.borrow_mut());
                graph.covered((number, letter), view, automaton.predicates, &mut effort)
            },
            complete: &mut |slots, negated| {
                let (mut graph, mut effort) = (graph.borrow_mut(), effort.borrow_mut());
                graph.visit(automaton, Some((number, letter)), slots, negated, &mut effort);
                wide = slots.len() > MAX_SLOTS;
                !wide && graph.accepting().is_none()
            },
        };
        let complete = cubes.run(&successor);
        if complete && self.effort != Effort(0) {
            self.graph.done(number, letter);
        }
        !wide
    }

    /// The word that leads to an accepting configuration, unless it has too many threads.
    fn word(&self, accepting: usize) -> Emptiness {
        let path = self.graph.path(accepting);
        let root = path.last().map_or(accepting, |(_, origin)| origin.node);
        let mut threads: Vec<u32> = Vec::new();
        // The trace's thread behind each thread of the configuration at hand.
        let mut names: Vec<usize> = Vec::new();
        for slot in &self.graph.nodes[root].configuration.slots {
            names.push(threads.len());
            threads.push(slot.template);
        }
        let mut steps = Vec::new();
        for (_, Origin { letter, numbers, .. }) in path.into_iter().rev() {
            if usize::from(letter.thread) == names.len() {
                let command = &self.automaton.facts.commands[letter.command];
                names.push(threads.len());
                threads.push(number(command.template));
            }
            let Ok(acting) = Thread::try_from(names[usize::from(letter.thread)]) else {
                return Emptiness::Stopped;
            };
            steps.push((letter.command, acting));
            let mut next = vec![0; numbers.iter().flatten().count()];
            for (old, new) in numbers.iter().enumerate() {
                if let Some(new) = new {
                    next[usize::from(*new)] = names[old];
                }
            }
            names = next;
        }
        steps.reverse();
        Emptiness::Word(Word { threads, steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::basis::{Basis, Triple};
    use crate::logic::counters::Counters;
    use crate::logic::formula::Formula;
    use crate::logic::linear::{Leaf, Linear, Var};
    use crate::logic::model::{Facts, testing};
    use crate::logic::predicates::{Instance, Predicates};
    use std::collections::BTreeSet;

    /// The predicates g >= 0, g >= 1 and g >= 2.
    fn bounds(predicates: &mut Predicates) -> Vec<Instance> {
        let global = || Linear::leaf(Leaf::Var(Var::Global(0)));
        let bound = |n: u32| Formula::le(Linear::constant(n.into()), global());
        (0..3).map(|n| predicates.intern(&bound(n), &[]).expect("no thread")).collect()
    }

    /// A proof of the program that counts.
    fn triples(bounds: &[Instance]) -> Vec<Triple> {
        let triple =
            |pre: usize, command, post| Triple { post, command, acting: 0, pre: vec![bounds[pre]] };
        let mut triples = vec![triple(2, 2, 0)];
        for command in 0..2 {
            for (n, bound) in bounds.iter().enumerate() {
                triples.push(triple(n, command, bound.predicate));
                if n > 0 {
                    triples.push(triple(n - 1, command, bound.predicate));
                }
            }
        }
        triples
    }

    #[test]
    fn a_graph_that_is_kept_gives_the_same_answers_as_a_new_one() {
        let program = testing::counting();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let bounds = bounds(&mut predicates);
        let all = triples(&bounds);
        let initial = BTreeSet::from([bounds[0].predicate]);
        let effort = Effort(usize::MAX);
        for first in 0..all.len() {
            let (mut basis, mut kept) = (Basis::default(), Graph::default());
            for number in 0..all.len() {
                basis.add(all[(first + number) % all.len()].clone());
                let automaton = Automaton {
                    facts: &facts,
                    predicates: &predicates,
                    basis: &basis,
                    initial: &initial,
                };
                let run = |graph: &mut Graph| match Exploration::new(&automaton, graph, effort)
                    .run(&Control::default())
                {
                    Emptiness::Empty(closed) => Some(closed),
                    Emptiness::Word(word) => {
                        assert_eq!(word.steps.last().map(|s| s.0), Some(2), "no error");
                        None
                    }
                    Emptiness::Stopped => panic!("stopped"),
                };
                let (old, new) = (run(&mut kept), run(&mut Graph::default()));
                assert_eq!(old.is_some(), new.is_some(), "{first}, {number}");
                assert!(new.is_some() || number + 1 < all.len(), "no proof");
                let visited = kept.nodes.len();
                assert_eq!(run(&mut kept).is_some(), old.is_some());
                assert_eq!(kept.nodes.len(), visited, "nothing is visited again");
            }
        }
    }

    #[test]
    fn a_stopped_check_is_gone_on_with() {
        let program = testing::counting();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let bounds = bounds(&mut predicates);
        let basis = Basis::of(triples(&bounds));
        let initial = BTreeSet::from([bounds[0].predicate]);
        let automaton =
            Automaton { facts: &facts, predicates: &predicates, basis: &basis, initial: &initial };
        let mut graph = Graph::default();
        let mut stops = 0;
        loop {
            let mut check = Exploration::new(&automaton, &mut graph, Effort(1 << stops));
            match check.run(&Control::default()) {
                Emptiness::Stopped => stops += 1,
                Emptiness::Word(word) => panic!("{word:?}"),
                Emptiness::Empty(closed) => break assert!(!closed.is_empty()),
            }
            assert!(stops < 10, "no progress");
        }
        assert!(stops > 1, "never stopped after something was visited");
    }
}

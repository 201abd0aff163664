//! Emptiness of the automaton (Algorithm 1): exploration with pruning by covering.
//!
//! Configurations are pruned when a visited one covers them, and visited ones are given up when
//! a new one covers them; so the visited ones are an antichain, and when nothing is left to
//! expand every successor of one of them is covered by one of them.

use super::automaton::{Automaton, Cubes, Letter};
use super::configuration::{Configuration, Cover, Effort, Slot, View};
use super::predicates::{Instance, Thread};
use crate::engine::control::Control;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A word of the automaton: an error trace that has no proof in the proof space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Template of each thread.
    pub threads: Vec<u32>,
    /// Commands and acting threads, in the order of time.
    pub steps: Vec<(usize, Thread)>,
}

/// What the exploration found.
pub enum Emptiness {
    /// The language is empty: these configurations are closed.
    Empty(Vec<Configuration>),
    /// A word.
    Word(Word),
    /// No effort is left, or the search was asked to stop.
    Stopped,
}

struct Node {
    configuration: Configuration,
    /// The node that this one is a successor of, by which letter, and what became of its threads
    /// (with the fresh one).
    parent: Option<(usize, Letter, Vec<Option<Thread>>)>,
    depth: usize,
    alive: bool,
}

/// More threads than this in one configuration mean divergence.
const MAX_SLOTS: usize = 60;

/// How the expansion of a node ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expansion {
    /// All successors were visited, or the node was given up.
    Done,
    /// The successor visited last is accepting.
    Accepting,
    /// There was too much work.
    Stopped,
}

/// The exploration's state.
pub struct Exploration<'a> {
    automaton: &'a Automaton<'a>,
    nodes: Vec<Node>,
    cover: Cover,
    worklist: BinaryHeap<Reverse<(usize, usize)>>,
    effort: Effort,
}

impl<'a> Exploration<'a> {
    /// Starts an exploration.
    pub fn new(automaton: &'a Automaton<'a>, effort: Effort) -> Self {
        Exploration {
            automaton,
            nodes: Vec::new(),
            cover: Cover::default(),
            worklist: BinaryHeap::new(),
            effort,
        }
    }

    /// The effort that is left.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// How many configurations were visited.
    pub fn visited(&self) -> usize {
        self.nodes.len()
    }

    /// Explores until a word is found, or nothing is left to expand, or no effort.
    pub fn run(&mut self, control: &Control) -> Emptiness {
        for root in self.automaton.roots() {
            if self.visit(None, &root.slots, &[], 0) {
                return self.word();
            }
        }
        while let Some(Reverse((_, number))) = self.worklist.pop() {
            if !self.nodes[number].alive {
                continue;
            }
            match self.expand(number) {
                Expansion::Accepting => return self.word(),
                Expansion::Stopped => return Emptiness::Stopped,
                Expansion::Done if control.should_stop() => return Emptiness::Stopped,
                Expansion::Done => {}
            }
        }
        let closed = self.nodes.drain(..).filter(|n| n.alive);
        Emptiness::Empty(closed.map(|n| n.configuration).collect())
    }

    /// Visits a node's successors.
    fn expand(&mut self, number: usize) -> Expansion {
        let automaton = self.automaton;
        let from = self.nodes[number].configuration.clone();
        for letter in automaton.letters(&from) {
            if automaton.idle(&from, letter) {
                continue;
            }
            let Some(successor) = automaton.step(&from, letter) else {
                continue;
            };
            let mut result = Expansion::Done;
            let exploration = std::cell::RefCell::new(&mut *self);
            let mut cubes = Cubes {
                covered: &mut |slots, negated| exploration.borrow_mut().covered(slots, negated),
                complete: &mut |slots, negated| {
                    let mut exploration = exploration.borrow_mut();
                    if exploration.visit(Some((number, letter)), slots, negated, 1) {
                        result = Expansion::Accepting;
                    } else if slots.len() > MAX_SLOTS {
                        result = Expansion::Stopped;
                    }
                    result == Expansion::Done
                },
            };
            cubes.run(&successor);
            if result == Expansion::Done && self.effort == Effort(0) {
                result = Expansion::Stopped;
            }
            if result != Expansion::Done {
                return result;
            }
            if !self.nodes[number].alive {
                break;
            }
        }
        Expansion::Done
    }

    fn covered(&mut self, slots: &[Slot], negated: &[Instance]) -> bool {
        if negated.iter().any(|i| self.automaton.impossible(slots, i)) {
            return true;
        }
        let mut negated = negated.to_vec();
        negated.sort_unstable();
        let view = View { slots, negated: &negated };
        let nodes = &self.nodes;
        let get = |n: usize| &nodes[n].configuration;
        let predicates = self.automaton.predicates;
        let found = self.cover.find(view, predicates, get, &mut self.effort);
        // Without effort the enumeration is brought to its end.
        found.is_some() || self.effort == Effort(0)
    }

    /// Adds a configuration that is not covered; whether it is accepting.
    fn visit(
        &mut self,
        parent: Option<(usize, Letter)>,
        slots: &[Slot],
        negated: &[Instance],
        deeper: usize,
    ) -> bool {
        let (configuration, numbers) = self.automaton.compact(slots, negated);
        let predicates = self.automaton.predicates;
        let depth = parent.map_or(0, |(p, _)| self.nodes[p].depth) + deeper;
        let accepting = self.automaton.accepting(&configuration);
        let number = self.nodes.len();
        let weight = depth + 2 * configuration.slots.len() + configuration.negated.len();
        self.nodes.push(Node {
            configuration,
            parent: parent.map(|(p, letter)| (p, letter, numbers)),
            depth,
            alive: true,
        });
        let nodes = &self.nodes;
        let get = |n: usize| &nodes[n].configuration;
        let covered = self.cover.insert(number, predicates, get, &mut self.effort);
        for n in covered {
            self.nodes[n].alive = false;
        }
        self.worklist.push(Reverse((weight, number)));
        accepting
    }

    /// The word that leads to the node that was visited last, unless it has too many threads.
    fn word(&self) -> Emptiness {
        let mut path = Vec::new();
        let mut at = self.nodes.len() - 1;
        while let Some((parent, letter, numbers)) = &self.nodes[at].parent {
            path.push((*letter, numbers));
            at = *parent;
        }
        let mut threads: Vec<u32> = Vec::new();
        // The trace's thread behind each thread of the configuration at hand.
        let mut names: Vec<usize> = Vec::new();
        for slot in &self.nodes[at].configuration.slots {
            names.push(threads.len());
            threads.push(slot.template);
        }
        let mut steps = Vec::new();
        for (letter, numbers) in path.into_iter().rev() {
            if usize::from(letter.thread) == names.len() {
                let command = &self.automaton.facts.commands[letter.command];
                names.push(threads.len());
                threads.push(super::facts::number(command.template));
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

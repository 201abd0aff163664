//! The covering graph: the configurations that the emptiness check has visited, and why each of
//! them is there. It is kept from one refinement to the next.
//!
//! A tree of steps leads from the roots to every configuration. New triples only make a step's
//! formula stronger, so what is to do after a refinement is to take out the configurations that no
//! longer satisfy the formula of the step that leads to them, with all that was reached through
//! them; to take the steps again that relied on one of those; and to look again at configurations
//! that one of those covered.

use super::configuration::{Configuration, Cover, Effort, View};
use super::{Automaton, Letter};
use crate::logic::basis::Clause;
use crate::logic::model::Slot;
use crate::logic::predicates::{Instance, Predicates, Thread};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// What has become of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It belongs to the antichain.
    Alive,
    /// Another one covers it; what was reached through it stays.
    Covered,
    /// No word leads to it any more, or none is known to.
    Removed,
}

/// The step that leads to a configuration.
pub struct Origin {
    /// The configuration that was stepped back from.
    pub node: usize,
    /// The letter.
    pub letter: Letter,
    /// What became of its threads (with the fresh one).
    pub numbers: Vec<Option<Thread>>,
}

/// A visited configuration.
pub struct Node {
    /// The configuration.
    pub configuration: Configuration,
    /// The step that leads to it, unless it is a root.
    pub origin: Option<Origin>,
    depth: usize,
    state: State,
    /// What it was stepped back to.
    children: Vec<usize>,
    /// The letters that are still to be read, the next one last.
    todo: Vec<Letter>,
    /// The steps, by configuration and letter, of whose cubes this configuration covers some.
    users: Vec<(usize, Letter)>,
    /// The visited configurations that it covers.
    covers: Vec<usize>,
}

/// The visited configurations. Those that are alive are an antichain; of their successors by
/// letters that are not to be read any more each is covered by one that is alive.
#[derive(Default)]
pub struct Graph {
    /// The configurations, those that are no longer needed included.
    pub nodes: Vec<Node>,
    cover: Cover,
    /// Weights and configurations that may have letters to read.
    worklist: BinaryHeap<Reverse<(usize, usize)>>,
    accepting: BTreeSet<usize>,
    /// How many of the basis' triples are taken into account.
    triples: usize,
}

impl Graph {
    /// The configurations that are alive.
    pub fn alive(&self) -> impl Iterator<Item = &Configuration> {
        self.nodes.iter().filter(|n| n.state == State::Alive).map(|n| &n.configuration)
    }

    /// Whether the configuration is alive.
    pub fn is_alive(&self, number: usize) -> bool {
        self.nodes[number].state == State::Alive
    }

    /// An accepting configuration, if there is one.
    pub fn accepting(&self) -> Option<usize> {
        self.accepting.first().copied()
    }

    /// The steps that lead to a configuration, the last one first.
    pub fn path(&self, number: usize) -> Vec<(&Configuration, &Origin)> {
        let mut path = Vec::new();
        let mut at = number;
        while let Some(origin) = &self.nodes[at].origin {
            path.push((&self.nodes[origin.node].configuration, origin));
            at = origin.node;
        }
        path
    }

    /// The next configuration with letters to read, the least weight first.
    pub fn next(&mut self) -> Option<usize> {
        while let Some(Reverse((_, number))) = self.worklist.peek().copied() {
            if self.is_alive(number) && !self.nodes[number].todo.is_empty() {
                return Some(number);
            }
            self.worklist.pop();
        }
        None
    }

    /// The configuration's next letter to read.
    pub fn letter(&self, number: usize) -> Option<Letter> {
        self.nodes[number].todo.last().copied()
    }

    /// All cubes of the letter are covered.
    pub fn done(&mut self, number: usize, letter: Letter) {
        self.nodes[number].todo.retain(|l| *l != letter);
    }

    /// Whether a configuration that is alive covers this one, found on a step by the letter.
    /// Without effort it counts as covered.
    pub fn covered(
        &mut self,
        by: (usize, Letter),
        view: View,
        predicates: &Predicates,
        effort: &mut Effort,
    ) -> bool {
        let get = |n: usize| &self.nodes[n].configuration;
        let found = self.cover.find(view, predicates, get, effort);
        if let Some((coverer, _)) = found {
            let users = &mut self.nodes[coverer].users;
            if users.last() != Some(&by) {
                users.push(by);
            }
            return true;
        }
        *effort == Effort(0)
    }

    /// Adds a configuration that nothing covers.
    pub fn visit(
        &mut self,
        automaton: &Automaton,
        from: Option<(usize, Letter)>,
        slots: &[Slot],
        negated: &[Instance],
        effort: &mut Effort,
    ) {
        let (configuration, numbers) = automaton.compact(slots, negated);
        let number = self.nodes.len();
        if automaton.accepting(&configuration) {
            self.accepting.insert(number);
        }
        let mut todo = automaton.letters(&configuration);
        todo.reverse();
        if let Some((parent, _)) = from {
            self.nodes[parent].children.push(number);
        }
        self.nodes.push(Node {
            configuration,
            depth: from.map_or(0, |(parent, _)| self.nodes[parent].depth + 1),
            origin: from.map(|(node, letter)| Origin { node, letter, numbers }),
            state: State::Alive,
            children: Vec::new(),
            todo,
            users: from.into_iter().collect(),
            covers: Vec::new(),
        });
        self.enter(number, automaton.predicates, effort);
    }

    /// Puts a configuration into the antichain, and those that it covers out of it.
    fn enter(&mut self, number: usize, predicates: &Predicates, effort: &mut Effort) {
        self.nodes[number].state = State::Alive;
        let get = |n: usize| &self.nodes[n].configuration;
        let covered = self.cover.insert(number, predicates, get, effort);
        for other in covered {
            let node = &mut self.nodes[other];
            node.state = State::Covered;
            let (users, covers) =
                (std::mem::take(&mut node.users), std::mem::take(&mut node.covers));
            let own = &mut self.nodes[number];
            own.users.extend(users);
            own.covers.extend(covers);
            own.covers.push(other);
        }
        self.queue(number);
    }

    fn queue(&mut self, number: usize) {
        let node = &self.nodes[number];
        let size = 2 * node.configuration.slots.len() + node.configuration.negated.len();
        self.worklist.push(Reverse((node.depth + size, number)));
    }

    /// Takes the triples into account that the basis got since the last time.
    pub fn refine(&mut self, automaton: &Automaton, effort: &mut Effort) {
        let known = std::mem::replace(&mut self.triples, automaton.basis.triples.len());
        let new: BTreeSet<(usize, u32)> =
            automaton.basis.triples[known..].iter().map(|t| (t.command, t.post)).collect();
        if new.is_empty() || self.nodes.is_empty() {
            return;
        }
        let wrong: Vec<usize> =
            (0..self.nodes.len()).filter(|n| !self.satisfied(*n, automaton, &new, known)).collect();
        let mut removal = Removal::default();
        for number in wrong {
            self.remove(number, &mut removal);
        }
        self.cover.retain(|n| self.nodes[n].state == State::Alive);
        for (number, letter) in removal.steps {
            self.again(number, letter);
        }
        for number in removal.uncovered {
            self.look_again(number, automaton.predicates, effort);
        }
    }

    /// Whether a configuration satisfies what the triples from `known` on demand of the step that
    /// leads to it.
    fn satisfied(
        &self,
        number: usize,
        automaton: &Automaton,
        new: &BTreeSet<(usize, u32)>,
        known: usize,
    ) -> bool {
        let node = &self.nodes[number];
        let Some(origin) = node.origin.as_ref().filter(|_| node.state != State::Removed) else {
            return true;
        };
        let predicates = automaton.predicates;
        let holds = |clause: &Clause| {
            clause.iter().any(|i| {
                let numbers = i.args().iter().map(|t| origin.numbers[usize::from(*t)]);
                let args: Option<Vec<Thread>> = numbers.collect();
                let instance = args.map(|args| predicates.instance(i.predicate, &args));
                instance.is_some_and(|i| node.configuration.negated.binary_search(&i).is_ok())
            })
        };
        let command = origin.letter.command;
        let from = &self.nodes[origin.node].configuration;
        let after = std::iter::once(&Instance::FALSE).chain(&from.negated);
        let mut satisfied = true;
        for instance in after.filter(|i| new.contains(&(command, i.predicate))) {
            let mut demand = |triple: usize, clause: Clause| {
                satisfied &= triple < known || holds(&clause);
            };
            let actor = automaton.actor(origin.letter);
            automaton.basis.matches(predicates, command, actor, instance, &mut demand);
        }
        satisfied
    }

    /// Removes a configuration and all that was reached through it.
    fn remove(&mut self, number: usize, removal: &mut Removal) {
        let mut below = vec![number];
        while let Some(number) = below.pop() {
            let node = &mut self.nodes[number];
            if node.state == State::Removed {
                continue;
            }
            node.state = State::Removed;
            node.todo = Vec::new();
            below.append(&mut node.children);
            removal.steps.extend(std::mem::take(&mut node.users));
            removal.uncovered.extend(std::mem::take(&mut node.covers));
            self.accepting.remove(&number);
        }
    }

    /// Reads a letter once more.
    fn again(&mut self, number: usize, letter: Letter) {
        let node = &mut self.nodes[number];
        if node.state == State::Removed || node.todo.contains(&letter) {
            return;
        }
        node.todo.push(letter);
        self.queue(number);
    }

    /// Finds out what a configuration is whose coverer is gone.
    fn look_again(&mut self, number: usize, predicates: &Predicates, effort: &mut Effort) {
        if self.nodes[number].state != State::Covered {
            return;
        }
        let get = |n: usize| &self.nodes[n].configuration;
        let view = self.nodes[number].configuration.view();
        match self.cover.find(view, predicates, get, effort) {
            Some((coverer, _)) => self.nodes[coverer].covers.push(number),
            None => self.enter(number, predicates, effort),
        }
    }
}

/// What a removal leaves open.
#[derive(Default)]
struct Removal {
    /// Steps of whose cubes some were covered by a configuration that is gone.
    steps: BTreeSet<(usize, Letter)>,
    /// Configurations that were covered by one that is gone.
    uncovered: Vec<usize>,
}

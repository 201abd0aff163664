//! The basis of the proof space: Hoare triples over one command each (Definition 4.2), indexed
//! for the automaton; and the frame triples, which are built in.

use crate::logic::linear::Var;
use crate::logic::model::Facts;
use crate::logic::predicates::{Instance, Predicates, Thread};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A triple {pre} (command : acting thread) {post}.
///
/// Threads of `pre`: 0 is the acting one if its template has many threads; the others are 1, 2,
/// ... as they occur in the postcondition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Triple {
    /// The postcondition's predicate: its number in [`Predicates`]; 0 is `false`.
    pub post: u32,
    /// Command: an index into `Facts::commands`.
    pub command: usize,
    /// Which argument of the postcondition is the acting thread, counted from 1; 0: none.
    pub acting: usize,
    /// The conjuncts of the precondition, over the triple's threads, ascending.
    pub pre: Vec<Instance>,
}

/// A triple's match with an instance: the precondition with the instance's threads.
pub type Clause = Vec<Instance>;

/// The thread numbers of a triple, in terms of the postcondition's arguments.
///
/// Gives the acting argument (from 1, or 0) and the threads 0, 1, ... of the triple.
pub fn threads_of(args: &[Thread], actor: Option<Thread>) -> (usize, Vec<Thread>) {
    let acting = actor.and_then(|a| args.iter().position(|t| *t == a));
    let mut threads = vec![actor.unwrap_or(Thread::MAX)];
    threads.extend(args.iter().filter(|t| Some(**t) != actor));
    (acting.map_or(0, |i| i + 1), threads)
}

/// The basis: different triples, indexed by command and postcondition.
#[derive(Default)]
pub struct Basis {
    /// The triples in the order in which they were added. A triple's number is its index here.
    pub triples: Vec<Triple>,
    known: HashSet<Triple>,
    /// Triples by command and postcondition.
    index: BTreeMap<(usize, u32), Vec<usize>>,
}

impl Basis {
    /// A basis of the given triples, duplicates left out.
    pub fn of(triples: Vec<Triple>) -> Self {
        let mut basis = Basis::default();
        for triple in triples {
            basis.add(triple);
        }
        basis
    }

    /// The triples that state {pre} (command : actor) {post} for the orders in which a symmetric
    /// postcondition can have its arguments; usually one. The instances are over the threads of
    /// a trace; `actor` is `None` for a command of a single template.
    pub fn variants(
        predicates: &Predicates,
        command: usize,
        actor: Option<Thread>,
        pre: &[Instance],
        post: &Instance,
    ) -> BTreeSet<Triple> {
        let variant = |post: Instance| {
            let (acting, threads) = threads_of(post.args(), actor);
            let place = |t: Thread| {
                let at = threads.iter().position(|u| *u == t);
                let at = at.expect("a relevant thread (Definition 4.2, condition 2)");
                Thread::try_from(at).expect("few threads")
            };
            let mut pre: Vec<Instance> = pre.iter().map(|i| predicates.map(i, place)).collect();
            pre.sort_unstable();
            pre.dedup();
            Triple { post: post.predicate, command, acting, pre }
        };
        predicates.arrangements(post).map(variant).collect()
    }

    /// Whether the basis has the triple.
    pub fn contains(&self, triple: &Triple) -> bool {
        self.known.contains(triple)
    }

    /// Whether there is a triple for the command with this postcondition and acting argument.
    pub fn proves(&self, post: u32, command: usize, acting: usize) -> bool {
        let candidates = self.index.get(&(command, post));
        candidates.is_some_and(|list| list.iter().any(|n| self.triples[*n].acting == acting))
    }

    /// Adds a triple, unless the basis has it.
    pub fn add(&mut self, triple: Triple) {
        if !self.known.insert(triple.clone()) {
            return;
        }
        let key = (triple.command, triple.post);
        self.index.entry(key).or_default().push(self.triples.len());
        self.triples.push(triple);
    }

    /// The triples whose postcondition is the instance when the actor takes the command, with
    /// the preconditions over the instance's threads.
    pub fn matches(
        &self,
        predicates: &Predicates,
        command: usize,
        actor: Option<Thread>,
        post: &Instance,
        found: &mut dyn FnMut(usize, Clause),
    ) {
        let Some(candidates) = self.index.get(&(command, post.predicate)) else {
            return;
        };
        let (acting, threads) = threads_of(post.args(), actor);
        let place = |t: Thread| threads[usize::from(t)];
        for &number in candidates {
            let triple = &self.triples[number];
            if triple.acting == acting {
                let pre = triple.pre.iter().map(|i| predicates.map(i, place));
                let mut pre: Clause = pre.collect();
                pre.sort_unstable();
                found(number, pre);
            }
        }
    }
}

/// Whether {post} (command : actor) {post} is a frame triple: the command writes none of the
/// instance's variables, and moves threads between its counters only so that it stays the same.
pub fn framed(
    facts: &Facts,
    predicates: &Predicates,
    command: usize,
    actor: Option<Thread>,
    post: &Instance,
) -> bool {
    let writes = &facts.commands[command];
    let args = post.args();
    let mut counted = false;
    let kept = predicates.get(post.predicate).variables.iter().all(|v| match v {
        Var::Local(t, i) => {
            let own = Some(args[crate::logic::model::index(*t)]) == actor;
            !(own && writes.writes(Var::Local(0, *i)))
        }
        other if facts.counters.place(*other).is_some() => {
            counted |= writes.writes(*other);
            true
        }
        other => !writes.writes(*other),
    });
    kept && (!counted || predicates.balanced(command, post.predicate))
}

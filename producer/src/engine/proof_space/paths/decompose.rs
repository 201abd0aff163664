//! The proof of a path program as triples over single steps, backwards along the trace.
//!
//! Unlike the proof of the trace alone it takes nothing from the trace's prefixes: what is needed
//! before a step is chosen from the invariant at its place, and so it holds in all iterations.

use super::clauses::Invariant;
use super::encoding::{at, own_init};
use super::program::PathProgram;
use crate::engine::proof_space::traces::widths::{self, Link, Reason};
use crate::logic::basis::{self, Triple};
use crate::logic::formula::Formula;
use crate::logic::model::{Facts, acting};
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::logic::validity::{Act, Validity};
use crate::trace::Trace;
use std::collections::BTreeSet;

/// What a proof is made from.
pub struct Decomposition<'s, 'a> {
    /// The program.
    pub facts: &'s Facts<'a>,
    /// All predicates.
    pub predicates: &'s mut Predicates<'a>,
    /// Triples decided so far.
    pub validity: &'s mut Validity,
    /// The basis' predicates, which are preferred.
    pub known: &'s BTreeSet<u32>,
    /// The trace.
    pub trace: &'s Trace<'a>,
    /// Its path program.
    pub program: &'s PathProgram,
    /// The path program's invariant.
    pub invariant: &'s Invariant,
}

impl<'a> Decomposition<'_, 'a> {
    /// The triples; `None` if some step has none about the threads that it may be about (Definition
    /// 4.2, condition 2).
    pub fn run(mut self) -> Option<Vec<Triple>> {
        let mut links = Vec::new();
        let mut needed = BTreeSet::from([Instance::FALSE]);
        for step in (1..=self.trace.length).rev() {
            let candidates = self.candidates(step - 1)?;
            let mut before = BTreeSet::new();
            for post in needed {
                let by = self.reason(step, &post, &candidates)?;
                match &by {
                    Reason::Frame(_) => drop(before.insert(post)),
                    Reason::Triple(pre) => before.extend(pre.iter().copied()),
                }
                links.push(Link { step, post, by });
            }
            needed = before;
        }
        let facts = self.facts;
        let holds = |i: &Instance| self.validity.initially(facts, self.predicates, i.predicate);
        if !needed.iter().all(holds) {
            return None;
        }
        widths::triples(facts, self.predicates, self.trace, &links)
    }

    /// What holds after some steps: the place's invariant, and how the threads start that have not.
    fn candidates(&mut self, steps: usize) -> Option<Vec<Instance>> {
        let position = &self.program.positions[steps];
        let threads = &self.trace.threads;
        let invariant = self.invariant[position.place].iter();
        let mut formulas: Vec<Formula> = invariant.map(|f| at(position, f)).collect();
        let (before, after) = self.trace.steps.split_at(steps);
        let started: BTreeSet<Thread> = before.iter().map(|(_, t)| *t).collect();
        let waiting: BTreeSet<Thread> = after.iter().map(|(_, t)| *t).collect();
        for thread in waiting.difference(&started) {
            let init = own_init(self.facts, threads[usize::from(*thread)]);
            formulas.extend(init.map(|f| f.rename(&mut |v| acting(v, usize::from(*thread)))));
        }
        let own = formulas.iter().map(|f| self.predicates.intern(f, threads));
        own.collect::<Option<Vec<_>>>()
    }

    /// Why an instance holds after a step: the first that applies of a frame, no precondition, the
    /// instance itself, and as little as suffices of what holds before.
    fn reason(&mut self, step: usize, post: &Instance, candidates: &[Instance]) -> Option<Reason> {
        let (command, thread) = self.trace.steps[step - 1];
        let act = Act { facts: self.facts, threads: &self.trace.threads, command, thread };
        let holds = candidates.contains(post);
        if holds && basis::framed(self.facts, self.predicates, command, act.actor(), post) {
            return Some(Reason::Frame(step - 1));
        }
        let mut simple = vec![Vec::new()];
        simple.extend(holds.then(|| vec![*post]));
        for pre in simple {
            if self.validity.valid(self.predicates, &act, &pre, post) {
                return Some(Reason::Triple(pre));
            }
        }
        let relevant = |i: &Instance| {
            i.args().iter().all(|t| post.args().contains(t) || Some(*t) == act.actor())
        };
        let own = candidates.iter().filter(|i| relevant(i)).copied();
        let (known, new): (Vec<Instance>, Vec<Instance>) =
            own.partition(|i| self.known.contains(&i.predicate));
        let all = [known.as_slice(), &new].concat();
        [known, all].iter().find_map(|candidates| {
            let pre = self.validity.least_precondition(self.predicates, &act, candidates, post)?;
            Some(Reason::Triple(pre))
        })
    }
}

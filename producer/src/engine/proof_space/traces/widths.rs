//! How many threads each predicate of a trace's proof has to be about, and the proof's triples.
//!
//! A derivation proves formulas. A precondition about a thread that is neither the acting one nor
//! one of the postcondition's makes this thread a dummy thread of the postcondition, and so on
//! towards the end of the trace, up to a step that the thread takes itself. After an infeasible
//! prefix `false` may have dummy threads: it keeps them up to the steps that they take in the rest
//! of the word.

use crate::logic::basis::{Basis, Triple};
use crate::logic::model::Facts;
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::trace::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// How one instance that is needed after a step is proved.
pub struct Link {
    /// The step, from 1, after which it is needed.
    pub step: usize,
    /// The instance.
    pub post: Instance,
    /// Why it holds.
    pub by: Reason,
}

/// Why an instance holds after a step.
pub enum Reason {
    /// By the step's triple with this precondition.
    Triple(Vec<Instance>),
    /// It holds already after so many steps, and nothing writes its variables.
    Frame(usize),
}

/// The threads of a precondition that the postcondition must be about.
pub fn passed_on(pre: &[Instance], actor: Option<Thread>) -> BTreeSet<Thread> {
    let threads = pre.iter().flat_map(Instance::args).copied();
    threads.filter(|t| Some(*t) != actor).collect()
}

/// The triples of a proof, about as few threads as can be; `None` if some predicate is about too
/// many.
pub fn triples<'a>(
    facts: &Facts<'a>,
    predicates: &mut Predicates<'a>,
    trace: &Trace<'a>,
    links: &[Link],
) -> Option<Vec<Triple>> {
    let mut widths = Widths { facts, predicates, trace, wide: BTreeMap::new() };
    let mut found = Vec::new();
    for link in links.iter().rev() {
        found.push(widths.link(link)?);
    }
    found.push(widths.rest()?);
    Some(found.into_iter().rev().flatten().collect())
}

struct Widths<'s, 'a> {
    facts: &'s Facts<'a>,
    predicates: &'s mut Predicates<'a>,
    trace: &'s Trace<'a>,
    /// The instances with their dummy threads, by the steps before.
    wide: BTreeMap<(usize, Instance), Instance>,
}

impl Widths<'_, '_> {
    fn at(&self, steps: usize, instance: &Instance) -> Instance {
        self.wide.get(&(steps, *instance)).copied().unwrap_or(*instance)
    }

    fn actor(&self, step: usize) -> (usize, Option<Thread>) {
        let (command, thread) = self.trace.steps[step - 1];
        let many = self.facts.many[self.facts.commands[command].template];
        (command, many.then_some(thread))
    }

    /// The triples of a link; those of earlier steps come first.
    fn link(&mut self, link: &Link) -> Option<Vec<Triple>> {
        let (wide, triples) = match &link.by {
            Reason::Frame(steps) => (self.at(*steps, &link.post), Vec::new()),
            Reason::Triple(pre) => {
                let pre: Vec<Instance> = pre.iter().map(|i| self.at(link.step - 1, i)).collect();
                let (command, actor) = self.actor(link.step);
                let about = passed_on(&pre, actor);
                let wide = self.predicates.widen(&link.post, &about, &self.trace.threads)?;
                let triples = Basis::variants(self.predicates, command, actor, &pre, &wide);
                (wide, triples.into_iter().collect())
            }
        };
        self.wide.insert((link.step, link.post), wide);
        Some(triples)
    }

    /// The triples that take dummy threads off `false` in the rest of the word.
    fn rest(&mut self) -> Option<Vec<Triple>> {
        let mut out = Vec::new();
        let mut before = self.at(self.trace.length, &Instance::FALSE);
        for step in self.trace.length + 1..=self.trace.steps.len() {
            let (command, actor) = self.actor(step);
            if !before.args().iter().any(|t| Some(*t) == actor) {
                continue;
            }
            let about = passed_on(&[before], actor);
            let after = self.predicates.widen(&Instance::FALSE, &about, &self.trace.threads)?;
            out.extend(Basis::variants(self.predicates, command, actor, &[before], &after));
            before = after;
        }
        Some(out)
    }
}

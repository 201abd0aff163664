//! Triples that a word lacks and that are found without a look at the whole trace: no command needs
//! more than one of them for a predicate, and all their predicates are known already.
//!
//! Most triples of a proof say that a command keeps a predicate. A word that was found only
//! because some of those are missing needs no proof of its own.

use super::Letter;
use super::configuration::Configuration;
use super::graph::Origin;
use crate::logic::basis::{self, Basis, Triple, threads_of};
use crate::logic::formula::Formula;
use crate::logic::model::{Facts, number};
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::logic::validity::Act;
use std::collections::BTreeSet;

/// Looks for missing triples.
pub struct Gaps<'s, 'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// All predicates.
    pub predicates: &'s Predicates<'a>,
    /// The basis.
    pub basis: &'s Basis,
    /// The basis' predicates.
    pub known: &'s BTreeSet<u32>,
    /// Predicates that were looked at with the known ones.
    pub settled: &'s mut BTreeSet<u32>,
}

impl Gaps<'_, '_> {
    /// Triples for the steps of a path. If a step has none at all for a negated predicate, then
    /// missing ones of this predicate are looked for at all commands.
    pub fn fill(&mut self, path: &[(&Configuration, &Origin)]) -> Vec<Triple> {
        let mut found = Vec::new();
        for (from, origin) in path {
            for post in &from.negated {
                let settled = self.settled.contains(&post.predicate);
                if !settled && self.missing(origin.letter, post) {
                    self.settled.insert(post.predicate);
                    self.settle(post.predicate, &mut found);
                }
            }
        }
        found
    }

    /// Whether there is no triple for a predicate after a step, though it needs one.
    fn missing(&self, letter: Letter, post: &Instance) -> bool {
        let template = self.facts.commands[letter.command].template;
        let actor = self.facts.many[template].then_some(letter.thread);
        let framed = basis::framed(self.facts, self.predicates, letter.command, actor, post);
        !framed
            && !self.basis.proves(post.predicate, letter.command, threads_of(post.args(), actor).0)
    }

    /// The missing triples of a predicate.
    fn settle(&mut self, predicate: u32, found: &mut Vec<Triple>) {
        let kinds = &self.predicates.get(predicate).threads;
        let own: Vec<Thread> = (0..).take(kinds.len()).collect();
        let post = self.predicates.instance(predicate, &own);
        for (c, command) in self.facts.commands.iter().enumerate() {
            let mut threads = kinds.clone();
            threads.push(number(command.template));
            for (thread, template) in (0..).zip(&threads) {
                let letter = Letter { command: c, thread };
                if *template == number(command.template) && self.missing(letter, &post) {
                    let act = Act { facts: self.facts, threads: &threads, command: c, thread };
                    let pre = self.precondition(&act, &post);
                    let variants = |pre: Vec<Instance>| {
                        Basis::variants(self.predicates, c, act.actor(), &pre, &post)
                    };
                    found.extend(pre.map(variants).unwrap_or_default());
                }
            }
        }
    }

    /// The weakest precondition without the guard: nothing, the predicate itself if that implies
    /// it, or its conjuncts if they are known. Only where the formulas' structure tells: measured,
    /// what z3 finds beyond it leads to larger proofs.
    fn precondition(&self, act: &Act, post: &Instance) -> Option<Vec<Instance>> {
        let before = act.before(&self.predicates.expr(post));
        if before == Formula::Const(true) {
            return Some(Vec::new());
        }
        if self.predicates.get(post.predicate).formula().compare(&before) == Some(true) {
            return Some(vec![*post]);
        }
        let known = |part: &Formula| {
            let instance = self.predicates.find(part, act.threads)?;
            self.known.contains(&instance.predicate).then_some(instance)
        };
        before.conjuncts().iter().map(known).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::linear::{Leaf, Linear, Var};
    use crate::logic::model::testing;

    /// What is found for a predicate, with others known: commands and preconditions.
    fn found(post: &Formula, others: &[Formula]) -> Vec<(usize, Vec<Formula>)> {
        let program = testing::counting();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let mut intern = |f: &Formula| predicates.intern(f, &[]).expect("no thread").predicate;
        let post = intern(post);
        let known = others.iter().map(&mut intern).chain([post]).collect();
        let mut gaps = Gaps {
            facts: &facts,
            predicates: &predicates,
            basis: &Basis::default(),
            known: &known,
            settled: &mut BTreeSet::new(),
        };
        let mut triples = Vec::new();
        gaps.settle(post, &mut triples);
        let formula = |i: &Instance| predicates.get(i.predicate).formula().clone();
        triples.iter().map(|t| (t.command, t.pre.iter().map(formula).collect())).collect()
    }

    #[test]
    fn what_a_command_keeps_or_brings_is_found() {
        let global = || Linear::leaf(Leaf::Var(Var::Global(0)));
        let at_least = |n: u32| Formula::le(Linear::constant(n.into()), global());
        let equal = |n: u32| Formula::equal(global(), Linear::constant(n.into()));
        // The test of g writes nothing: it needs no triple.
        let keeps = |f: Formula| vec![(0, vec![f.clone()]), (1, vec![f])];
        assert_eq!(found(&at_least(2), &[at_least(1)]), keeps(at_least(2)));
        assert_eq!(found(&equal(2), &[]), []);
        assert_eq!(found(&equal(2), &[equal(0)]), []);
        assert_eq!(found(&equal(2), &[equal(1)]), keeps(equal(1)));
    }
}

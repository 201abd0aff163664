//! What an assertion at a point of a trace can follow from: the initial condition, frames and
//! instances of basis triples, as the checker's automaton reads them backwards, and what holds of
//! threads at their locations in every state.

use super::trace::Trace;
use crate::certify::hints::embedding::Embeddings;
use crate::logic::model::index;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::proof_space::automaton::Automaton;
use threadproof_checker::internals::proof_space::basis;
use threadproof_checker::internals::proof_space::predicates::FALSE;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Configuration, Instance, ProofSpace, Slot, Triple};

/// Why an assertion holds at a point of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// It holds in every initial state.
    Initial,
    /// It held before the step, which does not change it.
    Frame,
    /// By a triple of the basis.
    Triple {
        /// Its number.
        number: usize,
        /// The trace's thread in the place of each of the triple's threads: the first one acts.
        threads: Vec<u32>,
    },
    /// By an impossible configuration, which leaves nothing else.
    Impossible(Place),
    /// It is the case that is looked at.
    Case,
}

/// An impossible configuration at a point of a trace: one of its predicates holds of the threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The configuration's number, counted on from the configurations with steps.
    pub configuration: usize,
    /// The trace's thread in each of its slots.
    pub threads: Vec<u32>,
}

/// A way to show an assertion.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it is.
    pub by: By,
    /// What has to hold at the point before.
    pub pre: Vec<Instance>,
}

/// Assertions at one point and the rules by which each may be shown.
pub type Candidates = BTreeMap<Instance, Vec<Rule>>;

/// That one of some assertions holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternatives {
    /// Why.
    pub place: Place,
    /// The assertions.
    pub assertions: BTreeSet<Instance>,
}

/// The rules for the points of a trace.
pub struct Rules<'a> {
    program: &'a Program,
    automaton: &'a Automaton<'a>,
    basis: &'a [Triple],
    initial: HashSet<u32>,
    /// The impossible configurations with their numbers.
    impossible: Vec<(usize, Configuration)>,
    trace: &'a Trace,
    /// The trace's threads, at their locations at each point.
    places: Vec<Vec<Slot>>,
    budget: Budget,
}

impl<'a> Rules<'a> {
    /// Of a proof for a trace.
    pub fn new(
        program: &'a Program,
        automaton: &'a Automaton<'a>,
        proof: &'a ProofSpace,
        trace: &'a Trace,
    ) -> Self {
        let slots = |here: Vec<u32>| {
            let threads = trace.threads.iter().zip(here);
            threads.map(|(thread, l)| Slot(thread.template, Some(l))).collect()
        };
        let impossible = (proof.configurations.len()..).zip(&proof.impossible).map(|(i, c)| {
            let (threads, negated) = (c.threads.clone(), c.negated.clone());
            (i, Configuration { threads, negated, steps: Vec::new() })
        });
        Rules {
            program,
            automaton,
            basis: &proof.basis,
            initial: proof.initial.iter().map(|i| i.predicate).collect(),
            impossible: impossible.collect(),
            trace,
            places: trace.locations(program).into_iter().map(slots).collect(),
            budget: Budget::default(),
        }
    }

    /// How many steps the trace has.
    pub fn steps(&self) -> usize {
        self.trace.steps.len()
    }

    /// The rules for an assertion after so many steps, but for impossible configurations.
    ///
    /// # Errors
    /// If the proof is not well formed, or there is too much work.
    pub fn of(&mut self, assertion: &Instance, step: usize) -> Result<Vec<Rule>, Reason> {
        let Some(taken) = step.checked_sub(1).map(|s| self.trace.steps[s]) else {
            let initial = self.initial.contains(&assertion.0);
            return Ok(initial
                .then(|| Rule { by: By::Initial, pre: vec![] })
                .into_iter()
                .collect());
        };
        // Every configuration negates `false` by itself.
        let negated = [assertion].into_iter().filter(|i| i.0 != FALSE).cloned().collect();
        let threads = self.places[step].clone();
        let after = Configuration { threads, negated, steps: Vec::new() };
        let before = self.automaton.successor(&after, &taken, &self.budget)?;
        let frame = before.negated.contains(assertion);
        let frame = frame.then(|| Rule { by: By::Frame, pre: vec![assertion.clone()] });
        let mut rules: Vec<Rule> = frame.into_iter().collect();
        for (number, pre) in before.clauses {
            if self.basis[number].post == assertion.0 {
                let threads = self.renaming(&self.basis[number], assertion, taken.actor)?;
                rules.push(Rule { by: By::Triple { number, threads }, pre });
            }
        }
        Ok(rules)
    }

    /// The trace's threads in the places of a triple's, when its postcondition is this instance
    /// (the symmetry rule).
    fn renaming(&self, triple: &Triple, post: &Instance, actor: u32) -> Result<Vec<u32>, Reason> {
        let (predicates, acting) = (self.automaton.predicates, triple.acting);
        let places = basis::threads(
            self.program,
            predicates,
            triple.template,
            triple.post,
            acting,
            &Budget::default(),
        )?;
        let mut threads = vec![actor; places.templates.len()];
        for (place, thread) in places.post.iter().zip(&post.1) {
            threads[index(*place)] = *thread;
        }
        Ok(threads)
    }

    /// What impossible configurations say after so many steps of candidates only. Of the last
    /// state, in which a thread is at an error location, they say nothing.
    pub fn alternatives(&self, step: usize, candidates: &Candidates) -> Vec<Alternatives> {
        if step == self.steps() {
            return Vec::new();
        }
        let (predicates, threads) = (self.automaton.predicates, &self.places[step]);
        let mut all: Vec<Alternatives> = Vec::new();
        for (configuration, from) in &self.impossible {
            Embeddings { predicates, from, threads }.each(
                |image| candidates.get_key_value(&image).map(|(known, _)| known),
                |threads, images: &[&Instance]| {
                    let assertions = images.iter().map(|i| (*i).clone()).collect();
                    if !all.iter().any(|a| a.assertions == assertions) {
                        let place =
                            Place { configuration: *configuration, threads: threads.to_vec() };
                        all.push(Alternatives { place, assertions });
                    }
                    false
                },
            );
        }
        all
    }
}

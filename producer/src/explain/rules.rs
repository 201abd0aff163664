//! What an assertion about the state after a step can follow from: frames and instances of basis
//! triples, as the checker's automaton reads them backwards.

use super::trace::Trace;
use crate::engine::proof_space::index;
use std::collections::HashSet;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::proof_space::automaton::Automaton;
use threadproof_checker::proof_space::basis;
use threadproof_checker::proof_space::predicates::FALSE;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Configuration, Instance, ProofSpace, Slot, Triple};

/// Why an assertion holds at a point of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// It holds in every initial state.
    Initial,
    /// It held before the step, which changes none of its variables.
    Frame,
    /// By a triple of the basis.
    Triple {
        /// Its number.
        number: usize,
        /// The trace's thread in the place of each of the triple's threads: the first one acts.
        threads: Vec<u32>,
    },
}

/// A way to show an assertion after a step.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The triple.
    pub by: By,
    /// Its precondition, before the step.
    pub pre: Vec<Instance>,
}

/// The rules for the points of a trace.
pub struct Rules<'a> {
    program: &'a Program,
    automaton: &'a Automaton<'a>,
    basis: &'a [Triple],
    initial: HashSet<u32>,
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
        Rules {
            program,
            automaton,
            basis: &proof.basis,
            initial: proof.initial.iter().map(|i| i.predicate).collect(),
            trace,
            places: trace.locations(program).into_iter().map(slots).collect(),
            budget: Budget::default(),
        }
    }

    /// How many steps the trace has.
    pub fn steps(&self) -> usize {
        self.trace.steps.len()
    }

    /// Whether an assertion holds at the start.
    pub fn initially(&self, assertion: &Instance) -> bool {
        self.initial.contains(&assertion.0)
    }

    /// What an assertion after a step (counted from 1) can follow from.
    ///
    /// # Errors
    /// If the proof is not well formed, or there is too much work.
    pub fn before(&mut self, assertion: &Instance, step: usize) -> Result<Vec<Rule>, Reason> {
        // Every configuration negates `false` by itself.
        let negated = [assertion].into_iter().filter(|i| i.0 != FALSE).cloned().collect();
        let threads = self.places[step].clone();
        let after = Configuration { threads, negated, steps: Vec::new() };
        let taken = &self.trace.steps[step - 1];
        let before = self.automaton.successor(&after, taken, &mut self.budget)?;
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
        let places =
            basis::threads(self.program, predicates, triple.template, triple.post, acting)?;
        let mut threads = vec![actor; places.templates.len()];
        for (place, thread) in places.post.iter().zip(&post.1) {
            threads[index(*place)] = *thread;
        }
        Ok(threads)
    }
}

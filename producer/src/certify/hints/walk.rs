//! One pass over a draft: from the error configurations through all configurations that closing
//! their steps needs. The others are dropped.

use super::closing::{Closed, Closing};
use super::draft::{Draft, shape};
use super::embedding::{Embeddings, Index};
use super::{CertifyError, Figures};
use crate::control::Control;
use std::collections::BTreeSet;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::proof_space::automaton::{Automaton, Step};
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Configuration, Hint, Slot, StepHints};

/// A pass in progress.
pub struct Walk<'a> {
    automaton: Automaton<'a>,
    draft: &'a Draft,
    /// All configurations, the impossible ones last.
    list: Vec<Configuration>,
    index: Index,
    /// For each configuration, the predicates that it negates.
    negated: Vec<BTreeSet<u32>>,
    /// Configurations in the order in which they were reached.
    order: Vec<usize>,
    reached: Vec<bool>,
    /// For each configuration, its hints.
    hints: Vec<Vec<StepHints>>,
    /// For each triple, whether a step needed it.
    needed: Vec<bool>,
    budget: Budget,
}

/// What a pass gives.
pub struct Walked {
    /// The draft with its hints, and only with what is reached.
    pub draft: Draft,
    /// For each triple, whether a step needs it.
    pub needed: Vec<bool>,
}

impl<'a> Walk<'a> {
    /// A pass over a draft.
    ///
    /// # Errors
    /// `Limit`.
    pub fn new(
        program: &'a Program,
        predicates: &'a Predicates,
        draft: &'a Draft,
    ) -> Result<Self, Reason> {
        let impossible = draft.proof.impossible.iter().map(shape);
        let list: Vec<_> = draft.proof.configurations.iter().cloned().chain(impossible).collect();
        let negated = |c: &Configuration| c.negated.iter().map(|instance| instance.0).collect();
        let budget = Budget::default();
        Ok(Walk {
            automaton: Automaton::new(program, predicates, &draft.proof.basis, &budget)?,
            draft,
            index: Index::new(&list),
            negated: list.iter().map(negated).collect(),
            order: Vec::new(),
            reached: vec![false; list.len()],
            hints: vec![Vec::new(); list.len()],
            list,
            needed: vec![false; draft.proof.basis.len()],
            budget,
        })
    }

    /// Whether a step needed the triple so far.
    pub fn is_needed(&self, triple: usize) -> bool {
        self.needed.get(triple).copied().unwrap_or(false)
    }

    /// Configurations that may embed into these threads and negate only these predicates: first
    /// those that are needed anyway, of these the smallest.
    pub fn candidates(&self, threads: &[Slot], predicates: &BTreeSet<u32>) -> Vec<usize> {
        let mut found = self.index.candidates(threads);
        found.retain(|c| self.negated[*c].is_subset(predicates));
        let list = &self.list;
        let size = |c: usize| list[c].threads.len() + list[c].negated.len();
        found.sort_by_key(|c| (!self.reached[*c], size(*c), *c));
        found
    }

    /// The search for a configuration's embeddings.
    pub fn embeddings<'s>(&'s self, configuration: usize, threads: &'s [Slot]) -> Embeddings<'s> {
        let from = &self.list[configuration];
        Embeddings { predicates: self.automaton.predicates, from, threads }
    }

    /// Closes all steps that are reached.
    ///
    /// # Errors
    /// If a step is open, or the caller stops it.
    pub fn run(mut self, control: &Control, figures: &mut Figures) -> Result<Walked, CertifyError> {
        (figures.steps, figures.embedding) = Default::default();
        let mut error_steps = Vec::new();
        for (i, root) in self.automaton.roots(&Budget::default())?.iter().enumerate() {
            error_steps.extend(self.steps(root, &format!("error configuration {i}"), figures)?);
        }
        let mut next = 0;
        while let Some(at) = self.order.get(next).copied() {
            if control.should_stop() {
                return Err(CertifyError::Stopped);
            }
            next += 1;
            let (draft, name) = (self.draft, &self.draft.names[at]);
            if let Some(c) = draft.proof.configurations.get(at) {
                self.hints[at] = self.steps(c, name, figures)?;
            }
        }
        Ok(self.finish(error_steps))
    }

    fn steps(
        &mut self,
        c: &Configuration,
        name: &str,
        figures: &mut Figures,
    ) -> Result<Vec<StepHints>, CertifyError> {
        let mut hints = Vec::new();
        for step in self.automaton.steps(c, &self.budget)? {
            let closed = self.step(c, &step, figures)?;
            let open = || CertifyError::Open { configuration: name.to_owned(), step };
            let closed = closed.ok_or_else(open)?;
            for triple in closed.triples {
                self.needed[triple] = true;
            }
            for hint in &closed.hints {
                if let Hint::Embed(target, _) = hint
                    && let Ok(target) = usize::try_from(*target)
                    && !std::mem::replace(&mut self.reached[target], true)
                {
                    self.order.push(target);
                }
            }
            if !closed.hints.is_empty() {
                hints.push(StepHints(closed.hints));
            }
        }
        Ok(hints)
    }

    fn step(
        &mut self,
        c: &Configuration,
        step: &Step,
        figures: &mut Figures,
    ) -> Result<Option<Closed>, CertifyError> {
        let successor = self.automaton.successor(c, step, &self.budget)?;
        let mut closing = Closing::new(self, successor);
        let closed = closing.run(c);
        figures.embedding += closing.embedding;
        figures.steps += 1;
        Ok(closed)
    }

    /// The draft with only what is reached, renumbered.
    fn finish(mut self, mut error_steps: Vec<StepHints>) -> Walked {
        let mut numbers = vec![0; self.reached.len()];
        let listed = self.draft.proof.configurations.len();
        let (order, impossible): (Vec<usize>, Vec<usize>) =
            self.order.iter().partition(|at| **at < listed);
        for (number, at) in (0..).zip(order.iter().chain(&impossible)) {
            numbers[*at] = number;
        }
        let renumber = |steps: &mut Vec<StepHints>| {
            for hint in steps.iter_mut().flat_map(|step| &mut step.0) {
                if let Hint::Embed(target, _) = hint {
                    *target = usize::try_from(*target).map_or(0, |target| numbers[target]);
                }
            }
        };
        renumber(&mut error_steps);
        let mut draft = Draft { proof: self.draft.proof.clone(), names: Vec::new() };
        draft.proof.error_steps = error_steps;
        draft.proof.configurations = Vec::new();
        for at in &order {
            let mut steps = std::mem::take(&mut self.hints[*at]);
            renumber(&mut steps);
            let c = &self.draft.proof.configurations[*at];
            draft.proof.configurations.push(Configuration { steps, ..c.clone() });
            draft.names.push(self.draft.names[*at].clone());
        }
        let kept = impossible.iter().map(|at| self.draft.proof.impossible[at - listed].clone());
        draft.proof.impossible = kept.collect();
        draft.names.extend(impossible.iter().map(|at| self.draft.names[*at].clone()));
        Walked { draft, needed: self.needed }
    }
}

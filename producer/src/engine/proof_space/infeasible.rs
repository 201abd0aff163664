//! Proofs of infeasible traces: of a trace's path program, or of its infeasible prefix.

use super::attempt::Attempt;
use super::paths::{self, Paths};
use super::report::diagnosis;
use super::traces::alike::Alike;
use super::traces::derive::Derivation;
use super::traces::relax;
use crate::logic::basis::Triple;
use crate::logic::model::Facts;
use crate::logic::predicates::Predicates;
use crate::logic::validity::Validity;
use crate::trace::{Kind, Trace};
use std::collections::BTreeSet;

/// Traces that one strategy excludes by path programs: where it needs more of them it diverges all
/// the same.
const MAX_PATHS: usize = 4;

/// What proves traces infeasible, for all strategies of a search.
pub struct Prover<'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// All predicates.
    pub predicates: Predicates<'a>,
    /// Triples decided so far.
    pub validity: Validity,
}

impl<'a> Prover<'a> {
    /// For a program.
    pub fn new(facts: &'a Facts<'a>) -> Self {
        Prover { facts, predicates: Predicates::new(facts), validity: Validity::new(facts) }
    }

    /// Adds the triples of a proof of the trace's path program, or of its infeasible prefix.
    ///
    /// # Errors
    /// Why the strategy is at its end.
    pub fn explain(
        &mut self,
        attempt: &mut Attempt,
        trace: &mut Trace<'a>,
    ) -> Result<(), &'static str> {
        let found = self.path_program(attempt, trace).or_else(|| self.prefix(attempt, trace));
        let mut triples = found.ok_or(diagnosis::NO_PROOF)?;
        let Prover { facts, predicates, validity } = self;
        if let Some(inductive) = &mut attempt.inductive
            && !inductive.support(facts, predicates, validity, &mut triples)
        {
            return Err("z3 could not show again that an invariant is inductive");
        }
        if !facts.counters.is_empty() {
            let mut alike = Alike { facts, predicates, validity, basis: &attempt.basis };
            let further = alike.further(&triples);
            triples.extend(further);
        }
        attempt.add(triples);
        Ok(())
    }

    /// Triples of a proof of the trace's path program that are not all known. Not where threads are
    /// counted: the counters are many more variables.
    fn path_program(
        &mut self,
        attempt: &mut Attempt,
        trace: &mut Trace<'a>,
    ) -> Option<Vec<Triple>> {
        let off = !attempt.loops || attempt.paths == MAX_PATHS;
        if off || !self.facts.counters.is_empty() || !paths::goes_round(self.facts, trace) {
            return None;
        }
        let mut paths = Paths {
            facts: self.facts,
            predicates: &mut self.predicates,
            validity: &mut self.validity,
            known: &attempt.known,
        };
        let found = paths.proof(trace, &attempt.strategy, &attempt.basis);
        attempt.paths += usize::from(found.is_some());
        attempt.loops = found.is_some();
        found
    }

    /// Triples of a proof of the trace's infeasible prefix, not all known.
    fn prefix(&mut self, attempt: &Attempt, trace: &mut Trace<'a>) -> Option<Vec<Triple>> {
        let mut best: Option<(usize, Vec<Triple>)> = None;
        for kinds in &attempt.strategy.relaxations {
            let Some(triples) = self.derive(attempt, trace, kinds) else {
                continue;
            };
            if triples.iter().all(|t| attempt.basis.contains(t)) {
                continue;
            }
            let cost = self.new_formulas(attempt, &triples);
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, triples));
            }
            if !attempt.strategy.dummies || cost == 0 {
                break;
            }
        }
        best.map(|(_, triples)| triples)
    }

    /// How many formulas of triples the strategy has not used yet; dummy threads cost nothing.
    fn new_formulas(&self, attempt: &Attempt, triples: &[Triple]) -> usize {
        let narrow = |p: &u32| self.predicates.get(*p).narrow;
        let known: BTreeSet<u32> = attempt.known.iter().map(narrow).chain([0]).collect();
        let new: BTreeSet<u32> = attempt.new_predicates(triples).iter().map(narrow).collect();
        new.difference(&known).count()
    }

    /// A proof of the trace's infeasible prefix after relaxing pieces of the given kinds.
    fn derive(
        &mut self,
        attempt: &Attempt,
        trace: &mut Trace<'a>,
        kinds: &[Kind],
    ) -> Option<Vec<Triple>> {
        trace.reset();
        if attempt.strategy.cut_first {
            relax::cut(trace);
        }
        relax::relax(trace, kinds, attempt.strategy.latest_first);
        relax::cut(trace);
        let derivation = Derivation {
            facts: self.facts,
            predicates: &mut self.predicates,
            validity: &mut self.validity,
            known: &attempt.known,
            strategy: &attempt.strategy,
            invariants: attempt.invariants(),
            given: Vec::new(),
            trace,
            needed: Vec::new(),
            links: Vec::new(),
        };
        derivation.run()
    }
}

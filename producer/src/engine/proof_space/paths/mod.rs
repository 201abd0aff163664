//! Path programs: where a trace comes round, its proof is made for any number of rounds (Beyer,
//! Henzinger, Majumdar, Rybalchenko, "Path Invariants"; section 7 of the paper on proof spaces).
//!
//! Positions of the trace at which its threads are at the same locations are merged
//! (`program.rs`). An inductive invariant of this sequential program that excludes the error solves
//! linear Horn clauses (`clauses.rs`), and its conjuncts are what the triples of the proof are
//! about (`decompose.rs`). A trace for which this fails is left to the ordinary derivation.

mod clauses;
mod decompose;
mod program;

use super::basis::Triple;
use super::facts::Facts;
use super::formula::Formula;
use super::predicates::{Instance, Predicates};
use super::trace::Trace;
use super::validity::Validity;
use decompose::Decomposition;
use program::{Merge, PathProgram};
use threadproof_format::Expr;

/// What path programs are made with.
pub struct Paths<'s, 'a> {
    /// The program.
    pub facts: &'s Facts<'a>,
    /// All predicates.
    pub predicates: &'s mut Predicates<'a>,
    /// Triples decided so far.
    pub validity: &'s mut Validity,
    /// Invariants of the whole program, which need no proof here.
    pub invariants: &'s [Instance],
    /// How often a trace has to be at the same place.
    pub visits: usize,
}

impl<'a> Paths<'_, 'a> {
    /// The triples of a proof of an infeasible trace's path program, if it has loops; the most
    /// general merging first.
    pub fn prove(&mut self, trace: &Trace<'a>) -> Option<Vec<Triple>> {
        [Merge::UnderWay, Merge::All].into_iter().find_map(|merge| self.merged(trace, merge))
    }

    fn merged(&mut self, trace: &Trace<'a>, merge: Merge) -> Option<Vec<Triple>> {
        let program = PathProgram::new(self.facts, &trace.steps, merge);
        if program.visits() < self.visits {
            return None;
        }
        let counting = self.facts.counting();
        let mut given: Vec<Expr> = counting.iter().map(Formula::expr).collect();
        given.extend(self.invariants.iter().map(|i| self.predicates.expr(i)));
        let invariant = clauses::solve(self.facts, trace, &program, &given)?;
        let decomposition = Decomposition {
            facts: self.facts,
            predicates: self.predicates,
            validity: self.validity,
            invariants: self.invariants,
            trace,
            program: &program,
            invariant: &invariant,
        };
        decomposition.run()
    }
}

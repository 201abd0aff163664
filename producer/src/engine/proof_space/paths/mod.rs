//! Path programs: where a trace repeats a loop, its proof is made for any number of iterations
//! (Beyer, Henzinger, Majumdar, Rybalchenko, "Path Invariants"; section 7 of the paper on proof
//! spaces).
//!
//! Positions of the trace at which its threads are at the same locations are merged (`program.rs`).
//! An inductive invariant of this sequential program that excludes the error consists of affine
//! equalities (`equalities.rs`) and what solves linear Horn clauses beyond them (`clauses.rs`). Its
//! conjuncts are what the triples of the proof are about (`decompose.rs`). A trace for which this
//! fails is left to the ordinary derivation.

mod clauses;
mod decompose;
mod encoding;
mod equalities;
mod program;

use super::strategy::Strategy;
use crate::engine::proof_space::traces::relax;
use crate::logic::basis::{Basis, Triple};
use crate::logic::model::Facts;
use crate::logic::predicates::Predicates;
use crate::logic::validity::Validity;
use crate::trace::Trace;
use decompose::Decomposition;
use encoding::Encoding;
use program::{Merge, PathProgram};
use std::collections::BTreeSet;

/// What path programs are made with; threads are not counted.
pub struct Paths<'s, 'a> {
    /// The program.
    pub facts: &'s Facts<'a>,
    /// All predicates.
    pub predicates: &'s mut Predicates<'a>,
    /// Triples decided so far.
    pub validity: &'s mut Validity,
    /// The basis' predicates.
    pub known: &'s BTreeSet<u32>,
}

/// From so many visits of one place on a trace is taken to go round a loop for ever: the proof of
/// fewer iterations is often one of all iterations by itself.
const VISITS: usize = 4;

/// Whether a trace goes round a loop three times.
pub fn goes_round(facts: &Facts, trace: &Trace) -> bool {
    PathProgram::new(facts, &trace.steps, Merge::All).visits() >= VISITS
}

/// The path programs of a trace, the most general one first.
fn programs(facts: &Facts, trace: &Trace) -> [PathProgram; 2] {
    [Merge::UnderWay, Merge::All].map(|merge| PathProgram::new(facts, &trace.steps, merge))
}

impl<'a> Paths<'_, 'a> {
    /// The triples of a proof of a trace's path program that the basis does not have all; of the
    /// most relaxed path program that has a proof.
    pub fn proof(
        &mut self,
        trace: &mut Trace<'a>,
        strategy: &Strategy,
        basis: &Basis,
    ) -> Option<Vec<Triple>> {
        let programs = programs(self.facts, trace);
        strategy.relaxations.iter().find_map(|kinds| {
            trace.reset();
            relax::relax(trace, kinds, strategy.latest_first);
            let triples = programs.iter().find_map(|program| self.prove(trace, program))?;
            triples.iter().any(|t| !basis.contains(t)).then_some(triples)
        })
    }

    /// The triples of a proof of a trace's path program, as far as the trace's pieces are on.
    fn prove(&mut self, trace: &Trace<'a>, program: &PathProgram) -> Option<Vec<Triple>> {
        let encoding = Encoding { facts: self.facts, trace, program };
        let invariant = clauses::solve(&encoding, equalities::equalities(&encoding))?;
        let decomposition = Decomposition {
            facts: self.facts,
            predicates: self.predicates,
            validity: self.validity,
            known: self.known,
            trace,
            program,
            invariant: &invariant,
        };
        decomposition.run()
    }
}

#[cfg(test)]
mod testing {
    /// A thread goes up, then down, and finds something left.
    pub const LOOPS: &str = "core 1;
global g: int;
many t {
  local x: int; local y: int;
  location a; location up; location down; location wrong error;
  edge a -> up { x := 0, y := 0; }
  edge up -> up { x := x + 1, y := y + 2; }
  edge up -> down { }
  edge down -> down { when x > 0; x := x - 1, y := y - 2; }
  edge down -> wrong { when x <= 0 && y < 0; }
}";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::formula::Formula;
    use crate::logic::linear::{Leaf, Linear, Var};
    use crate::trace::Word;

    fn with_trace<T>(text: &str, commands: &[usize], ask: impl FnOnce(&Facts, &Trace) -> T) -> T {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(text).expect("a program");
        let facts = Facts::new(&program, Counters::default());
        let steps = commands.iter().map(|command| (*command, 0)).collect();
        let trace = Trace::new(&facts, &Word { threads: vec![0], steps });
        ask(&facts, &trace)
    }

    /// The command and the postcondition of each triple of the proof.
    fn triples(facts: &Facts, trace: &Trace) -> Option<Vec<(usize, Formula)>> {
        let mut predicates = Predicates::new(facts);
        let mut validity = Validity::new(facts);
        let mut paths = Paths {
            facts,
            predicates: &mut predicates,
            validity: &mut validity,
            known: &BTreeSet::new(),
        };
        let programs = programs(facts, trace);
        let triples = programs.iter().find_map(|program| paths.prove(trace, program))?;
        let post = |t: &Triple| (t.command, predicates.get(t.post).formula().clone());
        Some(triples.iter().map(post).collect())
    }

    /// y = 2x, of the thread.
    fn twice() -> Formula {
        let local = |i| Linear::leaf(Leaf::Var(Var::Local(0, i)));
        Formula::equal(local(1), local(0).scale(&2.into()))
    }

    #[test]
    fn equalities_hold_in_all_iterations() {
        with_trace(testing::LOOPS, &[0, 1, 1, 1, 2, 3, 3, 3, 4], |facts, trace| {
            let program = PathProgram::new(facts, &trace.steps, Merge::UnderWay);
            let encoding = Encoding { facts, trace, program: &program };
            let found = equalities::equalities(&encoding);
            assert_eq!(found, [vec![], vec![twice()], vec![twice()]]);
        });
    }

    #[test]
    fn a_proof_is_about_all_iterations() {
        for commands in [&[0, 1, 1, 1, 2, 3, 3, 3, 4][..], &[0, 1, 1, 1, 1, 2, 3, 3, 4]] {
            let found = with_trace(testing::LOOPS, commands, triples).expect("a proof");
            for command in [0, 1, 3] {
                assert!(found.contains(&(command, twice())), "{found:?}");
            }
            assert!(found.contains(&(4, Formula::FALSE)), "{found:?}");
        }
    }

    #[test]
    fn without_iterations_there_is_nothing_to_do() {
        assert!(!with_trace(testing::LOOPS, &[0, 1, 1, 2, 3, 3, 4], goes_round));
        assert!(with_trace(testing::LOOPS, &[0, 1, 1, 1, 2, 3, 3, 4], goes_round));
    }

    #[test]
    fn a_path_program_that_goes_wrong_has_no_proof() {
        // The trace itself cannot be executed: two iterations leave y = 2 at least.
        let uneven = testing::LOOPS.replace("y := y + 2", "y := y + 1");
        assert_eq!(with_trace(&uneven, &[0, 1, 1, 1, 2, 3, 4], triples), None);
    }

    #[test]
    fn what_is_off_in_all_iterations_is_left_out() {
        with_trace(testing::LOOPS, &[0, 1, 1, 1, 2, 3, 3, 3, 4], |facts, trace| {
            let mut trace = trace_without_y(facts, trace);
            assert_eq!(triples(facts, &trace), None);
            trace.reset();
            assert!(triples(facts, &trace).is_some());
        });
    }

    /// The trace with all updates of y switched off.
    fn trace_without_y<'a>(facts: &'a Facts<'a>, trace: &Trace) -> Trace<'a> {
        let word = Word { threads: trace.threads.clone(), steps: trace.steps.clone() };
        let mut trace = Trace::new(facts, &word);
        let mut last = (0, 0);
        for piece in 0..trace.pieces.len() {
            let step = trace.pieces[piece].step;
            last = if step == last.0 { (step, last.1 + 1) } else { (step, 0) };
            let guard = facts.commands[trace.steps[step - 1].0].guard.len();
            trace.enabled[piece] = last.1 != guard + 1;
        }
        trace
    }
}

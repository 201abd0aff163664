//! Invariants over globals and counters that are found without a trace: the candidates that are
//! inductive together.

use crate::counting::candidates::{self, Level};
use crate::counting::sample::Samples;
use crate::logic::counters::ghosted;
use crate::logic::formula::Formula;
use crate::logic::model::Facts;
use crate::logic::predicates::{Instance, Predicates};
use crate::logic::validity::Validity;
use threadproof_format::Expr;
use threadproof_format::program::Program;

/// The candidates of a level and further formulas about no thread, without those that are not
/// inductive.
pub fn invariants(
    facts: &Facts,
    predicates: &mut Predicates,
    validity: &mut Validity,
    samples: &Samples,
    (further, level): (Vec<Formula>, Level),
) -> Vec<Instance> {
    let mut instances = Vec::new();
    for formula in further.into_iter().chain(candidates::candidates(facts, samples, level)) {
        let instance = predicates.intern(&formula, &[]).expect("no threads");
        let holds = validity.initially(facts, predicates, instance.predicate);
        if holds && !instances.contains(&instance) {
            instances.push(instance);
        }
    }
    validity.inductive(facts, predicates, instances)
}

/// Invariants of a program, in terms of its counters. Asks the current z3 context.
pub fn of_program(program: &Program, level: Level) -> Vec<Expr> {
    let (ghosted, ghosts) = ghosted(program);
    let facts = Facts::new(&ghosted, ghosts);
    let mut predicates = Predicates::new(&facts);
    let mut validity = Validity::new(&facts);
    let samples = Samples::of(&facts);
    let found = invariants(&facts, &mut predicates, &mut validity, &samples, (Vec::new(), level));
    found.iter().map(|i| facts.counters.restore(&predicates.expr(i))).collect()
}

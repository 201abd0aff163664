//! What holds at the start: the predicates of an invariant, and a state that shows that there is a start.

use super::Failure;
use super::clauses::Located;
use super::query::{Answer, Query};
use super::state::{Broken, Counterexample, Shown};
use super::steps::symbols;
use crate::certify::obligations::obligations;
use std::collections::{BTreeSet, HashMap};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::proof_space::predicates::{FALSE, Predicates};
use threadproof_checker::internals::replay;
use threadproof_checker::internals::scope::Scope;
use threadproof_format::program::Program;
use threadproof_format::proof::Witness;
use threadproof_format::proof::counterexample::{State, Thread};
use threadproof_format::proof::proof_space::{InitialPredicate, Predicate, ProofSpace, Slot};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Op, Sort};

/// The predicates that hold at the start, of those that must: whose configuration an initial state may
/// satisfy.
///
/// # Errors
/// If one does not hold, or z3 does not know.
pub fn holding(
    program: &Program,
    predicates: &Predicates,
    entries: &[(Located, u32)],
) -> Result<BTreeSet<u32>, Failure> {
    let mut holding = BTreeSet::new();
    for (located, predicate) in entries {
        let starts = located.slots.iter().all(|slot| slot.1.is_none_or(|l| l == 0));
        if !starts || holding.contains(predicate) {
            continue;
        }
        let obligation = initially(program, predicates, *predicate)?;
        let mut query = Query::new(&obligation, &[]);
        match query.answer() {
            Answer::Refuted(_) => drop(holding.insert(*predicate)),
            Answer::Unknown => return Err(Failure::Unknown(Some(located.clause))),
            Answer::Model(model) => {
                let slots = located.slots.iter().map(|slot| Slot(slot.0, Some(0))).collect();
                let threads =
                    predicates.get(*predicate, &Budget::default())?.predicate.threads.iter();
                let shown = Shown {
                    program,
                    numbers: (0..).zip(&located.slots).map(|(slot, _)| Some(slot)).collect(),
                    templates: threads.copied().map(Some).collect(),
                    slots,
                    symbols: symbols(&obligation),
                };
                let state = shown.state(&mut query, &model);
                let before = state.ok_or(Failure::Unknown(Some(located.clause)))?;
                let chosen = located.chosen.iter().filter_map(|t| usize::try_from(*t).ok());
                let broken = Broken::Clause(located.clause, chosen.collect());
                let found = Counterexample { before, step: None, broken };
                return Err(Failure::Counterexample(Box::new(found)));
            }
        }
    }
    Ok(holding)
}

/// What has to be refuted for a predicate to hold at the start. That of `false` is satisfied by every
/// initial state.
fn initially(
    program: &Program,
    predicates: &Predicates,
    predicate: u32,
) -> Result<Obligation, Failure> {
    let initial = InitialPredicate { predicate, refutation: Refutation::default() };
    let proof = ProofSpace {
        initial: if predicate == FALSE { Vec::new() } else { vec![initial] },
        ..ProofSpace::default()
    };
    let list = obligations(program, predicates, &proof, &Budget::default());
    let list = list.map_err(|failure| Failure::Refused(failure.reason))?;
    let nothing =
        || Obligation { id: ObligationId::Initial(0), sorts: HashMap::new(), formulas: Vec::new() };
    Ok(list.into_iter().next().unwrap_or_else(nothing))
}

/// What the checker asks for `false` to hold at the start of threads of these templates: that there
/// is no such state.
fn nothing_at_the_start(program: &Program, threads: &[u32]) -> Option<Obligation> {
    let nothing = Predicate { formula: Expr::bool(true).negate(), threads: threads.to_vec() };
    let predicates = Predicates::new(program, &vec![nothing], &Budget::default()).ok()?;
    initially(program, &predicates, 1).ok()
}

/// Whether no initial state has threads of these templates of many threads, as z3 has shown.
pub fn no_initial_state(program: &Program, threads: &[u32]) -> bool {
    let obligation = nothing_at_the_start(program, threads);
    obligation.is_some_and(|o| matches!(Query::new(&o, &[]).answer(), Answer::Refuted(_)))
}

/// An initial state with one thread of each template of many threads, if z3 finds one.
pub fn witness(program: &Program) -> Witness {
    let many = (0..).zip(&program.templates).filter(|(_, t)| t.is_many()).map(|(of, _)| of);
    let threads: Vec<u32> = many.collect();
    let mut query = Query::new(&nothing_at_the_start(program, &threads)?, &[]);
    let Answer::Model(model) = query.answer() else { return None };
    let templates = threads.iter().copied().map(Some).collect();
    let scope = Scope { program, threads: templates, inputs: None };
    let sort = |op: &Op| scope.sort(op, &Budget::default()).unwrap_or(Sort::Int);
    let mut values = |list: Vec<Op>| {
        let list = list.into_iter().map(|op| {
            let sort = sort(&op);
            (Expr(vec![op]), sort)
        });
        query.values(&model, &list.collect::<Vec<_>>(), &sort)
    };
    let globals = (0..).zip(&program.globals).map(|(g, _)| Op::Global(g)).collect();
    let globals = values(globals)?;
    let mut listed = Vec::new();
    for (position, template) in (0..).zip(&threads) {
        let of = usize::try_from(*template).ok()?;
        let locals = (0..).zip(&program.templates.get(of)?.locals);
        let locals = values(locals.map(|(i, _)| Op::Local(position, i)).collect())?;
        listed.push(Thread { locals, template: *template });
    }
    let state = State { globals, threads: listed };
    replay::witness(program, &state, &Budget::default()).is_ok().then_some(state)
}

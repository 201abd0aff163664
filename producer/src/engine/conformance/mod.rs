//! Conformance of threads with their abstract threads ("Abstract Threads", Section 3): the
//! inductive invariant that the certificate needs, or an execution that the abstract thread cannot
//! follow.
//!
//! What has to be shown comes from the checker's own code ([`Pair`]). The conformance checker C(T,
//! T#) is sequential: z3's Spacer infers its invariants, loop invariants included, and a bounded
//! search finds the shortest failing execution.

mod clauses;
mod failing;
mod predicates;

pub use failing::{Failing, Kind, State, Step};

use crate::certify::obligations;
use crate::certify::refute::{RefuteError, refute};
use crate::control::Control;
use crate::logic::rewrite::Rewrite as _;
use crate::solve;
use crate::solve::encode;
use crate::solve::fixedpoint::Settings;
pub use clauses::WORK;
use clauses::{System, Terms, Unsolved};
use predicates::PredicateError;
use std::collections::HashMap;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::abstraction::conformance::Pair;
use threadproof_checker::internals::obligation::ObligationId;
use threadproof_format::program::{Edge, Variable};
use threadproof_format::proof::abstraction::Conformance;
use threadproof_format::work::Seq;
use threadproof_format::{Expr, Op};
use z3::SatResult;

/// Why a thread is not shown to conform.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Why {
    /// It does not: an execution that the abstract thread cannot follow.
    #[error("the abstract thread cannot follow an execution")]
    Fails(Box<Failing>),
    /// A local of the abstract thread that certificates do not know what to do with.
    #[error("{thread}: {local} is neither finite nor a copy of a global")]
    Local {
        /// The abstract thread's name.
        thread: String,
        /// The local's name.
        local: String,
    },
    /// The abstract thread is not of the form that certificates know.
    #[error(transparent)]
    Form(#[from] Reason),
    /// The checker does not form the obligations.
    #[error(transparent)]
    Refused(#[from] Failure),
    /// No invariants were found, neither by Horn clauses nor by predicate abstraction.
    #[error("{0}; {1}")]
    NoInvariants(Unsolved, PredicateError),
    /// An obligation of the invariants was not refuted.
    #[error("{0}: {1}")]
    Obligation(ObligationId, RefuteError),
}

/// A formula that may hold at a location of the concrete thread.
pub type Hint = (u32, Expr);

/// Proves that a thread conforms to its abstract thread; hints that are wrong do no harm. z3 may do
/// so much for the invariants, in its own unit.
///
/// # Errors
/// An execution that the abstract thread cannot follow, or why there is no answer.
pub fn prove(
    pair: &Pair,
    hints: &[Hint],
    work: u32,
    control: &Control,
) -> Result<Conformance, Why> {
    let copies = copies(pair)?;
    let draft = Conformance { copies, invariants: Vec::new(), refutations: Vec::new() };
    let search = || search(pair, &draft.copies, hints, (work, control));
    let invariants = solve::interruptible(control, search)?;
    complete(pair, Conformance { invariants, ..draft }, control)
}

/// Whether the abstract thread can go wrong in each of its initial states, so that every thread
/// conforms to it.
///
/// # Errors
/// If the abstract thread is not well formed.
pub fn vacuous(pair: &Pair) -> Result<bool, Why> {
    let (premises, goal, values) = pair.beginning(&copies(pair)?, &Budget::default())?;
    let (solver, mut terms) = (solve::solver(), Terms::default());
    let mut assert = |formula: &Expr| {
        let mut leaf = |op: &Op| {
            terms.variable(
                op,
                pair.sort(op, None, &Budget::default()).expect("what an obligation is about"),
            )
        };
        solver.assert(encode::formula(formula, &mut leaf));
    };
    premises.iter().chain([&goal]).for_each(&mut assert);
    if solve::check(&solver) != SatResult::Sat {
        return Ok(false);
    }
    for formula in pair.right(&Budget::default())? {
        let values: HashMap<&Op, &Expr> = values.iter().map(|(v, e)| (v, e)).collect();
        assert(&formula.substitute(|op| values.get(op).map(|value| value.0.clone())));
    }
    Ok(solve::check(&solver) == SatResult::Unsat)
}

/// The invariants, by z3, in one way or another.
fn search(
    pair: &Pair,
    copies: &Seq<u32>,
    hints: &[Hint],
    (work, control): (u32, &Control),
) -> Result<Vec<Expr>, Why> {
    let mut why = Unsolved::Fails;
    // Perhaps a hint is wrong.
    let hints: &[&[Hint]] = if hints.is_empty() { &[&[]] } else { &[hints, &[]] };
    for hints in hints {
        for settings in [Settings::Plain, Settings::Cores] {
            match System::new(pair, copies, (hints, settings), work)?.solve() {
                Ok(invariants) => return Ok(invariants),
                Err(unsolved) => why = unsolved,
            }
            if matches!(why, Unsolved::Fails) {
                break;
            }
        }
    }
    if let Some(found) = failing::shortest(pair, copies, control) {
        return Err(Why::Fails(Box::new(found)));
    }
    let hints: Vec<Expr> = hints.iter().copied().flatten().map(|(_, hint)| hint.clone()).collect();
    predicates::solve(pair, copies, &hints, control)
        .map_err(|by_predicates| Why::NoInvariants(why, by_predicates))
}

/// Refutes what the invariants leave to be shown.
fn complete(pair: &Pair, mut proof: Conformance, control: &Control) -> Result<Conformance, Why> {
    for obligation in obligations::conformance(pair, &proof, &Budget::default())? {
        let refutation = refute(&obligation, &control.stop);
        let open = |error| Why::Obligation(obligation.id, error);
        proof.refutations.push(refutation.map_err(open)?);
    }
    Ok(proof)
}

/// For each local of the abstract thread the global that it copies after each step.
fn copies(pair: &Pair) -> Result<Vec<u32>, Why> {
    let thread = &pair.abstraction;
    let steps: Vec<&Edge> =
        thread.edges.iter().filter(|e| pair.is_step(e, &Budget::default()) == Ok(true)).collect();
    let copied = |(j, local): (u32, &Variable)| {
        let globals = (0..).zip(&pair.shared).filter(|(_, g)| g.sort == local.sort);
        let mut globals = globals.map(|(g, _)| g);
        let found = globals.find(|g| steps.iter().all(|e| copies_global(e, j, *g)));
        found.ok_or_else(|| Why::Local { thread: thread.name.clone(), local: local.name.clone() })
    };
    (0..).zip(&thread.locals).map(copied).collect()
}

/// Whether an edge sets a local to the new value of a global.
fn copies_global(edge: &Edge, local: u32, global: u32) -> bool {
    let update = |op: &Op| edge.updates.iter().find(|(v, _)| v == op).map(|(_, value)| value);
    let own = Expr(vec![Op::Global(global)]);
    let value = update(&Op::Global(global)).unwrap_or(&own);
    update(&Op::Local(0, local)) == Some(value)
}

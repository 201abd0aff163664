//! From a universally quantified invariant to a proof space (Farzan, Kincaid, Podelski, Theorem
//! 5.2 and Proposition 6.14).
//!
//! A clause gives configurations: its threads at some locations, and one negated predicate, what
//! the clause says of their data. Each step of these by which the predicate may fail needs a
//! triple, whose precondition are instances of the invariant's predicates at the locations before
//! the step. That these hold, the completion shows by embeddings.

mod agenda;
mod clauses;
mod initial;
mod query;
mod state;
mod steps;

pub use initial::{no_initial_state, witness as initial_state};
pub use state::{Broken, Counterexample, State, Taken, Thread};

use crate::certify::hints::{self, CertifyError};
use crate::control::Control;
use crate::invariant::Invariant;
use agenda::Agenda;
use clauses::{Located, located};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use steps::{Missing, Outcome, Search};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::proof_space::automaton::Automaton;
use threadproof_checker::internals::proof_space::predicates::{FALSE, Predicates};
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::proof_space::Triple;
use threadproof_format::proof::proof_space::{
    Configuration, Impossible, InitialPredicate, Instance, Predicate, ProofSpace, Slot,
};
use threadproof_format::refutation::Refutation;
use threadproof_format::work::Seq;
use threadproof_format::{Cmp, Expr, Int, Op};

/// Why an invariant gives no proof.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// It does not hold at the start, or not after a step, or it does not exclude an error.
    Counterexample(Box<Counterexample>),
    /// A clause (by number) is about more different threads than a predicate can be.
    TooManyThreads(usize),
    /// z3 does not know whether a clause (by number; `None`: the exclusion of an error) is
    /// preserved.
    Unknown(Option<usize>),
    /// The completion of the proof failed.
    Completion(CertifyError),
    /// The invariant is not about this program, or over a limit.
    Refused(Reason),
    /// The caller asked to stop.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Counterexample(_) => f.write_str("the invariant is not inductive"),
            Failure::TooManyThreads(clause) => {
                write!(f, "clause {} mentions too many different threads", clause + 1)
            }
            Failure::Unknown(Some(clause)) => {
                write!(f, "z3 cannot decide whether clause {} is preserved", clause + 1)
            }
            Failure::Unknown(None) => {
                f.write_str("z3 cannot decide whether the errors are excluded")
            }
            Failure::Completion(error) => write!(f, "the proof could not be completed: {error}"),
            Failure::Refused(reason) => write!(f, "the checker does not accept it: {reason}"),
            Failure::Stopped => f.write_str("stopped"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Reason> for Failure {
    fn from(reason: Reason) -> Self {
        Failure::Refused(reason)
    }
}

/// Which clauses of an invariant have to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// All: one that does not hold is a failure.
    All,
    /// Those that exclude errors, and those that these need to be inductive.
    Needed,
}

/// The proof that an invariant gives. The result was checked, and the same input always gives the
/// same proof.
///
/// # Errors
/// Why there is none; see [`Failure`].
pub fn certify(
    program: &Program,
    invariant: &Invariant,
    extent: Extent,
    control: &Control,
) -> Result<ProofSpace, Failure> {
    let mut counted = BTreeSet::new();
    let draft = loop {
        let list = located(program, invariant, &counted)?;
        match draft(program, list, extent, control)? {
            Ok(draft) => break draft,
            // The template's locations are told by slots only until a step without a slot needs
            // them.
            Err(single) => drop(counted.insert(single)),
        }
    };
    hints::complete(program, draft, control).map_err(|error| match error {
        CertifyError::Stopped => Failure::Stopped,
        error => Failure::Completion(error),
    })
}

/// The proof of what an invariant says, without hints and refutations; or (`Err`) a single template
/// that has to be counted.
fn draft(
    program: &Program,
    mut list: Vec<Located>,
    extent: Extent,
    control: &Control,
) -> Result<Result<ProofSpace, u32>, Failure> {
    list.sort_by_key(|l| (l.clause, l.slots.len()));
    let mut vocabulary = Vocabulary::default();
    let numbers: Vec<u32> =
        list.iter().map(|l| vocabulary.number(predicate_of(program, l))).collect();
    let mut entries: Vec<(Located, u32)> = list.into_iter().zip(numbers).collect();
    let axioms = axioms(program, &mut vocabulary);
    let predicates = Predicates::new(program, &vocabulary.list, &Budget::default());
    let predicates = predicates.map_err(|failure| Failure::Refused(failure.reason))?;
    let all = extent == Extent::All;
    // A clause that is wrong from the start is reported as that.
    let early = all.then(|| initial::holding(program, &predicates, &entries)).transpose()?;
    let mut search = Search::new(program, &predicates, control)?;
    let configurations = loop {
        let mut configurations: Vec<Configuration> =
            entries.iter().map(|(l, predicate)| configuration(program, l, *predicate)).collect();
        let mut agenda = Agenda::new(entries.len(), all);
        match search.run(&entries, &configurations, &axioms, &mut agenda)? {
            Outcome::Done => {
                agenda.keep_needed(&mut configurations);
                agenda.keep_needed(&mut entries);
                break configurations;
            }
            Outcome::Missing(Missing::Slot(entry, slot)) => {
                locate(program, &mut entries, entry, slot);
            }
            Outcome::Missing(Missing::Single(of)) => return Ok(Err(of)),
        }
    };
    let initial = match early {
        Some(initial) => initial,
        None => initial::holding(program, &predicates, &entries)?,
    };
    let refutation = Refutation::default();
    let impossible = axioms.into_iter().map(|c| Impossible {
        threads: c.threads,
        negated: c.negated,
        refutation: refutation.clone(),
    });
    let initial = initial.into_iter();
    let initial =
        initial.map(|predicate| InitialPredicate { predicate, refutation: refutation.clone() });
    Ok(Ok(ProofSpace {
        impossible: impossible.collect(),
        basis: search.basis(),
        initial: initial.collect(),
        witness: initial::witness(program),
        predicates: vocabulary.list,
        error_steps: Vec::new(),
        configurations,
    }))
}

/// The predicates so far.
#[derive(Default)]
struct Vocabulary {
    list: Vec<Predicate>,
    numbers: HashMap<Predicate, u32>,
}

impl Vocabulary {
    fn number(&mut self, predicate: Predicate) -> u32 {
        if predicate.threads.is_empty() && predicate.formula == Expr::bool(false) {
            return FALSE;
        }
        let next = u32::try_from(self.list.len() + 1).unwrap_or(u32::MAX);
        let list = &mut self.list;
        *self.numbers.entry(predicate).or_insert_with_key(|predicate| {
            list.push(predicate.clone());
            next
        })
    }
}

/// A predicate is about all threads of its configuration, also those that its formula does not
/// name, so that a triple's precondition may be about them (Definition 4.2, condition 2).
fn predicate_of(program: &Program, located: &Located) -> Predicate {
    let threads = located.slots.iter().map(|slot| slot.0).filter(|of| is_many(program, *of));
    Predicate { formula: located.formula.clone(), threads: threads.collect() }
}

fn is_many(program: &Program, of: u32) -> bool {
    let template = usize::try_from(of).ok().and_then(|t| program.templates.get(t));
    template.is_some_and(Template::is_many)
}

fn configuration(program: &Program, located: &Located, predicate: u32) -> Configuration {
    let many = (0..).zip(&located.slots).filter(|(_, slot)| is_many(program, slot.0));
    let all = many.map(|(slot, _)| slot).collect();
    let negated = if predicate == FALSE { Vec::new() } else { vec![Instance(predicate, all)] };
    Configuration { threads: located.slots.clone(), negated, steps: Vec::new() }
}

/// The location axiom (SPEC.md section 8.8) for each counter that some predicate or guard mentions:
/// m threads are there, but fewer are counted. No successor has more threads than a predicate's,
/// and one. Of a single template that has such a counter it takes all: where its thread is, it is
/// not elsewhere.
fn axioms(program: &Program, vocabulary: &mut Vocabulary) -> Vec<Configuration> {
    let edges = program.templates.iter().flat_map(|t| &t.edges);
    let commands = edges.flat_map(|e| e.updates.iter().map(|u| &u.1).chain([&e.guard]));
    let formulas = vocabulary.list.iter().map(|p| &p.formula);
    let mut counters: BTreeSet<(u32, u32)> = commands
        .chain(formulas)
        .flat_map(|formula| &formula.0)
        .filter_map(|op| match op {
            Op::Count(of, location) => Some((*of, *location)),
            _ => None,
        })
        .collect();
    for (of, template) in (0..).zip(&program.templates).filter(|(_, t)| !t.is_many()) {
        if counters.iter().any(|(counted, _)| *counted == of) {
            let all = (0..).zip(&template.locations).map(|(location, _)| location);
            counters.extend(all.filter(|l| template.counts(*l)).map(|location| (of, location)));
        }
    }
    let most = vocabulary.list.iter().map(|p| p.threads.len()).max().unwrap_or(0) + 1;
    let mut list = Vec::new();
    for (of, location) in counters {
        for threads in 1..=if is_many(program, of) { most } else { 1 } {
            let formula =
                vec![Op::Count(of, location), Op::Int(Int(threads.into())), Op::Cmp(Cmp::Ge)];
            let formula = Expr(formula);
            let predicate = vocabulary.number(Predicate { formula, threads: Vec::new() });
            let threads = vec![Slot(of, Some(location)); threads];
            let negated = vec![Instance(predicate, Vec::new())];
            list.push(Configuration { threads, negated, steps: Vec::new() });
        }
    }
    list
}

/// Replaces an entry by one for each location of a slot that had none.
fn locate(program: &Program, entries: &mut Vec<(Located, u32)>, entry: usize, slot: usize) {
    let (located, predicate) = entries.remove(entry);
    let of = usize::try_from(located.slots[slot].0).unwrap_or(usize::MAX);
    let locations = program.templates.get(of).map(|t| (0..).zip(&t.locations));
    let clean = locations.into_iter().flatten().filter(|(_, l)| !l.error);
    let placed = clean.map(|(l, _)| {
        let mut located = located.clone();
        located.slots[slot].1 = Some(l);
        (located, predicate)
    });
    let placed: Vec<_> = placed.collect();
    entries.splice(entry..entry, placed);
}

/// The automaton of no triples: its frames are those of every basis.
fn frames<'a>(program: &'a Program, predicates: &'a Predicates) -> Result<Automaton<'a>, Reason> {
    static NONE: Seq<Triple> = Seq::new();
    Automaton::new(program, predicates, &NONE, &Budget::default())
}

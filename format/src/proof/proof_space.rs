//! Proof spaces with an emptiness certificate (SPEC.md section 8; Farzan, Kincaid, Podelski,
//! "Proof Spaces for Unbounded Parallelism", Definitions 4.2, 4.3, 6.2 and 6.12).

use super::Witness;
use crate::work::Seq;
use crate::{Expr, refutation::Refutation};
use serde::{Deserialize, Serialize};

/// A proof that no error location is reached, for any number of threads. The default is empty: no
/// proof, but of a program that cannot go wrong.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct ProofSpace {
    /// The basis: Hoare triples over one command each.
    pub basis: Seq<Triple>,
    /// Predicates that the initial condition entails for all threads, ascending.
    pub initial: Seq<InitialPredicate>,
    /// An initial state, if one was found: the proof is not vacuous.
    pub witness: Witness,
    /// Configurations that no state satisfies; numbered on from `configurations`.
    pub impossible: Seq<Impossible>,
    /// Predicates 1, 2, ...; predicate 0 is `false` and not listed.
    pub predicates: Seq<Predicate>,
    /// Hints of the error configurations, in the order of SPEC.md section 8.4.
    pub error_steps: Seq<StepHints>,
    /// The emptiness certificate's configurations.
    pub configurations: Seq<Configuration>,
}

/// A formula about the threads at positions 0, 1, ..., each of a template with many threads.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// Formula over globals and locals of the positions.
    pub formula: Expr,
    /// Template of each position: indices into `Program::templates`.
    pub threads: Seq<u32>,
}

/// A predicate about given threads.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord))]
pub struct Instance(
    /// Predicate number; 0 is `false`.
    pub u32,
    /// The thread of each of the predicate's positions, all different.
    pub Seq<u32>,
);

/// A basic Hoare triple {pre} (edge : acting thread) {post} (Definition 4.2).
///
/// Threads: 0 is the acting thread if the edge's template has many threads. The others are
/// numbered 1, 2, ... as they occur in the postcondition.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Triple {
    /// Conjuncts of the precondition, ascending.
    pub pre: Seq<Instance>,
    /// Edge: an index into the template's edges.
    pub edge: u32,
    /// The postcondition's predicate.
    pub post: u32,
    /// Which argument of the postcondition is the acting thread, counted from 1; 0: none.
    pub acting: u32,
    /// Template of the edge.
    pub template: u32,
    /// Why pre, guard and the negated post after the updates contradict each other.
    pub refutation: Refutation,
}

/// A predicate that holds at the start.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct InitialPredicate {
    /// The predicate.
    pub predicate: u32,
    /// Why the initial condition and its negation contradict each other.
    pub refutation: Refutation,
}

/// A configuration of the automaton (Definition 6.2): "these threads are at these locations and
/// none of these predicates holds". It has `false` among its negated predicates by itself.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// Hints for the steps that need them, in the order of SPEC.md section 8.4.
    pub steps: Seq<StepHints>,
    /// Negated predicates over slots, ascending.
    pub negated: Seq<Instance>,
    /// Slots: different threads.
    pub threads: Seq<Slot>,
}

/// A configuration that contradicts itself: its negated predicates, and how many threads are at
/// its locations at least (the location axiom, section 8.8).
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Impossible {
    /// Negated predicates over slots, ascending.
    pub negated: Seq<Instance>,
    /// Slots: different threads.
    pub threads: Seq<Slot>,
    /// Why the negated predicates and the counts contradict each other.
    pub refutation: Refutation,
}

/// A thread of a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Slot(
    /// Template.
    pub u32,
    /// Location, if it is fixed.
    pub Option<u32>,
);

/// What closes one step of a configuration: branches in depth-first order.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(transparent)]
pub struct StepHints(pub Seq<Hint>);

/// One hint.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Hint {
    /// A configuration, and the successor's thread for each of its slots: by this embedding one
    /// more predicate must hold, or the branch is closed.
    #[serde(rename = "e")]
    Embed(u32, Seq<u32>),
    /// Case split: first the branch in which this predicate does not hold, then the other.
    #[serde(rename = "s")]
    Split(Instance),
}

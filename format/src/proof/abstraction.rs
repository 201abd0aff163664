//! Layers of abstraction (SPEC.md section 12; Lahiri, Malkis, Qadeer, "Abstract Threads", Section
//! 3).

use super::Witness;
use crate::work::{Name, Seq};
use crate::{Digest, Expr, refutation::Refutation};
use serde::{Deserialize, Serialize};

/// A program that abstracts another one, template by template: if it is safe, the other one is.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// For each template of the concrete program, the number of the abstract program's template
    /// whose threads stand for its threads. Several may come to one template `many`.
    pub to: Seq<u32>,
    /// For each template of the concrete program, how it relates to that one.
    pub parts: Seq<Part>,
    /// Digest of the abstract program.
    pub program: Digest,
    /// An initial state of the concrete program, if one was found.
    pub witness: Witness,
    /// The abstract program's tokens, each followed by a line feed: what `program` is the digest
    /// of.
    pub statement: Name,
}

/// How a template relates to the abstract program's.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Part {
    /// It is the same.
    #[serde(rename = "kept")]
    Kept,
    /// It conforms to it.
    #[serde(rename = "abstracted")]
    Abstracted(Conformance),
}

/// That the conformance checker C(T, T#) of a template T and an abstract one T# has no failing
/// execution: an inductive invariant over T's locals and the set F of candidates, the locations of
/// T# where the abstract thread may be.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Conformance {
    /// For each local of T#, the global whose value after the thread's last step it holds.
    pub copies: Seq<u32>,
    /// For each location of T that is no error location, a formula: T's locals are at position 0,
    /// at position 1 is a truth value for each location of T# (whether it is a candidate), at
    /// position 2 T#'s locals.
    pub invariants: Seq<Expr>,
    /// Why they are inductive and exclude failure, in the order of SPEC.md section 12.3.
    pub refutations: Seq<Refutation>,
}

//! Refutations: why a list of formulas is unsatisfiable (SPEC.md section 6).

use crate::Int;
use crate::work::Seq;
use serde::{Deserialize, Serialize};

/// A literal: the variable's number in the clausal form (from 1), negative when negated.
pub type Lit = i32;

/// An integer linear form `sum of coefficient * leaf + constant` over leaves of the clausal form.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// The constant.
    #[serde(rename = "c")]
    pub constant: Int,
    /// Leaf number and coefficient, ascending by leaf, no zero coefficient.
    #[serde(rename = "t")]
    pub terms: Seq<(u32, Int)>,
}

/// One step. Each but `Atom` adds a clause, numbered on from the obligation's own clauses.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Step {
    /// Introduces the atom `form <= 0` (for branching), so that later steps can name it.
    #[serde(rename = "a")]
    Atom(Linear),
    /// A linear arithmetic lemma: these literals' negations are contradictory.
    #[serde(rename = "f")]
    Farkas(Farkas),
    /// The clause "i < j, or i > j, or read = value" of a read over a write.
    #[serde(rename = "h")]
    ReadHit(Read),
    /// The clause "i = j or read = read before the write", once for each order of i and j.
    #[serde(rename = "m")]
    ReadMiss(Read),
    /// The clause "i < j, or i > j, or the two reads are equal" of two reads of one array.
    #[serde(rename = "r")]
    Congruence(Congruence),
    /// A clause by unit propagation through the hinted clauses.
    #[serde(rename = "u")]
    Propagate(Propagate),
}

/// A linear arithmetic lemma (Farkas' lemma with Chvatal-Gomory cuts).
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Farkas {
    /// The clause, strictly ascending.
    #[serde(rename = "l")]
    pub clause: Seq<Lit>,
    /// Non-negative combinations: (constraint, multiplier). Constraint i below the clause's length
    /// is the negation of its i-th literal, the others are earlier combinations, which are
    /// divided by the common divisor of their coefficients and rounded. The last must be a
    /// contradiction `positive constant <= 0`.
    #[serde(rename = "s")]
    pub sums: Seq<Seq<(u32, Int)>>,
}

/// A lemma about the leaf `select(store(a, i, v), j)`.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Which of the lemma's clauses: see `checker::refute::arrays`.
    #[serde(rename = "c")]
    pub case: u8,
    /// The leaf's number in the clausal form.
    #[serde(rename = "l")]
    pub leaf: u32,
}

/// A lemma about two leaves that read one array.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Congruence {
    /// Which of the lemma's clauses: see `checker::refute::arrays`.
    #[serde(rename = "c")]
    pub case: u8,
    /// The first leaf.
    #[serde(rename = "l")]
    pub left: u32,
    /// The second leaf, above the first.
    #[serde(rename = "r")]
    pub right: u32,
}

/// A clause that follows by unit propagation.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Propagate {
    /// Clauses in the order in which they become unit; the last one is the conflict.
    #[serde(rename = "h")]
    pub hints: Seq<u32>,
    /// The clause, strictly ascending.
    #[serde(rename = "l")]
    pub clause: Seq<Lit>,
}

/// A refutation. Its last step derives the empty clause.
#[derive(Debug, Default, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(transparent)]
pub struct Refutation(pub Seq<Step>);

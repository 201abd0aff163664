//! Obligations: what proofs of all kinds leave to be refuted.

use crate::error::{Budget, Reason};
use crate::sorts::sorts;
use std::fmt;
use threadproof_format::work::{List as _, Map, Seq};
use threadproof_format::{Expr, Op, Sort};

/// What an obligation is for: a part of the proof, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObligationId {
    /// A triple of a basis is valid (SPEC.md section 8.2).
    Triple(usize),
    /// A predicate holds at the start: its number in the list of those that do (8.5).
    Initial(usize),
    /// An impossible configuration: its number among all configurations (8.8).
    Configuration(usize),
    /// A thread and its abstract thread begin alike (12.3.2).
    Start,
    /// A location of a thread always has a candidate (12.3.3).
    Location(usize),
    /// An edge of a thread is a step of its abstract thread (12.3.4, 12.3.5).
    Edge(usize),
}

/// The place in the proof.
impl fmt::Display for ObligationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ObligationId::Triple(i) => write!(f, "triple {i}"),
            ObligationId::Initial(i) => write!(f, "initial predicate {i}"),
            ObligationId::Configuration(i) => write!(f, "configuration {i}"),
            ObligationId::Start => f.write_str("start"),
            ObligationId::Location(i) => write!(f, "location {i}"),
            ObligationId::Edge(i) => write!(f, "edge {i}"),
        }
    }
}

/// Formulas to be shown unsatisfiable together.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone))]
pub struct Obligation {
    /// What it is for.
    pub id: ObligationId,
    /// Sorts of the variables and inputs that occur.
    pub sorts: Map<Op, Sort>,
    /// The formulas.
    pub formulas: Seq<Expr>,
}

impl Obligation {
    /// An obligation about formulas; `sort` says the sorts of what they mention.
    pub(crate) fn new(
        id: ObligationId,
        formulas: Seq<Expr>,
        sort: impl Fn(&Op) -> Result<Sort, Reason>,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let sorts = sorts(formulas.walk(budget)?, budget, sort)?;
        Ok(Obligation { id, sorts, formulas })
    }
}

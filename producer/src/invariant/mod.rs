//! Universally quantified (Ashcroft) invariants: what a person or a solver says of all reachable
//! states, and what every proof space reads as (Farzan, Kincaid, Podelski, Theorem 5.2).

pub mod export;
mod lemma;
mod operand;
mod parse;
pub mod print;

pub use lemma::Lemma;
pub use parse::parse;

use crate::logic::rewrite::Rewrite as _;
use std::collections::BTreeSet;
use threadproof_format::{Expr, Op};

/// A conjunction of clauses. It speaks of the states in which no thread is at an error location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    /// The clauses.
    pub clauses: Vec<Clause>,
}

/// A formula about all choices of threads; one thread may be chosen more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The template of each quantified thread, all with many threads.
    pub threads: Vec<u32>,
    /// What holds of them.
    pub formula: Assertion,
}

/// A Boolean combination of conditions on data, on locations and on which threads are the same.
///
/// In *normal form*, which the constructors [`Assertion::all`], [`Assertion::any`] and
/// [`Assertion::negate`] give: constants occur only alone, a conjunction has two parts at least,
/// none of which is a conjunction, no two neighbours of which are data; disjunctions likewise; no
/// data and no negation is negated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// A formula over globals, counters and locals of the quantified threads, whose numbers are
    /// the positions.
    Data(Expr),
    /// A quantified thread (by number) is at one of these locations.
    At(u32, BTreeSet<u32>),
    /// The thread of a single template is at one of these locations.
    SingleAt(u32, BTreeSet<u32>),
    /// Two quantified threads are the same.
    Same(u32, u32),
    /// It does not hold.
    Not(Box<Assertion>),
    /// All hold.
    And(Vec<Assertion>),
    /// One holds.
    Or(Vec<Assertion>),
}

impl Assertion {
    /// A truth value.
    pub fn constant(value: bool) -> Self {
        Assertion::Data(Expr::bool(value))
    }

    /// Its truth value, if it is a constant.
    pub fn value(&self) -> Option<bool> {
        match self {
            Assertion::Data(Expr(ops)) => match ops[..] {
                [Op::Bool(value)] => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The conjunction.
    pub fn all(parts: impl IntoIterator<Item = Assertion>) -> Self {
        Self::join(parts, true)
    }

    /// The disjunction.
    pub fn any(parts: impl IntoIterator<Item = Assertion>) -> Self {
        Self::join(parts, false)
    }

    /// The negation.
    #[must_use]
    pub fn negate(self) -> Self {
        if let Some(value) = self.value() {
            return Self::constant(!value);
        }
        match self {
            Assertion::Data(formula) => Assertion::Data(formula.negate()),
            Assertion::Not(inner) => *inner,
            other => Assertion::Not(Box::new(other)),
        }
    }

    /// `self` implies `conclusion`.
    #[must_use]
    pub fn implies(self, conclusion: Assertion) -> Self {
        Self::any([self.negate(), conclusion])
    }

    fn join(parts: impl IntoIterator<Item = Assertion>, all: bool) -> Self {
        let mut list = Vec::new();
        for part in parts {
            match part.value() {
                Some(value) if value == all => {}
                Some(_) => return part,
                None => match (part, all) {
                    (Assertion::And(inner), true) | (Assertion::Or(inner), false) => {
                        inner.into_iter().for_each(|part| append(&mut list, part, all));
                    }
                    (part, _) => append(&mut list, part, all),
                },
            }
        }
        match list.pop() {
            None => Self::constant(all),
            Some(only) if list.is_empty() => only,
            Some(last) => {
                list.push(last);
                if all { Assertion::And(list) } else { Assertion::Or(list) }
            }
        }
    }

    /// The same with each part that is no connective replaced by what `f` gives (`None`: left as it
    /// is), in normal form again.
    #[must_use]
    pub fn replace(&self, f: &mut dyn FnMut(&Assertion) -> Option<Assertion>) -> Self {
        match self {
            Assertion::Not(inner) => inner.replace(f).negate(),
            Assertion::And(parts) => Self::all(parts.iter().map(|part| part.replace(f))),
            Assertion::Or(parts) => Self::any(parts.iter().map(|part| part.replace(f))),
            part => f(part).unwrap_or_else(|| part.clone()),
        }
    }
}

/// Adds a part to a conjunction (`all`) or disjunction; data joins data before it.
fn append(list: &mut Vec<Assertion>, part: Assertion, all: bool) {
    match (list.last_mut(), part) {
        (Some(Assertion::Data(before)), Assertion::Data(formula)) => {
            before.0.extend(formula.0);
            before.0.push(if all { Op::And } else { Op::Or });
        }
        (_, part) => list.push(part),
    }
}

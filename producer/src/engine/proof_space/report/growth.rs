//! The watchdog: predicates that grow from one refinement to the next are a sign that the
//! search diverges, as it does when a proof has to count threads.

use crate::logic::model::Facts;
use crate::logic::predicates::Predicate;
use num_bigint::BigInt;
use num_traits::Signed;
use threadproof_format::{Expr, Op};

/// Threads of a predicate in a first turn; each later turn allows one more.
pub const THREADS: usize = 3;

/// How far constants may exceed the program's in a first turn; each later turn allows as much
/// again.
const CONSTANTS: usize = 8;

/// Comparisons in a predicate in a first turn; each later turn allows as many again.
pub const COMPARISONS: usize = 6;

/// What new predicates are measured against.
pub struct Watchdog {
    /// The greatest absolute value of a constant in the program.
    constant: BigInt,
}

impl Watchdog {
    /// For a program.
    pub fn new(facts: &Facts) -> Self {
        let templates = &facts.program.templates;
        let edges = templates.iter().flat_map(|t| &t.edges);
        let edges = edges.flat_map(|e| {
            std::iter::once(&e.guard).chain(e.updates.iter().map(|(_, value)| value))
        });
        let init = templates.iter().map(|t| &t.init).chain([&facts.program.init]);
        let constant = edges.chain(init).map(greatest).max().unwrap_or_default();
        Watchdog { constant }
    }

    /// Whether a predicate has a constant that is greater than the program's.
    pub fn is_beyond(&self, predicate: &Predicate) -> bool {
        greatest(&predicate.expr) > self.constant
    }

    /// Why a predicate is too large for a turn, if it is.
    pub fn growth(&self, predicate: &Predicate, turn: usize) -> Option<&'static str> {
        if predicate.threads.len() > THREADS + turn {
            return Some("the predicates mention more and more threads");
        }
        let room = BigInt::from(CONSTANTS * (turn + 1));
        if greatest(&predicate.expr) > &self.constant * 2 + room {
            return Some("the constants grow: the proof may need a count of threads");
        }
        if comparisons(&predicate.expr) > COMPARISONS * (turn + 1) {
            return Some("the predicates grow");
        }
        None
    }
}

/// How many comparisons an expression has.
pub fn comparisons(expr: &Expr) -> usize {
    expr.0.iter().filter(|op| matches!(op, Op::Cmp(_))).count()
}

/// The greatest absolute value of a constant in an expression.
fn greatest(expr: &Expr) -> BigInt {
    let constants = expr.0.iter().filter_map(|op| match op {
        Op::Int(value) | Op::Scale(value) => Some(value.0.abs()),
        _ => None,
    });
    constants.max().unwrap_or_default()
}

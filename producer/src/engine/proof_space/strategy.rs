//! Ways to look for a proof of a trace.

use crate::counting::candidates::Level;
use crate::trace::Kind;

/// What the derivation of a trace's proof tries.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// Name, for reports and the command line.
    pub name: &'static str,
    /// Whether known predicates are tried before new ones.
    pub reuse: bool,
    /// Whether difference bounds are tried before the weakest precondition.
    pub templates: bool,
    /// Whether `a != b` is strengthened to `a < b` or `a > b` where the trace says which.
    pub order: bool,
    /// Whether predicates may get dummy threads, so that preconditions can be about other threads.
    /// Of the proofs for the different relaxations the one with the fewest new formulas is taken.
    pub dummies: bool,
    /// Whether a trace is cut to its shortest infeasible prefix before it is relaxed.
    pub cut_first: bool,
    /// Whether relaxation starts at the end of the trace.
    pub latest_first: bool,
    /// Whether threads are counted, and which invariants about counters are looked for first.
    pub counters: Option<Level>,
    /// Whether it waits until the others have had their first turn.
    pub late: bool,
    /// What z3 may do in its glimpse of a program that divides, in z3's own unit.
    pub glimpse: u32,
    /// The pieces of a trace that are relaxed, the most relaxed choice first.
    pub relaxations: Vec<Vec<Kind>>,
}

impl Strategy {
    /// The strategies, in the order in which they are tried.
    pub fn portfolio() -> Vec<Strategy> {
        use Kind::{Assume, Initial, SelfUpdate, Update};
        let relaxations =
            vec![vec![Initial, SelfUpdate, Update, Assume], vec![Initial, SelfUpdate], vec![]];
        let bounds = Strategy {
            name: "difference bounds",
            reuse: true,
            templates: true,
            order: true,
            dummies: false,
            cut_first: false,
            latest_first: false,
            counters: None,
            late: false,
            glimpse: 3_000_000,
            relaxations,
        };
        let cut = Strategy {
            name: "difference bounds for shortest prefixes",
            cut_first: true,
            late: true,
            glimpse: 0,
            ..bounds.clone()
        };
        let weakest = Strategy {
            name: "weakest preconditions",
            templates: false,
            order: false,
            late: true,
            glimpse: 1_000_000,
            ..bounds.clone()
        };
        let dummies = Strategy {
            name: "difference bounds with dummy threads",
            dummies: true,
            late: false,
            relaxations: vec![vec![Initial, SelfUpdate], vec![Initial, SelfUpdate, Update, Assume]],
            ..cut.clone()
        };
        let one = Strategy {
            name: "counters and affine equalities",
            counters: Some(Level::One),
            glimpse: 1_000_000,
            ..bounds.clone()
        };
        let two = Strategy {
            name: "counters and guards",
            counters: Some(Level::Two),
            glimpse: 0,
            ..bounds.clone()
        };
        vec![bounds, one, two, dummies, cut, weakest]
    }
}

//! Linear integer arithmetic with evidence: Farkas multipliers, cuts, branches, or a solution.

pub mod hermite;
pub mod integers;
pub mod number;
pub mod simplex;

//! Refutations (SPEC.md sections 5 and 6). The program has one edge, to the error location; the
//! proof is that its guard has no solution. So a trap that "refutes" a guard with a solution claims
//! what is false, and the solution stands beside it as a counterexample.

mod arrays;
mod clauses;
mod good;
mod guard;
mod linear;

use super::Arena;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    good::add(arena);
    linear::add(arena);
    clauses::add(arena);
    linear::atoms(arena);
    arrays::add(arena);
}

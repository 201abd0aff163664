//! Front ends, proof search and solvers. Untrusted: whatever is written here is checked before
//! it is given out.

pub mod abstraction;
pub mod certify;
pub mod command;
pub mod engine;
pub mod explain;
pub mod frontend;
pub mod instances;
pub mod invariant;
pub mod join;
pub mod portfolio;
pub mod prove;
pub mod report;
pub mod smtlib;
pub mod solve;
pub mod suggest;

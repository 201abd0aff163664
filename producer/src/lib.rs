//! Front ends, proof search and solvers. Untrusted: whatever is written here is checked before
//! it is given out.

pub mod certify;
pub mod command;
pub mod control;
pub mod counting;
pub mod engine;
pub mod explain;
pub mod frontend;
pub mod invariant;
pub mod logic;
pub mod prove;
pub mod report;
pub mod smtlib;
pub mod solve;
pub mod source;
pub mod text;
pub(crate) mod trace;
pub mod transform;

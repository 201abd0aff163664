//! The proof of an infeasible trace: relaxed, then derived backwards, one conjunct at a time.

pub mod alike;
pub mod derive;
pub mod relax;
mod templates;
pub mod weakest;
pub mod widths;

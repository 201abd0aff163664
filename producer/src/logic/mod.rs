//! What every search says and asks: formulas in a normal form, programs as transition systems,
//! predicates and the validity of triples; names and text of the core form.

pub mod basis;
pub mod convert;
pub mod counters;
pub mod formula;
pub(crate) mod linear;
pub mod model;
pub(crate) mod names;
pub mod operators;
pub mod predicates;
pub mod print;
pub mod rewrite;
pub mod steps;
pub mod sum;
pub mod validity;

//! The language `.tp` read a second time, from docs/language.md alone: a parser, an interpreter on
//! explicit states, and a generator of random programs. It shares no code with the front end, whose
//! core programs are compared with it.

pub mod abstraction;
pub mod ast;
mod control;
pub mod generate;
pub mod interpret;
pub mod parse;
mod print;
pub mod shrink;
mod state;
mod statement;
mod values;

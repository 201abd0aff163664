//! C, as docs/c.md says that it is modelled, a second time: a syntax tree, an interpreter that was
//! written from the C standard, and a generator of random programs. It shares no code with the
//! front end, whose core programs are compared with it.

pub mod ast;
pub mod calls;
pub mod code;
pub mod compile;
pub mod core;
mod escape;
pub mod generate;
pub mod integer;
mod library;
pub mod machine;
mod operand;
pub mod print;
mod thread;

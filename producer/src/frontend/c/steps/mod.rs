//! The intermediate form: commands and the control-flow automata of threads.

pub(crate) mod builder;
pub(crate) mod command;
pub(crate) mod compute;
pub(crate) mod graph;
pub(crate) mod path;
pub(crate) mod thread_graph;
pub(crate) mod variable;

//! A thread template before it is reduced: its automaton, variables and accesses.

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::Graph;
use crate::frontend::c::steps::variable::Variable;
use threadproof_format::Op;

/// An access to a cell of a shared variable.
#[derive(Clone, Debug)]
pub(crate) struct DataAccess {
    /// The location before it.
    pub node: usize,
    pub when: Command,
    /// The number of the shared variable.
    pub variable: u32,
    /// The cell's number in it, from 1.
    pub cell: Vec<Op>,
    pub write: bool,
    /// Of an atomic type, by an atomic function, or in an atomic section.
    pub atomic: bool,
    /// Notes of the announcement and of the error.
    pub notes: [String; 2],
    pub at: usize,
}

/// The graph of a template, before it is finished.
pub(crate) struct ThreadGraph {
    pub name: String,
    pub many: bool,
    pub graph: Graph,
    pub variables: Vec<Variable>,
    /// Accesses to shared variables, if races are checked.
    pub accesses: Vec<DataAccess>,
    /// Edges that create threads.
    pub creations: Vec<usize>,
}

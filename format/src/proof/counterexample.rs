//! Counterexamples: executions that the checker replays (SPEC.md section 9).

use crate::Int;
use crate::work::Seq;
use serde::{Deserialize, Serialize};

/// A value.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
pub enum Value {
    /// Of sort Int.
    #[serde(rename = "i")]
    Int(Int),
    /// Of sort Bool.
    #[serde(rename = "b")]
    Bool(bool),
    /// Of sort IntArray: the default, then the other entries, ascending by index.
    #[serde(rename = "ia")]
    IntArray(Int, Seq<(Int, Int)>),
    /// Of sort BoolArray: the default, then the other entries, ascending by index.
    #[serde(rename = "ba")]
    BoolArray(bool, Seq<(Int, bool)>),
}

/// An initial state: values of the globals, and of the locals of each thread.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct State {
    /// One value for each of `Program::globals`.
    pub globals: Seq<Value>,
    /// The threads, ascending by template; at most one of a single template.
    pub threads: Seq<Thread>,
}

/// A thread of a state.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// One value for each of the template's locals.
    pub locals: Seq<Value>,
    /// Template.
    pub template: u32,
}

/// An execution that ends with a thread at an error location.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Counterexample {
    /// The state at the start, with every thread that acts and no other.
    pub start: State,
    /// The steps in order.
    pub schedule: Seq<Move>,
}

/// One step of an execution.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq))]
#[serde(deny_unknown_fields)]
pub struct Move {
    /// Edge: an index into the template's edges.
    pub edge: u32,
    /// One value for each of the edge's inputs.
    pub inputs: Seq<Value>,
    /// The acting thread: an index into the start state's threads.
    pub thread: u32,
}

//! The state of the thread that is being lowered.

use crate::frontend::c::facts::Site;
use crate::frontend::c::steps::thread_graph::DataAccess;
use crate::frontend::c::types::Type;
use std::collections::{BTreeSet, HashMap};
use threadproof_format::Op;

/// The body that is being lowered: of the thread or of a function that is inlined.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub function: String,
    /// What takes the result.
    pub result: Option<(Op, Type)>,
    /// The object that takes the result, if it is a structure.
    pub structure: Option<usize>,
    pub end: usize,
    pub breaks: Vec<usize>,
    pub continues: Vec<usize>,
    pub labels: HashMap<String, usize>,
    /// Labels that stand somewhere.
    pub placed: BTreeSet<String>,
    /// For each open `switch`: places of its labels and their nodes.
    pub cases: Vec<HashMap<usize, usize>>,
}

/// What is inlined in the thread at work.
#[derive(Default)]
pub(crate) struct Inlined {
    /// The body at work.
    pub frame: Frame,
    /// Results of functions.
    pub results: HashMap<String, Op>,
}

/// The thread at work.
#[derive(Default)]
pub(crate) struct Thread {
    pub number: usize,
    pub many: bool,
    /// The functions of the threads that led to its creation, and its own.
    pub chain: Vec<String>,
    /// Its number, if it is one of many.
    pub own: Option<Op>,
    /// What takes the thread's result, and its type.
    pub result: Option<(Op, Type)>,
    /// Where the thread ends.
    pub end: usize,
    /// Allocations: the edge's number and the place.
    pub allocations: Vec<(usize, usize)>,
    /// Creations: the edge's number and the site.
    pub creations: Vec<(usize, Site)>,
    /// Accesses to shared variables, if races are checked.
    pub accesses: Vec<DataAccess>,
}

//! The state of the thread that is being lowered.

use crate::frontend::c::check::assertions::Copies;
use crate::frontend::c::steps::graph::{Graph, Node};
use crate::frontend::c::steps::thread_graph::DataAccess;
use crate::frontend::c::steps::variable::Variable;
use crate::frontend::c::threads::Site;
use crate::frontend::c::types::Type;
use lang_c::ast::Initializer;
use std::collections::{BTreeMap, BTreeSet, HashMap};
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

/// The thread at work.
#[derive(Default)]
pub(crate) struct Thread {
    pub number: usize,
    pub many: bool,
    pub chain: Vec<String>,
    pub graph: Graph,
    pub current: usize,
    /// The thread's own variables.
    pub variables: Vec<Variable>,
    /// Its objects by the places of their declarations.
    pub objects: BTreeMap<usize, usize>,
    /// Temporary variables, and how many of them are in use.
    pub temporaries: Vec<Op>,
    pub used: usize,
    pub frame: Frame,
    /// What takes the thread's result, and its type.
    pub result: Option<(Op, Type)>,
    /// Allocations: the edge's number and the place.
    pub allocations: Vec<(usize, usize)>,
    /// Its number, if it is one of many.
    pub own: Option<Op>,
    /// The rounds of unrolled loops that are at work: the loop's place, and which round it is.
    pub rounds: Vec<[usize; 2]>,
    /// The calls that are being inlined.
    pub calls: Vec<(String, usize)>,
    /// Where the thread ends.
    pub end: usize,
    /// Error locations by their kinds and places.
    pub errors: BTreeMap<(String, usize), usize>,
    /// Assertions that have been lowered.
    pub copies: Copies,
    /// Accesses to shared variables, if races are checked.
    pub accesses: Vec<DataAccess>,
    /// Creations: the edge's number and the site.
    pub creations: Vec<(usize, Site)>,
    /// Results of functions.
    pub results: HashMap<String, Op>,
    /// Whether a pointer has been used that may point to several objects.
    pub dereferenced: bool,
    /// Whether other threads have been given a pointer that may point to several objects.
    pub leaked: bool,
}

/// A thread-local variable: name, type, place and initial value.
pub(crate) type ThreadLocal<'a> =
    (String, Type, usize, Option<&'a lang_c::span::Node<Initializer>>);

impl Thread {
    /// The error location of a place, by the kind of error.
    pub(crate) fn error(&mut self, label: &str, at: usize) -> usize {
        let graph = &mut self.graph;
        let new =
            || graph.node(Node { error: true, label: label.to_owned(), at, ..Node::default() });
        *self.errors.entry((label.to_owned(), at)).or_insert_with(new)
    }
}

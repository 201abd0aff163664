//! What the passes of the lowering share: the program's declarations, and the thread at work.

pub(crate) mod aggregate;
pub(crate) mod assertion;
pub(crate) mod atomic;
pub(crate) mod builtin;
pub(crate) mod call;
pub(crate) mod check;
pub(crate) mod condition;
pub(crate) mod declare;
pub(crate) mod expression;
pub(crate) mod handles;
pub(crate) mod heap;
pub(crate) mod operand;
pub(crate) mod operate;
pub(crate) mod place;
pub(crate) mod pointer;
pub(crate) mod specify;
pub(crate) mod statement;
pub(crate) mod thread;
pub(crate) mod threads;
pub(crate) mod typing;
pub(crate) mod unroll;

use crate::frontend::c::assumptions::Assumed;
use crate::frontend::c::check::assertions::{Assertions, LABEL};
use crate::frontend::c::check::{Check, Options};
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::facts::Known;
use crate::frontend::c::lower::thread::{Thread, ThreadLocal};
use crate::frontend::c::memory::object::{FIRST_ADDRESS, Key, Object};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::Node;
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::syntax::source::Source;
use crate::frontend::c::threads::{ManyKey, Numbers, Site, Spawned};
use crate::frontend::c::types::{DataModel, Structure};
use crate::frontend::c::unit::{Entity, Scope};
use lang_c::ast::FunctionDefinition;
use lang_c::span::Span;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use threadproof_format::{Op, Sort};

/// Calls inside each other.
const MAX_CALLS: usize = 60;
/// Edges of one thread before they are joined.
const MAX_EDGES: usize = 60_000;

/// The state of the lowering.
pub(crate) struct Lowering<'a> {
    pub source: &'a Source,
    pub model: DataModel,
    pub checks: Vec<Check>,
    pub known: Known,
    pub found: Known,
    pub assumed: Assumed,
    /// What becomes of assertions.
    pub assertions: Assertions,
    pub structures: Vec<Structure>,
    pub globals: Scope,
    pub scopes: Vec<Scope>,
    pub functions: HashMap<String, &'a FunctionDefinition>,
    pub objects: Vec<Object>,
    next_address: BigInt,
    /// Numbers of functions whose addresses are used.
    pub addresses: BTreeMap<String, BigInt>,
    pub shared: Vec<Variable>,
    /// Objects of `static` variables by their places.
    pub statics: BTreeMap<usize, usize>,
    /// Objects that are allocated.
    pub heap: BTreeMap<Key, usize>,
    /// Thread-local variables.
    pub locals: Vec<ThreadLocal<'a>>,
    pub spawned: Vec<Spawned>,
    pub sites: BTreeMap<Site, usize>,
    /// For each known site of a single thread what is 1 once it has ended, and what takes its result.
    pub ended: Vec<(Op, Op)>,
    pub numbers: Option<Numbers>,
    /// Variables that hand something over: written once, and only read by who has waited for it.
    pub handed: BTreeSet<Op>,
    pub many: BTreeMap<ManyKey, usize>,
    /// Objects whose threads are created repeatedly, and where they are.
    pub repeated_names: BTreeSet<usize>,
    /// Whether the number of a thread is copied.
    pub copied: bool,
    /// Objects that are joined, and where.
    pub joined: BTreeMap<usize, usize>,
    /// What is wrong, unless it turns out otherwise when the other threads are known.
    pub pending: Option<Fault>,
    /// Whether any thread has used a pointer that may point to several objects.
    pub dereferenced: bool,
    pub t: Thread,
    /// Whether signed arithmetic wraps, as that of atomic functions does (C11, 7.17.7.5).
    pub wraps: bool,
    /// The statement at work.
    pub span: Span,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(source: &'a Source, options: &Options, known: Known) -> Self {
        let mut t = Thread::default();
        t.graph.node(Node::default());
        Lowering {
            source,
            model: options.data_model,
            checks: options.checks.clone(),
            known,
            found: Known::default(),
            assumed: Assumed::default(),
            assertions: Assertions::default(),
            structures: Vec::new(),
            globals: Scope::default(),
            scopes: Vec::new(),
            functions: HashMap::new(),
            objects: Vec::new(),
            next_address: FIRST_ADDRESS.into(),
            addresses: BTreeMap::new(),
            shared: Vec::new(),
            statics: BTreeMap::new(),
            heap: BTreeMap::new(),
            locals: Vec::new(),
            spawned: Vec::new(),
            sites: BTreeMap::new(),
            ended: Vec::new(),
            numbers: None,
            handed: BTreeSet::new(),
            many: BTreeMap::new(),
            repeated_names: BTreeSet::new(),
            copied: false,
            joined: BTreeMap::new(),
            pending: None,
            dereferenced: false,
            wraps: false,
            t,
            span: Span::span(0, 0),
        }
    }

    /// A new location, in the atomic sections that are open here.
    pub(crate) fn node(&mut self) -> usize {
        let depth = self.depth();
        self.t.graph.node(Node { depth, at: self.span.start, ..Node::default() })
    }

    /// How many atomic sections are open here.
    pub(crate) fn depth(&self) -> usize {
        self.t.graph.nodes[self.t.current].depth
    }

    /// A location that nothing leads to yet, to go on from behind a jump.
    pub(crate) fn nowhere(&mut self) {
        self.t.current = self.node();
    }

    /// The place and text of the statement at work, and what is said of it.
    pub(crate) fn note(&self, said: Option<&str>) -> String {
        let mut note = self.source.note(self.span);
        if let (Some(said), Some((place, text))) = (said, note.split_once(": ")) {
            note = format!("{place}: {said}: {text}");
        }
        if !self.t.calls.is_empty() {
            let calls = self.t.calls.iter().rev();
            let lines: Vec<String> =
                calls.map(|(_, at)| self.source.place(*at).line.to_string()).collect();
            note.push_str(&format!(" (called at {})", lines.join(", ")));
        }
        note
    }

    pub(crate) fn edge(&mut self, target: usize, command: Command, partial: bool) -> Lower<()> {
        let note = self.note(None);
        if self.t.graph.edges.len() >= MAX_EDGES {
            return Err(Fault::wrong(self.span.start, "the thread grows too large".to_owned()));
        }
        self.t.graph.edge(self.t.current, target, command, note);
        self.t.graph.nodes[self.t.current].partial |= partial;
        Ok(())
    }

    /// One step with alternatives. They are `partial` if it may be that none is possible.
    pub(crate) fn step(&mut self, alternatives: Vec<Command>, partial: bool) -> Lower<()> {
        let target = self.node();
        for command in alternatives {
            self.edge(target, command, partial)?;
        }
        self.t.current = target;
        Ok(())
    }

    /// A jump.
    pub(crate) fn jump(&mut self, target: usize) -> Lower<()> {
        if self.t.graph.nodes[target].depth != self.depth() && self.reached() {
            let what = "a jump into or out of an atomic section";
            return Err(Fault::unsupported(self.span.start, what));
        }
        let source = self.t.current;
        self.t.graph.edge(source, target, Command::default(), String::new());
        Ok(())
    }

    /// Whether something leads here already.
    fn reached(&self) -> bool {
        let here = self.t.current;
        here == 0 || self.t.graph.edges.iter().rev().any(|edge| edge.target == here)
    }

    /// Opens an atomic section.
    pub(crate) fn begin(&mut self) -> Lower<()> {
        self.skip(self.depth() + 1)
    }

    /// Closes an atomic section.
    pub(crate) fn finish(&mut self, at: usize) -> Lower<()> {
        match self.depth().checked_sub(1) {
            Some(open) => self.skip(open),
            None if self.reached() => {
                Err(Fault::wrong(at, "an atomic section ends that has not begun".to_owned()))
            }
            None => Ok(()),
        }
    }

    /// A step that does nothing, to a location in so many atomic sections.
    fn skip(&mut self, depth: usize) -> Lower<()> {
        let target = self.t.graph.node(Node { depth, at: self.span.start, ..Node::default() });
        self.edge(target, Command::default(), false)?;
        self.t.current = target;
        Ok(())
    }

    /// The program goes wrong here.
    pub(crate) fn fail(&mut self, at: usize) -> Lower<()> {
        let at = self.failing(at);
        let error = self.t.error(LABEL, at);
        self.edge(error, Command::default(), false)?;
        self.nowhere();
        Ok(())
    }

    /// An own variable of the thread.
    pub(crate) fn own(&mut self, variable: Variable) -> Op {
        self.t.variables.push(variable);
        Op::Local(0, number(self.t.variables.len() - 1))
    }

    /// A variable that all threads see.
    pub(crate) fn global(&mut self, variable: Variable) -> Op {
        self.shared.push(variable);
        Op::Global(number(self.shared.len() - 1))
    }

    /// A temporary variable, in use until the statement ends.
    pub(crate) fn temporary(&mut self) -> Op {
        if self.t.used == self.t.temporaries.len() {
            let name = format!("t{}", self.t.used + 1);
            let op = self.own(Variable { name, sort: Sort::Int, init: None, range: None });
            self.t.temporaries.push(op);
        }
        self.t.used += 1;
        self.t.temporaries[self.t.used - 1].clone()
    }

    /// Addresses for the cells of an object.
    pub(crate) fn address(&mut self, cells: usize) -> BigInt {
        let address = self.next_address.clone();
        self.next_address += cells + 1;
        address
    }

    pub(crate) fn lookup(&self, name: &str) -> Option<&Entity> {
        let scopes = self.scopes.iter().rev().chain([&self.globals]);
        scopes.filter_map(|scope| scope.names.get(name)).next()
    }

    pub(crate) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap_or(&mut self.globals)
    }

    /// Opens the body of a function that is called.
    pub(crate) fn enter(&mut self, function: &str, at: usize) -> Lower<()> {
        if self.t.calls.iter().any(|(name, _)| name == function)
            || self.t.frame.function == function
        {
            return Err(Fault::unsupported(at, format!("`{function}` calls itself")));
        }
        if self.t.calls.len() >= MAX_CALLS {
            return Err(Fault::unsupported(at, "calls inside so many others"));
        }
        self.t.calls.push((function.to_owned(), at));
        Ok(())
    }
}

//! What the passes of the lowering share: the program's declarations, and the thread at work.

use super::assertions::{Assertions, Copies};
use super::checks::{Check, Options};
use super::fault::{Fault, Lower};
use super::graph::{Command, Graph, Node};
use super::handles::Numbers;
use super::heap;
use super::race::DataAccess;
use super::source::Source;
use super::types::{DataModel, Function, Integer, Structure, Type};
use lang_c::ast::{FunctionDefinition, Initializer};
use lang_c::span::Span;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use threadproof_format::{Op, Sort};

/// Addresses begin here: those of objects, and behind them those of functions. What is less is a number.
pub(super) const FIRST_ADDRESS: u64 = 1 << 62;
/// Addresses of functions begin here.
pub(super) const FIRST_FUNCTION: u64 = FIRST_ADDRESS + (1 << 61);
/// Calls inside each other.
const MAX_CALLS: usize = 60;
/// Edges of one thread before they are joined.
const MAX_EDGES: usize = 60_000;

/// What a name means.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    Typedef(Type),
    Constant(BigInt),
    Object(usize),
    Function(Type),
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub names: HashMap<String, Entity>,
    /// Structures by their tags.
    pub tags: HashMap<String, Type>,
}

/// Where an object's cells are.
#[derive(Clone, Debug)]
pub(super) enum Storage {
    /// A variable for each cell.
    Cells(Vec<Op>),
    /// One array for all cells.
    Array(Op),
    /// A parameter that always has this value.
    Bound(Value),
}

/// An object: a variable of the C program.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub name: String,
    pub ty: Type,
    pub storage: Storage,
    /// Types of its cells, in order.
    pub cells: Vec<Type>,
    /// The address of its first cell.
    pub address: BigInt,
    /// Whether other threads can see it.
    pub shared: bool,
    /// Whether its cells may be any numbers at the start.
    pub undefined: bool,
    /// The place of its declaration.
    pub at: usize,
}

/// A value: a term over the thread's own variables.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub term: Vec<Op>,
    pub ty: Type,
    /// Its range.
    pub low: BigInt,
    pub high: BigInt,
    /// For the address of an element with a variable index: its object.
    pub object: Option<usize>,
}

/// A variable of the core program.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub sort: Sort,
    /// The value at the start, or each element's value; any if there is none.
    pub init: Option<Vec<BigInt>>,
    /// The range, where the value at the start is any.
    pub range: Option<(BigInt, BigInt)>,
}

/// A place in the program at which a thread is created: the calls that lead to it, its own place, and the rounds of
/// unrolled loops.
pub(super) type Site = (usize, Vec<usize>);

/// What tells templates of many threads apart: the function, and the argument if it is a constant.
pub(super) type ManyKey = (String, Option<BigInt>);

/// What has to be known from the beginning, and is found on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Known {
    /// Places of declarations whose objects' addresses are stored.
    pub exposed: BTreeSet<usize>,
    /// Functions whose addresses are stored.
    pub functions: BTreeSet<String>,
    /// Places of locals that other threads get to know.
    pub escaped: BTreeSet<usize>,
    /// Where threads are created more than once.
    pub repeated: BTreeSet<Site>,
    /// Of which threads, by function and argument, any number exist at once.
    pub free: BTreeSet<ManyKey>,
    /// Ranges of the arguments that threads are created with, by function and, of single threads, site.
    pub arguments: BTreeMap<(String, Option<Site>), (BigInt, BigInt)>,
    /// Where single threads are created, with their functions.
    pub singles: BTreeMap<Site, String>,
    /// Whether threads that are created in loops are joined: they have numbers, and short loops are unrolled.
    pub numbered: bool,
    /// Objects that are allocated.
    pub heap: BTreeMap<heap::Key, heap::Allocated>,
    /// Whether results of threads are taken.
    pub results: bool,
}

/// What the translation takes for granted of this program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Assumed {
    pub overflow: bool,
    pub narrowing: bool,
    pub bounds: bool,
    pub pointers: bool,
    pub addresses: bool,
    pub success: bool,
    pub joins: bool,
    pub memory: bool,
    pub copies: bool,
    pub same_object: bool,
    pub locks: bool,
}

/// A template to be made.
#[derive(Clone, Debug)]
pub(super) struct Spawned {
    pub function: String,
    pub many: bool,
    /// The functions of the threads that led to its creation.
    pub chain: Vec<String>,
    /// Whether any number of them exist at once, once one has been created.
    pub free: bool,
    /// 1 once it has been created, or, of many threads that are not `free`, while one waits to start.
    pub created: Op,
    /// What is 1 once it has ended, and what takes its result; of a single thread.
    pub ended: Option<(Op, Op)>,
    /// Where one of many threads finds its number, if it has one.
    pub number: Option<Op>,
    /// The argument, if it is a constant, or where it is left.
    pub argument: Argument,
    /// The place of a creation, for errors.
    pub at: usize,
}

/// What a thread is created with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    Constant(Value),
    Left(Op, BigInt, BigInt),
}

/// The body that is being lowered: of the thread or of a function that is inlined.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
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
pub(super) struct Thread {
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
pub(super) type ThreadLocal<'a> =
    (String, Type, usize, Option<&'a lang_c::span::Node<Initializer>>);

/// The state of the lowering.
pub(super) struct Lowering<'a> {
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
    pub heap: BTreeMap<heap::Key, usize>,
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
    pub(super) fn new(source: &'a Source, options: &Options, known: Known) -> Self {
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
    pub(super) fn node(&mut self) -> usize {
        let depth = self.depth();
        self.t.graph.node(Node { depth, at: self.span.start, ..Node::default() })
    }

    /// How many atomic sections are open here.
    pub(super) fn depth(&self) -> usize {
        self.t.graph.nodes[self.t.current].depth
    }

    /// A location that nothing leads to yet, to go on from behind a jump.
    pub(super) fn nowhere(&mut self) {
        self.t.current = self.node();
    }

    /// The place and text of the statement at work, and what is said of it.
    pub(super) fn note(&self, said: Option<&str>) -> String {
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

    pub(super) fn edge(&mut self, target: usize, command: Command, partial: bool) -> Lower<()> {
        let note = self.note(None);
        if self.t.graph.edges.len() >= MAX_EDGES {
            return Err(Fault::wrong(self.span.start, "the thread grows too large".to_owned()));
        }
        self.t.graph.edge(self.t.current, target, command, note);
        self.t.graph.nodes[self.t.current].partial |= partial;
        Ok(())
    }

    /// One step with alternatives. They are `partial` if it may be that none is possible.
    pub(super) fn step(&mut self, alternatives: Vec<Command>, partial: bool) -> Lower<()> {
        let target = self.node();
        for command in alternatives {
            self.edge(target, command, partial)?;
        }
        self.t.current = target;
        Ok(())
    }

    /// A jump.
    pub(super) fn jump(&mut self, target: usize) -> Lower<()> {
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
    pub(super) fn begin(&mut self) -> Lower<()> {
        self.skip(self.depth() + 1)
    }

    /// Closes an atomic section.
    pub(super) fn finish(&mut self, at: usize) -> Lower<()> {
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
    pub(super) fn fail(&mut self, at: usize) -> Lower<()> {
        let at = self.failing(at);
        let error = self.t.error(super::assertions::LABEL, at);
        self.edge(error, Command::default(), false)?;
        self.nowhere();
        Ok(())
    }

    /// An own variable of the thread.
    pub(super) fn own(&mut self, variable: Variable) -> Op {
        self.t.variables.push(variable);
        Op::Local(0, number(self.t.variables.len() - 1))
    }

    /// A variable that all threads see.
    pub(super) fn global(&mut self, variable: Variable) -> Op {
        self.shared.push(variable);
        Op::Global(number(self.shared.len() - 1))
    }

    /// A temporary variable, in use until the statement ends.
    pub(super) fn temporary(&mut self) -> Op {
        if self.t.used == self.t.temporaries.len() {
            let name = format!("t{}", self.t.used + 1);
            let op = self.own(Variable { name, sort: Sort::Int, init: None, range: None });
            self.t.temporaries.push(op);
        }
        self.t.used += 1;
        self.t.temporaries[self.t.used - 1].clone()
    }

    /// Addresses for the cells of an object.
    pub(super) fn address(&mut self, cells: usize) -> BigInt {
        let address = self.next_address.clone();
        self.next_address += cells + 1;
        address
    }

    pub(super) fn lookup(&self, name: &str) -> Option<&Entity> {
        let scopes = self.scopes.iter().rev().chain([&self.globals]);
        scopes.filter_map(|scope| scope.names.get(name)).next()
    }

    pub(super) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().unwrap_or(&mut self.globals)
    }

    /// Opens the body of a function that is called.
    pub(super) fn enter(&mut self, function: &str, at: usize) -> Lower<()> {
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

impl Value {
    /// A value in the range of its type.
    pub(super) fn new(term: Vec<Op>, ty: Type) -> Self {
        let (low, high) = range(&ty);
        Value { term, ty, low, high, object: None }
    }

    pub(super) fn constant(value: impl Into<BigInt>, ty: Type) -> Self {
        let value = value.into();
        let (low, high) = (value.clone(), value.clone());
        Value { term: super::term::int(value), ty, low, high, object: None }
    }

    /// What is in a variable that is 0 or 1.
    pub(super) fn bit(variable: Op, ty: Type) -> Self {
        Value { term: vec![variable], ty, low: 0.into(), high: 1.into(), object: None }
    }

    pub(super) fn as_constant(&self) -> Option<&BigInt> {
        super::term::constant(&self.term)
    }

    /// The integer type of the value, which is a number.
    pub(super) fn integer(&self, at: usize) -> Lower<Integer> {
        self.ty.integer().ok_or_else(|| Fault::unsupported(at, "this operator on such a value"))
    }
}

/// The range of a type's values.
pub(super) fn range(ty: &Type) -> (BigInt, BigInt) {
    match ty.plain() {
        Type::Int(int) => (int.low(), int.high()),
        Type::Sync(_) => ((-1).into(), BigInt::from(i32::MAX)),
        // Pointers are as signed numbers of 64 bits, so that what is passed as a pointer comes back as it was.
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

/// Positions in lists that never come near the limit.
pub(super) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 variables, locations and edges")
}

/// The type of a pointer to a function or of a function.
pub(super) fn function_type(ty: &Type) -> Option<&Function> {
    match ty.plain() {
        Type::Function(function) => Some(function),
        Type::Pointer(to) => match to.plain() {
            Type::Function(function) => Some(function),
            _ => None,
        },
        _ => None,
    }
}

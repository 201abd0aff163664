//! The syntax tree of a `.tp` text, as written: names are not resolved, sorts not checked.

use crate::source::AnnotationKind;
use num_bigint::BigInt;

pub use crate::text::token::{Name, Span};

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `||`
    Or,
    /// `&&`
    And,
    /// A comparison.
    Cmp(threadproof_format::Cmp),
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
}

/// An expression or condition.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
    /// Height of the tree; held below a limit, so that the later passes may recurse.
    pub depth: usize,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// An integer literal.
    Int(BigInt),
    /// `true` or `false`.
    Bool(bool),
    /// `*`: either truth value.
    Any,
    /// A variable, or its next value `x'`.
    Name(Name),
    /// An array element.
    Index(Name, Box<Expr>),
    /// `cas(place, old, new)`.
    Cas(Box<[Expr; 3]>),
    /// A procedure call.
    Call(Name, Vec<Expr>),
    /// `-e`
    Neg(Box<Expr>),
    /// `!e`
    Not(Box<Expr>),
    /// Two operands.
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it stands, with its semicolon.
    pub span: Span,
}

/// The forms of a statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `;`
    Empty,
    /// `{ ... }`
    Block(Vec<Stmt>),
    /// `place = value;` with a variable or an array element on the left.
    Assign(Expr, Expr),
    /// `f(arguments);`
    Call(Expr),
    /// `assume(e);`
    Assume(Expr),
    /// `assert(e);`
    Assert(Expr),
    /// `havoc place;`
    Havoc(Expr),
    /// `lock(m);`
    Lock(Name),
    /// `unlock(m);`
    Unlock(Name),
    /// `if (e) ... else ...`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `while (e) invariant (f) ...`
    While(Expr, Vec<Expr>, Box<Stmt>),
    /// `atomic { ... }`
    Atomic(Vec<Stmt>),
    /// `label: ...`
    Label(Name, Box<Stmt>),
    /// `goto label;`
    Goto(Name),
    /// `break;`
    Break,
    /// `continue;`
    Continue,
    /// `return;` or `return e;`
    Return(Option<Expr>),
}

/// The type words of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `int`
    Int,
    /// `bool`
    Bool,
    /// `lock`
    Lock,
}

/// A variable's declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Its type, or its elements'.
    pub kind: Type,
    /// Whether it is an array.
    pub array: bool,
    /// Its name.
    pub name: Name,
    /// Its initial value.
    pub init: Option<Expr>,
}

/// What a thread or a procedure does.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its locals.
    pub locals: Vec<Decl>,
    /// What is said of each of its threads.
    pub clauses: Vec<Clause>,
    /// Its statements.
    pub code: Vec<Stmt>,
}

/// `invariant` or `hint`.
#[derive(Clone, Debug)]
pub struct Clause {
    /// Which of the two.
    pub kind: AnnotationKind,
    /// The threads that it is about: the template, and the name that stands for one of its threads.
    pub threads: Vec<(Name, Name)>,
    /// What it says.
    pub formula: Expr,
}

/// How many threads run a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// `[*]`
    Any,
    /// None written: one thread.
    Single,
    /// `[n]`
    Exactly(u32),
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Type of the result; `None` for `void`.
    pub result: Option<Type>,
    /// Name.
    pub name: Name,
    /// Parameters.
    pub params: Vec<Decl>,
    /// What it does.
    pub body: Body,
}

/// A thread template.
#[derive(Clone, Debug)]
pub struct Thread {
    /// Name.
    pub name: Name,
    /// How many threads.
    pub count: Count,
    /// The abstract thread that it names as its abstraction.
    pub abstracts: Option<Name>,
    /// What each does.
    pub body: Body,
}

/// An abstract thread: a state machine over the globals.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// Name.
    pub name: Name,
    /// The abstract thread that abstracts it in turn.
    pub abstracts: Option<Name>,
    /// Its locals.
    pub locals: Vec<Finite>,
    /// Assertions of every node.
    pub common: Vec<Said>,
    /// What other threads may do between two steps of a thread: relations.
    pub environment: Vec<Said>,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Edges, without the hidden idle ones.
    pub edges: Vec<Edge>,
}

/// A local of an abstract thread: `bool b` or `int k in 0..3`.
#[derive(Clone, Debug)]
pub struct Finite {
    /// Its declaration.
    pub decl: Decl,
    /// The least and the greatest value, and where they stand.
    pub range: Option<(BigInt, BigInt, Span)>,
}

/// A formula that is said of an abstract thread.
#[derive(Clone, Debug)]
pub struct Said {
    /// The formula.
    pub formula: Expr,
    /// Where it is said: with the words before it, and its semicolon.
    pub span: Span,
}

/// `initial node inside (!stopped);`
#[derive(Clone, Debug)]
pub struct Node {
    /// Name.
    pub name: Name,
    /// Whether a thread may start here.
    pub initial: bool,
    /// What has to hold here.
    pub assertions: Vec<Said>,
    /// Where it stands, with its semicolon.
    pub span: Span,
}

/// `edge idle -> inside (x' > x) unchanged except (x);`
#[derive(Clone, Debug)]
pub struct Edge {
    /// Node before.
    pub source: Name,
    /// Node after.
    pub target: Name,
    /// What relates the variables before and after; true if none is written.
    pub relation: Option<Expr>,
    /// After `unchanged`: the variables that may change.
    pub unchanged: Option<Vec<Name>>,
    /// Where it stands, with its semicolon.
    pub span: Span,
}

/// A program text.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// Globals.
    pub globals: Vec<Decl>,
    /// Formulas on the globals that hold at the start.
    pub inits: Vec<Expr>,
    /// What is said of globals and of several threads.
    pub clauses: Vec<Clause>,
    /// Procedures.
    pub procedures: Vec<Procedure>,
    /// Thread templates.
    pub threads: Vec<Thread>,
    /// Abstract threads.
    pub abstractions: Vec<Abstraction>,
}

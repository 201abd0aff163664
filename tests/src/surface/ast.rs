//! The syntax tree of a program.

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl Binary {
    /// The sign, and how strongly it binds: 0 is the weakest.
    pub fn sign(self) -> (&'static str, usize) {
        match self {
            Binary::Or => ("||", 0),
            Binary::And => ("&&", 1),
            Binary::Eq => ("==", 2),
            Binary::Ne => ("!=", 2),
            Binary::Lt => ("<", 3),
            Binary::Le => ("<=", 3),
            Binary::Gt => (">", 3),
            Binary::Ge => (">=", 3),
            Binary::Add => ("+", 4),
            Binary::Sub => ("-", 4),
            Binary::Mul => ("*", 5),
            Binary::Div => ("/", 5),
            Binary::Mod => ("%", 5),
        }
    }

    /// All of them.
    pub const ALL: [Binary; 13] = [
        Binary::Or,
        Binary::And,
        Binary::Eq,
        Binary::Ne,
        Binary::Lt,
        Binary::Le,
        Binary::Gt,
        Binary::Ge,
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Mod,
    ];
}

/// A variable or an array element; `x'` is the name of a next value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub name: String,
    pub index: Option<Box<Expr>>,
}

/// An expression or condition. Its literals are not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Int(i64),
    Bool(bool),
    /// `*`
    Any,
    Place(Place),
    Cas(Place, Box<Expr>, Box<Expr>),
    /// A procedure, or `count` with its labels.
    Call(String, Vec<Expr>),
    Neg(Box<Expr>),
    Not(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// `;`
    Empty,
    Block(Vec<Stmt>),
    Label(String, Box<Stmt>),
    /// The value may be a call.
    Assign(Place, Expr),
    Call(String, Vec<Expr>),
    Assume(Expr),
    Assert(Expr),
    Havoc(Place),
    Lock(String),
    Unlock(String),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    Atomic(Vec<Stmt>),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
}

/// The type words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Int,
    Bool,
    Lock,
}

/// A variable's declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decl {
    pub kind: Type,
    pub array: bool,
    pub name: String,
    pub init: Option<Expr>,
}

/// Locals and statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    pub locals: Vec<Decl>,
    pub code: Vec<Stmt>,
}

/// A procedure; no type is `void`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    pub result: Option<Type>,
    pub name: String,
    pub params: Vec<Decl>,
    pub body: Body,
}

/// How many threads run a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// `[*]`
    Any,
    /// Nothing is written.
    Single,
    /// `[3]`
    Exactly(usize),
}

/// A thread template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    pub name: String,
    pub count: Count,
    pub abstracts: Option<String>,
    pub body: Body,
}

/// A local of an abstract thread, with its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finite {
    pub decl: Decl,
    pub range: Option<(i64, i64)>,
}

/// A node of an abstract thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub initial: bool,
    pub assertion: Option<Expr>,
}

/// What relates the variables before and after a step; the names after `unchanged except`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub formula: Option<Expr>,
    pub unchanged: Option<Vec<String>>,
}

/// An edge of an abstract thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    pub source: String,
    pub target: String,
    pub relation: Relation,
}

/// An abstract thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abstraction {
    pub name: String,
    pub abstracts: Option<String>,
    pub locals: Vec<Finite>,
    pub common: Vec<Expr>,
    /// What others may do since the thread's last step: relations of the values then (`x`) and now
    /// (`x'`).
    pub environment: Vec<Expr>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    pub globals: Vec<Decl>,
    pub inits: Vec<Expr>,
    pub procedures: Vec<Procedure>,
    pub threads: Vec<Thread>,
    pub abstractions: Vec<Abstraction>,
}

impl Expr {
    /// A variable.
    pub fn name(name: &str) -> Expr {
        Expr::Place(Place { name: name.to_owned(), index: None })
    }

    /// Two operands.
    pub fn two(operator: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(operator, Box::new(a), Box::new(b))
    }

    /// Whether its evaluation has an effect or a choice.
    pub fn is_condition(&self) -> bool {
        match self {
            Expr::Any | Expr::Cas(..) => true,
            Expr::Int(_) | Expr::Bool(_) | Expr::Place(_) | Expr::Call(..) => false,
            Expr::Neg(e) | Expr::Not(e) => e.is_condition(),
            Expr::Binary(_, a, b) => a.is_condition() || b.is_condition(),
        }
    }

    /// Whether a variable is named.
    pub fn mentions(&self, name: &str) -> bool {
        let place = |place: &Place| {
            place.name == name || place.index.as_ref().is_some_and(|e| e.mentions(name))
        };
        match self {
            Expr::Int(_) | Expr::Bool(_) | Expr::Any => false,
            Expr::Place(p) => place(p),
            Expr::Cas(p, a, b) => place(p) || a.mentions(name) || b.mentions(name),
            Expr::Call(_, arguments) => arguments.iter().any(|e| e.mentions(name)),
            Expr::Neg(e) | Expr::Not(e) => e.mentions(name),
            Expr::Binary(_, a, b) => a.mentions(name) || b.mentions(name),
        }
    }
}

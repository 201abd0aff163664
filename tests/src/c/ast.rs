//! The syntax tree of a C program, as far as the front end takes it.

pub use super::integer::{Binary, Int};

/// Types.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Void,
    Int(Int),
    Atomic(Int),
    Pointer(Box<Type>),
    Array(Box<Type>, usize),
    /// Its tag.
    Struct(String),
    Function(Box<Type>, Vec<Type>),
    Opaque(Opaque),
}

/// Types of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opaque {
    Thread,
    Mutex,
    ReadWrite,
    Spin,
    Condition,
    Once,
}

impl Opaque {
    pub fn name(self) -> &'static str {
        match self {
            Opaque::Thread => "pthread_t",
            Opaque::Mutex => "pthread_mutex_t",
            Opaque::ReadWrite => "pthread_rwlock_t",
            Opaque::Spin => "pthread_spinlock_t",
            Opaque::Condition => "pthread_cond_t",
            Opaque::Once => "pthread_once_t",
        }
    }
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// At file scope, global; in a function, automatic.
    Plain,
    Static,
    /// `_Thread_local`
    Thread,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    Value(Expr),
    List(Vec<Init>),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Decl {
    pub storage: Storage,
    pub kind: Type,
    pub name: String,
    pub init: Option<Init>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Minus,
    Plus,
    Complement,
    Not,
}

/// Expressions. A constant is not negative, and its type is promoted.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Constant(i128, Int),
    Name(String),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `&&`
    And(Box<Expr>, Box<Expr>),
    /// `||`
    Or(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Operator, place and value.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++` or `--`, the operator before or behind.
    Step {
        up: bool,
        before: bool,
        place: Box<Expr>,
    },
    Cast(Type, Box<Expr>),
    Deref(Box<Expr>),
    Address(Box<Expr>),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, String),
    /// `->`
    Arrow(Box<Expr>, String),
    Call(Box<Expr>, Vec<Expr>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    Empty,
    Expr(Expr),
    Decl(Decl),
    Block(Vec<Stmt>),
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    While(Expr, Box<Stmt>),
    DoWhile(Box<Stmt>, Expr),
    For(Box<Stmt>, Option<Expr>, Option<Expr>, Box<Stmt>),
    Switch(Expr, Vec<Stmt>),
    Case(i128, Box<Stmt>),
    Default(Box<Stmt>),
    Label(String, Box<Stmt>),
    Goto(String),
    Break,
    Continue,
    Return(Option<Expr>),
    /// `assert`, `__VERIFIER_assert`, or an error function behind a condition: known by its number
    /// in the text.
    Assert(Assertion, Expr),
    /// A call of `__assert_fail` or `__assert` with this line, and with an effect in its operand:
    /// known by its number in the text as well.
    Fail(&'static str, Expr),
    /// A call of a modelled function on objects of its own, of which the program sees nothing but
    /// an effect in one operand.
    Library {
        /// Its place among `calls::all`.
        line: usize,
        operand: usize,
        effect: Expr,
    },
    /// No part of the text: notes a value for this number.
    Observe(usize, Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertion {
    /// `NAME(e);`
    Function(&'static str),
    /// `if (!(e)) NAME();`
    Behind(&'static str),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    pub result: Type,
    pub name: String,
    pub params: Vec<(String, Type)>,
    pub body: Vec<Stmt>,
}

/// A program; its last function is `main`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unit {
    pub structs: Vec<(String, Vec<(String, Type)>)>,
    pub globals: Vec<Decl>,
    pub functions: Vec<Function>,
}

impl Type {
    pub fn pointer(to: Type) -> Type {
        Type::Pointer(Box::new(to))
    }
}

impl Expr {
    pub fn name(name: &str) -> Expr {
        Expr::Name(name.to_owned())
    }

    pub fn int(value: i128) -> Expr {
        let magnitude = Expr::Constant(value.abs(), Int::Int);
        if value < 0 { Expr::Unary(Unary::Minus, Box::new(magnitude)) } else { magnitude }
    }

    pub fn two(operator: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(operator, Box::new(a), Box::new(b))
    }

    pub fn assign(place: Expr, value: Expr) -> Expr {
        Expr::Assign(None, Box::new(place), Box::new(value))
    }

    pub fn address(place: Expr) -> Expr {
        Expr::Address(Box::new(place))
    }

    pub fn call(name: &str, arguments: Vec<Expr>) -> Expr {
        Expr::Call(Box::new(Expr::name(name)), arguments)
    }

    pub fn cast(kind: Int, e: Expr) -> Expr {
        Expr::Cast(Type::Int(kind), Box::new(e))
    }
}

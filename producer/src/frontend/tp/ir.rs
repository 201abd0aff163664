//! The resolved program: every name has its variable, every expression its sort.
//!
//! What stands here is meaningful; the passes that follow have no error of sorts or names left.

use super::super::negated;
use super::ast::{Count, Span};
use crate::source::AnnotationKind;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Sort};

/// A variable of a body or of the program.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: String,
    pub sort: Sort,
    /// Whether it is a lock; its sort is then `Bool`.
    pub lock: bool,
    /// Its constant initial value.
    pub init: Option<Term>,
}

/// Which variable an expression means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// An index into `Unit::globals`.
    Global(usize),
    /// An index into the `locals` of the body.
    Local(usize),
}

/// What can be written to.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub slot: Slot,
    /// For an array element: its index.
    pub index: Option<Term>,
    /// Sort of what is written.
    pub sort: Sort,
}

/// An expression without side effects. Constant parts are folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Int(BigInt),
    Bool(bool),
    Var(Slot),
    Select(Slot, Box<Term>),
    /// How many threads are at the labels of this entry of `Unit::counts`.
    Count(usize),
    /// Whether the node of this entry of `Unit::candidates` is a candidate.
    Candidate(usize),
    Add(Box<Term>, Box<Term>),
    Sub(Box<Term>, Box<Term>),
    Scale(BigInt, Box<Term>),
    /// Divided by a positive constant, towards zero.
    Div(Box<Term>, BigInt),
    /// The remainder of that.
    Mod(Box<Term>, BigInt),
    Cmp(Cmp, Box<Term>, Box<Term>),
    Not(Box<Term>),
    And(Box<Term>, Box<Term>),
    Or(Box<Term>, Box<Term>),
}

/// A condition: its evaluation may have an effect (`cas`) or a choice (`*`), in C's order.
#[derive(Clone, Debug)]
pub(super) enum Cond {
    Term(Term),
    Any,
    Cas(Place, Term, Term),
    Not(Box<Cond>),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
}

/// What is assigned or returned.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Term(Term),
    Cond(Cond),
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

/// The forms of a statement. The span of a condition names it in notes.
#[derive(Clone, Debug)]
pub(super) enum StmtKind {
    Assign(Place, Value),
    Havoc(Place),
    Assume(Cond),
    Assert(Term),
    Lock(Slot),
    Unlock(Slot),
    If(Cond, Span, Vec<Stmt>, Vec<Stmt>),
    /// The formulas hold at the loop's head, as far as one thread sees.
    While(Cond, Span, Vec<(Term, Span)>, Vec<Stmt>),
    Atomic(Vec<Stmt>),
    Call(Call),
    Block(Vec<Stmt>),
    Label(usize),
    Goto(usize),
    Break,
    Continue,
    Return(Option<Value>),
}

/// A call of a procedure.
#[derive(Clone, Debug)]
pub(super) struct Call {
    /// An index into `Unit::procedures`.
    pub procedure: usize,
    pub arguments: Vec<Term>,
    /// The variable that takes the result.
    pub result: Option<Slot>,
}

/// What a thread or procedure does.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    /// Its variables; of a procedure first the parameters.
    pub locals: Vec<Var>,
    pub labels: Vec<String>,
    pub code: Vec<Stmt>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub(super) struct Procedure {
    pub name: String,
    pub span: Span,
    pub result: Option<Sort>,
    pub body: Body,
}

/// A thread template.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub name: String,
    pub count: Count,
    /// The abstract thread that abstracts it: an index into `Unit::abstractions`.
    pub abstraction: Option<usize>,
    pub body: Body,
}

/// An abstract thread. In its assertions a `Slot::Local` is one of its locals. In the relation of
/// an edge they are first the next values of all globals, then its locals, and then their next
/// values.
#[derive(Clone, Debug)]
pub(super) struct Abstraction {
    pub name: String,
    /// The abstract thread that abstracts it in turn: an index into `Unit::abstractions`.
    pub abstraction: Option<usize>,
    pub locals: Vec<Finite>,
    /// What has to hold at each node, each with the place where it is said.
    pub common: Vec<(Term, Span)>,
    /// Relations of the globals after the thread's last step and now: what others may have done. As
    /// in an edge's relation a `Slot::Local` is the later value.
    pub environment: Vec<(Term, Span)>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// A local with finitely many values.
#[derive(Clone, Debug)]
pub(super) struct Finite {
    pub name: String,
    pub values: Vec<Term>,
    /// Its constant initial value.
    pub init: Option<Term>,
}

/// A node of an abstract thread.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub name: String,
    pub initial: bool,
    pub assertions: Vec<(Term, Span)>,
    pub span: Span,
}

/// An edge of an abstract thread.
#[derive(Clone, Debug)]
pub(super) struct Edge {
    /// Indices into the nodes.
    pub source: usize,
    pub target: usize,
    pub relation: Term,
    /// For each global, and then each local, whether it keeps its value.
    pub kept: Vec<bool>,
    pub span: Span,
}

/// An invariant or a hint.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub kind: AnnotationKind,
    /// The templates of the threads that it is about: indices into `Unit::threads`.
    pub threads: Vec<usize>,
    /// Whose variable each `Slot::Local` of the formula is.
    pub locals: Vec<Owner>,
    pub formula: Term,
    pub span: Span,
}

/// Whose variable a local of a clause is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    /// The thread at this position of the clause; its local of this number.
    Position(usize, usize),
    /// The only thread of this template; its local of this number.
    Single(usize, usize),
}

/// A resolved program.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    pub globals: Vec<Var>,
    pub init: Vec<(Term, Span)>,
    pub clauses: Vec<Clause>,
    /// The labels of each `count(...)`, and where they stand.
    pub counts: Vec<Vec<(String, Span)>>,
    /// The node of each `candidate(...)`, and where it stands.
    pub candidates: Vec<(String, Span)>,
    pub procedures: Vec<Procedure>,
    pub threads: Vec<Thread>,
    pub abstractions: Vec<Abstraction>,
}

impl Place {
    /// What is evaluated to write a value: the index, and the value.
    pub(super) fn terms<'t>(&'t self, value: &'t Term) -> Vec<&'t Term> {
        self.index.iter().chain([value]).collect()
    }
}

impl Term {
    /// Puts terms in the place of variables, and folds what becomes constant. In the place of an
    /// array a variable can be put.
    pub(super) fn replace(&self, by: &impl Fn(Slot) -> Option<Term>) -> Term {
        let sub = |e: &Term| e.replace(by);
        match self {
            Term::Int(_) | Term::Bool(_) | Term::Count(_) | Term::Candidate(_) => self.clone(),
            Term::Var(slot) => by(*slot).unwrap_or_else(|| self.clone()),
            Term::Select(slot, e) => {
                let slot = match by(*slot) {
                    Some(Term::Var(other)) => other,
                    _ => *slot,
                };
                Term::Select(slot, Box::new(sub(e)))
            }
            Term::Add(a, b) => sub(a).add(sub(b)),
            Term::Sub(a, b) => sub(a).sub(sub(b)),
            Term::Scale(k, e) => sub(e).scale(k.clone()),
            Term::Div(e, k) => Term::Div(Box::new(sub(e)), k.clone()),
            Term::Mod(e, k) => Term::Mod(Box::new(sub(e)), k.clone()),
            Term::Cmp(cmp, a, b) => sub(a).compare(*cmp, sub(b)),
            Term::Not(e) => sub(e).negate(),
            Term::And(a, b) => sub(a).and(sub(b)),
            Term::Or(a, b) => sub(a).or(sub(b)),
        }
    }

    /// Whether a variable occurs for which this holds.
    pub(super) fn mentions(&self, is: &impl Fn(Slot) -> bool) -> bool {
        match self {
            Term::Int(_) | Term::Bool(_) | Term::Count(_) | Term::Candidate(_) => false,
            Term::Var(slot) => is(*slot),
            Term::Select(slot, e) => is(*slot) || e.mentions(is),
            Term::Scale(_, e) | Term::Not(e) | Term::Div(e, _) | Term::Mod(e, _) => e.mentions(is),
            Term::Add(a, b)
            | Term::Sub(a, b)
            | Term::Cmp(_, a, b)
            | Term::And(a, b)
            | Term::Or(a, b) => a.mentions(is) || b.mentions(is),
        }
    }

    /// Whether something is divided.
    pub(super) fn divides(&self) -> bool {
        match self {
            Term::Div(..) | Term::Mod(..) => true,
            Term::Int(_) | Term::Bool(_) | Term::Var(_) | Term::Count(_) | Term::Candidate(_) => {
                false
            }
            Term::Select(_, e) | Term::Scale(_, e) | Term::Not(e) => e.divides(),
            Term::Add(a, b)
            | Term::Sub(a, b)
            | Term::Cmp(_, a, b)
            | Term::And(a, b)
            | Term::Or(a, b) => a.divides() || b.divides(),
        }
    }

    pub(super) fn add(self, other: Term) -> Term {
        match (self, other) {
            (Term::Int(a), Term::Int(b)) => Term::Int(a + b),
            (a, b) => Term::Add(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn sub(self, other: Term) -> Term {
        match (self, other) {
            (Term::Int(a), Term::Int(b)) => Term::Int(a - b),
            (a, b) => Term::Sub(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn scale(self, factor: BigInt) -> Term {
        match self {
            Term::Int(a) => Term::Int(a * factor),
            a if factor == BigInt::from(1) => a,
            a => Term::Scale(factor, Box::new(a)),
        }
    }

    /// Compares; a comparison with a truth value is that value's variable or its negation.
    pub(super) fn compare(self, cmp: Cmp, other: Term) -> Term {
        match (cmp, self, other) {
            (cmp, Term::Int(a), Term::Int(b)) => Term::Bool(cmp.holds(&a, &b)),
            (Cmp::Eq, Term::Bool(b), e) | (Cmp::Eq, e, Term::Bool(b)) => e.same_as(b),
            (Cmp::Ne, Term::Bool(b), e) | (Cmp::Ne, e, Term::Bool(b)) => e.same_as(!b),
            (cmp, a, b) => Term::Cmp(cmp, Box::new(a), Box::new(b)),
        }
    }

    fn same_as(self, value: bool) -> Term {
        if value { self } else { self.negate() }
    }

    pub(super) fn and(self, other: Term) -> Term {
        match (self, other) {
            (Term::Bool(true), e) | (e, Term::Bool(true)) => e,
            (Term::Bool(false), _) | (_, Term::Bool(false)) => Term::Bool(false),
            (a, b) => Term::And(Box::new(a), Box::new(b)),
        }
    }

    pub(super) fn or(self, other: Term) -> Term {
        match (self, other) {
            (Term::Bool(false), e) | (e, Term::Bool(false)) => e,
            (Term::Bool(true), _) | (_, Term::Bool(true)) => Term::Bool(true),
            (a, b) => Term::Or(Box::new(a), Box::new(b)),
        }
    }

    /// The negation, pushed inwards to the atoms.
    pub(super) fn negate(self) -> Term {
        match self {
            Term::Bool(b) => Term::Bool(!b),
            Term::Not(e) => *e,
            Term::And(a, b) => Term::Or(Box::new(a.negate()), Box::new(b.negate())),
            Term::Or(a, b) => Term::And(Box::new(a.negate()), Box::new(b.negate())),
            Term::Cmp(cmp, a, b) => Term::Cmp(negated(cmp), a, b),
            e => Term::Not(Box::new(e)),
        }
    }
}

impl Cond {
    /// Its truth value where that does not depend on the state.
    pub(super) fn constant(&self) -> Option<bool> {
        match self {
            Cond::Term(Term::Bool(b)) => Some(*b),
            _ => None,
        }
    }
}

//! What formulas become in the clausal form: leaves, arrays, values and propositional variables
//! (SPEC.md section 5).

use std::rc::Rc;
use threadproof_format::refutation::{Linear, Lit};
use threadproof_format::work::Size;
use threadproof_format::{Int, Op};

/// A term that arithmetic and logic don't look into.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
pub enum Leaf {
    /// A variable or input of sort Int or Bool.
    Variable(Op),
    /// A read of an array at an index. All reads down a chain of writes share the index.
    Read(u32, Rc<Linear>),
    /// The quotient of a form by a constant of at least 2, rounded down.
    Quotient(Linear, Int),
}

/// An array term.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
pub enum Array {
    /// A variable or input.
    Variable(Op),
    /// An array (number), with the value at an index replaced.
    Store(u32, Linear, Value),
}

/// What an expression becomes.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
pub enum Value {
    /// Of sort Int.
    Int(Linear),
    /// Of sort Bool.
    Bool(Lit),
    /// An array, by its number.
    Array(u32),
}

/// A propositional variable.
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash))]
pub enum Variable {
    /// The constant.
    True,
    /// `form <= 0`, coprime coefficients, the first one positive.
    AtMost(Linear),
    /// A leaf of sort Bool.
    Truth(u32),
    /// The conjunction of two literals, the smaller one first.
    Both(Lit, Lit),
}

impl Size for Leaf {
    fn size(&self) -> usize {
        match self {
            Leaf::Variable(op) => op.size(),
            Leaf::Read(_, index) => 1 + index.size(),
            Leaf::Quotient(form, divisor) => form.size() + divisor.size(),
        }
    }
}

impl Size for Array {
    fn size(&self) -> usize {
        match self {
            Array::Variable(op) => op.size(),
            Array::Store(_, index, value) => 1 + index.size() + value.size(),
        }
    }
}

impl Size for Value {
    fn size(&self) -> usize {
        match self {
            Value::Int(form) => form.size(),
            Value::Bool(_) | Value::Array(_) => 1,
        }
    }
}

impl Size for Variable {
    fn size(&self) -> usize {
        match self {
            Variable::AtMost(form) => form.size(),
            Variable::True | Variable::Truth(_) | Variable::Both(..) => 1,
        }
    }
}

//! Formulas and terms, flat (SPEC.md section 3).
//!
//! An expression is its operators in postfix order. So there is no recursion anywhere: sort
//! checking, evaluation and the clausal form are stack machines, and substitution is splicing.

use crate::Int;
use crate::work::Seq;
use serde::{Deserialize, Serialize};

/// The sorts of the logic. `Int` is the mathematical integers; arrays are total maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sort {
    /// Mathematical integers.
    Int,
    /// Truth values.
    Bool,
    /// Total maps from integers to integers.
    IntArray,
    /// Total maps from integers to truth values.
    BoolArray,
}

impl Sort {
    /// The sort of an array's elements; `None` if this is not an array.
    pub fn element(self) -> Option<Sort> {
        match self {
            Sort::IntArray => Some(Sort::Int),
            Sort::BoolArray => Some(Sort::Bool),
            Sort::Int | Sort::Bool => None,
        }
    }
}

/// Comparisons. `Eq` and `Ne` compare two integers or two truth values, the others two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Cmp {
    /// `==`
    #[serde(rename = "==")]
    Eq,
    /// `!=`
    #[serde(rename = "!=")]
    Ne,
    /// `<`
    #[serde(rename = "<")]
    Lt,
    /// `<=`
    #[serde(rename = "<=")]
    Le,
    /// `>`
    #[serde(rename = ">")]
    Gt,
    /// `>=`
    #[serde(rename = ">=")]
    Ge,
}

impl Cmp {
    /// Whether the comparison holds of two values.
    pub fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Cmp::Eq => left == right,
            Cmp::Ne => left != right,
            Cmp::Lt => left < right,
            Cmp::Le => left <= right,
            Cmp::Gt => left > right,
            Cmp::Ge => left >= right,
        }
    }
}

/// One operator of an expression in postfix order.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone))]
pub enum Op {
    /// An integer literal.
    #[serde(rename = "i")]
    Int(Int),
    /// A truth value.
    #[serde(rename = "b")]
    Bool(bool),
    /// A global, or a local of a single template: an index into `Program::globals`.
    #[serde(rename = "g")]
    Global(u32),
    /// A local of the thread at a position: position, index into its template's locals.
    /// In a command the acting thread has position 0.
    #[serde(rename = "l")]
    Local(u32, u32),
    /// A nondeterministic value of the command: an index into `Edge::inputs`.
    #[serde(rename = "u")]
    Input(u32),
    /// How many threads of a template are at a location: template, location. Of sort Int.
    #[serde(rename = "n")]
    Count(u32, u32),
    /// Int, Int -> Int.
    #[serde(rename = "+")]
    Add,
    /// Int, Int -> Int.
    #[serde(rename = "-")]
    Sub,
    /// Int -> Int, times a constant.
    #[serde(rename = "*")]
    Scale(Int),
    /// Int -> Int: the quotient by a constant of at least 2, rounded down.
    #[serde(rename = "/")]
    Div(Int),
    /// Int -> Int: the remainder of `Div`, at least 0 and below the constant.
    #[serde(rename = "%")]
    Mod(Int),
    /// Array, Int -> element.
    #[serde(rename = "[]")]
    Select,
    /// Array, Int, element -> Array.
    #[serde(rename = "[:=]")]
    Store,
    /// A comparison.
    #[serde(rename = "c")]
    Cmp(Cmp),
    /// Bool -> Bool.
    #[serde(rename = "!")]
    Not,
    /// Bool, Bool -> Bool.
    #[serde(rename = "&&")]
    And,
    /// Bool, Bool -> Bool.
    #[serde(rename = "||")]
    Or,
}

impl Op {
    /// How many operands the operator takes off the stack.
    pub fn arity(&self) -> usize {
        match self {
            Op::Int(_) | Op::Bool(_) => 0,
            Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..) => 0,
            Op::Scale(_) | Op::Div(_) | Op::Mod(_) | Op::Not => 1,
            Op::Add | Op::Sub | Op::Select | Op::Cmp(_) | Op::And | Op::Or => 2,
            Op::Store => 3,
        }
    }

    /// Whether it is a variable, an input or a counter: what a state or a step gives a value to.
    pub fn is_symbol(&self) -> bool {
        matches!(self, Op::Global(_) | Op::Local(..) | Op::Input(_) | Op::Count(..))
    }
}

/// A term or formula: its operators in postfix order.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(not(threadproof_metered), derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord))]
#[serde(transparent)]
pub struct Expr(pub Seq<Op>);

impl Expr {
    /// The formula `true` or `false`.
    pub fn bool(value: bool) -> Self {
        Expr([Op::Bool(value)].into())
    }
}

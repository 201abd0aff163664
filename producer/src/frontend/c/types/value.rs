//! Values of C expressions: terms over the thread's own variables, each with its type and range
//! (interval analysis).

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::term;
use crate::frontend::c::types::{Integer, Type};
use num_bigint::BigInt;
use threadproof_format::Op;

/// A value: a term over the thread's own variables.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub term: Vec<Op>,
    pub ty: Type,
    /// Its range.
    pub low: BigInt,
    pub high: BigInt,
    /// For the address of an element with a variable index: its object.
    pub object: Option<usize>,
}

/// The range of a type's values.
pub(crate) fn range(ty: &Type) -> (BigInt, BigInt) {
    match ty.plain() {
        Type::Int(int) => (int.low(), int.high()),
        Type::Sync(_) => ((-1).into(), BigInt::from(i32::MAX)),
        // Pointers are as signed numbers of 64 bits, so that what is passed as a pointer comes back
        // as it was.
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

impl Value {
    /// A value in the range of its type.
    pub(crate) fn new(term: Vec<Op>, ty: Type) -> Self {
        let (low, high) = range(&ty);
        Value { term, ty, low, high, object: None }
    }

    pub(crate) fn constant(value: impl Into<BigInt>, ty: Type) -> Self {
        let value = value.into();
        let (low, high) = (value.clone(), value.clone());
        Value { term: term::int(value), ty, low, high, object: None }
    }

    /// What is in a variable that is 0 or 1.
    pub(crate) fn bit(variable: Op, ty: Type) -> Self {
        Value { term: vec![variable], ty, low: 0.into(), high: 1.into(), object: None }
    }

    pub(crate) fn as_constant(&self) -> Option<&BigInt> {
        term::constant(&self.term)
    }

    /// The integer type of the value, which is a number.
    pub(crate) fn integer(&self, at: usize) -> Lower<Integer> {
        self.ty.integer().ok_or_else(|| Fault::unsupported(at, "this operator on such a value"))
    }
}

/// What has no value.
pub(crate) fn void() -> Value {
    Value::constant(0, Type::Void)
}

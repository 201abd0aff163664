//! Places: what lvalues designate, and the cells that a place may be.

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::term;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use num_bigint::BigInt;
use threadproof_format::Op;

/// The range of a cell's values; none for all cells of an array at once.
pub(crate) type Range = Option<(BigInt, BigInt)>;

/// What an expression refers to.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) target: Target,
    pub ty: Type,
    pub at: usize,
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// Cells of an object from the one at an offset, with the offset's range.
    Object(usize, Value),
    /// What is at an address.
    Address(Vec<Op>),
    Function(String),
}

/// One cell that a place may be.
pub(crate) struct Cell {
    /// When it is this one.
    pub when: Vec<Op>,
    pub variable: Op,
    /// The index in an array.
    pub index: Option<Vec<Op>>,
    /// Whether an element may be out of its type's range.
    pub undefined: bool,
    pub bound: Option<Value>,
    pub shared: bool,
}

/// One way to change a place.
pub(crate) struct Change {
    pub when: Vec<Op>,
    pub value: Option<Vec<Op>>,
    pub set: Vec<(Op, Vec<Op>)>,
}

/// A value moved by a constant.
pub(crate) fn shifted(value: Value, by: &BigInt) -> Value {
    let term = term::add(&value.term, &term::int(by.clone()));
    Value { term, low: &value.low + by, high: &value.high + by, ..value }
}

/// Whether a cell of a type may be accessed as one of another.
pub(crate) fn same_type(cell: &Type, access: &Type) -> bool {
    match (cell.plain(), access.plain()) {
        (Type::Int(a), Type::Int(b)) => a == b,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (a, b) => a == b,
    }
}

impl Place {
    /// The same, accessed atomically.
    pub(crate) fn atomic(self) -> Self {
        let ty = Type::Atomic(self.ty.plain().clone().into());
        Place { ty, ..self }
    }

    /// A cell of this place, by its number.
    pub(crate) fn part(&self, cell: usize, ty: Type) -> Place {
        let skipped = BigInt::from(cell);
        let target = match self.target.clone() {
            Target::Object(object, offset) => Target::Object(object, shifted(offset, &skipped)),
            Target::Address(address) => Target::Address(term::add(&address, &term::int(skipped))),
            function => function,
        };
        Place { target, ty, at: self.at }
    }
}

impl Cell {
    pub(crate) fn read(&self) -> Vec<Op> {
        match (&self.bound, &self.index) {
            (Some(value), _) => value.term.clone(),
            (None, Some(index)) => term::select(self.variable.clone(), index),
            (None, None) => vec![self.variable.clone()],
        }
    }

    pub(crate) fn write(&self, command: Command, value: &[Op]) -> Command {
        let value = match &self.index {
            Some(index) => term::store(self.variable.clone(), index, value),
            None => value.to_vec(),
        };
        command.set(self.variable.clone(), value)
    }
}

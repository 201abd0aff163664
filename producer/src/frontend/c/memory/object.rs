//! Objects: the variables, strings and allocations of the C program, each made of scalar cells.

use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use num_bigint::BigInt;
use threadproof_format::Op;

/// Addresses begin here: those of objects, and behind them those of functions. What is less is a
/// number.
pub(crate) const FIRST_ADDRESS: u64 = 1 << 62;

/// Addresses of functions begin here.
pub(crate) const FIRST_FUNCTION: u64 = FIRST_ADDRESS + (1 << 61);

/// Where an object's cells are.
#[derive(Clone, Debug)]
pub(crate) enum Storage {
    /// A variable for each cell.
    Cells(Vec<Op>),
    /// One array for all cells.
    Array(Op),
    /// A parameter that always has this value.
    Bound(Value),
}

/// An object: a variable of the C program.
#[derive(Clone, Debug)]
pub(crate) struct Object {
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

/// What tells allocated objects apart: the thread, and the calls and iterations that lead to it.
pub(crate) type Key = (usize, Vec<usize>);

/// An object that is allocated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Allocated {
    pub ty: Type,
    /// What its cells are at the start; any if nothing is said, zero behind the list.
    pub init: Option<Vec<BigInt>>,
    pub at: usize,
}

//! What the interpreter executes: instructions of a stack machine.

use super::integer::{Binary, Int};

/// A value. A null pointer is the integer 0, as an argument of a thread may be a pointer or a
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Int(i128),
    Address(Address),
    /// A function, by its number.
    Function(usize),
    /// No value was ever stored.
    Unset,
}

/// A cell, and the object that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// Whose variable it is, if not of all threads.
    pub thread: Option<usize>,
    pub cell: usize,
    /// The cells of the object: the first one, and the one behind the last.
    pub object: (usize, usize),
    /// Whether an access is a step.
    pub shared: bool,
}

/// Operators on one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Minus,
    Complement,
}

/// What an access that reads and writes at once makes of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// As the operator does with an operand of this type: what overflows is undefined.
    Operator(Binary, Int),
    Exchange,
}

/// Instructions. Operands are taken from the stack, the last one first.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Push(Value),
    Global(usize, usize),
    /// An automatic variable: its cell in the frame, its cells, and whether its address is taken.
    Local(usize, usize, bool),
    ThreadLocal(usize, usize),
    /// An element of an array: address, index. The element's cells, and how many elements there
    /// are.
    Element(usize, usize),
    /// A pointer plus (or minus) an integer: the cells of what it points to.
    Offset(usize, bool),
    /// A member: its first cell and its cells.
    Member(usize, usize),
    Load,
    /// Value, address; the value stays.
    Store,
    Pop,
    Dup,
    Swap,
    Convert(Int),
    /// Whether it is not 0.
    Truth,
    Sign(Sign, Int),
    Binary(Binary, Int, Int),
    SamePointer,
    Jump(usize),
    JumpUnless(usize),
    JumpIf(usize),
    Call(usize),
    /// Of a pointer that lies below so many arguments.
    CallPointer(usize),
    Return,
    /// Address, value: the old value, the new one, the address.
    Stepped(Int, bool),
    Any(Int),
    Assume,
    Assert(usize),
    Observe(usize),
    /// Address, value; what is left is the new value or the old one.
    Update {
        change: Change,
        kind: Int,
        new: bool,
    },
    /// Address, address of what is expected, value; a weak one: whether it may succeed.
    CompareExchange {
        kind: Int,
        weak: bool,
    },
    /// Address, expected, value; what is left is the old value, or whether they were equal.
    CompareSwap {
        kind: Int,
        old: bool,
    },
    AtomicBegin,
    AtomicEnd,
    Lock,
    Unlock,
    TryLock,
    ReadLock,
    WriteLock,
    TryReadLock,
    TryWriteLock,
    ReadWriteUnlock,
    /// Address, function; where to go on if it was called before.
    Once(usize),
    OnceDone,
    Create,
    Join,
    /// The end of the program.
    Exit,
    /// The end of the thread.
    End,
}

/// A function: its first instruction, and the cells of its variables, the parameters first.
#[derive(Clone, Debug, Default)]
pub struct Routine {
    pub entry: usize,
    pub cells: usize,
    pub params: usize,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Code {
    pub ops: Vec<Op>,
    pub routines: Vec<Routine>,
    /// Cells of variables that all threads share, and of those that each thread has.
    pub cells: (usize, usize),
    /// Where the initial values are set. It ends with `Op::Exit`.
    pub boot: usize,
    pub main: usize,
}

/// Where a thread returns to from its first function: the instructions `End` and `Exit`.
pub const END: usize = 0;
pub const EXIT: usize = 1;

//! Threads: the templates that the program creates, and how it names them.

pub(crate) mod free;

use crate::frontend::c::steps::value::Value;
use num_bigint::BigInt;
use threadproof_format::Op;

/// A place in the program at which a thread is created: the calls that lead to it, its own place, and the rounds of
/// unrolled loops.
pub(crate) type Site = (usize, Vec<usize>);

/// What tells templates of many threads apart: the function, and the argument if it is a constant.
pub(crate) type ManyKey = (String, Option<BigInt>);

/// What a thread is created with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    Constant(Value),
    Left(Op, BigInt, BigInt),
}

/// A template to be made.
#[derive(Clone, Debug)]
pub(crate) struct Spawned {
    pub function: String,
    pub many: bool,
    /// The functions of the threads that led to its creation.
    pub chain: Vec<String>,
    /// Whether any number of them exist at once, once one has been created.
    pub free: bool,
    /// 1 once it has been created, or, of many threads that are not `free`, while one waits to start.
    pub created: Op,
    /// What is 1 once it has ended, and what takes its result; of a single thread.
    pub ended: Option<(Op, Op)>,
    /// Where one of many threads finds its number, if it has one.
    pub number: Option<Op>,
    /// The argument, if it is a constant, or where it is left.
    pub argument: Argument,
    /// The place of a creation, for errors.
    pub at: usize,
}

/// What is known of threads that are created in loops, by their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Numbers {
    /// The number of the thread that was created last.
    pub last: Op,
    /// For each number 1 once the thread has ended.
    pub ended: Op,
    /// For each number what the thread has given.
    pub results: Op,
}

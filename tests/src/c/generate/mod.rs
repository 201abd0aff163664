//! Random programs.

mod expression;
mod library;
mod program;
mod statement;
mod threads;

use super::ast::{Expr, Int, Unit};
use crate::source::Source;
use quickcheck::Gen;

/// What programs are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// One thread, all integer types, nothing undefined or unspecified: to be compiled as well.
    Compiled,
    /// Threads that interleave, with few and small values.
    Threads,
}

/// The program with this seed.
pub fn generate(purpose: Purpose, seed: u64) -> Unit {
    let mut random = Gen::from_size_and_seed(10, seed);
    let mut source = Source(&mut random);
    let mut writer = Writer {
        source: &mut source,
        purpose,
        scope: Scope::default(),
        names: 0,
        functions: Vec::new(),
    };
    match purpose {
        Purpose::Compiled => writer.sequential(),
        Purpose::Threads => writer.threads(),
    }
}

/// An integer variable, or a part of one, as it is written.
#[derive(Clone, Debug)]
struct Place {
    e: Expr,
    kind: Int,
    atomic: bool,
}

/// What is in scope.
#[derive(Clone, Debug, Default)]
struct Scope {
    places: Vec<Place>,
    /// What is only read: counters of loops.
    counters: Vec<Place>,
    /// Arrays of integers, and pointers to their first elements: how they are written, types,
    /// lengths.
    arrays: Vec<(Expr, Int, usize)>,
    /// Arrays of two rows, and arrays of two structures with a member.
    grids: Vec<(String, Int, Option<String>)>,
    /// Variables whose address may be taken, and those of which it is not kept behind their scope.
    addressable: Vec<Place>,
    automatic: Vec<Place>,
    /// Pointers to integers of a type.
    pointers: Vec<(Expr, Int)>,
    /// Locks: mutexes, locks for readers and writers, spin locks.
    mutexes: Vec<String>,
    read_write: Vec<String>,
    spins: Vec<String>,
    conditions: Vec<String>,
    /// Whether there is a function that is called once.
    once: bool,
    in_loop: bool,
    in_switch: bool,
    in_atomic: bool,
    /// What a `return` takes.
    result: Option<Option<Int>>,
}

/// A function that can be called.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    /// Whether the first parameter is a pointer to this type.
    pointer: Option<Int>,
    params: Vec<Int>,
    result: Option<Int>,
    atomic: bool,
}

struct Writer<'s, 'g> {
    source: &'s mut Source<'g>,
    purpose: Purpose,
    scope: Scope,
    /// Names that were made up.
    names: usize,
    functions: Vec<Signature>,
}

impl Writer<'_, '_> {
    /// A name that no other variable has.
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn compiled(&self) -> bool {
        self.purpose == Purpose::Compiled
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        if list.is_empty() { None } else { Some(list[self.source.below(list.len())].clone()) }
    }
}

//! Guarded simultaneous updates with inputs: the commands of a control-flow automaton.

use crate::frontend::c::steps::variable::number;
use crate::frontend::c::term;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Op;

/// What an edge does to shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Access {
    None,
    /// It waits for what is handed over. Once possible it stays so, and finds the same.
    Acquire,
    Read,
    /// It hands something over, for which others only wait.
    Release,
    Write,
}

/// A fresh value of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Input {
    pub name: String,
    /// The range of an integer; none for an array.
    pub range: Option<(BigInt, BigInt)>,
}

/// A guarded simultaneous update with inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Command {
    /// Fresh values. Of an integer the range is given.
    pub inputs: Vec<Input>,
    /// All of them have to hold.
    pub guard: Vec<Vec<Op>>,
    pub updates: BTreeMap<Op, Vec<Op>>,
}

impl Access {
    /// That of two steps merged into one.
    pub(crate) fn then(self, next: Access) -> Access {
        match (self, next) {
            (Access::Acquire | Access::Read, Access::Release)
            | (Access::Release, Access::Acquire | Access::Read) => Access::Write,
            (a, b) => a.max(b),
        }
    }
}

impl Command {
    /// Adds a condition.
    pub(crate) fn when(mut self, formula: Vec<Op>) -> Self {
        if formula != [Op::Bool(true)] {
            self.guard.push(formula);
        }
        self
    }

    /// Adds an update.
    pub(crate) fn set(mut self, variable: Op, value: Vec<Op>) -> Self {
        self.updates.insert(variable, value);
        self
    }

    /// Adds a value in a range.
    pub(crate) fn input(&mut self, name: &str, low: BigInt, high: BigInt) -> Op {
        self.fresh(name, Some((low, high)))
    }

    /// Adds an array with any elements.
    pub(crate) fn array(&mut self, name: &str) -> Op {
        self.fresh(name, None)
    }

    fn fresh(&mut self, name: &str, range: Option<(BigInt, BigInt)>) -> Op {
        self.inputs.push(Input { name: name.to_owned(), range });
        Op::Input(u32::try_from(self.inputs.len() - 1).expect("few inputs"))
    }

    /// The operators of guard and updates.
    pub(crate) fn ops(&self) -> impl Iterator<Item = &Op> {
        self.guard.iter().flatten().chain(self.updates.values().flatten())
    }

    /// What this does, where some variables hand things over: each is written once, and only read
    /// by who has waited for it.
    pub(crate) fn access(&self, handed: &BTreeSet<Op>) -> Access {
        let shared = |op: &&Op| matches!(op, Op::Global(_));
        let mut reads = self.ops().filter(shared).peekable();
        let mut writes = self.updates.keys().filter(shared).peekable();
        match (reads.peek().is_some(), writes.peek().is_some()) {
            (false, false) => Access::None,
            (true, false) if reads.all(|op| handed.contains(op)) => Access::Acquire,
            (true, false) => Access::Read,
            (false, true) if writes.all(|op| handed.contains(op)) => Access::Release,
            (_, true) => Access::Write,
        }
    }

    /// This command and then another, as one. None if it can never be taken.
    pub(crate) fn then(&self, next: &Command) -> Option<Command> {
        let offset = self.inputs.len();
        let shifted = |i: u32| i + u32::try_from(offset).expect("few inputs");
        let inputs = (0..next.inputs.len()).map(number);
        let mut values = self.updates.clone();
        values.extend(inputs.map(|i| (Op::Input(i), vec![Op::Input(shifted(i))])));
        let replace = |ops: &Vec<Op>| term::replaced(ops, &values);
        let mut out = self.clone();
        out.inputs.extend(next.inputs.iter().cloned());
        for formula in next.guard.iter().map(replace) {
            match formula.as_slice() {
                [Op::Bool(true)] => {}
                [Op::Bool(false)] => return None,
                _ if out.guard.contains(&formula) => {}
                _ => out.guard.push(formula),
            }
        }
        out.updates.extend(next.updates.iter().map(|(v, e)| (v.clone(), replace(e))));
        out.updates.retain(|variable, value| value.as_slice() != [variable.clone()]);
        Some(out)
    }

    pub(crate) fn size(&self) -> usize {
        self.ops().count()
    }
}

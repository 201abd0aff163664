//! What is checked on request: conditions that lead to an error where they do not hold, and are assumed otherwise.

use super::fault::Lower;
use super::graph::{Command, Node};
use super::lower::{Lowering, Thread, Value};
use super::place::{Cell, Place};
use super::term::{and, between, compare, int, not, or};
use super::types::DataModel;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op};

/// What C programs are checked for besides their assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Check {
    /// Signed integer arithmetic whose result does not fit its type
    Overflow,
    /// Indices and pointers beyond their objects
    Bounds,
    /// Two threads at conflicting accesses, not both of them atomic
    Race,
}

impl Check {
    /// The name of its error locations.
    pub(super) fn label(self) -> &'static str {
        match self {
            Check::Overflow => "overflow",
            Check::Bounds => "bounds",
            Check::Race => "race",
        }
    }

    pub(super) fn says(self) -> &'static str {
        match self {
            Check::Overflow => "signed overflow",
            Check::Bounds => "out of bounds",
            Check::Race => "data race",
        }
    }
}

/// How C programs are taken.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// The widths of C's types
    #[arg(long, value_name = "MODEL", value_enum, ignore_case = true, default_value_t)]
    pub data_model: DataModel,
    /// Check a C program for this, too; may be repeated
    #[arg(long = "check", value_name = "WHAT", value_enum, value_delimiter = ',')]
    pub checks: Vec<Check>,
}

impl From<DataModel> for Options {
    fn from(data_model: DataModel) -> Self {
        Options { data_model, checks: Vec::new() }
    }
}

/// What the claim says of the checks.
pub(super) fn stated(checks: &[Check]) -> Option<String> {
    let all = [Check::Overflow, Check::Bounds, Check::Race].into_iter();
    let list: Vec<String> = all
        .filter(|check| checks.contains(check))
        .map(|check| format!("{} ({}_...)", check.says(), check.label()))
        .collect();
    let list = list.join(", ");
    (!list.is_empty()).then(|| {
        format!("errors are failing assertions (error_...) and: {list}; none has a location where the translation excludes it")
    })
}

impl Lowering<'_> {
    pub(super) fn checked(&self, check: Check) -> bool {
        self.checks.contains(&check)
    }

    /// Goes on where all conditions hold: else it is an error if that is checked, and otherwise assumed not to happen.
    pub(super) fn require(
        &mut self,
        check: Check,
        conditions: Vec<Vec<Op>>,
        at: usize,
    ) -> Lower<()> {
        if self.checked(check) {
            for condition in &conditions {
                self.error(check, Command::default().when(not(condition)), at);
            }
        } else {
            self.assumed.overflow |= check == Check::Overflow;
            self.assumed.bounds |= check == Check::Bounds;
        }
        let holds = conditions.into_iter().fold(Command::default(), Command::when);
        self.step(vec![holds], !self.checked(check))
    }

    /// The program goes wrong here: nothing follows.
    pub(super) fn violated(&mut self, check: Check, at: usize) {
        self.error(check, Command::default(), at);
        self.nowhere();
    }

    /// An edge to the error location of a place.
    fn error(&mut self, check: Check, command: Command, at: usize) {
        if command.guard.contains(&vec![Op::Bool(false)]) {
            return;
        }
        let note = self.note(Some(check.says()));
        let error = self.t.error(check.label(), at);
        self.t.graph.edge(self.t.current, error, command, note);
    }

    /// Where none of the cells that a place may be is meant, it is an error if that is checked. Whether it may be that
    /// nothing follows.
    pub(super) fn beyond(&mut self, cells: &[Cell], partial: bool, at: usize) -> bool {
        let conditions = cells.iter().map(|cell| &cell.when);
        partial && self.none_of(conditions, at)
    }

    /// A place that is used in a way that changes nothing of the model has to be there, if that is checked.
    pub(super) fn used(&mut self, place: &Place) -> Lower<()> {
        if self.checked(Check::Bounds) {
            let (cells, partial) = self.cells(place)?;
            self.beyond(&cells, partial, place.at);
        }
        Ok(())
    }

    /// As [`Self::beyond`], with the conditions of what may be meant.
    pub(super) fn none_of<'c>(
        &mut self,
        conditions: impl Iterator<Item = &'c Vec<Op>>,
        at: usize,
    ) -> bool {
        let checked = self.checked(Check::Bounds);
        if checked {
            let command = conditions.fold(Command::default(), |c, when| c.when(not(when)));
            self.error(Check::Bounds, command, at);
        }
        !checked
    }

    /// `pointer + sign * index`: if bounds are checked, it stays in its object, or comes to be right behind.
    pub(super) fn moved(
        &mut self,
        pointer: Value,
        index: &Value,
        sign: i8,
        at: usize,
    ) -> Lower<Value> {
        let to = self.advance(pointer.clone(), index, sign, at)?;
        if !self.checked(Check::Bounds) || pointer.term == to.term {
            return Ok(to);
        }
        if let Some(object) = self.object_at(&pointer) {
            let (first, end) = self.extent(object);
            if to.low >= first && to.high <= end {
                return Ok(to);
            }
            if to.as_constant().is_some() {
                self.violated(Check::Bounds, at);
                return Ok(pointer);
            }
            let conditions = [(Cmp::Ge, &first), (Cmp::Le, &end)]
                .map(|(cmp, bound)| compare(cmp, &to.term, &int(bound.clone())));
            self.require(Check::Bounds, conditions.to_vec(), at)?;
            return Ok(Value { low: to.low.max(first), high: to.high.min(end), ..to });
        }
        let mut inside = vec![Op::Bool(false)];
        self.uses_pointers();
        for object in self.targets() {
            let (first, end) = self.extent(object);
            let both = [&pointer.term, &to.term].map(|term| between(&first, term, &end));
            inside = or(&inside, &and(&both[0], &both[1]));
        }
        self.require(Check::Bounds, vec![inside], at)?;
        Ok(to)
    }

    /// The addresses of an object's first cell and of what is right behind its last one.
    fn extent(&self, object: usize) -> (BigInt, BigInt) {
        let object = &self.objects[object];
        (object.address.clone(), &object.address + object.cells.len())
    }
}

impl Thread {
    /// The error location of a place, by the kind of error.
    pub(super) fn error(&mut self, label: &str, at: usize) -> usize {
        let graph = &mut self.graph;
        let new =
            || graph.node(Node { error: true, label: label.to_owned(), at, ..Node::default() });
        *self.errors.entry((label.to_owned(), at)).or_insert_with(new)
    }
}

//! Checks on request: a condition leads to an error location where it does not hold, and is an
//! assumption of the claim if it is not checked.

use crate::frontend::c::check::Check;
use crate::frontend::c::error::Lower;
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::place::{Cell, Place};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::thread_graph::DataAccess;
use crate::frontend::c::term::{add, and, between, compare, int, not, or};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use threadproof_format::{Cmp, Op};

impl Lowering<'_> {
    /// Goes on where all conditions hold: else it is an error if that is checked, and otherwise
    /// assumed not to happen.
    pub(crate) fn require(
        &mut self,
        check: Check,
        conditions: Vec<Vec<Op>>,
        at: usize,
    ) -> Lower<()> {
        if self.checks.asked(check) {
            for condition in &conditions {
                self.error(check, Command::default().when(not(condition)), at);
            }
        } else {
            self.assumed.overflow |= check == Check::Overflow;
            self.assumed.bounds |= check == Check::Bounds;
        }
        let holds = conditions.into_iter().fold(Command::default(), Command::when);
        self.steps.step(vec![holds], !self.checks.asked(check))
    }

    /// The program goes wrong here: nothing follows.
    pub(crate) fn violated(&mut self, check: Check, at: usize) {
        self.error(check, Command::default(), at);
        self.steps.nowhere();
    }

    /// An edge to the error location of a place.
    fn error(&mut self, check: Check, command: Command, at: usize) {
        if command.guard.contains(&vec![Op::Bool(false)]) {
            return;
        }
        self.steps.fails(check.label(), check.says(), command, at);
    }

    /// Where none of the cells that a place may be is meant, it is an error if that is checked.
    /// Whether it may be that nothing follows.
    pub(crate) fn beyond(&mut self, cells: &[Cell], partial: bool, at: usize) -> bool {
        let conditions = cells.iter().map(|cell| &cell.when);
        partial && self.none_of(conditions, at)
    }

    /// A place that is used in a way that changes nothing of the model has to be there, if that is
    /// checked.
    pub(crate) fn used(&mut self, place: &Place) -> Lower<()> {
        if self.checks.asked(Check::Bounds) {
            let (cells, partial) = self.cells(place)?;
            self.beyond(&cells, partial, place.at);
        }
        Ok(())
    }

    /// As [`Self::beyond`], with the conditions of what may be meant.
    pub(crate) fn none_of<'c>(
        &mut self,
        conditions: impl Iterator<Item = &'c Vec<Op>>,
        at: usize,
    ) -> bool {
        let checked = self.checks.asked(Check::Bounds);
        if checked {
            let command = conditions.fold(Command::default(), |c, when| c.when(not(when)));
            self.error(Check::Bounds, command, at);
        }
        !checked
    }

    /// `pointer + sign * index`: if bounds are checked, it stays in its object, or comes to be
    /// right behind.
    pub(crate) fn moved(
        &mut self,
        pointer: Value,
        index: &Value,
        sign: i8,
        at: usize,
    ) -> Lower<Value> {
        let to = self.advance(pointer.clone(), index, sign, at)?;
        if !self.checks.asked(Check::Bounds) || pointer.term == to.term {
            return Ok(to);
        }
        if let Some(object) = self.memory.object_at(&pointer) {
            let (first, end) = self.memory.extent(object);
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
        self.memory.uses_pointers();
        for object in self.memory.targets(&self.facts.known.exposed) {
            let (first, end) = self.memory.extent(object);
            let both = [&pointer.term, &to.term].map(|term| between(&first, term, &end));
            inside = or(&inside, &and(&both[0], &both[1]));
        }
        self.require(Check::Bounds, vec![inside], at)?;
        Ok(to)
    }

    /// Puts down an access that happens in the next step, in one case of it.
    pub(crate) fn accessed(
        &mut self,
        cell: &Cell,
        place: &Place,
        case: Option<&[Op]>,
        write: bool,
    ) {
        let Op::Global(i) = cell.variable else { return };
        if !self.checks.asked(Check::Race) || matches!(place.ty.plain(), Type::Sync(_)) {
            return;
        }
        let mut when = Command::default().when(cell.when.clone());
        if let Some(case) = case {
            when = when.when(case.to_vec());
        }
        let name = &self.memory.shared[i as usize].name;
        let doing = if write { "write" } else { "read" };
        let said = [format!("about to {doing} `{name}`"), format!("data race on `{name}`")];
        self.thread.accesses.push(DataAccess {
            node: self.steps.here(),
            when,
            variable: i,
            cell: cell.index.as_ref().map_or(int(1), |index| add(index, &int(1))),
            write,
            atomic: place.ty.is_atomic() || self.steps.depth() > 0,
            notes: said.map(|said| self.steps.note(Some(&said))),
            at: place.at,
        });
    }
}

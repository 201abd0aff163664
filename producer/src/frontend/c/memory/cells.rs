//! The cells of an object at an offset: each with the condition on the offset under which it is
//! meant.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::memory::Memory;
use crate::frontend::c::memory::object::{Object, Storage};
use crate::frontend::c::memory::place::{Cell, same_type};
use crate::frontend::c::term;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op};

/// Cells, and whether the offset may be none of them.
pub(crate) type Cells = (Vec<Cell>, bool);

/// What an access through a pointer gets wrong.
const OTHER_TYPE: &str = "access through a pointer to another type";

impl Memory {
    /// The cells of an object at an offset; and whether the offset may be none of them.
    pub(crate) fn cells_at(
        &self,
        object: usize,
        offset: &Value,
        ty: &Type,
        at: usize,
    ) -> Lower<Cells> {
        let o = self.object(object);
        let end = BigInt::from(o.cells.len());
        if offset.as_constant().is_some_and(|i| *i < BigInt::from(0) || *i >= end) {
            return Err(Fault::wrong(at, format!("an index beyond `{}`", o.name)));
        }
        match &o.storage {
            Storage::Bound(value) => {
                let cell = o.cell(vec![Op::Bool(true)], Op::Bool(true));
                Ok((vec![Cell { bound: Some(value.clone()), ..cell }], false))
            }
            Storage::Cells(list) => o.scalars(list, offset, ty, at),
            Storage::Array(variable) => o.elements(variable, offset, ty, at),
        }
    }
}

impl Object {
    fn cell(&self, when: Vec<Op>, variable: Op) -> Cell {
        let (undefined, shared) = (self.undefined, self.shared);
        Cell { when, variable, index: None, undefined, bound: None, shared }
    }

    fn is_outside(&self, offset: &Value) -> bool {
        offset.low < BigInt::from(0) || offset.high >= BigInt::from(self.cells.len())
    }

    /// Those of the cells with a variable each.
    fn scalars(&self, list: &[Op], offset: &Value, ty: &Type, at: usize) -> Lower<Cells> {
        let (mut out, mut skipped) = (Vec::new(), false);
        for (i, (variable, cell_type)) in list.iter().zip(&self.cells).enumerate() {
            let when = term::compare(Cmp::Eq, &offset.term, &term::int(i));
            if when == [Op::Bool(false)] {
                continue;
            }
            if same_type(cell_type, ty) {
                out.push(self.cell(when, variable.clone()));
            } else if offset.as_constant().is_some() {
                return Err(Fault::unsupported(at, OTHER_TYPE));
            } else {
                skipped = true;
            }
        }
        if out.is_empty() {
            return Err(Fault::unsupported(at, OTHER_TYPE));
        }
        Ok((out, self.is_outside(offset) || skipped))
    }

    /// The element of an array.
    fn elements(&self, array: &Op, offset: &Value, ty: &Type, at: usize) -> Lower<Cells> {
        if !self.cells.iter().all(|c| same_type(c, ty)) && offset.as_constant().is_none() {
            return Err(Fault::unsupported(at, "a variable index of an array of structures"));
        }
        let (outside, last) = (self.is_outside(offset), BigInt::from(self.cells.len()) - 1);
        let when = match outside {
            true => term::between(&BigInt::from(0), &offset.term, &last),
            false => vec![Op::Bool(true)],
        };
        let index = Some(offset.term.clone());
        Ok((vec![Cell { index, ..self.cell(when, array.clone()) }], outside))
    }
}

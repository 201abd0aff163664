//! What a check does with its budget besides work: lookups by number, and what it holds at one time
//! (SPEC.md section 11).

use crate::error::Reason;
use std::cell::Cell;
use threadproof_format::Int;
use threadproof_format::limits::{MAX_BITS, MAX_HELD};
use threadproof_format::work::{Budget, List as _, Seq};

/// Looks an element up; a number that names nothing is an error.
pub(crate) fn get<'a, T>(
    list: &'a Seq<T>,
    index: u32,
    what: &'static str,
    budget: &Budget,
) -> Result<&'a T, Reason> {
    list.at(index, budget)?.ok_or(Reason::Index(what))
}

/// A list's length or index as a number of the format.
pub(crate) fn number(value: usize) -> Result<u32, Reason> {
    u32::try_from(value).map_err(|_| Reason::Limit("elements of a list"))
}

/// Whether a list ascends, each element above the one before; `below` compares two.
pub(crate) fn ascends<T>(
    list: &Seq<T>,
    budget: &Budget,
    below: impl Fn(&T, &T) -> Result<bool, Reason>,
) -> Result<bool, Reason> {
    let mut last = None;
    for item in list.walk(budget)? {
        if let Some(last) = last.replace(item)
            && !below(last, item)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// An integer that is not too long.
pub(crate) fn bounded(value: Int) -> Result<Int, Reason> {
    if value.bits() > MAX_BITS { Err(Reason::Limit("bits of an integer")) } else { Ok(value) }
}

/// How many elements are held that the certificate does not list (SPEC.md section 11).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held(Cell<usize>);

impl Held {
    /// Adds `amount`.
    ///
    /// # Errors
    /// `Limit` when it is too much.
    pub fn hold(&self, amount: usize) -> Result<(), Reason> {
        self.0.set(self.0.get().saturating_add(amount));
        if self.0.get() > MAX_HELD {
            return Err(Reason::Limit("elements held at one time"));
        }
        Ok(())
    }

    /// Takes off what is no longer held.
    pub fn release(&self, amount: usize) {
        self.0.set(self.0.get().saturating_sub(amount));
    }
}

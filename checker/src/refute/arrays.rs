//! Theory lemmas about arrays (SPEC.md section 6.3).
//!
//! Each lemma is a family of clauses; a step names one of them by its case.

use super::clauses::{ClausalForm, simplify};
use super::terms::{Array, Leaf, Value};
use crate::budget::get;
use crate::error::{Budget, Reason, RefutationReason};
use std::rc::Rc;
use threadproof_format::refutation::{Congruence, Linear, Lit, Read};
use threadproof_format::work::{List as _, Metered as _, Seq};

const MISFIT: Reason = Reason::Refutation(RefutationReason::ArrayLemma);

/// A leaf `select(store(below, written, value), index)`, taken apart.
struct ReadOverWrite {
    leaf: Value,
    below: u32,
    written: Linear,
    value: Value,
    index: Rc<Linear>,
}

fn array_read(form: &ClausalForm, leaf: u32, b: &Budget) -> Result<(u32, Rc<Linear>), Reason> {
    match get(form.leaves(), leaf, "leaf", b)? {
        Leaf::Read(array, index) => Ok((*array, index.clone())),
        Leaf::Variable(_) | Leaf::Quotient(..) => Err(MISFIT),
    }
}

fn value_of(
    form: &mut ClausalForm,
    array: u32,
    index: &Rc<Linear>,
    b: &Budget,
) -> Result<Value, Reason> {
    let (_, sort) = form.array(array, b)?.ok_or(MISFIT)?;
    let sort = *sort;
    form.leaf_value(Leaf::Read(array, index.clone()), sort, b)
}

fn over_write(form: &mut ClausalForm, leaf: u32, b: &Budget) -> Result<ReadOverWrite, Reason> {
    let (array, index) = array_read(form, leaf, b)?;
    let Some((Array::Store(below, written, value), _)) = form.array(array, b)? else {
        return Err(MISFIT);
    };
    let (below, written, value) = (*below, written.copy(b)?, value.copy(b)?);
    let leaf = value_of(form, array, &index, b)?;
    Ok(ReadOverWrite { leaf, below, written, value, index })
}

/// One of the two halves of an equality, by the lowest bit of the case.
fn half(
    form: &mut ClausalForm,
    case: u8,
    left: &Value,
    right: &Value,
    budget: &Budget,
) -> Result<Seq<Lit>, Reason> {
    let [forth, back] = form.equal_parts(left, right, budget)?;
    Ok(if case & 1 == 0 { forth } else { back })
}

/// `i < j or j < i or ...` of two indexes.
fn apart(form: &mut ClausalForm, i: &Linear, j: &Linear, b: &Budget) -> Result<Seq<Lit>, Reason> {
    Ok([form.at_most(i, j, 1, b)?, form.at_most(j, i, 1, b)?].into())
}

/// The clause with both parts.
fn finish(mut clause: Seq<Lit>, rest: Seq<Lit>, b: &Budget) -> Result<Seq<Lit>, Reason> {
    clause.add_all(rest.give(b)?, b)?;
    simplify(clause, b)?.ok_or(MISFIT)
}

/// `written < index or index < written or leaf = value`: half 0 or 1 of the equality by the case.
///
/// # Errors
/// `ArrayLemma` if the leaf is no read over a write; `Limit`.
pub fn read_hit(form: &mut ClausalForm, r: &Read, b: &Budget) -> Result<Seq<Lit>, Reason> {
    if r.case > 1 {
        return Err(MISFIT);
    }
    let read = over_write(form, r.leaf, b)?;
    let clause = apart(form, &read.written, &read.index, b)?;
    let half = half(form, r.case, &read.leaf, &read.value, b)?;
    finish(clause, half, b)
}

/// `written >= index or leaf = select(below, index)` (cases 0 and 1: the equality's halves), and
/// `index >= written or ...` (cases 2 and 3).
///
/// # Errors
/// As [`read_hit`].
pub fn read_miss(form: &mut ClausalForm, r: &Read, b: &Budget) -> Result<Seq<Lit>, Reason> {
    if r.case > 3 {
        return Err(MISFIT);
    }
    let read = over_write(form, r.leaf, b)?;
    let order = match r.case {
        0 | 1 => form.at_most(&read.written, &read.index, 1, b)?,
        _ => form.at_most(&read.index, &read.written, 1, b)?,
    };
    let below = form.read(read.below, &read.index, b)?;
    let half = half(form, r.case, &read.leaf, &below, b)?;
    finish([-order].into(), half, b)
}

/// `i < j or j < i or select(a, i) = select(a, j)`: half 0 or 1 of the equality by the case.
///
/// # Errors
/// `ArrayLemma` if the leaves are not two reads of one array; `Limit`.
pub fn congruence(form: &mut ClausalForm, c: &Congruence, b: &Budget) -> Result<Seq<Lit>, Reason> {
    let (array, i) = array_read(form, c.left, b)?;
    let (other, j) = array_read(form, c.right, b)?;
    if array != other || c.left >= c.right || c.case > 1 {
        return Err(MISFIT);
    }
    let (left, right) = (value_of(form, array, &i, b)?, value_of(form, array, &j, b)?);
    let clause = apart(form, &i, &j, b)?;
    let half = half(form, c.case, &left, &right, b)?;
    finish(clause, half, b)
}

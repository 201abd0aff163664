//! Values out of z3's models.

use super::encode;
use num_bigint::BigInt;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::{Int, Sort};
use z3::Model;
use z3::ast::{self, Dynamic};

/// Reads values from a model.
pub struct Reader<'a> {
    model: &'a Model,
    /// The indices at which the execution accesses arrays.
    indices: Vec<BigInt>,
}

impl<'a> Reader<'a> {
    /// A reader; `indices` are the terms at which arrays are accessed.
    pub fn new(model: &'a Model, indices: &[ast::Int]) -> Option<Self> {
        let terms = indices;
        let mut indices = Vec::new();
        for term in terms {
            indices.push(integer(model, &term.clone().into())?);
        }
        indices.sort();
        indices.dedup();
        Some(Reader { model, indices })
    }

    /// The value of a term.
    pub fn value(&self, term: &Dynamic, sort: Sort) -> Option<Value> {
        Some(match sort {
            Sort::Int => Value::Int(Int(integer(self.model, term)?)),
            Sort::Bool => Value::Bool(truth(self.model, term)?),
            Sort::IntArray => {
                let entry = |e: Dynamic| integer(self.model, &e);
                let entries = self.entries(term, entry)?;
                let zero = BigInt::ZERO;
                let rest = entries.into_iter().filter(|(_, v)| *v != zero);
                Value::IntArray(Int(zero.clone()), rest.map(|(i, v)| (i, Int(v))).collect())
            }
            Sort::BoolArray => {
                let entries = self.entries(term, |e| truth(self.model, &e))?;
                Value::BoolArray(false, entries.into_iter().filter(|(_, v)| *v).collect())
            }
        })
    }

    /// An array's elements at the indices that matter.
    fn entries<T>(
        &self,
        array: &Dynamic,
        read: impl Fn(Dynamic) -> Option<T>,
    ) -> Option<Vec<(Int, T)>> {
        let array = array.as_array()?;
        let entry = |i: &BigInt| {
            let element = array.select(&encode::numeral(i));
            Some((Int(i.clone()), read(element)?))
        };
        self.indices.iter().map(entry).collect()
    }
}

fn integer(model: &Model, term: &Dynamic) -> Option<BigInt> {
    let value = model.eval(term, true)?.as_int()?;
    match value.as_i64() {
        Some(small) => Some(small.into()),
        // A numeral prints as `5` or `(- 5)`.
        None => {
            let text = value.to_string();
            text.replace(['(', ')', ' '], "").parse().ok()
        }
    }
}

fn truth(model: &Model, term: &Dynamic) -> Option<bool> {
    model.eval(term, true)?.as_bool()?.as_bool()
}

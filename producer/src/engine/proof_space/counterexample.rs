//! Executions and initial states out of z3's models.

use super::facts::{Facts, index, number};
use super::linear::Var;
use super::trace::Trace;
use crate::solve::encode;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::{Int, Sort};
use z3::Model;
use z3::ast::Dynamic;

/// Reads values from a model.
struct Reader<'a> {
    model: &'a Model,
    /// The indices at which the execution accesses arrays.
    indices: Vec<BigInt>,
}

impl<'a> Reader<'a> {
    fn new(model: &'a Model, trace: &Trace) -> Option<Self> {
        let mut indices = Vec::new();
        for term in trace.indices() {
            indices.push(integer(model, &term.clone().into())?);
        }
        indices.sort();
        indices.dedup();
        Some(Reader { model, indices })
    }

    fn value(&self, term: &Dynamic, sort: Sort) -> Option<Value> {
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

/// The threads in the order that the format wants (by template), with the place of each.
fn order(trace: &Trace) -> (Vec<usize>, BTreeMap<usize, u32>) {
    let mut order: Vec<usize> = (0..trace.threads.len()).collect();
    order.sort_by_key(|t| trace.threads[*t]);
    let places = order.iter().enumerate().map(|(i, t)| (*t, number(i)));
    let places = places.collect();
    (order, places)
}

/// The initial state of a model of the trace.
pub fn start(facts: &Facts, trace: &Trace, model: &Model) -> Option<State> {
    let reader = Reader::new(model, trace)?;
    let program = facts.program;
    let mut globals = Vec::new();
    for (i, variable) in (0u32..).zip(&program.globals) {
        globals.push(reader.value(trace.initial(Var::Global(i)), variable.sort)?);
    }
    let mut threads = Vec::new();
    for t in order(trace).0 {
        let template = trace.threads[t];
        let mut locals = Vec::new();
        for (i, variable) in (0u32..).zip(&program.templates[index(template)].locals) {
            let term = trace.initial(Var::Local(number(t), i));
            locals.push(reader.value(term, variable.sort)?);
        }
        threads.push(Thread { locals, template });
    }
    Some(State { globals, threads })
}

/// The execution that a model of the whole trace describes.
pub fn execution(facts: &Facts, trace: &Trace, model: &Model) -> Option<Counterexample> {
    let reader = Reader::new(model, trace)?;
    let places = order(trace).1;
    let mut schedule = Vec::new();
    for (i, (command, thread)) in trace.steps.iter().enumerate() {
        let command = &facts.commands[*command];
        let mut inputs = Vec::new();
        for (term, sort) in trace.inputs(i).iter().zip(&command.inputs) {
            inputs.push(reader.value(term, *sort)?);
        }
        schedule.push(Move {
            edge: number(command.edge),
            inputs,
            thread: places[&usize::from(*thread)],
        });
    }
    let start = start(facts, trace, model)?;
    Some(Counterexample { start, schedule })
}

//! Executions and initial states out of z3's models.

use super::facts::{Facts, index, number};
use super::linear::Var;
use super::trace::Trace;
use crate::solve::encode;
use num_bigint::BigInt;
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

/// Threads in the order that the format wants: by template.
fn by_template(trace: &Trace, mut threads: Vec<usize>) -> Vec<usize> {
    threads.sort_by_key(|t| trace.threads[*t]);
    threads
}

/// The initial state of a model of the trace, with the given threads.
fn state(facts: &Facts, trace: &Trace, model: &Model, threads: &[usize]) -> Option<State> {
    let reader = Reader::new(model, trace)?;
    let program = facts.program;
    let mut globals = Vec::new();
    for (i, variable) in (0u32..).zip(&program.globals) {
        globals.push(reader.value(trace.initial(Var::Global(i)), variable.sort)?);
    }
    let mut listed = Vec::new();
    for t in threads {
        let template = trace.threads[*t];
        let mut locals = Vec::new();
        for (i, variable) in (0u32..).zip(&program.templates[index(template)].locals) {
            let term = trace.initial(Var::Local(number(*t), i));
            locals.push(reader.value(term, variable.sort)?);
        }
        listed.push(Thread { locals, template });
    }
    Some(State { globals, threads: listed })
}

/// The initial state of a model of the trace.
pub fn start(facts: &Facts, trace: &Trace, model: &Model) -> Option<State> {
    let threads = by_template(trace, (0..trace.threads.len()).collect());
    state(facts, trace, model, &threads)
}

/// The execution that a model of the trace describes, up to the first error.
pub fn execution(facts: &Facts, trace: &Trace, model: &Model) -> Option<Counterexample> {
    let reader = Reader::new(model, trace)?;
    let wrong = |(command, _): &(usize, u8)| {
        let command = &facts.commands[*command];
        let template = &facts.program.templates[command.template];
        template.locations[index(command.target)].error
    };
    let length = trace.steps.iter().position(wrong)? + 1;
    let mut acting: Vec<usize> = Vec::new();
    for (_, thread) in &trace.steps[..length] {
        let thread = usize::from(*thread);
        if !acting.contains(&thread) {
            acting.push(thread);
        }
    }
    let acting = by_template(trace, acting);
    let mut schedule = Vec::new();
    for (i, (command, thread)) in trace.steps[..length].iter().enumerate() {
        let command = &facts.commands[*command];
        let mut inputs = Vec::new();
        for (term, sort) in trace.inputs(i).iter().zip(&command.inputs) {
            inputs.push(reader.value(term, *sort)?);
        }
        let place = acting.iter().position(|t| *t == usize::from(*thread))?;
        schedule.push(Move { edge: number(command.edge), inputs, thread: number(place) });
    }
    let start = state(facts, trace, model, &acting)?;
    Some(Counterexample { start, schedule })
}

//! Executions and initial states out of z3's models.

use super::Trace;
use crate::logic::linear::Var;
use crate::logic::model::{Facts, index, number};
use crate::solve::values::Reader;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread};
use z3::Model;

fn reader<'a>(model: &'a Model, trace: &Trace) -> Option<Reader<'a>> {
    Reader::new(model, trace.indices())
}

/// Threads in the order that the format wants: by template.
fn by_template(trace: &Trace, mut threads: Vec<usize>) -> Vec<usize> {
    threads.sort_by_key(|t| trace.threads[*t]);
    threads
}

/// The initial state of a model of the trace, with the given threads.
fn state(facts: &Facts, trace: &Trace, model: &Model, threads: &[usize]) -> Option<State> {
    let reader = reader(model, trace)?;
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
    let reader = reader(model, trace)?;
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

//! A counterexample as an interleaving with values.

use super::{Section, proof_space::command};
use crate::logic::print::global_name;
use crate::logic::steps::thread_name;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::replay::{Data, Execution, start};
use threadproof_format::program::Program;
use threadproof_format::proof::counterexample::{Counterexample, Move, Value};

/// The sections of a counterexample. `notes` gives each edge's source line by template and edge,
/// where it is known.
///
/// # Errors
/// If it is no execution of the program.
pub fn sections(
    program: &Program,
    run: &Counterexample,
    notes: &[Vec<String>],
) -> Result<Vec<Section>, Failure> {
    let budget = Budget::default();
    let mut state = start(program, &run.start, &budget)?;
    let mut names = Vec::new();
    for (i, thread) in (1..).zip(&state.threads) {
        names.push(thread_name(program, thread.template, i));
    }
    let initial = values(program, &state).into_iter().map(|(n, v)| format!("{n} = {v}")).collect();
    let mut steps = Vec::new();
    for (i, step) in run.schedule.iter().enumerate() {
        let before = values(program, &state);
        let thread = usize::try_from(step.thread).ok().and_then(|t| state.threads.get(t));
        let note = thread.map_or_else(String::new, |t| note(t.template, step.edge, notes));
        let line = describe(program, &state, &names, step)?;
        let wrong = state.step(program, step, &budget)?;
        let after = values(program, &state);
        let changes: Vec<String> = before
            .iter()
            .zip(&after)
            .filter(|(old, new)| old != new)
            .map(|(_, (name, value))| format!("{name} = {value}"))
            .collect();
        let changes = if changes.is_empty() {
            String::new()
        } else {
            format!("    [{}]", changes.join(", "))
        };
        let end = if wrong { "    <- error location" } else { "" };
        steps.push(format!("{:>3}  {line}{changes}{end}{note}", i + 1));
    }
    Ok(vec![("threads", names), ("initial values", initial), ("interleaving", steps)])
}

/// The source line of an edge of a template, as a comment.
pub(super) fn note(template: u32, edge: u32, notes: &[Vec<String>]) -> String {
    let index = |i: u32| usize::try_from(i).ok();
    let edges = index(template).and_then(|t| notes.get(t));
    match edges.and_then(|edges| edges.get(index(edge)?)) {
        Some(text) if !text.is_empty() => format!("    // {text}"),
        _ => String::new(),
    }
}

/// The step in words: who, from where to where, by which command, with which inputs.
fn describe(
    program: &Program,
    state: &Execution,
    names: &[String],
    step: &Move,
) -> Result<String, Reason> {
    fn at<T>(list: &[T], index: u32) -> Result<&T, Reason> {
        let index = usize::try_from(index).ok();
        index.and_then(|i| list.get(i)).ok_or(Reason::Index("step"))
    }
    let template = at(&program.templates, at(&state.threads, step.thread)?.template)?;
    let edge = at(&template.edges, step.edge)?;
    let (from, to) = (at(&template.locations, edge.source)?, at(&template.locations, edge.target)?);
    let mut line = format!(
        "{}: {} -> {}: {}",
        at(names, step.thread)?,
        from.name,
        to.name,
        command(program, template, edge)
    );
    for (input, value) in edge.inputs.iter().zip(&step.inputs) {
        line += &format!(" with {} = {}", input.name, literal(value));
    }
    Ok(line)
}

/// All values of a state by name, in a fixed order.
fn values(program: &Program, state: &Execution) -> Vec<(String, String)> {
    let mut list = Vec::new();
    for (i, value) in (0..).zip(&state.globals) {
        list.push((global_name(program, i), text(value)));
    }
    for (number, thread) in (1..).zip(&state.threads) {
        let template = usize::try_from(thread.template).ok();
        let locals = template.and_then(|t| program.templates.get(t)).map(|t| &t.locals);
        for (local, value) in locals.into_iter().flatten().zip(&thread.locals) {
            list.push((format!("{}({number})", local.name), text(value)));
        }
    }
    list
}

fn text(data: &Data) -> String {
    match data {
        Data::Int(value) => value.to_string(),
        Data::Bool(value) => value.to_string(),
        Data::Array(default, entries) => {
            let mut entries: Vec<_> = entries.map.iter().collect();
            entries.sort_by_key(|(index, _)| *index);
            let entries = entries.into_iter().map(|(i, v)| format!("{i}: {}", text(v)));
            entries_text(entries.collect(), &text(default))
        }
    }
}

pub(super) fn literal(value: &Value) -> String {
    match value {
        Value::Int(value) => value.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::IntArray(default, entries) => {
            let entries = entries.iter().map(|(i, v)| format!("{i}: {v}"));
            entries_text(entries.collect(), &default.to_string())
        }
        Value::BoolArray(default, entries) => {
            let entries = entries.iter().map(|(i, v)| format!("{i}: {v}"));
            entries_text(entries.collect(), &default.to_string())
        }
    }
}

fn entries_text(mut entries: Vec<String>, default: &str) -> String {
    entries.push(format!("else: {default}"));
    format!("{{{}}}", entries.join(", "))
}

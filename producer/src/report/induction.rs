//! Counterexamples to induction for a person.

use super::Section;
use super::proof_space::command;
use super::run::{literal, note};
use crate::certify::invariant::{Broken, Counterexample, State, Taken};
use crate::invariant::{Invariant, print};
use crate::logic::print::{counter, global_name};
use crate::logic::steps::thread_name;
use threadproof_format::program::{Program, Template};

/// What is wrong with an invariant, in a sentence, and the states that show it. `notes` gives each
/// edge's source line by template and edge, where it is known.
pub fn sections(
    program: &Program,
    invariant: &Invariant,
    found: &Counterexample,
    notes: &[Vec<String>],
) -> (String, Vec<Section>) {
    let names = names(program, &found.before);
    let mut sections = Vec::new();
    let reason = match &found.broken {
        Broken::Clause(number, chosen) => {
            sections.push(("clause", clause(program, invariant, *number, chosen, &names)));
            let when = if found.step.is_some() { "after a step" } else { "at the start" };
            format!("clause {} of the invariant may fail {when}", number + 1)
        }
        Broken::Error(of, location) => {
            let template = template(program, *of);
            let at = template.map_or("?", |t| place(t, *location));
            let name = template.map_or("?", |t| &t.name);
            format!("the invariant does not exclude the error at {at} of {name}")
        }
    };
    match &found.step {
        None => sections.push(("initial state", lines(program, &found.before, &names))),
        Some((taken, after)) => {
            sections.push(("before", lines(program, &found.before, &names)));
            sections.push((
                "step",
                vec![step(program, taken, &names) + &note(taken.template, taken.edge, notes)],
            ));
            sections.push(("after", lines(program, after, &names)));
        }
    }
    (reason, sections)
}

fn template(program: &Program, number: u32) -> Option<&Template> {
    usize::try_from(number).ok().and_then(|t| program.templates.get(t))
}

fn place(template: &Template, location: u32) -> &str {
    let location = usize::try_from(location).ok().and_then(|l| template.locations.get(l));
    location.map_or("?", |l| &l.name)
}

fn names(program: &Program, state: &State) -> Vec<String> {
    let threads = (1..).zip(&state.threads);
    threads.map(|(number, thread)| thread_name(program, thread.template, number)).collect()
}

/// The clause, and which threads break it.
fn clause(
    program: &Program,
    invariant: &Invariant,
    number: usize,
    chosen: &[usize],
    names: &[String],
) -> Vec<String> {
    let Some(clause) = invariant.clauses.get(number) else { return Vec::new() };
    let threads = print::names(program, clause).into_iter().zip(chosen);
    let threads = threads.map(|(name, thread)| {
        format!("{name} is {}", names.get(*thread).map_or("?", String::as_str))
    });
    let threads: Vec<String> = threads.collect();
    let mut lines = vec![print::clause(program, clause)];
    if !threads.is_empty() {
        lines.push(threads.join(", "));
    }
    lines
}

/// The values of a state.
fn lines(program: &Program, state: &State, names: &[String]) -> Vec<String> {
    let mut lines = Vec::new();
    for (global, value) in &state.globals {
        lines.push(format!("{} = {}", global_name(program, *global), literal(value)));
    }
    for ((of, location), value) in &state.counters {
        lines.push(format!("{} = {}", counter(program, *of, *location), literal(value)));
    }
    for (thread, name) in state.threads.iter().zip(names) {
        let Some(template) = template(program, thread.template) else { continue };
        let mut line = name.clone();
        if let Some(location) = thread.location {
            line += &format!(" at {}", place(template, location));
        }
        let local = |i: u32| usize::try_from(i).ok().and_then(|i| template.locals.get(i));
        let values = thread.locals.iter();
        let values: Vec<String> = values
            .map(|(i, v)| format!("{} = {}", local(*i).map_or("?", |l| &l.name), literal(v)))
            .collect();
        if !values.is_empty() {
            line += &format!(": {}", values.join(", "));
        }
        lines.push(line);
    }
    lines
}

/// Who goes from where to where, by which command, with which inputs.
fn step(program: &Program, taken: &Taken, names: &[String]) -> String {
    let Some(template) = template(program, taken.template) else { return String::new() };
    let edge = usize::try_from(taken.edge).ok().and_then(|e| template.edges.get(e));
    let Some(edge) = edge else { return String::new() };
    let name = names.get(taken.thread).map_or("?", String::as_str);
    let (from, to) = (place(template, edge.source), place(template, edge.target));
    let mut line = format!("{name}: {from} -> {to}: {}", command(program, template, edge));
    for (input, value) in edge.inputs.iter().zip(&taken.inputs) {
        line += &format!(" with {} = {}", input.name, literal(value));
    }
    line
}

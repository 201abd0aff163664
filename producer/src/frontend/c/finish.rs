//! From the graphs of the threads to the core program.
//!
//! Variables that no condition depends on are left out (a slice): they decide nothing of what can be reached. What only one
//! thread uses becomes its own.

use super::graph::{Edge as Step, Graph};
use super::guard::Ranges;
use super::lower::{Variable as Declared, number};
use super::term::{and, between, compare, int, replaced};
use super::threads::Made;
use crate::logic::names::Names;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::program::{Edge, Location, Multiplicity, Program, Template, Variable};
use threadproof_format::{Cmp, Expr, Op, Sort};

/// A variable: its template, or none if it is shared, and its number.
type Name = (Option<usize>, u32);

fn name(template: usize, op: &Op) -> Option<Name> {
    match op {
        Op::Global(i) => Some((None, *i)),
        Op::Local(_, i) => Some((Some(template), *i)),
        _ => None,
    }
}

/// Joins steps and leaves out variables, until nothing changes.
pub(super) fn reduce(
    made: &mut [Made],
    shared: &[Declared],
    handed: &BTreeSet<Op>,
) -> Result<(), (usize, &'static str)> {
    made.iter_mut().for_each(|thread| thread.graph.reachable());
    slice(made, handed);
    own(made, shared, handed);
    let ranges = |variables: &[Declared], op: &dyn Fn(u32) -> Op| -> Ranges {
        let known = |(i, v): (usize, &Declared)| Some((op(number(i)), v.range.clone()?));
        variables.iter().enumerate().filter_map(known).collect()
    };
    let shared = ranges(shared, &Op::Global);
    for thread in made.iter_mut() {
        thread.graph.ranges = ranges(&thread.variables, &|i| Op::Local(0, i));
        thread.graph.ranges.extend(shared.clone());
        thread.graph.atomic_sections()?;
        thread.graph.reduce();
    }
    slice(made, handed);
    made.iter_mut().for_each(|thread| thread.graph.reduce());
    slice(made, handed);
    Ok(())
}

/// Variables that a single thread alone uses become its own: no other can tell its accesses apart.
fn own(made: &mut [Made], shared: &[Declared], handed: &BTreeSet<Op>) {
    let mut users: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (t, thread) in made.iter().enumerate() {
        let commands = thread.graph.edges.iter().map(|edge| &edge.command);
        for op in commands.flat_map(|command| command.ops().chain(command.updates.keys())) {
            if let Op::Global(i) = op {
                users.entry(*i).or_default().insert(t);
            }
        }
    }
    for (t, thread) in made.iter_mut().enumerate().filter(|(_, thread)| !thread.many) {
        let mut moved = BTreeMap::new();
        for (i, _) in users.iter().filter(|(_, users)| **users == BTreeSet::from([t])) {
            let op = Op::Local(0, number(thread.variables.len()));
            thread.variables.push(shared[*i as usize].clone());
            moved.insert(Op::Global(*i), vec![op]);
        }
        for Step { command, access, .. } in &mut thread.graph.edges {
            command.guard.iter_mut().for_each(|formula| *formula = replaced(formula, &moved));
            let updates = std::mem::take(&mut command.updates).into_iter();
            let target = |v: Op| moved.get(&v).map_or(v, |op| op[0].clone());
            command.updates = updates.map(|(v, e)| (target(v), replaced(&e, &moved))).collect();
            *access = command.access(handed).min(*access);
        }
    }
}

/// Drops updates of variables that no condition depends on.
fn slice(made: &mut [Made], handed: &BTreeSet<Op>) {
    let mut needed: BTreeSet<Name> = BTreeSet::new();
    let mut depends: Vec<(Name, Name)> = Vec::new();
    for (t, thread) in made.iter().enumerate() {
        for Step { command, .. } in &thread.graph.edges {
            needed.extend(command.guard.iter().flatten().filter_map(|op| name(t, op)));
            for (variable, value) in &command.updates {
                let Some(variable) = name(t, variable) else { continue };
                depends.extend(value.iter().filter_map(|op| Some((variable, name(t, op)?))));
            }
        }
    }
    let mut count = usize::MAX;
    while count != needed.len() {
        count = needed.len();
        for (variable, on) in &depends {
            if needed.contains(variable) {
                needed.insert(*on);
            }
        }
    }
    for (t, thread) in made.iter_mut().enumerate() {
        for Step { command, access, .. } in &mut thread.graph.edges {
            command.updates.retain(|v, _| name(t, v).is_none_or(|v| needed.contains(&v)));
            *access = command.access(handed).min(*access);
        }
    }
}

/// Whether any number of threads can be created once one has been: from where a step has set `created`, steps that do nothing
/// but to create threads, as `flags` say, lead to one that sets it again. The others that they create need not begin.
pub(super) fn is_free(made: &[Made], created: &Op, flags: &BTreeSet<Op>) -> bool {
    let one = int(1);
    let waits = |formula: &Vec<Op>| {
        flags.iter().any(|f| *formula == compare(Cmp::Eq, std::slice::from_ref(f), &int(0)))
    };
    let creates = |edge: &Step, flag: &Op| edge.command.updates.get(flag) == Some(&one);
    let alone = |edge: &&Step| {
        edge.command.updates.len() == 1
            && flags.iter().any(|flag| creates(edge, flag))
            && edge.command.guard.iter().all(waits)
    };
    made.iter().all(|thread| {
        let edges = &thread.graph.edges;
        let again = |edge: &Step| {
            let (mut seen, mut todo) = (BTreeSet::from([edge.target]), vec![edge.target]);
            while let Some(node) = todo.pop() {
                for next in edges.iter().filter(|e| e.source == node).filter(alone) {
                    if creates(next, created) {
                        return true;
                    }
                    todo.extend(Some(next.target).filter(|target| seen.insert(*target)));
                }
            }
            false
        };
        edges.iter().filter(|edge| creates(edge, created)).all(again)
    })
}

/// The core program and the notes of its edges.
pub(super) fn program(
    made: &[Made],
    shared: &[Declared],
    assumptions: Vec<String>,
) -> (Program, Vec<Vec<String>>) {
    let mut used = BTreeSet::new();
    for (t, thread) in made.iter().enumerate() {
        for Step { command, .. } in &thread.graph.edges {
            used.extend(command.ops().chain(command.updates.keys()).filter_map(|op| name(t, op)));
        }
    }
    let mut names = Names::default();
    let mut globals = Vec::new();
    let mut numbers = vec![None; shared.len()];
    let mut init = vec![Op::Bool(true)];
    for (i, variable) in shared.iter().enumerate() {
        if used.contains(&(None, number(i))) {
            let op = Op::Global(number(globals.len()));
            init = and(&init, &initial(&op, variable, true));
            numbers[i] = Some(op);
            let name = names.fresh(&variable.name);
            globals.push(Variable { name, sort: variable.sort, owner: None });
        }
    }
    let mut out = Program { assumptions, globals, init: Expr(init), templates: Vec::new() };
    let mut notes = Vec::new();
    let templates: Vec<String> = made.iter().map(|thread| names.fresh(&thread.name)).collect();
    for (t, (thread, name)) in made.iter().zip(templates).enumerate() {
        let owner = (!thread.many).then(|| number(t));
        let first = if thread.many { 0 } else { out.globals.len() };
        let mut own = names.clone();
        let (mut locals, mut init) = (Vec::new(), vec![Op::Bool(true)]);
        let mut places = vec![None; thread.variables.len()];
        let live = thread.graph.live().first().cloned().unwrap_or_default();
        for (i, variable) in thread.variables.iter().enumerate() {
            if used.contains(&(Some(t), number(i))) {
                let index = number(first + locals.len());
                let op = if thread.many { Op::Local(0, index) } else { Op::Global(index) };
                init = and(&init, &initial(&op, variable, live.contains(&Op::Local(0, number(i)))));
                places[i] = Some(op);
                locals.push(Variable {
                    name: own.fresh(&variable.name),
                    sort: variable.sort,
                    owner,
                });
            }
        }
        let place = |op: &Op| match op {
            Op::Global(i) => numbers[*i as usize].clone(),
            Op::Local(_, i) => places[*i as usize].clone(),
            _ => None,
        };
        let (locations, edges, said) = control(&thread.graph, &place, &own);
        let multiplicity = if thread.many { Multiplicity::Many } else { Multiplicity::One };
        let kept = if thread.many { std::mem::take(&mut locals) } else { Vec::new() };
        out.globals.extend(locals);
        let init = Expr(init);
        out.templates.push(Template { name, multiplicity, locals: kept, init, locations, edges });
        notes.push(said);
    }
    (out, notes)
}

/// What is known of a variable at the start; its range only if somebody reads it.
fn initial(op: &Op, variable: &Declared, read: bool) -> Vec<Op> {
    let op = std::slice::from_ref(op);
    match (&variable.init, &variable.range) {
        (Some(values), _) if variable.sort == Sort::IntArray => {
            let mut formula = vec![Op::Bool(true)];
            for (i, value) in values.iter().enumerate() {
                let element = super::term::select(op[0].clone(), &int(i));
                formula = and(&formula, &compare(Cmp::Eq, &element, &int(value.clone())));
            }
            formula
        }
        (Some(values), _) => match values.first() {
            Some(value) => compare(Cmp::Eq, op, &int(value.clone())),
            None => vec![Op::Bool(true)],
        },
        (None, Some((low, high))) if read => between(low, op, high),
        _ => vec![Op::Bool(true)],
    }
}

/// Locations, edges and notes of a template.
fn control(
    graph: &Graph,
    place: &dyn Fn(&Op) -> Option<Op>,
    taken: &Names,
) -> (Vec<Location>, Vec<Edge>, Vec<String>) {
    let mut reached = BTreeSet::from([0]);
    reached.extend(graph.edges.iter().flat_map(|e| [e.source, e.target]));
    let (errors, plain): (Vec<usize>, Vec<usize>) =
        reached.into_iter().partition(|n| graph.nodes[*n].error);
    let mut locations = Vec::new();
    let mut numbers = vec![0; graph.nodes.len()];
    for (i, node) in plain.iter().enumerate() {
        numbers[*node] = number(i);
        locations.push(Location { name: format!("L{}", i + 1), error: false });
    }
    for (i, node) in errors.iter().enumerate() {
        numbers[*node] = number(plain.len() + i);
        let label = &graph.nodes[*node].label;
        let count = errors[..=i].iter().filter(|n| graph.nodes[**n].label == *label).count();
        locations.push(Location { name: format!("{label}_{count}"), error: true });
    }
    let mut steps: Vec<&Step> = graph.edges.iter().collect();
    steps.sort_by_key(|e| numbers[e.source]);
    let (mut edges, mut notes) = (Vec::new(), Vec::new());
    for step in steps {
        let (source, target) = (numbers[step.source], numbers[step.target]);
        edges.push(edge(step, source, target, place, taken));
        notes.push(joined(&step.notes));
    }
    (locations, edges, notes)
}

/// Notes as one text: the file is named where it changes.
fn joined(notes: &[String]) -> String {
    let mut out = String::new();
    let mut file = "";
    for note in notes {
        let (name, rest) = note.split_once(':').unwrap_or(("", note));
        if !out.is_empty() {
            out.push_str("; ");
        }
        out.push_str(if name == file { rest } else { note });
        file = name;
    }
    out
}

/// An edge of the core program: its inputs are those that are used, in their ranges.
fn edge(
    step: &Step,
    source: u32,
    target: u32,
    place: &dyn Fn(&Op) -> Option<Op>,
    taken: &Names,
) -> Edge {
    let command = &step.command;
    let used: BTreeSet<u32> = command
        .ops()
        .filter_map(|op| match op {
            Op::Input(i) => Some(*i),
            _ => None,
        })
        .collect();
    let mut names = taken.clone();
    let (mut inputs, mut guard) = (Vec::new(), vec![Op::Bool(true)]);
    let mut renamed = vec![None; command.inputs.len()];
    for i in used {
        let input = &command.inputs[i as usize];
        let op = Op::Input(number(inputs.len()));
        let sort = if input.range.is_some() { Sort::Int } else { Sort::IntArray };
        inputs.push(Variable { name: names.fresh(&input.name), sort, owner: None });
        if let Some((low, high)) = &input.range {
            guard = and(&guard, &between(low, std::slice::from_ref(&op), high));
        }
        renamed[i as usize] = Some(op);
    }
    let finish = |ops: &[Op]| {
        Expr(ops.to_vec()).substitute(|op| match op {
            Op::Input(i) => renamed[*i as usize].clone().map(|op| vec![op]),
            other => place(other).map(|op| vec![op]),
        })
    };
    for formula in &command.guard {
        guard = and(&guard, &finish(formula).0);
    }
    let updates = command.updates.iter();
    let updates = updates.filter_map(|(v, e)| Some((place(v)?, finish(e)))).collect();
    Edge { source, target, inputs, guard: Expr(guard), updates }
}

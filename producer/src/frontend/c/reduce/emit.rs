//! The core program of the reduced automata.

use crate::frontend::c::steps::graph::{Edge as Step, Graph};
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::variable::{Variable as Declared, number};
use crate::frontend::c::term;
use crate::frontend::c::term::{and, between, compare, int};
use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use std::collections::BTreeSet;
use threadproof_format::program::{Edge, Location, Multiplicity, Program, Template, Variable};
use threadproof_format::{Cmp, Expr, Op, Sort};

/// A variable: its template, or none if it is shared, and its number.
pub(crate) type Name = (Option<usize>, u32);

pub(crate) fn name(template: usize, op: &Op) -> Option<Name> {
    match op {
        Op::Global(i) => Some((None, *i)),
        Op::Local(_, i) => Some((Some(template), *i)),
        _ => None,
    }
}

/// The core program and the notes of its edges.
pub(crate) fn program(
    made: &[ThreadGraph],
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
        let emitted = Emitted { number: t, name, shared: &numbers, used: &used };
        let (template, own, said) = emitted.template(thread, out.globals.len(), names.clone());
        out.globals.extend(own);
        out.templates.push(template);
        notes.push(said);
    }
    (out, notes)
}

/// A thread whose template is made.
struct Emitted<'e> {
    number: usize,
    name: String,
    /// The shared variables in the core program.
    shared: &'e [Option<Op>],
    used: &'e BTreeSet<Name>,
}

impl Emitted<'_> {
    /// The template, the variables of a single thread, which are globals, and the notes.
    fn template(
        self,
        thread: &ThreadGraph,
        globals: usize,
        mut names: Names,
    ) -> (Template, Vec<Variable>, Vec<String>) {
        let owner = (!thread.many).then(|| number(self.number));
        let first = if thread.many { 0 } else { globals };
        let (mut locals, mut init) = (Vec::new(), vec![Op::Bool(true)]);
        let mut places = vec![None; thread.variables.len()];
        let live = thread.graph.live().first().cloned().unwrap_or_default();
        for (i, variable) in thread.variables.iter().enumerate() {
            if self.used.contains(&(Some(self.number), number(i))) {
                let index = number(first + locals.len());
                let op = if thread.many { Op::Local(0, index) } else { Op::Global(index) };
                let read = live.contains(&Op::Local(0, number(i)));
                init = and(&init, &initial(&op, variable, read));
                places[i] = Some(op);
                let name = names.fresh(&variable.name);
                locals.push(Variable { name, sort: variable.sort, owner });
            }
        }
        let place = |op: &Op| match op {
            Op::Global(i) => self.shared[*i as usize].clone(),
            Op::Local(_, i) => places[*i as usize].clone(),
            _ => None,
        };
        let (locations, edges, said) = control(&thread.graph, &place, &names);
        let multiplicity = if thread.many { Multiplicity::Many } else { Multiplicity::One };
        let (locals, own) = if thread.many { (locals, Vec::new()) } else { (Vec::new(), locals) };
        let init = Expr(init);
        let template = Template { name: self.name, multiplicity, locals, init, locations, edges };
        (template, own, said)
    }
}

/// What is known of a variable at the start; its range only if somebody reads it.
fn initial(op: &Op, variable: &Declared, read: bool) -> Vec<Op> {
    let op = std::slice::from_ref(op);
    match (&variable.init, &variable.range) {
        (Some(values), _) if variable.sort == Sort::IntArray => {
            let mut formula = vec![Op::Bool(true)];
            for (i, value) in values.iter().enumerate() {
                let element = term::select(op[0].clone(), &int(i));
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
        notes.push(note_text(&step.notes));
    }
    (locations, edges, notes)
}

/// Notes as one text: the file is named where it changes.
fn note_text(notes: &[String]) -> String {
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

//! From the resolved program to the core program.

mod abstraction;
mod asserted;
mod clauses;
mod control;
mod counts;
mod graph;
mod layers;
mod notes;
mod run;
mod signs;
mod step;
mod template;
mod variables;

use super::ast::{Count, Span};
use super::ir::{Slot, Term, Thread, Unit};
use crate::logic::names::Names;
use crate::source::{self, Source};
use crate::text::Diagnostic;
use control::Control;
use notes::Notes;
use run::Runner;
use signs::Signs;
use std::rc::Rc;
use step::{State, id};
use template::Finish;
use threadproof_format::program::{Multiplicity, Program, Template, Variable};
use threadproof_format::{Expr, Op, Sort};
use variables::Variables;

/// The text that notes are made from.
struct Text<'a> {
    file: &'a str,
    text: &'a str,
    lines: Vec<usize>,
}

/// Lowers a resolved program. `text` is the source with its comments blank.
pub(super) fn program(unit: &Unit, file: &str, text: &str) -> Result<Source, Vec<Diagnostic>> {
    let source = Text { file, text, lines: notes::line_starts(text) };
    let mut names = Names::default();
    let globals: Vec<Variable> = unit
        .globals
        .iter()
        .map(|var| Variable { name: names.fresh(&var.name), sort: var.sort, owner: None })
        .collect();
    let (assumptions, templates) = Default::default();
    let program = Program { assumptions, init: initial(unit)?, globals, templates };
    // Its text is written when it is complete.
    let mut out = Source::with_core(program, String::new(), Vec::new());
    let mut errors = Vec::new();
    let (mut placed, mut asserted) = (Vec::new(), Vec::new());
    let instances = instances(unit, &mut names);
    let signs = Signs::of(unit);
    for (thread, name) in instances {
        match instance((unit, &signs), thread, name, &names, &source, &out.program) {
            Ok(made) => {
                if !made.template.is_many() {
                    out.program.globals.extend(made.variables);
                }
                out.program.templates.push(made.template);
                out.notes.push(made.notes);
                asserted.extend(made.asserted);
                let Instance { locals, labels, said, .. } = made;
                placed.push(Placed { thread, locals, labels, said });
            }
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    out.program.assumptions = self::assumptions(unit, &out.program);
    let missing = asserted::missing(unit, &asserted, &Notes::new(file, text, &source.lines));
    out.program.assumptions.extend(missing);
    out.annotations = clauses::clauses(unit, &placed, &Notes::new(file, text, &source.lines))?;
    counts::fill_in(unit, &placed, &mut out)?;
    out.abstractions = layers::layers(unit, &placed, &out, &names, &source)?;
    out.core = source::core_form(&out.program, &out.notes);
    Ok(out)
}

/// The templates: an index into the threads, and a name. `t[3]` gives `t_1`, `t_2`, `t_3`.
fn instances(unit: &Unit, names: &mut Names) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for (i, thread) in unit.threads.iter().enumerate() {
        match thread.count {
            Count::Exactly(n) => {
                for k in 1..=n {
                    out.push((i, names.fresh(&format!("{}_{k}", thread.name))));
                }
            }
            Count::Any | Count::Single => out.push((i, names.fresh(&thread.name))),
        }
    }
    out
}

/// Where a template's variables and labels are; in the order of the templates.
struct Placed {
    /// Index into the threads.
    thread: usize,
    /// The core variables of its locals.
    locals: Vec<Op>,
    /// Its labels and their locations.
    labels: Vec<(String, u32)>,
    /// What is said of its loops: the head's location, the formula, and its place.
    said: Vec<(u32, Expr, String)>,
}

/// A template that was made, with its variables.
struct Instance {
    template: Template,
    variables: Vec<Variable>,
    notes: Vec<String>,
    locals: Vec<Op>,
    labels: Vec<(String, u32)>,
    said: Vec<(u32, Expr, String)>,
    asserted: Vec<Span>,
}

fn instance(
    (unit, signs): (&Unit, &Signs),
    index: usize,
    name: String,
    names: &Names,
    source: &Text<'_>,
    program: &Program,
) -> Result<Instance, Vec<Diagnostic>> {
    let thread: &Thread = &unit.threads[index];
    let many = thread.count == Count::Any;
    let owner = (!many).then(|| id(program.templates.len()));
    let variables = Variables::new(unit, index, names.clone(), &program.globals, owner);
    let runner = Runner {
        unit,
        not_negative: Rc::new(signs.variables(index, &variables)),
        variables: &variables,
        dead: Vec::new(),
        asserts: Vec::new(),
        depth: 0,
    };
    let notes = Notes::new(source.file, source.text, &source.lines);
    let mut control = Control::new(runner, notes);
    let (start, end) = control.thread(&thread.body).map_err(|e| vec![e])?;
    let mut errors: Vec<_> = control.runner.dead.iter().map(template::never).collect();
    template::unreachable(&control.graph, start, end, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let finish = Finish {
        graph: control.graph,
        start,
        said: control.said,
        asserts: control.runner.asserts,
        variables: &variables,
    };
    let finished = finish.finish();
    let template = Template {
        name,
        multiplicity: if many { Multiplicity::Many } else { Multiplicity::One },
        locals: if many { variables.list.clone() } else { Vec::new() },
        init: conjunction(variables.initial(&thread.body.locals)),
        locations: finished.locations,
        edges: finished.edges,
    };
    Ok(Instance {
        template,
        locals: variables.thread,
        variables: variables.list,
        notes: finished.notes,
        labels: finished.labels,
        said: finished.said,
        asserted: finished.asserted,
    })
}

fn conjunction(formulas: Vec<Vec<Op>>) -> Expr {
    let mut out = Vec::new();
    for (i, formula) in formulas.into_iter().enumerate() {
        out.extend(formula);
        if i > 0 {
            out.push(Op::And);
        }
    }
    if out.is_empty() {
        out.push(Op::Bool(true));
    }
    Expr(out)
}

/// Initial values in the order of the declarations, locks free unless `init` mentions them, then
/// the formulas of `init`.
fn initial(unit: &Unit) -> Result<Expr, Vec<Diagnostic>> {
    let mut formulas = Vec::new();
    for (i, var) in unit.globals.iter().enumerate() {
        let op = Op::Global(id(i));
        let named = |term: &Term| term.mentions(&|slot| slot == Slot::Global(i));
        if var.lock && !unit.init.iter().any(|(term, _)| named(term)) {
            formulas.push(vec![op, Op::Not]);
        } else {
            formulas.extend(variables::initial(&op, var.init.as_ref()));
        }
    }
    for (term, span) in &unit.init {
        let mut state = State::default();
        formulas.push(state.formula(term, &[]));
        if state.too_large {
            return Err(vec![run::too_large(span)]);
        }
    }
    Ok(conjunction(formulas))
}

/// What the language's semantics takes for granted of the program that is meant.
fn assumptions(unit: &Unit, program: &Program) -> Vec<String> {
    let locals = program.templates.iter().flat_map(|t| &t.locals);
    let sorts: Vec<Sort> = program.globals.iter().chain(locals).map(|v| v.sort).collect();
    let array = |s: &Sort| s.element().is_some();
    let int = |s: &Sort| matches!(s, Sort::Int | Sort::IntArray);
    let mut out = vec![
        "memory is sequentially consistent, and each statement, each condition and each atomic block is one atomic step".to_owned(),
    ];
    if sorts.iter().any(int) || sorts.iter().any(array) {
        out.push("integers are mathematical: no overflow happens".to_owned());
    }
    if sorts.iter().any(array) {
        out.push("arrays are unbounded: no bounds are checked".to_owned());
    }
    if unit.globals.iter().any(|v| v.lock) {
        out.push("unlock frees a lock whoever holds it".to_owned());
    }
    out
}

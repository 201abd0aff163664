//! Layers of abstraction: in the program number i each template is replaced by its i-th
//! abstraction, and kept as it is where it has none.

mod invariants;

pub(super) use invariants::placeholder;

use super::super::ast::Count;
use super::super::ir::Unit;
use super::abstraction::{Machine, Surroundings, machine};
use super::notes::Notes;
use super::step::id;
use super::{Placed, Text};
use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use crate::source::{Annotation, Source};
use crate::text::Diagnostic;
use std::collections::BTreeMap;
use threadproof_format::program::{Edge, Multiplicity, Program, Template, Variable};
use threadproof_format::{Expr, Op};

/// The layers above a program.
pub(super) fn layers(
    unit: &Unit,
    placed: &[Placed],
    concrete: &Source,
    names: &Names,
    source: &Text<'_>,
) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let shared: Vec<Variable> =
        concrete.program.globals.iter().filter(|g| g.owner.is_none()).cloned().collect();
    let notes = Notes::new(source.file, source.text, &source.lines);
    let around = Surroundings { globals: &shared, names, notes };
    let (mut machines, mut errors) = (Vec::new(), Vec::new());
    for abstraction in &unit.abstractions {
        match machine(abstraction, &around) {
            Ok(made) => machines.push(made),
            Err(found) => errors.extend(found),
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let invariants = invariants::invariants(unit, placed, &concrete.program, &machines)?;
    let mut names = names.clone();
    let mut out: Vec<Source> = Vec::new();
    let mut current: Vec<Option<usize>> =
        placed.iter().map(|place| unit.threads[place.thread].abstraction).collect();
    while current.iter().any(Option::is_some) {
        let named =
            |of: usize, abstraction: usize| names.fresh(&name(unit, placed, of, abstraction));
        let made = layer(out.last().unwrap_or(concrete), &current, &machines, named);
        out.push(made);
        let next = |abstraction: Option<usize>| unit.abstractions[abstraction?].abstraction;
        current = current.into_iter().map(next).collect();
    }
    // Loops are those of the concrete threads, so what is said of them is about the first layer.
    if let Some(first) = out.first_mut() {
        first.loop_invariants = invariants;
    }
    Ok(out)
}

/// The name of an abstract template: `W`, or `W_1`, `W_2`, ... for the threads of `t[3]`.
fn name(unit: &Unit, placed: &[Placed], of: usize, abstraction: usize) -> String {
    let name = &unit.abstractions[abstraction].name;
    let thread = placed[of].thread;
    match unit.threads[thread].count {
        Count::Exactly(_) => {
            let number = placed[..=of].iter().filter(|place| place.thread == thread).count();
            format!("{name}_{number}")
        }
        Count::Any | Count::Single => name.clone(),
    }
}

/// One layer above a program.
fn layer(
    before: &Source,
    abstractions: &[Option<usize>],
    machines: &[Machine],
    mut named: impl FnMut(usize, usize) -> String,
) -> Source {
    let abstractions: Vec<Option<(usize, &Machine)>> =
        abstractions.iter().map(|a| a.map(|a| (a, &machines[a]))).collect();
    let moved = Moved::new(&before.program, &abstractions);
    let (mut templates, mut notes) = (Vec::new(), Vec::new());
    for (of, (template, abstraction)) in
        before.program.templates.iter().zip(&abstractions).enumerate()
    {
        match abstraction {
            None => {
                templates.push(moved.kept(template));
                notes.push(before.notes[of].clone());
            }
            Some((abstraction, machine)) => {
                let name = named(of, *abstraction);
                let multiplicity = template.multiplicity;
                let template = abstract_template(machine, name, multiplicity, moved.first[of]);
                templates.push(template);
                notes.push(machine.notes.clone());
            }
        }
    }
    let globals = moved.variables.clone();
    let program = Program { globals, templates, ..before.program.clone() };
    let annotations = before.annotations.iter().filter_map(|said| moved.annotation(said));
    let annotations = annotations.collect();
    Source { annotations, ..Source::new(program, notes) }
}

/// The template of an abstract thread. The locals of a single one are globals, from the number
/// `first` on.
fn abstract_template(
    machine: &Machine,
    name: String,
    multiplicity: Multiplicity,
    first: u32,
) -> Template {
    let many = multiplicity == Multiplicity::Many;
    let own = |op: &Op| match op {
        Op::Local(_, local) if !many => Op::Global(first + local),
        other => other.clone(),
    };
    let expr = |e: &Expr| e.substitute(|op| Some(vec![own(op)]));
    let edge = |edge: &Edge| Edge {
        guard: expr(&edge.guard),
        updates: edge.updates.iter().map(|(v, value)| (own(v), expr(value))).collect(),
        ..edge.clone()
    };
    Template {
        name,
        multiplicity,
        locals: if many { machine.locals.clone() } else { Vec::new() },
        init: expr(&machine.init),
        locations: machine.locations.clone(),
        edges: machine.edges.iter().map(edge).collect(),
    }
}

/// Where the variables of a program are when some of its templates are abstracted. The locals of
/// single templates are globals, so those behind an abstracted one move.
struct Moved {
    abstracted: Vec<bool>,
    /// The new number of each global that stays.
    globals: BTreeMap<u32, u32>,
    /// The new globals.
    variables: Vec<Variable>,
    /// For each template the number of the first global that it would have for itself.
    first: Vec<u32>,
}

impl Moved {
    fn new(program: &Program, abstractions: &[Option<(usize, &Machine)>]) -> Self {
        let mut out = Moved {
            abstracted: abstractions.iter().map(Option::is_some).collect(),
            globals: BTreeMap::new(),
            variables: Vec::new(),
            first: Vec::new(),
        };
        out.stay(program, None);
        for ((of, template), abstraction) in (0..).zip(&program.templates).zip(abstractions) {
            out.first.push(id(out.variables.len()));
            match abstraction {
                None => out.stay(program, Some(of)),
                Some(_) if template.is_many() => {}
                Some((_, machine)) => {
                    let own = machine.locals.iter().cloned();
                    out.variables.extend(own.map(|v| Variable { owner: Some(of), ..v }));
                }
            }
        }
        out
    }

    /// The globals of an owner stay.
    fn stay(&mut self, program: &Program, owner: Option<u32>) {
        for (old, variable) in (0..).zip(&program.globals).filter(|(_, v)| v.owner == owner) {
            self.globals.insert(old, id(self.variables.len()));
            self.variables.push(variable.clone());
        }
    }

    /// A variable or counter as it is now called; `None` if it is gone.
    fn op(&self, op: &Op) -> Option<Op> {
        match op {
            Op::Global(old) => self.globals.get(old).map(|new| Op::Global(*new)),
            Op::Count(of, _) if self.is_abstracted(*of) => None,
            other => Some(other.clone()),
        }
    }

    fn expr(&self, e: &Expr) -> Option<Expr> {
        e.0.iter().map(|op| self.op(op)).collect::<Option<_>>().map(Expr)
    }

    fn kept(&self, template: &Template) -> Template {
        let own = "a template that is kept mentions nothing that is gone";
        let expr = |e: &Expr| self.expr(e).expect(own);
        let edge = |edge: &Edge| Edge {
            guard: expr(&edge.guard),
            updates: edge
                .updates
                .iter()
                .map(|(variable, value)| (self.op(variable).expect(own), expr(value)))
                .collect(),
            ..edge.clone()
        };
        Template {
            init: expr(&template.init),
            edges: template.edges.iter().map(edge).collect(),
            ..template.clone()
        }
    }

    /// An annotation, if it is about kept templates alone.
    fn annotation(&self, said: &Annotation) -> Option<Annotation> {
        let gone = said.threads.iter().any(|of| self.is_abstracted(*of));
        let formula = self.expr(&said.formula).filter(|_| !gone)?;
        Some(Annotation { formula, ..said.clone() })
    }

    fn is_abstracted(&self, of: u32) -> bool {
        usize::try_from(of).is_ok_and(|of| self.abstracted.get(of).copied().unwrap_or(false))
    }
}

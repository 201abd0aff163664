//! A program with a fixed number of threads: each template of any number of threads becomes so many
//! single templates. Its locals become globals of theirs, and its counters sums over them.

use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use crate::source::{Annotation, LoopInvariant, Source};
use std::ops::Range;
use threadproof_format::program::{Edge, Multiplicity, Program, Template, Variable};
use threadproof_format::{Expr, Op};

/// Annotations that one about several threads may become; past it, it is left out.
const MAX_ANNOTATIONS: usize = 1_000;

/// Where the parts of a program are in the one with instances.
#[derive(Debug)]
pub struct Instances<'a> {
    program: &'a Program,
    count: u32,
    /// The instances of each template.
    of: Vec<Range<usize>>,
    /// The new number of each global.
    globals: Vec<u32>,
    /// For each instance the number of its first local among the new globals.
    locals: Vec<u32>,
    /// The new globals.
    variables: Vec<Variable>,
}

impl<'a> Instances<'a> {
    /// The instances of a program with so many threads of each template of many.
    pub fn new(program: &'a Program, count: u32) -> Self {
        let copies = usize::try_from(count).unwrap_or(usize::MAX);
        let shared = program.globals.iter().filter(|g| g.owner.is_none()).cloned();
        let mut out = Instances {
            program,
            count,
            of: Vec::new(),
            globals: vec![0; program.globals.len()],
            locals: Vec::new(),
            variables: shared.collect(),
        };
        for (number, template) in program.templates.iter().enumerate() {
            let first = out.locals.len();
            out.of.push(first..first + if template.is_many() { copies } else { 1 });
            for instance in out.of[number].clone() {
                out.locals.push(id(out.variables.len()));
                let owner = Some(id(instance));
                let own = program.globals.iter().filter(|g| g.owner == Some(id(number)));
                let own = own.chain(&template.locals).cloned();
                out.variables.extend(own.map(|v| Variable { owner, ..v }));
            }
        }
        let mut next = vec![0; program.templates.len()];
        let mut shared = 0;
        for (old, variable) in program.globals.iter().enumerate() {
            let owner = variable.owner.map(index);
            let first = owner.map_or(0, |of| out.locals[out.of[of].start]);
            let offset = owner.map_or(&mut shared, |of| &mut next[of]);
            out.globals[old] = first + *offset;
            *offset += 1;
        }
        out
    }

    /// What a statement says of the number of threads.
    fn assumptions(&self) -> Vec<String> {
        let threads = if self.count == 1 { "thread runs" } else { "threads run" };
        let many = self.program.templates.iter().filter(|t| t.is_many());
        many.map(|template| format!("exactly {} {threads} {}", self.count, template.name)).collect()
    }

    /// A source whose program, and those that abstract it, have so many threads of each template
    /// of many.
    pub fn source(source: &Source, count: u32) -> Source {
        let assumptions = Instances::new(&source.program, count).assumptions();
        let made =
            |source: &Source| Instances::new(&source.program, count).of(source, &assumptions);
        let abstractions = source.abstractions.iter().map(made).collect();
        Source { abstractions, ..made(source) }
    }

    /// The program of the instances, with more assumptions, and what is said of it.
    fn of(&self, source: &Source, assumptions: &[String]) -> Source {
        Source {
            annotations: self.annotations(&source.annotations),
            loop_invariants: self.loop_invariants(&source.loop_invariants),
            ..self.unannotated(&source.notes, assumptions)
        }
    }

    fn unannotated(&self, notes: &[Vec<String>], assumptions: &[String]) -> Source {
        let program = self.program(assumptions);
        let copies = |(of, notes): (usize, &Vec<String>)| vec![notes.clone(); self.of[of].len()];
        let notes: Vec<Vec<String>> = notes.iter().enumerate().flat_map(copies).collect();
        Source::new(program, notes)
    }

    /// Annotations, each about all choices of different instances.
    fn annotations(&self, said: &[Annotation]) -> Vec<Annotation> {
        said.iter().flat_map(|annotation| self.annotation(annotation)).collect()
    }

    /// What is said of loops, of each instance.
    fn loop_invariants(&self, invariants: &[LoopInvariant]) -> Vec<LoopInvariant> {
        let copies = |said: &LoopInvariant| -> Vec<LoopInvariant> {
            let instances = self.of[index(said.template)].clone();
            instances.map(|i| LoopInvariant { template: id(i), ..said.clone() }).collect()
        };
        invariants.iter().flat_map(copies).collect()
    }

    fn program(&self, assumptions: &[String]) -> Program {
        let mut names = self.names();
        let mut templates = Vec::new();
        for (template, instances) in self.program.templates.iter().zip(&self.of) {
            for (number, instance) in (1..).zip(instances.clone()) {
                let name = match template.is_many() {
                    true => names.fresh(&format!("{}_{number}", template.name)),
                    false => template.name.clone(),
                };
                templates.push(self.template(template, instance, name));
            }
        }
        Program {
            assumptions: self.program.assumptions.iter().chain(assumptions).cloned().collect(),
            globals: self.variables.clone(),
            init: self.expr(&self.program.init, &[]),
            templates,
        }
    }

    /// Names that stay: those of globals and single templates.
    fn names(&self) -> Names {
        let mut names = Names::default();
        let shared = self.program.globals.iter().filter(|g| g.owner.is_none());
        let single = self.program.templates.iter().filter(|t| !t.is_many());
        for name in shared.map(|g| &g.name).chain(single.map(|t| &t.name)) {
            names.fresh(name);
        }
        names
    }

    fn template(&self, template: &Template, instance: usize, name: String) -> Template {
        let expr = |e: &Expr| self.expr(e, &[instance]);
        let variable = |op: &Op| self.op(op, &[instance]).unwrap_or_else(|| op.clone());
        let edge = |edge: &Edge| Edge {
            guard: expr(&edge.guard),
            updates: edge.updates.iter().map(|(v, value)| (variable(v), expr(value))).collect(),
            ..edge.clone()
        };
        Template {
            name,
            multiplicity: Multiplicity::One,
            locals: Vec::new(),
            init: expr(&template.init),
            locations: template.locations.clone(),
            edges: template.edges.iter().map(edge).collect(),
        }
    }

    /// A variable, where the thread at each position is the given instance.
    fn op(&self, op: &Op, threads: &[usize]) -> Option<Op> {
        match op {
            Op::Global(old) => Some(Op::Global(self.globals[index(*old)])),
            Op::Local(position, local) => {
                Some(Op::Global(self.locals[threads[index(*position)]] + local))
            }
            _ => None,
        }
    }

    fn expr(&self, e: &Expr, threads: &[usize]) -> Expr {
        e.substitute(|op| match op {
            Op::Count(of, location) => Some(self.sum(index(*of), *location)),
            _ => self.op(op, threads).map(|op| vec![op]),
        })
    }

    /// How many instances of a template are at a location.
    fn sum(&self, of: usize, location: u32) -> Vec<Op> {
        let mut out = Vec::new();
        for instance in self.of[of].clone() {
            out.push(Op::Count(id(instance), location));
            if instance > self.of[of].start {
                out.push(Op::Add);
            }
        }
        out
    }

    /// An annotation about each choice of different instances.
    fn annotation(&self, annotation: &Annotation) -> Vec<Annotation> {
        let mut choices: Vec<Vec<usize>> = vec![Vec::new()];
        for of in &annotation.threads {
            let longer = |choice: Vec<usize>| {
                let others = self.of[index(*of)].clone().filter(|i| !choice.contains(i));
                others.map(|i| [&choice[..], &[i]].concat()).collect::<Vec<_>>()
            };
            choices = choices.into_iter().flat_map(longer).collect();
            if choices.len() > MAX_ANNOTATIONS {
                return Vec::new();
            }
        }
        let about = |threads: &Vec<usize>| Annotation {
            threads: Vec::new(),
            formula: self.expr(&annotation.formula, threads),
            ..annotation.clone()
        };
        choices.iter().map(about).collect()
    }
}

/// A position as a number of the format.
pub(crate) fn id(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 variables and templates")
}

/// A number of the format as a position.
pub(crate) fn index(id: u32) -> usize {
    usize::try_from(id).expect("an index fits into memory")
}

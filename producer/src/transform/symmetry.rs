//! Equal single templates joined into one of any number of threads, whose proof then serves them: a
//! layer of the certificate says which template stands for which (SPEC.md section 12.1). So a
//! program with a fixed number of threads is proved as fast as one with any number, where that is
//! safe.

use crate::logic::names::Names;
use crate::logic::rewrite::Rewrite as _;
use crate::source::{Annotation, LoopInvariant, Source};
use crate::transform::instances::{id, index};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::{conformance::Pair, thread};
use threadproof_checker::internals::replay;
use threadproof_format::program::{Edge, Multiplicity, Program, Template, Variable};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::{Expr, Op, Sort};

/// Which templates of a program are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    /// For each template of the program, its number in the joined program.
    to: Vec<u32>,
    /// For each template of the joined program, those that come to it, ascending.
    from: Vec<Vec<usize>>,
}

impl Join {
    /// Joins the single templates that are equal in all of some programs, the first of which the
    /// others abstract template by template. `None` if there are no two.
    pub fn new(programs: &[&Program]) -> Option<Self> {
        let count = programs.first()?.templates.len();
        if programs.iter().any(|p| p.templates.len() != count) {
            return None;
        }
        let budget = &Budget::default();
        let mut counted = BTreeSet::new();
        for program in programs {
            counted.extend(thread::counted(program, budget).ok()?);
        }
        let mut from: Vec<Vec<usize>> = Vec::new();
        for of in 0..count {
            let joins = |group: &Vec<usize>, budget: &Budget| {
                programs.iter().all(|p| equal(p, group[0], of, budget).unwrap_or(false))
            };
            let free = !counted.contains(&id(of));
            match from.iter_mut().find(|group| free && joins(group, budget)) {
                Some(group) => group.push(of),
                None => from.push(vec![of]),
            }
        }
        let mut to = vec![0; count];
        for (number, group) in from.iter().enumerate() {
            group.iter().for_each(|of| to[*of] = id(number));
        }
        // What the program counts has to keep its number.
        let moved = counted.iter().any(|of| to.get(index(*of)) != Some(of));
        (from.len() < count && !moved).then_some(Join { to, from })
    }

    /// For each template of the program, its number in the joined program.
    pub fn to(&self) -> &[u32] {
        &self.to
    }

    /// The joined program of one of the programs that it was made for.
    ///
    /// # Errors
    /// `Index` if the join was not made for this program, or `Limit`.
    pub fn program(&self, program: &Program) -> Result<Program, Reason> {
        let moves = Moves::new(self, program);
        let mut names = Names::default();
        let alone = self.from.iter().filter(|group| group.len() == 1);
        alone.for_each(|group| drop(names.fresh(&program.templates[group[0]].name)));
        let mut templates = Vec::new();
        for group in &self.from {
            let mut template = match group[..] {
                [of] => program.templates[of].clone(),
                _ => thread::thread(program, id(group[0]), &Budget::default())?,
            };
            if group.len() > 1 {
                template.multiplicity = Multiplicity::Many;
                template.name = names.fresh(stem(program, group));
            }
            templates.push(moves.template(template));
        }
        let assumptions = program.assumptions.clone();
        Ok(Program { assumptions, globals: moves.globals, init: program.init.clone(), templates })
    }

    /// The joined source: its program, those that abstract it, and what is said of them.
    ///
    /// # Errors
    /// `Index` if the join was not made for this program, or `Limit`.
    pub fn source(&self, source: &Source) -> Result<Source, Reason> {
        let abstractions = source.abstractions.iter().map(|a| self.single(a));
        Ok(Source { abstractions: abstractions.collect::<Result<_, _>>()?, ..self.single(source)? })
    }

    fn single(&self, source: &Source) -> Result<Source, Reason> {
        let firsts = self.from.iter().map(|group| source.notes.get(group[0]));
        let notes = firsts.map(|notes| notes.cloned().unwrap_or_default()).collect();
        Ok(Source {
            annotations: self.annotations(&source.program, &source.annotations),
            loop_invariants: self.loop_invariants(&source.loop_invariants),
            ..Source::new(self.program(&source.program)?, notes)
        })
    }

    /// What annotations of a program say of the joined one, each once.
    fn annotations(&self, program: &Program, said: &[Annotation]) -> Vec<Annotation> {
        let moves = Moves::new(self, program);
        let mut out: Vec<Annotation> = Vec::new();
        for annotation in said {
            let joined = self.annotation(program, &moves, annotation);
            if out.iter().all(|c| c.threads != joined.threads || c.formula != joined.formula) {
                out.push(joined);
            }
        }
        out
    }

    /// The locals of joined templates become those of so many different threads.
    fn annotation(&self, program: &Program, moves: &Moves, said: &Annotation) -> Annotation {
        let mut threads: Vec<u32> = said.threads.iter().map(|of| self.to[index(*of)]).collect();
        let mut positions: BTreeMap<u32, u32> = BTreeMap::new();
        let formula = said.formula.substitute(|op| {
            let Op::Global(old) = op else { return None };
            if let Some(new) = moves.to[index(*old)] {
                return Some(vec![Op::Global(new)]);
            }
            let owner = program.globals[index(*old)].owner?;
            let position = *positions.entry(owner).or_insert_with(|| {
                threads.push(self.to[index(owner)]);
                id(threads.len() - 1)
            });
            Some(vec![Op::Local(position, old - first_local(program, owner))])
        });
        Annotation { threads, formula, ..said.clone() }
    }

    /// What is said of the loops of templates, of those of the joined program.
    fn loop_invariants(&self, invariants: &[LoopInvariant]) -> Vec<LoopInvariant> {
        let is_first = |of: u32| self.from[index(self.to[index(of)])][0] == index(of);
        let firsts = invariants.iter().filter(|said| is_first(said.template));
        firsts
            .map(|said| LoopInvariant { template: self.to[index(said.template)], ..said.clone() })
            .collect()
    }

    /// The execution of the program that one of the joined program shows. `None` if there are more
    /// threads in it than the program has, or if those that do not act cannot begin as is tried
    /// here: as one that acts, or with zeros.
    pub fn apart(&self, program: &Program, run: &Counterexample) -> Option<Counterexample> {
        let moves = Moves::new(self, program);
        let start = |(old, new): (&Variable, &Option<u32>)| match new {
            Some(new) => run.start.globals.get(index(*new)).cloned(),
            None => Some(zero(old.sort)),
        };
        let globals = program.globals.iter().zip(&moves.to).map(start);
        let mut globals = globals.collect::<Option<Vec<Value>>>()?;
        let mut acting = vec![0; self.from.len()];
        let mut threads = Vec::new();
        for thread in &run.start.threads {
            let group = self.from.get(index(thread.template))?;
            if group.len() == 1 {
                threads.push(Thread { template: id(group[0]), ..thread.clone() });
                continue;
            }
            let number = acting.get_mut(index(thread.template))?;
            let rest = group.get(*number..).filter(|rest| !rest.is_empty())?;
            *number += 1;
            for of in rest {
                let first = index(first_local(program, id(*of)));
                globals
                    .iter_mut()
                    .skip(first)
                    .zip(&thread.locals)
                    .for_each(|(g, l)| *g = l.clone());
            }
            threads.push(Thread { template: id(rest[0]), locals: Vec::new() });
        }
        let found = ascending(globals, threads, &run.schedule);
        let accepted = replay::check(program, &found, &Budget::default());
        accepted.is_ok().then_some(found)
    }
}

/// An execution, its threads in the order of their templates.
fn ascending(globals: Vec<Value>, threads: Vec<Thread>, schedule: &[Move]) -> Counterexample {
    let mut order: Vec<usize> = (0..threads.len()).collect();
    order.sort_by_key(|thread| threads[*thread].template);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, old)| place[*old] = id(new));
    let threads = order.iter().map(|old| threads[*old].clone()).collect();
    let moved = |step: &Move| Move { thread: place[index(step.thread)], ..step.clone() };
    let schedule = schedule.iter().map(moved).collect();
    Counterexample { start: State { globals, threads }, schedule }
}

/// Where a program's globals are in the joined one.
struct Moves {
    /// The new number of each global; none for the locals of joined templates.
    to: Vec<Option<u32>>,
    /// The new globals.
    globals: Vec<Variable>,
}

impl Moves {
    fn new(join: &Join, program: &Program) -> Self {
        let (mut to, mut globals) = (Vec::new(), Vec::new());
        for global in &program.globals {
            let owner = global.owner.map(|of| join.to[index(of)]);
            let stays = owner.is_none_or(|of| join.from[index(of)].len() == 1);
            to.push(stays.then_some(id(globals.len())));
            if stays {
                globals.push(Variable { owner, ..global.clone() });
            }
        }
        Moves { to, globals }
    }

    /// A template that mentions no other's locals, with the new numbers of globals.
    fn template(&self, template: Template) -> Template {
        let expr = |e: &Expr| e.substitute(|op| self.op(op).map(|op| vec![op]));
        let edge = |edge: &Edge| Edge {
            guard: expr(&edge.guard),
            updates: edge
                .updates
                .iter()
                .map(|(v, value)| (self.variable(v), expr(value)))
                .collect(),
            ..edge.clone()
        };
        let edges = template.edges.iter().map(edge).collect();
        Template { init: expr(&template.init), edges, ..template }
    }

    fn op(&self, op: &Op) -> Option<Op> {
        let Op::Global(old) = op else { return None };
        self.to[index(*old)].map(Op::Global)
    }

    fn variable(&self, op: &Op) -> Op {
        self.op(op).unwrap_or_else(|| op.clone())
    }
}

/// Whether two templates are single, and equal but for their names.
fn equal(program: &Program, a: usize, b: usize, budget: &Budget) -> Result<bool, Reason> {
    if program.templates[a].is_many() || program.templates[b].is_many() {
        return Ok(false);
    }
    Pair::new((program, id(a)), (program, id(b)), budget)?.same(budget)
}

/// A name for joined templates: what their names begin with.
fn stem<'a>(program: &'a Program, group: &[usize]) -> &'a str {
    let first = program.templates[group[0]].name.as_str();
    let common = group.iter().map(|of| {
        let pairs = first.bytes().zip(program.templates[*of].name.bytes());
        pairs.take_while(|(a, b)| a == b).count()
    });
    // Names are ASCII.
    let common = &first[..common.min().unwrap_or(first.len())];
    let stem = common.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit());
    if stem.is_empty() { first } else { stem }
}

/// The first local of a single template, among the globals.
fn first_local(program: &Program, of: u32) -> u32 {
    id(program.globals.iter().position(|g| g.owner == Some(of)).unwrap_or(program.globals.len()))
}

/// A value to begin with.
fn zero(sort: Sort) -> Value {
    match sort {
        Sort::Int => Value::Int(0.into()),
        Sort::Bool => Value::Bool(false),
        Sort::IntArray => Value::IntArray(0.into(), Vec::new()),
        Sort::BoolArray => Value::BoolArray(false, Vec::new()),
    }
}

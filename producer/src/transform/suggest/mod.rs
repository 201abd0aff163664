//! Proposals of abstract threads ("Abstract Threads", Section 6, third direction of future work).
//!
//! The concrete thread is unfolded over the locals whose values its code shows (`unfold`); all
//! other locals are dropped, and what they decide becomes a choice; then nodes between which
//! nothing shared happens are merged (`reduce`). Each step only adds behaviours, so the result
//! conforms; it is meant to be edited.

mod print;
mod reduce;
mod unfold;

use crate::logic::rewrite::Rewrite as _;
use threadproof_checker::error::{AbstractionReason, Budget, Reason};
use threadproof_checker::internals::abstraction::thread::{counted, thread};
use threadproof_format::program::{Edge, Location, Program, Template, Variable};
use threadproof_format::{Expr, Op};

pub use print::tp;

/// A node of a proposed abstract thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name, unique in the abstract thread.
    pub name: String,
    /// When the thread goes wrong here: each a formula over globals.
    pub wrong: Vec<Expr>,
}

/// An edge between nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The node before: an index into [`Proposal::nodes`].
    pub source: usize,
    /// The node after: an index into [`Proposal::nodes`].
    pub target: usize,
    /// What holds before, over globals.
    pub guard: Vec<Expr>,
    /// The globals that change, ascending, and their new values over globals; `None`: any value.
    pub updates: Vec<(u32, Option<Expr>)>,
}

impl Step {
    /// Whether nothing shared is looked at or changed.
    fn is_idle(&self) -> bool {
        self.guard.is_empty() && self.updates.is_empty()
    }
}

/// A proposed abstract thread; node 0 is the initial one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The nodes; the number of a node is its index.
    pub nodes: Vec<Node>,
    /// The edges; each node has an idle edge beside them.
    pub steps: Vec<Step>,
}

/// Proposes an abstract thread for a template.
///
/// # Errors
/// `Index` if there is no such template, `Abstraction` if its commands or others count threads so
/// that there is no abstract one, or `Limit`.
pub fn propose(program: &Program, of: u32) -> Result<Proposal, Reason> {
    let thread = thread(program, of, &Budget::default())?;
    if counts(&thread) || counted(program, &Budget::default())?.contains(&of) {
        return Err(AbstractionReason::Counted.into());
    }
    Ok(reduce::reduce(unfold::unfold(program, &thread)))
}

/// The program with those locals expanded into locations whose values the code shows, in all
/// templates that have some; the others' locals stay. `None` if there are no such locals, or too
/// many values.
pub fn expanded(program: &Program) -> Option<Program> {
    let counted = counted(program, &Budget::default()).ok()?;
    let mut out: Option<Program> = None;
    for (of, template) in (0..).zip(&program.templates).filter(|(of, _)| !counted.contains(of)) {
        let thread = thread(program, of, &Budget::default()).ok()?;
        if counts(&thread) {
            continue;
        }
        let unfolded = unfold::unfold(program, &thread);
        let locations = template.locations.iter().filter(|l| !l.error).count();
        if unfolded.nodes.len() > locations {
            let before = out.as_ref().unwrap_or(program);
            out = Some(abstract_program(before, of, &unfolded));
        }
    }
    out
}

/// The program with a template replaced by its proposed abstract thread.
pub fn abstract_program(program: &Program, of: u32, proposal: &Proposal) -> Program {
    let globals = shared(program);
    let mut abstraction = program.clone();
    let owner = |v: &Variable| v.owner == Some(of);
    let removed = program.globals.iter().position(owner);
    let count = program.globals.iter().filter(|v| owner(v)).count();
    abstraction.globals.retain(|v| !owner(v));
    let number = usize::try_from(of).unwrap_or(usize::MAX);
    if let Some(template) = abstraction.templates.get_mut(number) {
        *template = core_template(template, globals, proposal);
    }
    if let Some(first) = removed {
        abstraction.templates.iter_mut().for_each(|t| renumber(t, first, count));
    }
    abstraction
}

/// Whether a thread's commands count threads.
fn counts(thread: &Template) -> bool {
    let counter = |expr: &Expr| expr.0.iter().any(|op| matches!(op, Op::Count(..)));
    let values = |e: &Edge| e.updates.iter().any(|(_, value)| counter(value));
    thread.edges.iter().any(|e| counter(&e.guard) || values(e))
}

/// The proposal as a template of a core program.
fn core_template(template: &Template, globals: &[Variable], proposal: &Proposal) -> Template {
    let error = proposal.nodes.len();
    let mut wrong = "error_1".to_owned();
    while proposal.nodes.iter().any(|n| n.name == wrong) {
        wrong.push('_');
    }
    let mut locations: Vec<Location> =
        proposal.nodes.iter().map(|n| Location { name: n.name.clone(), error: false }).collect();
    locations.push(Location { name: wrong, error: true });
    let edge = |source: usize, target: usize| Edge {
        source: narrow(source),
        target: narrow(target),
        inputs: Vec::new(),
        guard: Expr::bool(true),
        updates: Vec::new(),
    };
    let mut edges = Vec::new();
    for (i, node) in proposal.nodes.iter().enumerate() {
        edges.push(edge(i, i));
        edges.extend(node.wrong.iter().map(|w| Edge { guard: w.clone(), ..edge(i, error) }));
    }
    for step in &proposal.steps {
        let mut made = Edge { guard: all(&step.guard), ..edge(step.source, step.target) };
        for (global, value) in &step.updates {
            let value = value.clone().unwrap_or_else(|| {
                let variable = usize::try_from(*global).ok().and_then(|g| globals.get(g));
                let (name, sort) = variable.map(|v| (v.name.clone(), v.sort)).unzip();
                let name = format!("next_{}", name.unwrap_or_default());
                let sort = sort.unwrap_or(threadproof_format::Sort::Int);
                made.inputs.push(Variable { name, sort, owner: None });
                Expr(vec![Op::Input(narrow(made.inputs.len() - 1))])
            });
            made.updates.push((Op::Global(*global), value));
        }
        edges.push(made);
    }
    let (name, multiplicity) = (template.name.clone(), template.multiplicity);
    Template { name, multiplicity, locals: Vec::new(), init: Expr::bool(true), locations, edges }
}

/// Renumbers the globals of a template after `count` of them, from `first` on, are gone.
fn renumber(template: &mut Template, first: usize, count: usize) {
    let moved = |op: &Op| match op {
        Op::Global(i) if usize::try_from(*i).is_ok_and(|i| i >= first + count) => {
            Some(Op::Global(i - narrow(count)))
        }
        _ => None,
    };
    let rename = |expr: &mut Expr| *expr = expr.substitute(|op| moved(op).map(|op| vec![op]));
    rename(&mut template.init);
    for edge in &mut template.edges {
        rename(&mut edge.guard);
        for (variable, value) in &mut edge.updates {
            *variable = moved(variable).unwrap_or_else(|| variable.clone());
            rename(value);
        }
    }
}

/// The conjunction of some formulas.
fn all(formulas: &[Expr]) -> Expr {
    let mut formulas = formulas.iter().cloned();
    let Some(first) = formulas.next() else { return Expr::bool(true) };
    formulas.fold(first, |mut left, right| {
        left.0.extend(right.0);
        left.0.push(Op::And);
        left
    })
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).expect("few nodes")
}

/// The globals of a program's text: those that are no single template's locals.
pub(super) fn shared(program: &Program) -> &[Variable] {
    let count = program.globals.iter().take_while(|global| global.owner.is_none()).count();
    &program.globals[..count]
}

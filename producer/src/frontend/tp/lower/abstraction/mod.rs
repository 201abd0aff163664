//! Abstract threads as core templates (SPEC.md section 12.2): a location for each node and each
//! of the locals' values there, idle edges, and an error location for each assertion.

mod environment;
mod expand;
mod relation;

use super::super::ast::Span;
use super::super::ir::{self, Abstraction, Term};
use super::control::{MAX_EDGES, MAX_SIZE};
use super::notes::Notes;
use super::run::too_large;
use super::step::{State, id};
use crate::logic::names::Names;
use crate::text::Diagnostic;
use environment::Copies;
use expand::{Point, Points, too_many_edges};
use num_bigint::Sign;
use std::collections::BTreeMap;
use threadproof_format::Expr;
use threadproof_format::program::{Edge, Location, Variable};

/// What an abstract thread is in the core form.
pub(super) struct Machine {
    /// Copies of globals, of their values after the thread's last step.
    pub locals: Vec<Variable>,
    /// That the copies are true at the start.
    pub init: Expr,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub notes: Vec<String>,
    /// The nodes at each location that is no error: their names.
    pub nodes: Vec<Vec<String>>,
}

/// What names and notes are made with.
pub(super) struct Surroundings<'a> {
    /// The globals that are shared.
    pub globals: &'a [Variable],
    pub names: &'a Names,
    pub notes: Notes<'a>,
}

/// The pass over one abstract thread.
struct Builder<'a> {
    of: &'a Abstraction,
    around: &'a Surroundings<'a>,
    copies: Copies,
    /// Names that are taken: globals, templates and copies.
    names: Names,
    points: Points<'a>,
    /// The points of each location that is no error. Only the first one can have several.
    members: Vec<Vec<Point>>,
    /// The location of each point that a move leads to.
    numbers: BTreeMap<Point, usize>,
    edges: Vec<Edge>,
    notes: Vec<String>,
}

/// The core form of an abstract thread.
pub(super) fn machine(
    of: &Abstraction,
    around: &Surroundings<'_>,
) -> Result<Machine, Vec<Diagnostic>> {
    let points = Points::new(of, around.globals.len())?;
    let mut names = around.names.clone();
    let copies = Copies::new(&of.environment, around.globals, &mut names)?;
    let members = members(&points);
    let single = members.iter().enumerate().filter(|(_, points)| points.len() == 1);
    let numbers = single.map(|(location, points)| (points[0], location)).collect();
    let (edges, notes) = (Vec::new(), Vec::new());
    let builder = Builder { of, around, copies, names, points, members, numbers, edges, notes };
    builder.build().map_err(|error| vec![error])
}

/// The points of each location: where threads may start, and all that some move leads to. A thread
/// that has not moved may be at any initial point, so these are one location.
fn members(points: &Points<'_>) -> Vec<Vec<Point>> {
    let mut reached: Vec<Point> = points.moves.values().flatten().map(|step| step.target).collect();
    reached.sort_unstable();
    reached.dedup();
    let start: Vec<Point> = points.initial.iter().copied().collect();
    reached.retain(|point| start != [*point]);
    std::iter::once(start).chain(reached.into_iter().map(|point| vec![point])).collect()
}

/// An assertion of one node, or of all.
struct Assertion<'a> {
    node: Option<usize>,
    formula: Term,
    span: &'a Span,
}

impl<'a> Builder<'a> {
    fn build(mut self) -> Result<Machine, Diagnostic> {
        let assertions = self.assertions();
        let locations = self.locations(assertions.len());
        let mut size = 0;
        for location in 0..self.members.len() {
            let first = self.edges.len();
            for (number, assertion) in assertions.iter().enumerate() {
                self.failures(location, assertion, self.members.len() + number)?;
            }
            self.idle(location);
            self.moves(location)?;
            self.drop_repeated(first);
            let span = &self.node(location).span;
            if self.edges.len() > MAX_EDGES {
                return Err(too_many_edges(span));
            }
            size += self.edges[first..].iter().map(operators).sum::<usize>();
            if size > MAX_SIZE {
                return Err(too_large(span));
            }
        }
        let name = |point: &Point| self.of.nodes[point.0].name.clone();
        let nodes = self.members.iter().map(|points| points.iter().map(name).collect()).collect();
        let (locals, init) = (self.copies.variables(self.around.globals), self.copies.init());
        Ok(Machine { locals, init, locations, edges: self.edges, notes: self.notes, nodes })
    }

    /// The locations' names: those of the nodes, with the values of the locals.
    fn locations(&self, errors: usize) -> Vec<Location> {
        let mut names = Names::default();
        let mut chosen: Vec<Option<String>> = self.members.iter().map(|_| None).collect();
        for (name, points) in chosen.iter_mut().zip(&self.members) {
            if let [point] = points[..] {
                *name = Some(names.fresh(&self.name(point)));
            }
        }
        let named = chosen.into_iter().map(|name| name.unwrap_or_else(|| names.fresh("start")));
        let mut out: Vec<Location> = named.map(|name| Location { name, error: false }).collect();
        let errors = (1..=errors).map(|number| names.fresh(&format!("error_{number}")));
        out.extend(errors.map(|name| Location { name, error: true }));
        out
    }

    /// `inside_busy_k_2`: a truth value is named if it is true.
    fn name(&self, (node, number): Point) -> String {
        let mut name = self.of.nodes[node].name.clone();
        for (local, value) in self.of.locals.iter().zip(&self.points.valuations[number]) {
            match value {
                Term::Bool(true) => name += &format!("_{}", local.name),
                Term::Int(k) => {
                    let sign = if k.sign() == Sign::Minus { "minus_" } else { "" };
                    name += &format!("_{}_{sign}{}", local.name, k.magnitude());
                }
                _ => {}
            }
        }
        name
    }

    /// The node at a location, the first one if there are several.
    fn node(&self, location: usize) -> &'a ir::Node {
        &self.of.nodes[self.members[location][0].0]
    }

    /// The assertions that can fail somewhere, in the order of their places.
    fn assertions(&self) -> Vec<Assertion<'a>> {
        let common = self.of.common.iter().map(|said| (None, said));
        let nodes = self.of.nodes.iter().enumerate();
        let own =
            nodes.flat_map(|(i, node)| node.assertions.iter().map(move |said| (Some(i), said)));
        let said = common.chain(own).map(|(node, (formula, span))| {
            let formula = formula.clone();
            Assertion { node, formula, span }
        });
        let environment = self.of.environment.iter().map(|(relation, span)| {
            let formula = self.copies.since(relation);
            Assertion { node: None, formula, span }
        });
        let mut all: Vec<Assertion<'a>> = said.chain(environment).collect();
        all.sort_by_key(|assertion| assertion.span.start);
        all.retain(|assertion| {
            let mut points = self.members.iter().flatten();
            points.any(|point| self.failure(assertion, *point).is_some())
        });
        all
    }

    /// How an assertion can fail at a point.
    fn failure(&self, assertion: &Assertion<'_>, point: Point) -> Option<Term> {
        let here = assertion.node.is_none_or(|node| node == point.0);
        let fails = here.then(|| self.points.at(&assertion.formula, point).negate());
        fails.filter(|formula| *formula != Term::Bool(false))
    }

    /// The edges from a location to an assertion's error location.
    fn failures(
        &mut self,
        location: usize,
        assertion: &Assertion<'_>,
        error: usize,
    ) -> Result<(), Diagnostic> {
        let note = format!("{} fails", self.around.notes.statement(assertion.span));
        let points = &self.members[location];
        let formulas: Vec<Term> =
            points.iter().filter_map(|point| self.failure(assertion, *point)).collect();
        for formula in formulas {
            let mut state = State::default();
            let guard = state.formula(&formula, &self.copies.frame());
            if state.too_large {
                return Err(too_large(assertion.span));
            }
            let edge = Edge { guard: Expr(guard), ..stay() };
            self.push(location, error, edge, note.clone());
        }
        Ok(())
    }

    /// The hidden idle edge.
    fn idle(&mut self, location: usize) {
        let note = self.around.notes.statement(&self.node(location).span);
        self.push_step(location, location, stay(), format!("{note} (idle)"));
    }

    /// The edges that the abstract thread's text gives a location.
    fn moves(&mut self, location: usize) -> Result<(), Diagnostic> {
        let mut out = Vec::new();
        for step in self.members[location].iter().flat_map(|point| &self.points.moves[point]) {
            let (edge, around) = (step.edge, self.around);
            let command = step.relation.command(&edge.kept, around.globals, &self.names);
            let command = command.ok_or_else(|| too_large(&edge.span))?;
            let target = self.numbers[&step.target];
            out.push((target, command, around.notes.statement(&edge.span)));
        }
        for (target, edge, note) in out {
            self.push_step(location, target, edge, note);
        }
        Ok(())
    }

    /// Takes out edges that stand twice among the last ones: several points can have the same
    /// steps.
    fn drop_repeated(&mut self, first: usize) {
        let (edges, notes) = (self.edges.split_off(first), self.notes.split_off(first));
        for (edge, note) in edges.into_iter().zip(notes) {
            if !self.edges[first..].contains(&edge) {
                self.edges.push(edge);
                self.notes.push(note);
            }
        }
    }

    /// An edge between nodes: each copy becomes the new value of its global.
    fn push_step(&mut self, source: usize, target: usize, mut command: Edge, note: String) {
        let copied = self.copies.updates(&command);
        command.updates.extend(copied);
        self.push(source, target, command, note);
    }

    fn push(&mut self, source: usize, target: usize, command: Edge, note: String) {
        self.edges.push(Edge { source: id(source), target: id(target), ..command });
        self.notes.push(note);
    }
}

/// The operators of an edge.
fn operators(edge: &Edge) -> usize {
    edge.guard.0.len() + edge.updates.iter().map(|(_, value)| value.0.len()).sum::<usize>()
}

/// The command that does nothing.
fn stay() -> Edge {
    let guard = Expr::bool(true);
    Edge { source: 0, target: 0, inputs: Vec::new(), guard, updates: Vec::new() }
}

//! An abstract thread with finite locals as a graph of points: nodes with values of the locals.

use super::super::control::MAX_EDGES;
use super::relation::Relation;
use crate::frontend::tp::ast::Span;
use crate::frontend::tp::ir::{Abstraction, Edge, Slot, Term};
use crate::text::Diagnostic;
use std::collections::{BTreeMap, BTreeSet};

/// A node, and the number of the values that the locals have there.
pub(super) type Point = (usize, usize);

/// A step from a point: what an edge is for some values of the locals before and after.
pub(super) struct Move<'a> {
    pub edge: &'a Edge,
    pub target: Point,
    pub relation: Relation,
}

/// The points that can be reached.
pub(super) struct Points<'a> {
    of: &'a Abstraction,
    globals: usize,
    /// The values of all locals, by number.
    pub valuations: Vec<Vec<Term>>,
    /// Where a thread may start.
    pub initial: BTreeSet<Point>,
    /// The moves from each point that can be reached.
    pub moves: BTreeMap<Point, Vec<Move<'a>>>,
}

impl<'a> Points<'a> {
    /// All points that can be reached, if each node and edge is of use.
    pub(super) fn new(of: &'a Abstraction, globals: usize) -> Result<Self, Vec<Diagnostic>> {
        let valuations = valuations(of);
        let (initial, moves) = (BTreeSet::new(), BTreeMap::new());
        let mut points = Points { of, globals, valuations, initial, moves };
        points.initial = points.starts().collect();
        let mut todo: Vec<Point> = points.initial.iter().copied().collect();
        let mut count = 0;
        while let Some(point) = todo.pop() {
            if !points.moves.contains_key(&point) {
                let moves = points.moves_from(point);
                todo.extend(moves.iter().map(|step| step.target));
                count += moves.len();
                if count > MAX_EDGES {
                    return Err(vec![too_many_edges(&of.nodes[point.0].span)]);
                }
                points.moves.insert(point, moves);
            }
        }
        let unused = points.unused();
        if unused.is_empty() { Ok(points) } else { Err(unused) }
    }

    fn starts(&self) -> impl Iterator<Item = Point> {
        let nodes = (0..self.of.nodes.len()).filter(|node| self.of.nodes[*node].initial);
        let fits = |values: &Vec<Term>| {
            let mut pairs = self.of.locals.iter().zip(values);
            pairs.all(|(local, value)| local.init.as_ref().is_none_or(|init| init == value))
        };
        let all = 0..self.valuations.len();
        nodes.flat_map(move |node| {
            let starts = all.clone().filter(move |number| fits(&self.valuations[*number]));
            starts.map(move |number| (node, number))
        })
    }

    fn moves_from(&self, (node, number): Point) -> Vec<Move<'a>> {
        let before = &self.valuations[number];
        let mut out = Vec::new();
        for edge in self.of.edges.iter().filter(|edge| edge.source == node) {
            for (next, after) in self.valuations.iter().enumerate() {
                let kept = edge.kept[self.globals..].iter();
                let mut locals = kept.zip(before.iter().zip(after));
                let fits = locals.all(|(kept, (old, new))| !kept || old == new);
                let relation = fits.then(|| self.relation(edge, before, after)).flatten();
                if let Some(relation) = relation {
                    out.push(Move { edge, target: (edge.target, next), relation });
                }
            }
        }
        out
    }

    /// The relation of an edge for some values of the locals; `None` if it is false.
    fn relation(&self, edge: &Edge, before: &[Term], after: &[Term]) -> Option<Relation> {
        let value = |slot: Slot| match slot {
            Slot::Global(_) => None,
            Slot::Local(i) => {
                let local = i.checked_sub(self.globals)?;
                before.iter().chain(after).nth(local).cloned()
            }
        };
        Relation::new(edge.relation.replace(&value))
    }

    /// A formula at a point.
    pub(super) fn at(&self, formula: &Term, (_, number): Point) -> Term {
        formula.replace(&|slot| match slot {
            Slot::Global(_) => None,
            Slot::Local(local) => self.valuations[number].get(local).cloned(),
        })
    }

    /// Errors: nodes that nothing leads to, and edges that are no step anywhere.
    fn unused(&self) -> Vec<Diagnostic> {
        let mut out = Vec::new();
        let reached = |node: usize| self.moves.keys().any(|(n, _)| *n == node);
        for (number, node) in self.of.nodes.iter().enumerate() {
            if !reached(number) {
                let message = format!("no path leads to the node `{}`", node.name);
                let hint = "add an edge that leads to it, or remove it";
                out.push(Diagnostic::new(node.span.clone(), message).hint(hint));
            }
        }
        let taken: BTreeSet<usize> =
            self.moves.values().flatten().map(|step| step.edge.span.start).collect();
        for edge in &self.of.edges {
            if reached(edge.source) && !taken.contains(&edge.span.start) {
                let item = Diagnostic::new(edge.span.clone(), "this edge can never be taken");
                out.push(item.hint("its relation is false whatever the locals are: remove it"));
            }
        }
        out
    }
}

/// The error of an abstract thread that its locals make too large.
pub(super) fn too_many_edges(span: &Span) -> Diagnostic {
    let message = format!("an abstract thread of more than {MAX_EDGES} edges");
    Diagnostic::new(span.clone(), message).hint("let its locals have fewer values")
}

/// All values of the locals.
fn valuations(of: &Abstraction) -> Vec<Vec<Term>> {
    let mut out = vec![Vec::new()];
    for local in &of.locals {
        let longer = |values: &Vec<Term>, value: &Term| {
            let mut values = values.clone();
            values.push(value.clone());
            values
        };
        let extend = |values: Vec<Term>| {
            local.values.iter().map(move |value| longer(&values, value)).collect::<Vec<_>>()
        };
        out = out.into_iter().flat_map(extend).collect();
    }
    out
}

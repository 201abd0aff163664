//! From the control-flow graph of a thread to its template: the locations that can be reached get
//! their names and numbers, and statements that cannot are reported.

use super::super::ast::Span;
use super::graph::{Graph, Node, Target};
use super::step::id;
use super::variables::Variables;
use crate::logic::names::Names;
use crate::text::Diagnostic;
use std::collections::BTreeMap;
use threadproof_format::Expr;
use threadproof_format::program::{Edge, Location};

/// Locations and edges of a template, and the edges' notes.
pub(super) struct Finished {
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub notes: Vec<String>,
    /// Labels and their locations; a label of a procedure has one for each call.
    pub labels: Vec<(String, u32)>,
    /// What is said of loops: the head's location, the formula, and its place.
    pub said: Vec<(u32, Expr, String)>,
    /// The assertions that have an error location.
    pub asserted: Vec<Span>,
}

/// What the graph of a thread is finished with.
pub(super) struct Finish<'a> {
    pub graph: Graph,
    pub start: usize,
    /// What is said of loops: the head, the formula, and its place.
    pub said: Vec<(usize, Expr, String)>,
    pub asserts: Vec<Span>,
    pub variables: &'a Variables,
}

/// Statements that can never run, and jumps that lead nowhere.
pub(super) fn unreachable(graph: &Graph, start: usize, end: usize, dead: &mut Vec<Diagnostic>) {
    let reached = graph.reachable(start);
    let root = |node: &usize| graph.find(*node) == *node;
    let occupant = |node: usize| graph.nodes[node].occupant.as_ref();
    for node in (0..graph.nodes.len()).filter(root) {
        if let Some(here) = occupant(node).filter(|_| !reached[node]) {
            let earlier = graph.steps.iter().any(|step| {
                let source = occupant(graph.find(step.source));
                let leads = matches!(step.target, Target::Node(t) if graph.find(t) == node);
                leads && source.is_some_and(|s| s.span.start < here.span.start)
            });
            if !earlier {
                dead.push(never(&here.span));
            }
        }
        if let (true, None, Some((name, span))) =
            (reached[node], occupant(node), &graph.nodes[node].label)
            && node != graph.find(end)
        {
            let message = format!("the jumps to `{name}` go round without a step");
            let hint = "put a statement into the loop, for instance `assume(true);`";
            dead.push(Diagnostic::new(span.clone(), message).hint(hint));
        }
    }
}

/// The error of a statement that can never run.
pub(super) fn never(span: &Span) -> Diagnostic {
    Diagnostic::new(span.clone(), "this statement can never run")
        .hint("every path before it jumps away or stops: remove it, or give it a label")
}

impl Finish<'_> {
    /// Numbers what can be reached: the initial location, the statements in order, the end, and
    /// the error locations.
    pub(super) fn finish(mut self) -> Finished {
        let reached = self.graph.reachable(self.start);
        let start = self.graph.find(self.start);
        let mut nodes: Vec<usize> = (0..reached.len()).filter(|n| reached[*n]).collect();
        nodes.sort_by_key(|n| {
            let occupant = self.graph.nodes[*n].occupant.as_ref();
            (*n != start, occupant.is_none(), occupant.map(|o| o.order))
        });
        let mut asserts: Vec<usize> = (0..self.asserts.len()).collect();
        asserts.sort_by_key(|a| (self.asserts[*a].start, *a));
        let steps = &self.graph.steps;
        asserts.retain(|a| {
            let leads = |s: &&super::graph::Step| s.target == Target::Error(*a);
            steps.iter().filter(leads).any(|s| reached[self.graph.find(s.source)])
        });
        let locations = self.locations(&nodes, asserts.len());
        let mut numbers = BTreeMap::new();
        for (i, node) in nodes.iter().enumerate() {
            numbers.insert(*node, id(i));
        }
        let errors: BTreeMap<usize, u32> =
            asserts.iter().enumerate().map(|(i, a)| (*a, id(nodes.len() + i))).collect();
        let labels = numbers.iter().flat_map(|(node, number)| {
            let here = self.graph.nodes[*node].labels.iter();
            here.map(|label| (label.clone(), *number))
        });
        let labels = labels.collect();
        let said = std::mem::take(&mut self.said).into_iter();
        let said = said.filter_map(|(head, formula, note)| {
            let location = numbers.get(&self.graph.find(head))?;
            Some((*location, formula, note))
        });
        let said = said.collect();
        let asserted = asserts.iter().map(|a| self.asserts[*a].clone()).collect();
        Finished { labels, said, asserted, ..self.edges(locations, &numbers, &errors) }
    }

    /// Names: the user's label, or a number. They are part of the digest, so they do not depend
    /// on the layout of the text. Labels come first, so that they keep their names.
    fn locations(&self, nodes: &[usize], asserts: usize) -> Vec<Location> {
        let mut names = Names::default();
        let mut chosen = vec![String::new(); nodes.len()];
        let all: Vec<&Node> = nodes.iter().map(|n| &self.graph.nodes[*n]).collect();
        for (node, name) in all.iter().zip(&mut chosen) {
            if let Some((label, _)) = &node.label {
                *name = names.fresh(label);
            }
        }
        let unlabelled = all.iter().zip(&mut chosen).filter(|(n, _)| n.label.is_none());
        for (number, (node, name)) in (1..).zip(unlabelled) {
            let wanted = match &node.occupant {
                Some(_) => format!("L{number}"),
                None => "end".to_owned(),
            };
            *name = names.fresh(&wanted);
        }
        let mut out: Vec<Location> =
            chosen.into_iter().map(|name| Location { name, error: false }).collect();
        let errors = (1..=asserts).map(|number| names.fresh(&format!("error_{number}")));
        out.extend(errors.map(|name| Location { name, error: true }));
        out
    }

    fn edges(
        self,
        locations: Vec<Location>,
        numbers: &BTreeMap<usize, u32>,
        errors: &BTreeMap<usize, u32>,
    ) -> Finished {
        let (mut edges, mut notes) = (Vec::new(), Vec::new());
        let roots: Vec<usize> = (0..self.graph.nodes.len()).map(|n| self.graph.find(n)).collect();
        for step in self.graph.steps {
            let Some(source) = numbers.get(&roots[step.source]) else {
                continue;
            };
            let target = match step.target {
                Target::Node(node) => numbers.get(&roots[node]),
                Target::Error(assert) => errors.get(&assert),
            };
            let Some(target) = target else {
                continue;
            };
            let (inputs, guard, updates) = step.state.finish(&self.variables.names);
            edges.push(Edge { source: *source, target: *target, inputs, guard, updates });
            notes.push(step.note);
        }
        let (labels, said, asserted) = Default::default();
        Finished { locations, edges, notes, labels, said, asserted }
    }
}

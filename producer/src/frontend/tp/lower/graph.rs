//! The control-flow graph while it is built: locations that turn out to be one are merged, so
//! that no edge is needed where no step is taken.

use super::super::ast::Span;
use super::step::State;

/// A location, before merging.
#[derive(Default)]
pub(super) struct Node {
    parent: Option<usize>,
    /// The user's label, and where it stands.
    pub label: Option<(String, Span)>,
    /// All labels that stand here.
    pub labels: Vec<String>,
    /// The statement that is executed here.
    pub occupant: Option<Occupant>,
}

/// The statement at a location.
#[derive(Clone)]
pub(super) struct Occupant {
    /// Order of the statements in the template.
    pub order: usize,
    pub span: Span,
}

/// An edge, before it is turned into a core edge.
pub(super) struct Step {
    pub source: usize,
    pub target: Target,
    pub state: State,
    pub note: String,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Node(usize),
    /// The error location of an assertion.
    Error(usize),
}

/// Locations and edges.
#[derive(Default)]
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub steps: Vec<Step>,
    occupied: usize,
}

impl Graph {
    pub(super) fn node(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    /// The location that a node stands for.
    pub(super) fn find(&self, mut node: usize) -> usize {
        while let Some(parent) = self.nodes[node].parent {
            node = parent;
        }
        node
    }

    /// Makes two nodes one location. At most one of them has a statement.
    pub(super) fn merge(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let (keep, lose) = (a.min(b), a.max(b));
        let label = self.nodes[lose].label.take();
        let occupant = self.nodes[lose].occupant.take();
        let labels = std::mem::take(&mut self.nodes[lose].labels);
        let kept = &mut self.nodes[keep];
        kept.label = kept.label.take().or(label);
        kept.occupant = kept.occupant.take().or(occupant);
        kept.labels.extend(labels);
        self.nodes[lose].parent = Some(keep);
    }

    /// Puts a statement at a location.
    pub(super) fn occupy(&mut self, node: usize, span: &Span) {
        let node = self.find(node);
        self.nodes[node].occupant = Some(Occupant { order: self.occupied, span: span.clone() });
        self.occupied += 1;
    }

    /// Which locations a path leads to from the given one.
    pub(super) fn reachable(&self, from: usize) -> Vec<bool> {
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for step in &self.steps {
            if let Target::Node(target) = step.target {
                successors[self.find(step.source)].push(self.find(target));
            }
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut todo = vec![self.find(from)];
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                todo.append(&mut successors[node]);
            }
        }
        reached
    }
}

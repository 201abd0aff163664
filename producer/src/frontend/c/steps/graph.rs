//! The control-flow automaton of one thread: locations, and edges with commands.

use crate::frontend::c::steps::command::{Access, Command};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Op;

/// A step from one location to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub source: usize,
    pub target: usize,
    pub command: Command,
    pub access: Access,
    /// Where it comes from; each note once.
    pub notes: Vec<String>,
}

/// A location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// How many atomic sections are open. In one no other thread moves.
    pub depth: usize,
    pub error: bool,
    /// What an error is called, before its number.
    pub label: String,
    /// Whether the edges from here may all be impossible, now or before what was left out.
    pub partial: bool,
    /// The place in the text, for errors.
    pub at: usize,
}

/// The graph of one thread. Node 0 is the initial location.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// What is known of variables: their types' ranges.
    pub ranges: Ranges,
}

/// Bounds of variables and inputs that always hold.
pub(crate) type Ranges = BTreeMap<Op, (BigInt, BigInt)>;

impl Graph {
    pub(crate) fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub(crate) fn edge(&mut self, source: usize, target: usize, command: Command, note: String) {
        let access = command.access(&BTreeSet::new());
        let silent = command == Command::default() && !self.nodes[target].error;
        let notes = if silent { Vec::new() } else { vec![note] };
        self.edges.push(Edge { source, target, command, access, notes });
    }

    /// Drops edges that no path leads to.
    pub(crate) fn reachable(&mut self) {
        let reached = self.reached_from(vec![0]);
        self.edges.retain(|edge| reached[edge.source]);
    }

    /// Whether a path leads from the location of an edge's target back to its source.
    pub(crate) fn on_a_cycle(&self, edge: usize) -> bool {
        let Edge { source, target, .. } = self.edges[edge];
        self.reached_from(vec![target])[source]
    }

    /// The locations that paths lead to from some, which are among them.
    pub(crate) fn reached_from(&self, mut todo: Vec<usize>) -> Vec<bool> {
        let mut reached = vec![false; self.nodes.len()];
        let mut successors = vec![Vec::new(); self.nodes.len()];
        for edge in &self.edges {
            successors[edge.source].push(edge.target);
        }
        while let Some(node) = todo.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                todo.append(&mut successors[node]);
            }
        }
        reached
    }

    pub(crate) fn degrees(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut ins, mut outs) = (vec![0; self.nodes.len()], vec![0; self.nodes.len()]);
        for edge in &self.edges {
            ins[edge.target] += 1;
            outs[edge.source] += 1;
        }
        (ins, outs)
    }
}

//! Lipton reduction: steps of a thread are merged where no other thread can tell them apart.
//!
//! Lowering makes an edge for each read of a shared variable, each write of one and each local
//! action. Merged, a step has one access to shared variables and what is local around it. Whether
//! an error location can be reached does not depend on it (movers, R. J. Lipton 1975):
//!
//! - a *right mover* commutes with later steps of other threads, and may be taken right before the
//!   thread's next step: an edge that reads and writes only own variables;
//! - a *left mover* commutes with earlier ones, and may be taken right after the thread's last
//!   step: such an edge, too, if one of the edges can always be taken, or if the last step wrote
//!   nothing (else the thread might stop in between);
//! - an edge that waits for what another thread hands over once and for all is a right mover, too
//!   (`Access::Acquire`), and one that hands something over a left mover (`Access::Release`);
//! - inside an atomic section there is nothing in between.

use crate::frontend::c::steps::command::Access;
use crate::frontend::c::steps::graph::{Edge, Graph};
use std::collections::BTreeSet;

/// Operators of one merged edge.
const MAX_SIZE: usize = 4_000;
/// Edges that one location is replaced by, where fewer than now would not do.
const MAX_PRODUCT: usize = 16;
/// Paths through one atomic section.
const MAX_PATHS: usize = 1_024;

/// An atomic section that cannot be made one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub(crate) struct SectionError {
    /// Its place.
    pub at: usize,
    kind: SectionKind,
}

/// What is in an atomic section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum SectionKind {
    #[error("a loop inside an atomic section")]
    Loop,
    #[error("an atomic section with so many paths")]
    Paths,
}

/// The edges that let a location be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    /// What leads to it is local: taken right before what follows.
    Right,
    /// What leads away from it is local: taken right after what came before.
    Left,
}

impl Graph {
    /// Leaves out the locations inside atomic sections.
    ///
    /// # Errors
    ///
    /// The place of a section with a loop, or with too many paths.
    pub(crate) fn atomic_sections(&mut self) -> Result<(), SectionError> {
        self.reachable();
        let mut todo: BTreeSet<usize> = (1..self.nodes.len())
            .filter(|n| self.nodes[*n].depth > 0 && !self.nodes[*n].error)
            .collect();
        while !todo.is_empty() {
            let (ins, outs) = self.degrees();
            let loops: BTreeSet<usize> =
                self.edges.iter().filter(|e| e.source == e.target).map(|e| e.source).collect();
            let next =
                todo.iter().filter(|n| !loops.contains(n)).min_by_key(|n| ins[**n] * outs[**n]);
            let Some(next) = next.copied() else {
                let at = todo.first().map_or(0, |n| self.nodes[*n].at);
                return Err(SectionError { at, kind: SectionKind::Loop });
            };
            if ins[next] * outs[next] > MAX_PATHS {
                return Err(SectionError { at: self.nodes[next].at, kind: SectionKind::Paths });
            }
            self.leave_out(next);
            todo.remove(&next);
        }
        Ok(())
    }

    /// Leaves out locations where no other thread can tell it.
    pub(crate) fn reduce(&mut self) {
        loop {
            self.reachable();
            self.tidy();
            let movers = [Mover::Left, Mover::Right];
            let Some(node) = movers.into_iter().find_map(|mover| self.removable(mover)) else {
                return;
            };
            self.leave_out(node);
            while let Some(node) = self.removable(Mover::Left) {
                self.leave_out(node);
            }
        }
    }

    /// A location that can be left out by movers of a kind.
    fn removable(&self, mover: Mover) -> Option<usize> {
        let (ins, outs) = self.degrees();
        let mut before = vec![true; self.nodes.len()];
        let (mut written, mut local) = (before.clone(), before.clone());
        written.fill(false);
        let mut looped = written.clone();
        let mut sizes = vec![(0, 0); self.nodes.len()];
        for edge in &self.edges {
            before[edge.target] &= matches!(edge.access, Access::None | Access::Acquire);
            written[edge.target] |= edge.access >= Access::Release;
            local[edge.source] &= matches!(edge.access, Access::None | Access::Release);
            looped[edge.source] |= edge.source == edge.target;
            let size = edge.command.size();
            sizes[edge.target].0 = sizes[edge.target].0.max(size);
            sizes[edge.source].1 = sizes[edge.source].1.max(size);
        }
        (1..self.nodes.len()).find(|n| {
            let n = *n;
            let possible = match mover {
                Mover::Right => before[n],
                Mover::Left => local[n] && (!written[n] || (!self.nodes[n].partial && outs[n] > 0)),
            };
            let product = ins[n] * outs[n];
            let small = product <= ins[n] + outs[n]
                || ins[n] == 1
                || outs[n] == 1
                || product <= MAX_PRODUCT;
            ins[n] > 0
                && possible
                && small
                && !looped[n]
                && !self.nodes[n].error
                && sizes[n].0 + sizes[n].1 <= MAX_SIZE
        })
    }

    /// The notes of two edges, each once; but what fails is said last.
    fn said(&self, first: &Edge, second: &Edge) -> Vec<String> {
        let fails = second.notes.last().filter(|_| self.nodes[second.target].error);
        let new = |n: &&String| !first.notes.contains(n) || Some(*n) == fails;
        first.notes.iter().chain(second.notes.iter().filter(new)).cloned().collect()
    }

    /// Replaces the edges to and from a location by edges past it.
    fn leave_out(&mut self, node: usize) {
        let (mut into, mut from) = (Vec::new(), Vec::new());
        for edge in std::mem::take(&mut self.edges) {
            if edge.target == node {
                into.push(edge);
            } else if edge.source == node {
                from.push(edge);
            } else {
                self.edges.push(edge);
            }
        }
        if from.is_empty() || self.nodes[node].partial {
            // Who would come here may stay where it is.
            into.iter().for_each(|first| self.nodes[first.source].partial = true);
        }
        for first in &into {
            for second in &from {
                let Some(mut command) = first.command.then(&second.command) else { continue };
                if !command.simplify(&self.ranges) {
                    continue;
                }
                self.edges.push(Edge {
                    source: first.source,
                    target: second.target,
                    command,
                    access: first.access.then(second.access),
                    notes: self.said(first, second),
                });
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;

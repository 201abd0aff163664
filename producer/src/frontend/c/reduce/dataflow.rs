//! Dataflow on a thread's automaton: constant propagation, liveness, and dropping what changes
//! nothing.

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::{Edge, Graph};
use crate::frontend::c::term;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Op;

impl Graph {
    /// Drops what cannot be reached, steps that change nothing, and updates of dead variables.
    pub(crate) fn tidy(&mut self) {
        self.constants();
        let live = self.live();
        for edge in &mut self.edges {
            let here = &live[edge.target];
            edge.command.updates.retain(|v, _| matches!(v, Op::Global(_)) || here.contains(v));
        }
        let ranges = &self.ranges;
        self.edges.retain_mut(|edge| edge.command.simplify(ranges));
        let nodes = &mut self.nodes;
        self.edges.retain(|e| {
            let idle = e.source == e.target && e.command.updates.is_empty();
            // Who would go round stays.
            nodes[e.source].partial |= idle;
            !idle
        });
        let mut seen = BTreeSet::new();
        self.edges.retain(|e| seen.insert((e.source, e.target, e.command.clone())));
    }

    /// Puts in the values of own variables that are the same whenever the thread is at a location.
    fn constants(&mut self) {
        let mut known: Vec<Option<BTreeMap<Op, Vec<Op>>>> = vec![None; self.nodes.len()];
        known[0] = Some(BTreeMap::new());
        let mut from = vec![Vec::new(); self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            from[edge.source].push(i);
        }
        let mut todo = BTreeSet::from([0]);
        while let Some(node) = todo.pop_first() {
            for i in &from[node] {
                let Edge { target, command, .. } = &self.edges[*i];
                let Some(here) = &known[node] else { continue };
                let mut after = here.clone();
                for (variable, value) in &command.updates {
                    let value = term::replaced(value, here);
                    match term::constant(&value) {
                        Some(_) if matches!(variable, Op::Local(..)) => {
                            after.insert(variable.clone(), value);
                        }
                        _ => {
                            after.remove(variable);
                        }
                    }
                }
                if let Some(there) = &known[*target] {
                    after.retain(|variable, value| there.get(variable) == Some(value));
                    if after.len() == there.len() {
                        continue;
                    }
                }
                known[*target] = Some(after);
                todo.insert(*target);
            }
        }
        for edge in &mut self.edges {
            let Some(here) = known[edge.source].as_ref().filter(|here| !here.is_empty()) else {
                continue;
            };
            let Command { guard, updates, .. } = &mut edge.command;
            guard.iter_mut().for_each(|formula| *formula = term::replaced(formula, here));
            updates.values_mut().for_each(|value| *value = term::replaced(value, here));
        }
    }

    /// The thread's own variables that each location still needs.
    pub(crate) fn live(&self) -> Vec<BTreeSet<Op>> {
        let own = |op: &&Op| matches!(op, Op::Local(..));
        let mut live = vec![BTreeSet::new(); self.nodes.len()];
        let mut into = vec![Vec::new(); self.nodes.len()];
        for (i, edge) in self.edges.iter().enumerate() {
            into[edge.target].push(i);
        }
        let mut todo: BTreeSet<usize> = (0..self.edges.len()).collect();
        while let Some(next) = todo.pop_last() {
            let Edge { source, target, command, .. } = &self.edges[next];
            let after: &BTreeSet<Op> = &live[*target];
            let mut needed: BTreeSet<Op> =
                after.iter().filter(|v| !command.updates.contains_key(v)).cloned().collect();
            needed.extend(command.guard.iter().flatten().filter(own).cloned());
            for (variable, value) in &command.updates {
                if matches!(variable, Op::Global(_)) || after.contains(variable) {
                    needed.extend(value.iter().filter(own).cloned());
                }
            }
            let count = live[*source].len();
            live[*source].extend(needed);
            if live[*source].len() > count {
                todo.extend(&into[*source]);
            }
        }
        live
    }
}

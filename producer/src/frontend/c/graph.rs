//! The control-flow graph of a thread, from elementary steps to the steps that other threads can
//! tell apart.
//!
//! Lowering makes an edge for each read of a shared variable, each write of one and each local
//! action. Here edges are joined, so that a step has one access to shared variables and what is
//! local around it; whether an error can be reached does not depend on it:
//!
//! - an edge that reads and writes only the thread's own variables may be taken right before the
//!   thread's next step, whatever that is (`Way::Before`);
//! - it may be taken right after the thread's last step, if one of the edges can always be taken,
//!   or if the last step wrote nothing: else the thread might stop in between (`Way::After`);
//! - an edge that waits for what another thread hands over, once and for all, may come later as well, and one that
//!   hands something over may come earlier (`Access::Wait`, `Access::Signal`);
//! - inside an atomic section there is nothing in between.

use super::guard::{Ranges, simplified};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Op;

/// Operators of one joined edge.
const MAX_SIZE: usize = 4_000;
/// Edges that one location is replaced by, where fewer than now would not do.
const MAX_PRODUCT: usize = 16;
/// Paths through one atomic section.
const MAX_PATHS: usize = 1_024;

/// What an edge does to shared variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Access {
    None,
    /// It waits for what is handed over. Once possible it stays so, and finds the same.
    Wait,
    Read,
    /// It hands something over, for which others only wait.
    Signal,
    Write,
}

impl Access {
    /// That of two steps as one.
    fn then(self, next: Access) -> Access {
        match (self, next) {
            (Access::Wait | Access::Read, Access::Signal)
            | (Access::Signal, Access::Wait | Access::Read) => Access::Write,
            (a, b) => a.max(b),
        }
    }
}

/// A fresh value of a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Input {
    pub name: String,
    /// The range of an integer; none for an array.
    pub range: Option<(BigInt, BigInt)>,
}

/// A guarded simultaneous update with inputs.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Command {
    /// Fresh values. Of an integer the range is given.
    pub inputs: Vec<Input>,
    /// All of them have to hold.
    pub guard: Vec<Vec<Op>>,
    pub updates: BTreeMap<Op, Vec<Op>>,
}

impl Command {
    /// Adds a condition.
    pub(super) fn when(mut self, formula: Vec<Op>) -> Self {
        if formula != [Op::Bool(true)] {
            self.guard.push(formula);
        }
        self
    }

    /// Adds an update.
    pub(super) fn set(mut self, variable: Op, value: Vec<Op>) -> Self {
        self.updates.insert(variable, value);
        self
    }

    /// Adds a value in a range.
    pub(super) fn input(&mut self, name: &str, low: BigInt, high: BigInt) -> Op {
        self.fresh(name, Some((low, high)))
    }

    /// Adds an array with any elements.
    pub(super) fn array(&mut self, name: &str) -> Op {
        self.fresh(name, None)
    }

    fn fresh(&mut self, name: &str, range: Option<(BigInt, BigInt)>) -> Op {
        self.inputs.push(Input { name: name.to_owned(), range });
        Op::Input(u32::try_from(self.inputs.len() - 1).expect("few inputs"))
    }

    /// The operators of guard and updates.
    pub(super) fn ops(&self) -> impl Iterator<Item = &Op> {
        self.guard.iter().flatten().chain(self.updates.values().flatten())
    }

    /// What this does, where some variables hand things over: each is written once, and only read by who has waited for it.
    pub(super) fn access(&self, handed: &BTreeSet<Op>) -> Access {
        let shared = |op: &&Op| matches!(op, Op::Global(_));
        let mut reads = self.ops().filter(shared).peekable();
        let mut writes = self.updates.keys().filter(shared).peekable();
        match (reads.peek().is_some(), writes.peek().is_some()) {
            (false, false) => Access::None,
            (true, false) if reads.all(|op| handed.contains(op)) => Access::Wait,
            (true, false) => Access::Read,
            (false, true) if writes.all(|op| handed.contains(op)) => Access::Signal,
            (_, true) => Access::Write,
        }
    }

    /// This command and then another, as one. None if it can never be taken.
    fn then(&self, next: &Command) -> Option<Command> {
        let offset = self.inputs.len();
        let shifted = |i: u32| i + u32::try_from(offset).expect("few inputs");
        let inputs = (0..next.inputs.len()).map(super::lower::number);
        let mut values = self.updates.clone();
        values.extend(inputs.map(|i| (Op::Input(i), vec![Op::Input(shifted(i))])));
        let replace = |ops: &Vec<Op>| super::term::replaced(ops, &values);
        let mut out = self.clone();
        out.inputs.extend(next.inputs.iter().cloned());
        for formula in next.guard.iter().map(replace) {
            match formula.as_slice() {
                [Op::Bool(true)] => {}
                [Op::Bool(false)] => return None,
                _ if out.guard.contains(&formula) => {}
                _ => out.guard.push(formula),
            }
        }
        out.updates.extend(next.updates.iter().map(|(v, e)| (v.clone(), replace(e))));
        out.updates.retain(|variable, value| value.as_slice() != [variable.clone()]);
        Some(out)
    }

    fn size(&self) -> usize {
        self.ops().count()
    }

    /// Simplifies the conditions, given the ranges of variables; false if they cannot all hold.
    /// Conditions on an input that nothing else mentions are dropped, if some value in its range satisfies them.
    fn simplify(&mut self, ranges: &Ranges) -> bool {
        let inputs = &self.inputs;
        let range = |op: &Op| match op {
            Op::Input(i) => inputs[*i as usize].range.clone(),
            other => ranges.get(other).cloned(),
        };
        let Some(guard) = simplified(&self.guard, &range) else { return false };
        self.guard = guard;
        let mut uses = vec![0_usize; self.inputs.len()];
        for op in self.ops() {
            if let Op::Input(i) = op {
                uses[*i as usize] += 1;
            }
        }
        // A single condition on an input alone: it can hold, or there would be none left.
        self.guard.retain(|formula| match formula.as_slice() {
            [Op::Input(i), Op::Int(_), Op::Cmp(_)] => uses[*i as usize] != 1,
            _ => true,
        });
        true
    }
}

/// A step from one location to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub source: usize,
    pub target: usize,
    pub command: Command,
    pub access: Access,
    /// Where it comes from; each note once.
    pub notes: Vec<String>,
}

/// A location.
#[derive(Clone, Debug, Default)]
pub(super) struct Node {
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
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
    /// What is known of variables: their types' ranges.
    pub ranges: Ranges,
}

/// In which way a location can be left out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// What leads to it is local: taken right before what follows.
    Before,
    /// What leads away from it is local: taken right after what came before.
    After,
}

impl Graph {
    pub(super) fn node(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    pub(super) fn edge(&mut self, source: usize, target: usize, command: Command, note: String) {
        let access = command.access(&BTreeSet::new());
        let silent = command == Command::default() && !self.nodes[target].error;
        let notes = if silent { Vec::new() } else { vec![note] };
        self.edges.push(Edge { source, target, command, access, notes });
    }

    /// Leaves out the locations inside atomic sections.
    ///
    /// # Errors
    ///
    /// The place of a section with a loop, or with too many paths.
    pub(super) fn atomic_sections(&mut self) -> Result<(), (usize, &'static str)> {
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
                return Err((at, "a loop inside an atomic section"));
            };
            if ins[next] * outs[next] > MAX_PATHS {
                return Err((self.nodes[next].at, "an atomic section with so many paths"));
            }
            self.leave_out(next);
            todo.remove(&next);
        }
        Ok(())
    }

    /// Leaves out locations where no other thread can tell it.
    pub(super) fn reduce(&mut self) {
        loop {
            self.reachable();
            self.tidy();
            let ways = [Way::After, Way::Before];
            let Some(node) = ways.into_iter().find_map(|way| self.candidate(way)) else { return };
            self.leave_out(node);
            while let Some(node) = self.candidate(Way::After) {
                self.leave_out(node);
            }
        }
    }

    fn degrees(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut ins, mut outs) = (vec![0; self.nodes.len()], vec![0; self.nodes.len()]);
        for edge in &self.edges {
            ins[edge.target] += 1;
            outs[edge.source] += 1;
        }
        (ins, outs)
    }

    /// A location that can be left out in the given way.
    fn candidate(&self, way: Way) -> Option<usize> {
        let (ins, outs) = self.degrees();
        let mut before = vec![true; self.nodes.len()];
        let (mut written, mut local) = (before.clone(), before.clone());
        written.fill(false);
        let mut looped = written.clone();
        let mut sizes = vec![(0, 0); self.nodes.len()];
        for edge in &self.edges {
            before[edge.target] &= matches!(edge.access, Access::None | Access::Wait);
            written[edge.target] |= edge.access >= Access::Signal;
            local[edge.source] &= matches!(edge.access, Access::None | Access::Signal);
            looped[edge.source] |= edge.source == edge.target;
            let size = edge.command.size();
            sizes[edge.target].0 = sizes[edge.target].0.max(size);
            sizes[edge.source].1 = sizes[edge.source].1.max(size);
        }
        (1..self.nodes.len()).find(|n| {
            let n = *n;
            let possible = match way {
                Way::Before => before[n],
                Way::After => local[n] && (!written[n] || (!self.nodes[n].partial && outs[n] > 0)),
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
                let mut notes = first.notes.clone();
                notes.extend(second.notes.iter().filter(|n| !first.notes.contains(n)).cloned());
                self.edges.push(Edge {
                    source: first.source,
                    target: second.target,
                    command,
                    access: first.access.then(second.access),
                    notes,
                });
            }
        }
    }

    /// Drops what cannot be reached, steps that change nothing, and updates of dead variables.
    fn tidy(&mut self) {
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
                    let value = super::term::replaced(value, here);
                    match super::term::constant(&value) {
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
            guard.iter_mut().for_each(|formula| *formula = super::term::replaced(formula, here));
            updates.values_mut().for_each(|value| *value = super::term::replaced(value, here));
        }
    }

    /// The thread's own variables that each location still needs.
    pub(super) fn live(&self) -> Vec<BTreeSet<Op>> {
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

    /// Drops edges that no path leads to.
    pub(super) fn reachable(&mut self) {
        let reached = self.reached_from(vec![0]);
        self.edges.retain(|edge| reached[edge.source]);
    }

    /// Whether a path leads from the location of an edge's target back to its source.
    pub(super) fn on_a_cycle(&self, edge: usize) -> bool {
        let Edge { source, target, .. } = self.edges[edge];
        self.reached_from(vec![target])[source]
    }

    /// The locations that paths lead to from some, which are among them.
    pub(super) fn reached_from(&self, mut todo: Vec<usize>) -> Vec<bool> {
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
}

#[cfg(test)]
pub(super) mod tests;

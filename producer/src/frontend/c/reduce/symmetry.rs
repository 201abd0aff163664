//! Symmetry reduction: equal single threads that are all waited for at once become a template of
//! many threads, of which as many run as are created (a counter abstraction that is exact).
//!
//! A thread of such a group has a flag that says that it has been created, and one that says that
//! it has ended. Nobody can tell which is which if the threads are equal but for these flags, and
//! whoever waits for one waits for all in the same step. So numbers stand for the flags: of threads
//! that have been created and not begun, and of those that have ended.

use crate::frontend::c::steps::command::Command;
use crate::frontend::c::steps::graph::{Edge, Graph};
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::term::{add, compare, int, replaced, sub};
use crate::frontend::c::threads::Spawned;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::{Cmp, Op, Sort};

/// Threads that make a group: fewer stay as they are.
const MIN_GROUP: usize = 3;

/// What a group is counted by.
struct Group {
    /// The threads' numbers.
    threads: Vec<usize>,
    /// For each of them what says that it has been created, and that it has ended.
    created: Vec<Op>,
    ended: Vec<Op>,
    /// How many have been created and not begun, and how many have ended.
    waiting: Op,
    over: Op,
}

/// Makes templates of many threads of equal single ones. `spawned` are the threads behind the
/// first.
pub(crate) fn count_equal(
    made: &mut Vec<ThreadGraph>,
    shared: &mut Vec<Variable>,
    spawned: &[Spawned],
) {
    let mut gone = BTreeSet::new();
    for first in 1..made.len() {
        let free = |of: &usize| !gone.contains(of) && equal(made, spawned, first, *of);
        let threads: Vec<usize> = (first..made.len()).filter(free).collect();
        if threads.len() < MIN_GROUP || gone.contains(&first) {
            continue;
        }
        let [waiting, over] = [shared.len(), shared.len() + 1].map(|i| Op::Global(number(i)));
        let created = threads.iter().map(|of| spawned[of - 1].created.clone()).collect();
        let ended = threads.iter().filter_map(|of| Some(spawned[of - 1].ended.clone()?.0));
        let ended = ended.collect();
        let group = Group { threads, created, ended, waiting, over };
        let graphs: Option<Vec<Graph>> =
            made.iter().enumerate().map(|(of, thread)| group.graph(of, &thread.graph)).collect();
        let Some(graphs) = graphs else { continue };
        for (thread, graph) in made.iter_mut().zip(graphs) {
            thread.graph = graph;
        }
        for name in ["created", "ended"] {
            let name = format!("{}_{name}", made[first].name);
            let init = Some(vec![BigInt::from(0)]);
            shared.push(Variable { name, sort: Sort::Int, init, range: None });
        }
        made[first].many = true;
        gone.extend(group.threads.into_iter().skip(1));
    }
    let mut numbers = 0..;
    made.retain(|_| numbers.next().is_none_or(|of| !gone.contains(&of)));
}

/// Whether two threads are single ones, and equal but for their flags.
fn equal(made: &[ThreadGraph], spawned: &[Spawned], a: usize, b: usize) -> bool {
    let (one, other) = (&spawned[a - 1], &spawned[b - 1]);
    if made[a].many || made[b].many || one.function != other.function {
        return false;
    }
    let same =
        |x: &Variable, y: &Variable| (x.sort, &x.init, &x.range) == (y.sort, &y.init, &y.range);
    let (v, w) = (&made[a].variables, &made[b].variables);
    let (g, h) = (&made[a].graph, &made[b].graph);
    let mut names = BTreeMap::from([(other.created.clone(), vec![one.created.clone()])]);
    if let (Some((ended, _)), Some((as_other, _))) = (&other.ended, &one.ended) {
        names.insert(ended.clone(), vec![as_other.clone()]);
    }
    let steps = |graph: &Graph, names: &BTreeMap<Op, Vec<Op>>| -> BTreeSet<_> {
        let step = |e: &Edge| (e.source, e.target, renamed(&e.command, names));
        graph.edges.iter().map(step).collect()
    };
    v.len() == w.len()
        && v.iter().zip(w).all(|(x, y)| same(x, y))
        && g.nodes.len() == h.nodes.len()
        && g.nodes.iter().zip(&h.nodes).all(|(x, y)| x.error == y.error)
        && steps(g, &BTreeMap::new()) == steps(h, &names)
}

fn renamed(command: &Command, names: &BTreeMap<Op, Vec<Op>>) -> Command {
    let target = |v: &Op| names.get(v).map_or(v, |op| &op[0]).clone();
    Command {
        inputs: command.inputs.clone(),
        guard: command.guard.iter().map(|formula| replaced(formula, names)).collect(),
        updates: command.updates.iter().map(|(v, e)| (target(v), replaced(e, names))).collect(),
    }
}

impl Group {
    /// The graph of a thread with numbers for flags; none if it asks for one of the flags alone.
    fn graph(&self, of: usize, graph: &Graph) -> Option<Graph> {
        let member = self.threads.contains(&of);
        let mut out = graph.clone();
        for edge in &mut out.edges {
            let begins = edge.source == 0 && member;
            if member && edge.target == 0 {
                return None;
            }
            edge.command = self.command(&edge.command, begins)?;
        }
        Some(out)
    }

    fn command(&self, command: &Command, begins: bool) -> Option<Command> {
        let mut out = command.clone();
        let one = int(1);
        let is_set = |op: &Op| compare(Cmp::Eq, std::slice::from_ref(op), &one);
        // A thread begins that has been created.
        let count = out.guard.len();
        out.guard.retain(|formula| !self.created.iter().any(|op| is_set(op) == *formula));
        if (count - out.guard.len()) != usize::from(begins) {
            return None;
        }
        // All of them have ended.
        let asked = |formula: &Vec<Op>| self.ended.iter().any(|op| is_set(op) == *formula);
        let waits: BTreeSet<Vec<Op>> = out.guard.iter().filter(|f| asked(f)).cloned().collect();
        out.guard.retain(|formula| !waits.contains(formula));
        if !waits.is_empty() {
            if waits.len() < self.threads.len() {
                return None;
            }
            let over = std::slice::from_ref(&self.over);
            out.guard.push(compare(Cmp::Eq, over, &int(self.threads.len())));
        }
        let mut set = |flags: &[Op]| {
            let count = out.updates.len();
            out.updates.retain(|v, e| !(flags.contains(v) && *e == one));
            count - out.updates.len()
        };
        let (created, ended) = (set(&self.created), set(&self.ended));
        if begins {
            out.guard.push(compare(Cmp::Ge, std::slice::from_ref(&self.waiting), &one));
        }
        for (counter, more, less) in
            [(&self.waiting, created, usize::from(begins)), (&self.over, ended, 0)]
        {
            if more != less {
                let sum = add(std::slice::from_ref(counter), &sub(&int(more), &int(less)));
                out.updates.insert(counter.clone(), sum);
            }
        }
        let mut flags = self.created.iter().chain(&self.ended);
        let left = flags.any(|op| out.updates.contains_key(op) || out.ops().any(|o| o == op));
        (!left).then_some(out)
    }
}

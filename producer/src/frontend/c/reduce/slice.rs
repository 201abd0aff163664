//! Program slicing: updates of variables that no condition depends on are dropped, and shared
//! variables that one thread alone uses become its own.

use crate::frontend::c::reduce::emit::{Name, name};
use crate::frontend::c::steps::graph::Edge;
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::term::replaced;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Op;

/// Drops updates of variables that no condition depends on.
pub(crate) fn slice(made: &mut [ThreadGraph], handed: &BTreeSet<Op>) {
    let mut needed: BTreeSet<Name> = BTreeSet::new();
    let mut depends: Vec<(Name, Name)> = Vec::new();
    for (t, thread) in made.iter().enumerate() {
        for Edge { command, .. } in &thread.graph.edges {
            needed.extend(command.guard.iter().flatten().filter_map(|op| name(t, op)));
            for (variable, value) in &command.updates {
                let Some(variable) = name(t, variable) else { continue };
                depends.extend(value.iter().filter_map(|op| Some((variable, name(t, op)?))));
            }
        }
    }
    let mut count = usize::MAX;
    while count != needed.len() {
        count = needed.len();
        for (variable, on) in &depends {
            if needed.contains(variable) {
                needed.insert(*on);
            }
        }
    }
    for (t, thread) in made.iter_mut().enumerate() {
        for Edge { command, access, .. } in &mut thread.graph.edges {
            command.updates.retain(|v, _| name(t, v).is_none_or(|v| needed.contains(&v)));
            *access = command.access(handed).min(*access);
        }
    }
}

/// Variables that a single thread alone uses become its own: no other can tell its accesses apart.
pub(crate) fn own(made: &mut [ThreadGraph], shared: &[Variable], handed: &BTreeSet<Op>) {
    let mut users: BTreeMap<u32, BTreeSet<usize>> = BTreeMap::new();
    for (t, thread) in made.iter().enumerate() {
        let commands = thread.graph.edges.iter().map(|edge| &edge.command);
        for op in commands.flat_map(|command| command.ops().chain(command.updates.keys())) {
            if let Op::Global(i) = op {
                users.entry(*i).or_default().insert(t);
            }
        }
    }
    for (t, thread) in made.iter_mut().enumerate().filter(|(_, thread)| !thread.many) {
        let mut moved = BTreeMap::new();
        for (i, _) in users.iter().filter(|(_, users)| **users == BTreeSet::from([t])) {
            let op = Op::Local(0, number(thread.variables.len()));
            thread.variables.push(shared[*i as usize].clone());
            moved.insert(Op::Global(*i), vec![op]);
        }
        for Edge { command, access, .. } in &mut thread.graph.edges {
            command.guard.iter_mut().for_each(|formula| *formula = replaced(formula, &moved));
            let updates = std::mem::take(&mut command.updates).into_iter();
            let target = |v: Op| moved.get(&v).map_or(v, |op| op[0].clone());
            command.updates = updates.map(|(v, e)| (target(v), replaced(&e, &moved))).collect();
            *access = command.access(handed).min(*access);
        }
    }
}

//! Data races by a monitor: two threads about to access the same cell, one of them to write it, and
//! not both atomically.
//!
//! A program has a race if in some execution such accesses are next to each other. Plain accesses
//! never wait, so it is enough that both threads are at them: the one stays there and announces the
//! cell (`racing_x`), and it is an error if another one comes to an access in conflict with that.
//! Whoever has announced does nothing any more, so locks that it holds stay held, and it does not
//! meet itself. What the other threads do meanwhile they could have done without the announcement:
//! there is an error exactly if there is a race.
//!
//! One of two accesses in conflict is plain, and one a write: plain writes are announced, and plain
//! reads where there are atomic writes.

use crate::frontend::c::check::Check;
use crate::frontend::c::steps::graph::{Graph, Node};
use crate::frontend::c::steps::thread_graph::{DataAccess, ThreadGraph};
use crate::frontend::c::steps::variable::{Variable, number};
use crate::frontend::c::term::{compare, scale};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_format::{Cmp, Op, Sort};

/// Whether an access that is announced is in conflict with another one.
fn conflict(announced: &DataAccess, other: &DataAccess) -> bool {
    let kinds = announced.write || (other.write && other.atomic);
    !announced.atomic && kinds && announced.variable == other.variable
}

/// Adds announcements and errors to the threads, where others may be at an access in conflict.
pub(crate) fn monitor(made: &mut [ThreadGraph], shared: &mut Vec<Variable>) {
    let accesses: Vec<Vec<DataAccess>> =
        made.iter_mut().enumerate().map(|(t, thread)| concurrent(thread, t == 0)).collect();
    let mut announcements = BTreeMap::new();
    for (t, thread) in made.iter_mut().enumerate() {
        let others = accesses.iter().enumerate().filter(|(u, _)| *u != t || thread.many);
        let others: Vec<&DataAccess> = others.flat_map(|(_, list)| list).collect();
        let graph = &mut thread.graph;
        let (mut stays, mut errors) = (None, BTreeMap::new());
        for access in &accesses[t] {
            let name = shared[access.variable as usize].name.clone();
            let racing = announcements.entry(access.variable).or_insert_with(|| {
                let (name, init) = (format!("racing_{name}"), Some(vec![BigInt::from(0)]));
                shared.push(Variable { name, sort: Sort::Int, init, range: None });
                Op::Global(number(shared.len() - 1))
            });
            if others.iter().any(|other| conflict(access, other)) {
                let new = || graph.node(Node { at: access.at, ..Node::default() });
                let stays = *stays.get_or_insert_with(new);
                announce(graph, racing, access, stays);
            }
            for write in [true, false] {
                if others.iter().any(|other| other.write == write && conflict(other, access)) {
                    let error = *errors.entry(access.variable).or_insert_with(|| {
                        let label = format!("{}_{name}", Check::Race.label());
                        graph.node(Node { error: true, label, at: access.at, ..Node::default() })
                    });
                    check(graph, racing, access, write, error);
                }
            }
        }
    }
}

/// Accesses that other threads may be there for: of the `main` thread, those after it has created
/// one.
fn concurrent(thread: &mut ThreadGraph, main: bool) -> Vec<DataAccess> {
    let mut accesses = std::mem::take(&mut thread.accesses);
    if main {
        let created = thread.creations.iter().map(|edge| thread.graph.edges[*edge].target);
        let after = thread.graph.reached_from(created.collect());
        accesses.retain(|access| after[access.node]);
    }
    accesses
}

/// What `racing_x` is while an access is announced: the cell's number, and less than zero if the
/// cell is read.
fn announced(cell: &[Op], write: bool) -> Vec<Op> {
    scale(&BigInt::from(if write { 1 } else { -1 }), cell)
}

fn announce(graph: &mut Graph, racing: &Op, access: &DataAccess, stays: usize) {
    let command = access.when.clone().set(racing.clone(), announced(&access.cell, access.write));
    graph.edge(access.node, stays, command, access.notes[0].clone());
}

fn check(graph: &mut Graph, racing: &Op, access: &DataAccess, write: bool, error: usize) {
    let same = compare(Cmp::Eq, std::slice::from_ref(racing), &announced(&access.cell, write));
    let command = access.when.clone().when(same);
    graph.edge(access.node, error, command, access.notes[1].clone());
}

#[cfg(test)]
mod tests;

//! Threads that a loop does nothing but to create: any number of them can start.

use crate::frontend::c::steps::graph::Edge;
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::term::{compare, int};
use std::collections::BTreeSet;
use threadproof_format::{Cmp, Op};

/// Whether any number of threads can be created once one has been: from where a step has set
/// `created`, steps that do nothing but to create threads, as `flags` say, lead to one that sets it
/// again. The others that they create need not begin.
pub(crate) fn is_free(made: &[ThreadGraph], created: &Op, flags: &BTreeSet<Op>) -> bool {
    let one = int(1);
    let waits = |formula: &Vec<Op>| {
        flags.iter().any(|f| *formula == compare(Cmp::Eq, std::slice::from_ref(f), &int(0)))
    };
    let creates = |edge: &Edge, flag: &Op| edge.command.updates.get(flag) == Some(&one);
    let alone = |edge: &&Edge| {
        edge.command.updates.len() == 1
            && flags.iter().any(|flag| creates(edge, flag))
            && edge.command.guard.iter().all(waits)
    };
    made.iter().all(|thread| {
        let edges = &thread.graph.edges;
        let again = |edge: &Edge| {
            let (mut seen, mut todo) = (BTreeSet::from([edge.target]), vec![edge.target]);
            while let Some(node) = todo.pop() {
                for next in edges.iter().filter(|e| e.source == node).filter(alone) {
                    if creates(next, created) {
                        return true;
                    }
                    todo.extend(Some(next.target).filter(|target| seen.insert(*target)));
                }
            }
            false
        };
        edges.iter().filter(|edge| creates(edge, created)).all(again)
    })
}

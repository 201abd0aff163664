//! Merging nodes of a proposed abstract thread. A node that only leads on by steps in which nothing
//! shared happens is taken out, and nodes with the same future become one.

use crate::transform::suggest::{Proposal, Step};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::Expr;

/// What a node can do: when it goes wrong, and its steps to classes of nodes.
type Future = (BTreeSet<Expr>, BTreeSet<(usize, Vec<Expr>, Vec<(u32, Option<Expr>)>)>);

/// The proposal with fewer nodes.
pub fn reduce(mut proposal: Proposal) -> Proposal {
    loop {
        let before = proposal.nodes.len();
        proposal = merge_equal(pass_through(proposal));
        if proposal.nodes.len() == before {
            return proposal;
        }
    }
}

/// Takes out nodes that cannot go wrong and whose steps all are idle ones to other nodes: those
/// that came there come to their successors at once.
fn pass_through(mut proposal: Proposal) -> Proposal {
    for node in (1..proposal.nodes.len()).rev() {
        let own: Vec<&Step> = proposal.steps.iter().filter(|s| s.source == node).collect();
        let idle = own.iter().all(|s| s.is_idle() && s.target != node);
        if own.is_empty() || !idle || !proposal.nodes[node].wrong.is_empty() {
            continue;
        }
        let targets: BTreeSet<usize> = own.iter().map(|s| s.target).collect();
        let mut steps = BTreeSet::new();
        for step in proposal.steps.iter().filter(|s| s.source != node) {
            match step.target == node {
                true => steps.extend(targets.iter().map(|t| Step { target: *t, ..step.clone() })),
                false => {
                    steps.insert(step.clone());
                }
            }
        }
        proposal.steps = steps.into_iter().collect();
        proposal = without(proposal, node);
    }
    proposal
}

/// The proposal without a node that no step touches.
fn without(mut proposal: Proposal, node: usize) -> Proposal {
    proposal.nodes.remove(node);
    for step in &mut proposal.steps {
        step.source -= usize::from(step.source > node);
        step.target -= usize::from(step.target > node);
    }
    proposal
}

/// Makes one node of those with the same future (partition refinement).
fn merge_equal(proposal: Proposal) -> Proposal {
    let mut classes = vec![0; proposal.nodes.len()];
    loop {
        let futures: Vec<(usize, Future)> = (0..proposal.nodes.len())
            .map(|node| (classes[node], future(&proposal, &classes, node)))
            .collect();
        let mut numbers: BTreeMap<&(usize, Future), usize> = BTreeMap::new();
        let finer: Vec<usize> = futures
            .iter()
            .map(|f| {
                let next = numbers.len();
                *numbers.entry(f).or_insert(next)
            })
            .collect();
        if finer == classes {
            break;
        }
        classes = finer;
    }
    let count = classes.iter().max().map_or(0, |c| c + 1);
    let first = |class: usize| classes.iter().position(|c| *c == class).unwrap_or_default();
    let nodes = (0..count).map(|class| proposal.nodes[first(class)].clone()).collect();
    let steps: BTreeSet<Step> = proposal
        .steps
        .iter()
        .map(|s| Step { source: classes[s.source], target: classes[s.target], ..s.clone() })
        .filter(|s| !(s.is_idle() && s.source == s.target))
        .collect();
    Proposal { nodes, steps: steps.into_iter().collect() }
}

fn future(proposal: &Proposal, classes: &[usize], node: usize) -> Future {
    let wrong = proposal.nodes[node].wrong.iter().cloned().collect();
    let own = proposal.steps.iter().filter(|s| s.source == node);
    let steps = own.map(|s| (classes[s.target], s.guard.clone(), s.updates.clone()));
    // Idle steps within a class are what every node can do.
    let steps = steps.filter(|(class, guard, updates)| {
        !(*class == classes[node] && guard.is_empty() && updates.is_empty())
    });
    (wrong, steps.collect())
}

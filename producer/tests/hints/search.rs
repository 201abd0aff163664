//! Algorithm 1 in its simplest form: a backward search that saturates, to make drafts of small
//! programs from a basis by hand.

use std::collections::BTreeSet;
use threadproof_checker::error::Budget;
use threadproof_checker::proof_space::automaton::{Automaton, Successor};
use threadproof_checker::proof_space::predicates::{FALSE, Predicates};
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::*;
use threadproof_format::refutation::Refutation;

/// A triple without its refutation; the edge is of template 0.
pub fn triple(pre: &[Instance], edge: u32, post: u32, acting: u32) -> Triple {
    let refutation = Refutation::default();
    Triple { pre: pre.to_vec(), edge, post, acting, template: 0, refutation }
}

/// The draft that a search with this basis gives; all `initial` predicates are listed.
pub fn draft(
    program: &Program,
    predicates: Vec<Predicate>,
    basis: Vec<Triple>,
    initial: &[u32],
) -> ProofSpace {
    let known = Predicates::new(program, &predicates, &Budget::default()).unwrap();
    let configurations = saturate(
        &Automaton::new(program, &known, &basis, &Budget::default()).unwrap(),
        basis.len(),
    );
    let entry = |p: &u32| InitialPredicate { predicate: *p, refutation: Refutation::default() };
    ProofSpace {
        initial: initial.iter().map(entry).collect(),
        basis,
        witness: None,
        impossible: Vec::new(),
        predicates,
        error_steps: Vec::new(),
        configurations,
    }
}

fn saturate(automaton: &Automaton<'_>, triples: usize) -> Vec<Configuration> {
    let mut known = automaton.roots(&Budget::default()).unwrap();
    let roots = known.len();
    let mut next = 0;
    while let Some(c) = known.get(next).cloned() {
        next += 1;
        for step in automaton.steps(&c, &Budget::default()).unwrap() {
            let mut successor = automaton.successor(&c, &step, &Budget::default()).unwrap();
            let mut used = vec![false; triples];
            if successor.propagate(&mut used, &Budget::default()).unwrap() {
                continue;
            }
            for negated in cubes(&successor) {
                let found = compact(&successor.threads, &negated);
                if !known.iter().any(|other| embeds(automaton, other, &found)) {
                    known.push(found);
                }
            }
        }
    }
    assert!(known.len() < 100, "the search diverges");
    known.split_off(roots)
}

/// One instance of each clause does not hold: all choices.
fn cubes(successor: &Successor) -> BTreeSet<BTreeSet<Instance>> {
    let start: BTreeSet<Instance> = successor.negated.iter().cloned().collect();
    let mut cubes = BTreeSet::from([start]);
    for (_, clause) in &successor.clauses {
        let mut next = BTreeSet::new();
        for cube in cubes {
            if clause.iter().any(|i| cube.contains(i)) {
                next.insert(cube);
                continue;
            }
            for instance in clause {
                let mut longer = cube.clone();
                longer.insert(instance.clone());
                next.insert(longer);
            }
        }
        cubes = next;
    }
    cubes
}

/// Without `false`, and without threads that say nothing (back at the initial location of a
/// template of many threads, without a predicate).
fn compact(threads: &[Slot], negated: &BTreeSet<Instance>) -> Configuration {
    let negated: Vec<&Instance> = negated.iter().filter(|i| i.0 != FALSE).collect();
    let (mut kept, mut map) = (Vec::new(), Vec::new());
    for (number, slot) in (0..).zip(threads) {
        map.push(u32::try_from(kept.len()).unwrap());
        let named = negated.iter().any(|i| i.1.contains(&number));
        if named || !matches!(slot.1, None | Some(0)) {
            kept.push(*slot);
        }
    }
    let renamed = |i: &&Instance| {
        Instance(i.0, i.1.iter().map(|t| map[usize::try_from(*t).unwrap()]).collect())
    };
    let mut negated: Vec<Instance> = negated.iter().map(renamed).collect();
    negated.sort();
    Configuration { steps: Vec::new(), negated, threads: kept }
}

fn embeds(automaton: &Automaton<'_>, from: &Configuration, to: &Configuration) -> bool {
    let mut maps: Vec<Vec<u32>> = vec![Vec::new()];
    for slot in &from.threads {
        let fits = |map: &Vec<u32>| {
            let slots = (0..).zip(&to.threads);
            let free = slots.filter(|(t, has)| {
                !map.contains(t) && slot.0 == has.0 && (slot.1.is_none() || slot.1 == has.1)
            });
            free.map(|(t, _)| map.iter().copied().chain([t]).collect()).collect::<Vec<_>>()
        };
        maps = maps.iter().flat_map(fits).collect();
    }
    maps.iter().any(|map| {
        from.negated.iter().all(|instance| {
            let image = automaton.map(instance, map, &Budget::default()).unwrap();
            to.negated.contains(&image)
        })
    })
}

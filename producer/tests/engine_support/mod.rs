//! Validates what the search gives out by brute force: triples by z3, steps by trying every
//! embedding and splitting cases. Shares no data structure with the search.

use std::collections::HashSet;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::proof_space::automaton::{Automaton, Successor};
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Configuration, Instance, ProofSpace, Slot};
use threadproof_producer::certify::obligations::obligations;
use threadproof_producer::solve::encode;
use z3::SatResult;

/// Panics unless the proof's triples are valid, its configurations closed and rejecting, and its
/// witness an initial state.
pub fn validate(program: &Program, proof: &ProofSpace) {
    let budget = Budget::default();
    let predicates = Predicates::new(program, &proof.predicates, &budget).expect("predicates");
    for obligation in obligations(program, &predicates, proof, &budget).expect("obligations") {
        let solver = z3::Solver::new();
        for formula in &obligation.formulas {
            solver.assert(encode::formula(formula, &mut |op| {
                encode::constant(&format!("{op:?}"), obligation.sorts[op])
            }));
        }
        assert_eq!(solver.check(), SatResult::Unsat, "{} of {proof:?}", obligation.id);
    }
    let automaton = Automaton::new(program, &predicates, &proof.basis, &Budget::default()).unwrap();
    let roots = automaton.roots(&Budget::default()).expect("roots");
    let mut validation = Validation { automaton, proof, used: vec![false; proof.basis.len()] };
    for configuration in roots.iter().chain(&proof.configurations) {
        validation.closed(configuration);
        let at_start = configuration.threads.iter().all(|s| s.1 == Some(0));
        let initial: HashSet<u32> = proof.initial.iter().map(|i| i.predicate).collect();
        let rejected = configuration.negated.iter().any(|i| initial.contains(&i.0));
        assert!(!at_start || rejected, "accepting: {configuration:?}");
    }
    let state = proof.witness.as_ref().expect("a witness");
    threadproof_checker::internals::replay::witness(
        program,
        state,
        &threadproof_checker::error::Budget::default(),
    )
    .expect("an initial state");
}

struct Validation<'a> {
    automaton: Automaton<'a>,
    proof: &'a ProofSpace,
    used: Vec<bool>,
}

impl Validation<'_> {
    fn closed(&mut self, configuration: &Configuration) {
        let budget = Budget::default();
        for step in self.automaton.steps(configuration, &budget).expect("steps") {
            let successor =
                self.automaton.successor(configuration, &step, &budget).expect("successor");
            // The configuration itself covers what leaves its threads and predicates as they are.
            let stays = successor.threads.starts_with(&configuration.threads)
                && configuration.negated.iter().all(|i| successor.negated.contains(i));
            assert!(stays || self.closes(successor), "open: {step:?} of {configuration:?}");
        }
    }

    /// Whether every cube of the successor is covered.
    fn closes(&mut self, mut successor: Successor) -> bool {
        let budget = Budget::default();
        if successor.propagate(&mut self.used, &budget).expect("propagation") {
            return true;
        }
        let mut split = None;
        let impossible = self.proof.impossible.iter().map(|c| (&c.threads, &c.negated));
        let listed = self.proof.configurations.iter().map(|c| (&c.threads, &c.negated));
        for configuration in listed.chain(impossible) {
            let mut map = Vec::new();
            let images = self.images(configuration, &successor, &mut map);
            for image in images {
                if image.iter().any(|i| successor.holding.contains(i)) {
                    continue;
                }
                match image.iter().find(|i| !successor.negated.contains(i)) {
                    None => return true,
                    Some(open) => split = split.or(Some(open.clone())),
                }
            }
        }
        let Some(split) = split else {
            return false;
        };
        let mut other = successor.clone();
        successor.negated.insert(split.clone());
        other.holding.insert(split);
        self.closes(successor) && self.closes(other)
    }

    /// The images of a configuration's negated predicates under all embeddings of its slots.
    fn images(
        &self,
        configuration: (&Vec<Slot>, &Vec<Instance>),
        successor: &Successor,
        map: &mut Vec<u32>,
    ) -> Vec<Vec<Instance>> {
        let (threads, negated) = configuration;
        let Some(slot) = threads.get(map.len()) else {
            let image = negated
                .iter()
                .map(|i| self.automaton.map(i, map, &Budget::default()).expect("an instance"));
            return vec![image.collect()];
        };
        let mut out = Vec::new();
        for (to, target) in (0u32..).zip(&successor.threads) {
            let fits = target.0 == slot.0 && (slot.1.is_none() || slot.1 == target.1);
            if fits && !map.contains(&to) {
                map.push(to);
                out.extend(self.images(configuration, successor, map));
                map.pop();
            }
        }
        out
    }
}

//! Dummy threads: a predicate is a formula with an explicit arity, so "st = 0, about thread 1"
//! differs from "st = 0". A triple's precondition may be about the acting thread and the
//! postcondition's threads only (Definition 4.2, condition 2), and so the stack has no proof from
//! formulas that need no other arity than their own, but has one when "st = 0" is also about a pusher.

#[path = "common/basis.rs"]
mod basis;
mod common;

use basis::{ByHand, refuted};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::obligation::ObligationId;
use threadproof_checker::internals::proof_space::basis::{obligation, threads};
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_format::proof::proof_space::{Instance, Triple};
use threadproof_format::refutation::Refutation;
use threadproof_format::work::Seq;
use threadproof_format::{Cmp, Int, Op};
use threadproof_producer::certify;
use threadproof_producer::engine::control::Control;

/// Predicates of the proof, by number.
const LOCKED: u32 = 1;
const EMPTY: u32 = 2; // st = 0
const TOP: u32 = 3; // st = node(1)
const LAST: u32 = 4; // below[node(1)] = 0
const DUMMY: u32 = 5; // st = 0, about thread 1

const LOCK: &str = "when !m; m := true;";
const POP: &str = "when st != 0; st := below[st];";
const FAIL: &str = "when st != 0;";

/// The stack with the formulas at their natural arity.
fn natural() -> ByHand {
    let mut stack = ByHand::new("stack.tp");
    let [m, st, below] = ["m", "st", "below"].map(|name| stack.global(name));
    let node = stack.local(0, "node");
    let (zero, eq) = (Op::Int(Int::from(0)), Op::Cmp(Cmp::Eq));
    let formulas = [
        (LOCKED, 0, vec![m]),
        (EMPTY, 0, vec![st.clone(), zero.clone(), eq.clone()]),
        (TOP, 1, vec![st, node.clone(), eq.clone()]),
        (LAST, 1, vec![below, node, Op::Select, zero, eq]),
    ];
    for (number, arity, formula) in formulas {
        assert_eq!(stack.predicate(arity, &formula), number);
    }
    stack
}

/// The same, with "st = 0" also about a thread.
fn with_dummy() -> ByHand {
    let mut stack = natural();
    let empty = stack.predicates[1].formula.0.clone();
    assert_eq!(stack.predicate(1, &empty), DUMMY);
    stack
}

/// The triples of the proof that need no dummy thread.
fn plain(stack: &ByHand) -> Vec<Triple> {
    vec![
        stack.triple(&[(LOCKED, &[])], LOCK, 0, 0),
        stack.triple(&[], LOCK, LOCKED, 0),
        stack.triple(&[(EMPTY, &[])], "below := below[node := st];", LAST, 1),
        stack.triple(&[], "st := node;", TOP, 1),
        stack.triple(&[(TOP, &[0])], "when st != node;", 0, 0),
        stack.triple(&[(EMPTY, &[])], POP, 0, 0),
        stack.triple(&[(EMPTY, &[])], FAIL, 0, 0),
        stack.triple(&[], "when st == 0;", EMPTY, 0),
    ]
}

/// The others: thread 1 is the pusher whose node a popper takes.
fn dummies(stack: &ByHand) -> Vec<Triple> {
    vec![
        stack.triple(&[(TOP, &[1]), (LAST, &[1])], POP, DUMMY, 0),
        stack.triple(&[(DUMMY, &[1])], POP, DUMMY, 0),
        stack.triple(&[(DUMMY, &[0])], FAIL, 0, 0),
    ]
}

/// All sets, as bits of a mask, that are valid and of which no subset is; a superset of a valid
/// set has to be valid.
fn least_valid(size: usize, valid: &dyn Fn(u32) -> bool) -> Vec<u32> {
    let (mut least, mut invalid): (Vec<u32>, Vec<u32>) = (vec![], vec![]);
    let mut masks: Vec<u32> = (0..1 << size).collect();
    masks.sort_by_key(|mask| mask.count_ones());
    for mask in masks {
        if least.iter().any(|l| mask & l == *l) || invalid.iter().any(|i| mask | i == *i) {
            continue;
        }
        if valid(mask) {
            least.push(mask);
            continue;
        }
        let larger = (0..size).map(|i| 1 << i).fold(mask, |set: u32, element: u32| {
            if valid(set | element) { set } else { set | element }
        });
        invalid.push(larger);
    }
    least
}

/// The instances of all predicates over the threads of a triple.
fn instances(predicates: &Predicates, templates: &Seq<Option<u32>>) -> Vec<Instance> {
    let mut out = Vec::new();
    for number in 1..u32::try_from(predicates.count()).unwrap() {
        let all: Vec<u32> = (0..u32::try_from(templates.len()).unwrap()).collect();
        let choices = all.iter().map(|t| vec![*t]).chain([vec![]]);
        let instances = choices.map(|args| Instance(number, args));
        out.extend(
            instances
                .filter(|i| predicates.check_instance(i, templates, &Budget::default()).is_ok()),
        );
    }
    out
}

/// The valid triples of one shape with least preconditions; `acting` as in the format.
fn least_triples(stack: &ByHand, [template, edge, post, acting]: [u32; 4]) -> Vec<Triple> {
    let (program, predicates) = (&stack.program, stack.known());
    let Ok(shape) = threads(program, &predicates, template, post, acting, &Budget::default())
    else {
        return vec![];
    };
    let candidates = instances(&predicates, &shape.templates);
    let triple = |mask: u32| {
        let chosen = (0..candidates.len()).filter(|i| mask >> i & 1 == 1);
        let pre = chosen.map(|i| candidates[i].clone()).collect();
        Triple { pre, edge, post, acting, template, refutation: Refutation::default() }
    };
    let valid = |mask: u32| {
        let (id, budget) = (ObligationId::Triple(0), Budget::default());
        refuted(&obligation(program, &predicates, &triple(mask), id, &budget).unwrap())
    };
    least_valid(candidates.len(), &valid).into_iter().map(triple).collect()
}

/// All valid triples over the predicates with least preconditions.
fn every_triple(stack: &ByHand) -> Vec<Triple> {
    // The instances and the acting argument are those of predicates of one thread at most.
    assert!(stack.predicates.iter().all(|p| p.threads.len() <= 1));
    let mut out = Vec::new();
    for (template, t) in (0..).zip(&stack.program.templates) {
        for edge in 0..u32::try_from(t.edges.len()).unwrap() {
            for post in 0..=u32::try_from(stack.predicates.len()).unwrap() {
                for acting in 0..=1 {
                    out.extend(least_triples(stack, [template, edge, post, acting]));
                }
            }
        }
    }
    out
}

#[test]
fn at_their_natural_arity_the_formulas_leave_a_trace_without_a_proof() {
    let stack = natural();
    assert_eq!(stack.close(&plain(&stack)), None);
    let all = every_triple(&stack);
    println!("{} valid triples", all.len());
    for triple in plain(&stack) {
        assert!(all.contains(&triple), "{triple:?}");
    }
    assert_eq!(stack.close(&all), None);
    let stack = with_dummy();
    assert!(stack.close(&every_triple(&stack)).is_some());
}

#[test]
fn a_precondition_about_a_thread_that_the_postcondition_lacks_is_refused() {
    let stack = natural();
    let triple = stack.triple(&[(TOP, &[1]), (LAST, &[1])], POP, EMPTY, 0);
    let found = obligation(
        &stack.program,
        &stack.known(),
        &triple,
        ObligationId::Triple(0),
        &Budget::default(),
    );
    assert_eq!(found.err(), Some(Reason::Irrelevant));
}

#[test]
fn with_a_dummy_thread_the_proof_is_accepted_and_needs_each_triple_about_it() {
    let stack = with_dummy();
    assert_eq!(stack.close(&plain(&stack)), None);
    let basis = [plain(&stack), dummies(&stack)].concat();
    for absent in dummies(&stack) {
        let fewer: Vec<Triple> = basis.iter().filter(|t| **t != absent).cloned().collect();
        assert_eq!(stack.close(&fewer), None);
    }
    let configurations = stack.close(&basis).expect("every trace has a proof");
    let draft = stack.draft(basis, configurations);
    let proof = certify::hints::complete(&stack.program, draft, &Control::default()).unwrap();
    println!("{} triples, {} configurations", proof.basis.len(), proof.configurations.len());
    assert_eq!(stack.verdict(proof), Ok(()));
}

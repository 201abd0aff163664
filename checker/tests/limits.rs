//! Input that is small and asks for much: the checker declines in good time (SPEC.md section 11).

mod common;

use common::{proof, propagate};
use std::collections::HashMap;
use threadproof_checker::check_within;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::budget::Held;
use threadproof_checker::internals::core_form::parse;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::proof_space::automaton::Automaton;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::scope::Scope;
use threadproof_checker::internals::{proof_space, replay};
use threadproof_format::limits::*;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Conclusion, Proof};
use threadproof_format::refutation::{Farkas, Linear, Refutation, Step};
use threadproof_format::work::Spent;
use threadproof_format::{Cmp, Expr, Int, Op};

const HELD: Reason = Reason::Limit("elements held at one time");
const BITS: Reason = Reason::Limit("bits of an integer");

#[test]
fn the_limits_are_those_of_the_specification() {
    assert_eq!((MAX_BYTES, MAX_DEPTH, MAX_TOKENS), (268_435_456, 32, 8_388_608));
    assert_eq!((MAX_OPS, MAX_DIGITS, MAX_BITS), (1_048_576, 10_000, 65_536));
    assert_eq!((MAX_ARITY, MAX_HELD, MAX_WORK), (6, 4_194_304, 2_000_000_000));
}

/// What is at the limit is allowed.
#[test]
fn work_and_what_is_held_go_up_to_the_limit() {
    let mut held = Held::default();
    assert_eq!(held.hold(MAX_HELD - 1), Ok(()));
    assert_eq!(held.hold(1), Ok(()));
    assert_eq!(held.hold(1), Err(HELD));
    assert_eq!(Held::default().hold(usize::MAX), Err(HELD));
    let budget = Budget::new(5);
    assert_eq!(budget.spend(3), Ok(()));
    assert_eq!(budget.spend(2), Ok(()));
    assert_eq!(budget.spend(1), Err(Spent));
    assert_eq!(Reason::from(Spent), Reason::Limit("work"));
    assert_eq!(Budget::default().left(), MAX_WORK);
}

fn obligation(count: u32, formula: Vec<Op>) -> Obligation {
    let globals: String = (0..count).map(|i| format!("global v{i}: int;")).collect();
    let (program, _) = parse(&format!("core 1; {globals}")).unwrap();
    let scope = Scope { program: &program, threads: vec![], inputs: None };
    scope.obligation(ObligationId::Triple(0), vec![Expr(formula)], &Budget::default()).unwrap()
}

fn refuted(o: &Obligation, steps: Vec<Step>) -> Result<(), Reason> {
    o.check(&Refutation(steps), &Budget::default())
}

#[test]
fn sums_of_a_lemma_are_bounded() {
    let terms = (1..1000).flat_map(|i| [Op::Global(i), Op::Add]);
    let below = [Op::Int(Int::from(0)), Op::Cmp(Cmp::Le)];
    let o = obligation(1000, std::iter::once(Op::Global(0)).chain(terms).chain(below).collect());
    let sums =
        |n| vec![Step::Farkas(Farkas { clause: vec![-2], sums: vec![vec![(0, Int::from(1))]; n] })];
    assert!(matches!(refuted(&o, sums(1000)), Err(Reason::Refutation(_))));
    assert_eq!(refuted(&o, sums(MAX_HELD / 1000 + 1)), Err(HELD));
}

/// Each form counts when it is new.
#[test]
fn linear_forms_of_an_obligation_are_bounded() {
    // With its constant, a quarter of what may be held.
    let leaves = u32::try_from(MAX_HELD / 4 - 1).unwrap();
    let long = |constant: i64| Linear {
        constant: Int::from(constant),
        terms: (0..leaves).map(|leaf| (leaf, Int::from(1))).collect(),
    };
    let mut form = ClausalForm::new(HashMap::new(), &Budget::default()).unwrap();
    let mut known = |linear| form.at_most_zero(linear, &Budget::default()).map(drop);
    for constant in [0, 1, 1, 2, 3] {
        assert_eq!(known(long(constant)), Ok(()));
    }
    let short = Linear { constant: Int::from(0), terms: vec![(0, Int::from(1))] };
    assert_eq!(known(short), Err(HELD));
}

#[test]
fn coefficients_are_bounded() {
    let long = || Int("9".repeat(MAX_DIGITS).parse().unwrap());
    let scaled = |n: usize| {
        let product = std::iter::once(Op::Global(0)).chain((0..n).map(|_| Op::Scale(long())));
        obligation(1, product.chain([Op::Int(Int::from(0)), Op::Cmp(Cmp::Le)]).collect())
    };
    assert!(matches!(refuted(&scaled(1), vec![]), Err(Reason::Refutation(_))));
    assert_eq!(refuted(&scaled(2), vec![]), Err(BITS));
    // 2 to a power has one bit more than its exponent.
    let product = |exponent: u64| {
        let factor = num_bigint::BigInt::from(1) << exponent;
        linear::scale(&linear::leaf(0), &Int(factor), &Budget::default()).map(drop)
    };
    assert_eq!([MAX_BITS - 1, MAX_BITS].map(product), [Ok(()), Err(BITS)]);
}

#[test]
fn values_of_a_replay_are_bounded() {
    let text = "core 1; global g: int; one t { location l; location e error; \
                edge l -> l { g := g + g; } edge l -> e { } }";
    let (program, _) = parse(text).unwrap();
    let most = num_bigint::BigInt::from(1) << (MAX_BITS - 10);
    let start = State {
        globals: vec![Value::Int(Int(most))],
        threads: vec![Thread { locals: vec![], template: 0 }],
    };
    let run = |doublings: u64| {
        let double = Move { edge: 0, inputs: vec![], thread: 0 };
        let last = Move { edge: 1, ..double.clone() };
        let schedule = (0..doublings).map(|_| double.clone()).chain([last]).collect();
        let run = Counterexample { start: start.clone(), schedule };
        replay::check(&program, &run, &Budget::default())
    };
    assert_eq!(run(9), Ok(()));
    assert_eq!(run(10).unwrap_err().reason, BITS);
}

/// Every instance of a predicate meets every triple about it; each of these clauses counts, and its instance.
#[test]
fn clauses_of_a_step_are_bounded() {
    let text = "core 1; global g: int; many t { local x: int; location l; \
                edge l -> l { when false; g := 0; } }";
    let (program, _) = parse(text).unwrap();
    let count = 1500;
    let triple = Triple {
        pre: vec![Instance(1, vec![1])],
        edge: 0,
        post: 1,
        acting: 0,
        template: 0,
        refutation: Refutation(vec![propagate(&[2])]),
    };
    let formula = Expr(vec![Op::Local(0, 0), Op::Global(0), Op::Cmp(Cmp::Le)]);
    let proof = ProofSpace {
        basis: vec![triple; 1500],
        initial: vec![],
        witness: None,
        impossible: Vec::new(),
        predicates: vec![Predicate { formula, threads: vec![0] }],
        error_steps: vec![],
        configurations: vec![Configuration {
            steps: vec![],
            negated: (0..count).map(|i| Instance(1, vec![i])).collect(),
            threads: (0..count).map(|_| Slot(0, Some(0))).collect(),
        }],
    };
    let failure = proof_space::check(&program, &proof, &Budget::default()).unwrap_err();
    assert_eq!(failure.reason, HELD, "{failure}");
}

/// However little work is allowed, the answer is "declined", and it is never "accepted" too soon.
#[test]
fn work_is_bounded_everywhere() {
    let certificate = common::certificate(common::PROGRAM, Proof::ProofSpace(proof()));
    let check = |work| check_within(common::PROGRAM, &certificate, &Budget::new(work));
    let enough = (0..10_000).find(|work| {
        let checked = check(*work).map(|claim| assert_eq!(claim.conclusion, Conclusion::Safe));
        checked.map_err(|failure| assert_eq!(failure.reason, Reason::Limit("work"))).is_ok()
    });
    let enough = enough.expect("it is accepted with some work");
    assert!((enough..enough + 500).all(|work| check(work).is_ok()), "more work cannot be less");
}

/// A configuration looks at all templates, also at those without edges.
#[test]
fn templates_without_edges_count() {
    let work = |idle: usize| {
        let templates: String = (0..idle).map(|i| format!("one t{i} {{ location l; }}")).collect();
        let text = format!("core 1; many t {{ location l; location e error; }} {templates}");
        let (program, _) = parse(&text).unwrap();
        let (none, budget) = (ProofSpace::default(), Budget::default());
        let predicates = Predicates::new(&program, &none.predicates, &budget).unwrap();
        let automaton = Automaton::new(&program, &predicates, &none.basis, &budget).unwrap();
        let (root, before) = (automaton.roots(&budget).unwrap().remove(0), budget.left());
        let fixed = Configuration { threads: vec![Slot(0, Some(0))], ..root };
        assert_eq!(automaton.steps(&fixed, &budget), Ok(vec![]));
        before - budget.left()
    };
    assert!(work(1000) >= work(0) + 1000);
}

/// A claim lists error locations by name, and names can be long: 16 characters count as one.
#[test]
fn texts_of_a_claim_are_bounded() {
    let verdict = |errors: usize| {
        let name = "t".repeat(MAX_NAME);
        let errors: String = (0..errors).map(|i| format!("location e{i} error;")).collect();
        let text = format!("core 1; many {name} {{ location l; {errors} }}");
        let proof = Proof::ProofSpace(ProofSpace::default());
        check_within(&text, &common::certificate(&text, proof), &Budget::default())
    };
    // The template's name and a little more, and for each location twice: as an error and in a
    // note.
    let (name, error, note) = (1 + MAX_NAME / 16, 1 + 1, 1 + 1 + 2 + 1 + 1);
    let most = (MAX_HELD - name - 2) / (2 * name + error + note);
    assert!(verdict(most).is_ok_and(|claim| claim.errors.len() == most));
    assert_eq!(verdict(most + 1).unwrap_err().reason, HELD);
}

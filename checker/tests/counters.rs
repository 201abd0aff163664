//! Counters and the location axiom: proofs by hand are accepted, and each mistake that a proof or
//! a checker could make about them is rejected (SPEC.md sections 4.4, 8.2, 8.4, 8.5 and 8.8).

mod common;

use common::certificate;
use threadproof_checker::error::{Failure, Reason, RefutationReason};
use threadproof_checker::internals::core_form;
use threadproof_checker::{check, claim::Claim};
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Conclusion, Proof};
use threadproof_format::refutation::{Farkas, Propagate, Refutation, Step};
use threadproof_format::{Cmp, Expr, Int, Op};

/// n is the number of threads inside.
const PROGRAM: &str = "core 1;
global n: int;
init n == 0;
many t {
    location outside;
    location inside;
    location wrong error;
    edge outside -> inside { n := n + 1; }
    edge inside -> outside { n := n - 1; }
    edge inside -> wrong { when n < 1; }
}
";

const INSIDE: Op = Op::Count(0, 1);

fn at_least(left: Op, right: Op) -> Expr {
    Expr(vec![left, right, Op::Cmp(Cmp::Ge)])
}

fn propagate(hints: &[u32]) -> Step {
    Step::Propagate(Propagate { hints: hints.to_vec(), clause: vec![] })
}

fn int(value: i64) -> Op {
    Op::Int(Int::from(value))
}

fn lemma(clause: &[i32]) -> Step {
    let sum = (0..3).map(|literal| (literal, Int::from(1))).collect();
    Step::Farkas(Farkas { clause: clause.to_vec(), sums: vec![sum] })
}

fn contradiction() -> Refutation {
    Refutation(vec![propagate(&[1, 2])])
}

fn triple(pre: &[u32], edge: u32, post: u32, refutation: Refutation) -> Triple {
    let pre = pre.iter().map(|p| Instance(*p, vec![])).collect();
    Triple { pre, edge, post, acting: 0, template: 0, refutation }
}

/// Predicate 1 is n >= #t.inside.
fn proof() -> ProofSpace {
    let wrong = Refutation(vec![lemma(&[-3, 2, 4]), propagate(&[1, 2, 3, 4])]);
    let start = Refutation(vec![lemma(&[-6, -5, 3]), propagate(&[1, 3, 5, 6])]);
    ProofSpace {
        basis: vec![
            triple(&[1], 0, 1, contradiction()),
            triple(&[1], 1, 1, contradiction()),
            triple(&[1], 2, 0, wrong),
        ],
        initial: vec![InitialPredicate { predicate: 1, refutation: start }],
        witness: None,
        impossible: vec![],
        predicates: vec![Predicate { formula: at_least(Op::Global(0), INSIDE), threads: vec![] }],
        error_steps: vec![StepHints(vec![Hint::Embed(0, vec![])])],
        configurations: vec![Configuration {
            steps: vec![],
            negated: vec![Instance(1, vec![])],
            threads: vec![],
        }],
    }
}

/// Predicate 2 is #t.inside >= `least`; that a thread inside implies it is left to the location axiom.
fn proof_by_the_axiom(least: i64) -> ProofSpace {
    let mut proof = proof();
    proof.predicates.push(Predicate { formula: at_least(INSIDE, int(least)), threads: vec![] });
    // In order: n >= #t.inside, #t.inside >= 1, n < 1.
    // That the acting thread is inside is a fact of its own unless predicate 2 says the same.
    let last = if least == 1 { 4 } else { 5 };
    let wrong = Refutation(vec![lemma(&[-4, 2, 3]), propagate(&[1, 2, 3, last])]);
    proof.basis[2] = triple(&[1, 2], 2, 0, wrong);
    proof.impossible.push(Impossible {
        negated: vec![Instance(2, vec![])],
        threads: vec![Slot(0, Some(1))],
        refutation: contradiction(),
    });
    let hints = vec![Hint::Embed(1, vec![0]), Hint::Embed(0, vec![])];
    proof.error_steps = vec![StepHints(hints)];
    proof
}

fn verdict_on(program: &str, proof: ProofSpace) -> Result<Claim, Failure> {
    check(program, &certificate(program, Proof::ProofSpace(proof)))
}

#[track_caller]
fn rejects(program: &str, proof: ProofSpace, place: &str, reason: Reason) {
    let failure = verdict_on(program, proof).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

fn refuted(reason: RefutationReason) -> Reason {
    Reason::Refutation(reason)
}

#[test]
fn a_proof_that_counts_is_accepted() {
    assert_eq!(verdict_on(PROGRAM, proof()).unwrap().conclusion, Conclusion::Safe);
    assert_eq!(verdict_on(PROGRAM, proof_by_the_axiom(1)).unwrap().conclusion, Conclusion::Safe);
}

/// An edge that is mended or broken: the same proof, with the place where it is rejected.
#[test]
fn every_change_of_the_counters_matters() {
    let broken = [
        ("n := n + 1", "n := n", "triple 0"),
        ("n := n - 1", "n := n - 2", "triple 1"),
        // The edge stays inside: nobody leaves, so n may not fall.
        ("edge inside -> outside", "edge inside -> inside", "triple 1"),
        // Nobody enters, so n may rise; but more come in than n says.
        (
            "edge outside -> inside { n := n + 1; }",
            "edge outside -> inside { n := n + 0; }",
            "triple 0",
        ),
        ("n < 1", "n < 2", "triple 2"),
        ("init n == 0", "init n == 0 - 1", "initial predicate 0"),
    ];
    for (from, to, place) in broken {
        let program = PROGRAM.replacen(from, to, 1);
        assert_ne!(program, PROGRAM);
        assert_eq!(verdict_on(&program, proof()).unwrap_err().place, place, "{to}");
    }
}

#[test]
fn the_acting_thread_is_at_the_source() {
    // Without the ghost guard #t.inside >= 1 this would say nothing about n.
    let program = PROGRAM.replace("edge inside -> wrong", "edge outside -> wrong");
    let wrong = refuted(RefutationReason::NoContradiction);
    rejects(&program, proof(), "triple 2", wrong);
}

#[test]
fn the_location_axiom_counts_different_threads() {
    let off_by_one = refuted(RefutationReason::NoConflict);
    let mut proof = proof_by_the_axiom(2);
    proof.impossible[0].refutation = Refutation(vec![propagate(&[1])]);
    rejects(PROGRAM, proof, "configuration 1", off_by_one);
    // Threads elsewhere do not count.
    let mut elsewhere = proof_by_the_axiom(1);
    elsewhere.impossible[0].threads[0].1 = Some(0);
    elsewhere.impossible[0].refutation = Refutation(vec![propagate(&[1])]);
    rejects(PROGRAM, elsewhere, "configuration 1", refuted(RefutationReason::NoConflict));
    // Two threads need two slots.
    let mut twice = proof_by_the_axiom(1);
    twice.impossible[0].threads.push(Slot(0, Some(1)));
    let two =
        Farkas { clause: vec![-2, 3], sums: vec![vec![(0, Int::from(1)), (1, Int::from(1))]] };
    twice.impossible[0].refutation = Refutation(vec![Step::Farkas(two), propagate(&[1, 2, 3])]);
    twice.error_steps[0].0[0] = Hint::Embed(1, vec![0, 0]);
    let place = "error configuration 0, thread 0, template 0, edge 2";
    rejects(PROGRAM, twice, place, Reason::Embedding("two threads become one"));
    let mut nowhere = proof_by_the_axiom(1);
    nowhere.impossible[0].threads[0].1 = None;
    rejects(PROGRAM, nowhere, "configuration 1", Reason::Unused("thread"));
}

#[test]
fn impossible_configurations_are_used_and_well_formed() {
    let mut unused = proof_by_the_axiom(1);
    let copy = unused.impossible[0].clone();
    unused.impossible.push(copy);
    rejects(PROGRAM, unused, "configuration 2", Reason::Unused("configuration"));
    let mut beyond = proof_by_the_axiom(1);
    beyond.impossible.clear();
    let place = "error configuration 0, thread 0, template 0, edge 2";
    rejects(PROGRAM, beyond, place, Reason::Index("configuration"));
    let mut unknown = proof_by_the_axiom(1);
    unknown.impossible[0].threads[0] = Slot(0, Some(3));
    rejects(PROGRAM, unknown, "configuration 1", Reason::Index("location"));
    let mut false_claim = proof_by_the_axiom(1);
    false_claim.impossible[0].refutation = Refutation::default();
    rejects(PROGRAM, false_claim, "configuration 1", refuted(RefutationReason::NoEmptyClause));
}

/// By cases: one of two predicates holds because their negations contradict each other.
#[test]
fn an_impossible_configuration_is_a_case_analysis() {
    let mut proof = proof();
    let not = at_least(Op::Global(0), INSIDE).negate();
    proof.predicates.push(Predicate { formula: not, threads: vec![] });
    proof.impossible.push(Impossible {
        negated: vec![Instance(1, vec![]), Instance(2, vec![])],
        threads: vec![],
        refutation: contradiction(),
    });
    // First predicate 2 does not hold: one of the two does. Then it holds.
    let hints = [Hint::Split(Instance(2, vec![])), Hint::Embed(1, vec![]), Hint::Embed(0, vec![])];
    proof.error_steps = vec![StepHints(hints.to_vec())];
    assert_eq!(verdict_on(PROGRAM, proof.clone()).unwrap().conclusion, Conclusion::Safe);
    proof.impossible[0].negated.pop();
    let reason = refuted(RefutationReason::NoConflict);
    rejects(PROGRAM, proof, "configuration 1", reason);
}

/// An edge between two places is a frame of what is said about their sum, and of nothing else.
#[test]
fn a_move_between_counted_places_is_a_frame_only_if_the_sum_stays() {
    let rooms =
        PROGRAM.replace("location inside;", "location inside;\n    location room;").replace(
            "    edge inside -> wrong",
            "    edge inside -> room { }\n    edge inside -> wrong",
        );
    let sum = |ops: &[Op]| {
        let mut proof = proof();
        let formula = [&[Op::Global(0)], ops, &[Op::Cmp(Cmp::Ge)]].concat();
        proof.predicates[0].formula = Expr(formula);
        // The edge to `wrong` has another number now.
        proof.basis[2].edge = 3;
        proof
    };
    let room = Op::Count(0, 2);
    // n >= #t.inside also holds after a move to the room, but not as a frame, and no triple says so.
    let place = "configuration 0, thread 0, template 0, edge 2";
    rejects(&rooms, sum(&[INSIDE]), place, Reason::StepOpen);
    let frames = |ops: &[Op]| {
        let (program, _) = core_form::parse(&rooms).unwrap();
        let budget = threadproof_checker::error::Budget::default();
        let proof = sum(ops);
        let predicates = threadproof_checker::internals::proof_space::predicates::Predicates::new(
            &program,
            &proof.predicates,
            &budget,
        )
        .unwrap();
        // Of no triples, so that only a frame can close the step of a fresh thread.
        let triples = vec![];
        let automaton = threadproof_checker::internals::proof_space::automaton::Automaton::new(
            &program,
            &predicates,
            &triples,
            &budget,
        )
        .unwrap();
        let c = &proof.configurations[0];
        let moved = |s: &threadproof_checker::internals::proof_space::automaton::Step| s.edge == 2;
        let step = automaton.steps(c, &budget).unwrap().into_iter().find(moved).unwrap();
        automaton.stays(c, &step, &budget).unwrap()
    };
    assert!(frames(&[INSIDE, room.clone(), Op::Add]));
    assert!(!frames(&[INSIDE]) && !frames(std::slice::from_ref(&room)));
    assert!(!frames(&[INSIDE, room, Op::Scale(Int::from(2)), Op::Add]));
}

#[test]
fn only_some_locations_are_counted() {
    for location in [0, 2, 3] {
        let mut proof = proof();
        let formula = at_least(Op::Global(0), Op::Count(0, location));
        proof.predicates[0].formula = formula;
        let what = if location == 3 { "location" } else { "counter" };
        rejects(PROGRAM, proof, "predicate 1", Reason::Index(what));
    }
    let mut proof = proof();
    proof.predicates[0].formula = at_least(Op::Global(0), Op::Count(1, 0));
    rejects(PROGRAM, proof, "predicate 1", Reason::Index("template"));
}

/// Only error configurations have steps into error locations, and those no others.
#[test]
fn steps_end_at_the_first_error() {
    let mut proof = proof();
    proof.error_steps.push(StepHints(vec![Hint::Embed(0, vec![])]));
    rejects(PROGRAM, proof, "error configurations", Reason::Unused("step"));
    let more = "edge inside -> wrong { when n < 1; }\n    edge wrong -> outside { n := n - 5; }";
    let program = PROGRAM.replace("edge inside -> wrong { when n < 1; }", more);
    assert_eq!(verdict_on(&program, self::proof()).unwrap().conclusion, Conclusion::Safe);
}

const SINGLE: &str = "core 1;
global n: int;
init n == 0;
one s {
    location first;
    location second;
    edge first -> second { n := 1; }
}
many t {
    location start;
    location seen;
    location wrong error;
    edge start -> wrong { when #s.first >= 1 && n >= 1; }
}
";

/// Predicate 1 is n <= 1 - #s.first; the counters of a single template add up to 1.
fn single() -> ProofSpace {
    let bound = Expr(vec![Op::Global(0), int(1), Op::Count(0, 0), Op::Sub, Op::Cmp(Cmp::Le)]);
    let triple = |pre: &[u32], template, edge, post, refutation| Triple {
        template,
        ..self::triple(pre, edge, post, refutation)
    };
    ProofSpace {
        // After the step n is 1, and nobody is at `first` since the one thread was there.
        basis: vec![
            triple(&[], 0, 0, 1, Refutation::default()),
            triple(&[1], 1, 0, 0, Refutation::default()),
        ],
        initial: vec![],
        witness: None,
        impossible: vec![],
        predicates: vec![Predicate { formula: bound, threads: vec![] }],
        error_steps: vec![StepHints(vec![Hint::Embed(0, vec![])])],
        configurations: vec![Configuration {
            steps: vec![],
            negated: vec![Instance(1, vec![])],
            threads: vec![],
        }],
    }
}

#[test]
fn single_threads_are_in_one_place() {
    // What has to be refuted, in the checker's own words: the counters of `s` are all there.
    let (program, _) = core_form::parse(SINGLE).unwrap();
    let list = common::obligations(&program, &single());
    let (first, second) = (Op::Count(0, 0), Op::Count(0, 1));
    let sum = Expr(vec![first.clone(), second.clone(), Op::Add, int(1), Op::Cmp(Cmp::Eq)]);
    assert_eq!(
        list[0].formulas[2..],
        [at_least(first.clone(), int(1)), at_least(second.clone(), int(0)), sum.clone(),]
    );
    // A thread of `t` says nothing about where `s` is, and its own counters do not occur.
    let facts = [at_least(first, int(0)), at_least(second, int(0)), sum];
    assert_eq!(list[1].formulas[3..], facts);
}

/// The facts of section 4.4, in their order, each once.
#[test]
fn facts_are_of_the_counters_that_occur() {
    let text = "core 1; one s { location a; location b; location c; location e error; } \
                many t { location a; location b; location c; location e error; }";
    let (program, _) = core_form::parse(text).unwrap();
    let count = Op::Count;
    let sum = Expr(vec![count(1, 2), count(0, 2), Op::Add, count(1, 1), Op::Add]);
    let formulas = vec![Expr([sum.0, vec![count(0, 0), Op::Cmp(Cmp::Le)]].concat())];
    let budget = &threadproof_checker::error::Budget::default();
    let compare = |op, cmp, value| Expr(vec![op, int(value), Op::Cmp(cmp)]);
    let at_least = |op, least| compare(op, Cmp::Ge, least);
    let all = [count(0, 0), count(0, 1), Op::Add, count(0, 2), Op::Add];
    let one = Expr(all.into_iter().chain([int(1), Op::Cmp(Cmp::Eq)]).collect());
    let places = vec![(0, 1), (1, 2), (1, 2), (1, 0)];
    let facts =
        threadproof_checker::internals::counters::facts(&program, &formulas, &places, budget);
    let single = [at_least(count(0, 0), 0), at_least(count(0, 1), 1), at_least(count(0, 2), 0)];
    let many = [at_least(count(1, 1), 0), at_least(count(1, 2), 2)];
    assert_eq!(facts.unwrap(), [&single[..], &[one], &many].concat());
    let exactly = |op, value| compare(op, Cmp::Eq, value);
    let starting = [(count(0, 0), 1), (count(0, 1), 0), (count(0, 2), 0), (count(1, 1), 0)];
    let starting = starting.into_iter().chain([(count(1, 2), 0)]);
    let starting: Vec<Expr> = starting.map(|(op, value)| exactly(op, value)).collect();
    assert_eq!(
        threadproof_checker::internals::counters::initially(&program, &formulas, budget),
        Ok(starting)
    );
}

#[test]
fn the_core_form_names_counters_in_commands_only() {
    let reject = |from: &str, to: &str, what: &str| {
        let program = PROGRAM.replacen(from, to, 1);
        assert_ne!(program, PROGRAM);
        match core_form::parse(&program).unwrap_err() {
            Reason::Syntax(_, _, found) => assert_eq!(found, what, "{to}"),
            other => panic!("{to}: {other:?}"),
        }
    };
    let counted = "no threads are counted here";
    reject("when n < 1", "when n < #t.outside", counted);
    reject("when n < 1", "when n < #t.wrong", counted);
    reject("when n < 1", "when n < #u.inside", counted);
    reject("when n < 1", "when n < #t.nowhere", counted);
    reject("when n < 1", "when n < #t inside", "`.` is needed here");
    reject("init n == 0", "init n == #t.inside", counted);
    reject("n := n - 1", "#t.inside := 0", "an expression is needed here");
    reject("when n < 1", "when #t.inside", "not well sorted: another sort is needed");
    // Locations of later templates may be named.
    let later = format!("{}one s {{ location a; location b; }}\n", PROGRAM);
    let (program, _) =
        core_form::parse(&later.replace("n < 1", "n < #s.a + #s.b + #t.inside")).unwrap();
    let guard = &program.templates[0].edges[2].guard;
    assert_eq!(guard.0[1..4], [Op::Count(1, 0), Op::Count(1, 1), Op::Add]);
}

/// Threads go in; wrong if two are there while the single thread waits at its first location.
const COUNTING: &str = "core 1;
one s { location first; location second; edge first -> second {} }
many t {
    location outside;
    location inside;
    location wrong error;
    edge outside -> inside {}
    edge inside -> wrong { when #t.inside == 2 && #s.first == 1 && #s.second == 0; }
}
";

fn run(moves: &[u32], with_single: bool) -> Result<Claim, Failure> {
    let thread = |template| Thread { locals: vec![], template };
    let mut threads = vec![thread(1), thread(1)];
    if with_single {
        threads.insert(0, thread(0));
    }
    let mut edges = vec![0; threads.len()];
    let schedule = moves.iter().map(|thread| {
        let next = &mut edges[usize::try_from(*thread).unwrap()];
        let edge = *next;
        *next += 1;
        Move { edge, inputs: Vec::<Value>::new(), thread: *thread }
    });
    let schedule = schedule.collect();
    let start = State { globals: vec![], threads };
    let run = Counterexample { start, schedule };
    check(COUNTING, &certificate(COUNTING, Proof::Counterexample(run)))
}

#[test]
fn replay_counts_threads() {
    assert_eq!(run(&[0, 1, 0], false).unwrap().conclusion, Conclusion::ErrorReachable);
    let guard = Reason::Replay("the guard does not hold");
    assert_eq!(run(&[0, 0], false).unwrap_err().reason, guard);
    // The single thread has left its first location.
    assert_eq!(run(&[1, 2, 0, 1], true).unwrap_err().reason, guard);
}

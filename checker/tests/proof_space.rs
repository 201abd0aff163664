//! Proof spaces: a proof by hand is accepted, and each broken rule is rejected by its own reason
//! (SPEC.md section 8).

use threadproof_checker::claim::{Claim, Vacuous};
use threadproof_checker::error::{Budget, Reason, RefutationReason};
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::proof_space::automaton::Automaton;
use threadproof_checker::internals::proof_space::predicates::Predicates;
use threadproof_checker::{check, error::Failure};
use threadproof_format::cbor::{self, CborError};
use threadproof_format::proof::proof_space::*;
use threadproof_format::proof::{Certificate, Conclusion, Proof, VERSION};
use threadproof_format::refutation::{Linear, Refutation, Step};
use threadproof_format::{Cmp, Expr, Int, Op};
use threadproof_tests_trusted::introduction::{self, PROGRAM, proof, propagate};

fn certificate(program: &str, proof: ProofSpace) -> Vec<u8> {
    introduction::certificate(program, Proof::ProofSpace(proof))
}

fn verdict_on(program: &str, proof: ProofSpace) -> Result<Claim, Failure> {
    check(program, &certificate(program, proof))
}

fn verdict(edit: impl FnOnce(&mut ProofSpace)) -> Result<Claim, Failure> {
    let mut proof = proof();
    edit(&mut proof);
    verdict_on(PROGRAM, proof)
}

#[track_caller]
fn rejects(edit: impl FnOnce(&mut ProofSpace), place: &str, reason: Reason) {
    let failure = verdict(edit).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

fn predicate(formula: Vec<Op>, threads: Vec<u32>) -> Predicate {
    Predicate { formula: Expr(formula), threads }
}

#[test]
fn the_introduction_of_the_paper_is_accepted() {
    let claim = verdict(|_| {}).unwrap();
    assert_eq!(claim.conclusion, Conclusion::Safe);
    assert_eq!(claim.threads, ["t: any number of threads"]);
    assert_eq!(claim.errors, ["t.wrong"]);
    assert_eq!((claim.notes, claim.vacuous), (vec![], None));
    assert!(claim.proof.contains("2 predicates, 3 triples, 2 configurations"), "{}", claim.proof);
}

#[test]
fn vacuity_is_reported() {
    let claim = verdict(|p| p.witness = None).unwrap();
    assert_eq!(claim.vacuous, Some(Vacuous::NoInitialState));
    let program = PROGRAM.replace("edge write -> wrong { when x < 1; }", "");
    let empty = ProofSpace::default();
    let claim = verdict_on(&program, empty.clone()).unwrap();
    assert_eq!(claim.vacuous, Some(Vacuous::NoErrorPath));
    let claim = verdict_on(&program.replace("location wrong error;", ""), empty).unwrap();
    assert_eq!(claim.vacuous, Some(Vacuous::NoErrorLocation));
}

#[test]
fn the_program_is_the_one_that_was_proved() {
    let bytes = certificate(PROGRAM, proof());
    for (from, to) in
        [("g >= 1", "g >= 0"), ("x < 1", "x < 2"), ("g + x", "g - x"), ("many", "one")]
    {
        let other = PROGRAM.replacen(from, to, 1);
        assert_eq!(check(&other, &bytes).unwrap_err().reason, Reason::ProgramDigest);
        assert!(verdict_on(&other, proof()).is_err(), "{from} -> {to}");
    }
    assert!(verdict_on(&PROGRAM.replace("g >= 1", "g >= 2"), proof()).is_err());
    let mut certificate: Certificate = cbor::decode(&bytes).unwrap();
    certificate.statement.push('\n');
    let edited = cbor::encode(&certificate).unwrap();
    assert_eq!(check(PROGRAM, &edited).unwrap_err().reason, Reason::ProgramDigest);
    certificate.version = VERSION + 1;
    let failure = check(PROGRAM, &cbor::encode(&certificate).unwrap()).unwrap_err();
    assert_eq!(failure.reason, Reason::Encoding(CborError::Version(VERSION + 1)));
}

#[test]
fn predicates_are_well_formed() {
    let x = Op::Local(0, 0);
    let extra = |p: Predicate| move |proof: &mut ProofSpace| proof.predicates.push(p);
    let at = "predicate 3";
    rejects(extra(predicate(vec![x.clone()], vec![0])), at, Reason::Sort("another sort is needed"));
    rejects(extra(predicate(vec![], vec![])), at, Reason::Sort("not one expression"));
    rejects(extra(predicate(vec![Op::Not], vec![])), at, Reason::Sort("missing operand"));
    let less = vec![x.clone(), Op::Global(0), Op::Cmp(Cmp::Lt)];
    rejects(extra(predicate(less.clone(), vec![])), at, Reason::Index("thread position"));
    rejects(extra(predicate(less.clone(), vec![1])), at, Reason::Index("template"));
    rejects(extra(predicate(vec![Op::Global(1)], vec![])), at, Reason::Index("global"));
    rejects(extra(predicate(vec![Op::Input(0)], vec![])), at, Reason::Index("input"));
    let both = vec![Op::Bool(true), Op::Bool(true), Op::And];
    rejects(extra(predicate(both, vec![])), at, Reason::Conjunction);
    rejects(extra(predicate(vec![Op::Bool(false)], vec![])), at, Reason::DuplicatePredicate);
    rejects(extra(proof().predicates[0].clone()), at, Reason::DuplicatePredicate);
    let many = predicate(vec![Op::Bool(true)], vec![0; 7]);
    rejects(extra(many), at, Reason::Limit("thread positions of a predicate"));
    rejects(extra(predicate(less, vec![0])), at, Reason::Unused("predicate"));
}

#[test]
fn triples_are_basic_and_valid() {
    let at = "triple 1";
    rejects(|p| p.basis[1].template = 1, at, Reason::Index("template"));
    rejects(|p| p.basis[1].edge = 3, at, Reason::Index("edge"));
    rejects(|p| p.basis[1].post = 3, at, Reason::Index("predicate"));
    rejects(|p| p.basis[1].acting = 1, at, Reason::Index("acting thread"));
    rejects(|p| p.basis[1].pre.reverse(), at, Reason::Order("precondition"));
    rejects(
        |p| p.basis[1].pre[0] = Instance(0, vec![]),
        at,
        Reason::Instance("`false` is never listed"),
    );
    rejects(|p| p.basis[1].pre[0].1.push(0), at, Reason::Instance("number of threads"));
    rejects(|p| p.basis[1].pre[1].1[0] = 1, at, Reason::Irrelevant);
    // {g >= 1} (x := g : 1) {x(2) >= 1} is not valid.
    rejects(
        |p| p.basis[0].acting = 0,
        "triple 0",
        Reason::Refutation(RefutationReason::NoConflict),
    );
    let refutation = |reason| Reason::Refutation(reason);
    rejects(|p| drop(p.basis[1].pre.pop()), at, refutation(RefutationReason::UnknownLiteral));
    rejects(|p| p.basis[1].edge = 0, at, refutation(RefutationReason::UnknownLiteral));
    rejects(|p| p.basis[2].edge = 1, "triple 2", refutation(RefutationReason::UnknownClause));
    rejects(
        |p| p.basis[2].refutation = Refutation(vec![]),
        "triple 2",
        refutation(RefutationReason::NoEmptyClause),
    );
    let unused = Step::Atom(Linear { constant: Int::from(-7), terms: vec![(0, Int::from(1))] });
    rejects(
        |p| p.basis[2].refutation.0.insert(0, unused),
        "triple 2",
        refutation(RefutationReason::UnusedStep),
    );
}

#[test]
fn everything_is_used() {
    let copy = |p: &mut ProofSpace| {
        let again =
            Triple { pre: vec![Instance(1, vec![]), Instance(2, vec![0])], ..p.basis[2].clone() };
        p.basis.push(Triple { refutation: Refutation(vec![propagate(&[2, 3])]), ..again });
    };
    rejects(copy, "triple 3", Reason::Unused("triple"));
    let unreached = |p: &mut ProofSpace| {
        let more =
            Configuration { threads: vec![Slot(0, Some(0)); 2], ..p.configurations[1].clone() };
        p.configurations.push(Configuration { steps: vec![], ..more });
    };
    assert!(matches!(verdict(unreached).unwrap_err().reason, Reason::StepOpen | Reason::Unused(_)));
    rejects(
        |p| p.error_steps.push(StepHints(vec![])),
        "error configurations",
        Reason::Unused("step"),
    );
    rejects(
        |p| p.configurations[0].steps.push(StepHints(vec![])),
        "configuration 0",
        Reason::Unused("step"),
    );
    let twice = |p: &mut ProofSpace| {
        let again = p.error_steps[0].0[0].clone();
        p.error_steps[0].0.push(again);
    };
    rejects(twice, "error configuration 0, thread 0, template 0, edge 2", Reason::Unused("hint"));
}

#[test]
fn configurations_are_well_formed() {
    let at = "configuration 0";
    rejects(|p| p.configurations[0].threads[0] = Slot(1, Some(1)), at, Reason::Index("template"));
    rejects(|p| p.configurations[0].threads[0] = Slot(0, Some(3)), at, Reason::Index("location"));
    rejects(|p| p.configurations[0].threads.push(Slot(0, None)), at, Reason::Unused("thread"));
    rejects(|p| p.configurations[0].negated[0].1[0] = 1, at, Reason::Index("thread"));
    rejects(
        |p| p.configurations[0].negated.push(Instance(2, vec![0])),
        at,
        Reason::Order("negated predicates"),
    );
    rejects(
        |p| p.configurations[0].negated[0].0 = 0,
        at,
        Reason::Instance("`false` is never listed"),
    );
    rejects(
        |p| p.configurations[0].negated[0].1.clear(),
        at,
        Reason::Instance("number of threads"),
    );
}

#[test]
fn steps_are_covered() {
    let (root, first) = (
        "error configuration 0, thread 0, template 0, edge 2",
        "configuration 0, thread 0, template 0, edge 0",
    );
    let last = "configuration 1, thread 0, template 0, edge 1";
    rejects(|p| p.error_steps.clear(), root, Reason::StepOpen);
    rejects(|p| p.error_steps[0].0.clear(), root, Reason::StepOpen);
    rejects(|p| p.configurations[0].steps.clear(), first, Reason::StepOpen);
    rejects(|p| drop(p.configurations[1].steps[0].0.pop()), last, Reason::StepOpen);
    let embed =
        |p: &mut ProofSpace, c, map: &[u32]| p.error_steps[0].0[0] = Hint::Embed(c, map.to_vec());
    rejects(|p| embed(p, 2, &[]), root, Reason::Index("configuration"));
    rejects(|p| embed(p, 0, &[]), root, Reason::Embedding("number of threads"));
    rejects(|p| embed(p, 0, &[1]), root, Reason::Index("thread"));
    let elsewhere = |p: &mut ProofSpace| p.configurations[0].threads[0].1 = Some(0);
    rejects(elsewhere, root, Reason::Embedding("template or location of a thread"));
    // Without the triple {x(1) >= 1} assume(x < 1) {false} nothing is known before the error.
    let without = |p: &mut ProofSpace| drop(p.basis.pop());
    rejects(without, root, Reason::StepOpen);
    let split =
        |instance| move |p: &mut ProofSpace| p.error_steps[0].0.insert(0, Hint::Split(instance));
    rejects(split(Instance(2, vec![0])), root, Reason::Embedding("a split on what is known"));
    rejects(split(Instance(2, vec![1])), root, Reason::Index("thread"));
    rejects(split(Instance(0, vec![])), root, Reason::Instance("`false` is never listed"));
    // A split with both branches closed is allowed: first not g >= 1, then g >= 1.
    let covered = |p: &mut ProofSpace| {
        let leaf = Hint::Embed(0, vec![0]);
        p.error_steps[0].0 = vec![Hint::Split(Instance(1, vec![])), leaf.clone(), leaf];
    };
    assert!(verdict(covered).is_ok());
    let one_branch = |p: &mut ProofSpace| {
        p.error_steps[0].0 = vec![Hint::Split(Instance(1, vec![])), Hint::Embed(0, vec![0])];
    };
    rejects(one_branch, root, Reason::StepOpen);
}

#[test]
fn embeddings_are_injective_and_useful() {
    // Two threads must not become one: a configuration of two threads that negates x >= 1 of both.
    let two = |p: &mut ProofSpace| {
        p.configurations[0].threads.push(Slot(0, Some(1)));
        p.configurations[0].negated.push(Instance(2, vec![1]));
        p.error_steps[0].0[0] = Hint::Embed(0, vec![0, 0]);
    };
    let root = "error configuration 0, thread 0, template 0, edge 2";
    rejects(two, root, Reason::Embedding("two threads become one"));
    let early = |p: &mut ProofSpace| p.configurations[1].steps[0].0.swap(0, 1);
    let last = "configuration 1, thread 0, template 0, edge 1";
    assert!(verdict(early).is_ok(), "either order of the two embeddings closes the step");
    let repeated = |p: &mut ProofSpace| {
        let again = p.configurations[1].steps[0].0[0].clone();
        p.configurations[1].steps[0].0.insert(0, again);
    };
    rejects(repeated, last, Reason::Embedding("it says nothing new here"));
}

/// The second case of a split knows what was known before it, and nothing of the first case.
#[test]
fn a_branch_is_forgotten_to_where_it_began() {
    let (program, _) = core_form::parse(PROGRAM).unwrap();
    let (proof, budget) = (proof(), &Budget::default());
    let predicates = Predicates::new(&program, &proof.predicates, budget).unwrap();
    let automaton = Automaton::new(&program, &predicates, &proof.basis, budget).unwrap();
    let c = &proof.configurations[0];
    let step = automaton.steps(c, budget).unwrap()[0];
    let mut state = automaton.successor(c, &step, budget).unwrap();
    let [before, split, after] = [5, 6, 7].map(|thread| Instance(2, vec![thread]));
    state.learn(before.clone(), true, budget).unwrap();
    let since = state.learned();
    state.learn(split.clone(), false, budget).unwrap();
    state.learn(after.clone(), true, budget).unwrap();
    state.forget(since, budget).unwrap();
    assert_eq!(state.learned(), since);
    assert!(state.holding.contains(&before));
    assert!(!state.negated.contains(&split) && !state.holding.contains(&after));
}

#[test]
fn initial_states_are_excluded() {
    rejects(|p| p.initial.clear(), "configuration 1", Reason::Accepting);
    rejects(
        |p| p.initial[0].predicate = 0,
        "initial predicate 0",
        Reason::Instance("`false` is never listed"),
    );
    rejects(
        |p| p.initial[0].predicate = 2,
        "initial predicate 0",
        Reason::Refutation(RefutationReason::NoConflict),
    );
    let twice = |p: &mut ProofSpace| p.initial.push(p.initial[0].clone());
    rejects(twice, "", Reason::Order("initial predicates"));
}

#[test]
fn the_witness_is_an_initial_state() {
    use threadproof_format::proof::counterexample::Value;
    let state = |p: &mut ProofSpace| p.witness.clone().unwrap();
    let zero = |p: &mut ProofSpace| {
        let mut s = state(p);
        s.globals[0] = Value::Int(Int::from(0));
        p.witness = Some(s);
    };
    rejects(zero, "witness", Reason::Replay("the initial condition"));
    let truth = |p: &mut ProofSpace| {
        let mut s = state(p);
        s.globals[0] = Value::Bool(true);
        p.witness = Some(s);
    };
    rejects(truth, "witness", Reason::Sort("a value of another sort"));
    let alone = |p: &mut ProofSpace| {
        let mut s = state(p);
        s.threads.clear();
        p.witness = Some(s);
    };
    rejects(alone, "witness", Reason::Replay("one thread of each `many` template"));
}

/// Two single threads that share a lock, and a symmetric predicate of two threads of a `many`.
#[test]
fn single_templates_have_one_thread() {
    let program = "core 1; one s { location a; location b; location e error; edge a -> b { } edge b -> e { when false; } }";
    let mut p = proof();
    p.predicates.clear();
    p.basis = vec![Triple {
        pre: vec![],
        edge: 1,
        post: 0,
        acting: 0,
        template: 0,
        refutation: Refutation(vec![propagate(&[1])]),
    }];
    p.initial.clear();
    p.witness = None;
    p.error_steps.clear();
    p.configurations.clear();
    assert_eq!(verdict_on(program, p.clone()).unwrap().conclusion, Conclusion::Safe);
    p.configurations.push(Configuration {
        steps: vec![],
        negated: vec![],
        threads: vec![Slot(0, Some(1)), Slot(0, Some(0))],
    });
    assert_eq!(verdict_on(program, p.clone()).unwrap_err().reason, Reason::SingleTwice);
    p.configurations.clear();
    p.predicates.push(predicate(vec![Op::Bool(true)], vec![0]));
    let failure = verdict_on(program, p).unwrap_err();
    assert_eq!(failure.reason, Reason::Instance("a position of a single template"));
}

#[test]
fn symmetric_predicates_have_one_normal_form() {
    let x = |t| Op::Local(t, 0);
    let apart = predicate(vec![x(0), x(1), Op::Cmp(Cmp::Ne)], vec![0, 0]);
    let edit = |threads: Vec<u32>| {
        let apart = apart.clone();
        move |p: &mut ProofSpace| {
            p.predicates.push(apart);
            p.configurations[1].threads = vec![Slot(0, None); 2];
            p.configurations[1].negated.push(Instance(3, threads));
        }
    };
    rejects(edit(vec![1, 0]), "configuration 1", Reason::Order("threads of a symmetric predicate"));
    rejects(edit(vec![0, 0]), "configuration 1", Reason::Instance("one thread twice"));
    let normal = verdict(edit(vec![0, 1])).unwrap_err();
    assert!(!matches!(normal.reason, Reason::Order(_)), "{normal}");
}

/// A local's sort is that of its position's template, whatever stands at the other positions.
#[test]
fn positions_of_several_templates_keep_their_sorts() {
    let program = "core 1; many a { local x: int; location l; } \
                   many b { local y: bool; location l; location e error; edge l -> e { when y; } }";
    let (program, _) = core_form::parse(program).unwrap();
    let mixed = vec![Op::Local(0, 0), Op::Int(Int::from(1)), Op::Cmp(Cmp::Ge), Op::Local(1, 0)];
    let either = Expr(mixed.into_iter().chain([Op::Local(2, 0), Op::Or, Op::Or]).collect());
    let list = [Predicate { formula: either, threads: vec![0, 1, 1] }];
    // More than once: the order of a hash table must not matter.
    for _ in 0..20 {
        let budget = &Budget::default();
        let predicates = Predicates::new(&program, &list.to_vec(), budget).unwrap();
        let instance = |threads: &[u32]| Instance(1, threads.to_vec());
        assert_eq!(predicates.normal(instance(&[5, 4, 3]), budget), Ok(instance(&[5, 3, 4])));
    }
}

/// Interchangeable positions get ascending threads; a rotation alone makes no positions so.
#[test]
fn interchangeable_positions_are_found_by_exchanges() {
    let program = core_form::parse("core 1; many t { local x: int; location l; }").unwrap().0;
    let x = |t| Op::Local(t, 0);
    let less = |a, b| vec![x(a), x(b), Op::Cmp(Cmp::Lt)];
    let any = |parts: Vec<Vec<Op>>| {
        let count = parts.len();
        let ops = parts.into_iter().flatten().chain(vec![Op::Or; count - 1]);
        predicate(ops.collect(), vec![0; 4])
    };
    let list = [
        predicate(vec![x(0), x(1), Op::Add, x(2), Op::Add, x(3), Op::Cmp(Cmp::Le)], vec![0; 4]),
        any(vec![less(0, 1), less(2, 3)]),
        any(vec![less(0, 1), less(1, 2), less(2, 3), less(3, 0)]),
        predicate(vec![x(0), x(1), Op::Add, x(2), x(3), Op::Add, Op::Cmp(Cmp::Le)], vec![0; 4]),
    ];
    let budget = &Budget::default();
    let predicates = Predicates::new(&program, &list.to_vec(), budget).unwrap();
    let normal =
        |p, threads: [u32; 4]| predicates.normal(Instance(p, threads.to_vec()), budget).unwrap().1;
    assert_eq!(normal(1, [7, 5, 2, 1]), [2, 5, 7, 1]);
    assert_eq!(normal(2, [7, 5, 2, 1]), [7, 5, 2, 1]);
    assert_eq!(normal(3, [7, 5, 2, 1]), [7, 5, 2, 1]);
    assert_eq!(normal(4, [7, 5, 2, 1]), [5, 7, 1, 2]);
}

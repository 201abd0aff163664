//! Drafts of small programs become proofs that the checker accepts; what is missing is named,
//! and what is not needed is dropped.

mod search;

use search::{draft, triple};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::core_form;
use threadproof_checker::internals::obligation::ObligationId;
use threadproof_checker::internals::proof_space::check;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::*;
use threadproof_format::{Cmp, Expr, Int, Op, cbor};
use threadproof_producer::certify::hints::{
    CertifyError, Figures, complete, complete_with_figures,
};
use threadproof_producer::certify::refute::RefuteError;
use threadproof_producer::engine::control::Control;

fn program(text: &str) -> Program {
    core_form::parse(text).unwrap().0
}

fn completed(program: &Program, draft: &ProofSpace) -> (ProofSpace, Figures) {
    let (proof, figures) =
        complete_with_figures(program, draft.clone(), &Control::default()).unwrap();
    check(program, &proof, &Budget::default()).unwrap();
    (proof, figures)
}

fn failure(program: &Program, draft: ProofSpace) -> CertifyError {
    complete(program, draft, &Control::default()).unwrap_err()
}

fn predicate(formula: Expr, threads: &[u32]) -> Predicate {
    Predicate { formula, threads: threads.to_vec() }
}

/// `left cmp right`, of two variables or constants.
fn compare(left: Op, cmp: Cmp, right: Op) -> Expr {
    Expr(vec![left, right, Op::Cmp(cmp)])
}

fn constant(value: i64) -> Op {
    Op::Int(Int::from(value))
}

/// The paper's introduction: threads add what they read to g; g stays positive.
const INTRODUCTION: &str = "core 1;
global g: int;
init g >= 1;
many t {
    local x: int;
    location read;
    location write;
    location wrong error;
    edge read -> write { x := g; }
    edge write -> read { g := g + x; }
    edge write -> wrong { when x < 1; }
}
";

/// Predicates: 1 is g >= 1, 2 is x(1) >= 1.
fn introduction() -> (Program, ProofSpace) {
    let program = program(INTRODUCTION);
    let predicates = vec![
        predicate(compare(Op::Global(0), Cmp::Ge, constant(1)), &[]),
        predicate(compare(Op::Local(0, 0), Cmp::Ge, constant(1)), &[0]),
    ];
    let (g, x) = (Instance(1, vec![]), Instance(2, vec![0]));
    let basis = vec![
        triple(std::slice::from_ref(&g), 0, 2, 1),
        triple(&[g.clone(), x.clone()], 1, 1, 0),
        triple(&[x], 2, 0, 0),
    ];
    let draft = draft(&program, predicates, basis, &[1]);
    (program, draft)
}

#[test]
fn introduction_of_the_paper() {
    let (program, draft) = introduction();
    let (proof, figures) = completed(&program, &draft);
    assert_eq!((proof.predicates.len(), proof.basis.len(), proof.configurations.len()), (2, 3, 2));
    assert_eq!((figures.hinted, figures.hints, figures.splits), (3, 4, 0));
    assert!(figures.steps > figures.hinted && figures.hint_bytes > 0);
}

#[test]
fn same_draft_gives_same_bytes() {
    let (program, draft) = introduction();
    let bytes = || cbor::encode(&completed(&program, &draft).0).unwrap();
    assert_eq!(bytes(), bytes());
}

#[test]
fn what_is_not_needed_is_dropped() {
    let (program, draft) = introduction();
    let (proof, _) = completed(&program, &draft);
    let mut larger = draft.clone();
    // A predicate without use, one listed twice, a weaker triple, and configurations that others
    // cover or that nothing reaches.
    larger.predicates.push(predicate(compare(Op::Global(0), Cmp::Ge, constant(0)), &[]));
    larger.predicates.push(larger.predicates[0].clone());
    let (g, x) = (|p| Instance(p, vec![]), |t| Instance(2, vec![t]));
    larger.basis.push(triple(&[g(1), g(3)], 0, 2, 1));
    larger.basis.push(triple(&[g(4)], 0, 2, 1));
    larger.initial.push(InitialPredicate { predicate: 3, refutation: Default::default() });
    let configuration = |negated, threads| Configuration { steps: Vec::new(), negated, threads };
    larger.configurations.insert(0, configuration(vec![g(1), g(3)], vec![Slot(0, Some(0))]));
    larger.configurations.push(configuration(vec![g(3)], vec![]));
    larger.configurations.push(configuration(vec![x(1)], vec![Slot(0, None), Slot(0, Some(1))]));
    assert_eq!(completed(&program, &larger).0, proof);
}

#[test]
fn open_steps_are_named() {
    let (program, draft) = introduction();
    let mut broken = draft.clone();
    let dropped = broken.configurations.iter().position(|c| c.threads.is_empty()).unwrap();
    broken.configurations.remove(dropped);
    match failure(&program, broken) {
        CertifyError::Open { configuration, step } => {
            assert_eq!((configuration.as_str(), step.edge), ("configuration 0", 0));
        }
        other => panic!("{other}"),
    }
    let mut broken = draft.clone();
    broken.configurations.clear();
    let text = failure(&program, broken).to_string();
    assert!(text.starts_with("error configuration 0: the step of thread 0"), "{text}");
}

#[test]
fn other_gaps_are_named() {
    let (program, draft) = introduction();
    let mut broken = draft.clone();
    broken.initial.clear();
    let name = draft.configurations.iter().position(|c| c.threads.is_empty()).unwrap();
    assert_eq!(failure(&program, broken), CertifyError::Accepting(format!("configuration {name}")));
    let mut broken = draft.clone();
    broken.basis[1].pre.pop();
    let satisfiable = CertifyError::Obligation(ObligationId::Triple(1), RefuteError::Satisfiable);
    assert_eq!(failure(&program, broken), satisfiable);
    let mut broken = draft.clone();
    broken.basis[2].post = 9;
    assert!(matches!(failure(&program, broken), CertifyError::Checker(_)));
    let control = Control::default();
    control.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(complete(&program, draft, &control), Err(CertifyError::Stopped));
}

/// Whoever has the lock is alone inside.
const LOCK: &str = "core 1;
global m: bool;
global inside: bool;
init !m && !inside;
many t {
    location start;
    location locked;
    location within;
    location left;
    location wrong error;
    edge start -> locked { when !m; m := true; }
    edge locked -> within { inside := true; }
    edge locked -> wrong { when inside; }
    edge within -> left { inside := false; }
    edge left -> start { m := false; }
}
";

#[test]
fn mutual_exclusion_by_a_lock() {
    let program = program(LOCK);
    // 1: m. 2: !inside.
    let predicates = vec![
        predicate(Expr(vec![Op::Global(0)]), &[]),
        predicate(Expr(vec![Op::Global(1)]).negate(), &[]),
    ];
    let (m, outside) = (Instance(1, vec![]), Instance(2, vec![]));
    let basis = vec![
        triple(&[m], 0, 0, 0),
        triple(&[], 0, 1, 0),
        triple(&[outside], 2, 0, 0),
        triple(&[], 3, 2, 0),
    ];
    let draft = draft(&program, predicates, basis, &[2]);
    let (proof, _) = completed(&program, &draft);
    assert_eq!(proof.basis.len(), 4);
    assert!(proof.configurations.len() > 6, "pairs of threads with the lock");
}

/// The error needs u or v below 1, and w or z as well.
const CASES: &str = "core 1;
global u: int;
global v: int;
global w: int;
global z: int;
init u >= 1 && v >= 1 && w >= 1 && z >= 1;
many t {
    location start;
    location wrong error;
    edge start -> wrong { when (u < 1 || v < 1) && (w < 1 || z < 1); }
}
";

#[test]
fn cases_are_split_where_propagation_is_not_enough() {
    let program = program(CASES);
    let positive = |i| predicate(compare(Op::Global(i), Cmp::Ge, constant(1)), &[]);
    let predicates = (0..4).map(positive).collect();
    let i = |p| Instance(p, vec![]);
    let basis = vec![triple(&[i(1), i(2)], 0, 0, 0), triple(&[i(3), i(4)], 0, 0, 0)];
    let mut draft = draft(&program, predicates, basis, &[1, 2, 3, 4]);
    assert_eq!(draft.configurations.len(), 4);
    let (proof, figures) = completed(&program, &draft);
    assert_eq!(figures.splits, 1);
    assert_eq!(proof.error_steps[0].0.len(), 5, "{:?}", proof.error_steps);
    // Two initial predicates are enough to exclude all four.
    assert_eq!(proof.initial.len(), 2);
    draft.configurations.pop();
    assert!(matches!(failure(&program, draft), CertifyError::Open { .. }));
}

#[test]
fn what_is_known_may_come_after_what_is_open() {
    let guard = "(u < 1 || v < 1) && (w < 1 || z < 1)";
    let program = program(&CASES.replace(guard, "(u < 1 || v < 1) && w < 1"));
    let positive = |i| predicate(compare(Op::Global(i), Cmp::Ge, constant(1)), &[]);
    let predicates = (0..3).map(positive).collect();
    let i = |p| Instance(p, vec![]);
    let basis = vec![triple(&[i(1), i(2)], 0, 0, 0), triple(&[i(3)], 0, 0, 0)];
    // {not u, not w} and {not v, not w}: w is known, u is open when the first embeds.
    let draft = draft(&program, predicates, basis, &[1, 2, 3]);
    let (proof, figures) = completed(&program, &draft);
    assert_eq!((proof.error_steps[0].0.len(), figures.splits), (2, 0), "{:?}", proof.error_steps);
}

/// Tickets are different: at most one thread can find its own in w.
const TICKETS: &str = "core 1;
global n: int;
global w: int;
global b: bool;
init !b;
many t {
    local x: int;
    location start;
    location got;
    location done;
    location wrong error;
    edge start -> got { x := n, n := n + 1; }
    edge got -> done { when !b; w := x, b := true; }
    edge got -> wrong { when b && x == w; }
}
";

/// 1: x(1) != w or !b. 2: w < n or !b. 3: x(1) < n. 4: x(1) != x(2), which is symmetric.
fn tickets() -> (Program, Vec<Predicate>, Vec<Triple>) {
    let (n, w, x) = (Op::Global(0), Op::Global(1), |t| Op::Local(t, 0));
    let or_not_b = |formula: Expr| Expr([formula.0, vec![Op::Global(2), Op::Not, Op::Or]].concat());
    let predicates = vec![
        predicate(or_not_b(compare(x(0), Cmp::Ne, w.clone())), &[0]),
        predicate(or_not_b(compare(w, Cmp::Lt, n.clone())), &[]),
        predicate(compare(x(0), Cmp::Lt, n), &[0]),
        predicate(compare(x(0), Cmp::Ne, x(1)), &[0, 0]),
    ];
    let i = |p, threads: &[u32]| Instance(p, threads.to_vec());
    let basis = vec![
        triple(&[i(1, &[0])], 2, 0, 0),
        triple(&[i(2, &[])], 0, 1, 1),
        triple(&[i(4, &[0, 1])], 1, 1, 0),
        triple(&[i(2, &[])], 0, 2, 0),
        triple(&[i(3, &[0])], 1, 2, 0),
        triple(&[], 0, 3, 1),
        triple(&[i(3, &[1])], 0, 3, 0),
        triple(&[i(3, &[1])], 0, 4, 1),
        triple(&[i(3, &[1])], 0, 4, 2),
    ];
    (program(TICKETS), predicates, basis)
}

#[test]
fn symmetries_that_the_draft_does_not_know() {
    let (program, predicates, basis) = tickets();
    let mut draft = draft(&program, predicates, basis, &[2]);
    let (proof, _) = completed(&program, &draft);
    // The draft has the symmetric predicate's triple for one of its arguments only, and its
    // instances in any order.
    draft.basis.pop();
    let mut turned = 0;
    for c in &mut draft.configurations {
        for instance in c.negated.iter_mut().filter(|instance| instance.0 == 4) {
            instance.1.reverse();
            turned += 1;
        }
    }
    assert!(turned > 0);
    draft.basis[2].pre[0].1.reverse();
    assert_eq!(completed(&program, &draft).0, proof);
}

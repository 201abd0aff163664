//! The refutation kernel: each rule accepts what it should, and rejects by its own reason
//! (SPEC.md sections 5 and 6).

use threadproof_checker::error::{Budget, Reason, RefutationReason as R};
use threadproof_checker::internals::core_form::parse;
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::refute::terms::Leaf;
use threadproof_checker::internals::scope::Scope;
use threadproof_format::Int;
use threadproof_format::refutation::{
    Congruence, Farkas, Linear, Propagate, Read, Refutation, Step,
};

/// The formulas over some globals, to be refuted together.
fn obligation(globals: &str, formulas: &[&str]) -> Obligation {
    let declarations: String = globals.split(", ").map(|g| format!("global {g};")).collect();
    let program = |init: &str| parse(&format!("core 1; {declarations} init {init};")).unwrap().0;
    let formulas = formulas.iter().map(|f| program(f).init).collect();
    let program = program("true");
    let scope = Scope { program: &program, threads: vec![], inputs: None };
    scope.obligation(ObligationId::Triple(0), formulas, &Budget::default()).unwrap()
}

fn farkas(clause: &[i32], sums: &[&[(u32, i64)]]) -> Step {
    let sum = |s: &&[(u32, i64)]| s.iter().map(|(c, m)| (*c, Int::from(*m))).collect();
    Step::Farkas(Farkas { clause: clause.to_vec(), sums: sums.iter().map(sum).collect() })
}

fn propagate(clause: &[i32], hints: &[u32]) -> Step {
    Step::Propagate(Propagate { clause: clause.to_vec(), hints: hints.to_vec() })
}

fn atom(constant: i64, terms: &[(u32, i64)]) -> Step {
    let terms = terms.iter().map(|(l, c)| (*l, Int::from(*c))).collect();
    Step::Atom(Linear { constant: Int::from(constant), terms })
}

fn check(o: &Obligation, steps: &[Step]) -> Result<(), Reason> {
    o.check(&Refutation(steps.to_vec()), &Budget::default())
}

fn rejects(o: &Obligation, steps: &[Step], reason: R) {
    assert_eq!(check(o, steps), Err(Reason::Refutation(reason)), "{steps:?}");
}

#[test]
fn formulas_become_the_clauses_of_the_specification() {
    let o = obligation("x: int, y: int, b: bool, c: bool", &["x < y && b", "x == y || !(b && c)"]);
    let form = o.clausal_form(&Budget::default()).unwrap();
    // Variables 2: x - y + 1 <= 0, 3: b, 4: 2 and 3, 5: x - y <= 0, 6: 5 and not 2, 7: c.
    let clauses = [vec![1], vec![2], vec![3], vec![-7, -3, 6], vec![-6, -2], vec![-6, 5]];
    assert_eq!(form.clauses()[..], clauses);
}

/// A conjunction in a disjunction is defined in one direction, one that is stored in both (sections
/// 5.2 and 5.3).
#[test]
fn stored_truth_values_are_defined_in_both_directions() {
    let globals = "p: bool, q: bool, r: bool, c: bool[], i: int";
    let clauses = |formulas: &[&str]| {
        let form = obligation(globals, formulas).clausal_form(&Budget::default()).unwrap();
        form.clauses()[1..].to_vec()
    };
    let disjunction = "(p && q) || r";
    let stored = "c[0 := p && q][i]";
    // Variables 2: p, 3: q, 4: both; then 5: r, 6: neither; then 7 and 8: the reads.
    let one = [vec![4, 5], vec![-4, 2], vec![-4, 3]];
    let both = [vec![-4, 2], vec![-4, 3], vec![-3, -2, 4]];
    assert_eq!(clauses(&[disjunction]), one);
    assert_eq!(clauses(&[disjunction, stored]), [&one[..], &both, &[vec![7]]].concat());
    // The other way round it has nothing left to define, nor has a second write.
    let first = [&both[..], &[vec![5], vec![4, 7]]].concat();
    assert_eq!(clauses(&[stored, disjunction]), first);
    let twice = "c[0 := p && q][1 := p && q][i]";
    assert_eq!(clauses(&[twice]), [&both[..], &[vec![5]]].concat());
}

/// Section 5.2.11: multiples are divided out, the quotient of the rest is a leaf with two bounds.
#[test]
fn quotients_are_leaves_between_their_bounds() {
    let o = obligation("x: int, y: int", &["(2 * x + 7 * y - 5) / 2 == 0 || x % 2 == y"]);
    let form = o.clausal_form(&Budget::default()).unwrap();
    let quotient = |constant: i64, leaf| {
        let terms = vec![(leaf, Int::from(1))];
        Leaf::Quotient(Linear { constant: constant.into(), terms }, 2.into())
    };
    // Of leaves 0: x and 1: y, as 2 * x + 7 * y - 5 is 2 * (x + 3 * y - 3) + y + 1.
    assert_eq!(form.leaves()[2..], [quotient(1, 1), quotient(0, 0)]);
    // Variables 2: y - 2q + 2 <= 0, 3: y - 2q <= 0.
    assert_eq!(form.clauses()[1..3], [vec![-2], vec![3]]);
    let o = obligation("x: int", &["-7 / 2 == -4 && -7 % 2 == 1 && (6 * x + 4) / 2 == 3 * x + 2"]);
    let form = o.clausal_form(&Budget::default()).unwrap();
    assert_eq!((form.leaves().len(), form.clauses().len()), (1, 1));
}

#[test]
fn equal_quotients_are_one_leaf() {
    let o = obligation("x: int", &["x % 2 == 0", "(x + 2) % 2 != 0"]);
    assert_eq!(check(&o, &[propagate(&[], &[1, 4, 5])]), Ok(()));
    rejects(&o, &[propagate(&[], &[2, 5])], R::NotUnit);
    let o = obligation("x: int", &["x % 2 == 0", "(x + 1) % 2 != 0"]);
    rejects(&o, &[propagate(&[], &[1, 4, 5])], R::NoConflict);
}

#[test]
fn a_remainder_is_below_its_divisor_and_not_negative() {
    for never in ["x % 3 > 2", "x % 3 < 0"] {
        let o = obligation("x: int", &[never]);
        let bounds = [[1, 3], [2, 3]].map(|hints| check(&o, &[propagate(&[], &hints)]).is_ok());
        assert!(bounds.contains(&true), "{never}");
    }
    for sometimes in ["x % 3 > 1", "x % 3 < 1"] {
        let o = obligation("x: int", &[sometimes]);
        rejects(&o, &[propagate(&[], &[1, 3])], R::NoConflict);
        rejects(&o, &[propagate(&[], &[2, 3])], R::NoConflict);
    }
}

#[test]
fn a_contradiction_of_two_bounds_is_one_lemma() {
    let o = obligation("x: int, y: int", &["x < y", "y <= x"]);
    // x - y + 1 <= 0 is variable 2, y - x <= 0 is its negation: the clauses contradict each other.
    assert_eq!(check(&o, &[propagate(&[], &[1, 2])]), Ok(()));
    let o = obligation("x: int, y: int, z: int", &["x < y", "y < z", "z <= x"]);
    let lemma = farkas(&[-4, -3, -2], &[&[(0, 1), (1, 1), (2, 1)]]);
    assert!(check(&o, &[lemma, propagate(&[], &[1, 2, 3, 4])]).is_err());
    let lemma = farkas(&[-3, -2, 4], &[&[(0, 1), (1, 1), (2, 1)]]);
    assert_eq!(check(&o, &[lemma.clone(), propagate(&[], &[1, 2, 3, 4])]), Ok(()));
    rejects(&o, &[], R::NoEmptyClause);
    rejects(&o, std::slice::from_ref(&lemma), R::NoEmptyClause);
    rejects(&o, &[lemma.clone(), propagate(&[], &[1, 2, 3])], R::NoConflict);
    rejects(&o, &[lemma.clone(), propagate(&[], &[1, 2, 3, 4, 4])], R::NoConflict);
    rejects(&o, &[lemma.clone(), propagate(&[], &[4, 1, 2, 3])], R::NotUnit);
    rejects(&o, &[lemma.clone(), propagate(&[], &[1, 1, 2, 3, 4])], R::NotUnit);
    rejects(&o, &[lemma.clone(), propagate(&[], &[1, 2, 3, 5])], R::UnknownClause);
    rejects(&o, &[lemma.clone(), propagate(&[9], &[1])], R::UnknownLiteral);
    rejects(&o, &[lemma.clone(), propagate(&[0], &[1])], R::UnknownLiteral);
    rejects(&o, &[lemma.clone(), propagate(&[i32::MIN], &[1])], R::UnknownLiteral);
    rejects(&o, &[lemma.clone(), propagate(&[2, 2], &[1])], R::ClauseOrder);
    rejects(&o, &[lemma.clone(), propagate(&[-2, 2], &[1])], R::ClauseOrder);
    rejects(&o, &[lemma.clone(), lemma, propagate(&[], &[1, 2, 3, 4])], R::UnusedStep);
}

#[test]
fn farkas_multipliers_are_positive_and_contradict() {
    let o = obligation("x: int, y: int, z: int", &["x < y", "y < z", "z <= x"]);
    let with = |sums: &[&[(u32, i64)]]| [farkas(&[-3, -2, 4], sums), propagate(&[], &[1, 2, 3, 4])];
    assert_eq!(check(&o, &with(&[&[(0, 2), (1, 2), (2, 2)]])), Ok(()));
    rejects(&o, &with(&[&[(0, 1), (1, 1), (2, 2)]]), R::NoContradiction);
    rejects(&o, &with(&[&[(0, 1), (1, 1)]]), R::NoContradiction);
    rejects(&o, &with(&[]), R::NoContradiction);
    rejects(&o, &with(&[&[(0, 1), (1, 1), (2, -1)]]), R::Multiplier);
    rejects(&o, &with(&[&[(0, 1), (1, 1), (2, 0)]]), R::Multiplier);
    rejects(&o, &with(&[&[(0, 1), (0, 1), (1, 1), (2, 1)]]), R::Multiplier);
    rejects(&o, &with(&[&[(0, 1), (1, 1), (3, 1)]]), R::UnknownConstraint);
    // A sum may not cite itself.
    rejects(&o, &with(&[&[(0, 1), (1, 1), (2, 1), (3, 1)]]), R::UnknownConstraint);
    rejects(&o, &with(&[&[(0, 1), (1, 1)], &[(0, 1), (1, 1), (2, 1)]]), R::UnusedStep);
    let o = obligation("x: int, b: bool", &["x < 0", "x > 0", "b"]);
    rejects(&o, &[farkas(&[-4, -2, 3], &[&[(1, 1)]])], R::UnknownConstraint);
    // x > 0 is the negation of x <= 0, so the literals are -2 (x < 0) and 3 (x <= 0).
    let lemma = farkas(&[-2, 3], &[&[(0, 1), (1, 1)]]);
    assert_eq!(check(&o, &[lemma, propagate(&[], &[1, 2, 4])]), Ok(()));
}

#[test]
fn cuts_divide_and_round_but_only_by_the_common_divisor() {
    // Each half of an equality without integer solutions is rounded: they become opposites.
    let o = obligation("x: int, y: int", &["2 * x - 2 * y == 1"]);
    let form = o.clausal_form(&Budget::default()).unwrap();
    assert_eq!(form.clauses()[..], [vec![1], vec![]]);
    assert_eq!(check(&o, &[propagate(&[], &[1])]), Ok(()));
    // 1 <= 2 x + z and z <= 0 give 1 <= 2 x, and after the cut 1 <= x.
    let o = obligation("x: int, y: int, z: int", &["2 * x + z >= 1", "z <= 0", "x <= 0"]);
    let cut = farkas(&[-4, -3, 2], &[&[(1, 1), (2, 1)], &[(0, 2), (3, 2)]]);
    assert_eq!(check(&o, &[cut, propagate(&[], &[1, 2, 3, 4])]), Ok(()));
    // 2 x >= 1 and x <= 1 have the solution 1: nothing is rounded that is not integral.
    let o = obligation("x: int", &["2 * x >= 1", "x <= 1"]);
    rejects(&o, &[farkas(&[-3, 2], &[&[(0, 1), (1, 1)]])], R::NoContradiction);
}

#[test]
fn a_branch_is_an_atom_of_its_own() {
    let o = obligation("x: int, y: int", &["3 * y <= 2", "2 * y >= 1"]);
    assert_eq!(check(&o, &[propagate(&[], &[1, 2])]), Ok(()));
    let o = obligation("x: int", &["x >= 0 && x <= 1", "x != 0", "x != 1"]);
    rejects(&o, &[atom(0, &[(0, 1)])], R::AtomForm);
    rejects(&o, &[atom(-5, &[(1, 1)])], R::AtomForm);
    rejects(&o, &[atom(-5, &[(0, -1)])], R::AtomForm);
    rejects(&o, &[atom(-5, &[(0, 2)])], R::AtomForm);
    rejects(&o, &[atom(-5, &[])], R::AtomForm);
    rejects(&o, &[atom(-5, &[(0, 0)])], R::AtomForm);
    let two = obligation("x: int, y: int", &["x + y >= 0"]);
    rejects(&two, &[atom(-5, &[(0, 1), (1, 0)])], R::AtomForm);
    assert_eq!(check(&two, &[atom(-5, &[(0, 1), (1, 1)])]), Err(R::NoEmptyClause.into()));
    rejects(&o, &[atom(-5, &[(0, 1)]), atom(-5, &[(0, 1)])], R::AtomForm);
    let closed = closing(&o);
    assert_eq!(check(&o, &closed), Ok(()));
    let with_unused: Vec<Step> = [atom(-5, &[(0, 1)])].into_iter().chain(closed).collect();
    rejects(&o, &with_unused, R::UnusedStep);
}

/// x in 0..1, not 0, not 1: variables 2 (x <= -1), 3 (x <= 1), 4: both, 5 (x <= 0), ...
fn closing(o: &Obligation) -> Vec<Step> {
    let form = o.clausal_form(&Budget::default()).unwrap();
    assert_eq!(form.clauses()[1..3], [vec![-2], vec![3]]);
    assert_eq!(form.clauses()[3..], [vec![-5, 2], vec![-3, 5]]);
    vec![propagate(&[], &[1, 2, 3, 4])]
}

#[test]
fn array_lemmas_fit_their_leaves() {
    let o = obligation("a: int[], i: int, j: int", &["i == j", "a[i := 7][j] != 7"]);
    let read = |case, leaf| Step::ReadHit(Read { case, leaf });
    let form = o.clausal_form(&Budget::default()).unwrap();
    // Leaves: i, j, the read over the write, the read below.
    assert_eq!((form.leaves().len(), form.clauses().len()), (4, 4));
    let hits = |first, second| [read(first, 2), read(second, 2), propagate(&[], &[1, 2, 4, 5, 3])];
    assert_eq!(check(&o, &hits(0, 1)), Ok(()));
    rejects(&o, &hits(0, 0), R::NotUnit);
    rejects(&o, &[read(2, 2)], R::ArrayLemma);
    rejects(&o, &[read(0, 0)], R::ArrayLemma);
    rejects(&o, &[read(0, 3)], R::ArrayLemma);
    let miss = |case, leaf| Step::ReadMiss(Read { case, leaf });
    rejects(&o, &[miss(4, 2)], R::ArrayLemma);
    rejects(&o, &[miss(0, 1)], R::ArrayLemma);
    let same = |case, left, right| Step::Congruence(Congruence { case, left, right });
    rejects(&o, &[same(0, 2, 3)], R::ArrayLemma);
    rejects(&o, &[same(0, 3, 3)], R::ArrayLemma);
    rejects(&o, &[same(0, 0, 1)], R::ArrayLemma);
    assert_eq!(check(&o, &[read(0, 9)]), Err(Reason::Index("leaf")));
}

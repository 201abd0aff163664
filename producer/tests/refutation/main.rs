//! Refutations of random obligations against z3, of integer problems that need cuts and
//! branches, and edits of what was found.

mod support;

use quickcheck::Gen;
use std::sync::atomic::AtomicBool;
use support::{Source, VARIABLES, obligation, satisfiable};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::refutation::{Refutation, Step};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};
use threadproof_producer::certify::refute::{RefuteError, refute};

fn run(obligation: &Obligation) -> Result<Refutation, RefuteError> {
    refute(obligation, &AtomicBool::new(false))
}

fn source(seed: u64, arrays: bool) -> Source {
    Source { random: Gen::from_size_and_seed(10, seed), arrays, coefficient: 3 }
}

/// Random obligations: how many formulas, and how deep.
const SHAPES: [(usize, usize); 5] = [(2, 2), (3, 3), (5, 2), (8, 3), (4, 5)];

/// How many random obligations were (refuted, found satisfiable), each time as z3 says.
fn agreement(source: &mut Source, count: usize) -> (usize, usize) {
    let (mut refuted, mut models) = (0, 0);
    for (formulas, depth) in SHAPES {
        for _ in 0..count {
            let formulas = (0..formulas).map(|_| Expr(source.bool(depth))).collect();
            let o = obligation(&VARIABLES, formulas);
            match (satisfiable(&o), run(&o)) {
                (Some(false), Ok(_)) => refuted += 1,
                (Some(true), Err(RefuteError::Satisfiable)) => models += 1,
                (None, _) => {}
                (opinion, result) => panic!("z3 says {opinion:?}, we {result:?}: {o:?}"),
            }
        }
    }
    (refuted, models)
}

#[test]
fn agrees_with_z3_on_linear_formulas() {
    let (refuted, models) = agreement(&mut source(1, false), 80);
    assert!(refuted > 80 && models > 200, "{refuted} refuted, {models} satisfiable");
}

#[test]
fn agrees_with_z3_on_arrays() {
    let (refuted, models) = agreement(&mut source(2, true), 80);
    assert!(refuted > 60 && models > 200, "{refuted} refuted, {models} satisfiable");
}

/// `sum of coefficient * variable cmp constant`.
fn linear(coefficients: &[i64], cmp: Cmp, constant: i64) -> Expr {
    let mut ops = vec![Op::Int(Int::from(0))];
    for (i, coefficient) in (0..).zip(coefficients) {
        ops.extend([Op::Global(i), Op::Scale(Int::from(*coefficient)), Op::Add]);
    }
    ops.extend([Op::Int(Int::from(constant)), Op::Cmp(cmp)]);
    Expr(ops)
}

/// `0 <= variable <= top` for the first variables.
fn within(variables: usize, top: i64) -> Vec<Expr> {
    let unit = |i: usize| (0..variables).map(|j| i64::from(i == j)).collect::<Vec<i64>>();
    let bounds = |i| [linear(&unit(i), Cmp::Ge, 0), linear(&unit(i), Cmp::Le, top)];
    (0..variables).flat_map(bounds).collect()
}

#[test]
fn agrees_with_z3_on_integer_systems() {
    let mut source = source(3, false);
    let mut cuts = 0;
    for (bound, rows, top) in [(7, 2, None), (7, 3, None), (9, 3, Some(4)), (20, 2, Some(4))] {
        for _ in 0..40 {
            let mut formulas = top.map_or_else(Vec::new, |top| within(3, top));
            for _ in 0..rows {
                let row = [(); 3].map(|()| source.small(bound));
                let cmp = [Cmp::Eq, Cmp::Eq, Cmp::Le][source.below(3)];
                formulas.push(linear(&row, cmp, source.small(40)));
            }
            let o = obligation(&VARIABLES, formulas);
            match (satisfiable(&o), run(&o)) {
                (Some(false), Ok(refutation)) => cuts += usize::from(has_cut(&refutation)),
                (Some(true), Err(RefuteError::Satisfiable)) => {}
                (opinion, result) => panic!("z3 says {opinion:?}, we {result:?}: {o:?}"),
            }
        }
    }
    assert!(cuts > 20, "only {cuts} refutations needed cuts");
}

fn has_cut(refutation: &Refutation) -> bool {
    refutation.0.iter().any(|step| matches!(step, Step::Farkas(lemma) if lemma.sums.len() > 1))
}

#[test]
fn parity_needs_one_lemma() {
    // x + y = 2z and x - y = 2w + 1, with a rational solution.
    let sorts = [Sort::Int; 4];
    let formulas = vec![linear(&[1, 1, -2, 0], Cmp::Eq, 0), linear(&[1, -1, 0, -2], Cmp::Eq, 1)];
    let refutation = run(&obligation(&sorts, formulas)).unwrap();
    assert_eq!(refutation.0.len(), 2, "{refutation:?}");
    assert!(has_cut(&refutation));
}

#[test]
fn subset_sums_need_branches() {
    // No selection of these eight pairs has both sums.
    let mut formulas = within(8, 1);
    formulas.push(linear(&[57, 91, 33, 78, 64, 95, 41, 82], Cmp::Eq, 270));
    formulas.push(linear(&[48, 83, 14, 75, 29, 60, 97, 36], Cmp::Eq, 221));
    let o = obligation(&[Sort::Int; 8], formulas);
    assert_eq!(satisfiable(&o), Some(false));
    let refutation = run(&o).unwrap();
    assert!(refutation.0.iter().any(|step| matches!(step, Step::Atom(_))), "{refutation:?}");
}

#[test]
fn large_integers_are_exact() {
    let huge = i64::MAX - 1;
    let mut formulas = vec![linear(&[huge, -huge + 1], Cmp::Eq, 1)];
    formulas.extend([linear(&[1, -1], Cmp::Eq, 0), linear(&[1], Cmp::Le, 0)]);
    let o = obligation(&[Sort::Int; 2], formulas.clone());
    assert_eq!(satisfiable(&o), Some(false));
    run(&o).unwrap();
    formulas.pop();
    assert_eq!(run(&obligation(&[Sort::Int; 2], formulas)), Err(RefuteError::Satisfiable));
}

#[test]
fn common_cases_are_small() {
    let x = |cmp, constant| linear(&[1], cmp, constant);
    let two_steps = obligation(&VARIABLES, vec![x(Cmp::Ge, 2), x(Cmp::Lt, 2)]);
    assert!(run(&two_steps).unwrap().0.len() == 1, "opposite literals need no lemma");
    let lemma = obligation(&VARIABLES, vec![x(Cmp::Ge, 3), x(Cmp::Lt, 2)]);
    assert_eq!(run(&lemma).unwrap().0.len(), 2);
    let nothing = obligation(&VARIABLES, vec![Expr::bool(false)]);
    assert_eq!(run(&nothing).unwrap().0.len(), 1);
    // x != 1, 0 <= x <= 2, x != 0, x != 2: a lemma for each side of a disequality, or less.
    let formulas = vec![x(Cmp::Ge, 0), x(Cmp::Le, 2), x(Cmp::Ne, 0), x(Cmp::Ne, 1), x(Cmp::Ne, 2)];
    assert!(run(&obligation(&VARIABLES, formulas)).unwrap().0.len() <= 5);
}

#[test]
fn stops_when_asked() {
    let o = obligation(&VARIABLES, vec![linear(&[1], Cmp::Ge, 2)]);
    assert_eq!(refute(&o, &AtomicBool::new(true)), Err(RefuteError::Stopped));
}

/// Refutations with one field changed.
fn edits(original: &Refutation) -> Vec<Refutation> {
    let mut out = Vec::new();
    let mut edit = |change: &dyn Fn(&mut Vec<Step>)| {
        let mut steps = original.0.clone();
        change(&mut steps);
        out.push(Refutation(steps));
    };
    for i in 0..original.0.len() {
        edit(&|steps| drop(steps.remove(i)));
        edit(&|steps| steps.insert(i, steps[i].clone()));
        for by in [-1, 1] {
            edit(&|steps| match &mut steps[i] {
                Step::Atom(form) => form.constant.0 += by,
                Step::Farkas(lemma) => lemma.clause.iter_mut().take(1).for_each(|l| *l += by),
                Step::ReadHit(read) | Step::ReadMiss(read) => {
                    read.leaf = read.leaf.wrapping_add_signed(by);
                }
                Step::Congruence(pair) => pair.left = pair.left.wrapping_add_signed(by),
                Step::Propagate(step) => {
                    let hint = step.hints.last_mut();
                    hint.into_iter().for_each(|h| *h = h.wrapping_add_signed(by));
                }
            });
            edit(&|steps| match &mut steps[i] {
                Step::Atom(form) => form.terms.iter_mut().for_each(|(_, c)| c.0 += by),
                Step::Farkas(lemma) => {
                    lemma.sums.iter_mut().flatten().take(1).for_each(|(_, f)| f.0 += by);
                }
                Step::ReadHit(read) | Step::ReadMiss(read) => read.case ^= 1,
                Step::Congruence(pair) => pair.case ^= 1,
                Step::Propagate(step) => step.hints.rotate_left(1),
            });
        }
        edit(&|steps| match &mut steps[i] {
            Step::Farkas(lemma) => lemma.clause.iter_mut().for_each(|l| *l = -*l),
            Step::Propagate(step) => step.clause.iter_mut().for_each(|l| *l = -*l),
            _ => {}
        });
    }
    out
}

/// A refutation and its edits never refute what is satisfiable, and most edits refute nothing.
#[test]
fn edits_never_refute_what_is_satisfiable() {
    let mut source = source(5, true);
    let (mut attempts, mut edited, mut accepted) = (0, 0, 0);
    for _ in 0..400 {
        let formulas: Vec<Expr> = (0..4).map(|_| Expr(source.bool(3))).collect();
        let o = obligation(&VARIABLES, formulas.clone());
        let Ok(refutation) = run(&o) else { continue };
        let edits = edits(&refutation);
        let accepts = |o: &Obligation, r: &Refutation| o.check(r, &Budget::default()).is_ok();
        edited += edits.len();
        accepted += edits.iter().filter(|e| **e != refutation && accepts(&o, e)).count();
        for dropped in 0..formulas.len() {
            let mut fewer = formulas.clone();
            fewer.remove(dropped);
            let weaker = obligation(&VARIABLES, fewer);
            if satisfiable(&weaker) != Some(true) {
                continue;
            }
            for attempt in edits.iter().chain([&refutation]) {
                attempts += 1;
                assert!(!accepts(&weaker, attempt), "{attempt:?} refutes {weaker:?}");
            }
        }
    }
    assert!(attempts > 500, "only {attempts} attempts");
    assert!(accepted * 10 < edited, "{accepted} of {edited} edits accepted");
}

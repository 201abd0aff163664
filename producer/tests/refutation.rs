//! Refutations of random obligations, against z3, and edits of what was found.

mod support;

use quickcheck::Gen;
use std::sync::atomic::AtomicBool;
use support::{Source, VARIABLES, obligation, satisfiable};
use threadproof_checker::refute::Obligation;
use threadproof_format::refutation::Refutation;
use threadproof_format::refutation::Step;
use threadproof_format::{Cmp, Expr, Op};
use threadproof_producer::certify::refute::{RefuteError, refute};

fn run(obligation: &Obligation) -> Result<Refutation, RefuteError> {
    refute(obligation, &AtomicBool::new(false))
}

/// How often a run agreed with z3: (refuted, satisfiable).
fn compare(source: &mut Source, count: usize, formulas: usize, depth: usize) -> (usize, usize) {
    let (mut refuted, mut models) = (0, 0);
    for i in 0..count {
        let formulas = (0..formulas).map(|_| Expr(source.bool(depth))).collect();
        let o = obligation(&VARIABLES, formulas);
        let start = std::time::Instant::now();
        let r = run(&o);
        let t = start.elapsed();
        if t.as_millis() > 50 {
            eprintln!("slow {i} {t:?} {:?}", o.formulas);
        }
        match (satisfiable(&o), r) {
            (Some(false), Ok(_)) => refuted += 1,
            (Some(true), Err(RefuteError::Satisfiable)) => models += 1,
            (None, _) => {}
            (opinion, result) => panic!("number {i}: z3 says {opinion:?}, we {result:?}: {o:?}"),
        }
    }
    (refuted, models)
}

#[test]
fn agrees_with_z3_on_linear_formulas() {
    let mut source =
        Source { random: Gen::from_size_and_seed(10, 1), arrays: false, coefficient: 3 };
    for (formulas, depth) in [(2, 2), (3, 3), (5, 2), (8, 3), (4, 5)] {
        let (refuted, models) = compare(&mut source, 200, formulas, depth);
        eprintln!("{refuted} {models}");
    }
}

#[test]
fn agrees_with_z3_on_arrays() {
    let mut source =
        Source { random: Gen::from_size_and_seed(10, 2), arrays: true, coefficient: 3 };
    for (formulas, depth) in [(2, 2), (3, 3), (5, 2), (8, 3), (4, 5)] {
        let (refuted, models) = compare(&mut source, 200, formulas, depth);
        eprintln!("{refuted} {models}");
    }
}

/// `sum of coefficient * variable cmp constant` over the integer variables.
fn linear(source: &mut Source, bound: i64, constant: i64, cmp: Cmp) -> Expr {
    let mut ops = vec![Op::Int(0.into())];
    for i in 0..3 {
        let c = source.small(bound);
        ops.extend([Op::Global(i), Op::Scale(c.into()), Op::Add]);
    }
    ops.extend([Op::Int(constant.into()), Op::Cmp(cmp)]);
    Expr(ops)
}

#[test]
fn integers_hard() {
    let mut source =
        Source { random: Gen::from_size_and_seed(10, 3), arrays: false, coefficient: 3 };
    for (bound, k, boxed) in [
        (7, 2, false),
        (7, 3, false),
        (9, 3, true),
        (20, 2, true),
        (20, 4, true),
        (50, 1, true),
        (50, 3, false),
    ] {
        let (mut refuted, mut models, mut gave) = (0, 0, 0);
        let start = std::time::Instant::now();
        let mut worst = (std::time::Duration::ZERO, 0);
        let (mut kinds, mut branched) = (0, 0);
        for i in 0..100 {
            let mut formulas = Vec::new();
            for _ in 0..k {
                let c = source.small(40);
                let cmp = [Cmp::Eq, Cmp::Eq, Cmp::Le][source.below(3)];
                let f = linear(&mut source, bound, c, cmp);
                formulas.push(f);
            }
            if boxed {
                for v in 0..3 {
                    formulas.push(Expr(vec![Op::Global(v), Op::Int(0.into()), Op::Cmp(Cmp::Ge)]));
                    formulas.push(Expr(vec![Op::Global(v), Op::Int(4.into()), Op::Cmp(Cmp::Le)]));
                }
            }
            let o = obligation(&VARIABLES, formulas);
            let s2 = std::time::Instant::now();
            let r = run(&o);
            worst = worst.max((s2.elapsed(), i));
            match (satisfiable(&o), r) {
                (Some(false), Ok(r)) => {
                    refuted += 1;
                    if r.0.iter().any(|s| matches!(s, Step::Atom(_))) {
                        branched += 1
                    }
                    if r.0.len() > 2 || matches!(&r.0[0], Step::Farkas(f) if f.sums.len() > 1) {
                        kinds += 1
                    }
                }
                (Some(true), Err(RefuteError::Satisfiable)) => models += 1,
                (None, _) => {}
                (Some(false), Err(RefuteError::GaveUp(_))) => gave += 1,
                (opinion, result) => {
                    panic!("number {i}: z3 says {opinion:?}, we {result:?}: {o:?}")
                }
            }
        }
        eprintln!(
            "bound {bound} k {k} boxed {boxed}: refuted {refuted} (cuts {kinds}, branches {branched}) sat {models} gave up {gave}, {:?}, worst {worst:?}",
            start.elapsed()
        );
    }
}

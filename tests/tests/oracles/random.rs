//! Random obligations, most of which no certificate would have: those that the producer refutes,
//! and those of which it says that they have a model.

use super::ask::Script;
use quickcheck::Gen;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use threadproof_checker::internals::obligation::Obligation;
use threadproof_format::refutation::{Refutation, Step};
use threadproof_format::{Cmp, Expr, Op};
use threadproof_producer::certify::refute::{RefuteError, refute};
use threadproof_producer::smtlib::{Stated, alethe};
use threadproof_tests::refutation::{Source, VARIABLES, obligation};

/// Scripts of random obligations.
#[derive(Default)]
pub struct Random {
    /// With proofs beside them.
    pub refuted: Vec<Script>,
    pub satisfiable: Vec<Script>,
    /// How many steps of each kind the refutations have: lemmas without and with cuts, hits,
    /// misses, congruences. (Atoms are rare; the arena's `branch` has one.)
    pub steps: [usize; 5],
}

/// Writes obligations into a folder, so many of each kind.
pub fn random(folder: &Path, count: usize) -> Random {
    let mut all = Random::default();
    let source = |arrays| Source { random: Gen::from_size_and_seed(10, 7), arrays, coefficient: 3 };
    let mut add = |kind: &str, make: &mut dyn FnMut() -> Vec<Expr>| {
        for number in 0..count {
            all.add(folder, &format!("{kind}_{number}"), obligation(&VARIABLES, make()));
        }
    };
    for arrays in [false, true] {
        let mut source = source(arrays);
        let kind = if arrays { "formulas_with_arrays" } else { "formulas" };
        add(kind, &mut || (0..4).map(|_| Expr(source.bool(4))).collect());
    }
    let mut source = source(false);
    add("accesses", &mut || (0..9).map(|_| access(&mut source)).collect());
    add("equations", &mut || (0..2).map(|_| equation(&mut source, 7)).collect());
    add("strips", &mut || (0..2).flat_map(|_| strip(&mut source)).collect());
    all
}

const A: Op = Op::Global(5);
const P: Op = Op::Global(6);

/// A formula about a few cells of the arrays A and P, or about their indexes.
fn access(source: &mut Source) -> Expr {
    let index = |source: &mut Source| match source.below(4) {
        3 => vec![Op::Global(0), Op::Int(1.into()), Op::Add],
        i => vec![Op::Global(u32::try_from(i).expect("a small number"))],
    };
    let (i, j) = (index(source), index(source));
    let cmp = || Op::Cmp(Cmp::Eq);
    let read = |array: Op, write: Vec<Op>, at: Vec<Op>| {
        [vec![array], write, at, vec![Op::Select]].concat()
    };
    let write = |value: Op| [i.clone(), vec![value, Op::Store]].concat();
    let mut formula = match source.below(5) {
        0 => [i, j, vec![cmp()]].concat(),
        1 => [read(A, write(Op::Global(1)), j), i, vec![cmp()]].concat(),
        2 => [read(A, vec![], i), read(A, vec![], j), vec![cmp()]].concat(),
        3 => read(P, write(Op::Global(3)), j),
        _ => read(P, write(Op::Bool(true)), j),
    };
    if source.below(2) == 0 {
        formula.push(Op::Not);
    }
    Expr(formula)
}

/// `a * x + b * y + c * z == d`.
fn equation(source: &mut Source, bound: i64) -> Expr {
    let mut ops = vec![Op::Int(source.small(40).into())];
    for i in 0..3 {
        ops.extend([Op::Global(i), Op::Scale(source.small(bound).into()), Op::Add]);
    }
    ops.extend([Op::Int(0.into()), Op::Cmp(Cmp::Eq)]);
    Expr(ops)
}

/// `d <= a * x + b * y <= d + 9`: between two of these there may be no point of integers though
/// there are others.
fn strip(source: &mut Source) -> [Expr; 2] {
    let (a, b, d) = (11 + source.small(4), source.small(13), source.small(30));
    let sum = [Op::Global(0), Op::Scale(a.into()), Op::Global(1), Op::Scale(b.into()), Op::Add];
    let bound =
        |limit: i64, cmp| Expr([sum.as_slice(), &[Op::Int(limit.into()), Op::Cmp(cmp)]].concat());
    [bound(d, Cmp::Ge), bound(d + 9, Cmp::Le)]
}

impl Random {
    fn add(&mut self, folder: &Path, name: &str, obligation: Obligation) {
        let found = refute(&obligation, &AtomicBool::new(false));
        let refutation = found.as_ref().map_or_else(|_| Refutation::default(), Clone::clone);
        let symbol = |op: &Op| match op {
            Op::Global(i) => format!("g{i}"),
            other => panic!("{other:?}"),
        };
        let names = obligation.sorts.keys().map(|op| (op.clone(), symbol(op))).collect();
        let heading = vec![name.to_owned()];
        let stated = Stated { name: name.to_owned(), heading, obligation, names, refutation };
        let path = folder.join(name).with_extension("smt2");
        std::fs::write(&path, stated.script()).expect("a script");
        let script = Script { name: name.to_owned(), path };
        match found {
            Ok(refutation) => {
                if let Some(proof) = alethe::proof(&stated).expect("a refutation") {
                    std::fs::write(script.path.with_extension("alethe"), proof).expect("a proof");
                }
                refutation.0.iter().for_each(|step| self.count(step));
                self.refuted.push(script);
            }
            Err(RefuteError::Satisfiable) => self.satisfiable.push(script),
            Err(other) => panic!("{name}: {other:?}"),
        }
    }

    fn count(&mut self, step: &Step) {
        let kind = match step {
            Step::Farkas(lemma) if lemma.sums.len() == 1 => 0,
            Step::Farkas(_) => 1,
            Step::ReadHit(_) => 2,
            Step::ReadMiss(_) => 3,
            Step::Congruence(_) => 4,
            Step::Atom(_) | Step::Propagate(_) => return,
        };
        self.steps[kind] += 1;
    }
}

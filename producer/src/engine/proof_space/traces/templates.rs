//! Candidate facts about the variables at hand: difference bounds and Boolean literals.

use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::collections::BTreeSet;

/// More integer leaves than this are not related to each other.
const MAX_LEAVES: usize = 10;

/// Equalities and bounds between the leaves of some formulas and with their constants, the
/// weaker ones first.
pub fn candidates(formulas: &[Formula]) -> Vec<Formula> {
    let (mut ints, mut bools) = (BTreeSet::new(), BTreeSet::new());
    let mut constants = BTreeSet::from([BigInt::zero(), BigInt::one()]);
    for formula in formulas {
        collect(formula, &mut ints, &mut bools, &mut constants);
    }
    let ints: Vec<Leaf> = ints.into_iter().take(MAX_LEAVES).collect();
    let (mut weak, mut strict, mut equal) = (Vec::new(), Vec::new(), Vec::new());
    let mut relate = |left: Linear, right: Linear| {
        weak.push(Formula::le(left.clone(), right.clone()));
        weak.push(Formula::le(right.clone(), left.clone()));
        strict.push(Formula::lt(left.clone(), right.clone()));
        strict.push(Formula::lt(right.clone(), left.clone()));
        equal.push(Formula::equal(left, right));
    };
    for (i, leaf) in ints.iter().enumerate() {
        for constant in &constants {
            relate(Linear::leaf(leaf.clone()), Linear::constant(constant.clone()));
        }
        for other in &ints[..i] {
            relate(Linear::leaf(other.clone()), Linear::leaf(leaf.clone()));
        }
    }
    let mut out = Vec::new();
    for leaf in bools {
        out.push(Formula::Bool(leaf.clone(), true));
        out.push(Formula::Bool(leaf, false));
    }
    out.extend(weak.into_iter().chain(strict).chain(equal));
    out
}

fn collect(
    formula: &Formula,
    ints: &mut BTreeSet<Leaf>,
    bools: &mut BTreeSet<Leaf>,
    constants: &mut BTreeSet<BigInt>,
) {
    match formula {
        Formula::Const(_) => {}
        Formula::Bool(leaf, _) => {
            if plain(leaf) {
                bools.insert(leaf.clone());
            }
        }
        Formula::Linear(relation, form) => {
            ints.extend(form.terms.iter().map(|(l, _)| l.clone()).filter(plain));
            if form.terms.len() == 1 {
                // x + k <= 0, and its negation x + k >= 1.
                constants.insert(-form.constant.clone());
                if *relation == Relation::Le {
                    constants.insert(BigInt::one() - &form.constant);
                }
            }
        }
        Formula::And(parts) | Formula::Or(parts) => {
            for part in parts {
                collect(part, ints, bools, constants);
            }
        }
    }
}

/// Whether the leaf stands for itself before the command: no input occurs, nor a write.
fn plain(leaf: &Leaf) -> bool {
    let mut input = false;
    leaf.variables(&mut |v| input |= matches!(v, Var::Input(_)));
    let written = matches!(leaf, Leaf::Read(read) if !read.0.writes.is_empty());
    !input && !written
}

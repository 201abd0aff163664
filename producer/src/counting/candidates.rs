//! Formulas over globals and counters that may be invariants: affine equalities of sampled states,
//! bounds, and at level 2 exclusions and consequences of the program's guards.

use crate::counting::affine::Hull;
use crate::counting::sample::Samples;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::model::Facts;
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;
use threadproof_format::Sort;

/// Which kinds of candidates are formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Affine equalities of integers, their bounds, and truth values that stay the same.
    One,
    /// Also exclusions, and implications from the program's guards.
    Two,
}

/// Guards' atoms beyond these are not combined.
const MAX_ATOMS: usize = 24;

/// The candidates of a level that hold of the samples, those of level 1 first.
pub fn candidates(facts: &Facts, samples: &Samples, level: Level) -> Vec<Formula> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut add = |formula: Formula| {
        let new = !matches!(formula, Formula::Const(_)) && seen.insert(formula.clone());
        if new && samples.allow(&formula) {
            found.push(formula);
        }
    };
    if samples.count() == 0 {
        return found;
    }
    affine(facts, samples).into_iter().for_each(&mut add);
    bounds(facts, samples).into_iter().for_each(&mut add);
    if level == Level::Two {
        exclusions(facts).into_iter().for_each(&mut add);
        guarded(facts).into_iter().for_each(&mut add);
    }
    found
}

/// The integer variables of the state, the counters first: so equalities say what a global is
/// in terms of counters.
fn integers(facts: &Facts) -> Vec<Var> {
    let globals = (0u32..).zip(&facts.program.globals);
    let ints = globals.filter(|(_, v)| v.sort == Sort::Int).map(|(i, _)| Var::Global(i));
    let (mut counters, own): (Vec<Var>, Vec<Var>) =
        ints.partition(|var| facts.counters.place(*var).is_some());
    counters.extend(own);
    counters
}

fn affine(facts: &Facts, samples: &Samples) -> Vec<Formula> {
    let vars = integers(facts);
    let columns: Option<Vec<Vec<BigInt>>> = vars.iter().map(|var| samples.values(*var)).collect();
    let Some(columns) = columns else { return Vec::new() };
    let mut hull = Hull::new(vars.len());
    for state in 0..samples.count() {
        let point: Vec<BigInt> = columns.iter().map(|column| column[state].clone()).collect();
        hull.add(&point);
    }
    let mut out = Vec::new();
    for equality in hull.equalities() {
        let mut form = Linear::constant(equality[0].clone());
        for (var, coefficient) in vars.iter().zip(&equality[1..]) {
            form = form.add(Linear::leaf(Leaf::Var(*var)).scale(coefficient));
        }
        let minus = form.clone().scale(&-BigInt::one());
        out.push(Formula::linear(Relation::Eq, form.clone()));
        out.extend([form, minus].map(|side| Formula::linear(Relation::Le, side)));
    }
    out
}

/// Least and greatest values, and truth values that stay.
fn bounds(facts: &Facts, samples: &Samples) -> Vec<Formula> {
    let mut out = Vec::new();
    for var in integers(facts) {
        let Some(values) = samples.values(var) else { continue };
        let leaf = Linear::leaf(Leaf::Var(var));
        if let (Some(least), Some(most)) = (values.iter().min(), values.iter().max()) {
            out.push(Formula::le(Linear::constant(least.clone()), leaf.clone()));
            out.push(Formula::le(leaf, Linear::constant(most.clone())));
        }
    }
    let globals = (0u32..).zip(&facts.program.globals);
    for (i, _) in globals.filter(|(_, v)| v.sort == Sort::Bool) {
        let leaf = Leaf::Var(Var::Global(i));
        out.extend([true, false].map(|sign| Formula::Bool(leaf.clone(), sign)));
    }
    out
}

/// Nobody is at a place.
fn nobody(var: Var) -> Formula {
    Formula::le(Linear::leaf(Leaf::Var(var)), Linear::default())
}

/// Nobody at one of two places; one thread at most at a place.
fn exclusions(facts: &Facts) -> Vec<Formula> {
    let ghosts: Vec<Var> = facts.counters.iter().map(|(var, _)| var).collect();
    let mut out = Vec::new();
    for (i, var) in ghosts.iter().enumerate() {
        out.push(Formula::le(Linear::leaf(Leaf::Var(*var)), Linear::constant(BigInt::one())));
        out.extend(ghosts[..i].iter().map(|other| Formula::or([nobody(*other), nobody(*var)])));
    }
    out
}

/// What a condition of the program implies: that nobody is at a place, or another condition.
fn guarded(facts: &Facts) -> Vec<Formula> {
    let atoms = atoms(facts);
    let mut out = Vec::new();
    for (i, atom) in atoms.iter().enumerate() {
        for (var, _) in facts.counters.iter() {
            out.push(Formula::or([atom.clone(), nobody(var)]));
        }
        out.extend(atoms[..i].iter().map(|other| Formula::or([atom.clone(), other.clone()])));
    }
    out
}

/// The atoms over globals that guards have, and their negations.
fn atoms(facts: &Facts) -> Vec<Formula> {
    let mut atoms = BTreeSet::new();
    for guard in facts.commands.iter().flat_map(|command| &command.guard) {
        collect(guard, &mut |atom| {
            let mut own = true;
            atom.variables(&mut |v| {
                own &= matches!(v, Var::Global(_)) && facts.counters.place(v).is_none();
            });
            if own {
                atoms.extend([atom.clone(), atom.negate()]);
            }
        });
    }
    atoms.into_iter().take(MAX_ATOMS).collect()
}

fn collect(formula: &Formula, found: &mut dyn FnMut(&Formula)) {
    match formula {
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| collect(part, found));
        }
        Formula::Const(_) => {}
        atom => found(atom),
    }
}

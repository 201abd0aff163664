//! Weakest preconditions as disjunctions to choose from.

use crate::logic::convert;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::validity::Act;
use num_traits::{One, Signed};
use threadproof_format::Expr;

/// More resolvents than this are not looked at.
const MAX_RESOLVENTS: usize = 40;

/// Formulas each of which suffices as the precondition of the act for the postcondition, the
/// most promising ones first: the postcondition before the updates, its linear consequences with
/// the guard, the guard's negation.
///
/// The disjunction of all is as weak as the inputs allow: those are eliminated, which loses
/// something where their coefficients are not 1 or -1.
pub fn disjuncts(act: &Act, post: &Expr) -> Vec<Formula> {
    let goal = convert::expand(&act.before(post)).disjuncts();
    let guard = act.guard().into_iter().map(|g| convert::expand(&g.negate()));
    let mut all: Vec<Formula> = goal;
    all.extend(guard.flat_map(Formula::disjuncts));
    // The conjunction of the negations is what the precondition has to contradict.
    let cube: Vec<Formula> = all.iter().map(Formula::negate).collect();
    let cube = eliminate_inputs(cube);
    let mut out: Vec<Formula> = Vec::new();
    let mut push = |f: Formula| {
        if !out.contains(&f) {
            out.push(f);
        }
    };
    all.retain(|f| !f.has_input());
    let (first, rest) = match all.split_first() {
        Some((first, rest)) => (Some(first.clone()), rest.to_vec()),
        None => (None, Vec::new()),
    };
    first.into_iter().for_each(&mut push);
    resolvents(&cube).iter().for_each(|r| push(r.negate()));
    rest.into_iter().for_each(&mut push);
    cube.iter().for_each(|c| push(c.negate()));
    out.retain(|f| *f != Formula::FALSE);
    out
}

/// Consequences of two atoms each that no longer contain a leaf that the two have with opposite
/// signs, and of those with further atoms.
fn resolvents(cube: &[Formula]) -> Vec<Formula> {
    let mut known: Vec<Formula> = cube.to_vec();
    let mut next = 0;
    while next < known.len() && known.len() < cube.len() + MAX_RESOLVENTS {
        for other in 0..next {
            for sum in resolve(&known[next], &known[other]) {
                if !matches!(sum, Formula::Const(_)) && !known.contains(&sum) {
                    known.push(sum);
                }
            }
        }
        next += 1;
    }
    known.split_off(cube.len())
}

/// The sums of two atoms in which a leaf of theirs cancels out.
fn resolve(left: &Formula, right: &Formula) -> Vec<Formula> {
    let mut out = Vec::new();
    let (Some(l), Some(r)) = (sides(left), sides(right)) else {
        return out;
    };
    for a in &l {
        for b in &r {
            for (leaf, c) in &a.terms {
                let d = b.coefficient(leaf);
                if (c * &d).is_negative() {
                    let sum = a.clone().scale(&d.abs()).add(b.clone().scale(&c.abs()));
                    out.push(Formula::linear(Relation::Le, sum));
                }
            }
        }
    }
    out
}

/// An atom as forms that are at most zero.
fn sides(atom: &Formula) -> Option<Vec<Linear>> {
    match atom {
        Formula::Linear(Relation::Le, form) => Some(vec![form.clone()]),
        Formula::Linear(Relation::Eq, form) => {
            let minus = form.clone().scale(&-num_bigint::BigInt::one());
            Some(vec![form.clone(), minus])
        }
        _ => None,
    }
}

/// A conjunction without inputs that the given one implies.
fn eliminate_inputs(mut cube: Vec<Formula>) -> Vec<Formula> {
    loop {
        let mut input = None;
        for formula in &cube {
            formula.variables(&mut |v| {
                if matches!(v, Var::Input(_)) {
                    input = input.or(Some(v));
                }
            });
        }
        let Some(input) = input else {
            return cube;
        };
        cube = eliminate(cube, input);
    }
}

/// A conjunction without the input that the given one implies.
fn eliminate(cube: Vec<Formula>, input: Var) -> Vec<Formula> {
    let mentions = |f: &Formula| {
        let mut found = false;
        f.variables(&mut |v| found |= v == input);
        found
    };
    let (with, mut out): (Vec<_>, Vec<_>) = cube.into_iter().partition(mentions);
    if let Some(value) = with.iter().find_map(|f| definition(f, input)) {
        let replaced = with.iter().map(|f| f.substitute(input, &value));
        out.extend(replaced.filter(|f| *f != Formula::Const(true)));
        return out;
    }
    for (i, left) in with.iter().enumerate() {
        for right in &with[..i] {
            out.extend(resolve(left, right).into_iter().filter(|f| !mentions(f)));
        }
    }
    out
}

/// What an equation says that the variable is, if its coefficient there is 1 or -1.
fn definition(atom: &Formula, var: Var) -> Option<Linear> {
    let Formula::Linear(Relation::Eq, form) = atom else {
        return None;
    };
    let leaf = Leaf::Var(var);
    let c = form.coefficient(&leaf);
    if !c.abs().is_one() {
        return None;
    }
    let rest = form.clone().sub(Linear::leaf(leaf).scale(&c));
    let mut nested = false;
    rest.variables(&mut |v| nested |= v == var);
    (!nested).then(|| rest.scale(&-c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::model::{Facts, testing};

    fn global() -> Linear {
        Linear::leaf(Leaf::Var(Var::Global(0)))
    }

    fn local() -> Linear {
        Linear::leaf(Leaf::Var(Var::Local(0, 0)))
    }

    fn int(value: i32) -> Linear {
        Linear::constant(value.into())
    }

    fn before(command: usize, post: &Formula) -> Vec<Formula> {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let act = Act { facts: &facts, threads: &[0], command, thread: 0 };
        disjuncts(&act, &post.expr())
    }

    #[test]
    fn updates_are_substituted() {
        // g := g + x
        let post = Formula::le(global(), int(5));
        assert_eq!(before(1, &post), [Formula::le(global().add(local()), int(5))]);
    }

    #[test]
    fn inputs_are_eliminated_with_the_guard() {
        // assume(u <= g); x := u makes x <= 5 if g <= 5.
        let post = Formula::le(local(), int(5));
        assert_eq!(before(0, &post), [Formula::le(global(), int(5))]);
        // Nothing bounds u from below.
        assert_eq!(before(0, &Formula::le(int(5), local())), []);
    }
}

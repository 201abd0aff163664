//! What a solution of the Horn clauses says, for any number of threads.
//!
//! A solution for k different threads says nothing where there are fewer. But more threads could
//! always have been there, which have not moved: with such *idle* threads ([`Idle`]) in the place
//! of some of the k threads the solution is about fewer threads, and still inductive. Without an
//! idle thread nothing is said of fewer threads, which can suffice.

use super::Why;
use super::idle::Idle;
use super::state::{Places, Shape, index, numbers};
use crate::invariant::Lemma;
use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::Var;
use crate::logic::rewrite::Rewrite as _;
use crate::solve::decode;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::internals::counters::Place;
use threadproof_format::{Expr, Op, Sort};
use z3::ast::Bool;

/// The conjuncts of each relation.
type Parts = BTreeMap<Places, BTreeSet<Formula>>;

/// The lemmas of a solution for a number of threads, and with idle threads of those for fewer.
///
/// # Errors
/// If the logic can't say them.
pub fn lemmas<'a>(
    shape: &Shape,
    (threads, idle): (usize, Option<&Idle>),
    values: impl Iterator<Item = (&'a Places, Option<Bool>)>,
) -> Result<Vec<Lemma>, Why> {
    let mut full = BTreeMap::new();
    for (places, value) in values {
        let arguments = shape.arguments(&places.threads);
        let variables: Vec<Op> = arguments.iter().map(|(op, _)| shape.ghost(op)).collect();
        let formula = match value {
            Some(value) => decode::formula(&value, &variables)?,
            // Nothing depends on it.
            None => Expr::bool(true),
        };
        full.insert(places.clone(), formula);
    }
    let full = &full;
    let fewer = idle.map(|idle| {
        (0..threads).map(move |level| with_idle(shape, full, idle, threads - level)).collect()
    });
    let mut levels: Vec<Parts> = fewer.unwrap_or_default();
    let parts = full.iter().map(|(places, formula)| {
        (places.clone(), shape.conjuncts(formula, &places.threads).into_iter().collect())
    });
    levels.push(parts.collect());
    let needed = levels.iter().enumerate().flat_map(|(level, parts)| {
        let below = level.checked_sub(1).map(|l| &levels[l]);
        parts.iter().flat_map(move |(places, formulas)| {
            let new = formulas.iter().filter(move |f| !below.is_some_and(|b| said(b, places, f)));
            new.map(|f| shape.lemma(places, f))
        })
    });
    let known = shape.known.iter().map(|formula| Lemma {
        singles: Vec::new(),
        threads: Vec::new(),
        formula: formula.clone(),
    });
    Ok(known.chain(needed).collect())
}

/// What the formulas say with idle threads in the place of some of their threads.
fn with_idle(shape: &Shape, full: &BTreeMap<Places, Expr>, idle: &Idle, count: usize) -> Parts {
    let mut parts = Parts::new();
    for (places, formula) in full {
        for replaced in choices(&places.threads, idle.place, count) {
            let rest: Vec<usize> =
                (0..places.threads.len()).filter(|p| !replaced.contains(p)).collect();
            let fewer = Places {
                singles: places.singles.clone(),
                threads: rest.iter().map(|p| places.threads[*p]).collect(),
            };
            let formula = formula.substitute(|op| match op {
                Op::Local(p, i) => {
                    Some(match numbers(&rest).find(|q| rest[index(*q)] == index(*p)) {
                        Some(q) => vec![Op::Local(q, *i)],
                        None => vec![idle.values[index(*i)].clone()],
                    })
                }
                _ => None,
            });
            let conjuncts = shape.conjuncts(&formula, &fewer.threads);
            parts.entry(fewer).or_default().extend(conjuncts);
        }
    }
    parts
}

/// The ways to choose a number of positions at a place.
fn choices(threads: &[Place], place: Place, count: usize) -> Vec<Vec<usize>> {
    let mut choices = vec![Vec::new()];
    for _ in 0..count {
        let longer = |chosen: Vec<usize>| {
            let from = chosen.last().map_or(0, |last| last + 1);
            let next: Vec<usize> = (from..threads.len()).filter(|p| threads[*p] == place).collect();
            next.into_iter().map(move |p| [chosen.as_slice(), &[p]].concat())
        };
        choices = choices.into_iter().flat_map(longer).collect();
    }
    choices
}

/// Whether fewer threads say the same already.
fn said(below: &Parts, places: &Places, formula: &Formula) -> bool {
    (0..places.threads.len()).any(|omitted| {
        let mut fewer = places.clone();
        fewer.threads.remove(omitted);
        let omitted = u32::try_from(omitted).expect("a few threads");
        let mut about = false;
        formula.variables(&mut |v| about |= matches!(v, Var::Local(p, _) if p == omitted));
        let moved = formula.rename(&mut |v| match v {
            Var::Local(p, i) if p > omitted => Var::Local(p - 1, i),
            other => other,
        });
        !about && below.get(&fewer).is_some_and(|formulas| formulas.contains(&moved))
    })
}

impl Shape<'_> {
    /// Counters as if they were further globals, since normal forms know of no counters.
    fn ghost(&self, op: &Op) -> Op {
        match op {
            Op::Count(t, l) => {
                let counter = self.counters.iter().position(|place| *place == (*t, *l));
                let counter = counter.expect("a counter of the states");
                let number = self.program.globals.len() + counter;
                Op::Global(u32::try_from(number).expect("no more than 2^32 globals"))
            }
            other => other.clone(),
        }
    }

    /// The counters again.
    fn lemma(&self, places: &Places, formula: &Formula) -> Lemma {
        let formula = formula.expr().substitute(|op| match op {
            Op::Global(i) => {
                let counter = index(*i).checked_sub(self.program.globals.len())?;
                let (t, l) = self.counters[counter];
                Some(vec![Op::Count(t, l)])
            }
            _ => None,
        });
        Lemma { singles: places.singles.clone(), threads: places.threads.clone(), formula }
    }

    /// The conjuncts of a formula in normal form.
    fn conjuncts(&self, formula: &Expr, threads: &[Place]) -> Vec<Formula> {
        let sort = |var| match var {
            Var::Global(i) => self.program.globals.get(index(i)).map_or(Sort::Int, |g| g.sort),
            Var::Local(p, i) => {
                self.program.templates[index(threads[index(p)].0)].locals[index(i)].sort
            }
            Var::Input(_) => unreachable!("lemmas have no inputs"),
        };
        convert::formula(formula, &|var| Item::variable(var, sort(var))).conjuncts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_at_a_place_are_chosen() {
        let threads = [(0, 0), (0, 0), (0, 1)];
        assert_eq!(choices(&threads, (0, 0), 1), [vec![0], vec![1]]);
        assert_eq!(choices(&threads, (0, 0), 2), [vec![0, 1]]);
        assert!(choices(&threads, (0, 1), 2).is_empty());
    }
}

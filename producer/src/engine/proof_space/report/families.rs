//! Predicates that grow: families that differ in their constants only, predicates about more and
//! more threads, and longer and longer ones. They tell what a proof lacks.

use super::growth::{COMPARISONS, THREADS, Watchdog, comparisons};
use crate::logic::model::Facts;
use crate::logic::predicates::Predicates;
use crate::logic::print;
use crate::logic::rewrite::Rewrite as _;
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::program::Variable;
use threadproof_format::{Expr, Int, Op, Sort};

/// Members with constants beyond the program's that make a family.
const MEMBERS: usize = 4;

/// Values that are listed from the beginning of a family; then the last one.
const LISTED: usize = 3;

/// In which way predicates grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// A constant does.
    Constants,
    /// They are about more and more threads.
    Threads,
    /// They have more and more comparisons.
    Length,
}

/// Predicates that grow.
#[derive(Clone, Debug)]
pub struct Family {
    /// In which way.
    pub growth: Growth,
    /// The largest of them.
    pub largest: u32,
    /// One of them, or their common form.
    pub form: String,
    /// In words.
    pub text: String,
}

/// Predicates of one form by their constants.
type Members = BTreeMap<Vec<BigInt>, u32>;

/// The families among some predicates.
pub fn families(
    facts: &Facts,
    predicates: &Predicates,
    watchdog: &Watchdog,
    known: &BTreeSet<u32>,
) -> Vec<Family> {
    let mut forms: BTreeMap<(&[u32], Expr), Members> = BTreeMap::new();
    for number in known {
        let predicate = predicates.get(*number);
        let (form, constants) = form(&predicate.expr);
        forms.entry((&predicate.threads, form)).or_default().insert(constants, *number);
    }
    let beyond = |number: &&u32| watchdog.is_beyond(predicates.get(**number));
    let grows = |members: &Members| members.values().filter(beyond).count() >= MEMBERS;
    let forms = forms.into_iter().filter(|(_, members)| grows(members));
    let constants =
        forms.map(|((threads, form), members)| of_constants(facts, threads, form, &members));
    let mut families: Vec<Family> = constants.collect();
    let show = |number: u32| {
        let predicate = predicates.get(number);
        print::assertion(facts.program, &predicate.threads, &[], &predicate.expr)
    };
    let threads = |number: &&u32| predicates.get(**number).threads.len();
    if let Some(largest) = known.iter().max_by_key(threads)
        && threads(&largest) > THREADS
    {
        let (form, largest, count) = (show(*largest), *largest, threads(&largest));
        let text = format!("about up to {count} threads: {form}");
        families.push(Family { growth: Growth::Threads, largest, form, text });
    }
    let length = |number: &&u32| comparisons(&predicates.get(**number).expr);
    if let Some(largest) = known.iter().max_by_key(length)
        && length(&largest) > COMPARISONS
    {
        let (form, largest, count) = (show(*largest), *largest, length(&largest));
        let text = format!("with up to {count} comparisons: {form}");
        families.push(Family { growth: Growth::Length, largest, form, text });
    }
    families
}

/// An expression with 0 in the places of its constants, and these.
fn form(expr: &Expr) -> (Expr, Vec<BigInt>) {
    let mut constants = Vec::new();
    let form = expr.substitute(|op| match op {
        Op::Int(value) => {
            constants.push(value.0.clone());
            Some(vec![Op::Int(Int::from(0))])
        }
        _ => None,
    });
    (form, constants)
}

/// A family of predicates by their constants.
fn of_constants(facts: &Facts, threads: &[u32], form: Expr, members: &Members) -> Family {
    let mut lists: Vec<&Vec<BigInt>> = members.keys().collect();
    lists.sort_by_key(|list| list.iter().map(|c| c.magnitude().clone()).max());
    let count = lists.first().map_or(0, |list| list.len());
    let differs = |place: &usize| lists.iter().any(|list| list[*place] != lists[0][*place]);
    let differing: Vec<usize> = (0..count).filter(differs).collect();
    // The constants that differ get names, as inputs of a command have.
    let name = |i: usize| if differing.len() == 1 { "k".to_owned() } else { format!("k{i}") };
    let named = |i| Variable { name: name(i), sort: Sort::Int, owner: None };
    let names: Vec<Variable> = (1..=differing.len()).map(named).collect();
    let mut places = 0..;
    let form = form.substitute(|op| {
        if !matches!(op, Op::Int(_)) {
            return None;
        }
        let place = places.next()?;
        let input = (0..).zip(&differing).find(|(_, differing)| **differing == place);
        let constant = || Op::Int(Int(lists[0][place].clone()));
        Some(vec![input.map_or_else(constant, |(i, _)| Op::Input(i))])
    });
    let value = |list: &&Vec<BigInt>| tuple(differing.iter().map(|at| list[*at].to_string()));
    let mut values: Vec<String> = lists.iter().map(value).collect();
    if values.len() > LISTED + 1 {
        values.splice(LISTED..values.len() - 1, ["...".to_owned()]);
    }
    let form = print::assertion(facts.program, threads, &names, &form);
    let names = tuple(names.into_iter().map(|v| v.name));
    let text = format!("{form} for {names} = {}", values.join(", "));
    let largest = lists.last().map_or(0, |list| members[*list]);
    Family { growth: Growth::Constants, largest, form, text }
}

/// Some things as a tuple; a single one as it is.
fn tuple(parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    if parts.len() == 1 { parts.concat() } else { format!("({})", parts.join(", ")) }
}

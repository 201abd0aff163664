//! The search for a derivation: backwards for the assertions that may be of use, forwards for
//! those that can be derived, and backwards again for the ones that `false` at the end needs.

use super::ExplainError;
use super::rules::{By, Rule, Rules};
use std::collections::BTreeMap;
use threadproof_checker::error::Reason;
use threadproof_checker::proof_space::predicates::FALSE;
use threadproof_format::proof::proof_space::Instance;

/// An assertion at a point of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// A predicate about threads of the trace.
    pub instance: Instance,
    /// Why it holds.
    pub by: By,
}

/// A derivation of {true} trace {false}: the assertions at each point of the trace, from the
/// start to the end, where `false` is the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The assertions at each point.
    pub points: Vec<Vec<Assertion>>,
}

/// Assertions at one point and what each may follow from.
type Candidates = BTreeMap<Instance, Vec<Rule>>;

/// Derived assertions at one point: the size of the smallest derivation, and its last rule.
type Derived = BTreeMap<Instance, (u64, Rule)>;

/// Finds a small derivation.
///
/// # Errors
/// If there is none, or too much work.
pub fn derive(mut rules: Rules<'_>) -> Result<Derivation, ExplainError> {
    let candidates = candidates(&mut rules)?;
    let derived = forwards(&rules, candidates);
    let mut wanted = BTreeMap::from([(falsity(), ())]);
    let mut points = Vec::new();
    for known in derived.into_iter().rev() {
        let mut assertions = Vec::new();
        let mut before = BTreeMap::new();
        for instance in wanted.into_keys() {
            let (_, rule) = known.get(&instance).ok_or(ExplainError::NoDerivation)?;
            before.extend(rule.pre.iter().map(|i| (i.clone(), ())));
            assertions.push(Assertion { instance, by: rule.by.clone() });
        }
        points.push(assertions);
        wanted = before;
    }
    points.reverse();
    Ok(Derivation { points })
}

fn falsity() -> Instance {
    Instance(FALSE, Vec::new())
}

/// For each point, the assertions from which `false` at the end may follow.
fn candidates(rules: &mut Rules<'_>) -> Result<Vec<Candidates>, Reason> {
    let mut all = Vec::new();
    let mut here = vec![falsity()];
    for step in (1..=rules.steps()).rev() {
        let mut point = Candidates::new();
        for instance in here {
            let ways = rules.before(&instance, step)?;
            point.insert(instance, ways);
        }
        let mut before: Vec<Instance> =
            point.values().flatten().flat_map(|rule| &rule.pre).cloned().collect();
        before.sort();
        before.dedup();
        all.push(point);
        here = before;
    }
    all.push(here.into_iter().map(|instance| (instance, Vec::new())).collect());
    all.reverse();
    Ok(all)
}

/// For each point, the candidates that can be derived. Of several rules the one with the smallest
/// derivation is taken, where frames count nothing.
fn forwards(rules: &Rules<'_>, candidates: Vec<Candidates>) -> Vec<Derived> {
    let mut all: Vec<Derived> = Vec::new();
    for point in candidates {
        let before = all.last();
        let mut here = Derived::new();
        for (instance, ways) in point {
            let best = match before {
                None => {
                    let holds = rules.initially(&instance);
                    holds.then(|| (0, Rule { by: By::Initial, pre: Vec::new() }))
                }
                Some(before) => {
                    let sized = ways.into_iter().filter_map(|w| Some((size(before, &w)?, w)));
                    sized.min_by_key(|(size, _)| *size)
                }
            };
            here.extend(best.map(|best| (instance, best)));
        }
        all.push(here);
    }
    all
}

/// The size of the derivation that ends with a rule, if its precondition can be derived.
fn size(before: &Derived, rule: &Rule) -> Option<u64> {
    let own = u64::from(rule.by != By::Frame);
    rule.pre.iter().try_fold(own, |sum, i| Some(sum.saturating_add(before.get(i)?.0)))
}

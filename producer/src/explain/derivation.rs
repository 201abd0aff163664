//! The search for a derivation: backwards for the assertions that may be of use, forwards for
//! those that can be derived, and backwards again for the ones that `false` at the end needs.

use super::ExplainError;
use super::cases::{Points, needed};
use super::rules::{Alternatives, By, Candidates, Place, Rule, Rules};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::Reason;
use threadproof_checker::internals::proof_space::predicates::FALSE;
use threadproof_format::proof::proof_space::Instance;

/// Case distinctions in one derivation.
const MAX_CASES: usize = 10_000;

/// An assertion at a point of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assertion {
    /// A predicate about threads of the trace.
    pub instance: Instance,
    /// Why it holds.
    pub by: By,
}

/// A derivation of {true} trace {false}, or a case of one: the assertions at each point of the
/// trace, up to the end or to a case distinction. At the end `false` is the only one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// After so many steps is the first of the points.
    pub start: usize,
    /// The assertions at each point. In a case, those of the first point hold by the case or were
    /// derived before it.
    pub points: Vec<Vec<Assertion>>,
    /// The cases at the last point.
    pub cases: Option<Cases>,
}

/// A case distinction: one of the predicates of an impossible configuration holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cases {
    /// The configuration and its threads.
    pub place: Place,
    /// For each of its predicates the assertion and the rest of the derivation.
    pub branches: Vec<(Instance, Derivation)>,
}

/// Derived assertions at one point: the size of the smallest derivation, and its last rule.
type Derived<'a> = BTreeMap<&'a Instance, (u64, &'a Rule)>;

/// What is used of the assertions at each point.
type Used = Vec<BTreeMap<Instance, By>>;

/// A derivation as it is found, with all points from the start.
struct Tree {
    used: Used,
    cases: Option<(usize, Place, Vec<Branch>)>,
}

/// The assertion of a case, and the derivation with it.
type Branch = (Instance, Tree);

/// Finds a small derivation.
///
/// # Errors
/// If there is none, or too much work.
pub fn derive(mut rules: Rules<'_>) -> Result<Derivation, ExplainError> {
    let (candidates, alternatives) = candidates(&mut rules)?;
    let mut search = Search { candidates: &candidates, alternatives: Vec::new(), cases: 0 };
    let mut tree = search.prove(&mut Vec::new())?;
    if tree.is_none() {
        search.alternatives = needed(&candidates, alternatives, &falsity())?.unwrap_or_default();
        tree = search.prove(&mut Vec::new())?;
    }
    Ok(tree.ok_or(ExplainError::NoDerivation)?.cut(0))
}

fn falsity() -> Instance {
    Instance(FALSE, Vec::new())
}

/// For each point, the assertions from which `false` at the end may follow, and the alternatives
/// among them; where there is only one, it is a rule.
fn candidates(rules: &mut Rules<'_>) -> Result<(Vec<Candidates>, Points), Reason> {
    let (mut all, mut alternatives) = (Vec::new(), Vec::new());
    let mut here = BTreeSet::from([falsity()]);
    for step in (0..=rules.steps()).rev() {
        let mut point = Candidates::new();
        for instance in here {
            let ways = rules.of(&instance, step)?;
            point.insert(instance, ways);
        }
        here = point.values().flatten().flat_map(|rule| &rule.pre).cloned().collect();
        let (several, one): (Vec<_>, Vec<_>) =
            rules.alternatives(step, &point).into_iter().partition(|a| a.assertions.len() > 1);
        for Alternatives { place, assertions } in one {
            // No assertion is left where the threads cannot be at their places together.
            let only = assertions.into_iter().next().unwrap_or_else(falsity);
            let rule = Rule { by: By::Impossible(place), pre: Vec::new() };
            point.entry(only).or_default().push(rule);
        }
        all.push(point);
        alternatives.push(several);
    }
    all.reverse();
    alternatives.reverse();
    Ok((all, alternatives))
}

struct Search<'a> {
    candidates: &'a [Candidates],
    alternatives: Points,
    /// How many cases were looked at.
    cases: usize,
}

/// An assertion after so many steps.
type At = (usize, Instance);

impl<'a> Search<'a> {
    /// A derivation under some assumptions.
    fn prove(&mut self, assumed: &mut Vec<At>) -> Result<Option<Tree>, Reason> {
        let case = Rule { by: By::Case, pre: Vec::new() };
        let derived = forwards(self.candidates, assumed, &case);
        if let Some(used) = used(&derived) {
            return Ok(Some(Tree { used, cases: None }));
        }
        let open = |point: usize, a: &&Alternatives| {
            !a.assertions.iter().any(|i| derived[point].contains_key(i))
        };
        let mut points = self.alternatives.iter().enumerate();
        let first = points.find_map(|(at, list)| Some((at, list.iter().find(|a| open(at, a))?)));
        let Some((point, Alternatives { place, assertions })) =
            first.map(|(point, a)| (point, a.clone()))
        else {
            return Ok(None);
        };
        let mut branches = Vec::new();
        for assertion in assertions {
            self.cases += 1;
            if self.cases > MAX_CASES {
                return Err(Reason::Limit("cases of a derivation"));
            }
            assumed.push((point, assertion.clone()));
            let branch = self.prove(assumed)?;
            assumed.pop();
            let Some(branch) = branch else { return Ok(None) };
            if branch.used[point].get(&assertion) != Some(&By::Case) {
                return Ok(Some(branch));
            }
            branches.push((assertion, branch));
        }
        Ok(Some(Tree::of_cases(point, place, branches)))
    }
}

/// For each point, the candidates that can be derived. Of several rules the one with the smallest
/// derivation is taken, where frames count nothing.
fn forwards<'a>(candidates: &'a [Candidates], assumed: &[At], case: &'a Rule) -> Vec<Derived<'a>> {
    let mut all: Vec<Derived<'a>> = Vec::new();
    let nothing = Derived::new();
    for (at, point) in candidates.iter().enumerate() {
        let before = all.last().unwrap_or(&nothing);
        let mut here = Derived::new();
        for (instance, rules) in point {
            let assumed = assumed.iter().any(|(point, i)| *point == at && i == instance);
            let rules = rules.iter().chain(assumed.then_some(case));
            let sized = rules.filter_map(|rule| Some((size(before, rule)?, rule)));
            here.extend(sized.min_by_key(|(size, _)| *size).map(|best| (instance, best)));
        }
        all.push(here);
    }
    all
}

/// The size of the derivation that ends with a rule, if its precondition can be derived.
fn size(before: &Derived<'_>, rule: &Rule) -> Option<u64> {
    let own = u64::from(!matches!(rule.by, By::Frame | By::Case));
    rule.pre.iter().try_fold(own, |sum, i| Some(sum.saturating_add(before.get(i)?.0)))
}

/// What `false` at the end needs, if it can be derived.
fn used(derived: &[Derived<'_>]) -> Option<Used> {
    let mut all = Used::new();
    let mut wanted = BTreeSet::from([falsity()]);
    for known in derived.iter().rev() {
        let mut here = BTreeMap::new();
        let mut before = BTreeSet::new();
        for instance in wanted {
            let (_, rule) = known.get(&instance)?;
            before.extend(rule.pre.iter().cloned());
            here.insert(instance, rule.by.clone());
        }
        all.push(here);
        wanted = before;
    }
    all.reverse();
    Some(all)
}

impl Tree {
    /// A case distinction after so many steps. What its branches use up to there is used, but for
    /// each branch's own assumption.
    fn of_cases(point: usize, place: Place, branches: Vec<Branch>) -> Self {
        let mut used = Used::new();
        for (assertion, branch) in &branches {
            used.resize(branch.used.len(), BTreeMap::new());
            for (at, here) in branch.used.iter().enumerate().take(point + 1) {
                let kept = here.iter().filter(|(i, _)| at < point || *i != assertion);
                used[at].extend(kept.map(|(i, by)| (i.clone(), by.clone())));
            }
        }
        Tree { used, cases: Some((point, place, branches)) }
    }

    /// The derivation from a point on.
    fn cut(self, start: usize) -> Derivation {
        let end = self.cases.as_ref().map_or(self.used.len() - 1, |(point, ..)| *point);
        let points = self.used.into_iter().take(end + 1).skip(start);
        let assertion = |(instance, by)| Assertion { instance, by };
        let points = points.map(|here| here.into_iter().map(assertion).collect()).collect();
        let cases = self.cases.map(|(point, place, branches)| {
            let branches = branches.into_iter().map(|(i, branch)| (i, branch.cut(point)));
            Cases { place, branches: branches.collect() }
        });
        Derivation { start, points, cases }
    }
}

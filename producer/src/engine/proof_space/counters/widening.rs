//! Widening: from the fact that threads are at a location to the fact that they are at one of many.
//!
//! A trace gives that so many threads are at some place, and a triple that needs this often needs only that they
//! are at one of several. Said so, one predicate does for all of them, where otherwise each place
//! has a trace, a predicate and a triple of its own.

use super::super::facts::Facts;
use super::super::formula::{Formula, Relation};
use super::super::linear::{Leaf, Linear};
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;
use threadproof_checker::counters::Place;

/// At least so many threads of a template are at some of its locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    template: u32,
    locations: BTreeSet<u32>,
    least: BigInt,
}

impl Presence {
    /// What a formula says, if it has this form.
    pub fn of(facts: &Facts, formula: &Formula) -> Option<Self> {
        let Formula::Linear(Relation::Le, form) = formula else { return None };
        let mut places = form.terms.iter().map(|(leaf, coefficient)| {
            let Leaf::Var(var) = leaf else { return None };
            facts.counters.place(*var).filter(|_| *coefficient == -BigInt::one())
        });
        let (template, first) = places.next()??;
        let mut locations = BTreeSet::from([first]);
        for place in places {
            let (_, location) = place.filter(|(of, _)| *of == template)?;
            locations.insert(location);
        }
        Some(Presence { template, locations, least: form.constant.clone() })
    }

    /// The formula.
    pub fn formula(&self, facts: &Facts) -> Formula {
        let counter = |location: &u32| facts.counters.at((self.template, *location));
        let counters = self.locations.iter().filter_map(counter);
        let sum = counters.map(|var| Linear::leaf(Leaf::Var(var)));
        let sum = sum.fold(Linear::default(), Linear::add);
        Formula::le(Linear::constant(self.least.clone()), sum)
    }

    /// The two in one, which is weaker, if no thread can be meant by both.
    fn join(&self, other: &Presence) -> Option<Presence> {
        let apart =
            self.template == other.template && self.locations.is_disjoint(&other.locations);
        let locations = || self.locations.union(&other.locations).copied().collect();
        let least = || &self.least + &other.least;
        apart.then(|| Presence { template: self.template, locations: locations(), least: least() })
    }

    /// So many threads at these locations too.
    fn with(&self, further: &[u32]) -> Presence {
        let locations = self.locations.iter().chain(further).copied().collect();
        Presence { locations, ..self.clone() }
    }

    /// The locations of the template that it is not about.
    fn others(&self, facts: &Facts) -> Vec<u32> {
        let places = facts.counters.iter().map(|(_, place)| place);
        let own = places.filter(|(template, _)| *template == self.template);
        own.map(|(_, location)| location).filter(|l| !self.locations.contains(l)).collect()
    }
}

/// Weaker facts that still do: two become one, and each is about as many locations as can be. The acting
/// thread comes from `source`.
pub fn widened(
    facts: &Facts,
    source: Place,
    mut presences: Vec<Presence>,
    does: &mut dyn FnMut(&[Presence]) -> bool,
) -> Vec<Presence> {
    while let Some(fewer) = joined(&presences, does) {
        presences = fewer;
    }
    for i in 0..presences.len() {
        let (narrow, mut all) = (presences[i].clone(), presences.clone());
        presences[i] = widen(facts, source, narrow, &mut |presence| {
            all[i] = presence.clone();
            does(&all)
        });
    }
    presences
}

/// The fact about as many locations as can be: those of the acting thread and then groups of others, which are
/// halved where not all of a group will do.
fn widen(
    facts: &Facts,
    source: Place,
    mut presence: Presence,
    does: &mut dyn FnMut(&Presence) -> bool,
) -> Presence {
    let mut others = presence.others(facts);
    if source.0 == presence.template && others.contains(&source.1) {
        others.retain(|l| *l != source.1);
        let plain = presence.with(&[source.1]);
        // The acting thread is there itself, so this is no more than what was known.
        let another = Presence { least: &plain.least + 1, ..plain.clone() };
        presence = [plain, another].into_iter().find(&mut *does).unwrap_or(presence);
    }
    let mut groups = vec![others];
    while let Some(mut group) = groups.pop() {
        let wider = presence.with(&group);
        if group.is_empty() || does(&wider) {
            presence = wider;
        } else if group.len() > 1 {
            groups.push(group.split_off(group.len() / 2));
            groups.push(group);
        }
    }
    presence
}

/// The facts with two of them as one.
fn joined(
    presences: &[Presence],
    does: &mut dyn FnMut(&[Presence]) -> bool,
) -> Option<Vec<Presence>> {
    for (i, left) in presences.iter().enumerate() {
        for (j, right) in presences.iter().enumerate().skip(i + 1) {
            let Some(both) = left.join(right) else { continue };
            let mut fewer = presences.to_vec();
            fewer.remove(j);
            fewer[i] = both;
            if does(&fewer) {
                return Some(fewer);
            }
        }
    }
    None
}

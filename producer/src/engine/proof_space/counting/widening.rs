//! Widening: the fact that threads are at a location is weakened to the fact that they are at one
//! of several locations.
//!
//! The location axiom gives, at a position of a trace, that m threads are at a location. A triple
//! that needs this fact often needs only that m threads are at one of several locations. Then one
//! predicate covers all of them; otherwise each location would need a trace, a predicate and a
//! triple of its own.

use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear};
use crate::logic::model::Facts;
use num_bigint::BigInt;
use num_traits::One;
use std::collections::BTreeSet;
use threadproof_checker::internals::counters::Place;

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
        let apart = self.template == other.template && self.locations.is_disjoint(&other.locations);
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

/// Weaker facts that still do: two become one, and each is about as many locations as can be. The
/// acting thread comes from `source`.
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

/// The fact about as many locations as can be: those of the acting thread and then groups of
/// others, which are halved where not all of a group will do.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::{Counters, ghosted};
    use crate::logic::linear::Var;
    use crate::logic::predicates::{Instance, Predicates};
    use crate::logic::validity::{Act, Validity};
    use threadproof_format::program::Program;

    /// A phase of three locations, of which all but the first count as held, and a place outside of
    /// it.
    const PROGRAM: &str = "core 1;
global held: int;
many t {
  location start; location enter; location first; location second; location last; location away;
  location wrong error;
  edge start -> enter { }
  edge enter -> first { held := held + 1; }
  edge first -> second { }
  edge second -> last { }
  edge last -> away { held := held - 1; }
  edge first -> wrong { when held < 1; }
  edge second -> wrong { when held < 3; }
}
one s { location idle; location busy; location done; edge idle -> busy { when held == 0; } edge busy -> done { } }";

    /// Locations of the template by number.
    const FIRST: u32 = 2;
    const LAST: u32 = 4;

    fn presence(locations: &[u32], least: u32) -> Presence {
        let locations = locations.iter().copied().collect();
        Presence { template: 0, locations, least: least.into() }
    }

    fn program() -> (Program, Counters) {
        let (program, _) =
            threadproof_checker::internals::core_form::parse(PROGRAM).expect("a program");
        ghosted(&program)
    }

    /// What becomes of facts as preconditions, beside `held` being the number of threads at first,
    /// second and last, of a command for `held >= 1` after it, or for `false` after it.
    fn after(command: usize, some_held: bool, presences: &[Presence]) -> Vec<Presence> {
        let (program, counters) = program();
        let facts = &Facts::new(&program, counters);
        let mut predicates = Predicates::new(facts);
        let mut validity = Validity::new(facts);
        let held = Linear::leaf(Leaf::Var(Var::Global(0)));
        let ghost = |l: u32| Linear::leaf(Leaf::Var(facts.counters.at((0, l)).expect("a counter")));
        let sum = (FIRST..=LAST).map(ghost).fold(Linear::default(), Linear::add);
        let exact = Formula::equal(held.clone(), sum);
        let exact = predicates.intern(&exact, &[]).expect("no thread");
        let post = Formula::le(Linear::constant(1.into()), held);
        let post = predicates.intern(&post, &[]).expect("no thread");
        let post = if some_held { post } else { Instance::FALSE };
        let of = &facts.commands[command];
        let template = crate::logic::model::number(of.template);
        let mut does = |presences: &[Presence]| {
            let located = presences.iter().map(|p| predicates.intern(&p.formula(facts), &[]));
            let pre: Vec<Instance> = located.chain([Some(exact)]).flatten().collect();
            let act = Act { facts, threads: &[template], command, thread: 0 };
            validity.valid(&predicates, &act, &pre, &post)
        };
        assert!(does(presences), "the triple is valid as it is given");
        widened(facts, (template, of.source), presences.to_vec(), &mut does)
    }

    #[test]
    fn formulas_are_read_as_they_are_written() {
        let (program, counters) = program();
        let facts = Facts::new(&program, counters);
        let two = presence(&[1, 4], 2);
        assert_eq!(Presence::of(&facts, &two.formula(&facts)), Some(two.clone()));
        let counter = |place| Linear::leaf(Leaf::Var(facts.counters.at(place).expect("a counter")));
        let at_least_one = |form| Formula::le(Linear::constant(1.into()), form);
        for other in [
            two.formula(&facts).negate(),
            at_least_one(counter((0, 1)).add(counter((1, 1)))),
            at_least_one(counter((0, 1)).scale(&2.into()).add(counter((0, 2)))),
            at_least_one(Linear::leaf(Leaf::Var(Var::Global(0)))),
            Formula::FALSE,
        ] {
            assert_eq!(Presence::of(&facts, &other), None, "{other:?}");
        }
    }

    #[test]
    fn a_fact_is_about_all_locations_that_do_and_no_others() {
        // `s` waits until nothing is held: one thread anywhere in the phase keeps it from going on,
        // and neither the thread that is about to enter nor the one that is away does.
        let waits = 7;
        assert_eq!(after(waits, false, &[presence(&[3], 1)]), [presence(&[2, 3, 4], 1)]);
    }

    #[test]
    fn the_acting_thread_counts_itself() {
        // Who leaves holds no more: another thread is needed, which may have been beside it.
        let leaves = 4;
        assert_eq!(after(leaves, true, &[presence(&[2], 1)]), [presence(&[2, 3, 4], 2)]);
        assert_eq!(after(leaves, true, &[presence(&[4], 2)]), [presence(&[2, 3, 4], 2)]);
    }

    #[test]
    fn two_facts_become_one() {
        // With the acting thread there are three in the phase, wherever they are.
        let goes_wrong = 6;
        let apart = [presence(&[2], 1), presence(&[4], 1)];
        assert_eq!(after(goes_wrong, false, &apart), [presence(&[2, 3, 4], 3)]);
    }

    #[test]
    fn nothing_is_widened_where_only_the_given_fact_does() {
        let (program, counters) = program();
        let facts = Facts::new(&program, counters);
        let narrow = vec![presence(&[2], 1), presence(&[3], 1)];
        let only = narrow.clone();
        assert_eq!(widened(&facts, (0, 4), narrow.clone(), &mut |p| p == only), narrow);
        // No location of another template is taken, nor one without a counter.
        let all = widened(&facts, (1, 0), vec![presence(&[2], 1)], &mut |_| true);
        assert_eq!(all, [presence(&[1, 2, 3, 4, 5], 1)]);
    }
}

//! The location axiom (SPEC.md section 4.4): what follows about counters from where some threads
//! are.

use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear};
use crate::logic::model::{Facts, Slot, index};
use num_bigint::BigInt;
use num_traits::{One, Signed};
use std::collections::BTreeMap;

/// Whether threads at these places imply a formula about counters alone. Atoms are decided exactly,
/// a disjunction only where one of its parts is implied.
pub fn implied(facts: &Facts, slots: &[Slot], formula: &Formula) -> bool {
    match formula {
        Formula::Const(value) => *value,
        Formula::Bool(..) | Formula::Linear(Relation::Ne, _) => false,
        Formula::Linear(Relation::Le, form) => at_most_zero(facts, slots, form),
        Formula::Linear(Relation::Eq, form) => {
            let minus = form.clone().scale(&-BigInt::one());
            at_most_zero(facts, slots, form) && at_most_zero(facts, slots, &minus)
        }
        Formula::And(parts) => parts.iter().all(|part| implied(facts, slots, part)),
        Formula::Or(parts) => parts.iter().any(|part| implied(facts, slots, part)),
    }
}

/// As few of the threads as imply the formula; `None` if all of them do not.
pub fn support(facts: &Facts, slots: &[Slot], formula: &Formula) -> Option<Vec<Slot>> {
    if !implied(facts, slots, formula) {
        return None;
    }
    let mut kept = slots.to_vec();
    for i in (0..slots.len()).rev() {
        let slot = kept.remove(i);
        if !implied(facts, &kept, formula) {
            kept.insert(i, slot);
        }
    }
    kept.sort_unstable();
    Some(kept)
}

/// Whether a form over counters is at most zero in all states with threads at these places.
fn at_most_zero(facts: &Facts, slots: &[Slot], form: &Linear) -> bool {
    let mut most = form.constant.clone();
    // The counters of each single template, with their coefficients: exactly one of them is 1.
    let mut singles: BTreeMap<u32, BTreeMap<u32, BigInt>> = BTreeMap::new();
    for (leaf, coefficient) in &form.terms {
        let Leaf::Var(var) = leaf else { return false };
        let Some((template, location)) = facts.counters.place(*var) else { return false };
        if !facts.many[index(template)] {
            singles.entry(template).or_default().insert(location, coefficient.clone());
        } else if coefficient.is_positive() {
            return false;
        } else {
            let there = Slot { template, location };
            most += coefficient * slots.iter().filter(|slot| **slot == there).count();
        }
    }
    for (template, coefficients) in singles {
        let known = slots.iter().find(|slot| slot.template == template);
        let value = |location: u32| coefficients.get(&location).cloned().unwrap_or_default();
        let places = facts.counters.iter().map(|(_, place)| place);
        let own = places.filter(|(of, _)| *of == template).map(|(_, location)| location);
        most += match known {
            Some(slot) => value(slot.location),
            None => own.map(value).max().unwrap_or_default(),
        };
    }
    !most.is_positive()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::ghosted;

    #[test]
    fn threads_imply_lower_bounds_and_nothing_more() {
        let text = "core 1;
one s { location a; location b; edge a -> b { } }
many t { location o; location i; location j; edge o -> i { } edge i -> j { } }";
        let (program, _) =
            threadproof_checker::internals::core_form::parse(text).expect("a program");
        let (program, counters) = ghosted(&program);
        let facts = Facts::new(&program, counters);
        let count = |t, l| Linear::leaf(Leaf::Var(facts.counters.at((t, l)).expect("a counter")));
        let int = |value: i32| Linear::constant(value.into());
        let slot = |template, location| Slot { template, location };
        let two = [slot(1, 1), slot(1, 1), slot(1, 2), slot(0, 0)];
        let at_least = |form: Linear, value| Formula::le(int(value), form);
        let both = count(1, 1).add(count(1, 2));
        for (formula, expected) in [
            (at_least(count(1, 1), 2), true),
            (at_least(count(1, 1), 3), false),
            (at_least(both.clone(), 3), true),
            (at_least(both.clone(), 4), false),
            (Formula::le(count(1, 1), int(2)), false),
            (at_least(count(0, 0), 1), true),
            (Formula::le(count(0, 1), int(0)), true),
            (Formula::le(count(0, 0), int(0)), false),
            (Formula::equal(count(0, 0), int(1)), true),
            (Formula::or([Formula::le(count(1, 2), int(0)), at_least(count(1, 1), 1)]), true),
        ] {
            assert_eq!(implied(&facts, &two, &formula), expected, "{formula:?}");
        }
        assert!(implied(&facts, &[], &Formula::equal(count(0, 0).add(count(0, 1)), int(1))));
        assert!(!implied(&facts, &[], &at_least(count(0, 0), 1)));
        assert_eq!(support(&facts, &two, &at_least(both, 2)).map(|s| s.len()), Some(2));
    }
}

//! All shapes of inputs, each with a length.

use super::encoding::Input;
use super::family::{FAMILIES, Sizes};
use super::format::{Format, grammar};
use super::text::{self, TEXTS};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Inputs of any length.
pub struct Shape {
    pub name: String,
    /// Longer, other limits come first.
    pub most: usize,
    pub make: Box<dyn Fn(usize) -> Input>,
}

/// Lists of one length each.
const SINGLE: usize = 1 << 18;
/// Pairs: their product is what matters.
const PAIR: usize = 1 << 13;
/// A length at which it shows what a knob lengthens.
const SHOWN: usize = 41;

/// The lists alone.
///
/// # Panics
/// If SPEC.md has a list that no shape makes long.
pub fn singles() -> Vec<Shape> {
    let format = Rc::new(Format::new());
    grammar_is_covered();
    format_is_covered(&format);
    let mut shapes = Vec::new();
    for (_, name, make) in TEXTS {
        let make = move |n| text::input(make(n));
        shapes.push(Shape { name: format!("text: {name}"), most: SINGLE, make: Box::new(make) });
    }
    for place in format.places() {
        let (of, name) = (format.clone(), format!("format: {}", short(&place)));
        let make = move |n| of.long(&place, n);
        shapes.push(Shape { name, most: SINGLE, make: Box::new(make) });
    }
    for family in &FAMILIES {
        for (knob, most) in family.knobs {
            let make = |n| (family.make)(&Sizes(&[(knob, n)]));
            let name = format!("{}: {knob}", family.name);
            shapes.push(Shape { name, most: *most, make: Box::new(make) });
        }
    }
    shapes
}

/// The lists of each family in pairs.
pub fn pairs() -> Vec<Shape> {
    let mut shapes = Vec::new();
    for family in &FAMILIES {
        for (i, (one, most)) in family.knobs.iter().enumerate() {
            for (other, fewer) in &family.knobs[..i] {
                let make = |n: usize| {
                    (family.make)(&Sizes(&[(one, n.min(*most)), (other, n.min(*fewer))]))
                };
                let name = format!("{}: {one} x {other}", family.name);
                let most = PAIR.min(*most.max(fewer));
                shapes.push(Shape { name, most, make: Box::new(make) });
            }
        }
    }
    shapes
}

/// A place without what all have in common.
fn short(place: &str) -> &str {
    place.strip_prefix("certificate.").unwrap_or(place)
}

fn grammar_is_covered() {
    let covered: BTreeSet<&str> = TEXTS.iter().map(|text| text.0).collect();
    for repeated in text::repetitions(&grammar()) {
        assert!(covered.contains(&*repeated), "SPEC.md 4.1 repeats {repeated}, but no text does");
    }
}

/// Some knob makes each list long.
fn format_is_covered(format: &Format) {
    let mut missing: BTreeSet<String> = format.lists();
    for family in &FAMILIES {
        for (knob, most) in family.knobs {
            let input = (family.make)(&Sizes(&[(knob, SHOWN.min(*most))]));
            for (list, length) in format.lengths_in(&input.certificate) {
                if length >= SHOWN.min(*most) {
                    missing.remove(&list);
                }
            }
        }
    }
    assert!(missing.is_empty(), "SPEC.md 2.4 has lists that no family lengthens: {missing:?}");
}

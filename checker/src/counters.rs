//! Counters: how many threads are at a location (SPEC.md section 4.4). What a step does to them and
//! what is known of them is derived here, from the program alone.

use crate::error::{Budget, Reason, get, number};
use crate::scope::template;
use std::collections::BTreeSet;
use threadproof_format::program::{Edge, Program, Template};
use threadproof_format::{Cmp, Expr, Int, Op};

/// A template and a location.
pub type Place = (u32, u32);

/// What an edge of a template does to the counters: -1 at its source and +1 at its target, if
/// these are different and counted.
///
/// # Errors
/// `Index`.
pub fn updates(program: &Program, of: u32, edge: &Edge) -> Result<Vec<(Op, Expr)>, Reason> {
    let template = template(program, of)?;
    let moved = [(edge.source, Op::Sub), (edge.target, Op::Add)];
    let moved =
        moved.into_iter().filter(|(l, _)| edge.source != edge.target && template.counts(*l));
    Ok(moved
        .map(|(location, change)| {
            let counter = Op::Count(of, location);
            (counter.clone(), Expr(vec![counter, Op::Int(Int(1.into())), change]))
        })
        .collect())
}

/// What holds of the counters that occur in some formulas in every state before a step, if
/// different threads are at these places (the location axiom, section 4.4).
///
/// # Errors
/// `Index` or `Limit`.
pub fn facts(
    program: &Program,
    formulas: &[Expr],
    threads: &[Place],
    budget: &mut Budget,
) -> Result<Vec<Expr>, Reason> {
    let mut facts = Vec::new();
    for Counters { of, template, locations } in occurring(program, formulas, budget)? {
        budget.spend(locations.len().saturating_mul(4 + threads.len()))?;
        let there = |l: u32| threads.iter().filter(|place| **place == (of, l)).count();
        facts.extend(locations.iter().map(|l| compare(of, *l, Cmp::Ge, there(*l))));
        if !template.is_many() {
            facts.push(one_thread(of, &locations));
        }
    }
    Ok(facts)
}

/// What holds at the start of the counters that occur in some formulas (section 4.4).
///
/// # Errors
/// `Index` or `Limit`.
pub fn initially(
    program: &Program,
    formulas: &[Expr],
    budget: &mut Budget,
) -> Result<Vec<Expr>, Reason> {
    let mut facts = Vec::new();
    for Counters { of, locations, .. } in occurring(program, formulas, budget)? {
        budget.spend(4 * locations.len())?;
        // Only a single template's initial location is counted.
        facts.extend(locations.iter().map(|l| compare(of, *l, Cmp::Eq, usize::from(*l == 0))));
    }
    Ok(facts)
}

/// Counters of a template.
struct Counters<'a> {
    of: u32,
    template: &'a Template,
    locations: Vec<u32>,
}

/// The templates of which counters occur, each with these counters; of a single template with all
/// its counters.
fn occurring<'a>(
    program: &'a Program,
    formulas: &[Expr],
    budget: &mut Budget,
) -> Result<Vec<Counters<'a>>, Reason> {
    let mut places: BTreeSet<Place> = BTreeSet::new();
    for formula in formulas {
        budget.spend(formula.0.len())?;
        places.extend(formula.0.iter().filter_map(|op| match op {
            Op::Count(of, location) => Some((*of, *location)),
            _ => None,
        }));
    }
    let mut list: Vec<Counters<'_>> = Vec::new();
    for (of, location) in places {
        match list.last_mut() {
            Some(last) if last.of == of => {
                if last.template.is_many() {
                    last.locations.push(location);
                }
            }
            _ => {
                let template = template(program, of)?;
                let all = 0..number(template.locations.len())?;
                budget.spend(template.locations.len())?;
                let locations = match template.is_many() {
                    true => vec![location],
                    false => all.filter(|l| template.counts(*l)).collect(),
                };
                list.push(Counters { of, template, locations });
            }
        }
    }
    Ok(list)
}

/// Counter compared with a number.
fn compare(of: u32, location: u32, cmp: Cmp, value: usize) -> Expr {
    Expr(vec![Op::Count(of, location), Op::Int(Int(value.into())), Op::Cmp(cmp)])
}

/// A single template's counters add up to 1.
fn one_thread(of: u32, locations: &[u32]) -> Expr {
    let mut sum = Vec::new();
    for location in locations {
        sum.push(Op::Count(of, *location));
        if sum.len() > 1 {
            sum.push(Op::Add);
        }
    }
    sum.extend([Op::Int(Int(1.into())), Op::Cmp(Cmp::Eq)]);
    Expr(sum)
}

/// Whether a counter is one (section 4.4).
///
/// # Errors
/// `Index` if there is no such counter.
pub fn known(program: &Program, (of, location): Place) -> Result<(), Reason> {
    let template = template(program, of)?;
    get(&template.locations, location, "location")?;
    if template.counts(location) { Ok(()) } else { Err(Reason::Index("counter")) }
}

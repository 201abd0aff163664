//! Counters: how many threads are at a location (SPEC.md section 4.4). What a step does to them and
//! what is known of them is derived here, from the program alone.

use crate::budget::number;
use crate::error::{Budget, Reason};
use crate::scope::template;
use threadproof_format::program::{Edge, Program, Template};
use threadproof_format::work::{List as _, Seq, Spent, list};
use threadproof_format::{Cmp, Expr, Int, Op};

/// A template and a location.
pub type Place = (u32, u32);

/// What an edge of a template does to the counters: -1 at its source and +1 at its target, if
/// these are different and counted.
///
/// # Errors
/// `Index` or `Limit`.
pub fn updates(
    program: &Program,
    of: u32,
    edge: &Edge,
    budget: &Budget,
) -> Result<Seq<(Op, Expr)>, Reason> {
    let template = template(program, of, budget)?;
    let moved = [(edge.source, Op::Sub), (edge.target, Op::Add)].into_iter();
    let moved = moved.filter(|(l, _)| edge.source != edge.target && template.counts(*l));
    let one = || Op::Int(Int::from(1));
    let counter = |location| Op::Count(of, location);
    let moved = moved.map(|(l, change)| (counter(l), Expr([counter(l), one(), change].into())));
    Ok(list(moved, budget)?)
}

/// What holds of the counters that occur in some formulas in every state before a step, if
/// different threads are at these places (the location axiom, section 4.4).
///
/// # Errors
/// `Index` or `Limit`.
pub fn facts(
    program: &Program,
    formulas: &Seq<Expr>,
    threads: &Seq<Place>,
    budget: &Budget,
) -> Result<Seq<Expr>, Reason> {
    let mut facts = Seq::new();
    for Counters { of, template, locations } in
        occurring(program, formulas, budget)?.give(budget)?
    {
        for l in locations.walk(budget)? {
            let there = threads.walk(budget)?.filter(|place| **place == (of, *l)).count();
            facts.add(compare(of, *l, Cmp::Ge, there)?, budget)?;
        }
        if !template.is_many() {
            facts.add(one_thread(of, &locations, budget)?, budget)?;
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
    formulas: &Seq<Expr>,
    budget: &Budget,
) -> Result<Seq<Expr>, Reason> {
    let mut facts = Seq::new();
    for Counters { of, locations, .. } in occurring(program, formulas, budget)?.give(budget)? {
        for l in locations.walk(budget)? {
            // Only a single template's initial location is counted.
            facts.add(compare(of, *l, Cmp::Eq, usize::from(*l == 0))?, budget)?;
        }
    }
    Ok(facts)
}

/// Counters of a template.
struct Counters<'a> {
    of: u32,
    template: &'a Template,
    locations: Seq<u32>,
}

/// The templates of which counters occur, each with these counters; of a single template with all
/// its counters.
fn occurring<'a>(
    program: &'a Program,
    formulas: &Seq<Expr>,
    budget: &Budget,
) -> Result<Seq<Counters<'a>>, Reason> {
    let mut places: Seq<Place> = Seq::new();
    for formula in formulas.walk(budget)? {
        let counters = formula.0.walk(budget)?.filter_map(|op| match op {
            Op::Count(of, location) => Some((*of, *location)),
            _ => None,
        });
        places.add_all(counters, budget)?;
    }
    let mut found: Seq<Counters<'_>> = Seq::new();
    for (of, location) in places.sorted(budget)?.give(budget)? {
        match found.last_mut() {
            Some(last) if last.of == of => {
                if last.template.is_many() {
                    last.locations.add(location, budget)?;
                }
            }
            _ => {
                let template = template(program, of, budget)?;
                let locations = match template.is_many() {
                    true => [location].into(),
                    false => {
                        let all = (0..).zip(template.locations.walk(budget)?).map(|(l, _)| l);
                        list(all.filter(|l| template.counts(*l)), budget)?
                    }
                };
                found.add(Counters { of, template, locations }, budget)?;
            }
        }
    }
    Ok(found)
}

/// Counter compared with a number.
fn compare(of: u32, location: u32, cmp: Cmp, value: usize) -> Result<Expr, Reason> {
    let value = Op::Int(i64::from(number(value)?).into());
    Ok(Expr([Op::Count(of, location), value, Op::Cmp(cmp)].into()))
}

/// A single template's counters add up to 1.
fn one_thread(of: u32, locations: &Seq<u32>, budget: &Budget) -> Result<Expr, Spent> {
    let mut sum = Seq::new();
    for location in locations.walk(budget)? {
        sum.add(Op::Count(of, *location), budget)?;
        if sum.len() > 1 {
            sum.add(Op::Add, budget)?;
        }
    }
    sum.add_all([Op::Int(1.into()), Op::Cmp(Cmp::Eq)], budget)?;
    Ok(Expr(sum))
}

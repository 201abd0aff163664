//! The greatest set of candidates that is inductive, and what of it excludes the errors.

use super::Why;
use super::steps::{Fact, Step, Steps};
use crate::control::Control;
use crate::logic::formula::Formula;
use std::collections::BTreeSet;
use threadproof_checker::internals::counters::Place;

/// Those of the facts, which are inductive together, that exclude all errors.
///
/// # Errors
/// If they do not.
pub fn needed(steps: &mut Steps) -> Result<Vec<(Vec<Place>, Formula)>, Why> {
    let all = steps.all();
    let needed = support(steps, &all)?;
    let found = needed.into_iter().map(|(choice, number)| {
        let (places, list) = &steps.left[choice];
        (places.clone(), list[number].clone().expect("a fact that is left"))
    });
    Ok(found.collect())
}

/// Leaves the facts that are inductive together.
///
/// # Errors
/// If z3 does not tell, or not in time.
pub fn greatest(steps: &mut Steps, control: &Control) -> Result<(), Why> {
    steps.start();
    let all = steps.all();
    inductive(steps, &all, control)
}

/// Gives up facts until no step breaks one; a step is looked at again when a fact is given up
/// that showed that it breaks none.
fn inductive(steps: &mut Steps, all: &[Step], control: &Control) -> Result<(), Why> {
    let mut todo: BTreeSet<usize> = (0..all.len()).filter(|s| all[*s].after.is_some()).collect();
    let mut used: Vec<BTreeSet<Fact>> = vec![BTreeSet::new(); all.len()];
    while let Some(number) = todo.pop_first() {
        if control.should_stop() {
            return Err(Why::Unknown);
        }
        if steps.work() > super::WORK {
            return Err(Why::TooLarge);
        }
        match steps.failing(&all[number]).ok_or(Why::Unknown)? {
            Err(shown) => used[number] = shown.into_iter().collect(),
            Ok(failing) => {
                for (choice, i) in &failing {
                    steps.left[*choice].1[*i] = None;
                }
                let again = |s: &usize| !used[*s].is_disjoint(&failing);
                todo.extend((0..all.len()).filter(again));
                todo.insert(number);
            }
        }
    }
    Ok(())
}

/// The facts that exclude the errors, those that show them, and so on.
fn support(steps: &mut Steps, all: &[Step]) -> Result<BTreeSet<Fact>, Why> {
    let mut needed = BTreeSet::new();
    let mut todo: Vec<Fact> = Vec::new();
    for step in all.iter().filter(|step| step.after.is_none()) {
        todo.extend(steps.reason(step, None).ok_or(Why::TooWeak)?);
    }
    while let Some(fact) = todo.pop() {
        if !needed.insert(fact) {
            continue;
        }
        for step in all.iter().filter(|step| step.after == Some(fact.0)) {
            todo.extend(steps.reason(step, Some(fact)).ok_or(Why::Unknown)?);
        }
    }
    Ok(needed)
}

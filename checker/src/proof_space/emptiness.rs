//! The emptiness certificate: every step of every configuration is covered (SPEC.md section 8.4;
//! Definitions 6.6 and 6.12).

use super::automaton::{Automaton, Step, Successor};
use super::basis;
use super::predicates::Predicates;
use crate::counters;
use crate::error::{At, Budget, Failure, Held, Reason, get};
use crate::refute::Obligation;
use crate::scope::{Scope, template};
use std::collections::HashSet;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{
    Configuration, Hint, Impossible, Instance, ProofSpace, Slot, StepHints,
};

/// What a checked emptiness certificate referred to.
#[derive(Debug)]
pub struct Usage {
    /// Triples that closed a step.
    pub triples: Vec<bool>,
    /// Initial predicates that exclude the initial states from a configuration, by number.
    pub initial: HashSet<u32>,
    /// Configurations that are reached from the error configurations.
    pub configurations: Vec<bool>,
}

/// Checks that configurations are well formed (section 8.3).
///
/// # Errors
/// With the configuration as the place.
pub fn well_formed(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &mut Budget,
) -> Result<(), Failure> {
    for (i, c) in shapes(proof).enumerate() {
        one_well_formed(program, predicates, c, budget).at(|| format!("configuration {i}"))?;
    }
    Ok(())
}

/// What a configuration says: its slots and negated predicates.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Slots.
    pub threads: &'a [Slot],
    /// Negated predicates.
    pub negated: &'a [Instance],
}

/// The configurations in the order of their numbers: first those with steps, then the impossible ones.
pub(super) fn shapes(proof: &ProofSpace) -> impl Iterator<Item = Shape<'_>> {
    let steps = proof.configurations.iter();
    let steps = steps.map(|c| Shape { threads: &c.threads, negated: &c.negated });
    let impossible = proof.impossible.iter();
    steps.chain(impossible.map(|c| Shape { threads: &c.threads, negated: &c.negated }))
}

/// The obligation that no state satisfies a configuration: its negated predicates and the location
/// axiom contradict each other (section 8.8).
///
/// # Errors
/// `Index` or `Limit`.
pub fn obligation(
    program: &Program,
    predicates: &Predicates,
    c: &Impossible,
    name: String,
    budget: &mut Budget,
) -> Result<Obligation, Reason> {
    let mut held = Held::default();
    let mut formulas = Vec::new();
    for instance in &c.negated {
        let formula = basis::formula(predicates, instance)?.negate();
        budget.spend(formula.0.len())?;
        held.hold(formula.0.len())?;
        formulas.push(formula);
    }
    let places: Vec<_> = c.threads.iter().filter_map(|Slot(of, l)| Some((*of, (*l)?))).collect();
    formulas.extend(counters::facts(program, &formulas, &places, budget)?);
    let threads = c.threads.iter().map(|slot| Some(slot.0)).collect();
    Scope { program, threads, inputs: &[] }.obligation(name, formulas)
}

fn one_well_formed(
    program: &Program,
    predicates: &Predicates,
    c: Shape<'_>,
    budget: &mut Budget,
) -> Result<(), Reason> {
    let mut single = HashSet::new();
    for slot in c.threads {
        let template = template(program, slot.0)?;
        if let Some(location) = slot.1 {
            get(&template.locations, location, "location")?;
        }
        if !template.is_many() && !single.insert(slot.0) {
            return Err(Reason::SingleTwice);
        }
    }
    if c.negated.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Reason::Order("negated predicates"));
    }
    let templates: Vec<Option<u32>> = c.threads.iter().map(|slot| Some(slot.0)).collect();
    let mut named = vec![false; c.threads.len()];
    for instance in c.negated {
        predicates.check_instance(instance, &templates, budget)?;
        for slot in &instance.1 {
            if let Some(mark) = usize::try_from(*slot).ok().and_then(|s| named.get_mut(s)) {
                *mark = true;
            }
        }
    }
    let unused = |(Slot(_, location), named): (&Slot, &bool)| location.is_none() && !named;
    if c.threads.iter().zip(&named).any(unused) {
        return Err(Reason::Unused("thread"));
    }
    Ok(())
}

/// A check of an emptiness certificate in progress.
#[derive(Debug)]
pub struct Emptiness<'a> {
    automaton: &'a Automaton<'a>,
    list: Vec<Shape<'a>>,
    used: Vec<bool>,
    /// For each configuration, those that its steps embed.
    targets: Vec<HashSet<u32>>,
}

impl<'a> Emptiness<'a> {
    /// Of a proof whose configurations are well formed.
    pub fn new(automaton: &'a Automaton<'a>, proof: &'a ProofSpace) -> Self {
        let used = vec![false; proof.basis.len()];
        Emptiness { automaton, list: shapes(proof).collect(), used, targets: Vec::new() }
    }

    /// Checks all steps of a configuration. The hints are those of the steps that do not close
    /// by themselves, in order.
    ///
    /// # Errors
    /// `StepOpen`, `Embedding`, `Unused`, ..., with the step as the place.
    pub fn configuration(
        &mut self,
        c: &Configuration,
        hints: &mut std::slice::Iter<'_, StepHints>,
        budget: &mut Budget,
    ) -> Result<(), Failure> {
        self.targets.push(HashSet::new());
        for step in self.automaton.steps(c, budget)? {
            self.step(c, &step, hints, budget).at(|| {
                format!("thread {}, template {}, edge {}", step.actor, step.template, step.edge)
            })?;
        }
        Ok(())
    }

    /// One step (section 8.4). It closes by itself if propagation contradicts itself, or if the
    /// configuration still holds of the same threads.
    fn step(
        &mut self,
        c: &Configuration,
        step: &Step,
        hints: &mut std::slice::Iter<'_, StepHints>,
        budget: &mut Budget,
    ) -> Result<(), Reason> {
        if self.automaton.stays(c, step, budget)? {
            return Ok(());
        }
        let mut state = self.automaton.successor(c, step, budget)?;
        if state.propagate(&mut self.used, budget)? || state.still(c, budget)? {
            return Ok(());
        }
        let mut waiting: Vec<(usize, Instance)> = Vec::new();
        let mut list = hints.next().ok_or(Reason::StepOpen)?.0.iter();
        loop {
            let mut closed = match list.next().ok_or(Reason::StepOpen)? {
                Hint::Embed(target, map) => self.embed(&mut state, *target, map, budget)?,
                Hint::Split(instance) => {
                    self.split(&mut state, instance, &mut waiting, budget)?;
                    false
                }
            };
            closed = closed || state.propagate(&mut self.used, budget)?;
            while closed {
                let Some((before, instance)) = waiting.pop() else {
                    return if list.next().is_none() {
                        Ok(())
                    } else {
                        Err(Reason::Unused("hint"))
                    };
                };
                state.forget(before);
                state.learn(instance, true);
                closed = state.propagate(&mut self.used, budget)?;
            }
        }
    }

    /// A case split: the instance does not hold, later that it holds; `waiting` gets what was
    /// learned before the split.
    fn split(
        &self,
        state: &mut Successor,
        instance: &Instance,
        waiting: &mut Vec<(usize, Instance)>,
        budget: &mut Budget,
    ) -> Result<(), Reason> {
        budget.spend(1 + state.threads.len())?;
        let templates: Vec<Option<u32>> = state.threads.iter().map(|slot| Some(slot.0)).collect();
        self.automaton.predicates.check_instance(instance, &templates, budget)?;
        if state.negated.contains(instance) || state.holding.contains(instance) {
            return Err(Reason::Embedding("a split on what is known"));
        }
        waiting.push((state.learned(), instance.clone()));
        state.learn(instance.clone(), false);
        Ok(())
    }

    /// An embedding of a configuration into the successor: injective, keeps templates and fixed
    /// locations (Definition 6.6). If all its negated predicates are known not to hold, the
    /// branch is covered (true); if one is open, it must hold from now on.
    fn embed(
        &mut self,
        state: &mut Successor,
        target: u32,
        map: &[u32],
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let c = *get(&self.list, target, "configuration")?;
        if map.len() != c.threads.len() {
            return Err(Reason::Embedding("number of threads"));
        }
        budget.spend(1 + map.len() + state.threads.len())?;
        let mut taken = vec![false; state.threads.len()];
        for (from, to) in c.threads.iter().zip(map) {
            let slot = get(&state.threads, *to, "thread")?;
            if slot.0 != from.0 || (from.1.is_some() && from.1 != slot.1) {
                return Err(Reason::Embedding("template or location of a thread"));
            }
        }
        for to in map {
            let place = usize::try_from(*to).ok().and_then(|t| taken.get_mut(t));
            if place.is_none_or(|taken| std::mem::replace(taken, true)) {
                return Err(Reason::Embedding("two threads become one"));
            }
        }
        if let Some(targets) = self.targets.last_mut() {
            targets.insert(target);
        }
        let mut open = None;
        for instance in c.negated {
            budget.spend(2)?;
            let image = self.automaton.map(instance, map, budget)?;
            if state.negated.contains(&image) {
                continue;
            }
            if state.holding.contains(&image) || open.as_ref().is_some_and(|open| *open != image) {
                return Err(Reason::Embedding("it says nothing new here"));
            }
            open = Some(image);
        }
        Ok(match open {
            None => true,
            Some(instance) => {
                state.learn(instance, true);
                false
            }
        })
    }

    /// What was used, after the error configurations and then those with steps, `listed`, were checked.
    /// `initial` are the predicates that hold at the start.
    ///
    /// # Errors
    /// `Accepting` if an initial state may satisfy a configuration (section 8.5).
    pub fn finish(
        self,
        roots: &[Configuration],
        listed: &[Configuration],
        initial: &HashSet<u32>,
    ) -> Result<Usage, Failure> {
        let mut excluding = HashSet::new();
        for (i, c) in roots.iter().chain(listed).enumerate() {
            if c.threads.iter().any(|slot| slot.1.is_some_and(|location| location != 0)) {
                continue;
            }
            let holding = c.negated.iter().find(|instance| initial.contains(&instance.0));
            let holding = holding.ok_or(Reason::Accepting).at(|| place(i, roots.len()))?;
            excluding.insert(holding.0);
        }
        let mut configurations = vec![false; self.list.len()];
        let mut todo: Vec<usize> = (0..roots.len()).collect();
        while let Some(from) = todo.pop() {
            for target in self.targets.get(from).into_iter().flatten() {
                let target = usize::try_from(*target).unwrap_or(usize::MAX);
                if let Some(seen) = configurations.get_mut(target)
                    && !std::mem::replace(seen, true)
                {
                    todo.push(roots.len() + target);
                }
            }
        }
        Ok(Usage { triples: self.used, initial: excluding, configurations })
    }
}

/// The name of a configuration, by its number with the error configurations first.
pub(super) fn place(number: usize, roots: usize) -> String {
    match number.checked_sub(roots) {
        None => format!("error configuration {number}"),
        Some(i) => format!("configuration {i}"),
    }
}

impl Successor {
    /// Whether the configuration before which the step went holds of the same threads.
    fn still(&self, c: &Configuration, budget: &mut Budget) -> Result<bool, Reason> {
        budget.spend(1 + c.threads.len() + c.negated.len())?;
        let located = c.threads.iter().zip(&self.threads);
        let mut located = located.map(|(before, now)| before.1.is_none() || before.1 == now.1);
        Ok(located.all(|same| same) && c.negated.iter().all(|i| self.negated.contains(i)))
    }
}

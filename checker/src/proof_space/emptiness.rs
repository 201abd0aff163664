//! The emptiness certificate: every step of every configuration is covered (SPEC.md section 8.4;
//! Definitions 6.6 and 6.12).

use super::automaton::{Automaton, Step, Successor};
use super::basis;
use super::predicates::Predicates;
use crate::budget::{Held, ascends, get};
use crate::counters;
use crate::error::{At, Budget, Failure, Reason};
use crate::obligation::{Obligation, ObligationId};
use crate::scope::{Scope, template};
use crate::substitute::negate;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{
    Configuration, Hint, Impossible, Instance, ProofSpace, Slot, StepHints,
};
use threadproof_format::work::{
    Group as _, List as _, Metered as _, Seq, Set, Size as _, Spent, Walk, list,
};

/// What a checked emptiness certificate referred to.
#[derive(Debug)]
pub struct Usage {
    /// Triples that closed a step.
    pub triples: Seq<bool>,
    /// Initial predicates that exclude the initial states from a configuration, by number.
    pub initial: Set<u32>,
    /// Configurations that are reached from the error configurations.
    pub configurations: Seq<bool>,
}

/// Checks that configurations are well formed (section 8.3).
///
/// # Errors
/// With the configuration as the place.
pub fn well_formed(
    program: &Program,
    predicates: &Predicates,
    proof: &ProofSpace,
    budget: &Budget,
) -> Result<(), Failure> {
    for (i, c) in shapes(proof, budget)?.enumerate() {
        one_well_formed(program, predicates, c, budget).at(|| format!("configuration {i}"))?;
    }
    Ok(())
}

/// What a configuration says: its slots and negated predicates.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Slots.
    pub threads: &'a Seq<Slot>,
    /// Negated predicates.
    pub negated: &'a Seq<Instance>,
}

/// The configurations in the order of their numbers: first those with steps, then the impossible ones.
pub(super) fn shapes<'a>(
    proof: &'a ProofSpace,
    budget: &Budget,
) -> Result<impl Iterator<Item = Shape<'a>> + use<'a>, Spent> {
    let steps = proof.configurations.walk(budget)?;
    let steps = steps.map(|c| Shape { threads: &c.threads, negated: &c.negated });
    let impossible = proof.impossible.walk(budget)?;
    Ok(steps.chain(impossible.map(|c| Shape { threads: &c.threads, negated: &c.negated })))
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
    id: ObligationId,
    budget: &Budget,
) -> Result<Obligation, Reason> {
    let held = Held::default();
    let mut formulas = Seq::new();
    for instance in c.negated.walk(budget)? {
        let formula = negate(basis::formula(predicates, instance, budget)?, budget)?;
        held.hold(formula.size())?;
        formulas.add(formula, budget)?;
    }
    let located = c.threads.walk(budget)?.filter_map(|Slot(of, l)| Some((*of, (*l)?)));
    let places = list(located, budget)?;
    let facts = counters::facts(program, &formulas, &places, budget)?;
    formulas.add_all(facts.give(budget)?, budget)?;
    let threads = templates(&c.threads, budget)?;
    Scope { program, threads, inputs: None }.obligation(id, formulas, budget)
}

/// The template of each slot.
fn templates(slots: &Seq<Slot>, budget: &Budget) -> Result<Seq<Option<u32>>, Spent> {
    list(slots.walk(budget)?.map(|slot| Some(slot.0)), budget)
}

fn one_well_formed(
    program: &Program,
    predicates: &Predicates,
    c: Shape<'_>,
    budget: &Budget,
) -> Result<(), Reason> {
    let mut single = Set::new();
    for slot in c.threads.walk(budget)? {
        let template = template(program, slot.0, budget)?;
        if let Some(location) = slot.1 {
            get(&template.locations, location, "location", budget)?;
        }
        if !template.is_many() && !single.include(slot.0, budget)? {
            return Err(Reason::SingleTwice);
        }
    }
    if !ascends(c.negated, budget, |one, other| Ok(one.below(other, budget)?))? {
        return Err(Reason::Order("negated predicates"));
    }
    let templates = templates(c.threads, budget)?;
    // A slot without a location is there for a predicate.
    let mut needed = list(c.threads.walk(budget)?.map(|slot| slot.1.is_some()), budget)?;
    for instance in c.negated.walk(budget)? {
        predicates.check_instance(instance, &templates, budget)?;
        for slot in instance.1.walk(budget)? {
            if let Some(mark) = needed.change(*slot, budget)? {
                *mark = true;
            }
        }
    }
    match needed.walk(budget)?.all(|needed| *needed) {
        true => Ok(()),
        false => Err(Reason::Unused("thread")),
    }
}

/// A check of an emptiness certificate in progress.
#[derive(Debug)]
pub struct Emptiness<'a> {
    automaton: &'a Automaton<'a>,
    list: Seq<Shape<'a>>,
    used: Seq<bool>,
    /// For each configuration, those that its steps embed.
    targets: Seq<Seq<u32>>,
}

impl<'a> Emptiness<'a> {
    /// Of a proof whose configurations are well formed.
    ///
    /// # Errors
    /// `Limit`.
    pub fn new(
        automaton: &'a Automaton<'a>,
        proof: &'a ProofSpace,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let used = list(proof.basis.walk(budget)?.map(|_| false), budget)?;
        let list = list(shapes(proof, budget)?, budget)?;
        Ok(Emptiness { automaton, list, used, targets: Seq::new() })
    }

    /// Checks all steps of a configuration. The hints are those of the steps that do not close
    /// by themselves, in order.
    ///
    /// # Errors
    /// `StepOpen`, `Embedding`, `Unused`, ..., with the step as the place.
    pub fn configuration(
        &mut self,
        c: &Configuration,
        hints: &mut Walk<'_, StepHints>,
        budget: &Budget,
    ) -> Result<(), Failure> {
        self.targets.add(Seq::new(), budget)?;
        for step in self.automaton.steps(c, budget)?.give(budget)? {
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
        hints: &mut Walk<'_, StepHints>,
        budget: &Budget,
    ) -> Result<(), Reason> {
        if self.automaton.stays(c, step, budget)? {
            return Ok(());
        }
        let mut state = self.automaton.successor(c, step, budget)?;
        if state.propagate(&mut self.used, budget)? || state.still(c, budget)? {
            return Ok(());
        }
        let mut waiting: Seq<(usize, Instance)> = Seq::new();
        let mut list = hints.next().ok_or(Reason::StepOpen)?.0.walk(budget)?;
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
                state.forget(before, budget)?;
                state.learn(instance, true, budget)?;
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
        waiting: &mut Seq<(usize, Instance)>,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let templates = templates(&state.threads, budget)?;
        self.automaton.predicates.check_instance(instance, &templates, budget)?;
        if state.negated.has(instance, budget)? || state.holding.has(instance, budget)? {
            return Err(Reason::Embedding("a split on what is known"));
        }
        waiting.add((state.learned(), instance.copy(budget)?), budget)?;
        state.learn(instance.copy(budget)?, false, budget)
    }

    /// An embedding of a configuration into the successor: injective, keeps templates and fixed
    /// locations (Definition 6.6). If all its negated predicates are known not to hold, the
    /// branch is covered (true); if one is open, it must hold from now on.
    fn embed(
        &mut self,
        state: &mut Successor,
        target: u32,
        map: &Seq<u32>,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let c = *get(&self.list, target, "configuration", budget)?;
        if map.len() != c.threads.len() {
            return Err(Reason::Embedding("number of threads"));
        }
        let mut taken = Set::new();
        let mut twice = false;
        for (from, to) in c.threads.walk(budget)?.zip(map.walk(budget)?) {
            let slot = get(&state.threads, *to, "thread", budget)?;
            if slot.0 != from.0 || (from.1.is_some() && from.1 != slot.1) {
                return Err(Reason::Embedding("template or location of a thread"));
            }
            twice |= !taken.include(*to, budget)?;
        }
        if twice {
            return Err(Reason::Embedding("two threads become one"));
        }
        if let Some(targets) = self.targets.last_mut() {
            targets.add(target, budget)?;
        }
        let mut open: Option<Instance> = None;
        for instance in c.negated.walk(budget)? {
            let image = self.automaton.map(instance, map, budget)?;
            if state.negated.has(&image, budget)? {
                continue;
            }
            let another = match &open {
                Some(open) => !open.same(&image, budget)?,
                None => false,
            };
            if another || state.holding.has(&image, budget)? {
                return Err(Reason::Embedding("it says nothing new here"));
            }
            open = Some(image);
        }
        match open {
            None => Ok(true),
            Some(instance) => {
                state.learn(instance, true, budget)?;
                Ok(false)
            }
        }
    }

    /// What was used, after the error configurations and then those with steps, `listed`, were checked.
    /// `initial` are the predicates that hold at the start.
    ///
    /// # Errors
    /// `Accepting` if an initial state may satisfy a configuration (section 8.5).
    pub fn finish(
        self,
        roots: &Seq<Configuration>,
        listed: &Seq<Configuration>,
        initial: &Set<u32>,
        budget: &Budget,
    ) -> Result<Usage, Failure> {
        let mut excluding = Set::new();
        for (i, c) in roots.walk(budget)?.chain(listed.walk(budget)?).enumerate() {
            let predicate = excluding_start(c, initial, budget).at(|| place(i, roots.len()))?;
            if let Some(predicate) = predicate {
                excluding.include(predicate, budget)?;
            }
        }
        let mut configurations = list(self.list.walk(budget)?.map(|_| false), budget)?;
        let mut todo = list(0..roots.len(), budget)?;
        while let Some(from) = todo.pop() {
            let Some(targets) = self.targets.at(from, budget)? else { continue };
            for target in targets.walk(budget)? {
                let seen = configurations.change(*target, budget)?;
                if seen.is_some_and(|seen| !std::mem::replace(seen, true)) {
                    let target = usize::try_from(*target).unwrap_or(usize::MAX);
                    todo.add(roots.len().saturating_add(target), budget)?;
                }
            }
        }
        Ok(Usage { triples: self.used, initial: excluding, configurations })
    }
}

/// The predicate that excludes the initial states from a configuration, unless its locations do
/// (section 8.5).
fn excluding_start(
    c: &Configuration,
    initial: &Set<u32>,
    budget: &Budget,
) -> Result<Option<u32>, Reason> {
    let mut threads = c.threads.walk(budget)?;
    if threads.any(|slot| slot.1.is_some_and(|location| location != 0)) {
        return Ok(None);
    }
    for instance in c.negated.walk(budget)? {
        if initial.has(&instance.0, budget)? {
            return Ok(Some(instance.0));
        }
    }
    Err(Reason::Accepting)
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
    fn still(&self, c: &Configuration, budget: &Budget) -> Result<bool, Reason> {
        let mut located = c.threads.walk(budget)?.zip(self.threads.walk(budget)?);
        if !located.all(|(before, now)| before.1.is_none() || before.1 == now.1) {
            return Ok(false);
        }
        for instance in c.negated.walk(budget)? {
            if !self.negated.has(instance, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

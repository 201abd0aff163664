//! Steps of configurations of the automaton A_P and not A_H (SPEC.md sections 8.3 and 8.4;
//! Propositions 6.3 to 6.5, read backwards).

use super::basis;
use super::predicates::{FALSE, Predicates};
use crate::counters;
use crate::error::{Budget, Held, Reason, get, number};
use crate::scope::template;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use threadproof_format::Op;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::proof_space::{Configuration, Instance, Slot, Triple};

/// The cost of a triple's clause, but for its instances: some look-ups and lists.
const STEP: usize = 8;

/// A program and the basis of a proof space, indexed for steps.
#[derive(Debug)]
pub struct Automaton<'a> {
    program: &'a Program,
    /// The predicates.
    pub predicates: &'a Predicates,
    basis: &'a [Triple],
    /// Triples by postcondition, template, edge and acting argument.
    triples: HashMap<(u32, u32, u32, u32), Vec<usize>>,
    /// Whether an edge of a template that only changes counters of a predicate leaves it the same.
    balanced: RefCell<HashMap<(u32, u32, u32), bool>>,
}

/// A step backwards: a thread of a configuration (or a fresh one) takes an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Slot of the acting thread; the number of slots if it is fresh.
    pub actor: u32,
    /// The acting thread's template.
    pub template: u32,
    /// The edge.
    pub edge: u32,
}

/// What is known about the state before a step, if the configuration holds after it.
#[derive(Clone, Debug)]
pub struct Successor {
    /// The threads with their locations before the step.
    pub threads: Vec<Slot>,
    /// Instances that do not hold.
    pub negated: HashSet<Instance>,
    /// Instances that hold (in this branch).
    pub holding: HashSet<Instance>,
    /// For each matching triple: its number, and the instances of which one does not hold.
    pub clauses: Vec<(usize, Vec<Instance>)>,
    /// What was learned, in order: an instance, and whether it holds.
    learned: Vec<(Instance, bool)>,
}

impl<'a> Automaton<'a> {
    /// The automaton of a program and a basis whose triples were checked.
    pub fn new(program: &'a Program, predicates: &'a Predicates, basis: &'a [Triple]) -> Self {
        let mut triples: HashMap<_, Vec<usize>> = HashMap::new();
        for (i, t) in basis.iter().enumerate() {
            triples.entry((t.post, t.template, t.edge, t.acting)).or_default().push(i);
        }
        Automaton { program, predicates, basis, triples, balanced: RefCell::default() }
    }

    /// The error configurations: one for each error location (section 8.3).
    ///
    /// # Errors
    /// `Limit`.
    pub fn roots(&self) -> Result<Vec<Configuration>, Reason> {
        let mut roots = Vec::new();
        for (t, template) in self.program.templates.iter().enumerate() {
            for (l, location) in template.locations.iter().enumerate() {
                if location.error {
                    let threads = vec![Slot(number(t)?, Some(number(l)?))];
                    roots.push(Configuration { threads, negated: vec![], steps: vec![] });
                }
            }
        }
        Ok(roots)
    }

    /// The steps of a configuration, in their order (section 8.4): each slot by the edges that
    /// end at its location (all edges if it has none), then one fresh thread of each template, of
    /// a single template only if the configuration has none. No step begins at an error location;
    /// one ends there only if it brings a slot of the configuration to it, and then it is the only thread that acts.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn steps(&self, c: &Configuration, budget: &mut Budget) -> Result<Vec<Step>, Reason> {
        let mut wrong = None;
        for (actor, Slot(of, location)) in c.threads.iter().enumerate() {
            budget.spend(1)?;
            if wrong.is_none()
                && let Some(location) = location
                && is_error(template(self.program, *of)?, *location)?
            {
                wrong = Some(actor);
            }
        }
        let mut steps = Vec::new();
        let mut held = Held::default();
        let mut add = |actor: usize, of: u32, location: Option<u32>| -> Result<(), Reason> {
            let template = template(self.program, of)?;
            for (e, edge) in template.edges.iter().enumerate() {
                budget.spend(1)?;
                if location.is_none_or(|l| l == edge.target)
                    && !is_error(template, edge.source)?
                    && is_error(template, edge.target)? == wrong.is_some()
                {
                    held.hold(1)?;
                    steps.push(Step { actor: number(actor)?, template: of, edge: number(e)? });
                }
            }
            Ok(())
        };
        for (actor, Slot(of, location)) in c.threads.iter().enumerate() {
            if wrong.is_none_or(|wrong| wrong == actor) {
                add(actor, *of, *location)?;
            }
        }
        if wrong.is_some() {
            return Ok(steps);
        }
        let present: HashSet<u32> = c.threads.iter().map(|slot| slot.0).collect();
        for (t, template) in self.program.templates.iter().enumerate() {
            let t = number(t)?;
            if template.is_many() || !present.contains(&t) {
                add(c.threads.len(), t, None)?;
            }
        }
        Ok(steps)
    }

    /// Whether the edge writes no variable of the predicate, and moves threads between its counters
    /// only so that it stays the same; `acting` is the acting thread's argument from 1, or 0.
    /// Then {p} edge {p} needs no listing (section 8.2, frame).
    fn is_frame(
        &self,
        step: &Step,
        predicate: u32,
        acting: u32,
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let variables = &self.predicates.get(predicate)?.variables;
        let edge = get(&template(self.program, step.template)?.edges, step.edge, "edge")?;
        budget.spend(1 + edge.updates.len())?;
        let written = |op: &Op| match op {
            Op::Local(_, i) => {
                acting.checked_sub(1).is_some_and(|at| variables.contains(&Op::Local(at, *i)))
            }
            global => variables.contains(global),
        };
        if edge.updates.iter().any(|(variable, _)| written(variable)) {
            return Ok(false);
        }
        let moved = counters::updates(self.program, step.template, edge)?;
        if !moved.iter().any(|(counter, _)| variables.contains(counter)) {
            return Ok(true);
        }
        let key = (predicate, step.template, step.edge);
        let known = self.balanced.borrow().get(&key).copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let formula = &self.predicates.get(predicate)?.predicate.formula;
        let after = basis::substitute(formula, &moved)?;
        let same = self.predicates.says(self.program, predicate, &after, budget)?;
        self.balanced.borrow_mut().insert(key, same);
        Ok(same)
    }

    /// Whether frames alone show that the configuration holds before the step as well, of the same
    /// threads (section 8.4): most steps close so.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn stays(
        &self,
        c: &Configuration,
        step: &Step,
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let actor = usize::try_from(step.actor).ok().and_then(|a| c.threads.get(a));
        let edge = get(&template(self.program, step.template)?.edges, step.edge, "edge")?;
        if actor.is_some_and(|slot| slot.1.is_some_and(|location| location != edge.source)) {
            return Ok(false);
        }
        for instance in &c.negated {
            if !self.is_frame(step, instance.0, acting(instance, step.actor)?, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What follows about the state before a step (section 8.4): threads and their locations,
    /// frames, and a clause for each matching triple.
    ///
    /// # Errors
    /// `Index`, `Instance` or `Limit`.
    pub fn successor(
        &self,
        c: &Configuration,
        step: &Step,
        budget: &mut Budget,
    ) -> Result<Successor, Reason> {
        budget.spend(1 + c.threads.len())?;
        let mut held = Held::default();
        let mut threads = c.threads.clone();
        let edge = get(&template(self.program, step.template)?.edges, step.edge, "edge")?;
        let moved = Slot(step.template, Some(edge.source));
        match usize::try_from(step.actor).ok().and_then(|a| threads.get_mut(a)) {
            Some(slot) => *slot = moved,
            None => threads.push(moved),
        }
        let nothing = Instance(FALSE, Vec::new());
        let mut negated = HashSet::new();
        let mut clauses = Vec::new();
        for instance in c.negated.iter().chain([&nothing]) {
            let acting = acting(instance, step.actor)?;
            if self.is_frame(step, instance.0, acting, budget)? {
                negated.insert(instance.clone());
            }
            let key = (instance.0, step.template, step.edge, acting);
            for triple in self.triples.get(&key).into_iter().flatten() {
                let clause = self.preconditions(*triple, instance, step, budget)?;
                budget.spend(STEP)?;
                held.hold(1 + clause.len())?;
                clauses.push((*triple, clause));
            }
        }
        Ok(Successor { threads, negated, holding: HashSet::new(), clauses, learned: Vec::new() })
    }

    /// The instances of a triple's precondition when its postcondition is this instance.
    fn preconditions(
        &self,
        triple: usize,
        post: &Instance,
        step: &Step,
        budget: &mut Budget,
    ) -> Result<Vec<Instance>, Reason> {
        let triple = self.basis.get(triple).ok_or(Reason::Index("triple"))?;
        let (predicates, of) = (self.predicates, triple.template);
        let threads = basis::threads(self.program, predicates, of, triple.post, triple.acting)?;
        let mut slots = vec![step.actor; threads.templates.len()];
        for (thread, slot) in threads.post.iter().zip(&post.1) {
            if let Some(place) = usize::try_from(*thread).ok().and_then(|t| slots.get_mut(t)) {
                *place = *slot;
            }
        }
        triple.pre.iter().map(|pre| self.map(pre, &slots, budget)).collect()
    }

    /// The instance over other threads, in normal form.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn map(&self, i: &Instance, to: &[u32], budget: &mut Budget) -> Result<Instance, Reason> {
        let args: Result<Vec<u32>, Reason> =
            i.1.iter().map(|thread| get(to, *thread, "thread").copied()).collect();
        self.predicates.normal(Instance(i.0, args?), budget)
    }
}

/// Whether a location is an error location.
fn is_error(template: &Template, location: u32) -> Result<bool, Reason> {
    Ok(get(&template.locations, location, "location")?.error)
}

/// The acting thread's argument of an instance from 1, or 0.
fn acting(instance: &Instance, actor: u32) -> Result<u32, Reason> {
    number(instance.1.iter().position(|slot| *slot == actor).map_or(0, |i| i + 1))
}

impl Successor {
    /// How much was learned; [`Successor::forget`] goes back to it.
    pub fn learned(&self) -> usize {
        self.learned.len()
    }

    /// Forgets what was learned since.
    pub fn forget(&mut self, since: usize) {
        for (instance, holds) in self.learned.drain(since..) {
            let known = if holds { &mut self.holding } else { &mut self.negated };
            known.remove(&instance);
        }
    }

    /// Adds that an instance of which nothing is known holds, or does not hold.
    pub fn learn(&mut self, instance: Instance, holds: bool) {
        let known = if holds { &mut self.holding } else { &mut self.negated };
        known.insert(instance.clone());
        self.learned.push((instance, holds));
    }

    /// Unit propagation over the triples' clauses; true if one has no instance left, so that the
    /// branch is impossible. Marks the triples that brought something. One pass is enough: what
    /// is found not to hold only satisfies other clauses.
    ///
    /// # Errors
    /// `Limit`.
    pub fn propagate(&mut self, used: &mut [bool], budget: &mut Budget) -> Result<bool, Reason> {
        for at in 0..self.clauses.len() {
            let (triple, clause) = &self.clauses[at];
            budget.spend(2 * clause.len() + 1)?;
            if clause.iter().any(|i| self.negated.contains(i)) {
                continue;
            }
            let mut open = clause.iter().filter(|i| !self.holding.contains(*i));
            let (first, second) = (open.next().cloned(), open.next());
            if second.is_some() {
                continue;
            }
            if let Some(mark) = used.get_mut(*triple) {
                *mark = true;
            }
            match first {
                None => return Ok(true),
                Some(instance) => self.learn(instance, false),
            }
        }
        Ok(false)
    }
}

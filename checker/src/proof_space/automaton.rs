//! Steps of configurations of the automaton A_P and not A_H (SPEC.md sections 8.3 and 8.4;
//! Propositions 6.3 to 6.5, read backwards).

use super::basis;
use super::predicates::{FALSE, Predicates};
use crate::budget::{Held, get, number};
use crate::counters;
use crate::error::{Budget, Reason};
use crate::scope::template;
use crate::substitute::substitute;
use std::cell::RefCell;
use threadproof_format::Op;
use threadproof_format::program::{Edge, Program, Template};
use threadproof_format::proof::proof_space::{Configuration, Instance, Slot, Triple};
use threadproof_format::work::{
    Group as _, List as _, Map, Metered as _, Seq, Set, Table as _, gather, list,
};

/// A program and the basis of a proof space, indexed for steps.
#[derive(Debug)]
pub struct Automaton<'a> {
    program: &'a Program,
    /// The predicates.
    pub predicates: &'a Predicates,
    basis: &'a Seq<Triple>,
    /// Triples by postcondition, template, edge and acting argument.
    triples: Map<(u32, u32, u32, u32), Seq<usize>>,
    /// Whether an edge of a template that only changes counters of a predicate leaves it the same.
    balanced: RefCell<Map<(u32, u32, u32), bool>>,
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
#[derive(Debug)]
#[cfg_attr(not(threadproof_metered), derive(Clone))]
pub struct Successor {
    /// The threads with their locations before the step.
    pub threads: Seq<Slot>,
    /// Instances that do not hold.
    pub negated: Set<Instance>,
    /// Instances that hold (in this branch).
    pub holding: Set<Instance>,
    /// For each matching triple: its number, and the instances of which one does not hold.
    pub clauses: Seq<(usize, Seq<Instance>)>,
    /// What was learned, in order: an instance, and whether it holds.
    learned: Seq<(Instance, bool)>,
}

impl<'a> Automaton<'a> {
    /// The automaton of a program and a basis whose triples were checked.
    ///
    /// # Errors
    /// `Limit`.
    pub fn new(
        program: &'a Program,
        predicates: &'a Predicates,
        basis: &'a Seq<Triple>,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let mut triples: Map<_, Seq<usize>> = Map::new();
        for (i, t) in basis.walk(budget)?.enumerate() {
            let key = (t.post, t.template, t.edge, t.acting);
            triples.entry_of(key, budget)?.add(i, budget)?;
        }
        Ok(Automaton { program, predicates, basis, triples, balanced: RefCell::default() })
    }

    /// The error configurations: one for each error location (section 8.3).
    ///
    /// # Errors
    /// `Limit`.
    pub fn roots(&self, budget: &Budget) -> Result<Seq<Configuration>, Reason> {
        let mut roots = Seq::new();
        for (t, template) in self.program.templates.walk(budget)?.enumerate() {
            for (l, location) in template.locations.walk(budget)?.enumerate() {
                if location.error {
                    let threads = [Slot(number(t)?, Some(number(l)?))].into();
                    let root = Configuration { threads, negated: Seq::new(), steps: Seq::new() };
                    roots.add(root, budget)?;
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
    pub fn steps(&self, c: &Configuration, budget: &Budget) -> Result<Seq<Step>, Reason> {
        let mut wrong = None;
        let mut present = Set::new();
        for (actor, Slot(of, location)) in c.threads.walk(budget)?.enumerate() {
            present.include(*of, budget)?;
            if wrong.is_none()
                && let Some(location) = location
                && is_error(template(self.program, *of, budget)?, *location, budget)?
            {
                wrong = Some(actor);
            }
        }
        let mut steps = Seq::new();
        let held = Held::default();
        let mut add = |actor: usize, of: u32, location: Option<u32>| -> Result<(), Reason> {
            let template = template(self.program, of, budget)?;
            for (e, edge) in template.edges.walk(budget)?.enumerate() {
                if location.is_none_or(|l| l == edge.target)
                    && !is_error(template, edge.source, budget)?
                    && is_error(template, edge.target, budget)? == wrong.is_some()
                {
                    held.hold(1)?;
                    let (actor, edge) = (number(actor)?, number(e)?);
                    steps.add(Step { actor, template: of, edge }, budget)?;
                }
            }
            Ok(())
        };
        for (actor, Slot(of, location)) in c.threads.walk(budget)?.enumerate() {
            if wrong.is_none_or(|wrong| wrong == actor) {
                add(actor, *of, *location)?;
            }
        }
        if wrong.is_some() {
            return Ok(steps);
        }
        for (t, template) in (0..).zip(self.program.templates.walk(budget)?) {
            if template.is_many() || !present.has(&t, budget)? {
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
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let variables = &self.predicates.get(predicate, budget)?.variables;
        let edge = self.edge(step, budget)?;
        for (variable, _) in edge.updates.walk(budget)? {
            let written = match variable {
                Op::Local(_, i) => match acting.checked_sub(1) {
                    Some(at) => variables.has(&Op::Local(at, *i), budget)?,
                    None => false,
                },
                global => variables.has(global, budget)?,
            };
            if written {
                return Ok(false);
            }
        }
        let moved = counters::updates(self.program, step.template, edge, budget)?;
        let mut unmoved = true;
        for (counter, _) in moved.walk(budget)? {
            unmoved &= !variables.has(counter, budget)?;
        }
        if unmoved {
            return Ok(true);
        }
        let key = (predicate, step.template, step.edge);
        let known = self.balanced.borrow().look(&key, budget)?.copied();
        if let Some(known) = known {
            return Ok(known);
        }
        let formula = &self.predicates.get(predicate, budget)?.predicate.formula;
        let after = substitute(formula, &moved, budget)?;
        let same = self.predicates.says(self.program, predicate, &after, budget)?;
        self.balanced.borrow_mut().put(key, same, budget)?;
        Ok(same)
    }

    /// The edge of a step.
    fn edge(&self, step: &Step, budget: &Budget) -> Result<&'a Edge, Reason> {
        get(&template(self.program, step.template, budget)?.edges, step.edge, "edge", budget)
    }

    /// Whether frames alone show that the configuration holds before the step as well, of the same
    /// threads (section 8.4): most steps close so.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn stays(&self, c: &Configuration, step: &Step, budget: &Budget) -> Result<bool, Reason> {
        let edge = self.edge(step, budget)?;
        let location = c.threads.at(step.actor, budget)?.and_then(|slot| slot.1);
        if location.is_some_and(|location| location != edge.source) {
            return Ok(false);
        }
        for instance in c.negated.walk(budget)? {
            let acting = acting(instance, step.actor, budget)?;
            if !self.is_frame(step, instance.0, acting, budget)? {
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
        budget: &Budget,
    ) -> Result<Successor, Reason> {
        let held = Held::default();
        let mut threads = c.threads.copy(budget)?;
        let moved = Slot(step.template, Some(self.edge(step, budget)?.source));
        match threads.change(step.actor, budget)? {
            Some(slot) => *slot = moved,
            None => threads.add(moved, budget)?,
        }
        let nothing = Instance(FALSE, Seq::new());
        let (mut negated, mut clauses) = (Set::new(), Seq::new());
        for instance in c.negated.walk(budget)?.chain([&nothing]) {
            let acting = acting(instance, step.actor, budget)?;
            if self.is_frame(step, instance.0, acting, budget)? {
                negated.include(instance.copy(budget)?, budget)?;
            }
            let key = (instance.0, step.template, step.edge, acting);
            let Some(triples) = self.triples.look(&key, budget)? else { continue };
            for triple in triples.walk(budget)? {
                let clause = self.preconditions(*triple, instance, step, budget)?;
                held.hold(1 + clause.len())?;
                clauses.add((*triple, clause), budget)?;
            }
        }
        Ok(Successor { threads, negated, holding: Set::new(), clauses, learned: Seq::new() })
    }

    /// The instances of a triple's precondition when its postcondition is this instance.
    fn preconditions(
        &self,
        triple: usize,
        post: &Instance,
        step: &Step,
        budget: &Budget,
    ) -> Result<Seq<Instance>, Reason> {
        let t = self.basis.at(triple, budget)?.ok_or(Reason::Index("triple"))?;
        let (program, predicates) = (self.program, self.predicates);
        let threads = basis::threads(program, predicates, t.template, t.post, t.acting, budget)?;
        let templates = threads.templates.walk(budget)?;
        let mut slots = list(templates.map(|_| step.actor), budget)?;
        for (thread, slot) in threads.post.walk(budget)?.zip(post.1.walk(budget)?) {
            if let Some(place) = slots.change(*thread, budget)? {
                *place = *slot;
            }
        }
        gather(t.pre.walk(budget)?.map(|pre| self.map(pre, &slots, budget)), budget)
    }

    /// The instance over other threads, in normal form.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn map(&self, i: &Instance, to: &Seq<u32>, budget: &Budget) -> Result<Instance, Reason> {
        let args = i.1.walk(budget)?.map(|thread| get(to, *thread, "thread", budget).copied());
        self.predicates.normal(Instance(i.0, gather(args, budget)?), budget)
    }
}

/// Whether a location is an error location.
fn is_error(template: &Template, location: u32, budget: &Budget) -> Result<bool, Reason> {
    Ok(get(&template.locations, location, "location", budget)?.error)
}

/// The acting thread's argument of an instance from 1, or 0.
fn acting(instance: &Instance, actor: u32, budget: &Budget) -> Result<u32, Reason> {
    number(instance.1.walk(budget)?.position(|slot| *slot == actor).map_or(0, |i| i + 1))
}

impl Successor {
    /// How much was learned; [`Successor::forget`] goes back to it.
    pub fn learned(&self) -> usize {
        self.learned.len()
    }

    /// Forgets what was learned since.
    ///
    /// # Errors
    /// `Limit`.
    pub fn forget(&mut self, since: usize, budget: &Budget) -> Result<(), Reason> {
        while self.learned.len() > since {
            let Some((instance, holds)) = self.learned.pop() else { break };
            let known = if holds { &mut self.holding } else { &mut self.negated };
            known.exclude(&instance, budget)?;
        }
        Ok(())
    }

    /// Adds that an instance of which nothing is known holds, or does not hold.
    ///
    /// # Errors
    /// `Limit`.
    pub fn learn(
        &mut self,
        instance: Instance,
        holds: bool,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let known = if holds { &mut self.holding } else { &mut self.negated };
        known.include(instance.copy(budget)?, budget)?;
        Ok(self.learned.add((instance, holds), budget)?)
    }

    /// Unit propagation over the triples' clauses; true if one has no instance left, so that the
    /// branch is impossible. Marks the triples that brought something. One pass is enough: what
    /// is found not to hold only satisfies other clauses.
    ///
    /// # Errors
    /// `Limit`.
    pub fn propagate(&mut self, used: &mut Seq<bool>, budget: &Budget) -> Result<bool, Reason> {
        for at in 0..self.clauses.len() {
            let Some((triple, clause)) = self.clauses.at(at, budget)? else { break };
            let Some(open) = self.open(clause, budget)? else { continue };
            if let Some(mark) = used.change(*triple, budget)? {
                *mark = true;
            }
            match open {
                None => return Ok(true),
                Some(instance) => self.learn(instance, false, budget)?,
            }
        }
        Ok(false)
    }

    /// The one instance of a clause of which nothing is known, if any, of those of which one does
    /// not hold; `None` if there are more, or if one is known not to hold.
    fn open(
        &self,
        clause: &Seq<Instance>,
        budget: &Budget,
    ) -> Result<Option<Option<Instance>>, Reason> {
        let mut open = None;
        for instance in clause.walk(budget)? {
            let another = !self.holding.has(instance, budget)? && open.replace(instance).is_some();
            if another || self.negated.has(instance, budget)? {
                return Ok(None);
            }
        }
        Ok(Some(open.map(|instance| instance.copy(budget)).transpose()?))
    }
}

//! Triples for the steps of an invariant's configurations: which instances of its predicates, of
//! those that hold before a step, make a predicate hold after it.

use super::agenda::Agenda;
use super::clauses::Located;
use super::query::{Answer, Query};
use super::state::{Broken, Counterexample, Shown};
use super::{Failure, frames, is_many};
use crate::certify::hints::embedding::{Embeddings, Index, mapped};
use crate::engine::control::Control;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::proof_space::automaton::{Automaton, Step};
use threadproof_checker::internals::proof_space::basis;
use threadproof_checker::internals::proof_space::predicates::{FALSE, Predicates};
use threadproof_format::Op;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{Configuration, Instance, Slot, Triple};
use threadproof_format::refutation::Refutation;

/// A search for triples.
pub struct Search<'a> {
    program: &'a Program,
    predicates: &'a Predicates,
    automaton: Automaton<'a>,
    control: &'a Control,
    /// Preconditions by postcondition, template, edge and acting argument.
    triples: BTreeMap<(u32, u32, u32, u32), Vec<Vec<Instance>>>,
    budget: Budget,
}

/// How a pass over all steps ended.
pub enum Outcome {
    /// Every step has its triple.
    Done,
    /// A step needs to know where a thread is.
    Missing(Missing),
}

/// Configurations by which steps are closed.
struct Known<'k> {
    index: Index,
    /// The entries' and, after these, the axioms'.
    list: &'k [Configuration],
    /// The entries'.
    own: &'k [Configuration],
}

/// What holds of some threads, and by which configurations.
enum Holding {
    /// There are no such threads.
    Excluded(usize),
    /// These instances do.
    Held(Vec<(Instance, usize)>),
}

/// A thread whose location a configuration does not tell.
pub enum Missing {
    /// That of an entry's slot: entry and slot.
    Slot(usize, usize),
    /// That of a single template.
    Single(u32),
}

/// A step of a configuration, in the numbers of the triple that it needs.
struct Situation<'s> {
    step: &'s Step,
    edge: &'s Edge,
    /// The predicate that must hold afterwards, and of which threads.
    post: Instance,
    acting: u32,
    /// The threads before the step, and the number of each in the triple; `None` for single templates.
    slots: Vec<Slot>,
    numbers: Vec<Option<u32>>,
    /// The templates of the triple's threads; 0 acts, `None` if it is a single template's.
    templates: Vec<Option<u32>>,
}

impl<'a> Search<'a> {
    /// A search that has found nothing yet.
    ///
    /// # Errors
    /// `Limit`.
    pub fn new(
        program: &'a Program,
        predicates: &'a Predicates,
        control: &'a Control,
    ) -> Result<Self, Reason> {
        let automaton = frames(program, predicates)?;
        let (triples, budget) = (BTreeMap::new(), Budget::default());
        Ok(Search { program, predicates, automaton, control, triples, budget })
    }

    /// What was found.
    pub fn basis(&self) -> Vec<Triple> {
        let mut basis = Vec::new();
        for ((post, template, edge, acting), list) in &self.triples {
            basis.extend(list.iter().map(|pre| Triple {
                pre: pre.clone(),
                edge: *edge,
                post: *post,
                acting: *acting,
                template: *template,
                refutation: Refutation::default(),
            }));
        }
        basis
    }

    /// Goes through all steps of the agenda's entries' configurations and of the error configurations, and of the
    /// entries that these need.
    ///
    /// # Errors
    /// If a step breaks the invariant, z3 does not know, or the caller stops it.
    pub fn run(
        &mut self,
        entries: &[(Located, u32)],
        configurations: &[Configuration],
        axioms: &[Configuration],
        agenda: &mut Agenda,
    ) -> Result<Outcome, Failure> {
        let list: Vec<Configuration> = configurations.iter().chain(axioms).cloned().collect();
        let known = Known { index: Index::new(&list), list: &list, own: configurations };
        let mut roots = Some(self.automaton.roots(&Budget::default())?);
        loop {
            let missing = if let Some(entry) = agenda.pop() {
                self.entry((entry, &entries[entry]), &known, agenda)?
            } else if let Some(roots) = roots.take() {
                self.roots(&roots, &known, agenda)?
            } else {
                return Ok(Outcome::Done);
            };
            if let Some(missing) = missing {
                return Ok(Outcome::Missing(missing));
            }
        }
    }

    /// The steps of an entry's configuration.
    fn entry(
        &mut self,
        (entry, (located, predicate)): (usize, &(Located, u32)),
        known: &Known,
        agenda: &mut Agenda,
    ) -> Result<Option<Missing>, Failure> {
        let c = &known.own[entry];
        for step in self.automaton.steps(c, &self.budget)? {
            if self.automaton.stays(c, &step, &self.budget)? {
                continue;
            }
            let situation = self.situation(c, *predicate, &step)?;
            let framed = self.framed(c, &step)?;
            let Some(answer) = self.treat(&situation, framed, known, agenda)? else {
                continue;
            };
            if let Some(slot) = situation.slots.iter().position(|slot| slot.1.is_none()) {
                return Ok(Some(Missing::Slot(entry, slot)));
            }
            if let Some(of) = absent(self.program, &situation, known.own) {
                return Ok(Some(Missing::Single(of)));
            }
            let chosen = located.chosen.iter().filter_map(|slot| usize::try_from(*slot).ok());
            let broken = Broken::Clause(located.clause, chosen.collect());
            return Err(self.failure(&situation, answer, broken, Some(located.clause)));
        }
        Ok(None)
    }

    /// The steps of the error configurations.
    fn roots(
        &mut self,
        roots: &[Configuration],
        known: &Known,
        agenda: &mut Agenda,
    ) -> Result<Option<Missing>, Failure> {
        for root in roots {
            for step in self.automaton.steps(root, &self.budget)? {
                let situation = self.situation(root, FALSE, &step)?;
                if let Some(answer) = self.treat(&situation, false, known, agenda)? {
                    if let Some(of) = absent(self.program, &situation, known.own) {
                        return Ok(Some(Missing::Single(of)));
                    }
                    let Slot(of, location) = root.threads[0];
                    let broken = Broken::Error(of, location.unwrap_or(0));
                    return Err(self.failure(&situation, answer, broken, None));
                }
            }
        }
        Ok(None)
    }

    /// Whether the step does not touch what the configuration negates.
    fn framed(&mut self, c: &Configuration, step: &Step) -> Result<bool, Reason> {
        let successor = self.automaton.successor(c, step, &self.budget)?;
        Ok(c.negated.iter().all(|instance| successor.negated.contains(instance)))
    }

    fn situation<'s>(
        &mut self,
        c: &Configuration,
        post: u32,
        step: &'s Step,
    ) -> Result<Situation<'s>, Reason>
    where
        'a: 's,
    {
        let template =
            usize::try_from(step.template).ok().and_then(|t| self.program.templates.get(t));
        let template = template.ok_or(Reason::Index("template"))?;
        let edge = usize::try_from(step.edge).ok().and_then(|e| template.edges.get(e));
        let edge = edge.ok_or(Reason::Index("edge"))?;
        let many = self.predicates.get(post, &Budget::default())?.predicate.threads.len();
        let actor = usize::try_from(step.actor).ok().filter(|actor| *actor < many);
        let acting = if actor.is_some() { step.actor + 1 } else { 0 };
        let named = basis::threads(
            self.program,
            self.predicates,
            step.template,
            post,
            acting,
            &Budget::default(),
        )?;
        let slots = self.automaton.successor(c, step, &self.budget)?.threads;
        let fresh = template.is_many() && actor.is_none();
        let number = |slot: u32| match usize::try_from(slot).ok().and_then(|s| named.post.get(s)) {
            Some(thread) => Some(*thread),
            None => (fresh && slot == step.actor).then_some(0),
        };
        let numbers = (0..).zip(&slots).map(|(slot, _)| number(slot)).collect();
        let post = Instance(post, named.post.clone());
        Ok(Situation { step, edge, post, acting, slots, numbers, templates: named.templates })
    }

    /// Finds the triple of a step, unless none is needed, and puts the entries that close the step on the agenda.
    /// `framed`: the step does not touch the postcondition. `None` if the step is closed.
    fn treat(
        &mut self,
        situation: &Situation<'_>,
        framed: bool,
        known: &Known,
        agenda: &mut Agenda,
    ) -> Result<Option<(Query, Answer, Obligation)>, Failure> {
        if self.control.should_stop() {
            return Err(Failure::Stopped);
        }
        let held = match self.holding(situation, known, agenda) {
            Holding::Excluded(source) => {
                agenda.need(source);
                return Ok(None);
            }
            Holding::Held(held) => held,
        };
        let sources: HashMap<&Instance, usize> = held.iter().map(|(i, s)| (i, *s)).collect();
        if let Some(source) = sources.get(&situation.post).filter(|_| framed) {
            agenda.need(*source);
            return Ok(None);
        }
        let step = situation.step;
        let key = (situation.post.0, step.template, step.edge, situation.acting);
        let known_triples = self.triples.get(&key).into_iter().flatten();
        let sufficient = known_triples.filter(|pre| pre.iter().all(|i| sources.contains_key(i)));
        let new = |pre: &&Vec<Instance>| pre.iter().filter(|i| !agenda.needs(sources[i])).count();
        if let Some(pre) = sufficient.min_by_key(new) {
            pre.iter().for_each(|i| agenda.need(sources[i]));
            return Ok(None);
        }
        let mut pre: Vec<Instance> = held.iter().map(|(i, _)| i.clone()).collect();
        pre.sort_unstable();
        let triple = Triple {
            pre: pre.clone(),
            edge: step.edge,
            post: situation.post.0,
            acting: situation.acting,
            template: step.template,
            refutation: Refutation::default(),
        };
        let (program, predicates) = (self.program, self.predicates);
        let obligation =
            basis::obligation(program, predicates, &triple, ObligationId::Triple(0), &self.budget)?;
        let place = |(i, _): &(Instance, usize)| pre.binary_search(i).unwrap_or(0);
        let optional: Vec<usize> = held.iter().map(place).collect();
        let query = Query::new(&obligation, &optional);
        match query.answer() {
            Answer::Refuted(kept) => {
                kept.iter().for_each(|i| agenda.need(held[*i].1));
                let mut pre: Vec<Instance> = kept.into_iter().map(|i| held[i].0.clone()).collect();
                pre.sort_unstable();
                self.triples.entry(key).or_default().push(pre);
                Ok(None)
            }
            answer => Ok(Some((query, answer, obligation))),
        }
    }

    /// What holds of the threads before a step: the postcondition first, then what needed entries say.
    fn holding(&self, situation: &Situation<'_>, known: &Known, agenda: &Agenda) -> Holding {
        let slots = &situation.slots;
        let mut held: Vec<(Instance, usize)> = Vec::new();
        let mut places: HashMap<Instance, usize> = HashMap::new();
        let mut excluding: Option<usize> = None;
        for number in known.index.candidates(slots) {
            let from = &known.list[number];
            let embeddings = Embeddings { predicates: self.predicates, from, threads: slots };
            embeddings.each(
                |_| Some(()),
                |map, _| {
                    let Some(instance) = from.negated.first() else {
                        agenda.prefer(excluding.get_or_insert(number), number);
                        return true;
                    };
                    // An instance names no thread of a single template.
                    let to = |slot: &u32| *situation.numbers.get(usize::try_from(*slot).ok()?)?;
                    let threads: Vec<u32> =
                        map.iter().map(|slot| to(slot).unwrap_or(u32::MAX)).collect();
                    if let Some(image) = mapped(self.predicates, instance, &threads) {
                        let place = *places.entry(image.clone()).or_insert(held.len());
                        if place == held.len() {
                            held.push((image, number));
                        }
                        agenda.prefer(&mut held[place].1, number);
                    }
                    instance.1.is_empty()
                },
            );
        }
        if let Some(source) = excluding {
            return Holding::Excluded(source);
        }
        held.sort_by_key(|(i, source)| (*i != situation.post, !agenda.needs(*source)));
        Holding::Held(held)
    }

    /// Why a step is open.
    fn failure(
        &self,
        situation: &Situation<'_>,
        (mut query, answer, obligation): (Query, Answer, Obligation),
        broken: Broken,
        clause: Option<usize>,
    ) -> Failure {
        let Answer::Model(model) = answer else { return Failure::Unknown(clause) };
        let shown = Shown {
            program: self.program,
            templates: situation.templates.clone(),
            slots: situation.slots.clone(),
            numbers: situation.numbers.clone(),
            symbols: symbols(&obligation),
        };
        let act = (situation.step, situation.edge);
        match shown.step(&mut query, &model, act) {
            Err(reason) => Failure::Refused(reason),
            Ok(None) => Failure::Unknown(clause),
            Ok(Some((before, taken, after))) => Failure::Counterexample(Box::new(Counterexample {
                before,
                step: Some((taken, after)),
                broken,
            })),
        }
    }
}

/// A single template without slot here, though some configuration has one.
fn absent(program: &Program, situation: &Situation<'_>, known: &[Configuration]) -> Option<u32> {
    let mut named = known.iter().flat_map(|c| &c.threads).map(|slot| slot.0);
    let here = |of: u32| situation.slots.iter().any(|slot| slot.0 == of);
    named.find(|of| !is_many(program, *of) && !here(*of))
}

/// The variables and counters of an obligation.
pub(super) fn symbols(obligation: &Obligation) -> BTreeSet<Op> {
    obligation.sorts.keys().cloned().collect()
}

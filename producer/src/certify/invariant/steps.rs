//! Triples for the steps of an invariant's configurations: which instances of its predicates, of
//! those that hold before a step, make a predicate hold after it.

use super::clauses::Located;
use super::query::{Answer, Query};
use super::state::{Broken, Counterexample, Shown};
use super::{Failure, frames};
use crate::certify::hints::embedding::{Embeddings, Index, mapped};
use crate::engine::control::Control;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::proof_space::automaton::{Automaton, Step};
use threadproof_checker::proof_space::predicates::{FALSE, Predicates};
use threadproof_checker::proof_space::{basis, obligations};
use threadproof_checker::refute::Obligation;
use threadproof_format::Op;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{
    Configuration, InitialPredicate, Instance, ProofSpace, Slot, Triple,
};
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
    /// A step of an entry needs to know where the thread of a slot is.
    Locate {
        /// The entry.
        entry: usize,
        /// The slot, which has no location.
        slot: usize,
    },
}

/// A step of a configuration, in the numbers of the triple that it needs.
struct Situation<'s> {
    step: &'s Step,
    edge: &'s Edge,
    /// The predicate that must hold afterwards, and of which threads.
    post: Instance,
    acting: u32,
    /// Template and location before the step of each of the triple's threads; 0 acts, `None` if it is
    /// a single template's.
    threads: Vec<Option<Slot>>,
}

impl<'a> Search<'a> {
    /// A search that has found nothing yet.
    pub fn new(program: &'a Program, predicates: &'a Predicates, control: &'a Control) -> Self {
        let automaton = frames(program, predicates);
        let (triples, budget) = (BTreeMap::new(), Budget::default());
        Search { program, predicates, automaton, control, triples, budget }
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

    /// Goes through all steps of the entries' configurations and of the error configurations.
    ///
    /// # Errors
    /// If a step breaks the invariant, z3 does not know, or the caller stops it.
    pub fn run(
        &mut self,
        entries: &[(Located, u32)],
        configurations: &[Configuration],
        axioms: &[Configuration],
    ) -> Result<Outcome, Failure> {
        let known: Vec<Configuration> = configurations.iter().chain(axioms).cloned().collect();
        let index = Index::new(&known);
        for (entry, ((located, predicate), c)) in entries.iter().zip(configurations).enumerate() {
            for step in self.automaton.steps(c, &mut self.budget)? {
                if self.automaton.stays(c, &step, &mut self.budget)? {
                    continue;
                }
                let situation = self.situation(c, *predicate, &step)?;
                let framed = self.framed(c, &step)?;
                let Some(answer) = self.treat(&situation, framed, &known, &index)? else {
                    continue;
                };
                let acting = usize::try_from(step.actor).unwrap_or(usize::MAX);
                let open = |(i, slot): &(usize, &Slot)| slot.1.is_none() && *i != acting;
                if let Some((slot, _)) = c.threads.iter().enumerate().find(open) {
                    return Ok(Outcome::Locate { entry, slot });
                }
                let threads = &situation.post.1;
                let chosen = located.chosen.iter().map(|slot| {
                    let slot = usize::try_from(*slot).ok().and_then(|slot| threads.get(slot));
                    let thread = slot.and_then(|t| usize::try_from(*t).ok()).unwrap_or(0);
                    thread - usize::from(situation.threads[0].is_none())
                });
                let broken = Broken::Clause(located.clause, chosen.collect());
                return Err(self.failure(&situation, answer, broken, Some(located.clause)));
            }
        }
        for root in self.automaton.roots()? {
            for step in self.automaton.steps(&root, &mut self.budget)? {
                let situation = self.situation(&root, FALSE, &step)?;
                if let Some(answer) = self.treat(&situation, false, &known, &index)? {
                    let Slot(of, location) = root.threads[0];
                    let broken = Broken::Error(of, location.unwrap_or(0));
                    return Err(self.failure(&situation, answer, broken, None));
                }
            }
        }
        Ok(Outcome::Done)
    }

    /// Whether the step does not touch what the configuration negates.
    fn framed(&mut self, c: &Configuration, step: &Step) -> Result<bool, Reason> {
        let successor = self.automaton.successor(c, step, &mut self.budget)?;
        Ok(c.negated.iter().all(|instance| successor.negated.contains(instance)))
    }

    fn situation<'s>(
        &self,
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
        let slots = self.predicates.get(post)?.predicate.threads.len();
        let actor = usize::try_from(step.actor).ok().filter(|actor| *actor < slots);
        let acting = if actor.is_some() { step.actor + 1 } else { 0 };
        let named = basis::threads(self.program, self.predicates, step.template, post, acting)?;
        let mut threads: Vec<Option<Slot>> =
            named.templates.iter().map(|of| of.map(|of| Slot(of, None))).collect();
        for (thread, slot) in named.post.iter().zip(&c.threads) {
            if let Some(at) = usize::try_from(*thread).ok().and_then(|t| threads.get_mut(t)) {
                *at = Some(*slot);
            }
        }
        if let Some(Some(first)) = threads.first_mut() {
            first.1 = Some(edge.source);
        }
        Ok(Situation { step, edge, post: Instance(post, named.post), acting, threads })
    }

    /// Finds the triple of a step, unless none is needed. `framed`: the step does not touch the
    /// postcondition. `None` if the step is closed.
    fn treat(
        &mut self,
        situation: &Situation<'_>,
        framed: bool,
        known: &[Configuration],
        index: &Index,
    ) -> Result<Option<(Query, Answer, Obligation)>, Failure> {
        if self.control.should_stop() {
            return Err(Failure::Stopped);
        }
        let Some(candidates) = self.holding(situation, known, index) else { return Ok(None) };
        if framed && candidates.contains(&situation.post) {
            return Ok(None);
        }
        let step = situation.step;
        let key = (situation.post.0, step.template, step.edge, situation.acting);
        let suffices = |pre: &Vec<Instance>| pre.iter().all(|i| candidates.contains(i));
        if self.triples.get(&key).is_some_and(|list| list.iter().any(suffices)) {
            return Ok(None);
        }
        let mut pre = candidates.clone();
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
            basis::obligation(program, predicates, &triple, String::new(), &mut self.budget)?;
        let place = |i: &Instance| pre.binary_search(i).unwrap_or(0);
        let optional: Vec<usize> = candidates.iter().map(place).collect();
        let query = Query::new(&obligation, &optional);
        match query.answer() {
            Answer::Refuted(kept) => {
                let mut pre: Vec<Instance> =
                    kept.into_iter().map(|i| candidates[i].clone()).collect();
                pre.sort_unstable();
                self.triples.entry(key).or_default().push(pre);
                Ok(None)
            }
            answer => Ok(Some((query, answer, obligation))),
        }
    }

    /// The instances that hold of the threads before a step, the postcondition first; `None` if the
    /// invariant excludes such threads.
    fn holding(
        &self,
        situation: &Situation<'_>,
        known: &[Configuration],
        index: &Index,
    ) -> Option<Vec<Instance>> {
        let present = (0_u32..).zip(&situation.threads);
        let (numbers, slots): (Vec<u32>, Vec<Slot>) =
            present.filter_map(|(number, slot)| Some((number, (*slot)?))).unzip();
        let (mut list, mut seen) = (Vec::new(), BTreeSet::new());
        let mut excluded = false;
        for number in index.candidates(&slots) {
            let from = &known[number];
            let embeddings = Embeddings { predicates: self.predicates, from, threads: &slots };
            embeddings.each(
                |_| Some(()),
                |map, _| {
                    let Some(instance) = from.negated.first() else {
                        excluded = true;
                        return true;
                    };
                    let to = |slot: &u32| numbers.get(usize::try_from(*slot).ok()?).copied();
                    let threads: Vec<u32> = map.iter().filter_map(to).collect();
                    if let Some(image) = mapped(self.predicates, instance, &threads)
                        && seen.insert(image.clone())
                    {
                        list.push(image);
                    }
                    instance.1.is_empty()
                },
            );
        }
        list.sort_by_key(|instance| *instance != situation.post);
        (!excluded).then_some(list)
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
            threads: situation.threads.clone(),
            symbols: symbols(&obligation),
        };
        let act = (situation.step.template, situation.step.edge, situation.edge);
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

fn symbols(obligation: &Obligation) -> BTreeSet<Op> {
    obligation.sorts.keys().cloned().collect()
}

/// The predicates that hold at the start, of those that must: whose configuration an initial state may
/// satisfy.
///
/// # Errors
/// If one does not hold, or z3 does not know.
pub fn initial(
    program: &Program,
    predicates: &Predicates,
    entries: &[(Located, u32)],
) -> Result<BTreeSet<u32>, Failure> {
    let mut holding = BTreeSet::new();
    for (located, predicate) in entries {
        let starts = located.slots.iter().all(|slot| slot.1.is_none_or(|l| l == 0));
        if !starts || holding.contains(predicate) {
            continue;
        }
        let obligation = initially(program, predicates, *predicate)?;
        let mut query = Query::new(&obligation, &[]);
        match query.answer() {
            Answer::Refuted(_) => drop(holding.insert(*predicate)),
            Answer::Unknown => return Err(Failure::Unknown(Some(located.clause))),
            Answer::Model(model) => {
                let threads =
                    located.slots.iter().map(|slot| Some(Slot(slot.0, Some(0)))).collect();
                let shown = Shown { program, threads, symbols: symbols(&obligation) };
                let state = shown.state(&mut query, &model);
                let before = state.ok_or(Failure::Unknown(Some(located.clause)))?;
                let chosen = located.chosen.iter().filter_map(|t| usize::try_from(*t).ok());
                let broken = Broken::Clause(located.clause, chosen.collect());
                let found = Counterexample { before, step: None, broken };
                return Err(Failure::Counterexample(Box::new(found)));
            }
        }
    }
    Ok(holding)
}

/// What has to be refuted for a predicate to hold at the start. That of `false` is satisfied by every
/// initial state.
fn initially(
    program: &Program,
    predicates: &Predicates,
    predicate: u32,
) -> Result<Obligation, Failure> {
    let refutation = Refutation::default();
    let initial = match predicate {
        FALSE => Vec::new(),
        predicate => vec![InitialPredicate { predicate, refutation }],
    };
    let proof = ProofSpace {
        basis: Vec::new(),
        initial,
        witness: None,
        impossible: Vec::new(),
        predicates: Vec::new(),
        error_steps: Vec::new(),
        configurations: Vec::new(),
    };
    let list = obligations(program, predicates, &proof, &mut Budget::default());
    let list = list.map_err(|failure| Failure::Refused(failure.reason))?;
    let nothing = || Obligation {
        name: String::new(),
        sorts: std::collections::HashMap::new(),
        formulas: Vec::new(),
    };
    Ok(list.into_iter().next().unwrap_or_else(nothing))
}

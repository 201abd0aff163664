//! A proof of one infeasible trace, backwards and one conjunct at a time.
//!
//! What is needed after a step is a set of predicates, each implied by the (relaxed) prefix. For
//! each of them a triple over the step is found whose precondition the shorter prefix implies;
//! the first that applies of: a frame triple; no precondition; the predicate itself; known
//! predicates; difference bounds; the weakest precondition, of whose disjuncts the prefix
//! chooses one.

use super::templates;
use super::weakest;
use super::widths::{self, Link, Reason};
use crate::engine::proof_space::counting::location;
use crate::engine::proof_space::counting::widening::{self, Presence};
use crate::engine::proof_space::strategy::Strategy;
use crate::logic::basis::{self, Triple};
use crate::logic::convert;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::Linear;
use crate::logic::model::{Facts, Slot, acting, index, number};
use crate::logic::predicates::{Instance, Predicates, Thread};
use crate::logic::validity::{Act, Validity};
use crate::trace::Trace;
use num_bigint::BigInt;
use num_traits::One;
use std::collections::{BTreeMap, BTreeSet};

/// The search for a proof of a trace.
pub struct Derivation<'s, 'a> {
    /// The program.
    pub facts: &'a Facts<'a>,
    /// All predicates.
    pub predicates: &'s mut Predicates<'a>,
    /// Triples decided so far.
    pub validity: &'s mut Validity,
    /// The basis' predicates.
    pub known: &'s BTreeSet<u32>,
    /// What to try.
    pub strategy: &'s Strategy,
    /// Invariants, which need no proof here.
    pub invariants: &'s [Instance],
    /// What holds after 0, 1, ... steps and needs no proof: invariants, and where threads are.
    pub given: Vec<Vec<Instance>>,
    /// The trace; its prefixes are feasible.
    pub trace: &'s mut Trace<'a>,
    /// What is needed after 0, 1, ... steps.
    pub needed: Vec<Needs>,
    /// How it is proved, the last steps first.
    pub links: Vec<Link>,
}

/// Instances without dummy threads that are needed at one place of a trace, each with the threads
/// that its proof may be about.
pub type Needs = BTreeMap<Instance, BTreeSet<Thread>>;

impl Derivation<'_, '_> {
    /// Finds triples that prove the trace infeasible, unless something stays out of reach.
    pub fn run(mut self) -> Option<Vec<Triple>> {
        let length = self.trace.length;
        if length == 0 {
            return self.vacuous();
        }
        self.needed = vec![Needs::new(); length + 1];
        self.given = (0..length).map(|steps| self.given_after(steps)).collect();
        let later = self.later();
        self.needed[length].insert(Instance::FALSE, later);
        self.trace.sample(length - 1);
        for step in (1..=length).rev() {
            let posts: Vec<Instance> = self.needed[step].keys().copied().collect();
            for post in posts {
                self.prove(step, &post)?;
            }
        }
        let start = std::mem::take(&mut self.needed[0]);
        let holds =
            start.keys().all(|i| self.validity.initially(self.facts, self.predicates, i.predicate));
        if holds { self.triples() } else { None }
    }

    /// The invariants, and what the location axiom says after some steps: first of what is known.
    fn given_after(&mut self, steps: usize) -> Vec<Instance> {
        let mut given = self.invariants.to_vec();
        if self.facts.counters.is_empty() {
            return given;
        }
        let slots = self.trace.later(steps);
        let known = self.known.iter().map(|p| self.predicates.get(*p).narrow);
        let known = known.map(|p| self.predicates.instance(p, &[]));
        given.extend(known.filter(|i| self.located(&slots, i)));
        for formula in self.trace.located(steps) {
            given.extend(self.predicates.intern(&formula, &[]));
        }
        given
    }

    /// Whether an instance says no more than the location axiom of threads at these places.
    fn located(&self, slots: &[Slot], instance: &Instance) -> bool {
        let predicate = self.predicates.get(instance.predicate);
        predicate.counting && location::implied(self.facts, slots, predicate.formula())
    }

    fn triples(self) -> Option<Vec<Triple>> {
        widths::triples(self.facts, self.predicates, self.trace, &self.links)
    }

    /// The threads that `false` may be about at the end: those that act in the rest of the word.
    fn later(&self) -> BTreeSet<Thread> {
        let rest = &self.trace.steps[self.trace.length..];
        let many = |c: usize| self.facts.many[self.facts.commands[c].template];
        let acting = rest.iter().filter(|(c, _)| self.strategy.dummies && many(*c));
        acting.map(|(_, thread)| *thread).collect()
    }

    /// The initial condition contradicts itself: a triple of its conjuncts with the first step
    /// has `false` after it. (So have contradictory predicates, all of which hold initially.)
    fn vacuous(mut self) -> Option<Vec<Triple>> {
        let threads = self.trace.threads.clone();
        let (_, thread) = *self.trace.steps.first()?;
        let own = self.facts.thread_init[index(threads[usize::from(thread)])].iter();
        let own = own.map(|f| f.rename(&mut |v| acting(v, usize::from(thread))));
        let init = self.facts.init.iter().cloned().chain(own);
        let init: Vec<Formula> = init.chain(self.facts.contradiction()).collect();
        let mut candidates = Vec::new();
        for formula in init.iter().filter(|f| **f != Formula::FALSE) {
            candidates.push(self.predicates.intern(formula, &threads)?);
        }
        self.needed = vec![Needs::from([(Instance::FALSE, BTreeSet::new())]); 2];
        self.given = vec![Vec::new()];
        if self.least(1, &Instance::FALSE, candidates) { self.triples() } else { None }
    }

    /// Finds a triple for what is needed after a step.
    fn prove(&mut self, step: usize, post: &Instance) -> Option<()> {
        if self.frame(step, post) || self.with_given(step, &[], post) {
            return Some(());
        }
        if self.trace.implies(step - 1, post, self.predicates)
            && self.with_given(step, &[*post], post)
        {
            return Some(());
        }
        if self.strategy.reuse && self.reuse(step, post) {
            return Some(());
        }
        let threads = self.trace.threads.clone();
        let act = self.act(step, &threads);
        if self.strategy.templates && self.bounds(step, post) {
            return Some(());
        }
        let disjuncts = weakest::disjuncts(&act, &self.predicates.expr(post));
        let mut chosen = Vec::new();
        let relevant = self.relevant(step, post);
        for formula in self.choose(step - 1, disjuncts)? {
            chosen.push(self.predicates.intern(&formula, &threads)?);
        }
        let within = |i: &Instance| i.args().iter().all(|t| relevant.contains(t));
        if chosen.iter().all(within) && self.with_given(step, &chosen, post) {
            return Some(());
        }
        None
    }

    /// Step 1: the predicate stays as it is, back to the first step from which on it holds and
    /// nothing writes its variables.
    fn frame(&mut self, step: usize, post: &Instance) -> bool {
        let mut low = step;
        while low > 0 {
            let threads = self.trace.threads.clone();
            let act = self.act(low, &threads);
            if !basis::framed(self.facts, self.predicates, act.command, act.actor(), post) {
                break;
            }
            low -= 1;
        }
        if low == step || !self.trace.implies(step - 1, post, self.predicates) {
            return false;
        }
        // The prefixes that imply it are those from some length on.
        let mut high = step - 1;
        while low < high {
            let middle = low.midpoint(high);
            if self.trace.implies(middle, post, self.predicates) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let about = self.needed[step][post].clone();
        if !self.given[high].contains(post) {
            self.need(high, *post, &about);
        }
        self.links.push(Link { step, post: *post, by: Reason::Frame(high) });
        true
    }

    /// Takes the triple if it is valid, with what is given in the precondition if that helps.
    fn with_given(&mut self, step: usize, pre: &[Instance], post: &Instance) -> bool {
        self.try_pre(step, pre, post)
            || (!self.given[step - 1].is_empty() && self.least(step, post, pre.to_vec()))
    }

    /// Whether the triple is valid, the postcondition being about the threads of the precondition
    /// too.
    fn valid(&mut self, step: usize, pre: &[Instance], post: &Instance) -> bool {
        let threads = self.trace.threads.clone();
        let act = self.act(step, &threads);
        let about = widths::passed_on(pre, act.actor());
        let wide = self.predicates.widen(post, &about, &threads);
        wide.is_some_and(|wide| self.validity.valid(self.predicates, &act, pre, &wide))
    }

    /// Takes the triple if it is valid.
    fn try_pre(&mut self, step: usize, pre: &[Instance], post: &Instance) -> bool {
        if !self.valid(step, pre, post) {
            return false;
        }
        let about = self.relevant(step, post);
        for instance in pre {
            if !self.given[step - 1].contains(instance) {
                self.need(step - 1, *instance, &about);
            }
        }
        self.links.push(Link { step, post: *post, by: Reason::Triple(pre.to_vec()) });
        true
    }

    /// Needs an instance after some steps, whose proof may be about the given threads; without
    /// dummy threads it is about its own.
    fn need(&mut self, steps: usize, instance: Instance, about: &BTreeSet<Thread>) {
        let own = instance.args().iter().copied();
        let about: BTreeSet<Thread> = match self.strategy.dummies {
            true => about.iter().copied().chain(own).collect(),
            false => own.collect(),
        };
        let needed = self.needed[steps].entry(instance);
        needed.and_modify(|known| known.retain(|t| about.contains(t))).or_insert(about);
    }

    /// Step 4: a least set of known predicates that the prefix implies.
    fn reuse(&mut self, step: usize, post: &Instance) -> bool {
        let mut candidates: Vec<Instance> = Vec::new();
        let mut known: BTreeSet<u32> = self.known.clone();
        for step in &self.needed {
            known.extend(step.keys().map(|i| i.predicate));
        }
        let known: BTreeSet<u32> = known.iter().map(|p| self.predicates.get(*p).narrow).collect();
        let relevant = self.relevant(step, post);
        for predicate in known.into_iter().filter(|p| *p != 0) {
            candidates.extend(self.instances(predicate, &relevant));
        }
        let needed = self.needed[step - 1].clone();
        let actor = self.act(step, &[]).actor();
        let dummies =
            |i: &Instance| i.args().iter().any(|t| !post.args().contains(t) && Some(*t) != actor);
        candidates.sort_by_key(|i| (dummies(i), !needed.contains_key(i), i.args().len()));
        self.least(step, post, candidates)
    }

    /// All instances of a predicate over some threads.
    fn instances(&self, predicate: u32, threads: &BTreeSet<Thread>) -> BTreeSet<Instance> {
        let kinds = &self.predicates.get(predicate).threads;
        let mut partial: Vec<Vec<Thread>> = vec![Vec::new()];
        for kind in kinds {
            let mut longer = Vec::new();
            for args in &partial {
                for t in threads {
                    if self.trace.threads[usize::from(*t)] == *kind && !args.contains(t) {
                        let mut more = args.clone();
                        more.push(*t);
                        longer.push(more);
                    }
                }
            }
            partial = longer;
        }
        let instances = partial.iter();
        instances.map(|args| self.predicates.instance(predicate, args)).collect()
    }

    /// Step 5: a least set of difference bounds that the prefix implies; if there is none, of
    /// those that are also about dummy threads.
    fn bounds(&mut self, step: usize, post: &Instance) -> bool {
        let threads = self.trace.threads.clone();
        let act = self.act(step, &threads);
        let mut at_hand = vec![convert::expand(&act.before(&self.predicates.expr(post)))];
        at_hand.extend(act.guard().iter().map(convert::expand));
        if self.bounds_between(step, post, &at_hand) {
            return true;
        }
        let further = self.relevant(step, post);
        let further = further.iter().filter(|t| !post.args().contains(t) && **t != act.thread);
        let locals: Vec<Formula> = further.flat_map(|t| self.facts.locals(&threads, *t)).collect();
        at_hand.extend(locals.iter().cloned());
        !locals.is_empty() && self.bounds_between(step, post, &at_hand)
    }

    fn bounds_between(&mut self, step: usize, post: &Instance, at_hand: &[Formula]) -> bool {
        let mut candidates = Vec::new();
        for formula in templates::candidates(at_hand) {
            if !matches!(formula, Formula::Const(_)) {
                candidates.extend(self.predicates.intern(&formula, &self.trace.threads));
            }
        }
        let relevant = self.relevant(step, post);
        candidates.retain(|i| i.args().iter().all(|t| relevant.contains(t)));
        self.least(step, post, candidates)
    }

    /// Takes a triple with a least subset of the candidates that the prefix implies.
    fn least(&mut self, step: usize, post: &Instance, mut candidates: Vec<Instance>) -> bool {
        candidates.retain(|i| self.trace.implies(step - 1, i, self.predicates));
        let mut all = self.given[step - 1].clone();
        all.extend(candidates.iter().filter(|i| !self.given[step - 1].contains(i)));
        if all.is_empty() {
            return false;
        }
        let threads = self.trace.threads.clone();
        let act = self.act(step, &threads);
        let least = self.validity.least_precondition(self.predicates, &act, &all, post);
        let Some(pre) = least else { return false };
        let pre = self.widened(step, pre, post);
        self.try_pre(step, &pre, post)
    }

    /// The precondition of a valid triple with its facts about where threads are as weak as can be.
    /// They stay what the location axiom says at this place of the trace.
    fn widened(&mut self, step: usize, pre: Vec<Instance>, post: &Instance) -> Vec<Instance> {
        let facts = self.facts;
        let slots = self.trace.later(step - 1);
        let (mut rest, mut presences) = (Vec::new(), Vec::new());
        for instance in pre {
            let formula = self.predicates.get(instance.predicate).formula();
            match Presence::of(facts, formula).filter(|_| self.located(&slots, &instance)) {
                Some(presence) => presences.push(presence),
                None => rest.push(instance),
            }
        }
        let (command, _) = self.trace.steps[step - 1];
        let command = &facts.commands[command];
        let source = (number(command.template), command.source);
        let presences = widening::widened(facts, source, presences, &mut |presences| {
            let located = self.instances_of(presences);
            let given = located.iter().all(|i| self.located(&slots, i));
            given && self.valid(step, &[&rest[..], &located].concat(), post)
        });
        let located = self.instances_of(&presences);
        for instance in &located {
            self.give(instance);
        }
        rest.extend(located);
        rest
    }

    fn instances_of(&mut self, presences: &[Presence]) -> Vec<Instance> {
        let formulas = presences.iter().map(|p| p.formula(self.facts));
        formulas.filter_map(|formula| self.predicates.intern(&formula, &[])).collect()
    }

    /// Gives an instance wherever the location axiom says it, before narrower ones.
    fn give(&mut self, instance: &Instance) {
        for steps in 0..self.given.len() {
            let slots = self.trace.later(steps);
            if !self.given[steps].contains(instance) && self.located(&slots, instance) {
                self.given[steps].insert(self.invariants.len(), *instance);
            }
        }
    }

    /// Step 6: formulas that the prefix implies and that together imply one of the disjuncts; if
    /// it implies none of them, a disjunction of as few as can be.
    fn choose(&mut self, steps: usize, disjuncts: Vec<Formula>) -> Option<Vec<Formula>> {
        for formula in &disjuncts {
            if self.holds(steps, formula) {
                return self.split(steps, formula.clone());
            }
        }
        let mut kept = disjuncts;
        if !self.holds(steps, &Formula::or(kept.clone())) {
            return None;
        }
        for i in (0..kept.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(i);
            if self.holds(steps, &Formula::or(fewer.clone())) {
                kept = fewer;
            }
        }
        Some(vec![Formula::or(kept)])
    }

    /// The parts of a formula that the prefix implies, disjunctions decided by the prefix.
    fn split(&mut self, steps: usize, formula: Formula) -> Option<Vec<Formula>> {
        match formula {
            Formula::And(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.split(steps, part)?);
                }
                Some(out)
            }
            Formula::Or(parts) => self.choose(steps, parts),
            Formula::Linear(Relation::Ne, form) if self.strategy.order => {
                let one = Linear::constant(BigInt::one());
                let below = form.clone().add(one.clone());
                let above = one.sub(form.clone());
                for side in [below, above] {
                    let side = Formula::linear(Relation::Le, side);
                    if self.holds(steps, &side) {
                        return Some(vec![side]);
                    }
                }
                Some(vec![Formula::Linear(Relation::Ne, form)])
            }
            Formula::Const(true) => Some(Vec::new()),
            other => Some(vec![other]),
        }
    }

    fn holds(&mut self, steps: usize, formula: &Formula) -> bool {
        match formula {
            Formula::Const(value) => *value,
            Formula::And(parts) => parts.iter().all(|p| self.holds(steps, p)),
            formula => self.trace.implies_formula(steps, &formula.expr()),
        }
    }

    fn act<'b>(&self, step: usize, threads: &'b [u32]) -> Act<'b>
    where
        Self: 'b,
    {
        let (command, thread) = self.trace.steps[step - 1];
        Act { facts: self.facts, threads, command, thread }
    }

    /// The threads that a precondition may be about: the acting one and those that the
    /// postcondition is about or may be made about.
    fn relevant(&self, step: usize, post: &Instance) -> BTreeSet<Thread> {
        let mut relevant = self.needed[step][post].clone();
        relevant.extend(self.act(step, &[]).actor());
        relevant
    }
}

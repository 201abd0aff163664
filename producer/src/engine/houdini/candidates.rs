//! Candidates: what holds of all sampled states of threads at some places.

use super::vocabulary::{Leaves, Vocabulary};
use crate::counting::sample;
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::model::{Command, Facts, index};
use crate::solve;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::internals::counters::Place;
use threadproof_checker::internals::replay::Execution;

/// States of a choice of places that are looked at, at most.
const VIEWS: usize = 256;

/// Formulas about different threads at places, which are their positions, by these places.
pub type Candidates = BTreeMap<Vec<Place>, Vec<Formula>>;

/// The same to look up.
pub type Said = BTreeMap<Vec<Place>, BTreeSet<Formula>>;

/// Which atoms implications are about.
#[derive(Clone, Copy, Debug)]
pub enum Open<'o> {
    /// None, and there are no atoms but hints and distances in ring buffers.
    Hints,
    /// None: there are no implications.
    Nothing,
    /// Those that fail in a sampled state.
    Sampled,
    /// Those that are not among these.
    Given(&'o Said),
}

/// Which threads of which state are at some places.
struct View {
    state: usize,
    threads: Vec<usize>,
}

/// Finds candidates about up to `level` threads.
pub struct Finder<'a> {
    facts: &'a Facts<'a>,
    vocabulary: &'a Vocabulary,
    /// Formulas that may help, and the templates of their threads.
    hints: &'a [(Vec<u32>, Formula)],
    states: Vec<Execution>,
}

impl<'a> Finder<'a> {
    /// Runs the program at random.
    pub fn new(
        facts: &'a Facts<'a>,
        vocabulary: &'a Vocabulary,
        hints: &'a [(Vec<u32>, Formula)],
    ) -> Self {
        let mut states = Vec::new();
        sample::runs(facts, &mut |state| states.push(state.clone()));
        Finder { facts, vocabulary, hints, states }
    }

    /// The candidates of all choices of up to `level` places; or some of them, more than `most`.
    pub fn find(&self, level: usize, open: Open, most: usize) -> Candidates {
        let places = self.places();
        let mut all = vec![Vec::new()];
        let (mut found, mut said, mut count) = (Candidates::new(), Said::new(), 0);
        for size in 0..=level {
            if size > 0 {
                all = longer(&all, &places, &self.facts.many);
            }
            for chosen in &all {
                if solve::stopped() || count > most {
                    return found;
                }
                let formulas = self.about(chosen, open);
                let new = formulas.into_iter().filter(|f| !is_said(&said, chosen, f));
                let new: Vec<Formula> = new.collect();
                count += new.len();
                said.insert(chosen.clone(), new.iter().cloned().collect());
                found.insert(chosen.clone(), new);
            }
        }
        found
    }

    /// The places from which a step leads.
    fn places(&self) -> Vec<Place> {
        let commands = self.facts.commands.iter();
        let places = commands.map(|c| (super::number(c.template), c.source));
        places.collect::<BTreeSet<Place>>().into_iter().collect()
    }

    fn about(&self, places: &[Place], open: Open) -> Vec<Formula> {
        let templates: Vec<u32> = places.iter().map(|(template, _)| *template).collect();
        let views = self.views(places);
        let leaves = self.vocabulary.leaves(self.facts, &templates);
        let mut atoms = match open {
            Open::Hints => Vec::new(),
            _ => atoms(&leaves, self.vocabulary),
        };
        let distances = distances(&leaves, self.vocabulary);
        let new: Vec<Formula> = distances.iter().filter(|f| !atoms.contains(f)).cloned().collect();
        atoms.extend(new);
        atoms.extend(self.hints(&templates));
        let judged: Vec<Judged> =
            atoms.into_iter().map(|formula| self.judge(formula, &views)).collect();
        let holding = judged.iter().filter(|judged| judged.truths.iter().all(|t| *t));
        let mut out: Vec<Formula> = holding.map(|j| j.formula.clone()).collect();
        if views.is_empty() {
            out.insert(0, Formula::FALSE);
            return out;
        }
        let is_open = |j: &Judged| match open {
            Open::Hints | Open::Nothing => false,
            Open::Sampled => j.truths.contains(&false),
            Open::Given(known) => {
                let here = known.get(places).is_some_and(|all| all.contains(&j.formula));
                !here && !is_said(known, places, &j.formula)
            }
        };
        let open: Vec<Judged> = judged.into_iter().filter(is_open).collect();
        out.extend(self.implications(places, (&open, &distances), &views));
        out
    }

    /// Disjunctions of two that hold of all states, though neither is inductive.
    fn implications(
        &self,
        places: &[Place],
        (open, distances): (&[Judged], &BTreeSet<Formula>),
        views: &[View],
    ) -> Vec<Formula> {
        let mut out = Vec::new();
        for premise in self.enabled(places) {
            let premise = self.judge(premise, views);
            let some = premise.truths.iter().any(|t| !*t);
            if some {
                let implied = open.iter().filter(|other| premise.covers(other));
                out.extend(
                    implied.map(|j| Formula::or([premise.formula.clone(), j.formula.clone()])),
                );
            }
        }
        for (i, left) in open.iter().enumerate() {
            if solve::stopped() {
                break;
            }
            let (related, near) = (relates(&left.formula), distances.contains(&left.formula));
            if !related && !near {
                continue;
            }
            for (j, right) in open.iter().enumerate() {
                let again = j < i && relates(&right.formula);
                let pair = related && i != j && !again
                    || near && places.len() < 2 && in_ring(&right.formula);
                if pair && left.covers(right) {
                    out.push(Formula::or([left.formula.clone(), right.formula.clone()]));
                }
            }
        }
        out.retain(|f| !matches!(f, Formula::Const(_)));
        out.sort();
        out.dedup();
        out
    }

    /// That a thread cannot take a step from its place, for each step with a guard.
    fn enabled(&self, places: &[Place]) -> BTreeSet<Formula> {
        let mut out = BTreeSet::new();
        for (position, (template, location)) in (0..).zip(places) {
            let own =
                |c: &&Command| super::number(c.template) == *template && c.source == *location;
            for command in self.facts.commands.iter().filter(own) {
                let guard = Formula::and(command.guard.iter().cloned()).negate();
                if !guard.has_input() && !matches!(guard, Formula::Const(_)) {
                    out.insert(guard.rename(&mut |v| match v {
                        Var::Local(_, i) => Var::Local(position, i),
                        other => other,
                    }));
                }
            }
        }
        out
    }

    /// The hints about threads of these templates, in every order.
    fn hints(&self, templates: &[u32]) -> Vec<Formula> {
        let mut out = Vec::new();
        for (threads, formula) in self.hints {
            for positions in super::injections(threads, templates) {
                out.push(super::rename(formula, &positions));
            }
        }
        out
    }

    fn views(&self, places: &[Place]) -> Vec<View> {
        let mut views = Vec::new();
        for (state, execution) in self.states.iter().enumerate() {
            let at: Vec<Place> =
                execution.threads.iter().map(|t| (t.template, t.location)).collect();
            for threads in super::injections(places, &at) {
                views.push(View { state, threads });
            }
        }
        // Spread over the runs, which have more and more threads.
        let step = views.len().div_ceil(VIEWS).max(1);
        views.into_iter().step_by(step).collect()
    }

    fn judge(&self, formula: Formula, views: &[View]) -> Judged {
        let truths = views.iter().map(|view| {
            let state = &self.states[view.state];
            let values = |var| match var {
                Var::Global(i) => state.globals.get(index(i)),
                Var::Local(p, i) => state.threads[view.threads[index(p)]].locals.get(index(i)),
                Var::Input(_) => None,
            };
            sample::truth(&values, &formula).unwrap_or(true)
        });
        let truths = truths.collect();
        Judged { formula, truths }
    }
}

/// A formula and its truth value in each view.
struct Judged {
    formula: Formula,
    truths: Vec<bool>,
}

impl Judged {
    /// Whether one of the two holds in each view.
    fn covers(&self, other: &Judged) -> bool {
        self.truths.iter().zip(&other.truths).all(|(a, b)| *a || *b)
    }
}

/// Choices with one place more, in order; a single template has one thread.
fn longer(all: &[Vec<Place>], places: &[Place], many: &[bool]) -> Vec<Vec<Place>> {
    let mut out = Vec::new();
    for chosen in all {
        for place in places {
            let after = chosen.last().is_none_or(|last| match many[index(place.0)] {
                true => last <= place,
                false => last.0 < place.0,
            });
            if after {
                out.push([chosen.as_slice(), &[*place]].concat());
            }
        }
    }
    out
}

/// Whether a candidate about fewer of the places says the same.
fn is_said(said: &Said, places: &[Place], formula: &Formula) -> bool {
    (0..places.len()).any(|omitted| {
        let mut fewer = places.to_vec();
        fewer.remove(omitted);
        let omitted = super::number(omitted);
        let mut about = false;
        formula.variables(&mut |v| about |= matches!(v, Var::Local(p, _) if p == omitted));
        let moved = || {
            formula.rename(&mut |v| match v {
                Var::Local(p, i) if p > omitted => Var::Local(p - 1, i),
                other => other,
            })
        };
        !about && said.get(&fewer).is_some_and(|known| known.contains(&moved()))
    })
}

/// Comparisons of integers of one class and with its constants, and truth values.
fn atoms(leaves: &Leaves, vocabulary: &Vocabulary) -> Vec<Formula> {
    let mut out = Vec::new();
    for leaf in &leaves.booleans {
        out.push(Formula::Bool(leaf.clone(), true));
        out.push(Formula::Bool(leaf.clone(), false));
    }
    for (i, (leaf, class)) in leaves.integers.iter().enumerate() {
        let others = || {
            let same = leaves.integers[..i].iter().filter(|(_, other)| other == class);
            same.map(|(other, _)| other)
        };
        let pairs = others().filter(|other| !is_remainder(leaf) || !is_remainder(other));
        let sums = pairs.map(|other| Linear::leaf(other.clone()));
        let constants = vocabulary.constants(*class).into_iter().map(Linear::constant);
        for other in sums.chain(constants) {
            let own = Linear::leaf(leaf.clone());
            if vocabulary.ordered(*class) {
                out.push(Formula::le(own.clone(), other.clone()));
                out.push(Formula::le(other.clone(), own.clone()));
                out.push(Formula::lt(own.clone(), other.clone()));
                out.push(Formula::lt(other.clone(), own.clone()));
            }
            out.push(Formula::equal(own.clone(), other.clone()));
            out.push(Formula::linear(Relation::Ne, own.sub(other)));
        }
        for divisor in vocabulary.strides(*class) {
            let remainder = Linear::leaf(leaf.clone()).remainder(&divisor.into());
            let value = |value: u32| Linear::constant(value.into());
            out.extend((0..divisor).map(|r| Formula::equal(remainder.clone(), value(r))));
        }
    }
    out
}

/// How far apart integers of a class are that are divided, at most.
fn distances(leaves: &Leaves, vocabulary: &Vocabulary) -> BTreeSet<Formula> {
    let mut out = BTreeSet::new();
    for (leaf, class) in &leaves.integers {
        let Some(greatest) = vocabulary.divisors(*class).into_iter().max() else { continue };
        let others = leaves.integers.iter().filter(|(other, of)| of == class && other != leaf);
        for (other, _) in others {
            for distance in 0..=greatest {
                let sum = Linear::leaf(other.clone()).add(Linear::constant(distance.into()));
                out.insert(Formula::le(Linear::leaf(leaf.clone()), sum));
            }
        }
    }
    out
}

/// Whether an atom is about one cell of a ring buffer.
fn in_ring(formula: &Formula) -> bool {
    match formula {
        Formula::Bool(leaf, _) => is_remainder(leaf),
        Formula::Linear(_, form) => form.terms.len() == 1 && is_remainder(&form.terms[0].0),
        _ => false,
    }
}

/// Whether a leaf is an array's element at a remainder.
fn is_remainder(leaf: &Leaf) -> bool {
    let divides = |(leaf, _): &(Leaf, _)| matches!(leaf, Leaf::Quotient(_));
    matches!(leaf, Leaf::Read(read) if read.1.terms.iter().any(divides))
}

/// Whether an atom relates locals of two threads, no elements of arrays.
fn relates(formula: &Formula) -> bool {
    let Formula::Linear(_, form) = formula else { return false };
    let mut threads = BTreeSet::new();
    let local = form.terms.iter().all(|(leaf, _)| match leaf {
        Leaf::Var(Var::Local(p, _)) => {
            threads.insert(*p);
            true
        }
        _ => false,
    });
    local && threads.len() > 1
}

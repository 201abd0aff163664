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

/// How much candidates may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Comparisons and truth values.
    Atoms,
    /// Also that one of them, or that a thread can take a step, implies another.
    Implications,
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
    shape: Shape,
}

impl<'a> Finder<'a> {
    /// Runs the program at random.
    pub fn new(
        facts: &'a Facts<'a>,
        vocabulary: &'a Vocabulary,
        hints: &'a [(Vec<u32>, Formula)],
        shape: Shape,
    ) -> Self {
        let mut states = Vec::new();
        sample::runs(facts, &mut |state| states.push(state.clone()));
        Finder { facts, vocabulary, hints, states, shape }
    }

    /// The candidates of all choices of up to `level` places.
    pub fn find(&self, level: usize) -> Candidates {
        let places = self.places();
        let mut all = vec![Vec::new()];
        let mut found = Candidates::new();
        for size in 0..=level {
            if size > 0 {
                all = longer(&all, &places, &self.facts.many);
            }
            for chosen in &all {
                if solve::stopped() {
                    return found;
                }
                let formulas = self.about(chosen);
                let new = formulas.into_iter().filter(|f| !said(&found, chosen, f));
                let new: Vec<Formula> = new.collect();
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

    fn about(&self, places: &[Place]) -> Vec<Formula> {
        let templates: Vec<u32> = places.iter().map(|(template, _)| *template).collect();
        let views = self.views(places);
        let leaves = self.vocabulary.leaves(self.facts, &templates);
        let mut atoms = atoms(&leaves, self.vocabulary);
        atoms.extend(self.hints(&templates));
        let (holding, open): (Vec<Judged>, Vec<Judged>) = atoms
            .into_iter()
            .map(|formula| self.judge(formula, &views))
            .partition(|judged| judged.truths.iter().all(|t| *t));
        let mut out: Vec<Formula> = holding.into_iter().map(|j| j.formula).collect();
        if views.is_empty() {
            out.insert(0, Formula::FALSE);
        } else if self.shape == Shape::Implications {
            out.extend(self.implications(places, &open, &views));
        }
        out
    }

    /// Disjunctions of two that hold of all states, though neither does.
    fn implications(&self, places: &[Place], open: &[Judged], views: &[View]) -> Vec<Formula> {
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
        for (i, left) in open.iter().enumerate().filter(|(_, j)| relates(&j.formula)) {
            if solve::stopped() {
                break;
            }
            for (j, right) in open.iter().enumerate() {
                let again = j < i && relates(&right.formula);
                if i != j && !again && left.covers(right) {
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
fn said(found: &Candidates, places: &[Place], formula: &Formula) -> bool {
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
        !about && found.get(&fewer).is_some_and(|known| known.contains(&moved()))
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
        let others = leaves.integers[..i].iter().filter(|(_, other)| other == class);
        let others = others.map(|(other, _)| Linear::leaf(other.clone()));
        let constants = vocabulary.constants(*class).into_iter().map(Linear::constant);
        for other in others.chain(constants) {
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
    }
    out
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

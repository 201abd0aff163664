//! Invariants of conformance by predicate abstraction, where Spacer has none ("Abstract Threads",
//! Section 3): all valuations of the candidates and of some predicates over locals that executions
//! may reach.
//!
//! The predicates are the atoms over locals that occur in what has to be shown; where they do not
//! exclude failure, comparisons of locals are added, and what must hold before a step for one of
//! them to hold after it.

use super::clauses::{Inputs, Terms, arguments};
use crate::control::Control;
use crate::logic::rewrite::Rewrite as _;
use crate::solve::{self, encode, solver};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::conformance::{
    ABSTRACT, CANDIDATES, CONCRETE, Pair, Values, locations,
};
use threadproof_format::program::{Edge, Template};
use threadproof_format::work::Seq;
use threadproof_format::{Cmp, Expr, Op, Sort};
use z3::ast::Bool;
use z3::{SatResult, Solver};

/// The most predicates beside the candidates.
const PREDICATES: usize = 24;

/// The most valuations that are reached, in all.
const VALUATIONS: usize = 2_000;

/// How often predicates are added.
const ITERATIONS: usize = 4;

/// What predicates are true.
type Valuation = Vec<bool>;

/// Why predicate abstraction finds no invariants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PredicateError {
    /// The abstract thread is not of the form that certificates know.
    #[error(transparent)]
    Form(Reason),
    /// A valuation is reached in which failure is not excluded.
    #[error("the predicates over the locals that occur do not suffice")]
    TooWeak,
    /// The checker does not form what has to be shown.
    #[error("the threads are too large for predicate abstraction")]
    TooLarge(#[from] Reason),
    /// Too many valuations are reached.
    #[error("predicate abstraction reaches too many valuations")]
    TooMany,
    /// The caller asked to stop.
    #[error("predicate abstraction was stopped")]
    Stopped,
    /// z3 does not know whether there is another valuation.
    #[error("z3 returned unknown")]
    Unknown,
    /// z3 says that there is a valuation, but has no model.
    #[error("z3 returned no model")]
    NoModel,
    /// z3's model leaves out a predicate.
    #[error("z3's model has no values")]
    NoValues,
}

/// The invariants of the concrete thread's locations that are no errors, in order; `hints` are
/// further predicates.
///
/// # Errors
/// Why none were found.
pub fn solve(
    pair: &Pair,
    copies: &Seq<u32>,
    hints: &[Expr],
    control: &Control,
) -> Result<Vec<Expr>, PredicateError> {
    let nodes = nodes(&pair.abstraction).map_err(PredicateError::Form)?;
    let nodes: Vec<Expr> =
        nodes.into_iter().map(|x| Expr(vec![Op::Local(CANDIDATES, x)])).collect();
    let mut predicates = occurring(pair, copies).map_err(PredicateError::Form)?;
    add(&mut predicates, hints.iter().flat_map(|hint| atoms(pair, hint)));
    for _ in 0..ITERATIONS {
        let all = [&nodes[..], &predicates].concat();
        let abstraction = Abstraction { pair, copies, predicates: &all };
        match abstraction.explore(control) {
            Ok(reached) => return Ok(abstraction.invariants(&reached)),
            Err(PredicateError::TooWeak) => {}
            Err(other) => return Err(other),
        }
        let more = [comparisons(pair), weakest(pair, &predicates)].concat();
        if !add(&mut predicates, more) {
            break;
        }
    }
    Err(PredicateError::TooWeak)
}

/// Adds those that are new, as long as there is room; whether there were any.
fn add(predicates: &mut Vec<Expr>, more: impl IntoIterator<Item = Expr>) -> bool {
    let count = predicates.len();
    for new in more {
        if predicates.len() < PREDICATES && !predicates.contains(&new) {
            predicates.push(new);
        }
    }
    predicates.len() > count
}

/// The locations of a thread that are no error locations.
fn nodes(thread: &Template) -> Result<Seq<u32>, Reason> {
    Ok(locations(thread, &Budget::default())?)
}

/// The atoms over locals in what has to be shown, and what the concrete thread's locals are set to.
fn occurring(pair: &Pair, copies: &Seq<u32>) -> Result<Vec<Expr>, Reason> {
    let mut predicates = Vec::new();
    let (premises, goal, _) = pair.beginning(copies, &Budget::default())?;
    let mut formulas = [premises, vec![goal]].concat();
    for edge in &pair.concrete.edges {
        let (body, _) =
            pair.transition(copies, edge, &nodes(&pair.abstraction)?, &Budget::default())?;
        formulas.extend(body);
        formulas.extend(edge.updates.iter().map(|(variable, value)| {
            let ops = [variable].into_iter().chain(&value.0).cloned();
            Expr(ops.chain([Op::Cmp(Cmp::Eq)]).collect())
        }));
    }
    add(&mut predicates, formulas.iter().flat_map(|formula| atoms(pair, formula)));
    Ok(predicates)
}

/// Integer locals against each other and against zero: what follows of comparisons with globals.
fn comparisons(pair: &Pair) -> Vec<Expr> {
    let integer = |(op, sort): (Op, Sort)| (sort == Sort::Int).then(|| Expr(vec![op]));
    let mut terms: Vec<Expr> = arguments(pair).into_iter().filter_map(integer).collect();
    terms.push(Expr(vec![Op::Int(0.into())]));
    let pairs = terms.iter().enumerate().flat_map(|(i, a)| {
        let others = terms.iter().skip(i + 1);
        others.flat_map(move |b| [(a, b), (b, a)])
    });
    let at_most = |(a, b): (&Expr, &Expr)| {
        Expr(a.0.iter().chain(&b.0).cloned().chain([Op::Cmp(Cmp::Le)]).collect())
    };
    pairs.map(at_most).collect()
}

/// The atoms that must hold before some step of the concrete thread for a predicate to hold after
/// it.
fn weakest(pair: &Pair, predicates: &[Expr]) -> Vec<Expr> {
    let mut before = Vec::new();
    for edge in &pair.concrete.edges {
        for predicate in predicates {
            before.extend(atoms(pair, &after(predicate, &edge.updates)));
        }
    }
    before
}

/// A formula after some variables have got new values.
fn after(formula: &Expr, values: &Values) -> Expr {
    let values: BTreeMap<&Op, &Expr> = values.iter().map(|(v, e)| (v, e)).collect();
    formula.substitute(|op| values.get(op).map(|value| value.0.clone()))
}

/// The comparisons and truth values within a formula that are about scalar locals alone.
fn atoms(pair: &Pair, formula: &Expr) -> Vec<Expr> {
    let local = |op: &Op| match op {
        Op::Local(CONCRETE | ABSTRACT, _) => pair
            .sort(op, None, &Budget::default())
            .is_ok_and(|sort| matches!(sort, Sort::Int | Sort::Bool)),
        _ => !op.is_symbol(),
    };
    let truth = |op: &Op| {
        matches!(op, Op::Local(..)) && pair.sort(op, None, &Budget::default()) == Ok(Sort::Bool)
    };
    let mut found = Vec::new();
    // Where the operands on the stack begin.
    let mut begins: Vec<usize> = Vec::new();
    for (end, op) in formula.0.iter().enumerate() {
        let first = begins.len().saturating_sub(op.arity());
        let begin = begins.get(first).copied().unwrap_or(end);
        begins.truncate(first);
        begins.push(begin);
        let part = &formula.0[begin..=end];
        let about = part.iter().any(Op::is_symbol) && part.iter().all(local);
        if about && (matches!(op, Op::Cmp(_)) || truth(op)) {
            found.push(Expr(part.to_vec()));
        }
    }
    found
}

/// The conformance checker over valuations.
struct Abstraction<'a> {
    pair: &'a Pair<'a>,
    copies: &'a Seq<u32>,
    /// The candidates, then predicates over locals.
    predicates: &'a [Expr],
}

/// The valuations that may be reached, by location.
type Reached = BTreeMap<u32, BTreeSet<Valuation>>;

/// A step of the concrete thread: what holds of it, with the truth of the predicates before and
/// after it.
struct Query {
    solver: Solver,
    before: Vec<Bool>,
    after: Vec<Bool>,
}

impl Abstraction<'_> {
    fn explore(&self, control: &Control) -> Result<Reached, PredicateError> {
        let pair = self.pair;
        let places = nodes(&pair.concrete)?;
        let candidates = nodes(&pair.abstraction)?.len();
        let edges = pair.concrete.edges.iter().filter(|e| places.contains(&e.source));
        let edges: Vec<(&Edge, Query)> =
            edges.map(|e| Ok((e, self.edge(e, &places)?))).collect::<Result<_, Reason>>()?;
        let mut reached = Reached::new();
        let mut todo: Vec<(u32, Valuation)> = Vec::new();
        let mut come = |location: u32, valuations, todo: &mut Vec<_>| {
            for valuation in valuations {
                if reached.entry(location).or_default().insert(Valuation::clone(&valuation)) {
                    todo.push((location, valuation));
                }
            }
            match reached.values().map(BTreeSet::len).sum::<usize>() {
                0..=VALUATIONS => Ok(()),
                _ => Err(PredicateError::TooMany),
            }
        };
        come(0, self.start()?, &mut todo)?;
        while let Some((location, valuation)) = todo.pop() {
            if control.should_stop() {
                return Err(PredicateError::Stopped);
            }
            if !valuation[..candidates].contains(&true) {
                return Err(PredicateError::TooWeak);
            }
            for (edge, query) in edges.iter().filter(|(e, _)| e.source == location) {
                let next = query.next(Some(&valuation))?;
                if places.contains(&edge.target) {
                    come(edge.target, next, &mut todo)?;
                } else if !next.is_empty() {
                    return Err(PredicateError::TooWeak);
                }
            }
        }
        Ok(reached)
    }

    /// The valuations at the start.
    fn start(&self) -> Result<Vec<Valuation>, PredicateError> {
        let (premises, goal, values) = self.pair.beginning(self.copies, &Budget::default())?;
        let wrong = self.query(&[premises.clone(), vec![goal.negate()]].concat(), None, None);
        if !wrong.next(None)?.is_empty() {
            return Err(PredicateError::TooWeak);
        }
        self.query(&premises, Some(&values), None).next(None)
    }

    /// A step by an edge, or the error that it is.
    fn edge(&self, edge: &Edge, places: &[u32]) -> Result<Query, Reason> {
        if !places.contains(&edge.target) {
            return Ok(self.query(
                &self.pair.wrong_alone(edge, &Budget::default())?,
                None,
                Some(&edge.inputs),
            ));
        }
        let nodes = nodes(&self.pair.abstraction)?;
        let budget = &Budget::default();
        let (body, values) = self.pair.transition(self.copies, edge, &nodes, budget)?;
        Ok(self.query(&body, Some(&values), Some(&edge.inputs)))
    }

    /// What formulas say together, with the predicates before and, if there are new values, after.
    fn query(&self, body: &[Expr], values: Option<&Values>, inputs: Inputs) -> Query {
        let mut terms = Terms::default();
        let mut formula = |expr: &Expr| {
            let mut leaf = |op: &Op| {
                let sort = self
                    .pair
                    .sort(op, inputs, &Budget::default())
                    .expect("what an obligation is about");
                terms.variable(op, sort)
            };
            encode::formula(expr, &mut leaf)
        };
        let solver = solver();
        body.iter().for_each(|part| solver.assert(formula(part)));
        let before = self.predicates.iter().map(&mut formula).collect();
        let after = values.map_or_else(Vec::new, |values| {
            self.predicates.iter().map(|p| formula(&after(p, values))).collect()
        });
        Query { solver, before, after }
    }

    /// For each location what holds in all its valuations.
    fn invariants(&self, reached: &Reached) -> Vec<Expr> {
        let none = BTreeSet::new();
        let at = |location| self.one_of(reached.get(&location).unwrap_or(&none));
        nodes(&self.pair.concrete).into_iter().flatten().map(at).collect()
    }

    /// One of the valuations holds.
    fn one_of(&self, valuations: &BTreeSet<Valuation>) -> Expr {
        let cubes = cubes(valuations).into_iter();
        let cubes = cubes.map(|cube| {
            let literals = self.predicates.iter().zip(cube).filter_map(|(predicate, value)| {
                let predicate = predicate.clone();
                value.map(|holds| if holds { predicate } else { predicate.negate() })
            });
            joined(literals, true)
        });
        joined(cubes, false)
    }
}

impl Query {
    /// The valuations after it, from one before it if there is one.
    fn next(&self, before: Option<&Valuation>) -> Result<Vec<Valuation>, PredicateError> {
        self.solver.push();
        for (term, holds) in self.before.iter().zip(before.into_iter().flatten()) {
            self.solver.assert(term.iff(Bool::from_bool(*holds)));
        }
        let found = self.all();
        self.solver.pop(1);
        found
    }

    /// All valuations after it of what the solver has.
    fn all(&self) -> Result<Vec<Valuation>, PredicateError> {
        let mut found = Vec::new();
        loop {
            match solve::check(&self.solver) {
                SatResult::Unsat => return Ok(found),
                SatResult::Unknown => return Err(PredicateError::Unknown),
                SatResult::Sat => {}
            }
            let model = self.solver.get_model().ok_or(PredicateError::NoModel)?;
            let value = |term: &Bool| model.eval(term, true)?.as_bool();
            let valuation = self.after.iter().map(value).collect::<Option<Valuation>>();
            let valuation = valuation.ok_or(PredicateError::NoValues)?;
            let terms = self.after.iter().zip(&valuation);
            let differs: Vec<Bool> =
                terms.map(|(term, holds)| term.iff(Bool::from_bool(!holds))).collect();
            self.solver.assert(Bool::or(&differs));
            found.push(valuation);
        }
    }
}

/// Valuations as fewer ones, in which some predicates do not matter.
fn cubes(valuations: &BTreeSet<Valuation>) -> BTreeSet<Vec<Option<bool>>> {
    let mut cubes: BTreeSet<Vec<Option<bool>>> =
        valuations.iter().map(|v| v.iter().copied().map(Some).collect()).collect();
    let mut place = 0;
    while place < cubes.first().map_or(0, Vec::len) {
        let (mut merged, before) = (BTreeSet::new(), cubes.len());
        for cube in &cubes {
            let mut other = cube.clone();
            other[place] = cube[place].map(|holds| !holds);
            let mut new = cube.clone();
            if cubes.contains(&other) {
                new[place] = None;
            }
            merged.insert(new);
        }
        // What was merged at one place can be merged at an earlier one.
        place = if merged.len() < before { 0 } else { place + 1 };
        cubes = merged;
    }
    cubes
}

/// All of some formulas, or one of them.
fn joined(parts: impl Iterator<Item = Expr>, all: bool) -> Expr {
    let both = |mut left: Expr, right: Expr| {
        left.0.extend(right.0);
        left.0.push(if all { Op::And } else { Op::Or });
        left
    };
    parts.reduce(both).unwrap_or_else(|| Expr::bool(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::tp;
    use threadproof_checker::internals::core_form;
    use threadproof_format::proof::abstraction::Conformance;

    /// A thread that counts up to a bound before it writes, and the abstract thread `edge`.
    fn programs(start: i32, edge: &str) -> [String; 2] {
        let concrete = format!(
            "core 1; global g: int; init g == 0;
             many t {{
               local i: int; init i == {start};
               location loop; location done; location bad error;
               edge loop -> loop {{ when i < 7; i := i + 1; }}
               edge loop -> done {{ when i >= 7; g := i; }}
               edge done -> bad {{ when i != 7; }}
             }}"
        );
        let abstraction = format!(
            "core 1; global g: int; init g == 0;
             many a {{
               location wait; location rest;
               edge wait -> wait {{ }} edge rest -> rest {{ }}
               edge wait -> rest {{ input next: int; when {edge}; g := next; }}
             }}"
        );
        [concrete, abstraction]
    }

    /// Invariants that the checker accepts as a proof of conformance.
    fn proved(pair: &Pair) -> Result<Vec<Expr>, PredicateError> {
        let copies = super::super::copies(pair).expect("each local is a copy");
        let invariants = solve(pair, &copies, &[], &Control::default())?;
        let refutations = Vec::new();
        let draft = Conformance { copies, invariants: invariants.clone(), refutations };
        let proof = super::super::complete(pair, draft, &Control::default());
        let proof = proof.expect("the invariants are inductive");
        pair.check(&proof, &Budget::default()).expect("the checker accepts it");
        Ok(invariants)
    }

    fn invariants(start: i32, edge: &str) -> Result<Vec<Expr>, PredicateError> {
        let [concrete, abstraction] =
            programs(start, edge).map(|text| core_form::parse(&text).expect("a program").0);
        let budget = Budget::default();
        proved(&Pair::new((&concrete, 0), (&abstraction, 0), &budget).expect("a pair"))
    }

    /// Without Spacer, for every thread of the paper's drivers and of other programs of the corpus.
    #[test]
    fn it_suffices_for_the_corpus() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/abstract/");
        for name in ["bluetooth_abstract", "battery", "mixed", "nested", "array", "ticker"] {
            let path = format!("{folder}{name}.tp");
            let text = std::fs::read_to_string(&path).expect("a program");
            let lowered = tp::lower(&path, &text).unwrap_or_else(|errors| panic!("{errors}"));
            let programs = lowered.abstractions.iter().map(|layer| &layer.program);
            let mut concrete = &lowered.program;
            for abstraction in programs {
                for of in (0..).take(concrete.templates.len()) {
                    let budget = &Budget::default();
                    let pair = Pair::new((concrete, of), (abstraction, of), budget);
                    let pair = pair.expect("a pair");
                    if !pair.same(&Budget::default()).unwrap() {
                        proved(&pair).unwrap_or_else(|why| panic!("{name}: {why}"));
                    }
                }
                concrete = abstraction;
            }
        }
    }

    #[test]
    fn a_loops_invariant_is_found_and_proved() {
        for edge in ["next == 7", "next > 6", "next < 9 && next >= 2"] {
            assert_eq!(invariants(0, edge).expect(edge).len(), 2);
        }
    }

    #[test]
    fn without_conformance_there_is_none() {
        // It writes something else, or begins too far up and then goes wrong.
        assert_eq!(invariants(0, "next == 6"), Err(PredicateError::TooWeak));
        assert_eq!(invariants(8, "next > 6"), Err(PredicateError::TooWeak));
    }

    #[test]
    fn valuations_are_merged_where_a_predicate_does_not_matter() {
        let all = BTreeSet::from([vec![true, true], vec![true, false], vec![false, true]]);
        let merged = BTreeSet::from([vec![None, Some(true)], vec![Some(true), Some(false)]]);
        assert_eq!(cubes(&all), merged);
        let all: BTreeSet<Valuation> =
            [[false; 2], [true; 2], [true, false], [false, true]].map(Vec::from).into();
        assert_eq!(cubes(&all), BTreeSet::from([vec![None, None]]));
    }
}

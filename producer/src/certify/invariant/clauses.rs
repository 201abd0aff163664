//! A clause of an invariant as configurations: for each choice of which quantified threads are the
//! same, and of their locations as far as they matter, what holds of the data.

use super::Failure;
use crate::invariant::{Assertion, Clause, Invariant};
use crate::logic::model::index;
use crate::logic::rewrite::Rewrite as _;
use std::collections::BTreeSet;
use threadproof_checker::error::Budget;
use threadproof_checker::error::Reason;
use threadproof_checker::internals::scope::Scope;
use threadproof_checker::internals::sorts::require;
use threadproof_format::limits::MAX_ARITY;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::proof_space::Slot;
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// What a clause says of different threads at given locations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The clause.
    pub clause: usize,
    /// Which of the threads each quantified thread is.
    pub chosen: Vec<u32>,
    /// The threads, those of single templates last; these have a location.
    pub slots: Vec<Slot>,
    /// What holds of them; its last operator is no conjunction. Its positions are those of slots.
    pub formula: Expr,
}

/// All that an invariant says. Where the threads of the `counted` single templates are is always
/// told by counters.
///
/// # Errors
/// `TooManyThreads`, or `Refused` if it is not about this program.
pub fn located(
    program: &Program,
    invariant: &Invariant,
    counted: &BTreeSet<u32>,
) -> Result<Vec<Located>, Failure> {
    let mut list = Vec::new();
    for (number, clause) in invariant.clauses.iter().enumerate() {
        well_formed(program, clause)?;
        let mut chosen = Chosen { program, clause, number, counted, list: &mut list };
        chosen.choose(&mut Vec::new(), &mut Vec::new(), clause.formula.clone())?;
    }
    Ok(list)
}

/// Checks that a clause speaks of threads, locations and variables that there are.
fn well_formed(program: &Program, clause: &Clause) -> Result<(), Reason> {
    let thread = |i: u32| clause.threads.get(index(i)).ok_or(Reason::Index("thread"));
    let at = |of: u32, at: &BTreeSet<u32>| {
        let template = program.templates.get(index(of)).ok_or(Reason::Index("template"))?;
        let known = at.iter().all(|l| index(*l) < template.locations.len());
        if known { Ok(template.is_many()) } else { Err(Reason::Index("location")) }
    };
    for of in &clause.threads {
        if !at(*of, &BTreeSet::new())? {
            return Err(Reason::Instance("a position of a single template"));
        }
    }
    let mut wrong = Ok(());
    let _ = clause.formula.replace(&mut |part| {
        let checked = match part {
            Assertion::Data(data) => {
                let threads = clause.threads.iter().copied().map(Some).collect();
                let scope = Scope { program, threads, inputs: None };
                require(
                    data,
                    Sort::Bool,
                    &|op| scope.sort(op, &Budget::default()),
                    &Budget::default(),
                )
            }
            Assertion::At(i, locations) => thread(*i).and_then(|of| at(*of, locations)).map(drop),
            Assertion::SingleAt(of, locations) => match at(*of, locations) {
                Ok(true) => Err(Reason::Instance("not a single template")),
                other => other.map(drop),
            },
            Assertion::Same(a, b) => thread(*a).and(thread(*b)).map(drop),
            Assertion::Not(_) | Assertion::And(_) | Assertion::Or(_) => Ok(()),
        };
        if wrong.is_ok() {
            wrong = checked;
        }
        None
    });
    wrong
}

/// The locations of a template that are no error locations: an invariant says nothing of these.
fn clean(template: &Template) -> BTreeSet<u32> {
    (0..).zip(&template.locations).filter(|(_, l)| !l.error).map(|(l, _)| l).collect()
}

struct Chosen<'a> {
    program: &'a Program,
    clause: &'a Clause,
    number: usize,
    counted: &'a BTreeSet<u32>,
    list: &'a mut Vec<Located>,
}

impl Chosen<'_> {
    /// Goes through the ways in which the quantified threads may be the same; a choice that makes
    /// the formula true is not followed.
    fn choose(
        &mut self,
        chosen: &mut Vec<u32>,
        templates: &mut Vec<u32>,
        formula: Assertion,
    ) -> Result<(), Failure> {
        if formula.value() == Some(true) {
            return Ok(());
        }
        let Some(template) = self.clause.threads.get(chosen.len()).copied() else {
            return self.distinct(chosen, templates, &formula);
        };
        for thread in 0..=templates.len() {
            let new = thread == templates.len();
            if !new && templates[thread] != template {
                continue;
            }
            chosen.push(u32::try_from(thread).unwrap_or(u32::MAX));
            if new {
                templates.push(template);
            }
            let known = |a: u32| chosen.get(index(a)).copied();
            let decided = formula.replace(&mut |part| match part {
                Assertion::Same(a, b) => Some(Assertion::constant(known(*a)? == known(*b)?)),
                _ => None,
            });
            self.choose(chosen, templates, decided)?;
            chosen.pop();
            if new {
                templates.pop();
            }
        }
        Ok(())
    }

    /// What the formula says of different threads.
    fn distinct(
        &mut self,
        chosen: &[u32],
        templates: &[u32],
        formula: &Assertion,
    ) -> Result<(), Failure> {
        if templates.len() > MAX_ARITY {
            return Err(Failure::TooManyThreads(self.number));
        }
        let formula = formula.replace(&mut |part| match part {
            Assertion::Data(data) => Some(Assertion::Data(data.rename(chosen))),
            Assertion::At(thread, at) => {
                Some(Assertion::At(chosen.get(index(*thread)).copied()?, at.clone()))
            }
            _ => None,
        });
        let templates = &self.with_singles(templates, &formula);
        let anywhere = |t: &u32| self.program.templates.get(index(*t)).map(clean);
        let allowed: Vec<_> = templates.iter().filter_map(anywhere).collect();
        let parts = match formula {
            Assertion::And(parts) => parts,
            other => vec![other],
        };
        for part in parts {
            self.split(chosen, templates, &part, allowed.clone());
        }
        Ok(())
    }

    /// The templates of the threads, then the single templates whose location the formula mentions.
    fn with_singles(&self, threads: &[u32], formula: &Assertion) -> Vec<u32> {
        let mut singles = BTreeSet::new();
        let _ = formula.replace(&mut |part| {
            if let Assertion::SingleAt(of, _) = part {
                singles.insert(*of);
            }
            None
        });
        threads.iter().copied().chain(singles).collect()
    }

    /// Decides the conditions on locations one after the other, each for the locations that are
    /// still allowed.
    fn split(
        &mut self,
        chosen: &[u32],
        templates: &[u32],
        formula: &Assertion,
        allowed: Vec<BTreeSet<u32>>,
    ) {
        let mut open = None;
        let formula = formula.replace(&mut |part| {
            let (thread, at) = match part {
                Assertion::At(thread, at) => (index(*thread), at),
                Assertion::SingleAt(of, at) => (templates.iter().position(|t| t == of)?, at),
                _ => return None,
            };
            let allowed = allowed.get(thread)?;
            if allowed.is_subset(at) || allowed.is_disjoint(at) {
                return Some(Assertion::constant(allowed.is_subset(at)));
            }
            open.get_or_insert((thread, at.clone()));
            None
        });
        match (open, formula) {
            (_, Assertion::Data(data)) => {
                for formula in conjuncts(&data) {
                    self.locate(chosen, templates, &formula, &allowed);
                }
            }
            // Where no condition is open, the normal form is data.
            (None, _) => {}
            (Some((thread, at)), formula) => {
                for inside in [true, false] {
                    let mut allowed = allowed.clone();
                    allowed[thread].retain(|l| at.contains(l) == inside);
                    self.split(chosen, templates, &formula, allowed);
                }
            }
        }
    }

    /// Each thread at each location that is allowed, or without location if all are. A single
    /// template's thread that may be at several locations has no slot: counters tell where it is.
    fn locate(
        &mut self,
        chosen: &[u32],
        templates: &[u32],
        formula: &Expr,
        allowed: &[BTreeSet<u32>],
    ) {
        let mut formula = formula.clone();
        let mut choices: Vec<Vec<Slot>> = vec![Vec::new()];
        for (of, allowed) in templates.iter().zip(allowed) {
            let Some(template) = self.program.templates.get(index(*of)) else { continue };
            let all = clean(template) == *allowed;
            let locations: Vec<Option<u32>> = match (template.is_many(), all) {
                (true, true) => vec![None],
                (false, true) => continue,
                (false, false) if allowed.len() > 1 || self.counted.contains(of) => {
                    formula = elsewhere(*of, allowed, formula);
                    continue;
                }
                (_, false) => allowed.iter().copied().map(Some).collect(),
            };
            let longer = |before: &Vec<Slot>| {
                let before = before.clone();
                locations.iter().map(move |l| [&before[..], &[Slot(*of, *l)]].concat())
            };
            choices = choices.iter().flat_map(longer).collect::<Vec<_>>();
        }
        self.list.extend(choices.into_iter().map(|slots| Located {
            clause: self.number,
            chosen: chosen.to_vec(),
            slots,
            formula: formula.clone(),
        }));
    }
}

/// The formula, unless the single template's thread is at none of these locations.
fn elsewhere(of: u32, at: &BTreeSet<u32>, formula: Expr) -> Expr {
    let mut ops = Vec::new();
    for location in at {
        let first = ops.is_empty();
        ops.push(Op::Count(of, *location));
        if !first {
            ops.push(Op::Add);
        }
    }
    ops.extend([Op::Int(Int(1.into())), Op::Cmp(Cmp::Lt)]);
    if formula != Expr::bool(false) {
        ops.extend(formula.0);
        ops.push(Op::Or);
    }
    Expr(ops)
}

/// A formula as a list of formulas whose last operator is no conjunction, and which hold together.
fn conjuncts(formula: &Expr) -> Vec<Expr> {
    let ops = &formula.0;
    let mut list = Vec::new();
    let mut todo = vec![(0..ops.len(), true)];
    while let Some((range, positive)) = todo.pop() {
        let Some(last) = range.end.checked_sub(1).filter(|last| range.contains(last)) else {
            continue;
        };
        match (&ops[last], positive) {
            (Op::And, true) | (Op::Or, false) => {
                let middle = operand(ops, last);
                todo.extend([(middle..last, positive), (range.start..middle, positive)]);
            }
            (Op::Not, _) => todo.push((range.start..last, !positive)),
            (Op::Bool(value), _) if *value == positive => {}
            _ => {
                let part = Expr(ops[range].to_vec());
                list.push(if positive { part } else { part.negate() });
            }
        }
    }
    list
}

/// Where the last operand of the operator at `end` begins.
fn operand(ops: &[Op], end: usize) -> usize {
    let mut missing = 1;
    let mut at = end;
    while missing > 0 && at > 0 {
        at -= 1;
        missing = missing - 1 + ops[at].arity();
    }
    at
}

//! From contradictory clauses to a small refutation.

use super::RefuteError;
use super::propagation::{Clauses, Propagation};
use super::sat;
use super::search::{Found, Lemma, array_clause};
use crate::certify::arithmetic::integers::Sum;
use std::collections::HashMap;
use std::num::TryFromIntError;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::terms::Variable;
use threadproof_format::Int;
use threadproof_format::refutation::{Farkas, Linear, Lit, Propagate, Refutation, Step};

/// Lemmas up to which each is tried to be left out.
const MAX_THINNING: usize = 60;

const LOST: RefuteError = RefuteError::GaveUp("the propositional proof is incomplete");

/// Turns contradictory clauses into a refutation: thins out the lemmas, derives the empty clause
/// and keeps what it needs.
///
/// # Errors
/// If the solver's derivation is incomplete, or the checker refuses a lemma.
pub fn assemble(obligation: &Obligation, found: Found) -> Result<Refutation, RefuteError> {
    let kept = thin_out(&found);
    let mut all = found.clauses.clone();
    let usable = |clause: usize| kept.get(clause).is_none_or(|kept| *kept);
    if let Propagation::Open(_) = all.propagate(&[], usable) {
        let clauses: Vec<&[Lit]> = usable_clauses(&found.clauses, &kept);
        for clause in sat::derivation(&clauses).ok_or(LOST)? {
            all.add(clause);
        }
    }
    let derivations = backwards(&all, found.clauses.list().len(), usable)?;
    Writer::new(obligation, &found)?.write(&all, &derivations)
}

fn usable_clauses<'a>(clauses: &'a Clauses, kept: &[bool]) -> Vec<&'a [Lit]> {
    let kept = clauses.list().iter().zip(kept).filter(|(_, kept)| **kept);
    kept.map(|(clause, _)| &clause[..]).collect()
}

/// Which clauses to keep: all of the obligation's, and lemmas of which none can be left out.
fn thin_out(found: &Found) -> Vec<bool> {
    let clauses = &found.clauses;
    let mut kept = vec![true; clauses.list().len()];
    if let Propagation::Conflict(hints) = clauses.propagate(&[], |_| true) {
        kept[found.given..].fill(false);
        hints.into_iter().for_each(|hint| kept[hint] = true);
    }
    let lemmas: Vec<usize> = (found.given..kept.len()).filter(|i| kept[*i]).collect();
    if lemmas.len() > MAX_THINNING {
        return kept;
    }
    let only = lemmas.len() == 1;
    for lemma in lemmas.into_iter().rev().filter(|_| !only) {
        kept[lemma] = false;
        let closed = matches!(clauses.propagate(&[], |i| kept[i]), Propagation::Conflict(_));
        kept[lemma] = !closed && sat::derivation(&usable_clauses(clauses, &kept)).is_none();
    }
    kept
}

/// A clause that is derived: its number among all clauses (the empty clause is last), and hints.
type Derivation = (usize, Vec<usize>);

/// The derivations that the empty clause needs, in order. Clauses below `premises` need none.
fn backwards(
    all: &Clauses,
    premises: usize,
    usable: impl Fn(usize) -> bool,
) -> Result<Vec<Derivation>, RefuteError> {
    let count = all.list().len();
    let mut needed = vec![false; count + 1];
    needed[count] = true;
    let mut derivations = Vec::new();
    for number in (premises..=count).rev() {
        if !needed[number] {
            continue;
        }
        let negated: Vec<Lit> =
            all.list().get(number).into_iter().flatten().map(|lit| -lit).collect();
        match all.propagate(&negated, |i| i < number && usable(i)) {
            Propagation::Conflict(hints) => {
                hints.iter().for_each(|hint| needed[*hint] = true);
                derivations.push((number, hints));
            }
            Propagation::Open(_) => return Err(LOST),
        }
    }
    derivations.reverse();
    Ok(derivations)
}

/// Writes steps, in the numbering that the checker will have.
struct Writer<'a> {
    found: &'a Found,
    form: ClausalForm,
    /// Variables of the obligation itself, which both numberings share.
    shared: usize,
    /// Variables that were noted in `atoms`.
    seen: usize,
    atoms: HashMap<Linear, Lit>,
    steps: Vec<Step>,
    budget: Budget,
}

impl<'a> Writer<'a> {
    fn new(obligation: &Obligation, found: &'a Found) -> Result<Self, Reason> {
        let budget = Budget::default();
        let form = obligation.clausal_form(&budget)?;
        let shared = form.variables().len();
        let atoms = HashMap::new();
        Ok(Writer { found, form, shared, seen: shared, atoms, steps: Vec::new(), budget })
    }

    fn write(mut self, all: &Clauses, list: &[Derivation]) -> Result<Refutation, RefuteError> {
        let given = self.found.given;
        let mut used = vec![false; all.list().len()];
        list.iter().flat_map(|(_, hints)| hints).for_each(|hint| used[*hint] = true);
        let mut numbers: Vec<usize> = (0..all.list().len()).collect();
        let mut next = given;
        for (i, lemma) in self.found.lemmas.iter().enumerate() {
            if used[given + i] {
                numbers[given + i] = next;
                next += 1;
                self.lemma(lemma)?;
            }
        }
        for (clause, hints) in list {
            let hints = hints.iter().map(|hint| numbers[*hint]);
            let hints: Result<Vec<u32>, _> = hints.map(u32::try_from).collect();
            let hints = hints.map_err(|_| RefuteError::GaveUp("too many clauses"))?;
            let literals = all.list().get(*clause).map_or(&[][..], |literals| literals);
            let mut literals = self.literals(literals)?;
            literals.sort_unstable();
            if let Some(number) = numbers.get_mut(*clause) {
                *number = next;
            }
            next += 1;
            self.steps.push(Step::Propagate(Propagate { hints, clause: literals }));
        }
        Ok(Refutation(self.steps))
    }

    fn lemma(&mut self, lemma: &Lemma) -> Result<(), RefuteError> {
        match lemma {
            Lemma::Array(step) => {
                array_clause(&mut self.form, step, &self.budget)?;
                self.steps.push(step.clone());
            }
            Lemma::Farkas(literals, sums) => {
                let literals = self.literals(literals)?;
                let mut order: Vec<usize> = (0..literals.len()).collect();
                order.sort_unstable_by_key(|i| -literals[*i]);
                let mut place = vec![0; order.len()];
                order.iter().enumerate().for_each(|(to, from)| place[*from] = to);
                let clause = order.iter().map(|i| -literals[*i]).collect();
                let sums: Result<_, _> = sums.iter().map(|sum| renumbered(sum, &place)).collect();
                let sums = sums.map_err(|_| RefuteError::GaveUp("too many constraints"))?;
                self.steps.push(Step::Farkas(Farkas { clause, sums }));
            }
        }
        Ok(())
    }

    fn literals(&mut self, literals: &[Lit]) -> Result<Vec<Lit>, RefuteError> {
        literals.iter().map(|lit| self.literal(*lit)).collect()
    }

    /// A literal of the search in the checker's numbering; an atom that is new there gets its
    /// step.
    fn literal(&mut self, lit: Lit) -> Result<Lit, RefuteError> {
        if usize::try_from(lit.unsigned_abs()).is_ok_and(|variable| variable <= self.shared) {
            return Ok(lit);
        }
        let Some(Variable::AtMost(form)) =
            self.found.form.variable(lit, &Budget::default()).map_err(Reason::from)?
        else {
            return Err(LOST);
        };
        for (at, variable) in self.form.variables().iter().enumerate().skip(self.seen) {
            if let (Variable::AtMost(form), Ok(number)) = (variable, Lit::try_from(at + 1)) {
                self.atoms.insert(form.clone(), number);
            }
        }
        self.seen = self.form.variables().len();
        let known = self.atoms.get(form).copied();
        let number = match known {
            Some(number) => number,
            None => {
                self.steps.push(Step::Atom(form.clone()));
                self.form.at_most_zero(form.clone(), &self.budget)?
            }
        };
        Ok(if lit > 0 { number } else { -number })
    }
}

/// A combination whose constraints have other places; numbers beyond them stay.
fn renumbered(sum: &Sum, place: &[usize]) -> Result<Vec<(u32, Int)>, TryFromIntError> {
    let number = |i: usize| u32::try_from(place.get(i).copied().unwrap_or(i));
    let renumbered = sum.iter().map(|(i, factor)| number(*i).map(|i| (i, Int(factor.clone()))));
    let mut sum: Vec<(u32, Int)> = renumbered.collect::<Result<_, _>>()?;
    sum.sort_unstable_by_key(|(i, _)| *i);
    Ok(sum)
}

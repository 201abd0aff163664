//! Refutations as proofs in the Alethe format, for checkers of others. Each step of a refutation
//! (SPEC.md 6) becomes steps of Alethe's rules: `la_generic` with integer multipliers for linear
//! arithmetic and its cuts, the clausal rules and `resolution` for the rest, and the two axioms of
//! arrays as `rare_rewrite` steps.
//!
//! The proof is of the script of [`Stated::script`]. Nothing of the clausal form is taken for
//! granted: what ties it to the formulas as they are written is in the proof as well.

mod arrays;
mod form;
mod formulas;
mod proof;

use super::Stated;
use crate::logic::operators;
use form::{Form, divisor};
use num_bigint::BigInt;
use proof::{Known, Proof, Term};
use std::collections::HashMap;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::refute::terms::Variable;
use threadproof_format::refutation::{Farkas, Linear, Lit, Propagate, Step};

pub use arrays::AXIOMS;

/// The refutation of an obligation as a proof. There is none if a formula divides: no rule of
/// Alethe that we know to be checked says what a quotient is.
///
/// # Errors
/// If the refutation is wrong.
pub fn proof(stated: &Stated) -> Result<Option<String>, Reason> {
    stated.obligation.check(&stated.refutation, &Budget::default())?;
    if stated.obligation.formulas.iter().any(|formula| formula.0.iter().any(operators::divides)) {
        return Ok(None);
    }
    let mut written = Proof::default();
    let assumed: Vec<Known> = stated.formulas().map(|text| written.assume(&text)).collect();
    let mut form = Form::new(stated, written)?;
    let given = form.form.clauses().to_vec();
    let mut roots = Vec::new();
    for (formula, known) in stated.obligation.formulas.iter().zip(assumed) {
        roots.push(form.asserted(formula, known)?);
    }
    let clauses = vec![None; given.len()];
    let mut replay = Replay { form, given, roots, clauses };
    for step in &stated.refutation.0 {
        replay.step(step)?;
    }
    Ok(Some(replay.form.proof.text()))
}

/// A refutation that is being replayed.
struct Replay<'a> {
    form: Form<'a>,
    /// The clausal form's clauses.
    given: Vec<Vec<Lit>>,
    /// The formulas' literals.
    roots: Vec<(Known, Lit)>,
    /// Why each clause is known; those of the clausal form once they are needed.
    clauses: Vec<Option<Known>>,
}

/// Where a clause of literals comes from.
#[derive(Clone, Copy)]
enum Source {
    Root(Known),
    /// A defining clause of a conjunction, by its place.
    Gate(Lit, usize),
}

impl Replay<'_> {
    fn step(&mut self, step: &Step) -> Result<(), Reason> {
        let known = match step {
            Step::Atom(form) => {
                self.form.at_most_zero(form.clone())?;
                return Ok(());
            }
            Step::Farkas(lemma) => self.farkas(lemma)?,
            Step::ReadHit(read) => self.form.read_hit(read)?,
            Step::ReadMiss(read) => self.form.read_miss(read)?,
            Step::Congruence(pair) => self.form.congruence(pair)?,
            Step::Propagate(step) => self.propagate(step)?,
        };
        self.clauses.push(Some(known));
        Ok(())
    }

    fn propagate(&mut self, step: &Propagate) -> Result<Known, Reason> {
        let premises: Result<Vec<Known>, Reason> =
            step.hints.iter().map(|hint| self.clause(*hint)).collect();
        let clause = self.form.clause(&step.clause)?;
        Ok(self.form.proof.resolve(clause, &premises?))
    }

    fn clause(&mut self, number: u32) -> Result<Known, Reason> {
        let number = usize::try_from(number).map_err(|_| Reason::Index("clause"))?;
        match self.clauses.get(number) {
            None => Err(Reason::Index("clause")),
            Some(Some(known)) => Ok(*known),
            Some(None) => {
                let known = self.given(number)?;
                self.clauses[number] = Some(known);
                Ok(known)
            }
        }
    }

    /// A clause of the clausal form follows by unit propagation from the formulas' literals and the
    /// definitions of conjunctions.
    fn given(&mut self, number: usize) -> Result<Known, Reason> {
        let clause = self.given.get(number).cloned().ok_or(Reason::Index("clause"))?;
        let mut premises = Vec::new();
        for source in self.reasons(&clause).ok_or(Reason::Index("reason of a clause"))? {
            premises.push(match source {
                Source::Root(known) => known,
                Source::Gate(lit, place) => {
                    *self.form.gate(lit)?.get(place).ok_or(Reason::Index("gate"))?
                }
            });
        }
        let clause = self.form.clause(&clause)?;
        Ok(self.form.proof.resolve(clause, &premises))
    }

    /// What unit propagation needs for a clause; `None` if it does not find it.
    fn reasons(&self, clause: &[Lit]) -> Option<Vec<Source>> {
        let mut open: Vec<(Vec<Lit>, Source)> = Vec::new();
        open.extend(self.roots.iter().map(|(known, lit)| (vec![*lit], Source::Root(*known))));
        for (v, variable) in (1..).zip(self.form.form.variables()) {
            if let Variable::Both(a, b) = *variable {
                let clauses = [vec![-v, a], vec![-v, b], vec![v, -a, -b]];
                let sources = (0..).map(|place| Source::Gate(v, place));
                open.extend(clauses.into_iter().zip(sources));
            }
        }
        // Literals that hold, with the clause that says so.
        let mut holds: HashMap<Lit, Option<usize>> = HashMap::from([(1, None)]);
        holds.extend(clause.iter().map(|lit| (-lit, None)));
        if clause.iter().any(|lit| holds.contains_key(lit)) {
            return Some(vec![]);
        }
        loop {
            let mut changed = false;
            for (i, (lits, _)) in open.iter().enumerate() {
                if lits.iter().any(|lit| holds.contains_key(lit)) {
                    continue;
                }
                let mut unknown = lits.iter().filter(|lit| !holds.contains_key(&-**lit));
                match (unknown.next(), unknown.next()) {
                    (None, _) => return Some(used(&open, &holds, i)),
                    (Some(lit), None) => {
                        holds.insert(*lit, Some(i));
                        changed = true;
                    }
                    _ => {}
                }
            }
            if !changed {
                return None;
            }
        }
    }

    /// Sums of constraints, each by a lemma of its own (SPEC.md 6.2).
    fn farkas(&mut self, lemma: &Farkas) -> Result<Known, Reason> {
        let missing = Reason::Index("constraint");
        // Each constraint with the literal that says the opposite.
        let mut constraints: Vec<(Linear, Term)> = Vec::new();
        for lit in &lemma.clause {
            let form = self.form.form.constraint(-lit, &self.form.budget)?;
            constraints.push((form.ok_or(missing.clone())?, self.form.literal(*lit)?));
        }
        let mut lemmas = Vec::new();
        for sum in &lemma.sums {
            let (mut total, mut literals) = (Linear::default(), Vec::new());
            for (number, factor) in sum {
                let found = usize::try_from(*number).ok().and_then(|n| constraints.get(n));
                let (form, opposite) = found.ok_or(missing.clone())?;
                total = linear::add_scaled(&total, form, factor, &self.form.budget)?;
                literals.push((*opposite, factor.0.clone()));
            }
            let factor: BigInt = divisor(&total);
            let total = linear::tighten(total, &self.form.budget)?;
            if lemmas.len() + 1 < lemma.sums.len() {
                let holds = self.form.constraint(&total)?;
                literals.push((holds, factor));
                constraints.push((total, self.form.proof.not(holds)));
            }
            lemmas.push(self.form.lemma(&literals));
        }
        let clause = self.form.clause(&lemma.clause)?;
        Ok(match lemmas[..] {
            [known] if self.form.proof.clause(known) == clause => known,
            _ => self.form.proof.resolve(clause, &lemmas),
        })
    }
}

/// The clauses that a conflict comes from.
fn used(
    clauses: &[(Vec<Lit>, Source)],
    holds: &HashMap<Lit, Option<usize>>,
    conflict: usize,
) -> Vec<Source> {
    let (mut todo, mut needed) = (vec![conflict], vec![false; clauses.len()]);
    while let Some(i) = todo.pop() {
        if std::mem::replace(&mut needed[i], true) {
            continue;
        }
        let opposite = clauses[i].0.iter().filter_map(|lit| *holds.get(&-lit)?);
        todo.extend(opposite);
    }
    let all = clauses.iter().zip(needed);
    all.filter(|(_, needed)| *needed).map(|((_, source), _)| *source).collect()
}

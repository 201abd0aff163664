//! The search for lemmas that make an obligation's clauses propositionally contradictory.

use super::RefuteError;
use super::model::Model;
use super::propagation::{Clauses, Propagation};
use super::sat::{Propositional, Varisat};
use crate::certify::arithmetic::integers::{Decision, Sum, decide};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::obligation::Obligation;
use threadproof_checker::internals::refute::arrays;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::terms::{Array, Leaf, Variable};
use threadproof_format::refutation::{Congruence, Linear, Lit, Read, Step};

/// Iterations before the search is given up.
const MAX_ITERATIONS: usize = 20_000;
/// Branches on integers before the search is given up.
const MAX_BRANCHES: usize = 300;

/// A theory lemma, in the search's numbering of literals.
#[derive(Clone, Debug)]
pub enum Lemma {
    /// A step about arrays.
    Array(Step),
    /// These literals contradict each other by these combinations of their constraints.
    Farkas(Vec<Lit>, Vec<Sum>),
}

/// Clauses that are contradictory.
#[derive(Debug)]
pub struct Found {
    /// The clausal form, with atoms of lemmas and branches added.
    pub form: ClausalForm,
    /// The obligation's clauses, then the lemmas'.
    pub clauses: Clauses,
    /// How many clauses are the obligation's.
    pub given: usize,
    /// The lemmas.
    pub lemmas: Vec<Lemma>,
}

/// An array lemma that was not needed so far.
struct Candidate {
    step: Step,
    clause: Vec<Lit>,
    added: bool,
}

/// A search in progress.
pub struct Search<'a> {
    found: Found,
    candidates: Vec<Candidate>,
    branches: Vec<Lit>,
    solver: Option<Varisat>,
    budget: Budget,
    stop: &'a AtomicBool,
}

impl<'a> Search<'a> {
    /// A search about an obligation.
    ///
    /// # Errors
    /// If the checker refuses the obligation.
    pub fn new(obligation: &Obligation, stop: &'a AtomicBool) -> Result<Self, RefuteError> {
        let budget = Budget::default();
        let mut form = obligation.clausal_form(&budget)?;
        let mut clauses = Clauses::default();
        form.clauses().iter().for_each(|clause| clauses.add(clause.clone()));
        let given = clauses.list().len();
        let candidates = candidates(&mut form, &budget)?;
        let found = Found { form, clauses, given, lemmas: Vec::new() };
        Ok(Search { found, candidates, branches: Vec::new(), solver: None, budget, stop })
    }

    /// Adds lemmas until the clauses are contradictory.
    ///
    /// # Errors
    /// As [`super::refute`].
    pub fn run(mut self) -> Result<Found, RefuteError> {
        let mut decided = usize::MAX;
        for _ in 0..MAX_ITERATIONS {
            if self.stop.load(Ordering::Relaxed) {
                return Err(RefuteError::Stopped);
            }
            let units = match self.found.clauses.propagate(&[], |_| true) {
                Propagation::Conflict(_) => return Ok(self.found),
                Propagation::Open(units) => units,
            };
            // What holds anyway is tried alone first: that gives the smallest lemmas.
            if decided != units.len() {
                decided = units.len();
                if let Decision::Contradiction(sums) = self.decide(&units)? {
                    self.farkas(&units, sums)?;
                    continue;
                }
            }
            let Some(model) = self.model() else { return Ok(self.found) };
            let chosen = self.implicant(&units, &model);
            match self.decide(&chosen)? {
                Decision::Contradiction(sums) => self.farkas(&chosen, sums)?,
                Decision::Solution(integers) => self.arrays(&integers, &chosen)?,
                Decision::Branch(form) => self.branch(form)?,
            }
        }
        Err(RefuteError::GaveUp("too many iterations"))
    }

    fn add(&mut self, lemma: Lemma, clause: Vec<Lit>) {
        if let Some(solver) = &mut self.solver {
            solver.add(&clause);
        }
        self.found.lemmas.push(lemma);
        self.found.clauses.add(clause);
    }

    fn model(&mut self) -> Option<Vec<Lit>> {
        let solver = self.solver.get_or_insert_with(|| {
            let mut solver = Varisat::default();
            self.found.clauses.list().iter().for_each(|clause| solver.add(clause));
            solver
        });
        solver.model()
    }

    /// Literals of a model that satisfy every clause, the units first.
    fn implicant(&self, units: &[Lit], model: &[Lit]) -> Vec<Lit> {
        let holds: BTreeSet<Lit> = model.iter().copied().collect();
        let mut chosen: BTreeSet<Lit> = units.iter().copied().collect();
        let mut list = units.to_vec();
        let linear = |lit: Lit| {
            matches!(
                self.found.form.variable(lit, &Budget::default()),
                Ok(Some(Variable::AtMost(_)))
            )
        };
        for clause in self.found.clauses.list() {
            if clause.iter().any(|lit| chosen.contains(lit)) {
                continue;
            }
            let candidates = clause.iter().filter(|lit| holds.contains(lit));
            if let Some(lit) = candidates.min_by_key(|lit| linear(**lit))
                && chosen.insert(*lit)
            {
                list.push(*lit);
            }
        }
        for branch in &self.branches {
            let lit = if holds.contains(branch) { *branch } else { -branch };
            if chosen.insert(lit) {
                list.push(lit);
            }
        }
        list
    }

    /// The arithmetic's answer about the linear ones of some literals.
    fn decide(&mut self, literals: &[Lit]) -> Result<Decision, Reason> {
        let mut constraints: Vec<Linear> = Vec::new();
        for lit in literals {
            constraints.extend(self.found.form.constraint(*lit, &self.budget)?);
        }
        decide(&constraints, &self.budget)
    }

    fn linear(&self, literals: &[Lit]) -> Vec<Lit> {
        let linear = |lit: &Lit| {
            matches!(
                self.found.form.variable(*lit, &Budget::default()),
                Ok(Some(Variable::AtMost(_)))
            )
        };
        literals.iter().copied().filter(linear).collect()
    }

    fn farkas(&mut self, literals: &[Lit], sums: Vec<Sum>) -> Result<(), RefuteError> {
        let linear = self.linear(literals);
        let mut used = BTreeSet::new();
        used.extend(sums.iter().flatten().map(|(i, _)| *i).filter(|i| *i < linear.len()));
        let used: Vec<usize> = used.into_iter().collect();
        let renumber = |(i, factor): (usize, BigInt)| match used.binary_search(&i) {
            Ok(at) => (at, factor),
            Err(at) => (i - linear.len() + at, factor),
        };
        let sums = sums.into_iter().map(|sum| sum.into_iter().map(renumber).collect()).collect();
        let lits: Vec<Lit> = used.iter().map(|i| linear[*i]).collect();
        let clause: Vec<Lit> = lits.iter().map(|lit| -lit).collect();
        self.add(Lemma::Farkas(lits, sums), clause);
        Ok(())
    }

    /// Adds the array lemmas that a solution of the arithmetic violates.
    fn arrays(
        &mut self,
        integers: &BTreeMap<u32, BigInt>,
        chosen: &[Lit],
    ) -> Result<(), RefuteError> {
        let model = Model::new(&self.found.form, integers, chosen);
        let violated = |c: &&mut Candidate| !c.added && !c.clause.iter().any(|l| model.holds(*l));
        let mut found = Vec::new();
        for candidate in self.candidates.iter_mut().filter(violated) {
            candidate.added = true;
            found.push((Lemma::Array(candidate.step.clone()), candidate.clause.clone()));
        }
        if found.is_empty() {
            return Err(RefuteError::Satisfiable);
        }
        found.into_iter().for_each(|(lemma, clause)| self.add(lemma, clause));
        Ok(())
    }

    fn branch(&mut self, form: Linear) -> Result<(), RefuteError> {
        let lit = self.found.form.at_most_zero(form, &self.budget)?;
        if self.branches.len() >= MAX_BRANCHES || self.branches.contains(&lit) {
            return Err(RefuteError::GaveUp("too many branches on integers"));
        }
        self.branches.push(lit);
        if let Some(solver) = &mut self.solver {
            // Makes the variable known to the solver, so that a model gives it a value.
            solver.add(&[lit, -lit]);
        }
        Ok(())
    }
}

/// Every array lemma about the leaves of a clausal form.
fn candidates(form: &mut ClausalForm, budget: &Budget) -> Result<Vec<Candidate>, Reason> {
    let mut by_array: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, leaf) in (0..).zip(form.leaves()) {
        if let Leaf::Read(array, _) = leaf {
            by_array.entry(*array).or_default().push(number);
        }
    }
    let mut list = Vec::new();
    for (array, leaves) in by_array {
        for (i, left) in leaves.iter().enumerate() {
            for right in &leaves[i + 1..] {
                let pair = |case| Congruence { case, left: *left, right: *right };
                list.extend([0, 1].map(|case| Step::Congruence(pair(case))));
            }
        }
        if matches!(form.array(array, &Budget::default()), Ok(Some((Array::Store(..), _)))) {
            for leaf in leaves {
                list.extend([0, 1].map(|case| Step::ReadHit(Read { case, leaf })));
                list.extend([0, 1, 2, 3].map(|case| Step::ReadMiss(Read { case, leaf })));
            }
        }
    }
    let mut out = Vec::new();
    for step in list {
        let clause = match array_clause(form, &step, budget) {
            // A lemma that always holds has no clause.
            Err(Reason::Refutation(_)) => continue,
            other => other?,
        };
        out.push(Candidate { step, clause, added: false });
    }
    Ok(out)
}

/// The clause of a step about arrays.
///
/// # Errors
/// As the checker's functions.
pub fn array_clause(
    form: &mut ClausalForm,
    step: &Step,
    budget: &Budget,
) -> Result<Vec<Lit>, Reason> {
    match step {
        Step::ReadHit(read) => arrays::read_hit(form, read, budget),
        Step::ReadMiss(read) => arrays::read_miss(form, read, budget),
        Step::Congruence(pair) => arrays::congruence(form, pair, budget),
        _ => Err(Reason::Index("array lemma")),
    }
}

//! The refutation kernel: every obligation of every proof kind ends here (SPEC.md section 6).

pub mod arrays;
pub mod clauses;
pub mod farkas;
pub mod linear;

use crate::error::{Budget, Reason, RefutationReason};
use clauses::{ClausalForm, Variable};
use num_bigint::Sign;
use std::collections::HashMap;
use threadproof_format::refutation::{Linear, Lit, Propagate, Refutation, Step};
use threadproof_format::{Expr, Op, Sort};

/// Formulas to be shown unsatisfiable together.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// What it is for, such as `triple 4`.
    pub name: String,
    /// Sorts of the variables and inputs that occur.
    pub sorts: HashMap<Op, Sort>,
    /// The formulas.
    pub formulas: Vec<Expr>,
}

impl Obligation {
    /// The obligation's clausal form.
    ///
    /// # Errors
    /// `Limit`, or `Sort` if a formula is not well sorted.
    pub fn clausal_form(&self, budget: &mut Budget) -> Result<ClausalForm, Reason> {
        ClausalForm::of(self.sorts.clone(), &self.formulas, budget)
    }

    /// Checks a refutation of the obligation.
    ///
    /// # Errors
    /// A `RefutationReason`, or `Limit`.
    pub fn check(&self, refutation: &Refutation, budget: &mut Budget) -> Result<(), Reason> {
        let form = self.clausal_form(budget)?;
        Kernel { form, derived: Vec::new(), atoms: HashMap::new() }.run(refutation, budget)
    }
}

/// A refutation in progress.
#[derive(Debug)]
struct Kernel {
    form: ClausalForm,
    /// Clauses of the steps, and whether a later step used each.
    derived: Vec<(Vec<Lit>, bool)>,
    /// Variables of `Atom` steps, and whether a later step used each.
    atoms: HashMap<Lit, bool>,
}

impl Kernel {
    fn run(mut self, refutation: &Refutation, budget: &mut Budget) -> Result<(), Reason> {
        for step in &refutation.0 {
            let clause = match step {
                Step::Atom(form) => {
                    self.atom(form, budget)?;
                    continue;
                }
                Step::Farkas(lemma) => {
                    self.literals(&lemma.clause)?;
                    farkas::check(&self.form, lemma, budget)?;
                    lemma.clause.clone()
                }
                Step::ReadHit(read) => arrays::read_hit(&mut self.form, read, budget)?,
                Step::ReadMiss(read) => arrays::read_miss(&mut self.form, read, budget)?,
                Step::Congruence(pair) => arrays::congruence(&mut self.form, pair, budget)?,
                Step::Propagate(step) => {
                    self.literals(&step.clause)?;
                    self.propagate(step, budget)?;
                    step.clause.clone()
                }
            };
            budget.spend(clause.len() + 1)?;
            self.derived.push((clause, false));
        }
        match self.derived.pop() {
            Some((clause, _)) if clause.is_empty() => {}
            _ => return Err(RefutationReason::NoEmptyClause.into()),
        }
        let all = self.derived.iter().map(|(_, used)| used).chain(self.atoms.values());
        if all.copied().all(|used| used) {
            Ok(())
        } else {
            Err(RefutationReason::UnusedStep.into())
        }
    }

    /// A step's atom: a new variable in normal form (section 6.1).
    fn atom(&mut self, form: &Linear, budget: &mut Budget) -> Result<(), Reason> {
        let ascending = form.terms.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let integers = form.terms.iter().all(|(leaf, _)| self.form.is_integer(*leaf));
        let present = form.terms.iter().all(|(_, c)| c.0.sign() != Sign::NoSign);
        let before = self.form.variables().len();
        if ascending && integers && present {
            let lit = self.form.at_most_zero(form.clone(), budget)?;
            let same = matches!(self.form.variable(lit), Some(Variable::AtMost(f)) if f == form);
            if lit.is_positive() && same && self.form.variables().len() > before {
                self.atoms.insert(lit, false);
                return Ok(());
            }
        }
        Err(RefutationReason::AtomForm.into())
    }

    /// Checks that a step's clause is well formed, and notes the atoms that it uses.
    fn literals(&mut self, clause: &[Lit]) -> Result<(), Reason> {
        if clause.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(RefutationReason::ClauseOrder.into());
        }
        for lit in clause {
            if self.form.variable(*lit).is_none() {
                return Err(RefutationReason::UnknownLiteral.into());
            }
            if let Some(used) = self.atoms.get_mut(&lit.abs()) {
                *used = true;
            }
        }
        Ok(())
    }

    /// Unit propagation (section 6.4): under the negation of the clause, each hinted clause is
    /// unit in its turn, and the last one has no literal left.
    fn propagate(&mut self, step: &Propagate, budget: &mut Budget) -> Result<(), Reason> {
        let mut value: HashMap<Lit, bool> = HashMap::new();
        let assign =
            |value: &mut HashMap<Lit, bool>, lit: Lit| value.insert(lit.abs(), lit.is_positive());
        for lit in &step.clause {
            if assign(&mut value, -lit).is_some() {
                return Err(RefutationReason::ClauseOrder.into());
            }
        }
        let mut conflict = false;
        for hint in &step.hints {
            if conflict {
                return Err(RefutationReason::NoConflict.into());
            }
            let clause = self.clause(*hint)?;
            budget.spend(clause.len() + 1)?;
            let mut open = None;
            for lit in clause {
                match value.get(&lit.abs()) {
                    Some(truth) if *truth == lit.is_positive() => {
                        return Err(RefutationReason::NotUnit.into());
                    }
                    Some(_) => {}
                    None if open.is_some() => return Err(RefutationReason::NotUnit.into()),
                    None => open = Some(*lit),
                }
            }
            match open {
                Some(lit) => drop(assign(&mut value, lit)),
                None => conflict = true,
            }
        }
        if conflict { Ok(()) } else { Err(RefutationReason::NoConflict.into()) }
    }

    /// A clause by number; marks it used.
    fn clause(&mut self, number: u32) -> Result<&[Lit], Reason> {
        let index = usize::try_from(number).map_err(|_| RefutationReason::UnknownClause)?;
        let given = self.form.clauses();
        let Some(later) = index.checked_sub(given.len()) else {
            return Ok(&given[index]);
        };
        let derived = self.derived.get_mut(later);
        let (clause, used) = derived.ok_or(RefutationReason::UnknownClause)?;
        *used = true;
        Ok(clause)
    }
}

//! The refutation kernel: every obligation of every proof kind ends here (SPEC.md section 6).

pub mod arrays;
pub mod clauses;
pub mod farkas;
pub mod linear;
pub mod terms;

use crate::budget::ascends;
use crate::error::{Budget, Reason, RefutationReason};
use crate::obligation::Obligation;
use clauses::ClausalForm;
use std::cmp::Ordering;
use terms::Variable;
use threadproof_format::refutation::{Linear, Lit, Propagate, Refutation, Step};
use threadproof_format::work::{Group as _, List as _, Map, Metered as _, Seq, Set, Table as _};

impl Obligation {
    /// The obligation's clausal form.
    ///
    /// # Errors
    /// `Limit`, or `Sort` if a formula is not well sorted.
    pub fn clausal_form(&self, budget: &Budget) -> Result<ClausalForm, Reason> {
        ClausalForm::of(self.sorts.copy(budget)?, &self.formulas, budget)
    }

    /// Checks a refutation of the obligation.
    ///
    /// # Errors
    /// A `RefutationReason`, or `Limit`.
    pub fn check(&self, refutation: &Refutation, budget: &Budget) -> Result<(), Reason> {
        let form = self.clausal_form(budget)?;
        Kernel { form, derived: Seq::new(), unused: Set::new() }.run(refutation, budget)
    }
}

/// A refutation in progress.
#[derive(Debug)]
struct Kernel {
    form: ClausalForm,
    /// Clauses of the steps, and whether a later step used each.
    derived: Seq<(Seq<Lit>, bool)>,
    /// Variables of `Atom` steps that no later step used.
    unused: Set<Lit>,
}

impl Kernel {
    fn run(mut self, refutation: &Refutation, budget: &Budget) -> Result<(), Reason> {
        for step in refutation.0.walk(budget)? {
            let clause = match step {
                Step::Atom(form) => {
                    self.atom(form, budget)?;
                    continue;
                }
                Step::Farkas(lemma) => {
                    self.literals(&lemma.clause, budget)?;
                    farkas::check(&self.form, lemma, budget)?;
                    lemma.clause.copy(budget)?
                }
                Step::ReadHit(read) => arrays::read_hit(&mut self.form, read, budget)?,
                Step::ReadMiss(read) => arrays::read_miss(&mut self.form, read, budget)?,
                Step::Congruence(pair) => arrays::congruence(&mut self.form, pair, budget)?,
                Step::Propagate(step) => {
                    self.literals(&step.clause, budget)?;
                    self.propagate(step, budget)?;
                    step.clause.copy(budget)?
                }
            };
            self.derived.add((clause, false), budget)?;
        }
        match self.derived.pop() {
            Some((clause, _)) if clause.is_empty() => {}
            _ => return Err(RefutationReason::NoEmptyClause.into()),
        }
        if self.unused.is_empty() && self.derived.walk(budget)?.all(|(_, used)| *used) {
            Ok(())
        } else {
            Err(RefutationReason::UnusedStep.into())
        }
    }

    /// A step's atom: a new variable in normal form (section 6.1).
    fn atom(&mut self, form: &Linear, budget: &Budget) -> Result<(), Reason> {
        let mut normal = ascends(&form.terms, budget, |one, other| Ok(one.0 < other.0))?;
        for (leaf, coefficient) in form.terms.walk(budget)? {
            let present = coefficient.sign() != Ordering::Equal;
            normal &= present && self.form.is_integer(*leaf, budget)?;
        }
        let before = self.form.variables().len();
        if normal {
            let lit = self.form.at_most_zero(form.copy(budget)?, budget)?;
            if let Some(Variable::AtMost(known)) = self.form.variable(lit, budget)?
                && lit.is_positive()
                && known.same(form, budget)?
                && self.form.variables().len() > before
            {
                self.unused.include(lit, budget)?;
                return Ok(());
            }
        }
        Err(RefutationReason::AtomForm.into())
    }

    /// Checks that a step's clause is well formed, and notes the atoms that it uses.
    fn literals(&mut self, clause: &Seq<Lit>, budget: &Budget) -> Result<(), Reason> {
        if !ascends(clause, budget, |one, other| Ok(one < other))? {
            return Err(RefutationReason::ClauseOrder.into());
        }
        for lit in clause.walk(budget)? {
            if self.form.variable(*lit, budget)?.is_none() {
                return Err(RefutationReason::UnknownLiteral.into());
            }
            self.unused.exclude(&lit.abs(), budget)?;
        }
        Ok(())
    }

    /// Unit propagation (section 6.4): under the negation of the clause, each hinted clause is
    /// unit in its turn, and the last one has no literal left.
    fn propagate(&mut self, step: &Propagate, budget: &Budget) -> Result<(), Reason> {
        let mut value: Map<Lit, bool> = Map::new();
        for lit in step.clause.walk(budget)? {
            if value.put(lit.abs(), lit.is_negative(), budget)?.is_some() {
                return Err(RefutationReason::ClauseOrder.into());
            }
        }
        let mut conflict = false;
        for hint in step.hints.walk(budget)? {
            if conflict {
                return Err(RefutationReason::NoConflict.into());
            }
            let mut open = None;
            for lit in self.clause(*hint, budget)?.walk(budget)? {
                match value.look(&lit.abs(), budget)? {
                    Some(truth) if *truth == lit.is_positive() => {
                        return Err(RefutationReason::NotUnit.into());
                    }
                    Some(_) => {}
                    None if open.is_some() => return Err(RefutationReason::NotUnit.into()),
                    None => open = Some(*lit),
                }
            }
            match open {
                Some(lit) => drop(value.put(lit.abs(), lit.is_positive(), budget)?),
                None => conflict = true,
            }
        }
        if conflict { Ok(()) } else { Err(RefutationReason::NoConflict.into()) }
    }

    /// A clause by number; marks it used.
    fn clause(&mut self, number: u32, budget: &Budget) -> Result<&Seq<Lit>, Reason> {
        let unknown = Reason::from(RefutationReason::UnknownClause);
        let index = usize::try_from(number).map_err(|_| RefutationReason::UnknownClause)?;
        let given = self.form.clauses();
        let Some(later) = index.checked_sub(given.len()) else {
            return given.at(index, budget)?.ok_or(unknown);
        };
        let (clause, used) = self.derived.change(later, budget)?.ok_or(unknown)?;
        *used = true;
        Ok(clause)
    }
}

//! The propositional solver, behind a trait so that it can be exchanged.

use threadproof_format::refutation::Lit;
use varisat::checker::{CheckedProofStep, CheckerData, ProofProcessor};
use varisat::{ExtendFormula as _, Solver};

/// A propositional solver that takes clauses one after the other.
pub trait Propositional {
    /// Adds a clause.
    fn add(&mut self, clause: &[Lit]);
    /// The literals of a model; `None` if there is none.
    fn model(&mut self) -> Option<Vec<Lit>>;
}

fn literal(lit: Lit) -> varisat::Lit {
    let number = isize::try_from(lit).unwrap_or_default();
    varisat::Lit::from_dimacs(number)
}

fn back(lit: varisat::Lit) -> Lit {
    Lit::try_from(lit.to_dimacs()).unwrap_or_default()
}

/// The solver varisat.
#[derive(Default)]
pub struct Varisat {
    solver: Solver<'static>,
}

impl Propositional for Varisat {
    fn add(&mut self, clause: &[Lit]) {
        let clause: Vec<varisat::Lit> = clause.iter().map(|lit| literal(*lit)).collect();
        self.solver.add_clause(&clause);
    }

    fn model(&mut self) -> Option<Vec<Lit>> {
        let found = self.solver.solve().is_ok_and(|satisfiable| satisfiable);
        let model = self.solver.model().filter(|_| found)?;
        Some(model.into_iter().map(back).collect())
    }
}

/// Collects the clauses that a solver derives.
#[derive(Default)]
struct Derived {
    clauses: Vec<Vec<Lit>>,
}

impl ProofProcessor for Derived {
    fn process_step(
        &mut self,
        step: &CheckedProofStep<'_>,
        data: CheckerData<'_, '_>,
    ) -> Result<(), anyhow::Error> {
        if let CheckedProofStep::AtClause { clause, .. } = step {
            let user = |lit: &varisat::Lit| {
                data.user_from_proof_var(lit.var()).map(|var| back(var.lit(lit.is_positive())))
            };
            let clause: Option<Vec<Lit>> = clause.iter().map(user).collect();
            self.clauses.extend(clause);
        }
        Ok(())
    }
}

/// Clauses, each of which follows from the given and the earlier ones by unit propagation, until
/// propagation alone comes to a conflict. `None` if the given clauses are satisfiable.
pub fn derivation(clauses: &[&[Lit]]) -> Option<Vec<Vec<Lit>>> {
    let mut derived = Derived::default();
    let mut solver = Solver::new();
    solver.add_proof_processor(&mut derived);
    for clause in clauses {
        let clause: Vec<varisat::Lit> = clause.iter().map(|lit| literal(*lit)).collect();
        solver.add_clause(&clause);
    }
    let satisfiable = solver.solve().unwrap_or(true);
    drop(solver);
    (!satisfiable).then_some(derived.clauses)
}

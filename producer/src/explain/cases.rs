//! Which case distinctions a derivation needs: a propositional solver names alternatives with which
//! the rules lead to `false` at the end, and those without which they still do are left out.

use super::rules::{Alternatives, Candidates};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use threadproof_checker::error::Reason;
use threadproof_format::proof::proof_space::Instance;
use varisat::{ExtendFormula as _, Lit, Solver, Var};

/// The alternatives at each point of a trace.
pub type Points = Vec<Vec<Alternatives>>;

/// Some of the alternatives, with which `goal` at the last point can be shown; `None` if it cannot
/// be with all of them.
///
/// # Errors
/// `Limit` if the solver fails.
pub fn needed(
    candidates: &[Candidates],
    alternatives: Points,
    goal: &Instance,
) -> Result<Option<Points>, Reason> {
    let mut formula = Formula::new(candidates, goal);
    let places = alternatives.iter().enumerate();
    let mut list: Vec<(usize, &Alternatives, Lit)> = places
        .flat_map(|(point, list)| list.iter().map(move |a| (point, a)))
        .map(|(point, a)| (point, a, formula.alternatives(point, a)))
        .collect();
    // Try to do without the longest first.
    list.sort_by_key(|(_, a, _)| Reverse(a.assertions.len()));
    let from = |first: usize| -> Vec<Lit> {
        list.iter().filter(|(point, ..)| *point >= first).map(|(_, _, switch)| *switch).collect()
    };
    let Some(mut core) = formula.core(&from(0))? else { return Ok(None) };
    // The later a derivation divides, the more of it is common to all cases.
    let (mut first, mut end) = (0, candidates.len());
    while first + 1 < end {
        let middle = first.midpoint(end);
        match formula.core(&from(middle))? {
            Some(smaller) => (first, core) = (middle, smaller),
            None => end = middle,
        }
    }
    for (_, _, switch) in &list {
        if core.contains(switch) {
            let without: Vec<Lit> = core.iter().copied().filter(|l| l != switch).collect();
            core = formula.core(&without)?.unwrap_or(core);
        }
    }
    let mut points: Points = vec![Vec::new(); candidates.len()];
    for (point, a, _) in list.iter().filter(|(_, _, switch)| core.contains(switch)) {
        points[*point].push((*a).clone());
    }
    Ok(Some(points))
}

/// The rules as clauses, and that the goal does not hold.
struct Formula<'a> {
    solver: Solver<'static>,
    variables: BTreeMap<(usize, &'a Instance), Lit>,
    count: usize,
}

impl<'a> Formula<'a> {
    fn new(candidates: &'a [Candidates], goal: &'a Instance) -> Self {
        let (solver, variables) = (Solver::new(), BTreeMap::new());
        let mut formula = Formula { solver, variables, count: 0 };
        for (point, assertions) in candidates.iter().enumerate() {
            for (assertion, rules) in assertions {
                let after = formula.literal(point, assertion);
                for rule in rules {
                    let pre = rule.pre.iter();
                    let pre = pre.map(|i| !formula.literal(point.saturating_sub(1), i));
                    let clause: Vec<Lit> = pre.chain([after]).collect();
                    formula.solver.add_clause(&clause);
                }
            }
        }
        let goal = formula.literal(candidates.len().saturating_sub(1), goal);
        formula.solver.add_clause(&[!goal]);
        formula
    }

    fn fresh(&mut self) -> Lit {
        self.count += 1;
        Lit::from_var(Var::from_index(self.count - 1), true)
    }

    fn literal(&mut self, point: usize, assertion: &'a Instance) -> Lit {
        if let Some(known) = self.variables.get(&(point, assertion)) {
            return *known;
        }
        let fresh = self.fresh();
        self.variables.insert((point, assertion), fresh);
        fresh
    }

    /// Adds alternatives with a switch.
    fn alternatives(&mut self, point: usize, alternatives: &Alternatives) -> Lit {
        let switch = self.fresh();
        let known = |a: &Instance| self.variables.get(&(point, a)).copied();
        let some = alternatives.assertions.iter().filter_map(known);
        let clause: Vec<Lit> = some.chain([!switch]).collect();
        self.solver.add_clause(&clause);
        switch
    }

    /// Some of the switches that suffice to contradict the formula; `None` if all don't.
    fn core(&mut self, switches: &[Lit]) -> Result<Option<Vec<Lit>>, Reason> {
        self.solver.assume(switches);
        let satisfiable =
            self.solver.solve().map_err(|_| Reason::Limit("the propositional solver"))?;
        let core = self.solver.failed_core().filter(|_| !satisfiable);
        Ok(core.map(<[Lit]>::to_vec))
    }
}

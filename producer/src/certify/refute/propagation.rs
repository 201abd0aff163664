//! Unit propagation that gives the checker's hints.

use threadproof_format::refutation::Lit;

/// What propagation came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// A conflict: clauses in the order in which they become unit, the conflict last.
    Conflict(Vec<usize>),
    /// No conflict: the literals that hold.
    Open(Vec<Lit>),
}

/// Clauses, indexed for propagation.
#[derive(Clone, Debug, Default)]
pub struct Clauses {
    list: Vec<Vec<Lit>>,
    /// For each literal, the clauses in which its negation occurs.
    watchers: Vec<Vec<usize>>,
    /// Clauses of at most one literal.
    short: Vec<usize>,
}

/// A literal's place in tables.
fn place(lit: Lit) -> usize {
    let variable = usize::try_from(lit.unsigned_abs()).unwrap_or(0);
    2 * variable + usize::from(lit < 0)
}

/// An assignment in progress.
#[derive(Default)]
struct Trail {
    literals: Vec<Lit>,
    /// For each literal that holds: the clause that it comes from, `None` if it was assumed.
    reasons: Vec<Option<Option<usize>>>,
}

impl Trail {
    fn holds(&self, lit: Lit) -> bool {
        self.reasons.get(place(lit)).is_some_and(Option::is_some)
    }

    fn push(&mut self, lit: Lit, reason: Option<usize>) {
        let at = place(lit);
        if self.reasons.len() <= at {
            self.reasons.resize(at + 1, None);
        }
        self.reasons[at] = Some(reason);
        self.literals.push(lit);
    }
}

impl Clauses {
    /// The clauses.
    pub fn list(&self) -> &[Vec<Lit>] {
        &self.list
    }

    /// Adds a clause.
    pub fn add(&mut self, clause: Vec<Lit>) {
        let number = self.list.len();
        if clause.len() < 2 {
            self.short.push(number);
        }
        for lit in &clause {
            let at = place(-lit);
            if self.watchers.len() <= at {
                self.watchers.resize_with(at + 1, Vec::new);
            }
            self.watchers[at].push(number);
        }
        self.list.push(clause);
    }

    /// Propagates from assumed literals, through the clauses for which `usable` holds.
    pub fn propagate(&self, assumed: &[Lit], usable: impl Fn(usize) -> bool) -> Propagation {
        let mut trail = Trail::default();
        for lit in assumed {
            trail.push(*lit, None);
        }
        for clause in self.short.iter().filter(|clause| usable(**clause)) {
            if let Some(conflict) = self.visit(*clause, &mut trail) {
                return Propagation::Conflict(self.hints(conflict, &trail));
            }
        }
        let mut next = 0;
        while let Some(lit) = trail.literals.get(next) {
            next += 1;
            for clause in self.watchers.get(place(*lit)).into_iter().flatten() {
                if usable(*clause)
                    && let Some(conflict) = self.visit(*clause, &mut trail)
                {
                    return Propagation::Conflict(self.hints(conflict, &trail));
                }
            }
        }
        Propagation::Open(trail.literals)
    }

    /// Looks at one clause: it may be a conflict, or bring a literal.
    fn visit(&self, number: usize, trail: &mut Trail) -> Option<usize> {
        let mut open = None;
        for lit in &self.list[number] {
            if trail.holds(*lit) {
                return None;
            }
            if !trail.holds(-lit) && open.replace(*lit).is_some() {
                return None;
            }
        }
        match open {
            Some(lit) => {
                trail.push(lit, Some(number));
                None
            }
            None => Some(number),
        }
    }

    /// The clauses that a conflict needs.
    fn hints(&self, conflict: usize, trail: &Trail) -> Vec<usize> {
        let mut needed = vec![false; trail.reasons.len()];
        let mark = |clause: usize, needed: &mut Vec<bool>| {
            for lit in &self.list[clause] {
                if let Some(flag) = needed.get_mut(place(-lit)) {
                    *flag = true;
                }
            }
        };
        mark(conflict, &mut needed);
        let mut hints = vec![conflict];
        for lit in trail.literals.iter().rev() {
            if needed[place(*lit)]
                && let Some(Some(Some(reason))) = trail.reasons.get(place(*lit))
            {
                hints.push(*reason);
                mark(*reason, &mut needed);
            }
        }
        hints.reverse();
        hints
    }
}

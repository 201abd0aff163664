//! The rational simplex: a solution of linear constraints, or Farkas multipliers.
//!
//! The general simplex of Dutertre and de Moura ("A Fast Linear-Arithmetic Solver for DPLL(T)",
//! CAV 2006) for upper bounds only: constraint i is a slack `s_i = sum of a_ij x_j <= u_i` over
//! free columns x_j. Bland's rule makes it end. A row without an entering variable is a Farkas
//! certificate; the set of its constraints is minimal.

use super::number::{Number, primitive};
use crate::solve;
use num_bigint::BigInt;
use std::cmp::Ordering;

/// A linear constraint `sum of coefficient * column <= bound`.
#[derive(Clone, Debug)]
pub struct Row {
    /// Column and coefficient.
    pub terms: Vec<(usize, BigInt)>,
    /// Upper bound.
    pub bound: BigInt,
}

/// What the simplex found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tableau's values are a solution.
    Feasible,
    /// Positive multipliers of constraints that add up to `0 <= negative`.
    Infeasible(Vec<(usize, BigInt)>),
}

/// A simplex tableau. Variables are the columns, then the constraints' slacks.
#[derive(Clone, Debug)]
pub struct Tableau<N> {
    columns: usize,
    /// The variable of each row.
    basic: Vec<usize>,
    /// The variable of each position of a row.
    nonbasic: Vec<usize>,
    rows: Vec<Vec<N>>,
    /// The value of each variable. A nonbasic slack is at its bound.
    values: Vec<N>,
    bounds: Vec<N>,
    zero: N,
}

impl<N: Number> Tableau<N> {
    /// A tableau without constraints.
    pub fn new(columns: usize) -> Option<Self> {
        let zero = N::from_integer(&BigInt::ZERO)?;
        Some(Tableau {
            columns,
            basic: Vec::new(),
            nonbasic: (0..columns).collect(),
            rows: Vec::new(),
            values: vec![zero.clone(); columns],
            bounds: Vec::new(),
            zero,
        })
    }

    /// Adds a constraint; its number is how many there were.
    pub fn add(&mut self, row: &Row) -> Option<()> {
        let mut entries = vec![self.zero.clone(); self.nonbasic.len()];
        let mut value = self.zero.clone();
        for (column, coefficient) in &row.terms {
            let factor = N::from_integer(coefficient)?;
            value = value.plus(&factor.times(&self.values[*column])?)?;
            if let Some(at) = self.nonbasic.iter().position(|v| v == column) {
                entries[at] = entries[at].plus(&factor)?;
            } else if let Some(at) = self.basic.iter().position(|v| v == column) {
                add_multiple(&mut entries, &self.rows[at], &factor)?;
            }
        }
        self.basic.push(self.columns + self.bounds.len());
        self.rows.push(entries);
        self.values.push(value);
        self.bounds.push(N::from_integer(&row.bound)?);
        Some(())
    }

    /// The columns' values.
    pub fn solution(&self) -> &[N] {
        &self.values[..self.columns]
    }

    fn bound(&self, variable: usize) -> Option<&N> {
        self.bounds.get(variable.checked_sub(self.columns)?)
    }

    /// Repairs violated bounds until there is none, or one that cannot be repaired; `None` as for
    /// numbers if the search is asked to stop.
    pub fn solve(&mut self) -> Option<Outcome> {
        loop {
            if solve::stopped() {
                return None;
            }
            let violated = |row: &usize| {
                let variable = self.basic[*row];
                self.bound(variable).is_some_and(|bound| bound.below(&self.values[variable]))
            };
            let candidates = (0..self.rows.len()).filter(violated);
            let Some(row) = candidates.min_by_key(|row| self.basic[*row]) else {
                return Some(Outcome::Feasible);
            };
            // A column may move either way, a slack at its bound only downwards.
            let enters = |at: &usize| match self.rows[row][*at].sign() {
                Ordering::Equal => false,
                Ordering::Greater => true,
                Ordering::Less => self.nonbasic[*at] < self.columns,
            };
            let entering = (0..self.nonbasic.len()).filter(enters);
            match entering.min_by_key(|at| self.nonbasic[*at]) {
                Some(at) => self.pivot(row, at)?,
                None => return self.conflict(row).map(Outcome::Infeasible),
            }
        }
    }

    fn conflict(&self, row: usize) -> Option<Vec<(usize, BigInt)>> {
        let one = N::from_integer(&BigInt::from(1))?;
        let mut multipliers = vec![(self.basic[row] - self.columns, one)];
        for (entry, variable) in self.rows[row].iter().zip(&self.nonbasic) {
            if entry.sign() != Ordering::Equal {
                multipliers.push((variable - self.columns, self.zero.minus(entry)?));
            }
        }
        multipliers.sort_by_key(|(constraint, _)| *constraint);
        let (constraints, numbers): (Vec<usize>, Vec<N>) = multipliers.into_iter().unzip();
        Some(constraints.into_iter().zip(primitive(&numbers)).collect())
    }

    /// Moves the slack of a row to its bound and exchanges it with a nonbasic variable.
    fn pivot(&mut self, row: usize, at: usize) -> Option<()> {
        let (leaving, entering) = (self.basic[row], self.nonbasic[at]);
        let bound = self.bound(leaving)?.clone();
        let pivot = self.rows[row][at].clone();
        let change = bound.minus(&self.values[leaving])?.over(&pivot)?;
        for (entries, variable) in self.rows.iter().zip(&self.basic) {
            if entries[at].sign() != Ordering::Equal {
                self.values[*variable] =
                    self.values[*variable].plus(&change.times(&entries[at])?)?;
            }
        }
        self.values[entering] = self.values[entering].plus(&change)?;
        self.values[leaving] = bound;
        let solved = self.solved_for(row, at, &pivot)?;
        for (i, entries) in self.rows.iter_mut().enumerate() {
            if i != row && entries[at].sign() != Ordering::Equal {
                let factor = std::mem::replace(&mut entries[at], self.zero.clone());
                add_multiple(entries, &solved, &factor)?;
            }
        }
        self.rows[row] = solved;
        self.basic[row] = entering;
        self.nonbasic[at] = leaving;
        Some(())
    }

    /// A row solved for one of its nonbasic variables, whose place the basic one takes.
    fn solved_for(&self, row: usize, at: usize, pivot: &N) -> Option<Vec<N>> {
        let negative = self.zero.minus(pivot)?;
        let mut solved: Option<Vec<N>> =
            self.rows[row].iter().map(|entry| entry.over(&negative)).collect();
        if let Some(entries) = &mut solved {
            entries[at] = N::from_integer(&BigInt::from(1))?.over(pivot)?;
        }
        solved
    }

    /// Makes every column basic, at a vertex: each nonbasic column moves until a bound stops it.
    /// Only for a solved tableau; a column that no bound stops stays.
    pub fn settle(&mut self) -> Option<()> {
        for at in 0..self.nonbasic.len() {
            if self.nonbasic[at] < self.columns
                && let Some(row) =
                    self.stop(at, Ordering::Greater)?.or(self.stop(at, Ordering::Less)?)
            {
                self.pivot(row, at)?;
            }
        }
        Some(())
    }

    /// The row that first reaches its bound when a column moves up (`Greater`) or down.
    fn stop(&self, at: usize, direction: Ordering) -> Option<Option<usize>> {
        let mut best: Option<(N, usize)> = None;
        for (i, entries) in self.rows.iter().enumerate() {
            if entries[at].sign() == direction
                && let Some(bound) = self.bound(self.basic[i])
            {
                let room = bound.minus(&self.values[self.basic[i]])?.over(&entries[at])?;
                let room = if direction == Ordering::Less { self.zero.minus(&room)? } else { room };
                if best.as_ref().is_none_or(|(least, _)| room.below(least)) {
                    best = Some((room, i));
                }
            }
        }
        Some(best.map(|(_, i)| i))
    }

    /// A basic column as a combination of slacks at their bounds: (constraint, coefficient).
    /// `None` if the column is nonbasic or its row has a column.
    pub fn combination(&self, column: usize) -> Option<Vec<(usize, N)>> {
        let row = self.basic.iter().position(|v| *v == column)?;
        let entries = self.rows[row].iter().zip(&self.nonbasic);
        let entries = entries.filter(|(entry, _)| entry.sign() != Ordering::Equal);
        let constraint =
            |(entry, v): (&N, &usize)| Some((v.checked_sub(self.columns)?, entry.clone()));
        entries.map(constraint).collect()
    }
}

/// `entries += factor * other`.
fn add_multiple<N: Number>(entries: &mut [N], other: &[N], factor: &N) -> Option<()> {
    for (entry, addend) in entries.iter_mut().zip(other) {
        if addend.sign() != Ordering::Equal {
            *entry = entry.plus(&factor.times(addend)?)?;
        }
    }
    Some(())
}

//! Integer constraints: a contradiction by Farkas' lemma with Chvatal-Gomory cuts, an integer
//! solution, or a form to branch on.
//!
//! First the rational simplex alone. If its solution is not integral, the constraints are put
//! into Hermite's echelon form, and Gomory's fractional cuts are added at a vertex: a column
//! `z = sum of r_j s_j` over slacks at their bounds, whose value is not an integer, gives the
//! multipliers `r_j - floor(r_j)`. They add up to integer coefficients, so that rounding the
//! bound is sound and excludes the vertex. In the checker's terms a cut is a sum of constraints,
//! divided and rounded.

use super::hermite::Change;
use super::number::{Number, primitive};
use super::simplex::{Outcome, Row, Tableau};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One as _;
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::refute::linear::{add_scaled, tighten};
use threadproof_format::refutation::Linear;

/// Cuts that are tried before branching.
const MAX_CUTS: usize = 10;
/// Bits of a cut's coefficients beyond which branching is better.
const MAX_BITS: u64 = 48;

/// A combination: (constraint, multiplier), where numbers from the given constraints on are the
/// earlier combinations.
pub type Sum = Vec<(usize, BigInt)>;

/// An answer about constraints `form <= 0` over integers.
#[derive(Clone, Debug)]
pub enum Decision {
    /// Cuts, each of which is used, and last a combination that is a contradiction.
    Contradiction(Vec<Sum>),
    /// An integer for each leaf that occurs.
    Solution(BTreeMap<u32, BigInt>),
    /// Undecided so far: splitting into `form <= 0` and `form >= 1` makes progress.
    Branch(Linear),
}

/// Decides constraints `form <= 0`, or says where to branch.
///
/// # Errors
/// `Limit`.
pub fn decide(constraints: &[Linear], budget: &Budget) -> Result<Decision, Reason> {
    let terms = constraints.iter().flat_map(|form| &form.terms);
    let leaves: Vec<u32> =
        terms.map(|(leaf, _)| *leaf).collect::<BTreeSet<_>>().into_iter().collect();
    let rows: Vec<Row> = constraints.iter().map(|form| row(form, &leaves)).collect();
    let small: Option<(Outcome, Option<Vec<BigInt>>)> =
        rational::<super::number::Small>(&rows, leaves.len());
    let answer = small.or_else(|| rational::<BigRational>(&rows, leaves.len()));
    match answer.ok_or(Reason::Limit("simplex"))? {
        (Outcome::Infeasible(sum), _) => Ok(Decision::Contradiction(vec![sum])),
        (Outcome::Feasible, Some(values)) => {
            Ok(Decision::Solution(leaves.into_iter().zip(values).collect()))
        }
        (Outcome::Feasible, None) => Cuts::new(constraints, leaves, &rows)?.run(budget),
    }
}

fn row(form: &Linear, leaves: &[u32]) -> Row {
    let column = |leaf: &u32| leaves.binary_search(leaf).ok();
    let terms = form.terms.iter().filter_map(|(leaf, c)| Some((column(leaf)?, c.0.clone())));
    Row { terms: terms.collect(), bound: -&form.constant.0 }
}

/// The simplex over the rationals, and its solution if that is integral; `None` if a number
/// overflows.
fn rational<N: Number>(rows: &[Row], columns: usize) -> Option<(Outcome, Option<Vec<BigInt>>)> {
    let mut tableau = Tableau::<N>::new(columns)?;
    rows.iter().try_for_each(|row| tableau.add(row))?;
    let outcome = tableau.solve()?;
    Some((outcome, integral(tableau.solution())))
}

fn integral<N: Number>(values: &[N]) -> Option<Vec<BigInt>> {
    let integer =
        |(numerator, denominator): (BigInt, BigInt)| denominator.is_one().then_some(numerator);
    values.iter().map(|value| integer(value.parts())).collect()
}

/// A search for cuts.
struct Cuts {
    leaves: Vec<u32>,
    change: Change,
    given: usize,
    /// The given constraints, then the cuts.
    constraints: Vec<Linear>,
    sums: Vec<Sum>,
    tableau: Tableau<BigRational>,
}

impl Cuts {
    fn new(constraints: &[Linear], leaves: Vec<u32>, rows: &[Row]) -> Result<Self, Reason> {
        let dense = |row: &Row| {
            let mut line = vec![BigInt::ZERO; leaves.len()];
            for (column, coefficient) in &row.terms {
                line[*column] = coefficient.clone();
            }
            line
        };
        let change = Change::new(rows.iter().map(dense).collect(), leaves.len());
        let tableau = Tableau::new(change.rank).ok_or(Reason::Limit("simplex"))?;
        let mut cuts = Cuts {
            leaves,
            given: constraints.len(),
            constraints: constraints.to_vec(),
            sums: Vec::new(),
            tableau,
            change,
        };
        for (i, row) in rows.iter().enumerate() {
            let line = cuts.change.echelon[i].clone();
            cuts.add_row(line, row.bound.clone())?;
        }
        Ok(cuts)
    }

    fn add_row(&mut self, line: Vec<BigInt>, bound: BigInt) -> Result<(), Reason> {
        let terms = line.into_iter().enumerate().take(self.change.rank);
        let terms = terms.filter(|(_, c)| *c != BigInt::ZERO).collect();
        self.tableau.add(&Row { terms, bound }).ok_or(Reason::Limit("simplex"))
    }

    fn run(mut self, budget: &Budget) -> Result<Decision, Reason> {
        const LOST: Reason = Reason::Limit("simplex");
        loop {
            budget.spend(self.constraints.len() * (self.leaves.len() + 1))?;
            if let Outcome::Infeasible(sum) = self.tableau.solve().ok_or(LOST)? {
                return Ok(Decision::Contradiction(self.contradiction(sum)));
            }
            self.tableau.settle().ok_or(LOST)?;
            let values = self.tableau.solution();
            let Some(column) = values.iter().position(|value| !value.is_integer()) else {
                return Ok(Decision::Solution(self.solution()));
            };
            let floor = values[column].floor().to_integer();
            let cut = self.tableau.combination(column).filter(|_| self.sums.len() < MAX_CUTS);
            let added = match cut {
                Some(combination) => self.cut(&combination, budget)?,
                None => false,
            };
            if !added {
                return Ok(Decision::Branch(self.branch(column, floor)));
            }
        }
    }

    /// Adds the cut of a column's combination of slacks; false if its integers are too large.
    fn cut(
        &mut self,
        combination: &[(usize, BigRational)],
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let fractions = combination.iter().map(|(i, factor)| (*i, factor - factor.floor()));
        let fractions = fractions.filter(|(_, part)| *part.numer() != BigInt::ZERO);
        let (mut used, parts): (Vec<usize>, Vec<BigRational>) = fractions.unzip();
        let mut sum: Sum = used.drain(..).zip(primitive(&parts)).collect();
        sum.sort_by_key(|(constraint, _)| *constraint);
        let mut total = Linear::default();
        for (constraint, factor) in &sum {
            total = add_scaled(
                &total,
                &self.constraints[*constraint],
                &threadproof_format::Int(factor.clone()),
                budget,
            )?;
        }
        let cut = tighten(total, budget)?;
        if cut.terms.iter().any(|(_, c)| c.0.bits() > MAX_BITS) {
            return Ok(false);
        }
        let mut line = vec![BigInt::ZERO; self.leaves.len()];
        let Row { terms, bound } = row(&cut, &self.leaves);
        for (column, coefficient) in terms {
            line[column] = coefficient;
        }
        self.add_row(self.change.translate(&line), bound)?;
        self.constraints.push(cut);
        self.sums.push(sum);
        Ok(true)
    }

    /// The sums that a contradictory one needs, renumbered.
    fn contradiction(&self, last: Sum) -> Vec<Sum> {
        if let [(only, factor)] = &last[..]
            && *only >= self.given
            && factor.is_one()
        {
            return self.contradiction(self.sums[only - self.given].clone());
        }
        let mut needed = vec![false; self.sums.len()];
        let mark = |sum: &Sum, needed: &mut Vec<bool>| {
            let cuts = sum.iter().filter_map(|(i, _)| i.checked_sub(self.given));
            cuts.for_each(|cut| needed[cut] = true);
        };
        mark(&last, &mut needed);
        for (i, sum) in self.sums.iter().enumerate().rev() {
            if needed[i] {
                mark(sum, &mut needed);
            }
        }
        let mut number: Vec<usize> = (0..self.given).collect();
        let mut sums = Vec::new();
        for (sum, needed) in self.sums.iter().chain([&last]).zip(needed.into_iter().chain([true])) {
            number.push(self.given + sums.len());
            if needed {
                sums.push(sum.iter().map(|(i, factor)| (number[*i], factor.clone())).collect());
            }
        }
        sums
    }

    /// The leaves' values from those of the new variables; the unconstrained ones are 0.
    fn solution(&self) -> BTreeMap<u32, BigInt> {
        let values = self.tableau.solution();
        let product = |line: &Vec<BigInt>| -> BigInt {
            line.iter().zip(values).map(|(entry, value)| entry * value.numer()).sum()
        };
        self.leaves.iter().copied().zip(self.change.old_by_new.iter().map(product)).collect()
    }

    /// `column <= floor`, over the leaves.
    fn branch(&self, column: usize, floor: BigInt) -> Linear {
        let entries = self.leaves.iter().zip(&self.change.new_by_old[column]);
        let nonzero = entries.filter(|(_, c)| **c != BigInt::ZERO);
        let terms = nonzero.map(|(leaf, c)| (*leaf, threadproof_format::Int(c.clone()))).collect();
        Linear { constant: threadproof_format::Int(-floor), terms }
    }
}

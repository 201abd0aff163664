//! A change of integer variables that leaves only as many as the constraints' rank.
//!
//! Column operations with integers of determinant 1 bring the constraint matrix A to an echelon
//! form A U (Hermite's). With x = U z, z ranges over the integer vectors exactly when x does,
//! and the columns of z beyond the rank occur in no constraint. So a polyhedron in z has
//! vertices, and gcd arguments become cuts on single variables.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed as _, Zero as _};

/// An integer matrix, by rows.
pub type Matrix = Vec<Vec<BigInt>>;

/// The change of variables.
#[derive(Clone, Debug)]
pub struct Change {
    /// The constraints in the new variables: A U.
    pub echelon: Matrix,
    /// U: the old variables by the new ones.
    pub old_by_new: Matrix,
    /// The inverse of U: the new variables by the old ones.
    pub new_by_old: Matrix,
    /// How many new variables occur in constraints: the first ones.
    pub rank: usize,
}

fn identity(size: usize) -> Matrix {
    let entry = |i, j| BigInt::from(i64::from(i == j));
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

impl Change {
    /// The change for a matrix of some number of columns.
    pub fn new(matrix: Matrix, columns: usize) -> Self {
        let mut change = Change {
            echelon: matrix,
            old_by_new: identity(columns),
            new_by_old: identity(columns),
            rank: 0,
        };
        for row in 0..change.echelon.len() {
            if change.rank < columns && change.clear(row, columns) {
                change.rank += 1;
            }
        }
        change
    }

    /// Euclid's algorithm on a row's entries from the rank on; the divisor goes to the rank's
    /// column. False if all of them are zero.
    fn clear(&mut self, row: usize, columns: usize) -> bool {
        loop {
            let entry = |column: &usize| self.echelon[row][*column].abs();
            let nonzero = (self.rank..columns).filter(|c| !self.echelon[row][*c].is_zero());
            let Some(least) = nonzero.min_by_key(entry) else { return false };
            self.swap(least, self.rank);
            let mut done = true;
            for column in self.rank + 1..columns {
                let quotient = self.echelon[row][column].div_floor(&self.echelon[row][self.rank]);
                if !quotient.is_zero() {
                    self.subtract(column, self.rank, &quotient);
                }
                done = done && self.echelon[row][column].is_zero();
            }
            if done {
                return true;
            }
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        for line in self.echelon.iter_mut().chain(&mut self.old_by_new) {
            line.swap(a, b);
        }
        self.new_by_old.swap(a, b);
    }

    /// `column a -= quotient * column b`.
    fn subtract(&mut self, a: usize, b: usize, quotient: &BigInt) {
        for line in self.echelon.iter_mut().chain(&mut self.old_by_new) {
            let change = quotient * &line[b];
            line[a] -= change;
        }
        let added: Vec<BigInt> = self.new_by_old[a].iter().map(|x| quotient * x).collect();
        for (entry, addend) in self.new_by_old[b].iter_mut().zip(added) {
            *entry += addend;
        }
    }

    /// A row of coefficients of the old variables, in the new ones.
    pub fn translate(&self, row: &[BigInt]) -> Vec<BigInt> {
        let columns = self.old_by_new.len();
        let entry = |new: usize| {
            let products = row.iter().zip(&self.old_by_new).filter(|(c, _)| !c.is_zero());
            products.map(|(c, line)| c * &line[new]).sum()
        };
        (0..columns).map(entry).collect()
    }
}

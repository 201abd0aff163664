//! Affine equalities that hold of sampled values, by exact elimination (Karr, "Affine relationships
//! among variables of a program", for samples).

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The affine hull of points, as the linear span of (1, point).
#[derive(Debug)]
pub struct Hull {
    columns: usize,
    /// Rows in reduced echelon form, with their pivots ascending.
    rows: Vec<(usize, Vec<BigRational>)>,
}

impl Hull {
    /// Of no points, in so many dimensions.
    pub fn new(dimensions: usize) -> Self {
        Hull { columns: dimensions + 1, rows: Vec::new() }
    }

    /// Adds a point with as many coordinates as the hull has dimensions.
    pub fn add(&mut self, point: &[BigInt]) {
        let one = [BigInt::one()];
        let mut row: Vec<BigRational> =
            one.iter().chain(point).map(|v| BigRational::from(v.clone())).collect();
        for (pivot, other) in &self.rows {
            subtract(&mut row, other, *pivot);
        }
        let Some(pivot) = row.iter().position(|v| !v.is_zero()) else { return };
        let scale = row[pivot].clone();
        row.iter_mut().for_each(|v| *v /= &scale);
        for (_, other) in &mut self.rows {
            subtract(other, &row, pivot);
        }
        let at = self.rows.partition_point(|(p, _)| *p < pivot);
        self.rows.insert(at, (pivot, row));
    }

    /// A basis of the equalities c + a1 x1 + ... + an xn = 0 that hold of all points, each as the
    /// coprime integers (c, a1, ..., an): one for each dimension that the earlier ones determine.
    pub fn equalities(&self) -> Vec<Vec<BigInt>> {
        let free = (0..self.columns).filter(|c| self.rows.iter().all(|(p, _)| p != c));
        free.map(|column| self.equality(column)).collect()
    }

    fn equality(&self, column: usize) -> Vec<BigInt> {
        let mut vector = vec![BigRational::zero(); self.columns];
        vector[column] = BigRational::one();
        for (pivot, row) in &self.rows {
            vector[*pivot] = -row[column].clone();
        }
        let denominator = vector.iter().fold(BigInt::one(), |d, v| d.lcm(v.denom()));
        let integers = vector.iter().map(|v| (v * &denominator).to_integer());
        let integers: Vec<BigInt> = integers.collect();
        let divisor = integers.iter().fold(BigInt::zero(), |g, v| g.gcd(v)).abs();
        integers.into_iter().map(|v| v / &divisor).collect()
    }
}

/// Makes the row's entry at the pivot zero; the other row has a 1 there.
fn subtract(row: &mut [BigRational], other: &[BigRational], pivot: usize) {
    let factor = row[pivot].clone();
    if factor.is_zero() {
        return;
    }
    for (value, part) in row.iter_mut().zip(other) {
        *value -= &factor * part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hull(points: &[[i32; 3]]) -> Hull {
        let mut hull = Hull::new(3);
        for point in points {
            hull.add(&point.map(BigInt::from));
        }
        hull
    }

    #[test]
    fn equalities_hold_of_all_points_and_no_others_are_left_out() {
        // y = 2x + 1, and z is free.
        let line = hull(&[[0, 1, 5], [1, 3, 0], [2, 5, 7], [3, 7, 7]]);
        assert_eq!(line.equalities(), [[-1, -2, 1, 0].map(BigInt::from).to_vec()]);
        // x = 3 and 2z = y.
        let two = hull(&[[3, 2, 1], [3, 4, 2], [3, 0, 0]]);
        let expected = [[-3, 1, 0, 0], [0, 0, -1, 2]];
        assert_eq!(two.equalities(), expected.map(|e| e.map(BigInt::from).to_vec()));
        assert!(hull(&[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]).equalities().is_empty());
    }

    #[test]
    fn random_equalities_are_found_again() {
        fn found(a: i8, b: i8, c: i8, points: Vec<(i8, i8)>) -> bool {
            let (a, b, c) = (i32::from(a), i32::from(b), i32::from(c));
            let points: Vec<[i32; 3]> = points
                .iter()
                .map(|(x, y)| (i32::from(*x), i32::from(*y)))
                .map(|(x, y)| [x, y, a * x + b * y + c])
                .collect();
            let zero = |e: &Vec<BigInt>, p: &[i32; 3]| {
                let sum: BigInt = e[1..].iter().zip(p).map(|(k, v)| k * v).sum();
                (sum + &e[0]).is_zero()
            };
            let equalities = hull(&points).equalities();
            !equalities.is_empty() && equalities.iter().all(|e| points.iter().all(|p| zero(e, p)))
        }
        quickcheck::quickcheck(found as fn(i8, i8, i8, Vec<(i8, i8)>) -> bool);
    }
}

//! Refutations that are right, by each rule.

use super::guard::{ARRAY, BC, Guard, XY, XYZ, atom, congruence, guarded, hit, miss};
use crate::arena::Arena;
use crate::arena::pair::{farkas, propagate};
use threadproof_format::refutation::Step;

const BOUNDS: Guard<'_> = (XYZ, "x < y && y < z && z <= x");
const CUTS: Guard<'_> = (XY, "3 * x - 2 * y >= 1 && 3 * x - 2 * y <= 1 && y >= 0 && y <= 0");
const BRANCH: Guard<'_> = (XY, "x + y >= 2 && 2 * x <= 1 && 2 * y <= 1");
const CASES: Guard<'_> = (BC, "(b || c) && !b && !c");
const HIT: Guard<'_> = (ARRAY, "i == j && a[i := 7][j] != 7");
const MISS: Guard<'_> = (ARRAY, "i < j && a[i := 7][j] != a[j]");
const CONGRUENCE: Guard<'_> = (ARRAY, "i == j && a[i] != a[j]");

/// Adds the good cases.
pub fn add(arena: &mut Arena) {
    let mut add = |name: &str, section: &str, shows: &str, guard, steps: &[Step]| {
        arena.good(name, section, shows, guarded(guard, steps));
    };
    let lemma = farkas(&[-3, -2, 5], &[&[(0, 1), (1, 1), (2, 1)]]);
    let close = propagate(&[], &[1, 2, 3, 4]);
    add("bounds", "6.2", "three bounds contradict each other", BOUNDS, &[lemma, close]);
    let lemma = farkas(&[-7, -3, 2, 5], &[&[(2, 1), (3, 2)], &[(0, 2), (1, 1)], &[(4, 1), (5, 1)]]);
    let close = propagate(&[], &[1, 2, 3, 4, 5]);
    add("cuts", "6.2", "two sums are rounded before they contradict", CUTS, &[lemma, close]);
    let branch = [
        atom(-1, &[(0, 1)]),
        farkas(&[-3, 7], &[&[(0, 1), (1, 1)]]),
        farkas(&[-7, -5, 2], &[&[(0, 1), (1, 1), (2, 1)]]),
        propagate(&[], &[1, 2, 3, 4, 5]),
    ];
    add("branch", "6.1", "an atom of the refutation's own", BRANCH, &branch);
    let branch = [
        atom(-1, &[(0, 2), (1, 1)]),
        farkas(&[-5, -3, 7], &[&[(0, 1), (1, 2), (2, 1)]]),
        farkas(&[-7, -5, 2], &[&[(0, 1), (1, 1), (2, 2)]]),
        propagate(&[], &[1, 2, 3, 4, 5]),
    ];
    add("branch_of_two", "6.1", "an atom about two leaves", BRANCH, &branch);
    let constants = ("a: int[], b: bool", "a[0] != a[1] && b && !b");
    add("constants", "5.2", "reads at two constants", constants, &[propagate(&[], &[1, 3])]);
    add("cases", "6.4", "unit propagation", CASES, &[propagate(&[], &[1, 3, 2])]);
    let lemma = [propagate(&[3], &[3, 2]), propagate(&[], &[1, 4])];
    add("lemma", "6.4", "unit propagation by way of a clause of its own", CASES, &lemma);
    let steps = [hit(0, 2), hit(1, 2), propagate(&[], &[2, 3, 4, 5, 1])];
    add("hit", "6.3", "a read of what was written", HIT, &steps);
    let steps = [miss(0, 2), miss(1, 2), propagate(&[], &[2, 3, 4, 1])];
    add("miss", "6.3", "a read above what was written", MISS, &steps);
    let below = (ARRAY, "j < i && a[i := 7][j] != a[j]");
    let steps = [miss(2, 2), miss(3, 2), propagate(&[], &[2, 3, 4, 1])];
    add("miss_below", "6.3", "a read below what was written", below, &steps);
    let steps = [congruence(0, 2, 3), congruence(1, 2, 3), propagate(&[], &[2, 3, 4, 5, 1])];
    add("congruence", "6.3", "two reads at one index", CONGRUENCE, &steps);
    let never = ("x: int", "x % 3 > 2");
    add(
        "remainder",
        "5.2",
        "a remainder is less than its divisor",
        never,
        &[propagate(&[], &[2, 3])],
    );
    let never = ("x: int", "x % 3 < 0");
    let lower = [propagate(&[], &[1, 3])];
    add("remainder_negative", "5.2", "a remainder is not negative", never, &lower);
    let same = ("x: int", "(x + 6) / 3 != x / 3 + 2");
    add(
        "quotient",
        "5.2",
        "a multiple of the divisor is divided out",
        same,
        &[propagate(&[], &[3])],
    );
    let truth = ("a: bool[], i: int, j: int, v: bool", "i == j && v && !a[i := v][j]");
    let steps = [hit(1, 3), propagate(&[], &[1, 2, 3, 4, 5])];
    add("hit_truth", "6.3", "a read of a truth value that was written", truth, &steps);
}

//! Wrong lemmas about linear constraints, and wrong atoms (SPEC.md sections 5.2, 6.1 and 6.2).

use super::guard::{
    ATOM, CONSTRAINT, LITERAL, MULTIPLIER, NO_CONFLICT, NO_CONTRADICTION, NOT_UNIT, ORDER, UNUSED,
    XY, atom, unsound, wrong,
};
use crate::arena::Arena;
use crate::arena::pair::{farkas, int, propagate};
use threadproof_format::proof::counterexample::Value;
use threadproof_format::refutation::Step;

/// Adds the cases of lemmas.
pub fn add(arena: &mut Arena) {
    lemmas(arena);
    multipliers(arena);
    quotients(arena);
    sums(arena);
}

fn lemmas(arena: &mut Arena) {
    let group = &mut arena.on("bounds", "6.2");
    let close = propagate(&[], &[1, 2, 3]);
    let trap = "x <= 3 and x >= 3 add up to 0 <= 0, which is true";
    let steps = [farkas(&[-2, 3], &[&[(0, 1), (1, 1)]]), close.clone()];
    let values = [int(3), int(0)];
    let guard = ((XY, "x <= 3 && x >= 3"), &values[..]);
    unsound(group, "equality_as_a_contradiction", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "x <= 3 and x >= 1 add up to -2 <= 0, which is true";
    let guard = ((XY, "x <= 3 && x >= 1"), &values[..]);
    unsound(group, "negative_constant_as_a_contradiction", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "the sum x - y + 1 <= 0 has a positive constant, but leaves as well";
    let values = [int(0), int(1)];
    let guard = ((XY, "x <= 0 && y >= 1"), &values[..]);
    unsound(group, "leaves_are_left_over", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "a lemma with no sum at all";
    let guard = ((XY, "x <= 3 && x >= 1"), &[int(3), int(0)][..]);
    let steps = [farkas(&[-2, 3], &[]), close.clone()];
    unsound(group, "lemma_without_a_sum", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "a lemma of nothing, whose clause is empty";
    unsound(group, "lemma_of_nothing", NO_CONTRADICTION, trap, guard, &[farkas(&[], &[])]);
    let trap = "a truth value is no linear constraint";
    let guard = (("b: bool, x: int", "b && x < 1"), &[Value::Bool(true), int(0)][..]);
    let steps = [farkas(&[-3, -2], &[&[(0, 1), (1, 1)]]), close];
    unsound(group, "lemma_about_no_number", CONSTRAINT, trap, guard, &steps);
    let trap = "the clause has a literal where the contradiction is about its negation";
    wrong(group, "lemma_with_a_literal_turned_round", NO_CONTRADICTION, trap, |steps| {
        steps[0] = farkas(&[-5, -3, -2], &[&[(0, 1), (1, 1), (2, 1)]]);
    });
    let trap = "the clause of a lemma is not ascending";
    wrong(group, "lemma_not_ascending", ORDER, trap, |steps| {
        steps[0] = farkas(&[-2, -3, 5], &[&[(0, 1), (1, 1), (2, 1)]]);
    });
    let trap = "the clause of a lemma names a variable that nobody made";
    wrong(group, "lemma_about_an_unknown_variable", LITERAL, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 9], &[&[(0, 1), (1, 1), (2, 1)]]);
    });
    let trap = "a literal must be the number of a variable, which 0 is not";
    wrong(group, "lemma_about_variable_zero", LITERAL, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 0], &[&[(0, 1), (1, 1), (2, 1)]]);
    });
}

fn multipliers(arena: &mut Arena) {
    let group = &mut arena.on("bounds", "6.2");
    let trap = "x <= 5 minus x <= 7 gives 2 <= 0: a negative multiplier turns a bound round";
    let guard = ((XY, "x <= 5 && x <= 7"), &[int(0), int(0)][..]);
    let steps = [farkas(&[-3, -2], &[&[(0, -1), (1, 1)]]), propagate(&[], &[1, 2, 3])];
    unsound(group, "negative_multiplier", MULTIPLIER, trap, guard, &steps);
    let trap = "a constraint times 0 is no part of a sum";
    wrong(group, "zero_multiplier", MULTIPLIER, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 5], &[&[(0, 1), (1, 1), (2, 0)]]);
    });
    let trap = "the constraints of a sum are not strictly ascending";
    wrong(group, "constraint_twice_in_a_sum", MULTIPLIER, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 5], &[&[(0, 1), (0, 1), (1, 2), (2, 2)]]);
    });
    let trap = "the constraints of a sum are not ascending";
    wrong(group, "constraints_in_disorder", MULTIPLIER, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 5], &[&[(1, 1), (0, 1), (2, 1)]]);
    });
    let trap = "a sum that is no part of the last one";
    wrong(group, "sum_that_no_sum_uses", UNUSED, trap, |steps| {
        steps[0] = farkas(&[-3, -2, 5], &[&[(0, 1), (1, 1)], &[(0, 1), (1, 1), (2, 1)]]);
    });
    let group = &mut arena.on("branch", "6.2");
    let trap = "the clause of a lemma has a literal that the contradiction does not need";
    wrong(group, "constraint_that_no_sum_uses", UNUSED, trap, |steps| {
        steps[1] = farkas(&[-5, -3, 7], &[&[(1, 1), (2, 1)]]);
    });
}

fn quotients(arena: &mut Arena) {
    let group = &mut arena.on("remainder", "5.2");
    let trap = "x % 3 > 1 if x is 2";
    let close = propagate(&[], &[2, 3]);
    let two = (("x: int", "x % 3 > 1"), &[int(2)][..]);
    unsound(group, "remainder_below", NO_CONFLICT, trap, two, &[close]);
    let trap = "x / 3 < 0 if x is -1: quotients are rounded down";
    let minus = (("x: int", "x / 3 < 0 && x >= -1"), &[int(-1)][..]);
    let lemma = farkas(&[-5, -4, -3], &[&[(0, 1), (1, 3), (2, 1)]]);
    unsound(group, "quotient_towards_zero", NO_CONTRADICTION, trap, minus, &[lemma]);
    let trap = "x % 3 is 2 if x is -1: remainders are not negative";
    let minus = (("x: int", "x % 3 == 2 && x < 0"), &[int(-1)][..]);
    let close = propagate(&[], &[1, 3, 4]);
    unsound(group, "remainder_of_a_negative", NO_CONFLICT, trap, minus, &[close]);
    let group = &mut arena.on("quotient", "5.2");
    let trap = "a quotient of x is no quotient of x + 1";
    let other = (("x: int", "(x + 1) / 3 != x / 3"), &[int(2)][..]);
    unsound(group, "quotients_of_neighbours", NOT_UNIT, trap, other, &[propagate(&[], &[5])]);
    let trap = "half of x is no third of it";
    let other = (("x: int", "x / 2 != x / 3"), &[int(2)][..]);
    unsound(group, "quotients_by_others", NOT_UNIT, trap, other, &[propagate(&[], &[5])]);
}

fn sums(arena: &mut Arena) {
    let group = &mut arena.on("cuts", "6.2");
    let guard = ((XY, "x <= 3"), &[int(0), int(0)][..]);
    let trap = "a sum names its own number among its constraints";
    let close = propagate(&[], &[1, 2]);
    let steps = [farkas(&[-2], &[&[(0, 1), (1, 1)]]), close.clone()];
    unsound(group, "sum_cites_itself", CONSTRAINT, trap, guard, &steps);
    let trap = "two sums name each other";
    let steps = [farkas(&[-2], &[&[(2, 1)], &[(0, 1), (1, 1)]]), close];
    unsound(group, "sums_cite_each_other", CONSTRAINT, trap, guard, &steps);
    let trap = "2 x + 3 y >= 1 is divided by 2 and becomes x + y >= 1, though 2 does not divide 3";
    let guard = ((XY, "2 * x + 3 * y >= 1 && x + y <= 0"), &[int(-1), int(1)][..]);
    let steps = [farkas(&[-3, 2], &[&[(1, 1)], &[(0, 1), (2, 1)]]), propagate(&[], &[1, 2, 3])];
    unsound(group, "cut_without_divisibility", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "3 x == 2 y is rounded and becomes x == y";
    let guard = ((XY, "3 * x == 2 * y && x < y"), &[int(2), int(3)][..]);
    let steps = [farkas(&[-5, 3], &[&[(1, 1)], &[(0, 1), (2, 1)]]), propagate(&[], &[1, 2, 4])];
    unsound(group, "rounded_equality", NO_CONTRADICTION, trap, guard, &steps);
    let trap = "2 x <= 3 is rounded to x <= 0 rather than to x <= 1";
    let guard = ((XY, "2 * x <= 3 && x >= 1"), &[int(1), int(0)][..]);
    let steps = [farkas(&[-2, 3], &[&[(0, 1), (1, 1)]]), propagate(&[], &[1, 2, 3])];
    unsound(group, "bound_rounded_too_far", NO_CONTRADICTION, trap, guard, &steps);
}

/// Adds the cases of atoms.
pub fn atoms(arena: &mut Arena) {
    let group = &mut arena.on("branch", "6.1");
    let rows: [(&str, &str, Step); 6] = [
        ("atom_with_a_negative_first_coefficient", "-x <= 0 is no atom", atom(0, &[(0, -1)])),
        ("atom_with_a_zero_coefficient", "a coefficient 0", atom(-1, &[(0, 1), (1, 0)])),
        ("atom_that_is_known_made_new", "x <= 0 is a variable already", atom(0, &[(0, 1)])),
        ("atom_without_leaves", "a constant is no atom", atom(1, &[])),
        ("atom_about_an_unknown_leaf", "there is no leaf 9", atom(-1, &[(9, 1)])),
        ("atom_with_a_leaf_twice", "x + x is 2 x", atom(-1, &[(0, 1), (0, 1)])),
    ];
    for (name, trap, step) in rows {
        wrong(group, name, ATOM, trap, |steps| steps[0] = step);
    }
    wrong(group, "atom_that_is_known", ATOM, "a step that names what has a name", |steps| {
        steps[0] = atom(0, &[(0, 1)]);
        steps.remove(1);
        steps[1] = farkas(&[-5, -3, 2], &[&[(0, 1), (1, 1), (2, 1)]]);
        steps[2] = propagate(&[], &[1, 2, 3, 4]);
    });
    let group = &mut arena.on("branch_of_two", "6.1");
    wrong(group, "atom_with_leaves_in_disorder", ATOM, "not ascending", |steps| {
        steps[0] = atom(-1, &[(1, 1), (0, 2)]);
    });
    wrong(group, "atom_not_tightened", ATOM, "4 x + 2 y - 1 <= 0 is 2 x + y <= 0", |steps| {
        steps[0] = atom(-1, &[(0, 4), (1, 2)]);
        steps[1] = farkas(&[-5, -3, 7], &[&[(0, 2), (1, 4), (2, 1)]]);
        steps[2] = farkas(&[-7, -5, 2], &[&[(0, 1), (1, 2), (2, 4)]]);
    });
    let group = &mut arena.on("hit_truth", "6.1");
    wrong(group, "atom_about_a_truth_value", ATOM, "a truth value is no number", |steps| {
        steps.insert(0, atom(-1, &[(2, 1)]));
    });
}

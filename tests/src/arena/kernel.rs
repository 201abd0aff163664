//! Refutations (SPEC.md sections 5 and 6). The program has one edge, to the error location; the
//! proof is that its guard has no solution. So a trap that "refutes" a guard with a solution claims
//! what is false, and the solution stands beside it as a counterexample.

use super::pair::{Pair, farkas, int, propagate, run};
use super::{Arena, Group};
use threadproof_format::Int;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::{ProofSpace, Triple};
use threadproof_format::refutation::{Congruence, Linear, Read, Refutation, Step};

/// Globals and a guard over them.
type Guard<'a> = (&'a str, &'a str);

fn core((globals, guard): Guard<'_>) -> String {
    let globals: String = globals.split(", ").map(|global| format!("global {global};\n")).collect();
    format!(
        "core 1;
{globals}one t {{
    location start;
    location wrong error;
    edge start -> wrong {{ when {guard}; }}
}}
"
    )
}

/// The proof that the guard has no solution.
fn guarded(guard: Guard<'_>, steps: &[Step]) -> Pair {
    let triple = Triple {
        pre: vec![],
        edge: 0,
        post: 0,
        acting: 0,
        template: 0,
        refutation: Refutation(steps.to_vec()),
    };
    let proof = ProofSpace { basis: vec![triple], ..ProofSpace::default() };
    Pair::new(&core(guard), Proof::ProofSpace(proof))
}

fn atom(constant: i64, terms: &[(u32, i64)]) -> Step {
    let terms = terms.iter().map(|(leaf, c)| (*leaf, Int::from(*c))).collect();
    Step::Atom(Linear { constant: Int::from(constant), terms })
}

fn hit(case: u8, leaf: u32) -> Step {
    Step::ReadHit(Read { case, leaf })
}

fn miss(case: u8, leaf: u32) -> Step {
    Step::ReadMiss(Read { case, leaf })
}

fn congruence(case: u8, left: u32, right: u32) -> Step {
    Step::Congruence(Congruence { case, left, right })
}

const XYZ: &str = "x: int, y: int, z: int";
const XY: &str = "x: int, y: int";
const BC: &str = "b: bool, c: bool";
const ARRAY: &str = "a: int[], i: int, j: int";
const BOUNDS: Guard<'_> = (XYZ, "x < y && y < z && z <= x");
const CUTS: Guard<'_> = (XY, "3 * x - 2 * y >= 1 && 3 * x - 2 * y <= 1 && y >= 0 && y <= 0");
const BRANCH: Guard<'_> = (XY, "x + y >= 2 && 2 * x <= 1 && 2 * y <= 1");
const CASES: Guard<'_> = (BC, "(b || c) && !b && !c");
const HIT: Guard<'_> = (ARRAY, "i == j && a[i := 7][j] != 7");
const MISS: Guard<'_> = (ARRAY, "i < j && a[i := 7][j] != a[j]");
const CONGRUENCE: Guard<'_> = (ARRAY, "i == j && a[i] != a[j]");

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    good(arena);
    lemmas(arena);
    multipliers(arena);
    quotients(arena);
    sums(arena);
    propagation(arena);
    circles(arena);
    ends(arena);
    atoms(arena);
    arrays(arena);
    indexes(arena);
}

fn good(arena: &mut Arena) {
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

/// A refutation that is wrong, of a guard that has no solution.
fn wrong(
    group: &mut Group<'_>,
    name: &str,
    reason: &str,
    trap: &str,
    edit: impl FnOnce(&mut Vec<Step>),
) {
    group.bad(name, ("refutation", &at(reason)), trap, |pair| edit(pair.refutation(0)));
}

/// A refutation of a guard that these values satisfy, and the counterexample.
fn unsound(
    group: &mut Group<'_>,
    name: &str,
    reason: &str,
    trap: &str,
    (guard, solution): (Guard<'_>, &[Value]),
    steps: &[Step],
) {
    let execution = run(&core(guard), solution, &[(0, &[])], &[(0, 0, &[])]);
    let edit = |pair: &mut Pair| *pair = guarded(guard, steps);
    group.bad(name, ("refutation", &at(reason)), trap, edit).refuted(execution);
}

fn at(reason: &str) -> String {
    format!("triple 0: not a refutation: {reason}")
}

const MULTIPLIER: &str = "multiplier is not positive";
const NO_CONTRADICTION: &str = "the combination is no contradiction";
const CONSTRAINT: &str = "unknown linear constraint";
const ORDER: &str = "clause not strictly ascending";
const LITERAL: &str = "unknown literal";
const NOT_UNIT: &str = "hinted clause is not unit";
const NO_CONFLICT: &str = "hints do not end in the conflict";
const CLAUSE: &str = "unknown clause";
const NOT_EMPTY: &str = "the last step is not the empty clause";
const UNUSED: &str = "a step that nothing uses";
const ATOM: &str = "atom not new or not in normal form";
const LEMMA: &str = "array lemma does not fit its leaves";

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

fn propagation(arena: &mut Arena) {
    let group = &mut arena.on("cases", "6.4");
    let either = ((BC, "(b || c) && !b"), &[Value::Bool(false), Value::Bool(true)][..]);
    let trap = "a hinted clause has two open literals, so that neither follows";
    let steps = [propagate(&[], &[1, 2])];
    unsound(group, "hint_with_two_open_literals", NOT_UNIT, trap, either, &steps);
    let trap = "the hints end, and nothing was contradicted";
    unsound(
        group,
        "hints_without_a_conflict",
        NO_CONFLICT,
        trap,
        either,
        &[propagate(&[], &[2, 1])],
    );
    let one = (("b: bool", "b"), &[Value::Bool(true)][..]);
    let trap = "no hint at all";
    unsound(group, "no_hints", NO_CONFLICT, trap, one, &[propagate(&[], &[])]);
    let trap = "a hinted clause has no open literal because one is true: no conflict";
    unsound(group, "hint_that_is_true", NOT_UNIT, trap, one, &[propagate(&[], &[1, 1])]);
    let another =
        (("b: bool, c: bool", "b && !c && (b || c)"), &[Value::Bool(true), Value::Bool(false)][..]);
    let trap = "of a hinted clause one literal is true, so nothing follows for the other one";
    let steps = [propagate(&[], &[2, 3, 1])];
    unsound(group, "hint_that_is_true_but_open", NOT_UNIT, trap, another, &steps);
    wrong(group, "hint_given_twice", NOT_UNIT, "the second time it is true", |steps| {
        steps[0] = propagate(&[], &[1, 1, 3, 2]);
    });
    let trap = "a hint after the conflict";
    wrong(group, "hint_after_the_conflict", NO_CONFLICT, trap, |steps| {
        steps[0] = propagate(&[], &[1, 3, 2, 2]);
    });
    let group = &mut arena.on("lemma", "6.4");
    let trap = "the clause has a variable twice, positive and negative";
    wrong(group, "clause_with_a_variable_twice", ORDER, trap, |steps| {
        steps[0] = propagate(&[-3, 3], &[3, 2]);
    });
    let trap = "the clause has a literal twice";
    wrong(group, "clause_with_a_literal_twice", ORDER, trap, |steps| {
        steps[0] = propagate(&[3, 3], &[3, 2]);
    });
    let trap = "the clause names a variable that nobody made";
    wrong(group, "clause_about_an_unknown_variable", LITERAL, trap, |steps| {
        steps[0] = propagate(&[99], &[3, 2]);
    });
    let trap = "the least literal of the format has no negation in 32 bits";
    wrong(group, "clause_with_the_least_literal", LITERAL, trap, |steps| {
        steps[0] = propagate(&[i32::MIN], &[3, 2]);
    });
}

fn circles(arena: &mut Arena) {
    let one = (("b: bool", "b"), &[Value::Bool(true)][..]);
    let group = &mut arena.on("lemma", "6.4");
    let trap = "a step gives its own clause as the reason";
    unsound(group, "clause_cites_itself", CLAUSE, trap, one, &[propagate(&[], &[2])]);
    let trap = "two steps give each other's clauses as reasons";
    let steps = [propagate(&[-2], &[3]), propagate(&[], &[1, 2])];
    unsound(group, "clauses_cite_each_other", CLAUSE, trap, one, &steps);
    let trap = "a unit clause is used before it is derived";
    wrong(group, "clause_used_before_it_is_derived", CLAUSE, trap, |steps| steps.swap(0, 1));
}

fn ends(arena: &mut Arena) {
    let one = (("b: bool", "b"), &[Value::Bool(true)][..]);
    let group = &mut arena.on("lemma", "6.5");
    let trap = "a refutation without a step";
    unsound(group, "empty_refutation", NOT_EMPTY, trap, one, &[]);
    let trap = "the last step adds a clause that is not empty";
    unsound(group, "last_clause_is_not_empty", NOT_EMPTY, trap, one, &[propagate(&[2], &[1])]);
    let trap = "the last step adds no clause";
    let guard = ((XY, "x <= 3"), &[int(0), int(0)][..]);
    unsound(group, "atom_at_the_end", NOT_EMPTY, trap, guard, &[atom(-5, &[(0, 1)])]);
    let trap = "steps after the empty clause";
    wrong(group, "empty_clause_not_at_the_end", NOT_EMPTY, trap, |steps| {
        *steps = vec![propagate(&[], &[1, 3, 2]), propagate(&[3], &[3, 2])];
    });
    let trap = "a clause that no later step uses";
    wrong(group, "clause_that_nothing_uses", UNUSED, trap, |steps| {
        steps[1] = propagate(&[], &[1, 3, 2]);
    });
    let group = &mut arena.on("branch", "6.5");
    let trap = "an atom that no later clause has";
    wrong(group, "atom_that_nothing_uses", UNUSED, trap, |steps| {
        steps.insert(1, atom(-5, &[(0, 1)]));
    });
}

fn atoms(arena: &mut Arena) {
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

fn arrays(arena: &mut Arena) {
    let group = &mut arena.on("hit", "6.3");
    let rows: [(&str, &str, Step); 3] = [
        ("hit_of_a_variable", "the leaf is no read", hit(0, 0)),
        ("hit_of_an_array_that_is_not_written", "a hit needs a write", hit(0, 3)),
        ("hit_of_an_unknown_case", "an equality has two halves", hit(2, 2)),
    ];
    for (name, trap, step) in rows {
        wrong(group, name, LEMMA, trap, |steps| steps[0] = step);
    }
    wrong(group, "hit_of_one_half", NOT_UNIT, "both steps give the same half", |steps| {
        steps[1] = hit(0, 2);
    });
    let (why, trap) = (("index", "triple 0: a number that names no leaf"), "no such leaf");
    group.bad("hit_of_an_unknown_leaf", why, trap, |pair| pair.refutation(0)[0] = hit(0, 9));
    let group = &mut arena.on("miss", "6.3");
    let trap = "the leaf is no read";
    wrong(group, "miss_of_a_variable", LEMMA, trap, |steps| steps[0] = miss(0, 1));
    let group = &mut arena.on("miss_below", "6.3");
    wrong(group, "miss_of_an_unknown_case", LEMMA, "there are four cases", |steps| {
        (steps[0], steps[1]) = (miss(4, 2), miss(5, 2));
    });
    let group = &mut arena.on("congruence", "6.3");
    let rows: [(&str, &str, Step); 3] = [
        ("congruence_of_one_read", "the two leaves are one", congruence(0, 2, 2)),
        ("congruence_of_variables", "the leaves are no reads", congruence(0, 0, 1)),
        ("congruence_of_an_unknown_case", "an equality has two halves", congruence(2, 2, 3)),
    ];
    for (name, trap, step) in rows {
        wrong(group, name, LEMMA, trap, |steps| steps[0] = step);
    }
    wrong(group, "congruence_turned_round", LEMMA, "the leaves must ascend", |steps| {
        (steps[0], steps[1]) = (congruence(0, 3, 2), congruence(1, 3, 2));
    });
    let group = &mut arena.on("constants", "6.3");
    wrong(group, "lemma_that_says_nothing", LEMMA, "it always holds", |steps| {
        steps.insert(0, congruence(0, 0, 1));
    });
}

fn array(default: i64, entries: &[(i64, i64)]) -> Value {
    let entries = entries.iter().map(|(i, v)| (Int::from(*i), Int::from(*v)));
    Value::IntArray(Int::from(default), entries.collect())
}

fn indexes(arena: &mut Arena) {
    let close = propagate(&[], &[2, 3, 1]);
    let group = &mut arena.on("hit", "6.3");
    let trap = "a read at another index is taken for a read of what was written";
    let guard = ((ARRAY, "a[i := 7][j] != 7"), &[array(0, &[]), int(0), int(1)][..]);
    let steps = [hit(0, 2), hit(1, 2), close.clone()];
    unsound(group, "hit_at_another_index", NOT_UNIT, trap, guard, &steps);
    let group = &mut arena.on("miss", "6.3");
    let trap = "a read at the index that was written is taken for one beside it";
    let guard = ((ARRAY, "a[i := 7][j] != a[j]"), &[array(0, &[]), int(0), int(0)][..]);
    let steps = [miss(0, 2), miss(1, 2), close.clone()];
    unsound(group, "miss_at_the_same_index", NOT_UNIT, trap, guard, &steps);
    let trap = "the cases for an index below the written one, of an index above it";
    wrong(group, "miss_on_the_wrong_side", NOT_UNIT, trap, |steps| {
        (steps[0], steps[1]) = (miss(2, 2), miss(3, 2));
    });
    let group = &mut arena.on("congruence", "6.3");
    let trap = "reads at different indexes are taken for equal";
    let guard = ((ARRAY, "a[i] != a[j]"), &[array(0, &[(1, 1)]), int(0), int(1)][..]);
    let steps = [congruence(0, 1, 3), congruence(1, 1, 3), close.clone()];
    unsound(group, "congruence_of_different_indexes", NOT_UNIT, trap, guard, &steps);
    let trap = "reads of two arrays are taken for equal";
    let globals = "a: int[], b: int[], i: int";
    let guard = ((globals, "a[i] != b[i]"), &[array(0, &[]), array(1, &[]), int(0)][..]);
    let steps = [congruence(0, 1, 2), congruence(1, 1, 2), close.clone()];
    unsound(group, "congruence_of_two_arrays", LEMMA, trap, guard, &steps);
    let trap = "the clause holds anyhow, as the indexes are different constants";
    let guard = (("a: int[]", "a[0] != a[1]"), &[array(0, &[(1, 1)])][..]);
    let steps = [congruence(0, 0, 1), congruence(1, 0, 1), close];
    unsound(group, "congruence_that_always_holds", LEMMA, trap, guard, &steps);
}

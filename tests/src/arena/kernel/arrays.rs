//! Wrong lemmas about arrays (SPEC.md section 6.3).

use super::guard::{ARRAY, LEMMA, NOT_UNIT, congruence, hit, miss, unsound, wrong};
use crate::arena::Arena;
use crate::arena::pair::{int, propagate};
use threadproof_format::Int;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::refutation::Step;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    arrays(arena);
    indexes(arena);
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

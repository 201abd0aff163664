//! Wrong unit propagation, and refutations that do not end as they should (SPEC.md sections 6.4
//! and 6.5).

use super::guard::{
    BC, CLAUSE, LITERAL, NO_CONFLICT, NOT_EMPTY, NOT_UNIT, ORDER, UNUSED, XY, atom, unsound, wrong,
};
use crate::arena::Arena;
use crate::arena::pair::{int, propagate};
use threadproof_format::proof::counterexample::Value;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    propagation(arena);
    circles(arena);
    ends(arena);
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

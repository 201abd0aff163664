//! Wrong predicates of a proof space (SPEC.md sections 3 and 8.1).

use super::{Arena, Group, Why};
use threadproof_format::proof::proof_space::Predicate;
use threadproof_format::{Cmp, Expr, Int, Op};

/// A bad predicate: the case's name, the reason, the trap, the formula and its threads.
type Row = (&'static str, Why<'static>, &'static str, Vec<Op>, Vec<u32>);

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.1");
    let threads = vec![0; 7];
    let why = ("limit", "thread positions of a predicate");
    let seven = ("predicate_of_seven_threads", why, "a limit", vec![Op::Bool(true)], threads);
    let rows = useless().into_iter().chain(unknown_parts()).chain(badly_sorted());
    rows.chain([seven]).for_each(|row| with_predicate(&mut group, row));
    let why = ("duplicate-predicate", "predicate 3: a predicate that is listed already");
    group.bad("predicate_twice", why, "two predicates are the same", |pair| {
        let again = pair.space().predicates[0].clone();
        pair.space().predicates.push(again);
    });
    wrong_operands().into_iter().for_each(|row| with_predicate(&mut group, row));
    with_predicate(&mut arena.on("operators", "3.2"), wrong_write());
    let why = ("instance", "a position of a single template");
    let name = "predicate_of_a_single_template";
    let row = (name, why, "positions are for `many`", vec![Op::Bool(true)], vec![0]);
    with_predicate(&mut arena.on("single", "8.1"), row);
}

fn with_predicate(group: &mut Group<'_>, (name, why, trap, formula, threads): Row) {
    group.bad(name, why, trap, |pair| {
        pair.space().predicates.push(Predicate { formula: Expr(formula), threads });
    });
}

/// x of a thread is below g.
fn above() -> Vec<Op> {
    vec![Op::Local(0, 0), Op::Global(0), Op::Cmp(Cmp::Lt)]
}

/// An operand equals 1.
fn is_one(operand: Op) -> Vec<Op> {
    vec![operand, Op::Int(Int::from(1)), Op::Cmp(Cmp::Eq)]
}

/// Predicates that a proof has no use for.
fn useless() -> [Row; 3] {
    let both = vec![Op::Bool(true), Op::Bool(false), Op::And];
    [
        (
            "predicate_is_a_conjunction",
            ("conjunction", "a predicate that is a conjunction"),
            "condition 1",
            both,
            vec![],
        ),
        (
            "predicate_is_false",
            ("duplicate-predicate", "a predicate that is listed already"),
            "`false` is number 0",
            vec![Op::Bool(false)],
            vec![],
        ),
        (
            "predicate_that_nobody_names",
            ("unused", "predicate 3: nothing uses this predicate"),
            "nothing is about it",
            above(),
            vec![0],
        ),
    ]
}

/// Predicates about what the program does not have.
fn unknown_parts() -> [Row; 5] {
    [
        (
            "predicate_of_an_unknown_template",
            ("index", "names no template"),
            "there is one template",
            above(),
            vec![1],
        ),
        (
            "predicate_of_an_unknown_position",
            ("index", "names no thread position"),
            "no position, and a local",
            above(),
            vec![],
        ),
        (
            "predicate_of_an_unknown_local",
            ("index", "names no local"),
            "t has one local",
            is_one(Op::Local(0, 1)),
            vec![0],
        ),
        (
            "predicate_of_an_unknown_global",
            ("index", "names no global"),
            "there is one global",
            is_one(Op::Global(1)),
            vec![],
        ),
        (
            "predicate_of_an_input",
            ("index", "names no input"),
            "inputs are a command's",
            is_one(Op::Input(0)),
            vec![],
        ),
    ]
}

/// Predicates whose formulas are no formulas.
fn badly_sorted() -> [Row; 5] {
    [
        (
            "predicate_that_is_a_number",
            ("sort", "another sort is needed"),
            "an integer is no formula",
            vec![Op::Local(0, 0)],
            vec![0],
        ),
        (
            "predicate_without_operators",
            ("sort", "not one expression"),
            "nothing is left on the stack",
            vec![],
            vec![],
        ),
        (
            "predicate_with_two_values",
            ("sort", "not one expression"),
            "two values are left",
            vec![Op::Bool(true), Op::Bool(true)],
            vec![],
        ),
        (
            "predicate_without_an_operand",
            ("sort", "missing operand"),
            "the stack is empty",
            vec![Op::Not],
            vec![],
        ),
        (
            "predicate_that_compares_truth_with_a_number",
            ("sort", "operand of the wrong sort"),
            "an operand of another sort",
            is_one(Op::Bool(true)),
            vec![],
        ),
    ]
}

/// Predicates with an operator on operands that it is not for.
fn wrong_operands() -> [Row; 6] {
    let missing = ("sort", "not well sorted: missing operand");
    [
        (
            "predicate_that_divides_by_one",
            ("sort", "operand of the wrong sort"),
            "the divisor is at least 2",
            vec![
                Op::Int(Int::from(1)),
                Op::Div(Int::from(1)),
                Op::Int(Int::from(1)),
                Op::Cmp(Cmp::Eq),
            ],
            vec![],
        ),
        (
            "predicate_with_the_remainder_by_zero",
            ("sort", "operand of the wrong sort"),
            "the divisor is at least 2",
            vec![
                Op::Int(Int::from(1)),
                Op::Mod(Int::from(0)),
                Op::Int(Int::from(1)),
                Op::Cmp(Cmp::Eq),
            ],
            vec![],
        ),
        (
            "comparison_without_an_operand",
            missing,
            "two operands",
            vec![Op::Bool(true), Op::Cmp(Cmp::Eq)],
            vec![],
        ),
        (
            "read_without_an_operand",
            missing,
            "two operands",
            vec![Op::Int(Int::from(0)), Op::Select],
            vec![],
        ),
        (
            "predicate_that_orders_truth_values",
            ("sort", "operand of the wrong sort"),
            "`<` is on integers",
            vec![Op::Bool(true), Op::Bool(true), Op::Cmp(Cmp::Lt)],
            vec![],
        ),
        (
            "predicate_that_reads_a_number",
            ("sort", "reading what is no array"),
            "`[]` is on arrays",
            vec![Op::Global(0), Op::Int(Int::from(0)), Op::Select],
            vec![],
        ),
    ]
}

/// A predicate that writes a truth value into an array of integers.
fn wrong_write() -> Row {
    let zero = || Op::Int(Int::from(0));
    let write = [Op::Global(0), zero(), Op::Bool(true), Op::Store];
    let read = [zero(), Op::Select, zero(), Op::Cmp(Cmp::Eq)];
    let why = ("sort", "predicate 2: not well sorted: operand of the wrong sort");
    let name = "predicate_that_writes_a_truth_value";
    (name, why, "into an array of integers", [write, read].concat(), vec![])
}

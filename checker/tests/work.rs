//! How much work the parts of a check are (SPEC.md section 11), to the step: a loop that stops counting, or counts
//! something else, shows here. Where the amounts change on purpose, the tables say what they are now.

mod common;

use common::stored;
use num_bigint::BigInt;
use threadproof_checker::error::Budget;
use threadproof_checker::refute::linear;
use threadproof_checker::{check_within, core_form, replay};
use threadproof_format::Int;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::refutation::Linear;

/// The work that something takes.
fn spent<T>(what: impl FnOnce(&Budget) -> T) -> u64 {
    let budget = Budget::default();
    let before = budget.left();
    what(&budget);
    before - budget.left()
}

/// The work that a good pair of the arena takes.
fn of_a_pair(name: &str) -> u64 {
    let (core, bytes) = stored(&format!("good/{name}"));
    spent(|budget| check_within(&core, &bytes, budget).unwrap())
}

/// Between them they have all that a certificate can have.
#[test]
fn certificates() {
    let table = [
        ("introduction", 631),
        ("single", 1_089),
        ("operators", 997),
        ("lock", 333),
        ("lock_split", 342),
        ("capacity", 1_882),
        ("tickets", 3_428),
        ("inside_by_cases", 1_607),
        ("bounds", 212),
        ("cuts", 382),
        ("branch_of_two", 291),
        ("lemma", 143),
        ("hit", 294),
        ("hit_truth", 244),
        ("miss_below", 310),
        ("congruence", 287),
        ("arrays_and_inputs", 147),
        ("single_moves", 102),
        ("abstract_lock", 3_307),
        ("abstract_server", 4_849),
        ("abstract_copy", 5_132),
        ("joined", 488),
    ];
    assert_eq!(table.map(|(name, _)| (name, of_a_pair(name))), table);
}

/// 2 to a power.
fn power(exponent: u32) -> Int {
    Int(BigInt::from(1) << exponent)
}

/// Long integers count as several terms.
#[test]
fn linear_forms() {
    let form = |constant: Int, terms: &[Int]| Linear {
        constant,
        terms: (0..).zip(terms.iter().cloned()).collect(),
    };
    let short = form(Int::from(3), &[Int::from(1)]);
    let long = form(power(1600), &[power(600), power(400), Int::from(5)]);
    assert_eq!([&short, &long].map(linear::size), [2, 8]);
    let added = |left, right, factor: Int| spent(|b| linear::add_scaled(left, right, &factor, b));
    let sums = [
        added(&short, &long, Int::from(7)),
        added(&long, &short, Int::from(7)),
        added(&short, &long, power(1200)),
    ];
    assert_eq!(sums, [10, 10, 26]);
    let even = form(power(1600), &[power(600), power(200), power(100)]);
    assert_eq!([even, long].map(|form| spent(|b| linear::tighten(form, b))), [61, 90]);
}

/// The work of a step with this guard, of a thread whose state has long integers in it; no template counts threads but
/// the guard.
fn of_a_guard(guard: &str) -> u64 {
    let text = format!(
        "core 1; global g: int; global a: int[]; many t {{ location l; location e error; \
         edge l -> e {{ when {guard}; }} }} one s {{ location l; }} one u {{ location l; }}"
    );
    let (program, _) = core_form::parse(&text).unwrap();
    let entries = vec![(power(600), power(1100)), (power(601), Int::from(1))];
    let start = State {
        globals: vec![Value::Int(power(1600)), Value::IntArray(Int::from(0), entries)],
        threads: vec![Thread { locals: vec![], template: 0 }],
    };
    let run = Counterexample { start, schedule: vec![Move { edge: 0, inputs: vec![], thread: 0 }] };
    spent(|budget| replay::check(&program, &run, budget).unwrap())
}

#[test]
fn values_of_a_replay() {
    let table = [
        ("true", 10),
        ("g > 0", 20),
        ("g + g > g", 42),
        ("a[g] == 0", 24),
        ("a[g := 1][g] == 1", 46),
        ("a[g := 1][0 := g][g] == 1", 58),
        ("a[a[g := 1][g] := 0][1] == 0", 66),
        ("#s.l == 1", 18),
    ];
    assert_eq!(table.map(|(guard, _)| (guard, of_a_guard(guard))), table);
}

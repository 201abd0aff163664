//! How much work the parts of a check are (SPEC.md section 11), to the step: a loop that stops
//! counting, or counts something else, shows here. Where the amounts change on purpose, the tables
//! say what they are now.

use num_bigint::BigInt;
use threadproof_checker::check_within;
use threadproof_checker::error::Budget;
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::{core_form, replay};
use threadproof_format::Int;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};
use threadproof_format::refutation::Linear;
use threadproof_tests_trusted::introduction::stored;

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
        ("introduction", 2_687),
        ("single", 4_673),
        ("operators", 2_557),
        ("lock", 1_840),
        ("lock_split", 1_888),
        ("capacity", 5_707),
        ("tickets", 10_570),
        ("inside_by_cases", 5_033),
        ("bounds", 1_055),
        ("cuts", 1_376),
        ("branch_of_two", 1_234),
        ("lemma", 799),
        ("hit", 1_383),
        ("hit_truth", 1_250),
        ("miss_below", 1_342),
        ("congruence", 1_391),
        ("arrays_and_inputs", 1_734),
        ("single_moves", 1_280),
        ("abstract_lock", 11_976),
        ("abstract_server", 17_914),
        ("abstract_copy", 18_128),
        ("joined", 3_627),
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
    assert_eq!(sums, [23, 19, 43]);
    let even = form(power(1600), &[power(600), power(200), power(100)]);
    assert_eq!([even, long].map(|form| spent(|b| linear::tighten(form, b))), [29, 10]);
}

/// The work of a step with this guard, of a thread whose state has long integers in it; no template
/// counts threads but the guard.
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
        ("true", 81),
        ("g > 0", 93),
        ("g + g > g", 112),
        ("a[g] == 0", 108),
        ("a[g := 1][g] == 1", 138),
        ("a[g := 1][0 := g][g] == 1", 159),
        ("a[a[g := 1][g] := 0][1] == 0", 173),
        ("#s.l == 1", 112),
    ];
    assert_eq!(table.map(|(guard, _)| (guard, of_a_guard(guard))), table);
}

/// Names are looked up and copied, and integers read, for what they take.
#[test]
fn core_forms() {
    let name = "n".repeat(1000);
    let digits = "9".repeat(10_000);
    let table = [
        ("core 1;".to_owned(), 19),
        ("core 1; many t { location l; }".to_owned(), 62),
        (format!("core 1; many {name} {{ location l; }}"), 248),
        (format!("core 1; many t {{ location {name}; }}"), 248),
        (format!("core 1; many t {{ location {name}; edge {name} -> {name} {{ }} }}"), 402),
        ("core 1; init 9 == 9; many t { location l; }".to_owned(), 95),
        (format!("core 1; init 9 == {digits}; many t {{ location l; }}"), 6_296),
    ];
    let work = |text: &String| spent(|budget| core_form::parse_within(text, budget).unwrap());
    assert_eq!(table.each_ref().map(|(text, _)| work(text)), table.map(|(_, work)| work));
}

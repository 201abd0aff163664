//! Counterexamples: an execution is replayed, and anything that is none is rejected
//! (SPEC.md sections 4.2 and 9).

use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::core_form::parse;
use threadproof_checker::internals::replay::check;
use threadproof_format::Int;
use threadproof_format::proof::counterexample::{Counterexample, Move, State, Thread, Value};

const PROGRAM: &str = "core 1;
global g: int;
global a: int[];
global b: bool[];
init g >= 1;
many t {
    local x: int;
    init x != g;
    location start;
    location middle;
    location wrong error;
    edge start -> middle { input v: int; when v > g; x := v, g := x, a := a[v := x]; }
    edge middle -> wrong { when x != g && a[x] == g && !b[g]; }
    edge wrong -> start { }
}
one s {
    local y: int;
    init y == g;
    location here;
    edge here -> here { y := y + 1; }
}
";

fn int(value: i64) -> Value {
    Value::Int(Int::from(value))
}

fn array(default: i64, entries: &[(i64, i64)]) -> Value {
    let entries = entries.iter().map(|(i, v)| (Int::from(*i), Int::from(*v))).collect();
    Value::IntArray(Int::from(default), entries)
}

fn step(thread: u32, edge: u32, inputs: &[i64]) -> Move {
    Move { edge, inputs: inputs.iter().map(|v| int(*v)).collect(), thread }
}

/// Thread 0 of t reads 5 and then finds g = 7, its old x.
fn run() -> Counterexample {
    let bools = Value::BoolArray(true, vec![(Int::from(7), false)]);
    Counterexample {
        start: State {
            globals: vec![int(1), array(0, &[(5, 3)]), bools, int(1)],
            threads: vec![
                Thread { locals: vec![int(7)], template: 0 },
                Thread { locals: vec![], template: 1 },
            ],
        },
        schedule: vec![step(1, 0, &[]), step(0, 0, &[5]), step(0, 1, &[])],
    }
}

fn verdict(edit: impl FnOnce(&mut Counterexample)) -> Result<(), Failure> {
    let (program, _) = parse(PROGRAM).unwrap();
    let mut run = run();
    edit(&mut run);
    check(&program, &run, &Budget::default())
}

#[track_caller]
fn rejects(edit: impl FnOnce(&mut Counterexample), place: &str, reason: Reason) {
    let failure = verdict(edit).unwrap_err();
    assert_eq!((failure.place.as_str(), failure.reason), (place, reason));
}

#[test]
fn updates_are_simultaneous_and_arrays_are_total() {
    assert_eq!(verdict(|_| {}), Ok(()));
}

#[test]
fn the_start_is_an_initial_state() {
    let at = "start";
    rejects(|r| r.start.globals[0] = int(0), at, Reason::Replay("the initial condition"));
    rejects(|r| r.start.globals[3] = int(2), at, Reason::Replay("the initial condition"));
    rejects(
        |r| r.start.threads[0].locals[0] = int(1),
        at,
        Reason::Replay("a thread's initial condition"),
    );
    rejects(|r| drop(r.start.globals.pop()), at, Reason::Replay("number of values"));
    rejects(|r| r.start.threads[1].locals.push(int(0)), at, Reason::Replay("number of values"));
    rejects(
        |r| r.start.globals[0] = Value::Bool(true),
        at,
        Reason::Sort("a value of another sort"),
    );
    rejects(
        |r| r.start.globals[1] = array(0, &[(5, 3), (5, 4)]),
        at,
        Reason::Order("entries of an array"),
    );
    rejects(|r| r.start.globals[1] = array(0, &[(5, 0)]), at, Reason::Order("entries of an array"));
    rejects(|r| r.start.threads.reverse(), at, Reason::Order("threads"));
    rejects(|r| r.start.threads.push(r.start.threads[1].clone()), at, Reason::Order("threads"));
    rejects(|r| r.start.threads[1].template = 2, at, Reason::Index("template"));
}

#[test]
fn the_schedule_is_an_execution_that_ends_in_the_error() {
    rejects(|r| r.schedule[0].thread = 2, "step 0", Reason::Index("thread"));
    rejects(|r| r.schedule[0].edge = 1, "step 0", Reason::Index("edge"));
    rejects(
        |r| drop(r.schedule.remove(1)),
        "step 1",
        Reason::Replay("the thread is at another location"),
    );
    rejects(
        |r| r.schedule[1].inputs[0] = int(1),
        "step 1",
        Reason::Replay("the guard does not hold"),
    );
    rejects(
        |r| r.schedule[1].inputs[0] = int(7),
        "step 2",
        Reason::Replay("the guard does not hold"),
    );
    rejects(
        |r| r.schedule[1].inputs[0] = Value::Bool(true),
        "step 1",
        Reason::Sort("a value of another sort"),
    );
    rejects(|r| r.schedule[1].inputs.clear(), "step 1", Reason::Replay("number of values"));
    rejects(|r| drop(r.schedule.pop()), "", Reason::Replay("no thread ends at an error location"));
    rejects(|r| r.schedule.clear(), "", Reason::Replay("no thread ends at an error location"));
    rejects(
        |r| r.schedule.push(step(1, 0, &[])),
        "step 3",
        Reason::Replay("it goes on after the error"),
    );
    rejects(|r| drop(r.schedule.remove(0)), "", Reason::Unused("thread"));
}

/// A template `many` may have no thread at all: then its initial condition says nothing
/// (section 4.2).
#[test]
fn a_template_may_have_no_thread() {
    let with = |init: &str| {
        let text = format!(
            "core 1; global g: int; many t {{ location l; location e error; edge l -> e {{ }} }} \
             many u {{ local x: int; init {init}; location l; }} one s {{ init g == 1; location l; }}"
        );
        let (program, _) = parse(&text).unwrap();
        let start =
            State { globals: vec![int(1)], threads: vec![Thread { locals: vec![], template: 0 }] };
        let run = Counterexample { start, schedule: vec![step(0, 0, &[])] };
        check(&program, &run, &Budget::default())
    };
    assert_eq!(with("x == g"), Ok(()));
    assert_eq!(with("g == 2 && false"), Ok(()));
}

/// Each operator means what section 3.1 says: a guard that is true is passed, and its negation is
/// not.
#[test]
fn guards_are_evaluated_as_the_operators_mean() {
    let passes = |guard: &str| {
        let text = format!(
            "core 1; global g: int; global b: bool; global a: int[]; global c: bool[]; many t {{ local x: int; \
             location l; location e error; edge l -> e {{ input i: int; when {guard}; }} }}"
        );
        let (program, _) = parse(&text).unwrap_or_else(|e| panic!("{guard}: {e}"));
        let bools = Value::BoolArray(false, vec![(Int::from(4), true)]);
        let start = State {
            globals: vec![int(3), Value::Bool(true), array(1, &[(-2, 5), (4, 0)]), bools],
            threads: vec![Thread { locals: vec![int(-2)], template: 0 }],
        };
        let run = Counterexample { start, schedule: vec![step(0, 0, &[4])] };
        check(&program, &run, &Budget::default())
    };
    let of_integers = ["g + x == 1", "g - x == 5", "x - g == -5", "-2 * g == -6", "0 * x == 0"];
    let of_comparisons = [
        "x != g",
        "x < g",
        "x <= g",
        "g <= g",
        "g > x",
        "g >= x",
        "g >= g",
        "x + i < g",
        "g == 3",
        "!(g < g)",
        "!(g > g)",
        "!(x != x)",
    ];
    let of_truth = [
        "b == true",
        "b != false",
        "!b == false",
        "(g < x) == (i < x)",
        "(g < x) != (x < i)",
        "b && g == 3",
        "b || g == 4",
        "!b || g == 3",
    ];
    let of_arrays = [
        "a[x] == 5",
        "a[i] == 0",
        "a[g] == 1",
        "a[g := 7][g] == 7",
        "a[g := 7][x] == 5",
        "a[x := 1][x] == 1",
        "a[x := 8][x := 9][x] == 9",
        "c[i] && !c[g]",
        "c[i := false][i] == false",
        "c[g := b][g]",
    ];
    for guard in [&of_integers[..], &of_comparisons, &of_truth, &of_arrays].concat() {
        assert_eq!(passes(guard), Ok(()), "{guard}");
        let failure = passes(&format!("!({guard})")).unwrap_err();
        assert_eq!(failure.reason, Reason::Replay("the guard does not hold"), "{guard}");
    }
}

#[test]
fn quotients_are_rounded_down() {
    let text = "core 1; global x: int; global y: int; many t { location l; location e error; \
                edge l -> e { when x / 4 == -2 && x % 4 == 1 && y / 2 == y % 4; } }";
    let (program, _) = parse(text).unwrap();
    let end = |x, y| {
        let thread = Thread { locals: vec![], template: 0 };
        let start = State { globals: vec![int(x), int(y)], threads: vec![thread] };
        let run = Counterexample { start, schedule: vec![step(0, 0, &[])] };
        check(&program, &run, &Budget::default()).map_err(|failure| failure.reason)
    };
    // 1 / 2 is 0 and 1 % 4 is 1; 2 / 2 is 1 and 2 % 4 is 2; 7 / 2 and 7 % 4 are 3.
    assert_eq!([end(-7, 0), end(-7, 7)], [Ok(()), Ok(())]);
    for (x, y) in [(-8, 0), (-6, 0), (7, 0), (-7, 1), (-7, 2)] {
        assert_eq!(end(x, y), Err(Reason::Replay("the guard does not hold")), "{x} {y}");
    }
}

//! Counterexamples (SPEC.md section 9).

use super::pair::{Pair, int, run};
use super::{Arena, Why};
use crate::counting::{self, Draft};
use num_bigint::BigInt;
use threadproof_format::Int;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::{Move, State, Thread, Value};
use threadproof_producer::certify::hints::complete;
use threadproof_producer::control::Control;

/// Threads write an array; the single one reads it.
const PROGRAM: &str = "core 1;
global a: int[];
global b: bool[];
init a[0] == 1;
many w {
    local x: int;
    init x > 0;
    location start;
    location done;
    edge start -> done { input v: int; input t: bool; when v > x; a := a[x := v], b := b[v := t]; }
}
one r {
    local n: int;
    init n == 3;
    location start;
    location seen;
    location wrong error;
    edge start -> seen { when a[1] == n; n := a[2], a := a[2 := n]; }
    edge seen -> wrong { when b[n] && a[2] == 3; }
    edge seen -> seen { }
}
";

/// Globals: a, b, and the single thread's n.
fn base() -> Pair {
    let a = Value::IntArray(Int::from(0), vec![(Int::from(0), Int::from(1)), (2.into(), 5.into())]);
    let b = Value::BoolArray(false, vec![(Int::from(-7), true)]);
    let moves: [(u32, u32, &[Value]); 4] = [
        (0, 0, &[int(3), Value::Bool(false)]),
        (1, 0, &[int(5), Value::Bool(true)]),
        (2, 0, &[]),
        (2, 1, &[]),
    ];
    run(PROGRAM, &[a, b, int(3)], &[(0, &[int(1)]), (0, &[int(4)]), (1, &[])], &moves)
}

/// Two values are exchanged at once, so they never become the same.
const EXCHANGE: &str = "core 1;
global x: int;
global y: int;
init x == 0 && y == 1;
one t {
    location a;
    location b;
    location wrong error;
    edge a -> b { x := y, y := x; }
    edge b -> wrong { when x == y; }
}
";

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    arena.good("arrays_and_inputs", "9", "arrays, inputs, a single thread", base());
    for (name, core, run) in counting::counterexamples() {
        let pair = Pair::new(core, Proof::Counterexample(run));
        arena.good(name, "9", "guards and updates that count threads", pair);
    }
    starts(arena);
    values(arena);
    moves(arena);
    ends(arena);
    threads(arena);
    counts(arena);
    semantics(arena);
}

fn starts(arena: &mut Arena) {
    let mut group = arena.on("arrays_and_inputs", "9");
    type Row<'a> = (&'a str, Why<'a>, &'a str, fn(&mut State));
    let rows: [Row<'_>; 8] = [
        (
            "start_against_the_initial_condition",
            ("replay", "start: not an execution: the initial condition"),
            "a[0] is 1 at the start",
            |s| s.globals[0] = Value::IntArray(Int::from(0), vec![]),
        ),
        (
            "start_against_a_single_template",
            ("replay", "start: not an execution: the initial condition"),
            "n is 3 at the start",
            |s| s.globals[2] = int(4),
        ),
        (
            "start_against_a_thread",
            ("replay", "start: not an execution: a thread's initial condition"),
            "x is positive at the start",
            |s| s.threads[1].locals[0] = int(0),
        ),
        (
            "start_with_a_global_less",
            ("replay", "start: not an execution: number of values"),
            "three globals",
            |s| drop(s.globals.pop()),
        ),
        (
            "start_with_locals_of_a_single_thread",
            ("replay", "start: not an execution: number of values"),
            "they are globals",
            |s| s.threads[2].locals.push(int(3)),
        ),
        (
            "start_in_disorder",
            ("order", "start: not ascending: threads"),
            "threads ascend by template",
            |s| s.threads.swap(1, 2),
        ),
        (
            "start_with_a_single_thread_twice",
            ("order", "start: not ascending: threads"),
            "there is one of it",
            |s| s.threads.push(Thread { locals: vec![], template: 1 }),
        ),
        (
            "start_of_an_unknown_template",
            ("index", "start: a number that names no template"),
            "there are two",
            |s| s.threads[2].template = 2,
        ),
    ];
    for (name, why, trap, edit) in rows {
        group.bad(name, why, trap, |pair| edit(pair.start()));
    }
}

fn values(arena: &mut Arena) {
    let mut group = arena.on("arrays_and_inputs", "9");
    let order = ("order", "start: not ascending: entries of an array");
    let sort = ("sort", "start: not well sorted: a value of another sort");
    let entries = |list: &[(i64, i64)]| -> Value {
        let list = list.iter().map(|(i, v)| (Int::from(*i), Int::from(*v))).collect();
        Value::IntArray(Int::from(0), list)
    };
    let rows: [(&str, Why<'_>, &str, usize, Value); 6] = [
        ("array_in_disorder", order, "entries ascend by index", 0, entries(&[(2, 5), (0, 1)])),
        ("array_with_an_index_twice", order, "which of the two?", 0, entries(&[(0, 1), (0, 2)])),
        (
            "array_with_its_default",
            order,
            "an entry that says nothing",
            0,
            entries(&[(0, 1), (3, 0)]),
        ),
        (
            "array_of_another_sort",
            sort,
            "truth values for integers",
            0,
            Value::BoolArray(false, vec![]),
        ),
        ("number_for_an_array", sort, "an integer", 0, int(1)),
        ("truth_for_a_number", sort, "a truth value", 2, Value::Bool(true)),
    ];
    for (name, why, trap, at, value) in rows {
        group.bad(name, why, trap, |pair| pair.start().globals[at] = value);
    }
}

fn moves(arena: &mut Arena) {
    let mut group = arena.on("arrays_and_inputs", "9");
    type Row<'a> = (&'a str, Why<'a>, &'a str, usize, fn(&mut Move));
    let rows: [Row<'_>; 9] = [
        (
            "move_of_an_unknown_thread",
            ("index", "step 3: a number that names no thread"),
            "there are three",
            3,
            |m| m.thread = 3,
        ),
        (
            "move_by_an_unknown_edge",
            ("index", "step 3: a number that names no edge"),
            "there are three",
            3,
            |m| m.edge = 3,
        ),
        (
            "move_from_another_location",
            ("replay", "step 2: not an execution: the thread is at another location"),
            "the thread has to see first",
            2,
            |m| m.edge = 1,
        ),
        (
            "move_of_another_thread",
            ("replay", "step 1: not an execution: the thread is at another location"),
            "the thread is done",
            1,
            |m| m.thread = 0,
        ),
        (
            "move_against_its_guard",
            ("replay", "step 1: not an execution: the guard does not hold"),
            "v is not above x",
            1,
            |m| m.inputs[0] = int(4),
        ),
        (
            "move_without_its_inputs",
            ("replay", "step 0: not an execution: number of values"),
            "two inputs",
            0,
            |m| m.inputs.clear(),
        ),
        (
            "move_with_an_input_more",
            ("replay", "step 2: not an execution: number of values"),
            "no inputs",
            2,
            |m| m.inputs.push(int(0)),
        ),
        (
            "move_with_an_input_of_another_sort",
            ("sort", "step 0: not well sorted: a value of another sort"),
            "v is an integer",
            0,
            |m| m.inputs[0] = Value::Bool(true),
        ),
        (
            "move_with_an_unseen_value",
            ("replay", "step 3: not an execution: the guard does not hold"),
            "b is true at another index",
            1,
            |m| m.inputs[0] = int(6),
        ),
    ];
    for (name, why, trap, at, edit) in rows {
        group.bad(name, why, trap, |pair| edit(pair.step(at)));
    }
}

fn ends(arena: &mut Arena) {
    let mut group = arena.on("arrays_and_inputs", "9");
    let why = ("replay", "not an execution: no thread ends at an error location");
    group.bad("execution_that_ends_early", why, "the last move is missing", |pair| {
        pair.run().schedule.pop();
    });
    group.bad("execution_without_a_move", why, "nothing happens", |pair| {
        pair.run().schedule.clear();
        pair.run().start.threads.clear();
    });
    let why = ("replay", "step 4: not an execution: it goes on after the error");
    group.bad("execution_that_goes_on", why, "a move after the error", |pair| {
        let again = pair.step(3).clone();
        pair.run().schedule.push(again);
    });
    let why = ("unused", "nothing uses this thread");
    group.bad("thread_that_does_not_move", why, "every listed thread moves", |pair| {
        let idle = Thread { locals: vec![int(1)], template: 0 };
        pair.run().start.threads.insert(2, idle);
        for step in &mut pair.run().schedule[2..] {
            step.thread = 3;
        }
    });
}

/// Two threads would go wrong, and there is one.
const ONCE: &str = "core 1;
global x: int;
init x == 0;
one t {
    location a;
    location b;
    location wrong error;
    edge a -> b { x := x + 1; }
    edge b -> wrong { when x >= 2; }
}
";

fn threads(arena: &mut Arena) {
    let many = ONCE.replace("one t", "many t");
    let moves: [(u32, u32, &[Value]); 3] = [(0, 0, &[]), (1, 0, &[]), (1, 1, &[])];
    let pair = run(&many, &[int(0)], &[(0, &[]), (0, &[])], &moves);
    arena.good("twice", "9", "it takes two threads", pair);
    let mut p = Draft::new(ONCE);
    let (one, none) = (p.predicate(&[], "x <= 1"), p.predicate(&[], "x <= 0"));
    p.triple(&[(one, &[])], "t.b -> wrong", 0, 0);
    p.triple(&[(none, &[])], "t.a -> b", one, 0);
    p.configuration(&["t.b"], &[(one, &[])]);
    p.configuration(&["t.a"], &[(none, &[])]);
    p.initial(none);
    let proof = complete(&p.program, p.proof, &Control::default()).expect("a proof");
    arena.good("once_safe", "8", "it takes two threads", Pair::new(ONCE, Proof::ProofSpace(proof)));
    let mut group = arena.on("twice", "9");
    let why = ("order", "start: not ascending: threads");
    let trap = "the template has one thread, and two of it go wrong";
    group.bad("single_template_acts_twice", why, trap, |pair| {
        pair.restate(&[("many t", "one t")]);
    });
    group.refuted_by("once_safe");
    let why = ("replay", "step 3: not an execution: it goes on after the error");
    group.bad("execution_that_goes_on_at_the_error", why, "an edge from the error", |pair| {
        pair.restate(&[(">= 2; }", ">= 2; }\n    edge wrong -> wrong { }")]);
        let again = Move { edge: 2, ..pair.step(2).clone() };
        pair.run().schedule.push(again);
    });
    let mut group = arena.on("error_of_a_template_is_forgotten_unsafe", "9");
    let why = ("replay", "step 0: not an execution: the thread is at another location");
    let trap = "the thread is not where the edge begins";
    group.bad("move_from_where_nobody_is", why, trap, |pair| {
        pair.run().schedule.remove(0);
        pair.restate(&[("edge a -> b { }", "edge a -> b { when false; }")]);
    });
    group.refuted_by("unreached");
}

fn counts(arena: &mut Arena) {
    let guard = |step: usize| format!("step {step}: not an execution: the guard does not hold");
    let mut group = arena.on("single_waits", "9");
    let trap = "the single thread that is not listed is at its first location, and counts";
    group.bad("idle_single_thread_counts", ("replay", &guard(1)), trap, |pair| {
        pair.step(1).inputs[0] = int(2);
    });
    let mut group = arena.on("single_moves", "9");
    let trap = "the single thread has left its first location, so it is not counted there";
    group.bad("moved_thread_is_not_counted", ("replay", &guard(3)), trap, |pair| {
        pair.step(3).inputs[0] = int(1);
    });
}

fn semantics(arena: &mut Arena) {
    let why = ("replay", "step 1: not an execution: the guard does not hold");
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (0, 1, &[])];
    let exchanged = EXCHANGE.replace("x == y", "x > y");
    let pair = run(&exchanged, &[int(0), int(1)], &[(0, &[])], &moves);
    arena.good("exchange", "4.2", "two values are exchanged", pair);
    arena.good(
        "exchange_safe",
        "8",
        "two values are exchanged, and differ",
        safe(EXCHANGE, &["x != y"]),
    );
    let mut group = arena.on("exchange", "4.2");
    let trap = "updates are made at once: made one after the other, x and y would become the same";
    group.bad("updates_one_after_the_other", why, trap, |pair| {
        pair.restate(&[("x > y", "x == y")]);
    });
    group.refuted_by("exchange_safe");
    let signed = EXCHANGE.replace("x == 0", "x == -1").replace("x == y", "x == 1 && y == -1");
    let pair = run(&signed, &[int(-1), int(1)], &[(0, &[])], &moves);
    arena.good("signed_number", "4.1", "a minus before an integer", pair);
    let start = ("replay", "start: not an execution: the initial condition");
    let trap = "the program begins with x = -1 and goes wrong with y = -1";
    arena.on("signed_number", "4.1").bad("minus_is_lost", start, trap, |pair| {
        pair.start().globals[0] = int(1);
    });
    let mut group = arena.on("signed_number", "3.1");
    for (name, guard) in [("less_than_itself", "x < 1"), ("greater_than_itself", "y > -1")] {
        group.bad(name, why, "the two numbers are equal", |pair| {
            pair.restate(&[("x == 1 && y == -1", guard)]);
        });
    }
    let dividing = EXCHANGE
        .replace("x == 0 && y == 1", "x == -7 && y == -4")
        .replace("x == y", "y / 2 == x && y % 2 == 1");
    let pair = run(&dividing, &[int(-7), int(-4)], &[(0, &[])], &moves);
    arena.good("dividing", "3.1", "a quotient is rounded down", pair);
    let even = EXCHANGE
        .replace("y == 1", "y == 0")
        .replace("x := y, y := x", "x := x + 2")
        .replace("x == y", "x % 2 != 0");
    let even = safe(&even, &["x - 2 * (x / 2) + x % 2 == 0"]);
    arena.good("dividing_safe", "8", "a number stays even", even);
    let mut group = arena.on("dividing", "3.1");
    for (name, guard) in
        [("quotient_rounded_up", "y / 2 == -3"), ("remainder_below_0", "y % 2 < 0")]
    {
        group.bad(name, why, "-7 is 2 * -4 + 1", |pair| {
            pair.restate(&[("y / 2 == x && y % 2 == 1", guard)]);
        });
    }
    let adding = EXCHANGE
        .replace("x == 0 && y == 1", "x >= 0 && y >= 0")
        .replace("x := y, y := x", "x := x + y");
    let pair = run(&adding, &[int(0), int(0)], &[(0, &[])], &moves);
    arena.good("adding", "4.2", "a sum", pair);
    let adding = adding.replace("x == y", "x < 0");
    arena.good("adding_safe", "8", "a sum is not negative", safe(&adding, &["x >= 0", "y >= 0"]));
    let mut group = arena.on("adding", "4.2");
    for (name, bits) in [("overflow_of_64_bits", 63), ("overflow_of_128_bits", 127)] {
        let most = Value::Int(Int((BigInt::from(1) << bits) - 1));
        let trap = "integers have no greatest one: one more than this is not negative";
        group.bad(name, why, trap, |pair| {
            *pair = run(&adding, &[most, int(1)], &[(0, &[])], &moves);
        });
        group.refuted_by("adding_safe");
    }
}

/// A proof that some assertions always hold, of which the first excludes the error; the edge
/// between the locations changes that one alone.
fn safe(core: &str, always: &[&str]) -> Pair {
    let mut p = Draft::new(core);
    let always: Vec<u32> = always.iter().map(|text| p.predicate(&[], text)).collect();
    let all: Vec<(u32, &[u32])> = always.iter().map(|p| (*p, &[][..])).collect();
    p.triple(&all[..1], "t.b -> wrong", 0, 0);
    p.triple(&all, "t.a -> b", always[0], 0);
    for predicate in always {
        p.configuration(&[], &[(predicate, &[])]);
        p.initial(predicate);
    }
    let proof = complete(&p.program, p.proof, &Control::default()).expect("a proof");
    Pair::new(core, Proof::ProofSpace(proof))
}

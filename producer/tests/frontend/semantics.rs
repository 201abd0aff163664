//! What lowered programs do when they are executed.

use super::{lowered, thread};
use std::collections::BTreeMap;
use threadproof_checker::internals::core_form;
use threadproof_format::program::Program;
use threadproof_tests::explicit::{Bounds, State, Value, initial, search};

/// Values of the globals in all final states of one thread that starts with these values.
fn finals(program: &Program, globals: &[Value]) -> Vec<Vec<Value>> {
    let values = vec![-1, 0, 1];
    let bounds = Bounds { threads: 1, values: values.clone(), states: 1 };
    let mut start = initial(program, &bounds).remove(0);
    start.globals = globals.to_vec();
    let mut todo: Vec<State> = vec![start];
    let mut out = Vec::new();
    while let Some(state) = todo.pop() {
        let steps = state.steps(program, &values);
        if steps.is_empty() {
            out.push(state.globals.clone());
        }
        todo.extend(steps.into_iter().map(|(_, next)| next));
    }
    out.sort();
    out.dedup();
    out
}

fn ints(values: &[i64]) -> Vec<Value> {
    values.iter().map(|v| Value::Int(*v)).collect()
}

#[test]
fn division_truncates_towards_zero_as_in_c() {
    let l = thread("global int x; global int q; global int r;", "", "q = x / 3; r = x % 3;");
    for x in -13..=13 {
        assert_eq!(finals(&l.program, &ints(&[x, 0, 0])), [ints(&[x, x / 3, x % 3])], "{x}");
    }
}

#[test]
fn division_in_conditions_and_by_one() {
    let l = thread(
        "global int x; global int y;",
        "",
        "if (x / 4 == -1 && x % 4 != 0) { y = x / 1; } else { y = x % 1; }",
    );
    for x in -9..=9 {
        let y = if x / 4 == -1 && x % 4 != 0 { x } else { 0 };
        assert_eq!(finals(&l.program, &ints(&[x, 0])), [ints(&[x, y])], "{x}");
    }
    assert!(core_form::parse(&l.core).is_ok(), "{}", l.core);
}

#[test]
fn division_in_formulas_and_indices() {
    let init = "global int x; init (x / 2 == -1 || x % 3 == 2 && !(x % 2 != 0));";
    let initial = thread(init, "", "x = 0;").program;
    let l = thread("global int x; global int a[];", "", "a[x % 2] = x / 2 + a[x / 4];");
    for x in -13..=13 {
        let state = State { globals: ints(&[x]), threads: Vec::new() };
        let holds = state.eval(&initial.init, &[], &[]);
        let wanted = x / 2 == -1 || x % 3 == 2 && x % 2 == 0;
        assert_eq!(holds, Value::Bool(wanted), "{x}");
        let array = |entries: &[(i64, i64)]| {
            let entries = entries.iter().map(|(at, value)| (*at, Value::Int(*value)));
            Value::Array(
                Box::new(Value::Int(0)),
                entries.filter(|e| e.1 != Value::Int(0)).collect(),
            )
        };
        let before = array(&[(0, 5), (-1, 6), (1, 7), (-2, 8), (2, 9), (-3, 1), (3, 2)]);
        let Value::Array(_, entries) = &before else { unreachable!() };
        let read = entries.get(&(x / 4)).cloned().unwrap_or(Value::Int(0));
        let Value::Int(read) = read else { unreachable!() };
        let mut after = entries.clone();
        after.insert(x % 2, Value::Int(x / 2 + read));
        after.retain(|_, value| *value != Value::Int(0));
        let after = Value::Array(Box::new(Value::Int(0)), after);
        assert_eq!(finals(&l.program, &[Value::Int(x), before]), [[Value::Int(x), after]], "{x}");
    }
}

#[test]
fn a_variable_that_is_never_negative_is_divided_without_cases() {
    let body = "x = x + 1; y = x % 4; y = x / 2;";
    let edges =
        |declared: &str, body: &str| thread(declared, "", body).program.templates[0].edges.len();
    assert_eq!(edges("global int x = 0; global int y = 0;", body), 3);
    assert_eq!(edges("global int x = -1; global int y = 0;", body), 5);
    assert_eq!(edges("global int x; global int y = 0;", body), 5);
    let minus = body.replace("x + 1", "x - 1");
    assert_eq!(edges("global int x = 0; global int y = 0;", &minus), 5);
    let havoc = format!("havoc x; {body}");
    assert_eq!(edges("global int x = 0; global int y = 0;", &havoc), 6);
}

#[test]
fn an_atomic_block_reads_what_it_wrote() {
    let l = thread(
        "global int x; global int y;",
        "",
        "atomic { x = x + 1; y = x; if (y == 5) { x = y + y; } else { y = x - 3; } x = x + 1; }",
    );
    assert_eq!(finals(&l.program, &ints(&[4, 0])), [ints(&[11, 5])]);
    assert_eq!(finals(&l.program, &ints(&[7, 0])), [ints(&[9, 5])]);
}

#[test]
fn array_elements_written_in_an_atomic_block_are_read_there() {
    let l = thread(
        "global int a[]; global int i; global int j;",
        "",
        "atomic { a[i] = 7; a[j] = a[i] + 1; i = a[a[j] - 8 + i]; }",
    );
    let array = |e: &[(i64, i64)]| {
        let entries: BTreeMap<_, _> = e.iter().map(|(i, v)| (*i, Value::Int(*v))).collect();
        Value::Array(Box::new(Value::Int(0)), entries)
    };
    let run = |i, j| finals(&l.program, &[array(&[]), Value::Int(i), Value::Int(j)]);
    assert_eq!(run(1, 2), [vec![array(&[(1, 7), (2, 8)]), Value::Int(7), Value::Int(2)]]);
    assert_eq!(run(1, 1), [vec![array(&[(1, 8)]), Value::Int(8), Value::Int(1)]]);
}

#[test]
fn havoc_in_an_atomic_block_chooses_once_for_each_havoc() {
    let l = thread(
        "global int x; global int y; global int z;",
        "",
        "atomic { havoc x; y = x; havoc x; assume(x < y); z = y - x; }",
    );
    let found = finals(&l.program, &ints(&[0, 0, 0]));
    assert_eq!(found, [ints(&[-1, 0, 1]), ints(&[-1, 1, 2]), ints(&[0, 1, 1])]);
}

#[test]
fn an_assume_that_fails_stops_the_whole_atomic_block() {
    let l = thread("global int x;", "", "atomic { x = 1; assume(x == 2); }");
    assert_eq!(finals(&l.program, &ints(&[5])), [ints(&[5])]);
}

#[test]
fn an_assertion_in_an_atomic_block_can_fail_before_a_wait_behind_it() {
    let bounds = Bounds { threads: 1, values: vec![0], states: 100 };
    let l = thread("global int x = 0;", "", "atomic { x = 1; assert(x == 0); assume(false); }");
    assert!(search(&l.program, &bounds).is_some());
    let l = thread("global int x = 0;", "", "atomic { x = 1; assume(x == 0); assert(x == 5); }");
    assert!(search(&l.program, &bounds).is_none());
}

#[test]
fn parameters_are_passed_all_at_once_and_by_value() {
    let l = lowered(
        "global int x; global int y;\n\
         void swap_down(int a, int b) { a = a - 1; x = b; y = a; }\n\
         thread t[*] { swap_down(x, y); swap_down(y, x); }\n",
    );
    assert_eq!(finals(&l.program, &ints(&[10, 20])), [ints(&[20, 8])]);
}

#[test]
fn a_local_of_a_procedure_is_fresh_at_every_call() {
    let bounds = Bounds { threads: 1, values: vec![0, 1], states: 1_000 };
    let source = |init: &str| {
        format!(
            "global int seen = 0;\nvoid f() {{ local int n{init}; seen = n; n = 1; }}\n\
             thread t {{ f(); f(); assert(seen == 0); }}\n"
        )
    };
    assert!(search(&lowered(&source(" = 0")).program, &bounds).is_none());
    assert!(search(&lowered(&source("")).program, &bounds).is_some());
}

#[test]
fn a_result_and_cas_in_a_procedure() {
    let l = lowered(
        "global int x; global bool b;\n\
         bool try_take(int from) { return cas(x, from, from + 1); }\n\
         thread t[*] { local bool ok; ok = try_take(3); b = !ok; }\n",
    );
    let run = |x| finals(&l.program, &[Value::Int(x), Value::Bool(false)]);
    assert_eq!(run(3), [vec![Value::Int(4), Value::Bool(false)]]);
    assert_eq!(run(5), [vec![Value::Int(5), Value::Bool(true)]]);
}

#[test]
fn precedence_is_as_in_c() {
    let l = thread(
        "global int x; global bool b;",
        "",
        "x = 2 + 3 * x - -4 % 3; b = x - 1 - 1 < 7 == !(x == 0) && true || x == 100;",
    );
    let expected = |x: i64| 2 + 3 * x - -4 % 3;
    for x in -3..5 {
        let y = expected(x);
        let b = ((y - 1 - 1 < 7) == (y != 0)) || y == 100;
        let found = finals(&l.program, &[Value::Int(x), Value::Bool(false)]);
        assert_eq!(found, [vec![Value::Int(y), Value::Bool(b)]], "{x}");
    }
}

#[test]
fn a_dangling_else_belongs_to_the_nearest_if() {
    let l = thread("global int x; global int y;", "", "if (x > 0) if (x > 1) y = 2; else y = 1;");
    for (x, y) in [(0, 9), (1, 1), (2, 2)] {
        assert_eq!(finals(&l.program, &ints(&[x, 9])), [ints(&[x, y])]);
    }
}

#[test]
fn break_and_continue_leave_the_innermost_loop() {
    let l = thread(
        "global int x; global int y;",
        "",
        "while (x < 3) { x = x + 1; while (true) { y = y + 1; if (y % 2 == 0) break; } if (x == 2) continue; y = y + 10; }",
    );
    assert_eq!(finals(&l.program, &ints(&[0, 0])), [ints(&[3, 26])]);
}

#[test]
fn count_is_the_number_of_threads_at_the_labels() {
    let wrong = |bound: usize, threads: usize| {
        let source = format!(
            "global lock m;\n\
             thread t[*] {{ assume(true); in: lock(m); also: unlock(m); end: assert(count(in, also) < {bound}); }}\n\
             thread main {{ here: assert(count(here) == 1 && count(also) <= 1); }}\n"
        );
        let bounds = Bounds { threads, values: vec![0], states: 100_000 };
        search(&lowered(&source).program, &bounds).is_some()
    };
    // One thread asserts; the others can be at the labels, though only one of them past the lock.
    for bound in 0..4 {
        for threads in 1..=3 {
            assert_eq!(wrong(bound, threads), threads > bound, "{bound} {threads}");
        }
    }
}

//! Configurations, the start and the witness of proof spaces (SPEC.md sections 8.3 and 8.5 to 8.7),
//! on the good cases of `proofs`.

use super::pair::{Pair, contradiction, fill, int, run};
use super::proofs::SINGLE;
use super::triples::position;
use super::{Arena, Why};
use threadproof_format::proof::counterexample::{Thread, Value};
use threadproof_format::proof::proof_space::*;

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    configurations(arena);
    start(arena);
    false_starts(arena);
    unused(arena);
    witness(arena);
}

fn configurations(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.3");
    type Row<'a> = (&'a str, &'a str, &'a str, &'a str, fn(&mut Configuration));
    let rows: [Row<'_>; 9] = [
        ("slot_of_an_unknown_template", "index", "names no template", "there is one", |c| {
            c.threads[0].0 = 1
        }),
        ("slot_at_an_unknown_location", "index", "names no location", "there are three", |c| {
            c.threads[0].1 = Some(3)
        }),
        (
            "slot_that_nothing_is_about",
            "unused",
            "nothing uses this thread",
            "no location, and in no predicate",
            |c| c.threads.push(Slot(0, None)),
        ),
        (
            "negated_twice",
            "order",
            "not ascending: negated predicates",
            "the list is strictly ascending",
            |c| c.negated.push(Instance(2, vec![0])),
        ),
        (
            "negated_in_disorder",
            "order",
            "not ascending: negated predicates",
            "not ascending",
            |c| c.negated.push(Instance(1, vec![])),
        ),
        (
            "negated_false",
            "instance",
            "`false` is never listed",
            "`false` is negated in all of them",
            |c| c.negated[0].0 = 0,
        ),
        (
            "negated_of_no_thread",
            "instance",
            "number of threads",
            "x >= 1 is about a thread",
            |c| c.negated[0].1.clear(),
        ),
        ("negated_of_an_unknown_slot", "index", "names no thread", "there is one slot", |c| {
            c.negated[0].1[0] = 1
        }),
        ("negated_of_an_unknown_predicate", "index", "names no predicate", "there are two", |c| {
            c.negated[0].0 = 3
        }),
    ];
    for (name, category, reason, trap, edit) in rows {
        let edit = |pair: &mut Pair| edit(pair.configuration(0));
        group.bad(name, (category, &format!("configuration 0: {}", reason_of(reason))), trap, edit);
    }
    let mut group = arena.on("single", "8.3");
    let why = ("single-twice", "configuration 1: two threads of a single template");
    group.bad("single_template_twice", why, "there is one thread of `s`", |pair| {
        pair.configuration(1).threads.push(Slot(0, Some(1)));
    });
    let mut group = arena.on("single", "8.1");
    let why = ("instance", "configuration 0: not an instance of the predicate: template of a");
    group.bad("negated_of_another_template", why, "the predicate is about `r`", |pair| {
        position(pair);
        pair.configuration(0).negated.push(Instance(4, vec![0]));
    });
}

/// The words of a reason as the checker begins them.
fn reason_of(words: &str) -> String {
    match words.strip_prefix("names no") {
        Some(what) => format!("a number that names no{what}"),
        None if words.contains("false") || words.starts_with("number") => {
            format!("not an instance of the predicate: {words}")
        }
        None => words.to_owned(),
    }
}

fn start(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.5");
    let why = ("order", "not ascending: initial predicates");
    group.bad("initial_predicate_twice", why, "the list is strictly ascending", |pair| {
        let again = pair.space().initial[0].clone();
        pair.space().initial.push(again);
    });
    let why = ("instance", "initial predicate 0: not an instance of the predicate: `false`");
    group.bad("false_at_the_start", why, "`false` is not listed", |pair| {
        pair.space().initial[0].predicate = 0;
    });
    let why = ("index", "initial predicate 0: a number that names no predicate");
    group.bad("unknown_predicate_at_the_start", why, "there are two", |pair| {
        pair.space().initial[0].predicate = 3;
    });
    let why = ("refutation", "initial predicate 0: not a refutation");
    group.bad("initial_predicate_that_need_not_hold", why, "x is arbitrary", |pair| {
        pair.space().initial[0].predicate = 2;
    });
    let why = ("accepting", "configuration 1: an initial state may satisfy this configuration");
    let trap = "nothing excludes the configuration at the start, though its predicate would hold";
    group.bad("start_is_not_looked_at", why, trap, |pair| pair.space().initial.clear());
}

fn false_starts(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.5");
    let start = [("init g >= 1;\n", "")];
    let why = ("accepting", "configuration 1: an initial state may satisfy this configuration");
    let trap = "the proof is right but for the start, where g may be 0";
    group.bad("start_satisfies_a_configuration", why, trap, |pair| {
        pair.restate(&start);
        pair.space().initial.clear();
    });
    group.refuted_by("false_precondition_unsafe");
    let why = ("refutation", "initial predicate 0: not a refutation");
    let trap = "g >= 1 is listed as if it held at the start, where g may be 0";
    group.bad("initial_predicate_that_does_not_hold", why, trap, |pair| {
        pair.restate(&start);
        pair.space().initial[0].refutation = contradiction(&[1]);
    });
    group.refuted_by("false_precondition_unsafe");
    let mut group = arena.on("single", "8.5");
    let trap = "k is 1 at the start only by the single template's initial condition";
    let changes = [("init k == 1;", "init k >= 1;")];
    let wrong = SINGLE.replacen(changes[0].0, changes[0].1, 1);
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (0, 1, &[])];
    let execution = run(&wrong, &[int(0), int(2)], &[(0, &[])], &moves);
    let why = ("refutation", "initial predicate 1: not a refutation");
    group.bad("initial_condition_of_a_single_template", why, trap, |pair| {
        pair.restate(&changes);
        fill(pair);
    });
    group.refuted(execution);
}

fn unused(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.6");
    let why = ("unused", "triple 3: nothing uses this triple");
    group.bad("triple_that_nothing_uses", why, "its clause brings nothing", |pair| {
        let pre = vec![Instance(1, vec![]), Instance(2, vec![0])];
        let refutation = contradiction(&[2, 3]);
        let triple = Triple { pre, refutation, ..pair.triple(2).clone() };
        pair.space().basis.push(triple);
    });
    let why = ("unused", "configuration 2: nothing uses this configuration");
    group.bad("configuration_that_nothing_reaches", why, "no error leads back to it", |pair| {
        // Two threads that wait to write, of which the first has an x below 1.
        let mut more = pair.configuration(0).clone();
        more.threads.push(Slot(0, Some(1)));
        more.steps = vec![StepHints(vec![Hint::Embed(0, vec![0])]); 2];
        more.steps[0] = StepHints(vec![Hint::Embed(1, vec![])]);
        pair.space().configurations.push(more);
    });
}

/// A bad witness: the case's name, the reason, the trap, and the edit of globals and threads.
type Row = (&'static str, Why<'static>, &'static str, fn(&mut Vec<Value>, &mut Vec<Thread>));

fn witness(arena: &mut Arena) {
    let mut group = arena.on("single", "8.7");
    let rows = other_threads().into_iter().chain(other_values()).chain(no_threads());
    for (name, why, trap, edit) in rows {
        group.bad(name, why, trap, |pair| {
            let state = pair.start();
            edit(&mut state.globals, &mut state.threads);
        });
    }
}

fn thread(template: u32, locals: &[Value]) -> Thread {
    Thread { locals: locals.to_vec(), template }
}

/// Witnesses with more or fewer threads than one of each `many` template.
fn other_threads() -> [Row; 3] {
    let one = ("replay", "witness: not an execution: one thread of each `many` template");
    [
        ("witness_without_a_thread", one, "`r` has a thread", |_, t| t.clear()),
        ("witness_with_two_threads", one, "one thread of `r`", |_, t| t.push(t[0].clone())),
        ("witness_with_a_single_thread", one, "`s` is not listed", |_, t| {
            t.insert(0, thread(0, &[]))
        }),
    ]
}

/// Witnesses whose values are not those of an initial state.
fn other_values() -> [Row; 6] {
    let replay = |words: &'static str| -> Why<'static> { ("replay", words) };
    [
        (
            "witness_that_is_no_initial_state",
            replay("the initial condition"),
            "n is 0 at the start",
            |g, _| g[0] = int(1),
        ),
        (
            "witness_against_a_single_template",
            replay("the initial condition"),
            "k is 1 at the start",
            |g, _| g[1] = int(2),
        ),
        (
            "witness_against_a_thread",
            replay("a thread's initial condition"),
            "y is not negative at the start",
            |_, t| t[0].locals[0] = int(-1),
        ),
        ("witness_with_a_global_less", replay("number of values"), "two globals", |g, _| {
            drop(g.pop())
        }),
        ("witness_with_a_local_more", replay("number of values"), "one local", |_, t| {
            t[0].locals.push(int(0))
        }),
        (
            "witness_of_another_sort",
            ("sort", "a value of another sort"),
            "n is an integer",
            |g, _| g[0] = Value::Bool(true),
        ),
    ]
}

/// Witnesses with a list of threads that no state has.
fn no_threads() -> [Row; 3] {
    [
        (
            "witness_of_an_unknown_template",
            ("index", "names no template"),
            "there are two",
            |_, t| t[0].template = 2,
        ),
        (
            "witness_in_disorder",
            ("order", "not ascending: threads"),
            "threads ascend by template",
            |_, t| t.push(thread(0, &[])),
        ),
        (
            "witness_with_a_single_thread_twice",
            ("order", "not ascending: threads"),
            "`s` has one thread",
            |_, t| *t = vec![thread(0, &[]), thread(0, &[]), thread(1, &[int(0)])],
        ),
    ]
}

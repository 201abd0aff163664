//! Layers of abstract threads (SPEC.md section 12), with traps.

use super::layers::{LOCK, candidate, fill};
use super::pair::{self, Pair, int, run, state};
use super::{Arena, Why};
use threadproof_format::proof::Proof;
use threadproof_format::proof::abstraction::Part;
use threadproof_format::proof::counterexample::{Counterexample, Move, Value};
use threadproof_format::{Expr, Op, refutation::Refutation};

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    unsafe_programs(arena);
    abstract_threads(arena);
    comparable(arena);
    kept(arena);
    copies(arena);
    invariants(arena);
    refutations(arena);
    several(arena);
}

/// Threads of the concrete program without inputs; nobody is behind the lock at the start.
fn execution(changes: &[(&str, &str)], moves: &[(u32, u32)]) -> Pair {
    let core = changes.iter().fold(LOCK.to_owned(), |core, (old, new)| core.replacen(old, new, 1));
    let moves: Vec<(u32, u32, &[Value])> =
        moves.iter().map(|(thread, edge)| (*thread, *edge, &[][..])).collect();
    run(&core, &[int(0), Value::Bool(false)], &[(0, &[int(1)])], &moves)
}

fn refuted(edge: u32) -> String {
    format!("layer 0, template 0, edge {edge}: not a refutation")
}

/// Concrete programs that go wrong where their abstract threads cannot follow.
fn unsafe_programs(arena: &mut Arena) {
    let mut group = arena.on("abstract_lock", "12.3");
    let changes = [("n := n - i", "n := n - 2")];
    let trap = "the thread takes 2 off the count, its abstract thread 1";
    group.bad("step_that_the_abstract_thread_has_not", ("refutation", &refuted(3)), trap, |p| {
        p.restate(&changes);
    });
    let moves = [(0, 0), (0, 3), (0, 0), (0, 2)];
    group.refuted(execution(&changes, &moves));
    let trap = "i is 1 after each round if it was before; but it is 0 when the loop begins";
    let begins = [("i := 1", "i := 0")];
    group.bad("loop_invariant_assumes_itself", ("refutation", &refuted(0)), trap, |pair| {
        pair.restate(&begins);
    });
    group.refuted(execution(&begins, &moves));
    let trap = "the thread goes wrong where its abstract thread does not";
    let wrong = [("when n != 1", "when n != 0")];
    group.bad("error_that_the_abstract_thread_has_not", ("refutation", &refuted(2)), trap, |p| {
        p.restate(&wrong);
    });
    group.refuted(execution(&wrong, &[(0, 0), (0, 2)]));
    let trap =
        "the abstract thread has no edge by which it leaves, so it never goes wrong after that";
    let edge = "edge inside -> idle { input next: bool; when !next; n := n - 1, busy := next; }";
    group.bad("abstract_edge_is_missing", ("refutation", &refuted(3)), trap, |pair| {
        pair.restate(&changes);
        pair.restate_layer(0, &[(edge, "")]);
        fill(pair);
    });
    group.refuted_by("step_that_the_abstract_thread_has_not_unsafe");
}

fn abstract_threads(arena: &mut Arena) {
    let mut group = arena.on("abstract_lock", "12.3");
    let trap = "the abstract thread has no error edge, so it may never go wrong";
    let edge = "edge inside -> wrong { when n != 1; }";
    group.bad("abstract_error_is_missing", ("refutation", &refuted(2)), trap, |pair| {
        pair.restate_layer(0, &[(edge, "")]);
        fill(pair);
    });
    let trap = "the abstract thread keeps the lock";
    group.bad("abstract_step_is_another", ("refutation", &refuted(3)), trap, |pair| {
        pair.restate_layer(0, &[("when !next; n", "when next; n")]);
    });
    let why = ("refutation", "layer 0, template 0, start: not a refutation");
    group.bad("candidate_at_the_start_is_another", why, "the first node is the one", |pair| {
        pair.conformance(0, 0).invariants[0] = candidate(2);
        fill(pair);
    });
    let why = ("refutation", "layer 0, template 0, location 0: not a refutation");
    group.bad("no_candidate_is_left", why, "an invariant that says nothing", |pair| {
        pair.conformance(0, 0).invariants[0] = Expr::bool(true);
        fill(pair);
    });
    group.bad("invariant_that_never_holds", ("refutation", &refuted(0)), "`false`", |pair| {
        pair.conformance(0, 0).invariants[1] = Expr::bool(false);
        fill(pair);
    });
    let mut group = arena.on("abstract_lock", "12.2");
    let trap = "an input of an error edge would be free to exclude the error";
    let why = ("abstraction", "an input of the abstract thread that is no next value");
    group.bad("input_of_an_abstract_error", why, trap, |pair| {
        pair.restate_layer(0, &[("wrong { when", "wrong { input u: int; when")]);
    });
    let mut group = arena.on("abstract_server", "12.2");
    group.bad("free_input_of_an_abstract_step", why, "it is no global's next value", |pair| {
        pair.restate_layer(0, &[("run -> run { }", "run -> run { input u: int; }")]);
    });
}

fn comparable(arena: &mut Arena) {
    let mut group = arena.on("abstract_server", "12.1");
    let why = |words: &'static str| -> Why<'static> { ("abstraction", words) };
    let layer = |changes: &'static [(&'static str, &'static str)]| {
        move |pair: &mut Pair| pair.restate_layer(0, changes)
    };
    let trap = "the same meaning, other operators";
    let init = &[("x == 0 && !stop", "!stop && x == 0")];
    group.bad("layer_with_another_init", why("the initial conditions differ"), trap, layer(init));
    let trap = "the abstract program starts with another x";
    let start = &[("x == 0 && !stop", "x == 5 && !stop")];
    group.bad(
        "layer_that_starts_elsewhere",
        why("the initial conditions differ"),
        trap,
        layer(start),
    );
    let name = &[
        ("global stop", "global halt"),
        ("!stop", "!halt"),
        ("stop :=", "halt :="),
        ("when stop", "when halt"),
    ];
    let globals = why("layer 0: no abstraction: the globals differ");
    group.bad("layer_with_another_global", globals, "a global's name", layer(name));
    let more = &[("init x", "global more: int; init x")];
    group.bad("layer_with_a_global_more", globals, "the concrete program has it not", layer(more));
    let one = &[("many Listener", "one Listener")];
    let templates = why("layer 0: no abstraction: the number of templates differs");
    let single = why("layer 0: no abstraction: any number of threads come to a single template");
    let trap = "one thread for any number of them";
    group.bad("single_template_for_many", single, trap, layer(one));
    group.bad("part_is_missing", templates, "a template without a part", |pair| {
        pair.layer(0).parts.pop();
    });
    group.bad("part_too_many", templates, "a part without a template", |pair| {
        pair.layer(0).parts.push(Part::Kept);
    });
    let mut group = arena.on("abstract_copy", "12.1");
    let counted = why("layer 0: no abstraction: threads of an abstracted template are counted");
    let trap = "abstract threads are not where the threads are, so they are not counted";
    group.bad("abstracted_template_is_counted", counted, trap, |pair| {
        pair.restate_layer(0, &[("#Counted.on", "#K.x")]);
    });
    let mut group = arena.on("abstract_counted", "12.1");
    let trap = "threads of A get busy, their abstract threads do not, and B asks how many are";
    let asks = [("#B.gone", "#A.busy")];
    group.bad("count_of_abstract_threads", counted, trap, |pair| {
        pair.restate(&asks);
        pair.restate_layer(0, &asks);
        pair.space().predicates[0].formula.0[0] = Op::Count(0, 1);
        pair::fill(pair);
    });
    let wrong = arena.pair("abstract_counted").core.replace(asks[0].0, asks[0].1);
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (1, 0, &[])];
    let execution = run(&wrong, &[], &[(0, &[]), (1, &[])], &moves);
    arena.on("abstract_counted", "12.1").refuted(execution);
    let mut group = arena.on("abstract_lock", "12.1");
    let digest = ("digest", "layer 0: the certificate is about another program");
    group.bad("layer_with_a_wrong_digest", digest, "a bit of the digest is another", |pair| {
        pair.layer(0).program.0[31] ^= 128;
    });
    group.bad("layer_with_spaces", digest, "the statement is tokens and line feeds", |pair| {
        let statement = &mut pair.layer(0).statement;
        *statement = statement.replace('\n', " ");
    });
    let why = ("syntax", "layer 0, program: line 2");
    group.bad("layer_that_is_no_program", why, "the statement is not in the core form", |pair| {
        pair.layer(0).statement = "core\n2\n;\n".to_owned();
    });
}

fn kept(arena: &mut Arena) {
    let mut group = arena.on("abstract_copy", "12.1");
    let why = ("abstraction", "layer 0, template 2: no abstraction: a kept template differs");
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)]);
    let rows: [Row<'_>; 5] = [
        (
            "kept_template_with_another_local",
            "a local's name",
            &[("local k", "local j"), ("k :=", "j :=")],
        ),
        (
            "kept_template_with_another_input",
            "an input's name",
            &[("input q", "input r"), (":= q", ":= r")],
        ),
        (
            "kept_template_with_another_order",
            "the order of updates",
            &[("g := g, k := q;", "k := q, g := g;")],
        ),
        (
            "kept_template_with_another_guard",
            "a guard that is never true",
            &[("input q: bool; g", "input q: bool; when false; g")],
        ),
        (
            "kept_template_with_an_edge_less",
            "an edge is missing",
            &[("edge off -> on { input q: bool; g := g, k := q; }", "")],
        ),
    ];
    for (name, trap, changes) in rows {
        group.bad(name, why, trap, |pair| pair.restate_layer(0, changes));
    }
    let mut group = arena.on("abstract_lock", "12.1");
    let trap = "the abstract thread is called the thread itself";
    let why = ("unused", "layer 0: nothing uses this layer");
    group.bad("layer_that_keeps_everything", why, trap, |pair| {
        pair.layer(0).parts[0] = Part::Kept;
    });
    let mut group = arena.on("abstract_server", "12.1");
    let why = ("abstraction", "layer 0, template 0: no abstraction: a kept template differs");
    group.bad("abstracted_template_is_called_kept", why, "its threads differ", |pair| {
        pair.layer(0).parts[0] = Part::Kept;
    });
}

fn copies(arena: &mut Arena) {
    let mut group = arena.on("abstract_copy", "12.2");
    let why = |words: &'static str| -> Why<'static> { ("abstraction", words) };
    group.bad("copy_is_missing", why("number of copies"), "the abstract thread has a local", |p| {
        p.conformance(0, 0).copies.clear();
    });
    group.bad("copy_too_many", why("number of copies"), "a copy without a local", |pair| {
        pair.conformance(0, 0).copies.push(0);
    });
    let index = ("index", "layer 0, template 0: a number that names no global");
    group.bad("copy_of_no_shared_global", index, "a single template's local is not shared", |p| {
        p.conformance(0, 0).copies[0] = 1;
    });
    let trap = "the local is another value than the global";
    let no_copy = why("a local of the abstract thread is no copy");
    group.bad("local_that_is_no_copy", no_copy, trap, |pair| {
        pair.restate_layer(0, &[("{ c := g; }", "{ c := g - 1; }")]);
    });
    group.bad("local_that_is_not_updated", no_copy, "the global changes, the local not", |pair| {
        pair.restate_layer(0, &[("g := g + 1, c := g + 1", "g := g + 1")]);
    });
    let sort = why("a copy of another sort");
    let trap = "a truth value copies a number, and no step shows it";
    arena.on("abstract_still", "12.2").bad("still_copy_of_another_sort", sort, trap, |pair| {
        pair.restate_layer(0, &[("c : int; init c == g", "c : bool; init c")]);
    });
    let mut group = arena.on("abstract_copy", "12.2");
    group.bad("copy_of_another_sort", sort, "a truth value copies a number", |pair| {
        pair.restate_layer(
            0,
            &[
                ("local c : int", "local c : bool"),
                ("init c == g", "init c"),
                ("c := g;", "c := true;"),
                ("c := g + 1;", "c := true;"),
                ("g < c", "!c"),
            ],
        );
    });
}

fn invariants(arena: &mut Arena) {
    let mut group = arena.on("abstract_lock", "12.2");
    let why = ("abstraction", "layer 0, template 0: no abstraction: number of invariants");
    group.bad("invariant_is_missing", why, "each location has one", |pair| {
        pair.conformance(0, 0).invariants.pop();
    });
    group.bad("invariant_too_many", why, "the error location has none", |pair| {
        pair.conformance(0, 0).invariants.push(Expr::bool(true));
    });
    let place = |words: &str| format!("layer 0, template 0, invariant of location 2: {words}");
    type Row<'a> = (&'a str, Why<'a>, &'a str, Vec<Op>);
    let rows: [Row<'_>; 7] = [
        (
            "invariant_of_an_error_candidate",
            ("index", "a number that names no candidate"),
            "an error location is no node",
            vec![Op::Local(1, 1)],
        ),
        (
            "invariant_of_an_unknown_candidate",
            ("index", "a number that names no location"),
            "there are three",
            vec![Op::Local(1, 3)],
        ),
        (
            "invariant_of_a_global",
            ("index", "a number that names no variable of an invariant"),
            "other threads change it",
            vec![Op::Global(1)],
        ),
        (
            "invariant_of_a_counter",
            ("index", "a number that names no variable of an invariant"),
            "other threads change it",
            vec![Op::Count(0, 2), Op::Int(1.into()), Op::Cmp(threadproof_format::Cmp::Eq)],
        ),
        (
            "invariant_of_an_unknown_local",
            ("index", "a number that names no local"),
            "there is one",
            vec![Op::Local(0, 1)],
        ),
        (
            "invariant_of_candidates_after_a_step",
            ("index", "a number that names no variable of an invariant"),
            "position 3 is the checker's",
            vec![Op::Local(3, 0)],
        ),
        (
            "invariant_without_operators",
            ("sort", "not well sorted: not one expression"),
            "nothing is left",
            vec![],
        ),
    ];
    for (name, (category, words), trap, formula) in rows {
        group.bad(name, (category, &place(words)), trap, |pair| {
            pair.conformance(0, 0).invariants[1] = Expr(formula);
        });
    }
    let why = ("sort", "invariant of location 0: not well sorted: another sort is needed");
    group.bad("invariant_that_is_a_number", why, "it is no formula", |pair| {
        pair.conformance(0, 0).invariants[0] = Expr(vec![Op::Local(0, 0)]);
    });
}

fn refutations(arena: &mut Arena) {
    let mut group = arena.on("abstract_lock", "12.3");
    let why = ("abstraction", "no abstraction: a refutation is missing");
    group.bad("refutation_is_missing", why, "each obligation has one", |pair| {
        pair.conformance(0, 0).refutations.pop();
    });
    let why = ("unused", "layer 0, template 0: nothing uses this refutation");
    group.bad("refutation_too_many", why, "an obligation for each", |pair| {
        pair.conformance(0, 0).refutations.push(Refutation::default());
    });
    let why = ("refutation", "layer 0, template 0, start: not a refutation");
    group.bad("refutations_in_disorder", why, "they have the obligations' order", |pair| {
        pair.conformance(0, 0).refutations.swap(0, 3);
    });
    let mut group = arena.on("abstract_lock", "12.1");
    let why = ("replay", "layer 0, witness: not an execution: the initial condition");
    group.bad("layer_with_a_wrong_witness", why, "n is 0 at the start", |pair| {
        pair.layer(0).witness.as_mut().expect("a witness").globals[0] = int(1);
    });
    let mut group = arena.on("abstract_lock", "7");
    let why = ("unused", "nothing uses this layer");
    let trap = "an execution of an abstract program is none of the program";
    group.bad("counterexample_with_layers", why, trap, |pair| {
        let start = pair.layer(0).witness.clone().expect("a witness");
        pair.certificate.proof = Proof::Counterexample(Counterexample { start, schedule: vec![] });
    });
    let mut group = arena.on("abstract_server", "7");
    let trap = "an abstract thread may go wrong where the thread does not";
    group.bad("counterexample_of_an_abstract_program", why, trap, |pair| {
        pair.restate_layer(
            1,
            &[("edge any -> wrong { when x < 0; }", "edge any -> wrong { when x <= 0; }")],
        );
        fill(pair);
        let start = state(&[int(0), Value::Bool(false)], &[(0, &[])]);
        let schedule = vec![Move { edge: 2, inputs: vec![], thread: 0 }];
        pair.certificate.proof = Proof::Counterexample(Counterexample { start, schedule });
    });
    group.refuted_by("abstract_server");
}

fn several(arena: &mut Arena) {
    let mut group = arena.on("abstract_server", "12.1");
    let trap = "the second layer is one of the first, which knows that the steps are positive";
    group.bad("layers_in_disorder", ("refutation", &refuted(0)), trap, |pair| {
        pair.certificate.layers.swap(0, 1);
        fill(pair);
    });
    let trap = "the second layer is again about the program that it abstracts";
    let why = ("unused", "layer 2: nothing uses this layer");
    group.bad("layer_about_itself", why, trap, |pair| {
        let mut again = pair.layer(1).clone();
        again.parts = vec![Part::Kept, Part::Kept];
        pair.certificate.layers.push(again);
    });
    let trap = "the proof is about the second layer's program";
    let why = ("refutation", "triple 0: not a refutation");
    group.bad("last_layer_is_missing", why, trap, |pair| drop(pair.certificate.layers.pop()));
}

//! Steps of configurations and their hints (SPEC.md section 8.4). Most traps are about a program
//! that goes wrong: the proof leaves out or misuses what it would need.

use super::pair::{Pair, fill, int, run};
use super::{Arena, Why};
use crate::counting::Draft;
use crate::introduction;
use threadproof_format::proof::Proof;
use threadproof_format::proof::counterexample::Value;
use threadproof_format::proof::proof_space::*;

/// A thread between `a -> b` and `b -> a` has the lock.
const LOCK: &str = "core 1;
global m: bool;
init !m;
many t {
    location a;
    location b;
    location wrong error;
    edge a -> b { when !m; m := true; }
    edge b -> a { m := false; }
    edge b -> wrong { when !m; }
}
";

/// Errors behind locations that nobody reaches.
const UNREACHED: &str = "core 1;
many p {
    location a;
    location b;
    location c;
    location wrong error;
    edge a -> b { when false; }
    edge b -> wrong { }
    edge a -> c { when false; }
    edge c -> wrong { }
}
many q {
    location a;
    location b;
    location wrong error;
    edge a -> b { when false; }
    edge b -> wrong { }
}
";

fn embed(number: u32, slots: &[u32]) -> Hint {
    Hint::Embed(number, slots.to_vec())
}

fn hints(list: &[Hint]) -> StepHints {
    StepHints(list.to_vec())
}

/// A proof whose hints are given; its triples are refuted.
fn proved(core: &str, draft: Draft) -> Pair {
    let mut pair = Pair::new(core, Proof::ProofSpace(draft.proof));
    fill(&mut pair);
    pair
}

/// Configuration 0 is "a thread at b, and not m", number 1 "two threads at b".
fn lock() -> Pair {
    let mut p = Draft::new(LOCK);
    let locked = p.predicate(&[], "m");
    p.triple(&[(locked, &[])], "t.a -> b", 0, 0);
    p.triple(&[(locked, &[])], "t.b -> wrong", 0, 0);
    p.triple(&[], "t.a -> b", locked, 0);
    p.configuration(&["t.b"], &[(locked, &[])]);
    p.configuration(&["t.b", "t.b"], &[]);
    p.proof.error_steps = vec![hints(&[embed(0, &[0])])];
    p.proof.configurations[0].steps = vec![hints(&[embed(1, &[0, 1])])];
    p.proof.configurations[1].steps = vec![hints(&[embed(0, &[1])]), hints(&[embed(0, &[0])])];
    proved(LOCK, p)
}

/// Configurations 0, 1 and 2 are "a thread at p.b", "at p.c", "at q.b".
fn unreached() -> Pair {
    let mut p = Draft::new(UNREACHED);
    for edge in ["p.a -> b", "p.a -> c", "q.a -> b"] {
        p.triple(&[], edge, 0, 0);
    }
    for slot in ["p.b", "p.c", "q.b"] {
        p.configuration(&[slot], &[]);
    }
    p.proof.error_steps = (0..3).map(|number| hints(&[embed(number, &[0])])).collect();
    proved(UNREACHED, p)
}

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    arena.good("lock", "8.4", "two threads are never behind the lock", lock());
    let mut split = lock();
    let cases = [Hint::Split(Instance(1, vec![])), embed(1, &[0, 1]), embed(1, &[0, 1])];
    split.configuration(0).steps[0] = hints(&cases);
    arena.good("lock_split", "8.4", "a case distinction, both cases of which are closed", split);
    arena.good("unreached", "8.4", "locations that nobody reaches", unreached());
    missing(arena);
    merged(arena);
    confused(arena);
    splits(arena);
    known(arena);
    frames(arena);
    left_over(arena);
    circle(arena);
}

fn open(place: &str) -> String {
    format!("{place}: the hints leave this step open")
}

/// What threads do to get wrong: thread and edge, of programs without variables but `m`.
fn execution(core: &str, threads: &[u32], moves: &[(u32, u32)]) -> Pair {
    let threads: Vec<(u32, &[Value])> = threads.iter().map(|t| (*t, &[][..])).collect();
    let moves: Vec<(u32, u32, &[Value])> =
        moves.iter().map(|(thread, edge)| (*thread, *edge, &[][..])).collect();
    let globals = if core.contains("global m") { &[Value::Bool(false)][..] } else { &[] };
    run(core, globals, &threads, &moves)
}

/// The lock's program with one change.
fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(LOCK.to_owned(), |core, (old, new)| core.replacen(old, new, 1))
}

fn missing(arena: &mut Arena) {
    let mut group = arena.on("lock", "8.4");
    let unguarded = [("when !m; m := true", "m := true")];
    let why = open("configuration 0, thread 1, template 0, edge 1");
    let trap = "two threads get behind the lock; that a fresh one leaves is not looked at";
    group.bad("fresh_thread_is_forgotten", ("step-open", &why), trap, |pair| {
        pair.restate(&unguarded);
        pair.space().basis.remove(0);
        pair.space().configurations.pop();
        pair.configuration(0).steps.clear();
        fill(pair);
    });
    group.refuted(execution(&changed(&unguarded), &[0, 0], &[(0, 0), (1, 0), (0, 1), (1, 2)]));
    let why = open("configuration 1, thread 0, template 0, edge 0");
    let trap = "how the first of two threads gets behind the lock is not looked at";
    group.bad("acting_thread_is_forgotten", ("step-open", &why), trap, |pair| {
        pair.restate(&unguarded);
        pair.space().basis.remove(0);
        pair.configuration(1).steps.clear();
        fill(pair);
    });
    group.refuted_by("fresh_thread_is_forgotten_unsafe");
    let another = [("when !m; }", "when !m; }\n    edge a -> a { m := false; }")];
    let why = open("configuration 0, thread 1, template 0, edge 3");
    let trap = "an edge of the program has no step in the proof";
    group.bad("edge_is_forgotten", ("step-open", &why), trap, |pair| pair.restate(&another));
    group.refuted(execution(&changed(&another), &[0, 0], &[(0, 0), (1, 3), (0, 2)]));
    let why = open("error configuration 0, thread 0, template 0, edge 2");
    group.bad("error_edge_is_forgotten", ("step-open", &why), "no entry at all", |pair| {
        pair.space().error_steps.clear();
    });
    group.bad("no_hint_in_an_entry", ("step-open", &why), "an entry without a hint", |pair| {
        pair.error_step(0).clear();
    });
    let trap = "without the triple nothing is known before the error";
    group.bad("triple_is_forgotten", ("step-open", &why), trap, |pair| {
        pair.space().basis.remove(1);
    });
    let mut group = arena.on("unreached", "8.4");
    let why = open("error configuration 1, thread 0, template 1, edge 1");
    let trap = "the last template's error has no entry";
    group.bad("error_of_a_template_is_forgotten", ("step-open", &why), trap, |pair| {
        second_template_goes_wrong(pair);
        pair.space().error_steps.pop();
    });
    let changes = [(
        "location b;\n    location wrong error;\n    edge a -> b { when false; }",
        "location b;\n    location wrong error;\n    edge a -> b { }",
    )];
    let wrong = UNREACHED.replacen(changes[0].0, changes[0].1, 1);
    group.refuted(execution(&wrong, &[1], &[(0, 0), (0, 1)]));
}

/// Threads of `q` get to their error; what the proof says of them falls away, but for the error.
fn second_template_goes_wrong(pair: &mut Pair) {
    pair.restate(&[(
        "location b;\n    location wrong error;\n    edge a -> b { when false; }",
        "location b;\n    location wrong error;\n    edge a -> b { }",
    )]);
    pair.space().basis.pop();
    pair.space().configurations.pop();
    fill(pair);
}

/// Threads of `p` get to c; what the proof says of them there falls away, but for the error.
fn third_location_goes_wrong(pair: &mut Pair) {
    pair.restate(&[("edge a -> c { when false; }", "edge a -> c { }")]);
    pair.space().basis.remove(1);
    pair.space().configurations.remove(1);
    pair.space().error_steps[2] = hints(&[embed(1, &[0])]);
    fill(pair);
}

fn embedding(words: &str) -> String {
    format!("not a useful embedding: {words}")
}

fn merged(arena: &mut Arena) {
    let mut group = arena.on("lock", "8.4");
    let unlocked = [("b -> wrong { when !m; }", "b -> wrong { }")];
    let execution = execution(&changed(&unlocked), &[0], &[(0, 0), (0, 2)]);
    let trap = "two threads are never behind the lock; both of them are made one, so none ever is";
    let why = embedding("two threads become one");
    group.bad("merged_threads", ("embedding", &why), trap, |pair| {
        pair.restate(&unlocked);
        pair.space().basis.remove(1);
        pair.error_step(0)[0] = embed(1, &[0, 0]);
        fill(pair);
    });
    group.refuted(execution);
    let why = embedding("number of threads");
    let trap = "one thread is all that two slots are given";
    group.bad("embedding_of_a_thread_less", ("embedding", &why), trap, |pair| {
        pair.restate(&unlocked);
        pair.space().basis.remove(1);
        pair.error_step(0)[0] = embed(1, &[0]);
        fill(pair);
    });
    group.refuted_by("merged_threads_unsafe");
    let trap = "the second slot is a thread that is not there";
    let why = "a number that names no thread";
    group.bad("embedding_of_an_unknown_thread", ("index", why), trap, |pair| {
        pair.restate(&unlocked);
        pair.space().basis.remove(1);
        pair.error_step(0)[0] = embed(1, &[0, 1]);
        fill(pair);
    });
    group.refuted_by("merged_threads_unsafe");
    let why = embedding("template or location of a thread");
    group.bad(
        "permuted_threads",
        ("embedding", &why),
        "the threads at a and b exchanged",
        |pair| {
            pair.configuration(1).steps[0].0[0] = embed(0, &[0]);
        },
    );
    let why = (
        "index",
        "error configuration 0, thread 0, template 0, edge 2: a number that names no configuration",
    );
    group.bad("embedding_of_an_unknown_configuration", why, "there are two", |pair| {
        pair.error_step(0)[0] = embed(2, &[]);
    });
}

fn confused(arena: &mut Arena) {
    let mut group = arena.on("unreached", "8.4");
    let misfit = embedding("template or location of a thread");
    let why: Why<'_> = ("embedding", &misfit);
    let trap = "nobody of p is at b; a thread of q is taken for one of p";
    group.bad("template_confusion", why, trap, |pair| {
        second_template_goes_wrong(pair);
        pair.error_step(2)[0] = embed(0, &[0]);
    });
    group.refuted_by("error_of_a_template_is_forgotten_unsafe");
    let changes = [("edge a -> c { when false; }", "edge a -> c { }")];
    let wrong = UNREACHED.replacen(changes[0].0, changes[0].1, 1);
    let execution = execution(&wrong, &[0], &[(0, 2), (0, 3)]);
    let trap = "nobody is at b; a thread at c is taken for one";
    group.bad("location_confusion", why, trap, |pair| {
        third_location_goes_wrong(pair);
        pair.error_step(1)[0] = embed(0, &[0]);
    });
    group.refuted(execution);
    let none = embedding("number of threads");
    group.bad("embedding_of_no_thread", ("embedding", &none), "no thread is at b", |pair| {
        third_location_goes_wrong(pair);
        pair.error_step(1)[0] = embed(0, &[]);
    });
    group.refuted_by("location_confusion_unsafe");
}

fn splits(arena: &mut Arena) {
    let mut group = arena.on("lock", "8.4");
    let unlocked = [("b -> wrong { when !m; }", "b -> wrong { }")];
    let split = Hint::Split(Instance(1, vec![]));
    let place = "error configuration 0, thread 0, template 0, edge 2";
    let why = open(place);
    let trap = "m may hold or not hold; only the second case is looked at";
    group.bad("split_of_which_a_case_is_forgotten", ("step-open", &why), trap, |pair| {
        pair.restate(&unlocked);
        pair.space().basis.remove(1);
        *pair.error_step(0) = vec![split.clone(), embed(0, &[0])];
        fill(pair);
    });
    group.refuted_by("merged_threads_unsafe");
    let why = embedding("it says nothing new here");
    let trap = "in the case that m holds a configuration is used that negates m";
    group.bad("embedding_against_what_is_known", ("embedding", &why), trap, |pair| {
        pair.restate(&unlocked);
        pair.space().basis.remove(1);
        *pair.error_step(0) = vec![split.clone(), embed(0, &[0]), embed(0, &[0])];
        fill(pair);
    });
    group.refuted_by("merged_threads_unsafe");
    let why = embedding("a split on what is known");
    group.bad("split_on_what_is_known", ("embedding", &why), "m is known not to hold", |pair| {
        pair.error_step(0).insert(0, split.clone());
    });
    let rows: [(&str, Why<'_>, &str, Instance); 3] = [
        (
            "split_on_false",
            ("instance", "`false` is never listed"),
            "it never holds",
            Instance(0, vec![]),
        ),
        (
            "split_on_an_unknown_predicate",
            ("index", "names no predicate"),
            "there is one",
            Instance(2, vec![]),
        ),
        (
            "split_on_too_many_threads",
            ("instance", "number of threads"),
            "m is about none",
            Instance(1, vec![0]),
        ),
    ];
    for (name, why, trap, instance) in rows {
        group.bad(name, why, trap, |pair| pair.error_step(0).insert(0, Hint::Split(instance)));
    }
    let mut group = arena.on("lock_split", "8.4");
    let why = open("configuration 0, thread 1, template 0, edge 1");
    group.bad("split_that_ends_early", ("step-open", &why), "one of two cases is closed", |pair| {
        pair.configuration(0).steps[0].0.pop();
    });
}

fn known(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.4");
    let why = embedding("it says nothing new here");
    let trap =
        "of two negated predicates neither is known not to hold: one of them holds, which one?";
    group.bad("embedding_with_two_unknown", ("embedding", &why), trap, |pair| {
        let above = |bound: i64| {
            let mut formula = pair.space().predicates[0].formula.clone();
            formula.0[1] = threadproof_format::Op::Int(bound.into());
            Predicate { formula, threads: vec![] }
        };
        let more = [2, 3].map(above);
        pair.space().predicates.extend(more);
        let negated = vec![Instance(3, vec![]), Instance(4, vec![])];
        let two = Configuration { steps: vec![], negated, threads: vec![] };
        pair.space().configurations.push(two);
        pair.error_step(0).insert(0, embed(2, &[]));
    });
    group.bad("embedding_that_brings_nothing", ("embedding", &why), "known already", |pair| {
        let again = pair.configuration(1).steps[0].0[0].clone();
        pair.configuration(1).steps[0].0.insert(0, again);
    });
}

fn frames(arena: &mut Arena) {
    let mut group = arena.on("introduction", "8.2");
    let why = open("configuration 1, thread 0, template 0, edge 1");
    let trap = "g is written, and the proof takes g >= 1 for a frame";
    group.bad("global_written_as_a_frame", ("step-open", &why), trap, |pair| {
        pair.restate(&[("g := g + x", "g := g - x")]);
        pair.space().basis.remove(1);
        pair.configuration(1).steps.clear();
    });
    group.refuted_by("swapped_program_unsafe");
    let why = open("configuration 0, thread 0, template 0, edge 0");
    let trap = "the thread writes its x, and the proof takes x >= 1 for a frame of it";
    let changes = [("init g >= 1;\n", ""), ("local x: int;", "local x: int;\n    init x >= 1;")];
    let wrong = changes
        .iter()
        .fold(introduction::PROGRAM.to_owned(), |core, (old, new)| core.replacen(old, new, 1));
    let moves: [(u32, u32, &[Value]); 2] = [(0, 0, &[]), (0, 2, &[])];
    let execution = run(&wrong, &[int(0)], &[(0, &[int(1)])], &moves);
    group.bad("local_written_as_a_frame", ("step-open", &why), trap, |pair| {
        pair.restate(&changes);
        let proof = pair.space();
        proof.basis.drain(..2);
        proof.initial[0].predicate = 2;
        proof.configurations[1] = proof.configurations[0].clone();
        proof.configurations[1].threads[0].1 = Some(0);
        proof.configurations[1].steps.clear();
        proof.configurations[0].steps = vec![hints(&[embed(1, &[0])])];
        fill(pair);
    });
    group.refuted(execution);
}

fn left_over(arena: &mut Arena) {
    let mut group = arena.on("lock", "8.4");
    let why =
        ("unused", "error configuration 0, thread 0, template 0, edge 2: nothing uses this hint");
    group.bad("hint_after_the_step_is_closed", why, "a hint too many", |pair| {
        let again = pair.error_step(0)[0].clone();
        pair.error_step(0).push(again);
    });
    let why = ("unused", "error configurations: nothing uses this step");
    group.bad("entry_of_no_error_step", why, "an entry too many", |pair| {
        pair.space().error_steps.push(hints(&[]));
    });
    let why = ("unused", "configuration 1: nothing uses this step");
    group.bad("entry_of_no_step", why, "an entry too many", |pair| {
        pair.configuration(1).steps.push(hints(&[]));
    });
    let mut group = arena.on("unreached", "8.6");
    let why = ("unused", "configuration 3: nothing uses this configuration");
    let trap = "a configuration that only leads to itself";
    group.bad("configuration_that_only_leads_to_itself", why, trap, |pair| {
        let threads = vec![Slot(0, Some(1)), Slot(1, Some(1))];
        let steps = vec![];
        pair.space().configurations.push(Configuration { steps, negated: vec![], threads });
    });
}

/// Threads go round, and get wrong from b.
const CIRCLE: &str = "core 1;
many p {
    location a;
    location b;
    location wrong error;
    edge a -> b { }
    edge b -> a { }
    edge b -> wrong { }
}
";

fn circle(arena: &mut Arena) {
    let mut group = arena.on("lock", "8.5");
    let why = ("accepting", "configuration 1: an initial state may satisfy this configuration");
    let trap =
        "nobody is at b if nobody was at a, nobody is at a if nobody was at b; and at the start?";
    group.bad("configurations_in_a_circle", why, trap, |pair| {
        pair.restate(&[(LOCK, CIRCLE)]);
        let at = |location| vec![Slot(0, Some(location))];
        let steps = |number| vec![hints(&[embed(number, &[0])])];
        let proof = pair.space();
        proof.basis.clear();
        proof.predicates.clear();
        proof.error_steps = steps(0);
        proof.configurations = vec![
            Configuration { steps: steps(1), negated: vec![], threads: at(1) },
            Configuration { steps: steps(0), negated: vec![], threads: at(0) },
        ];
    });
    group.refuted(execution(CIRCLE, &[0], &[(0, 0), (0, 2)]));
}

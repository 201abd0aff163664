//! Layers that join equal single templates (SPEC.md section 12.1).

use super::layers::{Given, candidate, layer, layered};
use super::pair::{Pair, run};
use super::{Arena, Why};
use crate::counting::Draft;
use threadproof_format::proof::abstraction::Part;
use threadproof_format::proof::counterexample::Value;

/// A thread that holds a lock at b.
const THREAD: &str = "{
    location a;
    location b;
    location wrong error;
    edge a -> b { when !m; m := true; }
    edge b -> a { m := false; }
    edge b -> wrong { when !m; }
}
";

/// A thread that is counted, beside two equal ones.
const WATCHER: &str = "one w {
    location off;
    location on;
    edge off -> on { }
    edge on -> off { when #w.on == 1; }
}
";

const GLOBALS: &str = "core 1;\nglobal m: bool;\ninit !m;\n";

fn concrete() -> String {
    format!("{GLOBALS}one p {THREAD}{WATCHER}one q {THREAD}")
}

fn joined_program() -> String {
    format!("{GLOBALS}many t {THREAD}{WATCHER}")
}

/// The templates p and q come to t.
fn joined(core: &str, abstraction: &str, proof: Draft) -> Pair {
    with_watcher(core, abstraction, None, proof)
}

/// The same, with a watcher that may be abstracted.
fn with_watcher(core: &str, abstraction: &str, watcher: Given, proof: Draft) -> Pair {
    let mut layer = layer(abstraction, vec![None, watcher, None]);
    layer.to = vec![0, 1, 0];
    layered(core, vec![layer], proof)
}

/// Two threads are never behind the lock.
fn lock(abstraction: &str) -> Draft {
    let mut p = Draft::new(abstraction);
    let locked = p.predicate(&[], "m");
    p.triple(&[(locked, &[])], "t.a -> b", 0, 0);
    p.triple(&[(locked, &[])], "t.b -> wrong", 0, 0);
    p.triple(&[], "t.a -> b", locked, 0);
    p.configuration(&["t.b"], &[(locked, &[])]);
    p.configuration(&["t.b", "t.b"], &[]);
    p
}

/// One thread alone needs no lock.
fn alone(abstraction: &str) -> Draft {
    let mut p = Draft::new(abstraction);
    let locked = p.predicate(&[], "m");
    p.triple(&[(locked, &[])], "t.b -> wrong", 0, 0);
    p.triple(&[], "t.a -> b", locked, 0);
    p.configuration(&["t.b"], &[(locked, &[])]);
    p
}

/// The program cannot begin, so that whatever is false holds at the start.
fn never(abstraction: &str) -> Draft {
    let mut p = Draft::new(abstraction);
    let never = p.predicate(&[], "1 < 0");
    p.triple(&[(never, &[])], "t.b -> wrong", 0, 0);
    p.configuration(&[], &[(never, &[])]);
    p.initial(never);
    p
}

/// Adds the cases.
pub fn add(arena: &mut Arena) {
    let pair = joined(&concrete(), &joined_program(), lock(&joined_program()));
    arena.good("joined", "12.1", "equal single templates are joined into a template `many`", pair);
    threads(arena);
    numbers(arena);
    counts(arena);
}

/// Both threads get behind the lock, the first one leaves, the second one goes wrong.
fn execution(core: &str, templates: [u32; 2]) -> Pair {
    let threads: [(u32, &[Value]); 2] = templates.map(|template| (template, &[][..]));
    let moves: [(u32, u32, &[Value]); 4] =
        [(0, 0), (1, 0), (0, 1), (1, 2)].map(|(thread, edge)| (thread, edge, &[][..]));
    run(core, &[Value::Bool(false)], &threads, &moves)
}

fn threads(arena: &mut Arena) {
    let why = |words: &'static str| -> Why<'static> { ("abstraction", words) };
    let unlocked = |text: &str| text.replace("when !m; m := true", "m := true");
    let mut group = arena.on("joined", "12.1");
    let (core, single) =
        (unlocked(&concrete()), unlocked(&joined_program()).replace("many t", "one t"));
    let trap = "two threads go wrong that stand for one, which does not";
    let several = why("layer 0: no abstraction: several templates come to a single one");
    group.bad("two_single_threads_become_one", several, trap, |pair| {
        *pair = joined(&core, &single, alone(&single));
    });
    group.refuted(execution(&core, [0, 2]));
    let many = format!("{GLOBALS}many p {THREAD}{WATCHER}");
    let trap = "any number of threads go wrong that stand for one, which does not";
    let any = why("layer 0: no abstraction: any number of threads come to a single template");
    group.bad("any_number_of_threads_become_one", any, trap, |pair| {
        let layer = layer(&single, vec![None, None]);
        *pair = layered(&unlocked(&many), vec![layer], alone(&single));
    });
    group.refuted(execution(&unlocked(&many), [0, 0]));
    let abstraction =
        format!("{}one z {{ init false; location a; }}\n", unlocked(&joined_program()));
    let trap =
        "a thread of the abstract program's own cannot begin, so that nothing goes wrong there";
    let nobody = why("layer 0: no abstraction: no template comes to one of the abstract program");
    group.bad("thread_that_nobody_comes_to", nobody, trap, |pair| {
        *pair = joined(&core, &abstraction, never(&abstraction));
    });
    group.refuted_by("two_single_threads_become_one_unsafe");
    let differs = why("layer 0, template 2: no abstraction: a kept template differs");
    let trap = "only one of the two threads takes the lock";
    let core = concrete();
    let (before, after) = core.split_once("one q").expect("the template");
    let core = format!("{before}one q{}", unlocked(after));
    group.bad("joined_threads_differ", differs, trap, |pair| {
        pair.restate(&[(&concrete(), &core)]);
    });
    group.refuted(execution(&core, [0, 2]));
}

fn numbers(arena: &mut Arena) {
    let mut group = arena.on("joined", "12.1");
    let why = |words: &'static str| -> Why<'static> { ("abstraction", words) };
    let count = why("layer 0: no abstraction: the number of templates differs");
    group.bad("template_that_comes_to_nothing", count, "a number is missing", |pair| {
        pair.layer(0).to.pop();
    });
    group.bad("joined_part_is_missing", count, "a part is missing", |pair| {
        pair.layer(0).parts.pop();
    });
    let index = ("index", "layer 0: a number that names no template");
    group.bad("template_that_comes_to_an_unknown_one", index, "there are two", |pair| {
        pair.layer(0).to[2] = 2;
    });
    let several = why("layer 0: no abstraction: several templates come to a single one");
    group.bad("template_that_comes_to_another", several, "the watcher is one thread", |pair| {
        pair.layer(0).to[2] = 1;
    });
    let nobody = why("layer 0: no abstraction: no template comes to one of the abstract program");
    group.bad("template_that_nobody_comes_to", nobody, "one of any number of threads", |pair| {
        let last = "when #w.on == 1; } }";
        pair.restate_layer(0, &[(last, &format!("{last} many z {{ location a; }}"))]);
    });
    let differs = why("layer 0, template 0: no abstraction: a kept template differs");
    group.bad("joined_with_an_edge_less", differs, "nobody goes wrong there", |pair| {
        pair.restate_layer(0, &[("edge b -> wrong { when !m; }", "")]);
    });
    let unused = ("unused", "layer 0: nothing uses this layer");
    group.bad("layer_that_changes_nothing", unused, "the program itself", |pair| {
        let own = layer(&pair.core, vec![None, None, None]);
        assert!(own.parts.iter().all(|part| *part == Part::Kept));
        *pair.layer(0) = own;
    });
}

/// A holder of the lock m, and one that goes wrong when it is held and none of t is at b.
const HOLDER: &str =
    "{ location a; location b; edge a -> b { when !m; m := true; } edge b -> a { m := false; } }";
const ASKER: &str =
    "many w { location l; location wrong error; edge l -> wrong { when m && #t.b == 0; } }";

/// Behind the lock is a thread that is counted.
fn held(abstraction: &str) -> Draft {
    let mut p = Draft::new(abstraction);
    let inside = p.predicate(&[], "!m || #t.b >= 1");
    p.triple(&[(inside, &[])], "w.l -> wrong", 0, 0);
    p.triple(&[], "t.a -> b", inside, 0);
    p.triple(&[], "t.b -> a", inside, 0);
    p.configuration(&[], &[(inside, &[])]);
    p.initial(inside);
    p
}

fn counts(arena: &mut Arena) {
    let mut group = arena.on("joined", "12.1");
    let words = "layer 0: no abstraction: threads of an abstracted template are counted";
    let counted = ("abstraction", words);
    group.bad("joined_threads_are_counted", counted, "of one, or of both?", |pair| {
        pair.restate(&[("#w.on", "#q.b")]);
        pair.restate_layer(0, &[("#w.on", "#t.b")]);
    });
    let trap = "the abstract program counts nobody, but the program counts q, which comes to t";
    group.bad("joined_thread_is_counted_in_the_program", counted, trap, |pair| {
        let core = concrete().replace("#w.on", "#q.b");
        let abstraction = joined_program().replace("when #w.on == 1; ", "");
        let watcher = Some((vec![], vec![candidate(0), candidate(1)]));
        *pair = with_watcher(&core, &abstraction, watcher, lock(&abstraction));
    });
    let abstraction = format!("{GLOBALS}many t {HOLDER} {ASKER}");
    let core = format!("{abstraction} one q {HOLDER}");
    let trap = "the thread of q comes to t, whose threads are counted without it in the program";
    group.bad("thread_comes_to_counted_ones", counted, trap, |pair| {
        *pair = joined(&core, &abstraction, held(&abstraction));
    });
    let threads: [(u32, &[Value]); 2] = [(1, &[]), (2, &[])];
    let moves: [(u32, u32, &[Value]); 2] = [(1, 0, &[]), (0, 0, &[])];
    group.refuted(run(&core, &[Value::Bool(false)], &threads, &moves));
}

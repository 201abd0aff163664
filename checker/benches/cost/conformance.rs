//! Layers of abstract threads. The initial condition, all guards and invariants are false, so that
//! each obligation is refuted at once.

use super::encoding::*;
use super::family::{Family, Sizes, all, join, name};

const MANY: usize = 1 << 18;

pub const FAMILY: Family = Family { name: "layers", knobs: KNOBS, make: |s| make(s, false) };

/// Here the concrete steps write an array, and the abstract ones do not.
pub const UNLIKE: Family = Family { name: "unlike", knobs: KNOBS, make: |s| make(s, true) };

const KNOBS: &[(&str, usize)] = &[
    ("globals", MANY),
    ("locals", MANY),
    ("copies", MANY),
    ("locations", MANY),
    ("abstract locations", MANY),
    ("errors", MANY),
    ("abstract errors", MANY),
    ("edges", MANY),
    ("abstract edges", MANY),
    ("guard", MANY),
    ("abstract guard", MANY),
    ("abstract init", MANY),
    ("updates", MANY),
    ("value", MANY),
    ("inputs", MANY),
    ("abstract inputs", MANY),
    ("invariant", MANY),
    ("candidates", MANY),
    ("kept templates", MANY),
    ("single locals", MANY),
    ("global name", MANY),
    ("local name", MANY),
    ("layers", MANY),
];

fn make(s: &Sizes, unlike: bool) -> Input {
    let globals = s.of("globals", 1).max(s.of("updates", 1)).max(s.of("abstract inputs", 0));
    let locations = s.of("abstract locations", 1).max(s.of("candidates", 1));
    let core = program(s, globals, Thread::Concrete(unlike));
    let above = program(s, globals, Thread::Abstract(locations));
    let nodes = s.of("locations", 1);
    // The last invariant mentions candidates.
    let invariant = |i: usize| {
        let mut ops = vec![map(&[("b", truth(false))])];
        for _ in 1..s.of("invariant", 1) {
            ops.extend([map(&[("b", truth(true))]), text("&&")]);
        }
        for x in 0..if i == 0 { s.of("candidates", 1) } else { 1 } {
            ops.extend([map(&[("l", list(&[number(1), number(x)]))]), text("&&")]);
        }
        list(&ops)
    };
    let kept = s.of("kept templates", 0);
    let refutations = 1 + nodes + s.of("edges", 1) + s.of("errors", 0);
    let part = map(&[(
        "abstracted",
        map(&[
            ("copies", repeat(s.of("copies", 0), &number(1))),
            ("invariants", each(nodes, invariant)),
            ("refutations", repeat(refutations, &plainly_false())),
        ]),
    )]);
    let parts = each(1 + kept, |i| if i == 0 { part.clone() } else { text("kept") });
    let first = layer(&above, each(1 + kept, number), parts.clone());
    // The others abstract the abstract program by itself, as far as they get.
    let layers = vec![first; s.of("layers", 1)];
    let certificate = certificate(&core, proof_space(&[]), &layers);
    Input { core, certificate }
}

/// The concrete thread, which may write the array, or the abstract one with so many locations.
enum Thread {
    Concrete(bool),
    Abstract(usize),
}

fn program(s: &Sizes, globals: usize, thread: Thread) -> String {
    let ones = |knob: &str| join(s.of(knob, 1), "+", |_| "1".to_owned());
    let global = name("g", s.of("global name", 1));
    let globals_named = |i: usize| if i == 0 { global.clone() } else { format!("g{i}") };
    let top = [
        "core 1; global r: int[];\n".to_owned(),
        all(globals, |i| format!("global {}: int;\n", globals_named(i))),
        "init false; many t {\n".to_owned(),
    ];
    let body = match thread {
        Thread::Concrete(array) => {
            let updates = join(s.of("updates", 1), ",", |k| {
                format!("{} := {}", globals_named(k), ones("value"))
            });
            let write = if array { ", r := r[0 := 1]" } else { "" };
            let inputs = all(s.of("inputs", 0), |k| format!("input u{k}: int;"));
            let local = name("x", s.of("local name", 1));
            let edge = format!(
                "edge l0 -> l0 {{ {inputs} when {} == 0; {updates}{write}; }}\n",
                ones("guard")
            );
            [
                all(s.of("locals", 1), |i| format!("local {local}{i}: int;")),
                all(s.of("locations", 1), |i| format!("location l{i};")),
                all(s.of("errors", 0), |i| format!("location e{i} error;")),
                edge.repeat(s.of("edges", 1)),
                all(s.of("errors", 0), |i| format!("edge l0 -> e{i} {{ when false; }}\n")),
            ]
            .concat()
        }
        Thread::Abstract(locations) => {
            let inputs = s.of("abstract inputs", 0);
            let mut updates: Vec<String> =
                (0..inputs).map(|k| format!("{} := u{k}", globals_named(k))).collect();
            let first = if inputs > 0 { "u0" } else { &global };
            updates.extend((0..s.of("copies", 0)).map(|k| format!("c{k} := {first}")));
            let updates = if updates.is_empty() { String::new() } else { updates.join(",") + ";" };
            let inputs = all(inputs, |k| format!("input u{k}: int;"));
            let edge = format!(
                "edge l0 -> l0 {{ {inputs} when {} == 0; {updates} }}\n",
                ones("abstract guard")
            );
            [
                all(s.of("copies", 0), |i| format!("local c{i}: int;")),
                format!("init {} == 0;", ones("abstract init")),
                all(locations, |i| format!("location l{i};")),
                all(s.of("abstract errors", 0), |i| format!("location e{i} error;")),
                edge.repeat(s.of("abstract edges", 1)),
                all(s.of("abstract errors", 0), |i| {
                    format!("edge l0 -> e{i} {{ when {} == 0; }}\n", ones("abstract guard"))
                }),
            ]
            .concat()
        }
    };
    let singles = |i: usize| {
        let locals = all(s.of("single locals", 0), |k| format!("local y{i}_{k}: int;"));
        let kind = if s.of("single locals", 0) > 0 { "one" } else { "many" };
        format!("{kind} k{i} {{ {locals} location a; }}\n")
    };
    [top.concat(), body, "}\n".to_owned(), all(s.of("kept templates", 0), singles)].concat()
}

//! Proof spaces. All predicates are true by themselves, and so are the triples.

use super::encoding::*;
use super::family::{Family, Sizes, all, join, name};

const MANY: usize = 1 << 18;

pub const FAMILY: Family = Family {
    name: "space",
    knobs: &[
        ("globals", MANY),
        ("locals", MANY),
        ("assumptions", MANY),
        ("init", MANY),
        ("thread init", MANY),
        ("locations", MANY),
        ("errors", MANY),
        ("edges", MANY),
        ("inputs", MANY),
        ("guard", MANY),
        ("updates", MANY),
        ("value", MANY),
        ("mentioned value", MANY),
        ("idle templates", MANY),
        ("busy templates", MANY),
        ("singles", MANY),
        ("single locals", MANY),
        ("single locations", MANY),
        ("global name", MANY),
        ("template name", MANY),
        ("location name", MANY),
        ("predicates", MANY),
        ("formula", MANY),
        ("counters", MANY),
        ("triples", MANY),
        ("pre", MANY),
        ("steps", MANY),
        ("initial", MANY),
        ("impossible", MANY),
        ("configurations", MANY),
        ("slots", MANY),
        ("negated", MANY),
        ("hints", MANY),
        ("splits", MANY),
        ("hinted steps", MANY),
        ("error steps", MANY),
        ("positions", MANY),
        ("impossible slots", MANY),
        ("impossible negated", MANY),
    ],
    make,
};

/// The knobs that follow from others.
struct Counts {
    globals: usize,
    errors: usize,
    predicates: usize,
    slots: usize,
    negated: usize,
    /// Whether the steps need hints.
    hinted: bool,
}

fn make(s: &Sizes) -> Input {
    let slots = s.of("slots", 1).max(s.of("hinted steps", 1));
    // Hints embed impossible configurations.
    let embeds = hints_of(s) > 0;
    let slots = if embeds { slots.max(s.of("impossible slots", 1)) } else { slots };
    let negated = s.of("negated", 1);
    // What pre, initial, negated, hints and splits name.
    let named = [
        s.of("predicates", 1),
        1 + s.of("pre", 0),
        s.of("initial", 1),
        negated.div_ceil(slots),
        hints_of(s) + s.of("impossible negated", 1),
        s.of("splits", 0) + 1,
        s.of("hinted steps", 0).min(1) + 1,
    ];
    let hinted = embeds || s.of("splits", 0) + s.of("hinted steps", 0) > 0;
    let counts = Counts {
        globals: s.of("globals", 2).max(s.of("updates", 2)),
        errors: s.of("errors", 1).max(s.of("error steps", 1)),
        predicates: named.into_iter().fold(1, usize::max),
        slots,
        negated,
        hinted,
    };
    let core = program(s, &counts);
    let certificate = certificate(&core, proof(s, &counts), &[]);
    Input { core, certificate }
}

/// Impossible configurations with many slots are embedded.
fn hints_of(s: &Sizes) -> usize {
    s.of("hints", usize::from(s.of("impossible slots", 1) > 1))
}

fn program(s: &Sizes, counts: &Counts) -> String {
    let global = name("g", s.of("global name", 1));
    let thread = name("t", s.of("template name", 1));
    let sum = |knob: &str| vec![global.as_str(); s.of(knob, 1)].join("+").replacen(&global, "0", 1);
    let formula = |knob: &str| format!("{} == 0 || true", sum(knob));
    let first = name("a", s.of("location name", 1));
    let globals = all(counts.globals, |i| match i {
        0 => format!("global {global}: int;\n"),
        _ => format!("global g{i}: int;\n"),
    });
    let edge = |i: usize| {
        let inputs = if i == 0 { s.of("inputs", 0) } else { 0 };
        let inputs = all(inputs, |k| format!("input u{k}: int;"));
        let guard = if i == 0 { sum("guard") } else { "0".to_owned() };
        // The others are frames of all predicates.
        let updates = if i == 0 { s.of("updates", 2) } else { 0 };
        let updates = join(updates, ",", |k| {
            // Only global 0 is mentioned by predicates.
            match k {
                0 => format!("{global} := {}", sum("mentioned value")),
                _ => format!("g{k} := {}", sum("value")),
            }
        });
        let updates = if updates.is_empty() { updates } else { updates + ";" };
        format!("edge {first} -> {first} {{ {inputs} when {guard} == 0 && false; {updates} }}\n")
    };
    let single_locals =
        |i: usize| all(s.of("single locals", 0), |k| format!("local y{i}_{k}: int;"));
    let single = |i: usize| {
        let locations = all(s.of("single locations", 1), |k| format!("location m{k};"));
        format!("one s{i} {{ {} {locations} edge m0 -> m0 {{}} }}\n", single_locals(i))
    };
    [
        "core 1;\n".to_owned(),
        all(s.of("assumptions", 0), |_| "assumption \"nothing\";".to_owned()),
        globals,
        format!("init {};\n", formula("init")),
        format!("many {thread} {{\n"),
        all(s.of("locals", 1), |i| format!("local x{i}: int;")),
        format!("init {};\n", formula("thread init")),
        format!("location {first};"),
        all(s.of("locations", 1), |i| format!("location l{i};")),
        all(counts.errors, |i| format!("location e{i} error;")),
        all(s.of("edges", 1), edge),
        all(s.of("error steps", 1), |i| format!("edge {first} -> e{i} {{ when false; }}")),
        "}\n".to_owned(),
        all(s.of("idle templates", 0), |i| format!("many w{i} {{location a;}}\n")),
        all(s.of("busy templates", 0), |i| format!("many v{i} {{location a; edge a->a{{}}}}\n")),
        all(s.of("singles", 0).max(s.of("single locals", 0).min(1)), single),
    ]
    .concat()
}

/// `true || i <= sum`, with a local of position 0, global 0 often, and counters.
fn predicate(s: &Sizes, i: usize) -> Item {
    let sign = |sign: &str| text(sign);
    let mut ops = vec![map(&[("b", truth(true))]), map(&[("i", number(i))])];
    ops.push(map(&[("l", list(&[number(0), number(0)]))]));
    for _ in 0..s.of("formula", 1) {
        ops.extend([map(&[("g", number(0))]), sign("+")]);
    }
    for counter in 0..s.of("counters", 0) {
        // Location 0 is the initial one.
        ops.extend([map(&[("n", list(&[number(0), number(1 + counter)]))]), sign("+")]);
    }
    ops.extend([map(&[("c", sign("<="))]), sign("||")]);
    map(&[("formula", list(&ops)), ("threads", repeat(s.of("positions", 1), &number(0)))])
}

fn instance(s: &Sizes, predicate: usize, thread: usize) -> Item {
    list(&[number(predicate), each(s.of("positions", 1), |i| number(thread + i))])
}

/// A triple of some instances over the acting thread, from a predicate on.
fn triple(s: &Sizes, (post, acting): (usize, usize), edge: usize, pre: (usize, usize)) -> Item {
    let steps = s.of("steps", 1);
    // Each step is used in the next one.
    let step = |i: usize| if i == 0 { conflict(&[1]) } else { conflict(&[1 + i]) };
    map(&[
        ("pre", each(pre.1, |i| instance(s, pre.0 + i, 0))),
        ("edge", number(edge)),
        ("post", number(post)),
        ("acting", number(acting)),
        ("template", number(0)),
        ("refutation", each(steps, step)),
    ])
}

fn basis(s: &Sizes, counts: &Counts) -> Item {
    // With one slot, the configuration says what does not hold before an error.
    let wrong = usize::from(counts.slots == 1 && counts.negated == 1);
    let of_errors = |i: usize| triple(s, (0, 0), s.of("edges", 1) + i, (1, wrong));
    let mut basis: Vec<Item> = (0..s.of("error steps", 1)).map(of_errors).collect();
    // Where hints are needed, no triple closes the step by itself.
    let (times, pre) = match (counts.hinted, s.of("hinted steps", 0)) {
        (true, 0) => (s.of("triples", 0), (1, s.of("pre", 2).max(2))),
        (true, _) => (s.of("triples", 1), (2, s.of("pre", 1))),
        (false, _) => (s.of("triples", 1), (1, s.of("pre", 0))),
    };
    for acting in [1, 0] {
        basis.extend(vec![triple(s, (1, acting), 0, pre); times]);
    }
    list(&basis)
}

/// The hints of the configuration's steps.
fn hints(s: &Sizes, counts: &Counts) -> Item {
    let embed = |configuration: usize, map_: Item| {
        map(&[("e", list(&[number(s.of("configurations", 1) + configuration), map_]))])
    };
    if s.of("hinted steps", 0) > 0 {
        // Each slot's step, and that of another thread.
        return each(counts.slots + 1, |slot| list(&[embed(0, list(&[number(slot)]))]));
    }
    let splits = (0..s.of("splits", 0)).map(|i| map(&[("s", instance(s, 2 + i, 0))]));
    let slots = each(s.of("impossible slots", 1), number);
    let embeds = (0..hints_of(s)).map(|i| embed(i, slots.clone()));
    list(&[list(&splits.chain(embeds).collect::<Vec<_>>())])
}

fn proof(s: &Sizes, counts: &Counts) -> Item {
    let slot = list(&[number(0), number(0)]);
    let negated = each(counts.negated, |i| instance(s, 1 + i / counts.slots, i % counts.slots));
    let configuration = map(&[
        ("steps", if counts.hinted { hints(s, counts) } else { list(&[]) }),
        ("negated", negated),
        ("threads", repeat(counts.slots, &slot)),
    ]);
    let impossible = |i: usize| {
        let first = 2.min(counts.predicates) + i.min(counts.predicates.saturating_sub(2));
        map(&[
            ("negated", each(s.of("impossible negated", 1), |k| instance(s, first + k, 0))),
            ("threads", repeat(s.of("impossible slots", 1), &slot)),
            ("refutation", plainly_false()),
        ])
    };
    let impossibles = ["impossible slots", "impossible negated", "hinted steps"];
    let impossibles = impossibles.into_iter().map(|knob| s.of(knob, 0).min(1));
    let impossibles = impossibles.chain([s.of("impossible", 0), hints_of(s)]).max();
    let initial = |i: usize| map(&[("predicate", number(1 + i)), ("refutation", plainly_false())]);
    let embedded = list(&[map(&[("e", list(&[number(0), list(&[number(0)])]))])]);
    let wrong = if counts.slots == 1 && counts.negated == 1 { s.of("error steps", 1) } else { 0 };
    proof_space(&[
        ("predicates", each(counts.predicates, |i| predicate(s, i))),
        ("basis", basis(s, counts)),
        ("initial", each(s.of("initial", 1), initial)),
        ("impossible", each(impossibles.unwrap_or(0), impossible)),
        ("error_steps", repeat(wrong, &embedded)),
        ("configurations", repeat(s.of("configurations", 1), &configuration)),
    ])
}

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
    ],
    make,
};

/// The knobs that follow from others.
struct Counts {
    globals: usize,
    predicates: usize,
    slots: usize,
    negated: usize,
    hints: usize,
    splits: usize,
}

fn make(s: &Sizes) -> Input {
    let (hints, splits) = (s.of("hints", 0), s.of("splits", 0));
    let slots = s.of("slots", 1);
    let negated = s.of("negated", 1);
    // What pre, initial, negated, hints and splits name.
    let named = [s.of("pre", 0), s.of("initial", 1), negated.div_ceil(slots), hints + 1, splits + 1];
    let counts = Counts {
        globals: s.of("globals", 1).max(s.of("updates", 1)),
        predicates: named.into_iter().fold(s.of("predicates", 1), usize::max),
        slots,
        negated,
        hints,
        splits,
    };
    let core = program(s, &counts);
    let certificate = certificate(&core, proof(s, &counts), &[]);
    Input { core, certificate }
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
        let updates = if i == 0 { s.of("updates", 1) } else { 1 };
        let updates = join(updates, ",", |k| {
            let value = sum("value");
            if k == 0 { format!("{global} := {value}") } else { format!("g{k} := {value}") }
        });
        format!("edge {first} -> {first} {{ {inputs} when {guard} == 0 && false; {updates}; }}\n")
    };
    let single_locals = |i: usize| all(s.of("single locals", 0), |k| format!("local y{i}_{k}: int;"));
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
        all(s.of("errors", 1), |i| format!("location e{i} error;")),
        all(s.of("edges", 1), edge),
        format!("edge {first} -> e0 {{ when false; }} }}\n"),
        all(s.of("idle templates", 0), |i| format!("many w{i} {{location a;}}\n")),
        all(s.of("busy templates", 0), |i| format!("many v{i} {{location a; edge a->a{{}}}}\n")),
        all(s.of("singles", 0).max(s.of("single locals", 0).min(1)), single),
    ]
    .concat()
}

fn op(json: &[(&str, Item)]) -> Item {
    map(json)
}

/// `true || i <= sum`, with a local of position 0, global 0 often, and counters.
fn predicate(s: &Sizes, i: usize) -> Item {
    let sign = |sign: &str| text(sign);
    let mut ops = vec![op(&[("b", truth(true))]), op(&[("i", number(i))])];
    ops.push(op(&[("l", list(&[number(0), number(0)]))]));
    for _ in 0..s.of("formula", 1) {
        ops.extend([op(&[("g", number(0))]), sign("+")]);
    }
    for counter in 0..s.of("counters", 0) {
        // Location 0 is the initial one.
        ops.extend([op(&[("n", list(&[number(0), number(1 + counter)]))]), sign("+")]);
    }
    ops.extend([op(&[("c", sign("<="))]), sign("||")]);
    map(&[("formula", list(&ops)), ("threads", list(&[number(0)]))])
}

fn instance(predicate: usize, thread: usize) -> Item {
    list(&[number(predicate), list(&[number(thread)])])
}

fn triple(s: &Sizes, post: usize, acting: usize, edge: usize, pre: usize) -> Item {
    let steps = s.of("steps", 1);
    let refutation = if steps == 1 {
        plainly_false()
    } else {
        // Each is used in the end.
        each(steps, |i| if i + 1 < steps { conflict(&[1]) } else { conflict(&[2 + i]) })
    };
    map(&[
        ("pre", each(pre, |i| instance(1 + i, 0))),
        ("edge", number(edge)),
        ("post", number(post)),
        ("acting", number(acting)),
        ("template", number(0)),
        ("refutation", refutation),
    ])
}

fn proof(s: &Sizes, counts: &Counts) -> Item {
    let edges = s.of("edges", 1);
    let slot = list(&[number(0), number(0)]);
    let hinted = counts.hints + counts.splits > 0;
    // Hints are needed where no triple closes the step.
    let mut basis = vec![triple(s, 0, 0, edges, 0)];
    let pre = s.of("pre", 0);
    if !hinted || s.of("triples", 0) > 0 {
        let pre = if hinted { pre.max(2) } else { pre };
        for acting in [1, 0] {
            let one = triple(s, 1, acting, 0, pre);
            basis.extend(std::iter::repeat_n(one, s.of("triples", 1)));
        }
    }
    let negated = each(counts.negated, |i| instance(1 + i / counts.slots, i % counts.slots));
    let embeds = (0..counts.hints).map(|i| {
        map(&[("e", list(&[number(s.of("configurations", 1) + i), list(&[number(0)])]))])
    });
    let splits = (0..counts.splits).map(|i| map(&[("s", instance(2 + i, 0))]));
    let hints: Vec<Item> = splits.chain(embeds).collect();
    let configuration = map(&[
        ("steps", if hinted { list(&[list(&hints)]) } else { list(&[]) }),
        ("negated", negated),
        ("threads", repeat(counts.slots, &slot)),
    ]);
    let impossible = |i: usize| {
        map(&[
            ("negated", list(&[instance(1 + i.min(counts.predicates - 1), 0)])),
            ("threads", list(&[slot.clone()])),
            ("refutation", plainly_false()),
        ])
    };
    let initial = |i: usize| map(&[("predicate", number(1 + i)), ("refutation", plainly_false())]);
    proof_space(&[
        ("predicates", each(counts.predicates, |i| predicate(s, i))),
        ("basis", list(&basis)),
        ("initial", each(s.of("initial", 1), initial)),
        ("impossible", each(s.of("impossible", 0).max(counts.hints), |i| impossible(i + 1))),
        ("configurations", repeat(s.of("configurations", 1), &configuration)),
    ])
}

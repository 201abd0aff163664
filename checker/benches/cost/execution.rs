//! Counterexamples.

use super::encoding::*;
use super::family::{Family, Sizes, all, join, name};

const MANY: usize = 1 << 18;

pub const FAMILY: Family = Family {
    name: "execution",
    knobs: &[
        ("globals", MANY),
        ("locals", MANY),
        ("thread init", MANY),
        ("locations", MANY),
        ("edges", MANY),
        ("inputs", MANY),
        ("guard", MANY),
        ("updates", MANY),
        ("value", MANY),
        ("writes", MANY),
        ("reads", MANY),
        ("counts", MANY),
        ("singles", MANY),
        ("idle templates", MANY),
        ("errors", MANY),
        ("template name", MANY),
        ("location name", MANY),
        ("threads", MANY),
        ("moves", MANY),
        ("entries", MANY),
        ("truths", MANY),
        ("digits", 10_000),
    ],
    make,
};

fn make(s: &Sizes) -> Input {
    let globals = s.of("globals", 1).max(s.of("updates", 1));
    let core = program(s, globals);
    let certificate = certificate(&core, proof(s, globals), &[]);
    Input { core, certificate }
}

fn program(s: &Sizes, globals: usize) -> String {
    let sum = |knob: &str| join(s.of(knob, 1), "+", |_| "g0".to_owned());
    let value = |k: usize| match k {
        0 => format!("g0 + 0 * ({})", sum("value")),
        _ => sum("value"),
    };
    let inputs = all(s.of("inputs", 0), |k| format!("input u{k}: int;"));
    let counts =
        join(1 + s.of("counts", 0), " + ", |k| if k == 0 { "0" } else { "#t.b" }.to_owned());
    let reads =
        join(1 + s.of("reads", 0), " + ", |k| if k == 0 { "0" } else { "r[g0]" }.to_owned());
    let writes = all(s.of("writes", 0), |k| format!("[{} := 1]", 2 * k + 1));
    let updates = join(s.of("updates", 1), ", ", |k| format!("g{k} := {}", value(k)));
    let guard = format!("{} == {} && {counts} + {reads} >= 0 - 1", sum("guard"), sum("guard"));
    let edge = format!("edge a -> a {{ {inputs} when {guard}; {updates}, r := r{writes}; }}\n");
    let thread = name("t", s.of("template name", 1));
    let edge = edge.replace("#t.", &format!("#{thread}."));
    let wrong = name("e", s.of("location name", 1));
    [
        "core 1; global r: int[]; global p: bool[];\n".to_owned(),
        all(globals, |i| format!("global g{i}: int;\n")),
        format!("many {thread} {{\n"),
        all(s.of("locals", 1), |i| format!("local x{i}: int;")),
        format!("init {} == 0 || true;", sum("thread init")),
        "location a; location b;".to_owned(),
        all(s.of("locations", 0), |i| format!("location l{i};")),
        format!("location {wrong} error;"),
        all(s.of("errors", 0), |i| format!("location e{i} error;")),
        edge,
        format!("edge a -> {wrong} {{}}"),
        all(s.of("edges", 0), |_| "edge a -> b {}\n".to_owned()),
        "}\n".to_owned(),
        all(s.of("idle templates", 0), |i| format!("many w{i} {{location a;}}\n")),
        all(s.of("singles", 0), |i| format!("one s{i} {{location a;}}\n")),
    ]
    .concat()
}

fn proof(s: &Sizes, globals: usize) -> Item {
    let digits = s.of("digits", 1);
    let value = || if digits < 19 { number(0) } else { text(&"9".repeat(digits)) };
    let int = |item: Item| map(&[("i", item)]);
    let (threads, moves) = (s.of("threads", 1), s.of("moves", 1));
    let entries = each(s.of("entries", 0), |i| list(&[number(2 * i), number(1)]));
    let array = map(&[("ia", list(&[number(0), entries]))]);
    let entries = each(s.of("truths", 0), |i| list(&[number(2 * i), truth(true)]));
    let truths = map(&[("ba", list(&[truth(false), entries]))]);
    let values = each(globals + 2, |i| match i {
        0 => array.clone(),
        1 => truths.clone(),
        _ => int(value()),
    });
    let locals = repeat(s.of("locals", 1), &int(value()));
    let thread = map(&[("locals", locals), ("template", number(0))]);
    let inputs = repeat(s.of("inputs", 0), &int(value()));
    let each_move = |i: usize| {
        let last = i == moves;
        map(&[
            ("edge", number(usize::from(last))),
            ("inputs", if last { list(&[]) } else { inputs.clone() }),
            ("thread", number(i % threads)),
        ])
    };
    let start = map(&[("globals", values), ("threads", repeat(threads, &thread))]);
    map(&[("counterexample", map(&[("start", start), ("schedule", each(moves + 1, each_move))]))])
}

//! Programs without an idea, and small changes to any program.

use super::{Edge, RandomProgram, Template};
use crate::source::Source;

const INTS: [&str; 4] = ["g", "h", "x", "y"];
const BOOLS: [&str; 3] = ["m", "f", "z"];

fn atom(source: &mut Source) -> String {
    let small = source.below(3);
    let cmp = source.pick(&["==", "!=", "<", "<=", ">", ">="]);
    match source.below(7) {
        0 | 1 => format!("{} {cmp} {small}", source.pick(&INTS)),
        2 => format!("{} {cmp} {}", source.pick(&INTS), source.pick(&INTS)),
        3 => source.pick(&BOOLS).to_owned(),
        4 => format!("!{}", source.pick(&BOOLS)),
        5 => format!("{}d[{}]", source.pick(&["", "!"]), source.pick(&["0", "1", "x"])),
        _ => format!("a[{}] {cmp} {small}", source.pick(&["0", "1", "x"])),
    }
}

/// A guard, and an update that mostly keeps values small.
fn command(source: &mut Source) -> (Vec<String>, Vec<(String, String)>) {
    let mut guard = Vec::new();
    if source.chance(60) {
        guard.push(atom(source));
    }
    let variable = source.pick(&INTS);
    let small = source.below(3).to_string();
    let (variable, value) = match source.below(10) {
        0 => (variable, small),
        1 => (variable, source.pick(&INTS).to_owned()),
        2 => {
            guard.push(format!("{variable} < 2"));
            (variable, format!("{variable} + 1"))
        }
        3 => {
            guard.push(format!("{variable} > 0"));
            (variable, format!("{variable} - 1"))
        }
        4 => {
            guard.extend(["u >= 0".to_owned(), "u < 2".to_owned()]);
            (variable, "u".to_owned())
        }
        5 | 6 => (source.pick(&BOOLS), source.pick(&["true", "false"]).to_owned()),
        7 => ("z", source.pick(&["m", "f", "!f", "d[0]"]).to_owned()),
        8 => {
            let value = source.pick(&["true", "false", "z"]);
            ("d", format!("d[{} := {value}]", source.pick(&["0", "1", "x"])))
        }
        _ => ("a", format!("a[{} := {small}]", source.pick(&["0", "1", "x"]))),
    };
    let kept = source.chance(85);
    let mut updates: Vec<_> = kept.then(|| (variable.to_owned(), value)).into_iter().collect();
    // Several at once: an atomic step.
    if source.chance(20) {
        let (also, value) =
            source.pick(&[("g", "h"), ("h", "x"), ("m", "!m"), ("z", "true"), ("y", "g")]);
        if also != variable {
            updates.push((also.to_owned(), value.to_owned()));
        }
    }
    (guard, updates)
}

/// A template of random steps, each location with one to the next.
pub(super) fn template(source: &mut Source, many: bool) -> Template {
    let locations = 2 + source.below(3);
    let mut edges = Vec::new();
    let mut step = |from: usize, to: usize, source: &mut Source| {
        let (guard, updates) = command(source);
        edges.push(Edge { from, to, guard, updates });
    };
    (1..locations).for_each(|to| step(to - 1, to, source));
    for _ in 0..source.below(3) {
        step(source.below(locations), source.below(locations), source);
    }
    let guard = (0..=source.below(2)).map(|_| atom(source)).collect();
    let from = locations - 1 - source.below(2);
    edges.push(Edge { from, to: locations, guard, updates: Vec::new() });
    let init = ["x == 0", "y == 0", "!z"].into_iter().filter(|_| source.chance(90));
    Template { many, init: init.map(str::to_owned).collect(), locations, edges }
}

/// One or two templates of random steps.
pub(super) fn program(source: &mut Source) -> RandomProgram {
    let many = source.chance(80);
    let mut templates = vec![template(source, many)];
    if source.chance(30) {
        let many = source.chance(50);
        templates.push(template(source, many));
    }
    let choices = ["g == 0", "h == 0", "h == g", "h >= 1", "!m", "!f", "m", "a[0] == 0"];
    let mut init: Vec<String> = ["g == 0", "h == 1", "!m", "!f"].map(str::to_owned).to_vec();
    if source.chance(40) {
        let at = source.below(init.len());
        init[at] = source.pick(&choices).to_owned();
    }
    RandomProgram { init, templates }
}

/// Lets a guard count threads.
pub(super) fn count(program: &mut RandomProgram, source: &mut Source) {
    let counted = source.below(program.templates.len());
    let template = &program.templates[counted];
    let first = usize::from(template.many);
    let counter = |source: &mut Source| {
        format!("#t{counted}.l{}", first + source.below(template.locations - first))
    };
    let mut sum = counter(source);
    if source.chance(30) {
        sum = format!("{sum} + {}", counter(source));
    }
    let bound = match source.below(4) {
        0 => source.pick(&["g", "h"]).to_owned(),
        small => (small - 1).to_string(),
    };
    let guard = format!("{sum} {} {bound}", source.pick(&["==", "<", "<=", ">", ">="]));
    let t = source.below(program.templates.len());
    let edges = &mut program.templates[t].edges;
    let e = source.below(edges.len());
    edges[e].guard.push(guard);
}

/// Changes one part.
pub(super) fn mutate(program: &mut RandomProgram, source: &mut Source) {
    let t = source.below(program.templates.len());
    let template = &mut program.templates[t];
    let locations = template.locations;
    let e = source.below(template.edges.len());
    let edge = &mut template.edges[e];
    match source.below(8) {
        0 => drop(edge.guard.pop()),
        1 => drop(edge.updates.pop()),
        2 => edge.guard.push(atom(source)),
        3 => edge.to = source.below(locations),
        4 => edge.from = source.below(locations),
        5 => edge.updates = command(source).1,
        6 => template.many = !template.many,
        _ => drop(program.init.pop()),
    }
}

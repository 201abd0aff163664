//! Programs with an idea, so that many are right for a reason and many are nearly right: mutual
//! exclusion, handing over, monotone values, unique numbers.

use super::{Edge, RandomProgram, Template};
use crate::source::Source;

/// A template under construction: the thread stands at the last location.
#[derive(Default)]
struct Body {
    init: Vec<&'static str>,
    locations: usize,
    edges: Vec<Edge>,
}

/// Stands for the error location until the number of locations is known.
const WRONG: usize = usize::MAX;

fn edge(from: usize, to: usize, guard: &str, updates: &str) -> Edge {
    let parts = |text: &str, by: &str| -> Vec<String> {
        text.split(by).filter(|p| !p.is_empty()).map(str::to_owned).collect()
    };
    let update = |text: String| {
        let (variable, value) = text.split_once(" = ").expect("an update");
        (variable.to_owned(), value.to_owned())
    };
    let updates = parts(updates, ", ").into_iter().map(update).collect();
    Edge { from, to, guard: parts(guard, " && "), updates }
}

impl Body {
    /// A step to a new location. Conjuncts are split by ` && `, updates by `, `.
    fn step(&mut self, guard: &str, updates: &str) {
        self.edges.push(edge(self.locations, self.locations + 1, guard, updates));
        self.locations += 1;
    }

    /// A step that stays.
    fn stay(&mut self, guard: &str, updates: &str) {
        self.edges.push(edge(self.locations, self.locations, guard, updates));
    }

    /// The thread goes wrong if this holds; it may go on as the text `go_on` says.
    fn assert(&mut self, wrong: &str, go_on: &str) {
        self.edges.push(edge(self.locations, WRONG, wrong, ""));
        self.step(go_on, "");
    }

    /// A step back to the start, or to a new location.
    fn end(&mut self, updates: &str, source: &mut Source) {
        let to = if source.chance(50) { 0 } else { self.locations + 1 };
        self.edges.push(edge(self.locations, to, "", updates));
        self.locations = self.locations.max(to);
    }

    fn template(mut self, many: bool, source: &mut Source) -> Template {
        let locations = self.locations + 1;
        self.edges.iter_mut().filter(|e| e.to == WRONG).for_each(|e| e.to = locations);
        let init = ["x == 0", "y == 0"].into_iter().filter(|_| source.chance(85));
        Template { many, init: init.map(str::to_owned).collect(), locations, edges: self.edges }
    }
}

/// A program about one of the ideas.
pub(super) fn program(source: &mut Source) -> RandomProgram {
    match source.below(4) {
        0 | 1 => exclusion(source),
        2 => hand_over(source),
        _ => monotone(source),
    }
}

fn gather(init: Vec<&'static str>, templates: Vec<Template>) -> RandomProgram {
    RandomProgram { init: init.into_iter().map(str::to_owned).collect(), templates }
}

/// A critical section, with one way in and out of several, and one use of it.
fn exclusion(source: &mut Source) -> RandomProgram {
    let mut body = Body::default();
    let release = match source.below(5) {
        0 => {
            body.init.push("!m");
            body.step("!m", "m = true");
            "m = false"
        }
        1 => {
            body.init.push("h == 0");
            body.step("h == 0", "h = 1");
            "h = 0"
        }
        2 => {
            body.init.extend(["h == 0", "k == 0"]);
            body.step("", "x = h, h = h + 1");
            body.step("x == k", "");
            "k = k + 1"
        }
        3 => {
            // Test and set in two steps: wrong for more than one thread.
            body.init.push("!m");
            body.step("!m", "");
            body.step("", "m = true");
            "m = false"
        }
        _ => {
            // A permit, and now and then two.
            body.init.push(source.pick(&["h == 1", "h == 1", "h == 2"]));
            body.step("h > 0", "h = h - 1");
            "h = h + 1"
        }
    };
    critical(&mut body, source);
    body.end(release, source);
    let many = source.chance(80);
    gather(body.init.clone(), vec![body.template(many, source)])
}

/// What is done in the critical section.
fn critical(body: &mut Body, source: &mut Source) {
    match source.below(5) {
        0 => {
            body.init.push("g == 0");
            body.step("", "g = g + 1");
            body.assert("g != 1", "");
            body.step("", "g = g - 1");
        }
        1 => {
            body.init.push("!f");
            body.assert("f", "!f");
            body.step("", "f = true");
            body.step("", "f = false");
        }
        2 => {
            body.step("u >= 0 && u < 3", "y = u");
            body.step("", "g = y");
            body.assert("g != y", "g == y");
        }
        3 => {
            let index = source.pick(&["0", "1", "x"]);
            let write = |v: usize| format!("a = a[{index} := {v}]");
            body.step("", &write(0));
            body.step("", &write(1));
            body.assert(&format!("a[{index}] != 1"), "");
        }
        _ => {
            body.init.push("g == 0");
            body.step("g < 3", "y = g");
            body.step("", "g = y + 1");
            body.assert("g != y + 1", "");
        }
    }
}

/// One thread or many write a value and raise a flag; others wait for the flag and look.
fn hand_over(source: &mut Source) -> RandomProgram {
    let value = source.pick(&["1", "2", "3"]);
    let mut writer = Body::default();
    let mut reader = Body::default();
    writer.init.push("!f");
    if source.chance(50) {
        writer.init.push(source.pick(&["g == 0", "h == 0", "g <= h"]));
    }
    let write = source.pick(&["g", "a"]);
    let (set, read) = match write {
        "g" => (format!("g = {value}"), "g".to_owned()),
        _ => ("a = a[h := 1]".to_owned(), "a[h]".to_owned()),
    };
    writer.step("", &set);
    writer.step(source.pick(&["", "!f"]), "f = true");
    if source.chance(30) {
        writer.step("", source.pick(&["f = false", "h = h + 1", "g = g + 1"]));
    }
    reader.step("f", source.pick(&["", "f = false", "x = g"]));
    let expected = if write == "g" { value } else { "1" };
    let cmp = source.pick(&["!=", "<", ">"]);
    reader.assert(&format!("{read} {cmp} {expected}"), "");
    let (first, second) = (source.chance(40), source.chance(70));
    let init = writer.init.clone();
    gather(init, vec![writer.template(first, source), reader.template(second, source)])
}

/// A value only grows, so what was read stays a bound; or numbers are given out once each.
fn monotone(source: &mut Source) -> RandomProgram {
    let mut body = Body::default();
    match source.below(3) {
        0 => {
            body.init.push(source.pick(&["g == 0", "g >= 0", "g == h"]));
            body.stay("g < 3", source.pick(&["g = g + 1", "g = g + 2", "g = 3"]));
            body.step("", "x = g");
            body.assert(source.pick(&["g < x", "x < 0", "g != x", "h > g", "x > 4"]), "");
        }
        1 => {
            // The greatest value, by compare and swap.
            body.init.push("g == 0");
            body.step("u >= 0 && u < 3", "x = u");
            body.stay("g < x", "y = g");
            body.stay("g == y && y < x", "g = x");
            body.step(source.pick(&["g >= x", "y >= x", "x >= 0"]), "");
            body.assert(source.pick(&["g < x", "g < 0", "g > 2"]), "");
        }
        _ => {
            body.init.push("h == 0");
            if source.chance(70) {
                body.step("h < 3", "x = h, h = h + 1");
            } else {
                body.step("h < 3", "x = h");
                body.step("", "h = x + 1");
            }
            body.step("", "a = a[x := 1]");
            body.step("", "a = a[x := 2]");
            body.assert(source.pick(&["a[x] != 2", "a[x] < 1", "x >= h"]), "");
        }
    }
    let many = source.chance(80);
    gather(body.init.clone(), vec![body.template(many, source)])
}

//! Random small programs, as text in the core form (SPEC.md section 4.1).
//!
//! A program is kept as its parts, so that a failing one can be reduced; variables are declared
//! where the parts mention them, so that a reduction leaves no declaration behind.

mod scenario;
mod soup;

use crate::source::Source;
use quickcheck::{Arbitrary, Gen};
use std::fmt::{self, Display, Formatter, Write};

/// The globals that programs may mention, with their sorts.
const GLOBALS: [(&str, &str); 7] = [
    ("g", "int"),
    ("h", "int"),
    ("k", "int"),
    ("m", "bool"),
    ("f", "bool"),
    ("a", "int[]"),
    ("d", "bool[]"),
];

/// The locals that templates may mention, with their sorts.
const LOCALS: [(&str, &str); 3] = [("x", "int"), ("y", "int"), ("z", "bool")];

/// A step between two locations; the location after the last one is the error location.
#[derive(Clone, Debug)]
pub struct Edge {
    from: usize,
    to: usize,
    /// Conjuncts.
    guard: Vec<String>,
    /// Variable and expression.
    updates: Vec<(String, String)>,
}

/// A thread template. In its texts `x`, `y` and `z` are locals, and `u` is an integer input.
#[derive(Clone, Debug)]
pub struct Template {
    many: bool,
    /// Conjuncts about the locals.
    init: Vec<String>,
    /// How many locations there are beside the error location.
    locations: usize,
    edges: Vec<Edge>,
}

/// A program.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// Conjuncts about the globals.
    init: Vec<String>,
    templates: Vec<Template>,
}

/// The texts of an edge, or of all edges, that may mention variables.
fn edge_texts(edge: &Edge) -> impl Iterator<Item = &str> {
    let updates = edge.updates.iter().flat_map(|(v, e)| [v.as_str(), e.as_str()]);
    edge.guard.iter().map(String::as_str).chain(updates)
}

fn mentions<'a>(mut texts: impl Iterator<Item = &'a str>, name: &str) -> bool {
    let word = |c: char| !c.is_ascii_alphanumeric();
    texts.any(|text| text.split(word).any(|part| part == name))
}

impl Template {
    fn mentions(&self, name: &str) -> bool {
        mentions(self.edges.iter().flat_map(edge_texts), name)
    }

    fn location(&self, number: usize) -> String {
        if number == self.locations { "wrong".to_owned() } else { format!("l{number}") }
    }

    fn print(&self, number: usize, out: &mut Formatter) -> fmt::Result {
        let multiplicity = if self.many { "many" } else { "one" };
        writeln!(out, "{multiplicity} t{number} {{")?;
        let own = |text: &str| {
            let renamed =
                |text: String, local: &str| rename(&text, local, &format!("{local}{number}"));
            LOCALS.iter().fold(text.to_owned(), |text, (local, _)| renamed(text, local))
        };
        for (name, sort) in LOCALS.iter().filter(|local| self.mentions(local.0)) {
            writeln!(out, "  local {}: {sort};", own(name))?;
        }
        let locals = |c: &&String| {
            let unused = LOCALS.iter().filter(|local| !self.mentions(local.0));
            unused.into_iter().all(|local| !mentions([c.as_str()].into_iter(), local.0))
        };
        let init: Vec<String> = self.init.iter().filter(locals).map(|c| own(c)).collect();
        write_formula(out, "  init", &init)?;
        for location in 0..self.locations {
            writeln!(out, "  location {};", self.location(location))?;
        }
        writeln!(out, "  location wrong error;")?;
        for edge in &self.edges {
            write!(out, "  edge {} -> {} {{", self.location(edge.from), self.location(edge.to))?;
            if mentions(edge_texts(edge), "u") {
                write!(out, " input u: int;")?;
            }
            let guard: Vec<String> = edge.guard.iter().map(|c| own(c)).collect();
            write_formula(out, " when", &guard)?;
            let updates = edge.updates.iter().map(|(v, e)| format!("{} := {}", own(v), own(e)));
            let updates: Vec<String> = updates.collect();
            if !updates.is_empty() {
                write!(out, " {};", updates.join(", "))?;
            }
            writeln!(out, " }}")?;
        }
        writeln!(out, "}}")
    }
}

/// Replaces a name by another.
fn rename(text: &str, name: &str, by: &str) -> String {
    let mut out = String::new();
    for part in text.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        match part.strip_prefix(name) {
            Some(rest) if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                out += by;
                out += rest;
            }
            _ => out += part,
        }
    }
    out
}

/// A clause of the core form that holds a conjunction; nothing for an empty one.
fn write_formula(out: &mut Formatter, keyword: &str, conjuncts: &[String]) -> fmt::Result {
    if conjuncts.is_empty() {
        return Ok(());
    }
    write!(out, "{keyword} ({});", conjuncts.join(") && ("))
}

impl Display for RandomProgram {
    fn fmt(&self, out: &mut Formatter) -> fmt::Result {
        writeln!(out, "core 1;")?;
        let used = |name: &str| {
            let init = mentions(self.init.iter().map(String::as_str), name);
            init || self.templates.iter().any(|t| t.mentions(name))
        };
        for (name, sort) in GLOBALS.iter().filter(|g| used(g.0)) {
            writeln!(out, "global {name}: {sort};")?;
        }
        write_formula(out, "init", &self.init)?;
        out.write_char('\n')?;
        (0..).zip(&self.templates).try_for_each(|(number, t)| t.print(number, out))
    }
}

impl Arbitrary for RandomProgram {
    fn arbitrary(random: &mut Gen) -> Self {
        let mut source = Source(random);
        let mut program = if source.chance(70) {
            scenario::program(&mut source)
        } else {
            soup::program(&mut source)
        };
        if source.chance(15) {
            program.templates.truncate(1);
            let many = source.chance(50);
            program.templates.push(soup::template(&mut source, many));
        }
        if source.chance(40) {
            soup::mutate(&mut program, &mut source);
        }
        if source.chance(30) {
            soup::count(&mut program, &mut source);
        }
        program
    }

    /// The programs with one part less.
    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let mut out = Vec::new();
        let mut without = |edit: &dyn Fn(&mut RandomProgram)| {
            let mut smaller = self.clone();
            edit(&mut smaller);
            out.push(smaller);
        };
        for (t, template) in self.templates.iter().enumerate() {
            if self.templates.len() > 1 {
                without(&|p| drop(p.templates.remove(t)));
            }
            for (e, edge) in template.edges.iter().enumerate() {
                without(&|p| drop(p.templates[t].edges.remove(e)));
                for c in 0..edge.guard.len() {
                    without(&|p| drop(p.templates[t].edges[e].guard.remove(c)));
                }
                for u in 0..edge.updates.len() {
                    without(&|p| drop(p.templates[t].edges[e].updates.remove(u)));
                }
            }
            (0..template.init.len())
                .for_each(|c| without(&|p| drop(p.templates[t].init.remove(c))));
        }
        (0..self.init.len()).for_each(|c| without(&|p| drop(p.init.remove(c))));
        Box::new(out.into_iter())
    }
}

//! Invariants as text that [`super::parse`] reads back.

use super::{Assertion, Clause, Invariant};
use crate::logic::print::{counter, expr, global_name};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use threadproof_format::program::Program;
use threadproof_format::{Expr, Op};

/// The text of an invariant, one clause a line.
pub fn invariant(program: &Program, invariant: &Invariant) -> String {
    let mut text = String::new();
    for clause in &invariant.clauses {
        let _ = writeln!(text, "{}", self::clause(program, clause));
    }
    text
}

/// The text of a clause.
pub fn clause(program: &Program, clause: &Clause) -> String {
    let printer = Printer { program, threads: &clause.threads, names: names(program, clause) };
    let declared = clause.threads.iter().zip(&printer.names);
    let declared: Vec<String> =
        declared.map(|(t, name)| format!("{name}: {}", printer.template(*t))).collect();
    let forall = match declared.join(", ") {
        list if list.is_empty() => String::new(),
        list => format!("forall {list} . "),
    };
    format!("invariant {forall}{};", printer.implication(&clause.formula))
}

/// Names for the quantified threads that nothing else has.
pub(crate) fn names(program: &Program, clause: &Clause) -> Vec<String> {
    let globals = program.globals.iter().filter(|v| v.owner.is_none()).map(|v| &v.name);
    let taken: BTreeSet<&String> =
        globals.chain(program.templates.iter().map(|t| &t.name)).collect();
    let free = (1..).map(|i| format!("t{i}")).filter(|name| !taken.contains(name));
    free.take(clause.threads.len()).collect()
}

struct Printer<'a> {
    program: &'a Program,
    threads: &'a [u32],
    names: Vec<String>,
}

/// Binding strengths, as in the core form.
const OR: u8 = 1;
const AND: u8 = 2;
const CONDITION: u8 = 3;
const UNARY: u8 = 5;

fn get<T>(list: &[T], index: u32) -> Option<&T> {
    usize::try_from(index).ok().and_then(|i| list.get(i))
}

impl Printer<'_> {
    /// A formula; a disjunction that begins with a negated conjunction reads better as an
    /// implication.
    fn implication(&self, formula: &Assertion) -> String {
        if let Assertion::Or(parts) = formula
            && let [Assertion::Not(premise), rest @ ..] = &parts[..]
        {
            let rest = Assertion::any(rest.to_vec());
            return format!("{} ==> {}", self.text(premise, OR), self.text(&rest, OR));
        }
        match formula {
            Assertion::Not(premise) => format!("{} ==> false", self.text(premise, OR)),
            other => self.text(other, OR),
        }
    }

    /// The text of a formula as an operand of a connective that needs this strength at least.
    fn text(&self, formula: &Assertion, least: u8) -> String {
        let (text, strength) = match formula {
            Assertion::Data(data) => return self.data(data, least),
            Assertion::At(thread, at) => {
                let of = get(self.threads, *thread).copied().unwrap_or(u32::MAX);
                (format!("{} at {}", self.name(*thread), self.locations(of, at)), CONDITION)
            }
            Assertion::SingleAt(of, at) => {
                (format!("{} at {}", self.template(*of), self.locations(*of, at)), CONDITION)
            }
            Assertion::Same(a, b) => (format!("{} == {}", self.name(*a), self.name(*b)), CONDITION),
            Assertion::Not(inner) => match &**inner {
                Assertion::Same(a, b) => {
                    (format!("{} != {}", self.name(*a), self.name(*b)), CONDITION)
                }
                inner => (format!("!{}", self.text(inner, UNARY)), UNARY),
            },
            Assertion::And(parts) => (self.joined(parts, " && ", AND), AND),
            Assertion::Or(parts) => (self.joined(parts, " || ", OR), OR),
        };
        if strength < least { format!("({text})") } else { text }
    }

    /// Data goes on with the connective of the list that it is in: the parser joins it again.
    fn joined(&self, parts: &[Assertion], sign: &str, strength: u8) -> String {
        let part = |part: &Assertion| match part {
            Assertion::Data(_) => self.text(part, strength),
            other => self.text(other, strength + 1),
        };
        parts.iter().map(part).collect::<Vec<_>>().join(sign)
    }

    fn data(&self, data: &Expr, least: u8) -> String {
        let text = expr(data, &|op| match op {
            Op::Global(i) => global_name(self.program, *i),
            Op::Local(position, i) => {
                let of = get(self.threads, *position).copied();
                let template = of.and_then(|of| get(&self.program.templates, of));
                let local = template.and_then(|t| get(&t.locals, *i));
                format!("{}.{}", self.name(*position), local.map_or("?", |v| &v.name))
            }
            Op::Count(of, location) => counter(self.program, *of, *location),
            _ => "?".to_owned(),
        });
        let strength = data.0.last().map_or(UNARY, crate::logic::print::strength);
        if strength < least { format!("({text})") } else { text }
    }

    fn name(&self, thread: u32) -> &str {
        get(&self.names, thread).map_or("?", |name| name)
    }

    fn template(&self, of: u32) -> &str {
        get(&self.program.templates, of).map_or("?", |template| &template.name)
    }

    fn locations(&self, of: u32, at: &BTreeSet<u32>) -> String {
        let template = get(&self.program.templates, of);
        let name = |l: &u32| template.and_then(|t| get(&t.locations, *l)).map_or("?", |l| &l.name);
        format!("{{{}}}", at.iter().map(name).collect::<Vec<_>>().join(", "))
    }
}

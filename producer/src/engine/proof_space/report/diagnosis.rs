//! What a search that found nothing can tell: which predicates grow, which kind of predicate would
//! help, and next steps with hints.

use super::families::{Family, Growth, families};
use super::growth::Watchdog;
use crate::logic::model::Facts;
use crate::logic::operators;
use crate::logic::predicates::Predicates;
use crate::logic::print;
use crate::trace::Word;
use std::collections::BTreeSet;
use threadproof_format::program::{Program, Template};
use threadproof_format::{Op, Sort};

/// The title of the last trace without a proof.
pub const TRACE: &str = "last trace without a proof";

/// The title of the predicates that were added last.
pub const PREDICATES: &str = "newest predicates";

/// A strategy could not go on since the automaton has too many configurations.
pub const TOO_MANY: &str = "the automaton has too many configurations";

/// A strategy found no proof of a trace that cannot be executed.
pub const NO_PROOF: &str = "an infeasible trace could not be proved conjunct by conjunct";

/// A strategy that did not succeed.
pub struct Tried<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its predicates.
    pub known: &'a BTreeSet<u32>,
    /// How it ended.
    pub state: &'static str,
}

/// What there is to say.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The growing predicates, by strategy.
    pub growing: Vec<String>,
    /// What would help, a sentence each.
    pub help: Vec<String>,
    /// How to go on.
    pub next: Vec<String>,
}

/// Threads of a trace from which on growth is put down to their number.
const SEVERAL: usize = 4;

/// What would help, and next steps.
type Advice = (String, String);

/// Looks at strategies that did not succeed, and at the last trace without a proof.
pub fn diagnose(
    facts: &Facts,
    predicates: &Predicates,
    tried: &[Tried<'_>],
    last: Option<&Word>,
) -> Diagnosis {
    let watchdog = Watchdog::new(facts);
    let (mut growing, mut all) = (Vec::new(), Vec::new());
    for Tried { name, known, .. } in tried {
        let families = families(facts, predicates, &watchdog, known);
        growing.extend(families.iter().map(|f| format!("{name}: {}", f.text)));
        all.extend(families);
    }
    let threads = last.map_or(0, |word| word.threads.len());
    let grown = Grown { program: facts.program, predicates, threads };
    let lacking = |lack| -> Vec<&Family> { all.iter().filter(|f| grown.lack(f) == lack).collect() };
    let mut advice: Vec<Advice> = Vec::new();
    advice.extend(lacking(Lack::Slots).first().map(|family| grown.slots(family)));
    advice.extend(lacking(Lack::Count).first().map(|family| grown.count(family)));
    if advice.is_empty() {
        // What counts grows in such families as well.
        advice.extend(grown.relation(&lacking(Lack::Relation)));
    }
    advice.extend(states(tried));
    let (help, mut next): (Vec<String>, Vec<String>) = advice.into_iter().unzip();
    next.insert(
        0,
        "add clauses to the program and prove it again; a wrong one harms only the \
         search (docs/language.md, \"Help for the prover\")"
            .to_owned(),
    );
    Diagnosis { growing, help, next }
}

/// What a proof lacks in which predicates grow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lack {
    /// Facts about all slots of an array.
    Slots,
    /// Counts of threads.
    Count,
    /// Relations between variables.
    Relation,
}

/// Where predicates have grown.
struct Grown<'a> {
    program: &'a Program,
    predicates: &'a Predicates<'a>,
    /// Threads in the last trace.
    threads: usize,
}

impl Grown<'_> {
    fn mentions(&self, family: &Family, what: impl Fn(&Op) -> bool) -> bool {
        self.predicates.get(family.largest).expr.0.iter().any(what)
    }

    fn lack(&self, family: &Family) -> Lack {
        let slots = self.mentions(family, |op| matches!(op, Op::Select | Op::Store));
        match family.growth {
            _ if slots => Lack::Slots,
            Growth::Threads => Lack::Count,
            Growth::Constants if self.threads >= SEVERAL => Lack::Count,
            Growth::Constants | Growth::Length => Lack::Relation,
        }
    }

    fn count(&self, family: &Family) -> Advice {
        let counted = self.mentions(family, |op| matches!(op, Op::Count(..)));
        let what = if counted { "counting at other locations" } else { "counting threads" };
        let variable = self.integers(&[family]).into_iter().next();
        let variable = variable.unwrap_or_else(|| "...".to_owned());
        let help =
            format!("{what}: predicates like {} grow with the number of threads", family.form);
        let next = format!(
            "put a label where the counted threads are, and state how their number is related to \
             the variables: `hint ({variable} >= count(label));`"
        );
        (help, next)
    }

    fn slots(&self, family: &Family) -> Advice {
        let help =
            format!("a fact about all slots of an array, not slot by slot ({})", family.form);
        let many = self.program.templates.iter().filter(|t| t.is_many());
        let pointer = |t: &Template| {
            let local = t.locals.iter().find(|v| v.sort == Sort::Int)?;
            Some((t.name.clone(), local.name.clone()))
        };
        let next = match many.filter_map(pointer).next() {
            Some((template, local)) => format!(
                "state it for the slots that threads point at: `hint forall {template} t ({}[t.{local}] == ...);`",
                self.array(family)
            ),
            None if self.mentions(family, operators::divides) => format!(
                "state it cell by cell, with one clause for each of the n cells: `hint (... || {}[(x + 1) % n] == ...);`",
                self.array(family)
            ),
            None => "no clause can name all slots: let each slot belong to a thread of a `[*]` \
                     template that points at it, and state it for these threads"
                .to_owned(),
        };
        (help, next)
    }

    fn relation(&self, families: &[&Family]) -> Option<Advice> {
        let family = families.first()?;
        let what = match self.integers(families).as_slice() {
            [] | [_] => "a relation between variables".to_owned(),
            some => format!("a relation between {}", some.join(" and ")),
        };
        let help = format!("{what}, for all iterations of a loop at once ({})", family.form);
        Some((help, "state it: `hint (... == ...);`".to_owned()))
    }

    /// The integers of families that are globals or locals of single threads.
    fn integers(&self, families: &[&Family]) -> Vec<String> {
        let globals = (0u32..).zip(&self.program.globals);
        let own = |i: u32| families.iter().any(|f| self.mentions(f, |op| *op == Op::Global(i)));
        let integers = globals.filter(|(i, v)| v.sort == Sort::Int && own(*i));
        integers.map(|(i, _)| print::global_name(self.program, i)).collect()
    }

    /// The name of a family's array.
    fn array(&self, family: &Family) -> String {
        let globals = (0u32..).zip(&self.program.globals);
        let mut arrays = globals.filter(|(i, v)| {
            v.sort.element().is_some() && self.mentions(family, |op| *op == Op::Global(*i))
        });
        let array = arrays.next().map(|(i, _)| print::global_name(self.program, i));
        array.unwrap_or_else(|| "...".to_owned())
    }
}

/// Advice by how strategies ended.
fn states(tried: &[Tried<'_>]) -> Vec<Advice> {
    let mut advice: Vec<Advice> = Vec::new();
    if tried.iter().any(|t| t.state == TOO_MANY) {
        advice.push((
            "fewer interleavings: the automaton has very many configurations".to_owned(),
            "make steps that belong together `atomic`, if the program allows it, or state by \
             `invariant` clauses what always holds"
                .to_owned(),
        ));
    }
    if tried.iter().any(|t| t.state == NO_PROOF) {
        advice.push((
            "a predicate that neither difference bounds nor weakest preconditions give".to_owned(),
            "state by a `hint` what holds in the middle of the last trace and makes it infeasible"
                .to_owned(),
        ));
    }
    advice
}

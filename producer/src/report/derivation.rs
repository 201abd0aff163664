//! A derivation of {true} trace {false} as the paper's Figure 3 prints it: the trace in a column
//! with the assertions between its commands; then the triples of the basis that were used, where
//! and of which threads.

use super::Section;
use super::proof_space::{Printer, command};
use crate::explain::trace::{Trace, edge};
use crate::explain::{Assertion, By, Derivation, Place};
use crate::logic::model::index;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_checker::error::{Failure, Reason};
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Instance, ProofSpace};

/// A derivation, and what it is about.
pub struct Report<'a> {
    program: &'a Program,
    proof: &'a ProofSpace,
    trace: &'a Trace,
    derivation: &'a Derivation,
    printer: Printer<'a>,
}

impl<'a> Report<'a> {
    /// Of a derivation for a trace from the basis of a proof.
    ///
    /// # Errors
    /// If the proof is not well formed.
    pub fn new(
        program: &'a Program,
        proof: &'a ProofSpace,
        trace: &'a Trace,
        derivation: &'a Derivation,
    ) -> Result<Self, Failure> {
        let printer = Printer::new(program, proof)?;
        Ok(Report { program, proof, trace, derivation, printer })
    }

    /// The sections for a person.
    ///
    /// # Errors
    /// If the proof is not well formed.
    pub fn sections(&self) -> Result<Vec<Section>, Failure> {
        let mut column = Vec::new();
        self.column(self.derivation, "case", &mut column)?;
        let mut uses = Uses::default();
        self.uses(self.derivation, 0, &mut uses);
        let triple = |n: usize| self.printer.triple(&self.proof.basis[n]);
        let impossible = |n: usize| {
            let c = &self.proof.impossible[n - self.proof.configurations.len()];
            self.printer.clause(&c.threads, &c.negated)
        };
        Ok(vec![
            ("derivation of {true} trace {false}", column),
            ("triples of the basis that it uses, by number", listed(uses.triples, triple)?),
            (
                "facts about every state that it uses, by configuration",
                listed(uses.places, impossible)?,
            ),
        ])
    }

    fn name(&self, thread: u32) -> String {
        self.trace.name(self.program, thread)
    }

    fn assertion(&self, instance: &Instance) -> Result<String, Reason> {
        let threads = &self.trace.threads;
        let templates: Vec<u32> = threads.iter().map(|t| t.template).collect();
        let named = |thread| threads[index(thread)].number.to_string();
        self.printer.instance_about(instance, &templates, &named)
    }

    /// The trace from the derivation's start on, with assertions between the steps; then its
    /// cases, which are numbered after `title`.
    fn column(
        &self,
        derivation: &Derivation,
        title: &str,
        lines: &mut Vec<String>,
    ) -> Result<(), Reason> {
        for (at, point) in derivation.points.iter().enumerate() {
            if at > 0 {
                let step = derivation.start + at;
                lines.push(format!("{step:>4}  {}", self.step(step)));
            }
            lines.push(format!("      {{{}}}", self.joined(point, " && ", "true")?));
        }
        let Some(cases) = &derivation.cases else { return Ok(()) };
        let count = cases.branches.len();
        for (i, (assertion, branch)) in (1..).zip(&cases.branches) {
            let title = format!("{title} {i}");
            let by = cases.place.configuration;
            let text = self.assertion(assertion)?;
            lines.push(format!("{title} of {count} by configuration {by}: {text}"));
            self.column(branch, &title, lines)?;
        }
        Ok(())
    }

    fn joined(&self, point: &[Assertion], with: &str, nothing: &str) -> Result<String, Reason> {
        let texts: Result<Vec<String>, Reason> =
            point.iter().map(|a| self.assertion(&a.instance)).collect();
        let text = texts?.join(with);
        Ok(if text.is_empty() { nothing.to_owned() } else { text })
    }

    /// A step (counted from 1) with its command.
    fn step(&self, step: usize) -> String {
        let taken = &self.trace.steps[step - 1];
        let template = &self.program.templates[index(taken.template)];
        let command = command(self.program, template, edge(self.program, taken));
        format!("{}: {command}", self.line(step))
    }

    fn line(&self, step: usize) -> String {
        self.trace.lines(self.program, step - 1..step).concat()
    }

    /// Where triples and impossible configurations are used, but for the first `known` points.
    fn uses(&self, derivation: &Derivation, known: usize, uses: &mut Uses) {
        let used = |place: &Place, step: usize, uses: &mut Uses| {
            let text = format!("after step {step}{}", self.renaming(&place.threads));
            uses.places.entry(place.configuration).or_default().insert((step, text));
        };
        for (at, point) in derivation.points.iter().enumerate().skip(known) {
            let step = derivation.start + at;
            for assertion in point {
                match &assertion.by {
                    By::Triple { number, threads } => {
                        // A single template that acts has no number among a triple's threads.
                        let template = index(self.proof.basis[*number].template);
                        let single = usize::from(!self.program.templates[template].is_many());
                        let text = format!("step {step}{}", self.renaming(&threads[single..]));
                        uses.triples.entry(*number).or_default().insert((step, text));
                    }
                    By::Impossible(place) => used(place, step, uses),
                    By::Initial | By::Frame | By::Case => {}
                }
            }
        }
        if let Some(cases) = &derivation.cases {
            used(&cases.place, derivation.start + derivation.points.len() - 1, uses);
            // What holds at the first point of a case was derived before it.
            cases.branches.iter().for_each(|(_, branch)| self.uses(branch, 1, uses));
        }
    }

    /// Which threads of the trace are in the places of the threads 1, 2, ...
    fn renaming(&self, threads: &[u32]) -> String {
        let names = (1u32..).zip(threads).map(|(i, t)| format!("{i} is {}", self.name(*t)));
        match names.collect::<Vec<String>>().join(", ") {
            none if none.is_empty() => none,
            names => format!(": {names}"),
        }
    }

    /// The derivation for a machine. Threads are numbers in the list of threads; predicates,
    /// triples and configurations have their numbers in the certificate.
    ///
    /// # Errors
    /// If the proof is not well formed.
    pub fn json(&self) -> Result<Value, Failure> {
        let threads = (0..).zip(&self.trace.threads);
        let threads = threads.map(|(i, t)| json!({"name": self.name(i), "template": t.template}));
        let steps = (1..).zip(&self.trace.steps).map(|(number, s)| {
            let line = self.line(number);
            json!({"step": line, "thread": s.actor, "template": s.template, "edge": s.edge})
        });
        Ok(json!({
            "threads": threads.collect::<Vec<Value>>(),
            "steps": steps.collect::<Vec<Value>>(),
            "derivation": self.json_derivation(self.derivation, None)?,
        }))
    }

    fn json_derivation(&self, d: &Derivation, case: Option<&Instance>) -> Result<Value, Reason> {
        let mut points = Vec::new();
        for (at, point) in d.points.iter().enumerate() {
            let before = if at == 0 { case } else { None };
            let point: Result<Vec<Value>, Reason> =
                point.iter().map(|a| self.json_assertion(a, before)).collect();
            points.push(point?);
        }
        let mut object = json!({"start": d.start, "points": points});
        if let Some(cases) = &d.cases {
            let branches = cases.branches.iter().map(|(i, d)| self.json_derivation(d, Some(i)));
            let branches: Result<Vec<Value>, Reason> = branches.collect();
            let Place { configuration, threads } = &cases.place;
            object["cases"] = json!({
                "configuration": configuration, "threads": threads, "branches": branches?,
            });
        }
        Ok(object)
    }

    /// An assertion; `case` is that of a case at whose first point it stands.
    fn json_assertion(&self, a: &Assertion, case: Option<&Instance>) -> Result<Value, Reason> {
        let Instance(predicate, threads) = &a.instance;
        let by = match &a.by {
            _ if case.is_some_and(|case| *case != a.instance) => json!("before"),
            By::Case => json!("case"),
            By::Initial => json!("initial"),
            By::Frame => json!("frame"),
            By::Triple { number, threads } => json!({"triple": number, "threads": threads}),
            By::Impossible(Place { configuration, threads }) => {
                json!({"configuration": configuration, "threads": threads})
            }
        };
        let text = self.assertion(&a.instance)?;
        Ok(json!({"predicate": predicate, "threads": threads, "text": text, "by": by}))
    }
}

/// Where triples and impossible configurations are used, by their numbers: the step, and a line.
#[derive(Default)]
struct Uses {
    triples: BTreeMap<usize, BTreeSet<(usize, String)>>,
    places: BTreeMap<usize, BTreeSet<(usize, String)>>,
}

/// Each thing with its number and what it says, and below it where it is used.
fn listed(
    uses: BTreeMap<usize, BTreeSet<(usize, String)>>,
    text: impl Fn(usize) -> Result<String, Reason>,
) -> Result<Vec<String>, Reason> {
    let mut lines = Vec::new();
    for (number, places) in uses {
        lines.push(format!("{number:>4}  {}", text(number)?));
        lines.extend(places.into_iter().map(|(_, place)| format!("      {place}")));
    }
    Ok(lines)
}

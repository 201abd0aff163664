//! A derivation of {true} trace {false} as the paper's Figure 3 prints it: the trace in a column
//! with the assertions between its commands; then the triples of the basis that were used, where
//! and of which threads.

use super::Section;
use super::proof_space::{Printer, command};
use crate::engine::proof_space::index;
use crate::explain::trace::{Trace, edge};
use crate::explain::{Assertion, By, Derivation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use threadproof_checker::error::{Failure, Reason};
use threadproof_checker::proof_space::automaton::Step;
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
        Ok(vec![
            ("derivation of {true} trace {false}", self.column()?),
            ("triples of the basis that it uses, by their numbers", self.triples()?),
        ])
    }

    /// The derivation for a machine. Threads are numbers in the list of threads, predicates and
    /// triples have their numbers in the certificate.
    ///
    /// # Errors
    /// If the proof is not well formed.
    pub fn json(&self) -> Result<Value, Failure> {
        let threads = (0..).zip(&self.trace.threads);
        let threads = threads.map(|(i, t)| json!({"name": self.name(i), "template": t.template}));
        let steps = self.trace.steps.iter().zip(self.trace.lines(self.program));
        let steps = steps.map(
            |(s, line)| json!({"step": line, "thread": s.actor, "template": s.template, "edge": s.edge}),
        );
        let points: Result<Vec<Vec<Value>>, Reason> = self
            .derivation
            .points
            .iter()
            .map(|point| point.iter().map(|a| self.json_assertion(a)).collect())
            .collect();
        Ok(json!({
            "threads": threads.collect::<Vec<Value>>(),
            "steps": steps.collect::<Vec<Value>>(),
            "points": points?,
        }))
    }

    fn json_assertion(&self, assertion: &Assertion) -> Result<Value, Reason> {
        let Instance(predicate, threads) = &assertion.instance;
        let by = match &assertion.by {
            By::Initial => json!("initial"),
            By::Frame => json!("frame"),
            By::Triple { number, threads } => json!({"triple": number, "threads": threads}),
        };
        let text = self.assertion(&assertion.instance)?;
        Ok(json!({"predicate": predicate, "threads": threads, "text": text, "by": by}))
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

    fn column(&self) -> Result<Vec<String>, Reason> {
        let mut lines = Vec::new();
        for (step, point) in self.derivation.points.iter().enumerate() {
            if let Some(taken) = step.checked_sub(1) {
                lines.push(format!("{step:>4}  {}", self.step(&self.trace.steps[taken])));
            }
            let texts: Result<Vec<String>, Reason> =
                point.iter().map(|a| self.assertion(&a.instance)).collect();
            let text = match texts?.join(" && ") {
                none if none.is_empty() => "true".to_owned(),
                text => text,
            };
            lines.push(format!("      {{{text}}}"));
        }
        Ok(lines)
    }

    fn step(&self, step: &Step) -> String {
        let line =
            super::trace::step(self.program, &self.name(step.actor), step.template, step.edge);
        let template = &self.program.templates[index(step.template)];
        format!("{line}: {}", command(self.program, template, edge(self.program, step)))
    }

    /// Each triple that was used, and for each use the step and the threads in the places of the
    /// triple's threads 1, 2, ....
    fn triples(&self) -> Result<Vec<String>, Reason> {
        let mut uses: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (step, point) in self.derivation.points.iter().enumerate() {
            for assertion in point {
                if let By::Triple { number, threads } = &assertion.by {
                    let place = self.renaming(*number, threads);
                    uses.entry(*number).or_default().push(format!("      step {step}{place}"));
                }
            }
        }
        let mut lines = Vec::new();
        for (number, places) in uses {
            let triple = self.printer.triple(&self.proof.basis[number])?;
            lines.push(format!("{number:>4}  {triple}"));
            lines.extend(places);
        }
        Ok(lines)
    }

    /// Which threads of the trace a triple's threads are. A single template that acts is no thread
    /// with a number.
    fn renaming(&self, triple: usize, threads: &[u32]) -> String {
        let template = index(self.proof.basis[triple].template);
        let many = self.program.templates[template].is_many();
        let threads = threads.iter().skip(usize::from(!many));
        let names = (1u32..).zip(threads).map(|(i, t)| format!("{i} is {}", self.name(*t)));
        match names.collect::<Vec<String>>().join(", ") {
            none if none.is_empty() => none,
            names => format!(": {names}"),
        }
    }
}

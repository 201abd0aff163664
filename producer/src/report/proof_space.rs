//! A proof space as the paper prints it: triples, and the invariant that the emptiness
//! certificate is when read forwards (Farzan, Kincaid, Podelski, Figure 2 and Section 5).

use super::Section;
use crate::logic::print;
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::proof_space::{basis, predicates::Predicates};
use threadproof_format::program::{Edge, Program, Template};
use threadproof_format::proof::proof_space::{Instance, ProofSpace, Slot, Triple};

/// The sections of a proof space.
///
/// # Errors
/// If the proof is not well formed.
pub fn sections(program: &Program, proof: &ProofSpace) -> Result<Vec<Section>, Failure> {
    let printer = Printer::new(program, proof)?;
    let triples: Result<Vec<String>, Reason> =
        proof.basis.iter().map(|t| printer.triple(t)).collect();
    let invariant: Result<Vec<String>, Reason> =
        proof.configurations.iter().map(|c| printer.clause(&c.threads, &c.negated)).collect();
    let always: Result<Vec<String>, Reason> =
        proof.impossible.iter().map(|c| printer.clause(&c.threads, &c.negated)).collect();
    let initial: Result<Vec<String>, Reason> =
        proof.initial.iter().map(|i| printer.predicate(i.predicate)).collect();
    let hints = proof.configurations.iter().flat_map(|c| &c.steps).chain(&proof.error_steps);
    let sizes = vec![
        format!("{} predicates", proof.predicates.len()),
        format!("{} triples (and the frame triples, which are not listed)", proof.basis.len()),
        format!("{} configurations", proof.configurations.len()),
        format!("{} embeddings", hints.map(|h| h.0.len()).sum::<usize>()),
    ];
    Ok(vec![
        ("sizes", sizes),
        ("holds initially, for all threads", initial?),
        ("Hoare triples", triples?),
        ("invariant, for all different threads 1, 2, ...", invariant?),
        ("true in every state, for all different threads 1, 2, ...", always?),
    ])
}

/// Prints the parts of a proof space.
pub struct Printer<'a> {
    program: &'a Program,
    /// The proof's predicates.
    pub predicates: Predicates,
}

/// A command as in the paper, without its thread.
pub fn command(program: &Program, template: &Template, edge: &Edge) -> String {
    let name = |op: &threadproof_format::Op| match op {
        threadproof_format::Op::Local(_, i) => usize::try_from(*i)
            .ok()
            .and_then(|i| template.locals.get(i))
            .map_or_else(|| "?".to_owned(), |v| v.name.clone()),
        other => print::assertion(
            program,
            &[],
            &edge.inputs,
            &threadproof_format::Expr(vec![other.clone()]),
        ),
    };
    let mut parts = Vec::new();
    let guard = print::expr(&edge.guard, &name);
    if guard != "true" {
        parts.push(format!("assume({guard})"));
    }
    let updates: Vec<String> = edge
        .updates
        .iter()
        .map(|(variable, value)| format!("{} := {}", name(variable), print::expr(value, &name)))
        .collect();
    if !updates.is_empty() {
        parts.push(updates.join(", "));
    }
    if parts.is_empty() { "skip".to_owned() } else { parts.join("; ") }
}

impl<'a> Printer<'a> {
    /// For a proof of a program.
    ///
    /// # Errors
    /// If the predicates are not well formed.
    pub fn new(program: &'a Program, proof: &ProofSpace) -> Result<Self, Failure> {
        let predicates = Predicates::new(program, &proof.predicates, &Budget::default())?;
        Ok(Printer { program, predicates })
    }

    fn template(&self, number: u32) -> Result<&Template, Reason> {
        let template = usize::try_from(number).ok().and_then(|t| self.program.templates.get(t));
        template.ok_or(Reason::Index("template"))
    }

    /// A predicate over the threads 1, 2, ....
    ///
    /// # Errors
    /// `Index`.
    pub fn predicate(&self, number: u32) -> Result<String, Reason> {
        let threads = &self.predicates.get(number, &Budget::default())?.predicate.threads;
        let all = (0..).zip(threads).map(|(thread, _)| thread).collect();
        self.instance(&Instance(number, all), threads)
    }

    /// An instance over the threads 1, 2, ... with these templates.
    fn instance(&self, instance: &Instance, threads: &[u32]) -> Result<String, Reason> {
        self.instance_about(instance, threads, &|t| (u64::from(t) + 1).to_string())
    }

    /// An instance over threads with these templates and names. Dummy threads, of which the formula
    /// says nothing, are named: `st == 0 (about 2)` is another proposition than `st == 0`.
    ///
    /// # Errors
    /// `Index`.
    pub fn instance_about(
        &self,
        instance: &Instance,
        threads: &[u32],
        named: &dyn Fn(u32) -> String,
    ) -> Result<String, Reason> {
        let formula = basis::formula(&self.predicates, instance, &Budget::default())?;
        let says = |thread: &u32| {
            formula
                .0
                .iter()
                .any(|op| matches!(op, threadproof_format::Op::Local(t, _) if t == thread))
        };
        let dummies = instance.1.iter().filter(|thread| !says(thread));
        let dummies: Vec<String> = dummies.map(|t| named(*t)).collect();
        let text = print::assertion_about(self.program, threads, named, &[], &formula);
        Ok(match dummies.join(", ") {
            none if none.is_empty() => text,
            dummies => format!("{text} (about {dummies})"),
        })
    }

    /// A triple: thread 1 acts, or the single template that is named.
    ///
    /// # Errors
    /// `Index` or `Instance`.
    pub fn triple(&self, triple: &Triple) -> Result<String, Reason> {
        let predicates = &self.predicates;
        let threads = basis::threads(
            self.program,
            predicates,
            triple.template,
            triple.post,
            triple.acting,
            &Budget::default(),
        )?;
        let template = self.template(triple.template)?;
        let edge = usize::try_from(triple.edge).ok().and_then(|e| template.edges.get(e));
        let edge = edge.ok_or(Reason::Index("edge"))?;
        // If a single template acts there is no thread 0: count the others from 1 all the same.
        let shift = u32::from(threads.templates.first() == Some(&None));
        let shown = |i: &Instance| Instance(i.0, i.1.iter().map(|t| t - shift).collect());
        let templates: Vec<u32> = threads.templates.iter().flatten().copied().collect();
        let pre: Result<Vec<String>, Reason> =
            triple.pre.iter().map(|i| self.instance(&shown(i), &templates)).collect();
        let pre = match pre?.join(" && ") {
            text if text.is_empty() => "true".to_owned(),
            text => text,
        };
        let post = self.instance(&shown(&Instance(triple.post, threads.post)), &templates)?;
        let actor = if shift == 1 { template.name.clone() } else { "1".to_owned() };
        let command = command(self.program, template, edge);
        Ok(format!("{{{pre}}} ({command} : {actor}) {{{post}}}"))
    }

    /// A configuration read forwards: what holds of different threads at its locations.
    ///
    /// # Errors
    /// `Index`.
    pub fn clause(&self, threads: &[Slot], negated: &[Instance]) -> Result<String, Reason> {
        let templates: Vec<u32> = threads.iter().map(|slot| slot.0).collect();
        let mut places = Vec::new();
        for (thread, Slot(template, location)) in (1..).zip(threads) {
            let template = self.template(*template)?;
            let who = if template.is_many() {
                format!("{} {thread}", template.name)
            } else {
                template.name.clone()
            };
            let location = location.and_then(|l| usize::try_from(l).ok());
            if let Some(location) = location.and_then(|l| template.locations.get(l)) {
                places.push(format!("{who} at {}", location.name));
            } else if self.program.templates.len() > 1 {
                places.push(who);
            }
        }
        let facts: Result<Vec<String>, Reason> =
            negated.iter().map(|i| self.instance(i, &templates)).collect();
        let (places, facts) = (places.join(" && "), facts?.join(" || "));
        Ok(match (places.is_empty(), facts.is_empty()) {
            (true, _) => facts,
            (false, true) => format!("never {places}"),
            (false, false) => format!("{places} => {facts}"),
        })
    }
}

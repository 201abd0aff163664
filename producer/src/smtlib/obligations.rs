//! The obligations of a certificate, layers first, in the order in which they are checked (SPEC.md sections 8 and
//! 12.3), with headings and with names of variables as `show` prints them.

use super::Stated;
use crate::logic::print;
use crate::report::abstraction::location;
use crate::report::proof_space::{Printer, command};
use threadproof_checker::error::{Budget, Failure, Reason};
use threadproof_checker::internals::abstraction::conformance::{
    ABSTRACT, CANDIDATES, CONCRETE, Pair,
};
use threadproof_checker::internals::proof_space::{self, basis};
use threadproof_checker::internals::refute::Obligation;
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::proof_space::{Impossible, ProofSpace, Triple};
use threadproof_format::refutation::Refutation;
use threadproof_format::{Expr, Op};

/// The obligations of layers above a program and of a proof of the last layer's program; `abstractions` are the
/// layers' programs.
///
/// # Errors
/// If layers or proof are not well formed.
pub fn all(
    program: &Program,
    (layers, abstractions): (&[Layer], &[Program]),
    proof: &ProofSpace,
) -> Result<Vec<Stated>, Failure> {
    let mut list = Vec::new();
    let concrete = [program].into_iter().chain(abstractions);
    for (i, ((concrete, abstraction), layer)) in concrete.zip(abstractions).zip(layers).enumerate()
    {
        for (of, (to, part)) in (0..).zip(layer.to.iter().zip(&layer.parts)) {
            let Part::Abstracted(conformance) = part else { continue };
            let budget = Budget::default();
            let pair = Pair::new((concrete, of), (abstraction, *to), &budget)?;
            let obligations = pair.obligations(conformance, &budget)?;
            for (obligation, refutation) in with(obligations, &conformance.refutations)? {
                let place = format!("layer {i}, template {of}");
                list.push(conforms(concrete, &pair, &place, obligation, refutation));
            }
        }
    }
    list.extend(proved(abstractions.last().unwrap_or(program), proof)?);
    Ok(list)
}

/// Obligations with their refutations.
fn with(
    obligations: Vec<Obligation>,
    refutations: &[Refutation],
) -> Result<Vec<(Obligation, Refutation)>, Reason> {
    if obligations.len() != refutations.len() {
        return Err(Reason::Abstraction("another number of refutations"));
    }
    Ok(obligations.into_iter().zip(refutations.iter().cloned()).collect())
}

/// A file's name for a place in a certificate.
fn file_name(place: &str) -> String {
    place.replace(", ", ".").replace(' ', "_")
}

/// An obligation of a thread's conformance to its abstract thread.
fn conforms(
    program: &Program,
    pair: &Pair,
    place: &str,
    obligation: Obligation,
    refutation: Refutation,
) -> Stated {
    let (thread, abstraction) = (&pair.concrete, &pair.abstraction);
    let place = format!("{place}, {}", obligation.name);
    let edge = obligation.name.strip_prefix("edge ").and_then(|n| n.parse::<usize>().ok());
    let edge = edge.and_then(|e| thread.edges.get(e));
    let mut heading = vec![
        place.clone(),
        format!("{} conforms to {} (SPEC.md 12.3)", thread.name, abstraction.name),
    ];
    if let Some(edge) = edge {
        let (from, to) = (location(thread, edge.source), location(thread, edge.target));
        heading.push(format!("{from} -> {to}: {}", command(program, thread, edge)));
    }
    let inputs = edge.map_or(&[][..], |edge| &edge.inputs);
    let name = |op: &Op| match op {
        Op::Global(i) => pick(pair.shared(), *i),
        Op::Local(CONCRETE, i) => pick(&thread.locals, *i),
        Op::Local(CANDIDATES, x) => format!("candidate({})", location(abstraction, *x)),
        Op::Local(ABSTRACT, j) => {
            format!("{}({})", abstraction.name, pick(&abstraction.locals, *j))
        }
        Op::Local(_, x) => format!("candidate'({})", location(abstraction, *x)),
        other => print::assertion(program, &[], inputs, &Expr(vec![other.clone()])),
    };
    stated(&place, heading, obligation, name, refutation)
}

fn pick(variables: &[Variable], i: u32) -> String {
    let variable = usize::try_from(i).ok().and_then(|i| variables.get(i));
    variable.map_or_else(|| "?".to_owned(), |v| v.name.clone())
}

fn stated(
    place: &str,
    heading: Vec<String>,
    obligation: Obligation,
    name: impl Fn(&Op) -> String,
    refutation: Refutation,
) -> Stated {
    let names = obligation.sorts.keys().map(|op| (op.clone(), name(op))).collect();
    Stated { name: file_name(place), heading, obligation, names, refutation }
}

/// The obligations of a proof space.
fn proved(program: &Program, proof: &ProofSpace) -> Result<Vec<Stated>, Failure> {
    let printer = Printer::new(program, proof)?;
    let budget = Budget::default();
    let obligations = proof_space::obligations(program, &printer.predicates, proof, &budget)?;
    let mut obligations = obligations.into_iter();
    let mut list = Vec::new();
    let all = Proved { program, printer: &printer };
    for (triple, obligation) in proof.basis.iter().zip(&mut obligations) {
        list.push(all.triple(triple, obligation)?);
    }
    for (initial, obligation) in proof.initial.iter().zip(&mut obligations) {
        let threads =
            &printer.predicates.get(initial.predicate, &Budget::default())?.predicate.threads;
        let what = printer.predicate(initial.predicate)?;
        let heading = vec![format!("holds initially, for all threads (SPEC.md 8.5): {what}")];
        list.push(all.about(heading, threads, obligation, &initial.refutation));
    }
    for (impossible, obligation) in proof.impossible.iter().zip(&mut obligations) {
        list.push(all.impossible(impossible, obligation)?);
    }
    Ok(list)
}

/// A proof space whose obligations are stated.
struct Proved<'a> {
    program: &'a Program,
    printer: &'a Printer<'a>,
}

impl Proved<'_> {
    fn triple(&self, triple: &Triple, obligation: Obligation) -> Result<Stated, Reason> {
        let predicates = &self.printer.predicates;
        let (of, post) = (triple.template, triple.post);
        let threads =
            basis::threads(self.program, predicates, of, post, triple.acting, &Budget::default())?
                .templates;
        let template = usize::try_from(of).ok().and_then(|t| self.program.templates.get(t));
        let template = template.ok_or(Reason::Index("template"))?;
        let edge = usize::try_from(triple.edge).ok().and_then(|e| template.edges.get(e));
        let edge = edge.ok_or(Reason::Index("edge"))?;
        let (from, to) = (location(template, edge.source), location(template, edge.target));
        let heading = vec![
            format!(
                "{}, of edge {} of {} ({from} -> {to})",
                obligation.name, triple.edge, template.name
            ),
            format!("is valid (SPEC.md 8.2): {}", self.printer.triple(triple)?),
        ];
        // As in the triple's text: where a single template acts, there is no thread 0.
        let shift = u32::from(threads.first() == Some(&None));
        let named = |position: u32| (u64::from(position) + 1 - u64::from(shift)).to_string();
        let templates: Vec<u32> = threads.iter().map(|t| t.unwrap_or(of)).collect();
        let name = |op: &Op| {
            let expr = Expr(vec![op.clone()]);
            print::assertion_about(self.program, &templates, &named, &edge.inputs, &expr)
        };
        let place = obligation.name.clone();
        Ok(stated(&place, heading, obligation, name, triple.refutation.clone()))
    }

    fn impossible(&self, c: &Impossible, obligation: Obligation) -> Result<Stated, Reason> {
        let threads: Vec<u32> = c.threads.iter().map(|slot| slot.0).collect();
        let what = self.printer.clause(&c.threads, &c.negated)?;
        let heading = vec![format!("holds in every state (SPEC.md 8.8): {what}")];
        Ok(self.about(heading, &threads, obligation, &c.refutation))
    }

    /// An obligation about the threads 1, 2, ... of these templates.
    fn about(
        &self,
        mut heading: Vec<String>,
        threads: &[u32],
        obligation: Obligation,
        refutation: &Refutation,
    ) -> Stated {
        heading.insert(0, obligation.name.clone());
        let name = |op: &Op| print::assertion(self.program, threads, &[], &Expr(vec![op.clone()]));
        let place = obligation.name.clone();
        stated(&place, heading, obligation, name, refutation.clone())
    }
}

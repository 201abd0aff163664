//! The obligations of a certificate, layers first, in the order in which they are checked (SPEC.md sections 8 and
//! 12.3), with headings and with names of variables as `show` prints them.

use super::Stated;
use crate::certify::obligations;
use crate::report::abstraction::location;
use crate::report::{print, proof_space::Printer, proof_space::command};
use threadproof_checker::error::{AbstractionReason, Budget, Failure, Reason};
use threadproof_checker::internals::abstraction::conformance::{
    ABSTRACT, CANDIDATES, CONCRETE, Pair,
};
use threadproof_checker::internals::obligation::{Obligation, ObligationId};
use threadproof_checker::internals::proof_space::{self, basis};
use threadproof_format::program::{Program, Variable};
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::proof_space::{ProofSpace, Triple};
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
            let obligations = obligations::conformance(&pair, conformance, &budget)?;
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
        return Err(AbstractionReason::Refutation.into());
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
    let place = format!("{place}, {}", obligation.id);
    let edge = match obligation.id {
        ObligationId::Edge(number) => thread.edges.get(number),
        _ => None,
    };
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
        Op::Global(i) => pick(&pair.shared, *i),
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
    let mut obligations = Vec::new();
    let predicates = &printer.predicates;
    proof_space::each_obligation(program, predicates, proof, &budget, |obligation, refutation| {
        obligations.push((obligation, refutation.clone()));
        Ok(())
    })?;
    let all = Proved { program, printer: &printer, proof };
    Ok(obligations.into_iter().map(|(o, r)| all.stated(o, r)).collect::<Result<_, Reason>>()?)
}

/// A proof space whose obligations are stated.
struct Proved<'a> {
    program: &'a Program,
    printer: &'a Printer<'a>,
    proof: &'a ProofSpace,
}

impl Proved<'_> {
    fn stated(&self, obligation: Obligation, refutation: Refutation) -> Result<Stated, Reason> {
        let missing = Reason::Index("obligation");
        match obligation.id {
            ObligationId::Triple(i) => {
                let triple = self.proof.basis.get(i).ok_or(missing)?;
                self.triple(triple, obligation, refutation)
            }
            ObligationId::Initial(i) => {
                let predicate = self.proof.initial.get(i).ok_or(missing)?.predicate;
                let known = self.printer.predicates.get(predicate, &Budget::default())?;
                let what = self.printer.predicate(predicate)?;
                let heading = format!("holds initially, for all threads (SPEC.md 8.5): {what}");
                Ok(self.about(heading, &known.predicate.threads, obligation, refutation))
            }
            ObligationId::Configuration(i) => {
                let i = i.checked_sub(self.proof.configurations.len());
                let impossible = i.and_then(|i| self.proof.impossible.get(i)).ok_or(missing)?;
                let threads: Vec<u32> = impossible.threads.iter().map(|slot| slot.0).collect();
                let what = self.printer.clause(&impossible.threads, &impossible.negated)?;
                let heading = format!("holds in every state (SPEC.md 8.8): {what}");
                Ok(self.about(heading, &threads, obligation, refutation))
            }
            ObligationId::Start | ObligationId::Location(_) | ObligationId::Edge(_) => Err(missing),
        }
    }

    fn triple(
        &self,
        triple: &Triple,
        obligation: Obligation,
        refutation: Refutation,
    ) -> Result<Stated, Reason> {
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
                obligation.id, triple.edge, template.name
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
        Ok(stated(&obligation.id.to_string(), heading, obligation, name, refutation))
    }

    /// An obligation about the threads 1, 2, ... of these templates.
    fn about(
        &self,
        heading: String,
        threads: &[u32],
        obligation: Obligation,
        refutation: Refutation,
    ) -> Stated {
        let place = obligation.id.to_string();
        let heading = vec![place.clone(), heading];
        let name = |op: &Op| print::assertion(self.program, threads, &[], &Expr(vec![op.clone()]));
        stated(&place, heading, obligation, name, refutation)
    }
}

//! What an acceptance establishes, in full (SPEC.md section 7).

use std::collections::BTreeSet;
use threadproof_format::Digest;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::counterexample::Counterexample;
use threadproof_format::proof::proof_space::ProofSpace;

/// A statement that the checker established. Only [`crate::check`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether the program is safe; otherwise an error location is reachable.
    pub safe: bool,
    /// Why a claim of safety is true whatever the program does.
    pub vacuous: Option<Vacuous>,
    /// The statement.
    pub statement: String,
    /// Digest of the program.
    pub program: Digest,
    /// Digest of the certificate.
    pub certificate: Digest,
    /// Each template and how many threads run it.
    pub threads: Vec<String>,
    /// The error locations, as `template.location`.
    pub errors: Vec<String>,
    /// The program's assumptions.
    pub assumptions: Vec<String>,
    /// What a reader should know: error locations without a path.
    pub notes: Vec<String>,
    /// The proof and its size.
    pub proof: String,
}

/// Why a claim of safety is true for lack of content; the first that applies (SPEC.md section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuous {
    /// The program has no error location.
    NoErrorLocation,
    /// No path of a template's control flow leads to one.
    NoErrorPath,
    /// No initial state is shown, so there may be none.
    NoInitialState,
}

impl Claim {
    fn new(program: &Program, digests: (Digest, Digest)) -> Self {
        let threads = program.templates.iter().map(|t| {
            let number = if t.is_many() { "any number of threads" } else { "exactly one thread" };
            format!("{}: {number}", t.name)
        });
        let errors = program.templates.iter().flat_map(|t| {
            let errors = t.locations.iter().filter(|l| l.error);
            errors.map(|l| format!("{}.{}", t.name, l.name))
        });
        Claim {
            safe: false,
            vacuous: None,
            statement: String::new(),
            program: digests.0,
            certificate: digests.1,
            threads: threads.collect(),
            errors: errors.collect(),
            assumptions: program.assumptions.clone(),
            notes: program.templates.iter().flat_map(unreachable_errors).collect(),
            proof: String::new(),
        }
    }

    /// The claim of a proof space, about the program or about the last of the layers' abstract programs.
    pub(crate) fn safe(
        program: &Program,
        (layers, abstractions): (&[Layer], &[Program]),
        proof: &ProofSpace,
        digests: (Digest, Digest),
    ) -> Self {
        let mut claim = Claim::new(program, digests);
        claim.safe = true;
        claim.statement =
            "safe: in every execution, no thread is ever at an error location".to_owned();
        let concrete = [program].into_iter().chain(abstractions);
        let each = concrete.zip(abstractions).zip(layers);
        claim.proof =
            each.map(|((before, after), layer)| abstracted(before, after, layer)).collect();
        claim.proof += &format!(
            "proof space: {} predicates, {} triples, {} configurations",
            proof.predicates.len(),
            proof.basis.len(),
            proof.configurations.len()
        );
        let witness = layers.first().map_or(&proof.witness, |layer| &layer.witness);
        claim.vacuous = if claim.errors.is_empty() {
            Some(Vacuous::NoErrorLocation)
        } else if claim.errors.len() == claim.notes.len() {
            Some(Vacuous::NoErrorPath)
        } else if witness.is_none() {
            Some(Vacuous::NoInitialState)
        } else {
            None
        };
        claim
    }

    /// The claim of a counterexample.
    pub(crate) fn reachable(
        program: &Program,
        run: &Counterexample,
        digests: (Digest, Digest),
    ) -> Self {
        let mut claim = Claim::new(program, digests);
        let listed: BTreeSet<u32> = run.start.threads.iter().map(|t| t.template).collect();
        let numbered = (0..).zip(&program.templates);
        let idle = numbered.filter(|(number, t)| !t.is_many() && !listed.contains(number));
        let plural = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            _ => format!("{n} {what}s"),
        };
        claim.statement = format!(
            "unsafe: an execution of {} leads a thread to {} in {}",
            plural(run.start.threads.len() + idle.count(), "thread"),
            end(program, run).unwrap_or_default(),
            plural(run.schedule.len(), "step")
        );
        claim.proof = "counterexample, replayed".to_owned();
        claim
    }
}

/// What a layer shows about the program before it.
fn abstracted(concrete: &Program, abstraction: &Program, layer: &Layer) -> String {
    let names =
        |of: Vec<&Template>| of.iter().map(|t| t.name.as_str()).collect::<Vec<_>>().join(", ");
    let parts = concrete.templates.iter().zip(&layer.parts);
    let conform: Vec<_> = parts.filter(|(_, p)| **p != Part::Kept).map(|(t, _)| t).collect();
    let single = concrete.templates.iter().zip(&layer.to).filter(|(t, _)| !t.is_many());
    let single: BTreeSet<u32> = single.map(|(_, to)| *to).collect();
    let numbered = (0..).zip(&abstraction.templates);
    let joined = numbered.filter(|(to, t)| t.is_many() && single.contains(to));
    let joined: Vec<_> = joined.map(|(_, t)| t).collect();
    let mut said = Vec::new();
    if !conform.is_empty() {
        said.push(format!("abstract threads of {}", names(conform)));
    }
    if !joined.is_empty() {
        said.push(format!("any number of threads {} for single ones", names(joined)));
    }
    format!("{} (program sha256:{}), then ", said.join(", "), layer.program)
}

/// Where a replayed execution ends, as `template.location`.
fn end(program: &Program, run: &Counterexample) -> Option<String> {
    fn at<T>(list: &[T], index: u32) -> Option<&T> {
        list.get(usize::try_from(index).ok()?)
    }
    let last = run.schedule.last()?;
    let template = at(&program.templates, at(&run.start.threads, last.thread)?.template)?;
    let location = at(&template.locations, at(&template.edges, last.edge)?.target)?;
    Some(format!("the error location {}.{}", template.name, location.name))
}

/// A note for each error location that no path of the control-flow graph reaches.
fn unreachable_errors(template: &Template) -> Vec<String> {
    let mut reached = vec![false; template.locations.len()];
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); template.locations.len()];
    for edge in &template.edges {
        let ends = (usize::try_from(edge.source), usize::try_from(edge.target));
        if let (Ok(source), Ok(target)) = ends
            && let Some(list) = outgoing.get_mut(source)
        {
            list.push(target);
        }
    }
    let mut todo = vec![0];
    while let Some(at) = todo.pop() {
        if reached.get_mut(at).is_some_and(|seen| !std::mem::replace(seen, true)) {
            todo.extend(&outgoing[at]);
        }
    }
    let errors = template.locations.iter().zip(reached).filter(|(l, reached)| l.error && !reached);
    errors
        .map(|(l, _)| {
            format!("no path of {} leads to its error location {}", template.name, l.name)
        })
        .collect()
}

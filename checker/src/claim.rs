//! What an acceptance establishes, in full (SPEC.md section 7).

use crate::budget::Held;
use crate::control_flow::locations;
use crate::error::{Budget, Failure, Reason};
use threadproof_format::Digest;
use threadproof_format::program::{Program, Template};
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::counterexample::State;
use threadproof_format::proof::{Certificate, Conclusion};
use threadproof_format::work::{Group as _, List as _, Seq, Set, Size as _, Text as _};

/// Texts of a claim, to be printed.
#[allow(clippy::disallowed_types, reason = "the checker has no more to do with them")]
pub type Lines = Vec<String>;

/// A statement that the checker established. Only [`crate::check`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// What it says of the program.
    pub conclusion: Conclusion,
    /// Why a claim of safety is true whatever the program does.
    pub vacuous: Option<Vacuous>,
    /// The statement.
    pub statement: String,
    /// Digest of the program.
    pub program: Digest,
    /// Digest of the certificate.
    pub certificate: Digest,
    /// Each template and how many threads run it.
    pub threads: Lines,
    /// The error locations, as `template.location`.
    pub errors: Lines,
    /// The program's assumptions.
    pub assumptions: Lines,
    /// What a reader should know: error locations without a path.
    pub notes: Lines,
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
    /// The claim of a proof that was checked, about the program or about the last of the layers'
    /// abstract programs.
    pub(crate) fn of(
        (program, certificate): (&Program, &Certificate),
        abstractions: &Seq<Program>,
        told: Told<'_>,
        digest: Digest,
        budget: &Budget,
    ) -> Result<Self, Failure> {
        let conclusion = certificate.proof.conclusion();
        let [threads, errors, notes] = described(program, budget)?;
        let assumptions = program.assumptions.walk(budget)?;
        let assumptions = assumptions.map(|text| Ok(text.text(budget)?.to_owned()));
        let assumptions = assumptions.collect::<Result<_, Reason>>()?;
        let (mut concrete, layers, mut proof) = (program, &certificate.layers, String::new());
        for (abstraction, layer) in abstractions.walk(budget)?.zip(layers.walk(budget)?) {
            proof += &abstracted(concrete, abstraction, layer, budget)?;
            concrete = abstraction;
        }
        let witness = layers.first().map_or(told.witness, |layer| layer.witness.as_ref());
        Ok(Claim {
            conclusion,
            vacuous: match conclusion {
                Conclusion::ErrorReachable => None,
                Conclusion::Safe | Conclusion::SafeWithin { .. } => match witness {
                    _ if errors.is_empty() => Some(Vacuous::NoErrorLocation),
                    _ if errors.len() == notes.len() => Some(Vacuous::NoErrorPath),
                    None => Some(Vacuous::NoInitialState),
                    Some(_) => None,
                },
            },
            statement: statement(conclusion, &told.execution),
            program: certificate.program,
            certificate: digest,
            threads,
            errors,
            assumptions,
            notes,
            proof: proof + &told.proof,
        })
    }
}

/// The templates with how many threads run each, the error locations, and notes of those without a
/// path.
fn described(program: &Program, budget: &Budget) -> Result<[Lines; 3], Reason> {
    let held = Held::default();
    let said = |parts: &[&str]| -> Result<String, Reason> {
        held.hold(parts.iter().map(|part| part.size()).sum())?;
        Ok(parts.concat())
    };
    let (mut threads, mut errors, mut notes) = (Lines::new(), Lines::new(), Lines::new());
    for template in program.templates.walk(budget)? {
        let number = match template.is_many() {
            true => ": any number of threads",
            false => ": exactly one thread",
        };
        let name = template.name.text(budget)?;
        threads.push(said(&[name, number])?);
        for (location, reached) in locations(template, budget)?.filter(|(l, _)| l.error) {
            let (of, error) = (template.name.text(budget)?, location.name.text(budget)?);
            errors.push(said(&[of, ".", error])?);
            if !reached {
                let words = "leads to its error location";
                notes.push(said(&["no path of ", of, " ", words, " ", error])?);
            }
        }
    }
    Ok([threads, errors, notes])
}

/// What a kind of proof has to tell when it is checked.
pub(crate) struct Told<'a> {
    /// The proof and its size.
    pub proof: String,
    /// An initial state, where it claims safety.
    pub witness: Option<&'a State>,
    /// What happens in the execution, if it is one.
    pub execution: String,
}

/// What is claimed, in words.
fn statement(conclusion: Conclusion, execution: &str) -> String {
    const NEVER: &str = "no thread is ever at an error location";
    match conclusion {
        Conclusion::Safe => format!("safe: in every execution, {NEVER}"),
        Conclusion::SafeWithin { rounds } => {
            let within = "in every execution of at most";
            format!("safe within {rounds} rounds: {within} {rounds} rounds, {NEVER}")
        }
        Conclusion::ErrorReachable => format!("unsafe: {execution}"),
    }
}

/// What a layer shows about the program before it.
fn abstracted(
    concrete: &Program,
    abstraction: &Program,
    layer: &Layer,
    budget: &Budget,
) -> Result<String, Reason> {
    let (mut conform, mut single) = (Seq::new(), Set::new());
    let parts = layer.parts.walk(budget)?.zip(layer.to.walk(budget)?);
    for (template, (part, to)) in concrete.templates.walk(budget)?.zip(parts) {
        if !matches!(part, Part::Kept) {
            conform.add(template, budget)?;
        }
        if !template.is_many() {
            single.include(*to, budget)?;
        }
    }
    let mut joined = Seq::new();
    for (to, template) in (0..).zip(abstraction.templates.walk(budget)?) {
        if template.is_many() && single.has(&to, budget)? {
            joined.add(template, budget)?;
        }
    }
    let mut said = Lines::new();
    if !conform.is_empty() {
        said.push(format!("abstract threads of {}", names(&conform, budget)?));
    }
    if !joined.is_empty() {
        said.push(format!("any number of threads {} for single ones", names(&joined, budget)?));
    }
    Ok(format!("{} (program sha256:{}), then ", said.join(", "), layer.program))
}

fn names(templates: &Seq<&Template>, budget: &Budget) -> Result<String, Reason> {
    let mut names = Lines::new();
    for template in templates.walk(budget)? {
        names.push(template.name.text(budget)?.to_owned());
    }
    Ok(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_conclusion_has_a_statement_that_says_how_far_it_goes() {
        let said = |conclusion| statement(conclusion, "an execution goes wrong");
        let never = "no thread is ever at an error location";
        assert_eq!(said(Conclusion::Safe), format!("safe: in every execution, {never}"));
        let within =
            format!("safe within 2 rounds: in every execution of at most 2 rounds, {never}");
        assert_eq!(said(Conclusion::SafeWithin { rounds: 2 }), within);
        assert_eq!(said(Conclusion::ErrorReachable), "unsafe: an execution goes wrong");
    }
}

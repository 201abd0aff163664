//! Proofs by abstract threads: each layer of abstraction is shown to conform, then the last program
//! is proved, and the certificate is about the first ("Abstract Threads", Section 2, Theorem 1).

use super::portfolio::{self, Plan};
use crate::certify::invariant::initial_state;
use crate::control::Control;
use crate::engine::Unknown;
use crate::engine::conformance::{self, Why};
use crate::report;
use crate::report::Section;
use crate::solve;
use crate::source::Source;
use crate::transform::suggest;
use crate::transform::symmetry::Join;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::{comparable, conformance::Pair, thread};
use threadproof_checker::internals::core_form;
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{self, Conformance, Part};
use threadproof_format::proof::{Conclusion, Proof};

/// A proof about a program or about the last of its layers.
pub(super) struct Found {
    pub proof: Proof,
    pub layers: Vec<abstraction::Layer>,
    /// What a person should know.
    pub aside: Vec<Section>,
}

impl Found {
    fn of(proof: Proof, layers: Vec<abstraction::Layer>) -> Self {
        Found { proof, layers, aside: Vec::new() }
    }
}

/// A proof for any number of threads where symmetric threads can be joined, or one for those that
/// there are; first both briefly.
pub(super) fn find(source: &Source, plan: &Plan, control: &Control) -> Result<Found, Unknown> {
    let programs: Vec<&Program> = source.chain().map(|source| &source.program).collect();
    let run = Run { plan, control };
    let Some(join) = Join::new(&programs) else {
        return Chain::new(source, run)?.find(plan);
    };
    let joined = join.source(source).map_err(failed)?;
    let chain = Chain::new(&joined, run)?;
    let together = |plan: &Plan| separate(chain.find(plan)?, (source, &joined, &join), run);
    run.or_else(together(&plan.within(2)), |_| {
        let apart = Chain::new(source, run)?;
        let first = apart.find(&plan.within(1));
        let second = run.or_else(first, |_| together(plan));
        run.or_else(second, |_| apart.find(plan))
    })
}

/// What all parts of a run have in common.
#[derive(Clone, Copy)]
struct Run<'a> {
    plan: &'a Plan,
    control: &'a Control,
}

impl Run<'_> {
    /// Another try where the first one found nothing, unless the run was stopped: then what the
    /// first one tells stays.
    fn or_else<T>(
        self,
        first: Result<T, Unknown>,
        next: impl FnOnce(Unknown) -> Result<T, Unknown>,
    ) -> Result<T, Unknown> {
        first.or_else(|why| if self.control.should_stop() { Err(why) } else { next(why) })
    }
}

/// What was found of the joined program, about the program itself.
fn separate(
    mut found: Found,
    (source, joined, join): (&Source, &Source, &Join),
    run: Run,
) -> Result<Found, Unknown> {
    match &found.proof {
        Proof::ProofSpace(_) => found.layers.insert(0, layer(source, joined, join.to(), run)?),
        Proof::Counterexample(execution) => {
            let apart = join.apart(&source.program, execution);
            let none = || "the counterexample has more threads than the program".to_owned();
            found.proof = Proof::Counterexample(apart.ok_or_else(none)?);
        }
    }
    Ok(found)
}

/// A program and those that abstract it, each shown to abstract the one before.
struct Chain<'a> {
    source: &'a Source,
    layers: Vec<abstraction::Layer>,
    run: Run<'a>,
}

impl<'a> Chain<'a> {
    fn new(source: &'a Source, run: Run<'a>) -> Result<Self, Unknown> {
        let steps = source.chain().zip(&source.abstractions);
        let layers = steps.map(|(below, above)| layer(below, above, &in_order(below), run));
        Ok(Chain { source, layers: layers.collect::<Result<_, _>>()?, run })
    }

    fn find(&self, plan: &Plan) -> Result<Found, Unknown> {
        let Some(last) = self.source.abstractions.last() else {
            return directly(self.source, plan, self.run);
        };
        let proof = portfolio::find(&last.program, &last.annotations, plan, self.run.control)?;
        let execution = match proof {
            Proof::Counterexample(execution) => execution,
            Proof::ProofSpace(_) => return Ok(Found::of(proof, self.layers.clone())),
        };
        // Abstract threads go wrong more often than what they abstract.
        let found = directly(self.source, plan, self.run);
        let mut found = found.map_err(|_| {
            report::abstraction::unsafe_abstraction(&last.program, &execution, &last.notes)
        })?;
        if found.proof.conclusion() == Conclusion::Safe {
            let lines = report::abstraction::unsafe_run(&last.program, &execution, &last.notes);
            let title = "the abstract program is unsafe; this proof does not use it";
            found.aside.push((title, lines));
        }
        Ok(found)
    }
}

/// A proof without abstract threads of the user's: of the program itself, or of the one whose
/// finite locals are expanded into locations, where their values can be counted. First both
/// briefly.
fn directly(source: &Source, plan: &Plan, run: Run) -> Result<Found, Unknown> {
    let itself = |plan: &Plan| -> Result<Found, Unknown> {
        let proof = portfolio::find(&source.program, &source.annotations, plan, run.control)?;
        Ok(Found::of(proof, Vec::new()))
    };
    let Some(program) = suggest::expanded(&source.program) else { return itself(plan) };
    let expanded = Source::of(program);
    let by_expansion = |plan: &Plan| -> Result<Found, Unknown> {
        match portfolio::find(&expanded.program, &[], plan, run.control)? {
            Proof::Counterexample(_) => Err("the expanded program is unsafe".to_owned().into()),
            proof @ Proof::ProofSpace(_) => {
                let layers = vec![layer(source, &expanded, &in_order(source), run)?];
                Ok(Found::of(proof, layers))
            }
        }
    };
    let brief = plan.within(1);
    let first = itself(&brief);
    let first = run.or_else(first, |why| by_expansion(&brief).map_err(|_| why));
    if plan.budget == brief.budget {
        return first;
    }
    let second = run.or_else(first, |_| itself(plan));
    run.or_else(second, |why| by_expansion(plan).map_err(|_| why))
}

/// Whether a program abstracts another one.
///
/// # Errors
/// Why it does not, or is not known to.
pub fn conforms(
    concrete: &Source,
    abstraction: &Source,
    plan: &Plan,
    control: &Control,
) -> Result<(), Unknown> {
    layer(concrete, abstraction, &in_order(concrete), Run { plan, control }).map(|_| ())
}

/// Each template's own number: where the templates of two programs correspond in order.
fn in_order(source: &Source) -> Vec<u32> {
    (0..).take(source.program.templates.len()).collect()
}

fn failed(reason: Reason) -> Unknown {
    reason.to_string().into()
}

/// One layer, complete; `to` has the abstract program's template for each of the concrete one.
fn layer(
    concrete: &Source,
    above: &Source,
    to: &[u32],
    run: Run,
) -> Result<abstraction::Layer, Unknown> {
    let Source { program, core, .. } = above;
    let budget = &Budget::default();
    let mut parts = Vec::new();
    let mut known: Vec<(Pair, Conformance)> = Vec::new();
    for (of, to) in (0..).zip(to) {
        let pair = Pair::new((&concrete.program, of), (program, *to), budget).map_err(failed)?;
        if pair.same(budget).map_err(failed)? {
            parts.push(Part::Kept);
        } else if let Some((_, proof)) = known.iter().find(|(other, _)| alike(other, &pair)) {
            parts.push(Part::Abstracted(proof.clone()));
        } else {
            let hints = above.loop_invariants.iter().filter(|i| i.template == of);
            let hints: Vec<_> = hints.map(|i| (i.location, i.formula.clone())).collect();
            let proof = conformance((concrete, of), &pair, &hints, run)?;
            parts.push(Part::Abstracted(proof.clone()));
            known.push((pair, proof));
        }
    }
    let statement = core_form::statement(core).map_err(failed)?;
    let layer = abstraction::Layer {
        to: to.to_vec(),
        parts,
        program: Digest::of([statement.as_bytes()]),
        witness: initial_state(&concrete.program),
        statement,
    };
    comparable(&concrete.program, program, &layer, budget).map_err(failed)?;
    Ok(layer)
}

/// Whether the threads of two pairs are the same.
fn alike(one: &Pair, other: &Pair) -> bool {
    let same = |one, other| thread::same(one, other, &Budget::default()) == Ok(true);
    same(&one.concrete, &other.concrete) && same(&one.abstraction, &other.abstraction)
}

/// The proof that a template's thread conforms to its abstract thread.
fn conformance(
    (concrete, of): (&Source, u32),
    pair: &Pair,
    hints: &[conformance::Hint],
    Run { plan, control }: Run,
) -> Result<Conformance, Unknown> {
    control.begin(format!("checking the conformance of {}", pair.concrete.name));
    if solve::interruptible(control, || conformance::vacuous(pair)).unwrap_or(false) {
        return Err(report::abstraction::vacuous(pair));
    }
    conformance::prove(pair, hints, plan.conformance_work, control).map_err(|why| match why {
        Why::Fails(found) => report::abstraction::failing(concrete, pair, of, &found),
        other => format!("{}: {other}", pair.concrete.name).into(),
    })
}

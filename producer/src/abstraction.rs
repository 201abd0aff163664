//! Proofs by abstract threads: each layer of abstraction is shown to conform, then the last program is proved,
//! and the certificate is about the first ("Abstract Threads", Section 2, Theorem 1).

use crate::certify::invariant::initial_state;
use crate::engine::conformance::{self, Why};
use crate::engine::control::Control;
use crate::frontend::{Clause, LoopInvariant};
use crate::portfolio::{self, Plan};
use crate::prove::{Unknown, Verdict, certified};
use crate::{report, solve};
use threadproof_checker::abstraction::{comparable, conformance::Pair};
use threadproof_checker::core_form;
use threadproof_checker::error::{Budget, Reason};
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::abstraction::{Conformance, Layer, Part};

/// A program with its core form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The program.
    pub program: Program,
    /// Its core form.
    pub core: String,
    /// The source line of each edge, by template and edge, where it is known.
    pub notes: Vec<Vec<String>>,
    /// What its text says to help the search.
    pub clauses: Vec<Clause>,
    /// What is said of loops of the program that it abstracts, to help show that this one conforms.
    pub invariants: Vec<LoopInvariant>,
}

/// Proves a program safe by programs of which each abstracts the one before, or finds a
/// counterexample of the program itself.
pub fn prove(
    concrete: &Stated,
    abstractions: &[Stated],
    plan: &Plan,
    control: &Control,
) -> Verdict {
    match find(concrete, abstractions, plan, control) {
        Ok((proof, layers)) => certified(&concrete.core, proof, layers),
        Err(unknown) => Verdict::Unknown(unknown),
    }
}

fn find(
    concrete: &Stated,
    abstractions: &[Stated],
    plan: &Plan,
    control: &Control,
) -> Result<(Proof, Vec<Layer>), Unknown> {
    let mut layers = Vec::new();
    let mut last = concrete;
    for abstraction in abstractions {
        layers.push(layer(last, abstraction, control)?);
        last = abstraction;
    }
    let about = |of: &Stated| Plan { clauses: of.clauses.clone(), ..plan.clone() };
    match portfolio::find(&last.program, &about(last), control)? {
        Proof::Counterexample(run) if !layers.is_empty() => {
            // Abstract threads go wrong more often than what they abstract.
            let own = portfolio::find(&concrete.program, &about(concrete), control).ok();
            own.map(|proof| (proof, Vec::new()))
                .ok_or_else(|| report::abstraction::unsafe_abstraction(last, &run))
        }
        proof => Ok((proof, layers)),
    }
}

/// Whether a program abstracts another one.
///
/// # Errors
/// Why it does not, or is not known to.
pub fn conforms(concrete: &Stated, abstraction: &Stated, control: &Control) -> Result<(), Unknown> {
    layer(concrete, abstraction, control).map(|_| ())
}

/// One layer, complete.
fn layer(concrete: &Stated, abstraction: &Stated, control: &Control) -> Result<Layer, Unknown> {
    let budget = &mut Budget::default();
    let failed = |e: Reason| Unknown::from(e.to_string());
    let mut parts = Vec::new();
    for of in (0..).take(concrete.program.templates.len()) {
        let pair = Pair::new(&concrete.program, &abstraction.program, of, budget);
        let pair = pair.map_err(failed)?;
        if pair.same() {
            parts.push(Part::Kept);
            continue;
        }
        if solve::interruptible(control, || conformance::vacuous(&pair)).unwrap_or(false) {
            return Err(report::abstraction::vacuous(&pair));
        }
        let proof = conformance::prove(&pair, control);
        let proof: Conformance = proof.map_err(|why| match why {
            Why::Fails(found) => report::abstraction::failing(concrete, &pair, of, &found),
            other => format!("{}: {other}", pair.concrete.name).into(),
        })?;
        parts.push(Part::Abstracted(proof));
    }
    comparable(&concrete.program, &abstraction.program, &parts, budget).map_err(failed)?;
    let statement = core_form::statement(&abstraction.core).map_err(failed)?;
    Ok(Layer {
        parts,
        program: Digest::of([statement.as_bytes()]),
        witness: initial_state(&concrete.program),
        statement,
    })
}

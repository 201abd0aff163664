//! Proofs by abstract threads: each layer of abstraction is shown to conform, then the last program is proved,
//! and the certificate is about the first ("Abstract Threads", Section 2, Theorem 1).

use crate::certify::invariant::initial_state;
use crate::engine::conformance::{self, Why};
use crate::engine::control::Control;
use crate::frontend::{Clause, Layer, LoopInvariant};
use crate::portfolio::{self, Plan};
use crate::prove::{Unknown, Verdict, certified};
use crate::report::Section;
use crate::{report, solve, suggest};
use threadproof_checker::abstraction::{comparable, conformance::Pair};
use threadproof_checker::core_form;
use threadproof_checker::error::{Budget, Reason};
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::Proof;
use threadproof_format::proof::abstraction::{self, Conformance, Part};

/// A program with its core form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The program.
    pub program: Program,
    /// Its core form.
    pub core: String,
    /// The source line of each edge, by template and edge, where it is known.
    pub notes: Vec<Vec<String>>,
}

impl Stated {
    /// A program that comes from no source.
    pub fn of(program: Program) -> Self {
        let core = report::print::program(&program, &|_, _| String::new());
        Stated { program, core, notes: Vec::new() }
    }
}

/// A program that abstracts another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Abstraction {
    /// The program.
    pub stated: Stated,
    /// What is said to help to prove it.
    pub clauses: Vec<Clause>,
    /// What is said of loops to help to prove conformance.
    pub invariants: Vec<LoopInvariant>,
}

impl From<Stated> for Abstraction {
    fn from(stated: Stated) -> Self {
        Abstraction { stated, clauses: Vec::new(), invariants: Vec::new() }
    }
}

impl From<Layer> for Abstraction {
    fn from(layer: Layer) -> Self {
        let core = layer.core_form();
        let Layer { program, notes, clauses, invariants, .. } = layer;
        Abstraction { stated: Stated { program, core, notes }, clauses, invariants }
    }
}

/// Proves a program safe by programs of which each abstracts the one before, or finds a
/// counterexample of the program itself. Also what a person should know beside the verdict.
pub fn prove(
    concrete: &Stated,
    abstractions: &[Abstraction],
    plan: &Plan,
    control: &Control,
) -> (Verdict, Vec<Section>) {
    match find(concrete, abstractions, plan, control) {
        Ok(found) => (certified(&concrete.core, found.proof, found.layers), found.aside),
        Err(unknown) => (Verdict::Unknown(unknown), Vec::new()),
    }
}

/// A proof about a program or about the last of its layers.
struct Found {
    proof: Proof,
    layers: Vec<abstraction::Layer>,
    /// What a person should know.
    aside: Vec<Section>,
}

fn find(
    concrete: &Stated,
    abstractions: &[Abstraction],
    plan: &Plan,
    control: &Control,
) -> Result<Found, Unknown> {
    let mut layers = Vec::new();
    let (mut last, mut own) = (concrete, plan.clone());
    for abstraction in abstractions {
        layers.push(layer(last, abstraction, control)?);
        last = &abstraction.stated;
        own.clauses.clone_from(&abstraction.clauses);
    }
    if layers.is_empty() {
        return directly(concrete, plan, control);
    }
    let run = match portfolio::find(&last.program, &own, control)? {
        Proof::Counterexample(run) => run,
        proof => return Ok(Found { proof, layers, aside: Vec::new() }),
    };
    // Abstract threads go wrong more often than what they abstract.
    let found = directly(concrete, plan, control);
    let mut found = found
        .map_err(|_| report::abstraction::unsafe_abstraction(&last.program, &run, &last.notes))?;
    if matches!(found.proof, Proof::ProofSpace(_)) {
        let lines = report::abstraction::unsafe_run(&last.program, &run, &last.notes);
        let title = "the abstract program is unsafe, and this proof does without it";
        found.aside.push((title, lines));
    }
    Ok(found)
}

/// A proof without abstract threads of the user's: of the program itself, or of the one whose finite locals are
/// expanded into locations, where their values can be counted. First both briefly.
fn directly(concrete: &Stated, plan: &Plan, control: &Control) -> Result<Found, Unknown> {
    let itself = |plan: &Plan| -> Result<Found, Unknown> {
        let proof = portfolio::find(&concrete.program, plan, control)?;
        Ok(Found { proof, layers: Vec::new(), aside: Vec::new() })
    };
    let Some(program) = suggest::expanded(&concrete.program) else { return itself(plan) };
    let expanded = Abstraction::from(Stated::of(program));
    let by_expansion = |plan: &Plan| -> Result<Found, Unknown> {
        let plan = Plan { clauses: Vec::new(), ..plan.clone() };
        match portfolio::find(&expanded.stated.program, &plan, control)? {
            Proof::Counterexample(_) => Err("the expanded program is unsafe".to_owned().into()),
            proof => {
                let layers = vec![layer(concrete, &expanded, control)?];
                Ok(Found { proof, layers, aside: Vec::new() })
            }
        }
    };
    let brief = Plan { brief: true, ..plan.clone() };
    let first = itself(&brief).or_else(|_| by_expansion(&brief));
    first.or_else(|_| itself(plan)).or_else(|why| by_expansion(plan).map_err(|_| why))
}

/// Whether a program abstracts another one.
///
/// # Errors
/// Why it does not, or is not known to.
pub fn conforms(
    concrete: &Stated,
    abstraction: &Abstraction,
    control: &Control,
) -> Result<(), Unknown> {
    layer(concrete, abstraction, control).map(|_| ())
}

/// One layer, complete.
fn layer(
    concrete: &Stated,
    abstraction: &Abstraction,
    control: &Control,
) -> Result<abstraction::Layer, Unknown> {
    let Stated { program, core, .. } = &abstraction.stated;
    let budget = &mut Budget::default();
    let failed = |e: Reason| Unknown::from(e.to_string());
    let mut parts = Vec::new();
    for of in (0..).take(concrete.program.templates.len()) {
        let pair = Pair::new(&concrete.program, program, of, budget);
        let pair = pair.map_err(failed)?;
        if pair.same() {
            parts.push(Part::Kept);
            continue;
        }
        if solve::interruptible(control, || conformance::vacuous(&pair)).unwrap_or(false) {
            return Err(report::abstraction::vacuous(&pair));
        }
        let hints = abstraction.invariants.iter().filter(|i| i.template == of);
        let hints: Vec<_> = hints.map(|i| (i.location, i.formula.clone())).collect();
        let proof = conformance::prove(&pair, &hints, control);
        let proof: Conformance = proof.map_err(|why| match why {
            Why::Fails(found) => report::abstraction::failing(concrete, &pair, of, &found),
            other => format!("{}: {other}", pair.concrete.name).into(),
        })?;
        parts.push(Part::Abstracted(proof));
    }
    comparable(&concrete.program, program, &parts, budget).map_err(failed)?;
    let statement = core_form::statement(core).map_err(failed)?;
    Ok(abstraction::Layer {
        parts,
        program: Digest::of([statement.as_bytes()]),
        witness: initial_state(&concrete.program),
        statement,
    })
}

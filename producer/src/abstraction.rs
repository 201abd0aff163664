//! Proofs by abstract threads: each layer of abstraction is shown to conform, then the last program is proved,
//! and the certificate is about the first ("Abstract Threads", Section 2, Theorem 1).

use crate::certify::invariant::initial_state;
use crate::engine::conformance::{self, Why};
use crate::engine::control::Control;
use crate::frontend::{Clause, Layer, LoopInvariant, core_form as print};
use crate::join::Join;
use crate::portfolio::{self, Plan};
use crate::prove::{Unknown, Verdict, certified};
use crate::report::Section;
use crate::{report, solve, suggest};
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::{comparable, conformance::Pair, thread};
use threadproof_checker::internals::core_form;
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{self, Conformance, Part};
use threadproof_format::proof::{Conclusion, Proof};

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
    /// A program with the source line of each edge, by template and edge, as far as it is known.
    pub fn new(program: Program, notes: Vec<Vec<String>>) -> Self {
        let core = print(&program, &notes);
        Stated { program, core, notes }
    }

    /// A program that comes from no source.
    pub fn of(program: Program) -> Self {
        Stated::new(program, Vec::new())
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

/// A proof for any number of threads where equal single threads can be joined, or one for those that there are; first both
/// briefly.
fn find(
    concrete: &Stated,
    abstractions: &[Abstraction],
    plan: &Plan,
    control: &Control,
) -> Result<Found, Unknown> {
    let programs = abstractions.iter().map(|a| &a.stated.program);
    let programs: Vec<&Program> = [&concrete.program].into_iter().chain(programs).collect();
    let Some(join) = Join::new(&programs) else {
        return Chain::new(concrete, abstractions, control)?.find(plan, control);
    };
    let joined = Abstraction {
        clauses: join.clauses(&concrete.program, &plan.clauses),
        ..join.stated(concrete).map_err(failed)?.into()
    };
    let above = abstractions.iter().map(|a| join.abstraction(a)).collect::<Result<Vec<_>, _>>();
    let above = above.map_err(failed)?;
    let chain = Chain::new(&joined.stated, &above, control)?;
    let together = |plan: &Plan| {
        let own = Plan { clauses: joined.clauses.clone(), ..plan.clone() };
        separate(chain.find(&own, control)?, (concrete, &joined, &join), control)
    };
    let within = |turns: usize| Plan { turns: turns.min(plan.turns), ..plan.clone() };
    together(&within(2)).or_else(|_| {
        let apart = Chain::new(concrete, abstractions, control)?;
        let first = apart.find(&within(1), control).or_else(|_| together(plan));
        first.or_else(|_| apart.find(plan, control))
    })
}

/// What was found of the joined program, about the program itself.
fn separate(
    mut found: Found,
    (concrete, joined, join): (&Stated, &Abstraction, &Join),
    control: &Control,
) -> Result<Found, Unknown> {
    match &found.proof {
        Proof::ProofSpace(_) => {
            found.layers.insert(0, layer(concrete, joined, join.to(), control)?);
        }
        Proof::Counterexample(run) => {
            let run = join.apart(&concrete.program, run);
            let none = || "it goes wrong with more threads than it has".to_owned();
            found.proof = Proof::Counterexample(run.ok_or_else(none)?);
        }
    }
    Ok(found)
}

/// A program and those that abstract it, each shown to abstract the one before.
struct Chain<'a> {
    concrete: &'a Stated,
    abstractions: &'a [Abstraction],
    layers: Vec<abstraction::Layer>,
}

impl<'a> Chain<'a> {
    fn new(
        concrete: &'a Stated,
        abstractions: &'a [Abstraction],
        control: &Control,
    ) -> Result<Self, Unknown> {
        let (mut layers, mut last) = (Vec::new(), concrete);
        for abstraction in abstractions {
            layers.push(layer(last, abstraction, &in_order(last), control)?);
            last = &abstraction.stated;
        }
        Ok(Chain { concrete, abstractions, layers })
    }

    fn find(&self, plan: &Plan, control: &Control) -> Result<Found, Unknown> {
        let Some(Abstraction { stated: last, clauses, .. }) = self.abstractions.last() else {
            return directly(self.concrete, plan, control);
        };
        let own = Plan { clauses: clauses.clone(), ..plan.clone() };
        let run = match portfolio::find(&last.program, &own, control)? {
            Proof::Counterexample(run) => run,
            proof @ Proof::ProofSpace(_) => {
                return Ok(Found { proof, layers: self.layers.clone(), aside: Vec::new() });
            }
        };
        // Abstract threads go wrong more often than what they abstract.
        let found = directly(self.concrete, plan, control);
        let mut found = found.map_err(|_| {
            report::abstraction::unsafe_abstraction(&last.program, &run, &last.notes)
        })?;
        if found.proof.conclusion() == Conclusion::Safe {
            let lines = report::abstraction::unsafe_run(&last.program, &run, &last.notes);
            let title = "the abstract program is unsafe, and this proof does without it";
            found.aside.push((title, lines));
        }
        Ok(found)
    }
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
            proof @ Proof::ProofSpace(_) => {
                let layers = vec![layer(concrete, &expanded, &in_order(concrete), control)?];
                Ok(Found { proof, layers, aside: Vec::new() })
            }
        }
    };
    let brief = Plan { turns: 1, ..plan.clone() };
    let first = itself(&brief).or_else(|why| by_expansion(&brief).map_err(|_| why));
    if plan.turns == 1 {
        return first;
    }
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
    layer(concrete, abstraction, &in_order(concrete), control).map(|_| ())
}

/// Each template's own number: where the templates of two programs correspond in order.
fn in_order(program: &Stated) -> Vec<u32> {
    (0..).take(program.program.templates.len()).collect()
}

fn failed(reason: Reason) -> Unknown {
    reason.to_string().into()
}

/// One layer, complete; `to` has the abstract program's template for each of the concrete one.
fn layer(
    concrete: &Stated,
    abstraction: &Abstraction,
    to: &[u32],
    control: &Control,
) -> Result<abstraction::Layer, Unknown> {
    let Stated { program, core, .. } = &abstraction.stated;
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
            let hints = abstraction.invariants.iter().filter(|i| i.template == of);
            let hints: Vec<_> = hints.map(|i| (i.location, i.formula.clone())).collect();
            let proof = conformance(concrete, of, &pair, &hints, control)?;
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
    concrete: &Stated,
    of: u32,
    pair: &Pair,
    hints: &[conformance::Hint],
    control: &Control,
) -> Result<Conformance, Unknown> {
    if solve::interruptible(control, || conformance::vacuous(pair)).unwrap_or(false) {
        return Err(report::abstraction::vacuous(pair));
    }
    conformance::prove(pair, hints, control).map_err(|why| match why {
        Why::Fails(found) => report::abstraction::failing(concrete, pair, of, &found),
        other => format!("{}: {other}", pair.concrete.name).into(),
    })
}

//! Why a proof by abstract threads failed, for a person.

use super::Section;
use super::proof_space::command;
use super::run::{literal, note};
use crate::engine::Unknown;
use crate::engine::conformance::{Failing, Kind, State};
use crate::logic::print;
use crate::source::Source;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::abstraction::conformance::{
    ABSTRACT, CANDIDATES, CONCRETE, Pair, locations,
};
use threadproof_format::program::{Program, Template, Variable};
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::proof::counterexample::{Counterexample, Value};
use threadproof_format::{Expr, Op};

/// The layers of a certificate, `abstractions` their programs: of each abstracted thread the
/// invariants of its locations.
///
/// # Errors
/// If the layers do not fit the programs.
pub fn sections(
    program: &Program,
    abstractions: &[Program],
    layers: &[Layer],
) -> Result<Vec<Section>, Reason> {
    let mut lines = Vec::new();
    let concrete = [program].into_iter().chain(abstractions);
    for ((concrete, abstraction), layer) in concrete.zip(abstractions).zip(layers) {
        lines.push(format!("program sha256:{}", layer.program));
        for (of, (to, part)) in (0..).zip(layer.to.iter().zip(&layer.parts)) {
            let Part::Abstracted(proof) = part else { continue };
            let pair = Pair::new((concrete, of), (abstraction, *to), &Budget::default())?;
            let nodes = locations(&pair.concrete, &Budget::default())?;
            for (l, invariant) in nodes.into_iter().zip(&proof.invariants) {
                let place = location(&pair.concrete, l);
                lines.push(format!(
                    "{} at {place}: {}",
                    pair.concrete.name,
                    formula(&pair, invariant)
                ));
            }
        }
    }
    Ok(vec![("abstract threads, and the invariants of conformance", lines)])
}

/// An invariant of conformance; `candidate(X)` says that the abstract thread may be at X.
fn formula(pair: &Pair, invariant: &Expr) -> String {
    let name = |variables: &[Variable], i: u32| {
        let variable = usize::try_from(i).ok().and_then(|i| variables.get(i));
        variable.map_or_else(|| "?".to_owned(), |v| v.name.clone())
    };
    print::expr(invariant, &|op| match op {
        Op::Local(CONCRETE, i) => name(&pair.concrete.locals, *i),
        Op::Local(CANDIDATES, x) => format!("candidate({})", location(&pair.abstraction, *x)),
        Op::Local(ABSTRACT, j) => name(&pair.abstraction.locals, *j),
        _ => "?".to_owned(),
    })
}

/// A thread that its abstract thread cannot follow: where, and the execution that shows it.
pub fn failing(concrete: &Source, pair: &Pair, of: u32, found: &Failing) -> Unknown {
    let name = &pair.concrete.name;
    let reason = match (found.kind, found.steps.last()) {
        (Kind::Unmatched, Some(step)) => format!(
            "{name} does not conform: no step of its abstract thread matches {}",
            edge_text(concrete, pair, of, step.edge)
        ),
        (Kind::Unmatched, None) => {
            format!("{name} does not conform: its abstract thread has no node")
        }
        (Kind::Wrong(edge), _) => format!(
            "{name} does not conform: it can reach an error where its abstract thread cannot: {}",
            edge_text(concrete, pair, of, edge)
        ),
        (Kind::Start, _) => {
            format!(
                "{name} does not conform: its abstract thread cannot start in some initial state"
            )
        }
    };
    let mut lines = Vec::new();
    for (i, step) in found.steps.iter().enumerate() {
        lines.push(state_text(pair, &step.before, true));
        lines.push(format!("{:>3}  {}", i + 1, edge_text(concrete, pair, of, step.edge)));
        let after = values(&pair.shared, &step.after);
        lines.push(format!("     globals after the step: {after}"));
    }
    lines.push(state_text(pair, &found.end, found.kind != Kind::Unmatched));
    Unknown { reason, details: vec![("execution that the abstract thread cannot follow", lines)] }
}

/// An abstract thread that goes wrong before any step.
pub fn vacuous(pair: &Pair) -> Unknown {
    let node = pair.abstraction.locations.first().map_or("?", |l| &l.name);
    let reason = format!(
        "the abstract thread of {} is trivial: it can reach an error from its first node, {node}, in every initial state",
        pair.concrete.name
    );
    reason.into()
}

/// An abstract program that is unsafe where the program itself was neither proved nor refuted.
pub fn unsafe_abstraction(
    program: &Program,
    run: &Counterexample,
    notes: &[Vec<String>],
) -> Unknown {
    let reason = "the abstract program is unsafe; the program itself is neither proved nor refuted";
    let lines = unsafe_run(program, run, notes);
    Unknown {
        reason: reason.to_owned(),
        details: vec![("the abstract program's execution", lines)],
    }
}

/// The lines of an abstract program's execution.
pub fn unsafe_run(program: &Program, run: &Counterexample, notes: &[Vec<String>]) -> Vec<String> {
    let sections = super::run::sections(program, run, notes).unwrap_or_default();
    let lines = sections.into_iter().flat_map(|(title, lines)| {
        let lines = lines.into_iter().map(|line| format!("  {line}"));
        [format!("{title}:")].into_iter().chain(lines)
    });
    lines.collect()
}

fn edge_text(concrete: &Source, pair: &Pair, of: u32, edge: usize) -> String {
    let thread = &pair.concrete;
    let Some(taken) = thread.edges.get(edge) else { return String::new() };
    let (from, to) = (location(thread, taken.source), location(thread, taken.target));
    let number = u32::try_from(edge).unwrap_or(u32::MAX);
    let source = note(of, number, &concrete.notes);
    format!("{from} -> {to}: {}{source}", command(&concrete.program, thread, taken))
}

/// A state in a line; the globals only where they matter.
fn state_text(pair: &Pair, state: &State, globals: bool) -> String {
    let names = state.candidates.iter().map(|x| location(&pair.abstraction, *x));
    let candidates = names.collect::<Vec<_>>().join(", ");
    let mut text = format!("     at {}", location(&pair.concrete, state.location));
    if !state.locals.is_empty() {
        text += &format!(", locals: {}", values(&pair.concrete.locals, &state.locals));
    }
    if globals {
        text += &format!(", globals: {}", values(&pair.shared, &state.globals));
    }
    text + &format!(", the abstract thread may be at: {{{candidates}}}")
}

fn values(variables: &[Variable], values: &[Value]) -> String {
    let pairs = variables.iter().zip(values);
    pairs
        .map(|(v, value)| format!("{} = {}", v.name, literal(value)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// The name of a location.
pub fn location(thread: &Template, number: u32) -> &str {
    let at = usize::try_from(number).ok().and_then(|l| thread.locations.get(l));
    at.map_or("?", |l| &l.name)
}

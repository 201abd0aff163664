//! Layers of abstraction: a program is safe if one is that abstracts each of its threads (SPEC.md
//! section 12; Lahiri, Malkis, Qadeer, "Abstract Threads", Theorems 1 and 2).

pub mod conformance;
pub mod thread;

use crate::core_form;
use crate::error::{At, Budget, Failure, Reason, number};
use conformance::Pair;
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{Layer, Part};

/// Checks all layers above a program; gives the last abstract program, if there is one.
///
/// # Errors
/// Why one does not abstract the one before, and where.
pub fn check(
    program: &Program,
    layers: &[Layer],
    budget: &mut Budget,
) -> Result<Option<Program>, Failure> {
    let mut last: Option<Program> = None;
    for (i, layer) in layers.iter().enumerate() {
        let checked = check_layer(last.as_ref().unwrap_or(program), layer, budget);
        last = Some(checked.map_err(|failure| failure.inside(&format!("layer {i}")))?);
    }
    Ok(last)
}

/// Checks one layer, and gives its abstract program.
fn check_layer(concrete: &Program, layer: &Layer, budget: &mut Budget) -> Result<Program, Failure> {
    let (program, digest) = core_form::parse(&layer.statement).at(|| "program".to_owned())?;
    if layer.program != digest || Digest::of([layer.statement.as_bytes()]) != digest {
        return Err(Reason::ProgramDigest.into());
    }
    comparable(concrete, &program, &layer.parts, budget)?;
    if layer.parts.iter().all(|part| *part == Part::Kept) {
        return Err(Reason::Unused("layer").into());
    }
    for (of, part) in layer.parts.iter().enumerate() {
        let place = || format!("template {of}");
        let pair = Pair::new(concrete, &program, number(of)?, budget).at(place)?;
        match part {
            Part::Kept if pair.same() => {}
            Part::Kept => return Err(Reason::Abstraction("a kept template differs")).at(place),
            Part::Abstracted(proof) => {
                pair.check(proof, budget).map_err(|failure| failure.inside(&place()))?;
            }
        }
    }
    if let Some(state) = &layer.witness {
        crate::replay::witness(concrete, state).at(|| "witness".to_owned())?;
    }
    Ok(program)
}

/// Two programs that can be compared thread by thread (section 12.1).
///
/// # Errors
/// `Abstraction` or `Limit`.
pub fn comparable(
    concrete: &Program,
    program: &Program,
    parts: &[Part],
    budget: &mut Budget,
) -> Result<(), Reason> {
    if thread::shared(concrete) != thread::shared(program) {
        return Err(Reason::Abstraction("the globals differ"));
    }
    if concrete.init != program.init {
        return Err(Reason::Abstraction("the initial conditions differ"));
    }
    let kinds = |p: &Program| p.templates.iter().map(|t| t.multiplicity).collect::<Vec<_>>();
    if kinds(concrete) != kinds(program) || parts.len() != program.templates.len() {
        return Err(Reason::Abstraction("the templates differ"));
    }
    let mut counted = thread::counted(concrete, budget)?;
    counted.extend(thread::counted(program, budget)?);
    for (of, part) in parts.iter().enumerate() {
        if *part != Part::Kept && counted.contains(&number(of)?) {
            return Err(Reason::Abstraction("threads of an abstracted template are counted"));
        }
    }
    Ok(())
}

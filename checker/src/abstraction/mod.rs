//! Layers of abstraction: a program is safe if one is that abstracts each of its threads (SPEC.md
//! section 12; Lahiri, Malkis, Qadeer, "Abstract Threads", Theorems 1 and 2).

pub mod conformance;
pub mod thread;

use crate::core_form;
use crate::error::{At, Budget, Failure, Reason, get};
use crate::scope::template;
use conformance::Pair;
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{Layer, Part};

/// Checks all layers above a program; gives their abstract programs.
///
/// # Errors
/// Why one does not abstract the one before, and where.
pub fn check(
    program: &Program,
    layers: &[Layer],
    budget: &mut Budget,
) -> Result<Vec<Program>, Failure> {
    let mut programs: Vec<Program> = Vec::new();
    for (i, layer) in layers.iter().enumerate() {
        let checked = check_layer(programs.last().unwrap_or(program), layer, budget);
        programs.push(checked.map_err(|failure| failure.inside(&format!("layer {i}")))?);
    }
    Ok(programs)
}

/// Checks one layer, and gives its abstract program.
fn check_layer(concrete: &Program, layer: &Layer, budget: &mut Budget) -> Result<Program, Failure> {
    let (program, digest) = core_form::parse(&layer.statement).at(|| "program".to_owned())?;
    if layer.program != digest || Digest::of([layer.statement.as_bytes()]) != digest {
        return Err(Reason::ProgramDigest.into());
    }
    comparable(concrete, &program, layer, budget)?;
    for (of, (to, part)) in (0..).zip(layer.to.iter().zip(&layer.parts)) {
        let place = || format!("template {of}");
        let pair = Pair::new((concrete, of), (&program, *to), budget).at(place)?;
        match part {
            Part::Kept if pair.same() => {}
            Part::Kept => return Err(Reason::Abstraction("a kept template differs")).at(place),
            Part::Abstracted(proof) => {
                pair.check(proof, budget).map_err(|failure| failure.inside(&place()))?;
            }
        }
    }
    if let Some(state) = &layer.witness {
        crate::replay::witness(concrete, state, budget).at(|| "witness".to_owned())?;
    }
    Ok(program)
}

/// Two programs that can be compared thread by thread (section 12.1). The layer's conformance proofs are
/// not looked at.
///
/// # Errors
/// `Abstraction`, `Index`, `Limit`, or `Unused` if the layer changes nothing.
pub fn comparable(
    concrete: &Program,
    program: &Program,
    layer: &Layer,
    budget: &mut Budget,
) -> Result<(), Reason> {
    if thread::shared(concrete) != thread::shared(program) {
        return Err(Reason::Abstraction("the globals differ"));
    }
    if concrete.init != program.init {
        return Err(Reason::Abstraction("the initial conditions differ"));
    }
    let count = concrete.templates.len();
    if layer.to.len() != count || layer.parts.len() != count {
        return Err(Reason::Abstraction("the number of templates differs"));
    }
    budget.spend(count + program.templates.len())?;
    multiplicities(concrete, program, &layer.to)?;
    let mut counted = thread::counted(concrete, budget)?;
    counted.extend(thread::counted(program, budget)?);
    let mut changed = false;
    for (of, part) in (0..).zip(&layer.parts) {
        let to = *get(&layer.to, of, "template")?;
        let alike = template(concrete, of)?.multiplicity == template(program, to)?.multiplicity;
        let stays = *part == Part::Kept && to == of && alike;
        if !stays && (counted.contains(&of) || counted.contains(&to)) {
            return Err(Reason::Abstraction("threads of an abstracted template are counted"));
        }
        changed |= !stays;
    }
    if changed { Ok(()) } else { Err(Reason::Unused("layer")) }
}

/// The abstract program has threads enough, and of each template `one` no more than its thread.
fn multiplicities(concrete: &Program, program: &Program, to: &[u32]) -> Result<(), Reason> {
    let mut coming = vec![0_usize; program.templates.len()];
    for (of, to) in concrete.templates.iter().zip(to) {
        let target = template(program, *to)?;
        if of.is_many() && !target.is_many() {
            return Err(Reason::Abstraction("any number of threads come to a single template"));
        }
        if let Some(coming) = usize::try_from(*to).ok().and_then(|to| coming.get_mut(to)) {
            *coming += 1;
        }
    }
    for (target, coming) in program.templates.iter().zip(coming) {
        if coming == 0 {
            return Err(Reason::Abstraction("no template comes to one of the abstract program"));
        }
        if coming > 1 && !target.is_many() {
            return Err(Reason::Abstraction("several templates come to a single one"));
        }
    }
    Ok(())
}

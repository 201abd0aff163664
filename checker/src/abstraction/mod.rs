//! Layers of abstraction: a program is safe if one is that abstracts each of its threads (SPEC.md
//! section 12; Lahiri, Malkis, Qadeer, "Abstract Threads", Theorems 1 and 2).

pub mod conformance;
pub mod thread;

use crate::core_form;
use crate::error::{AbstractionReason, At, Budget, Failure, Reason};
use crate::scope::template;
use conformance::Pair;
use threadproof_format::Digest;
use threadproof_format::program::Program;
use threadproof_format::proof::abstraction::{Layer, Part};
use threadproof_format::work::{Group as _, List as _, Metered as _, Seq, Text as _, list};

/// Checks all layers above a program; gives their abstract programs.
///
/// # Errors
/// Why one does not abstract the one before, and where.
pub fn check(
    program: &Program,
    layers: &Seq<Layer>,
    budget: &Budget,
) -> Result<Seq<Program>, Failure> {
    let mut programs: Seq<Program> = Seq::new();
    for (i, layer) in layers.walk(budget)?.enumerate() {
        let checked = check_layer(programs.last().unwrap_or(program), layer, budget);
        let checked = checked.map_err(|failure| failure.inside(&format!("layer {i}")))?;
        programs.add(checked, budget)?;
    }
    Ok(programs)
}

/// Checks one layer, and gives its abstract program.
fn check_layer(concrete: &Program, layer: &Layer, budget: &Budget) -> Result<Program, Failure> {
    let statement = layer.statement.text(budget)?;
    let parsed = core_form::parse_within(statement, budget);
    let (program, digest) = parsed.at(|| "program".to_owned())?;
    if layer.program != digest || Digest::of([statement.as_bytes()]) != digest {
        return Err(Reason::ProgramDigest.into());
    }
    comparable(concrete, &program, layer, budget)?;
    for (of, (to, part)) in (0..).zip(layer.to.walk(budget)?.zip(layer.parts.walk(budget)?)) {
        let place = || format!("template {of}");
        let pair = Pair::new((concrete, of), (&program, *to), budget).at(place)?;
        match part {
            Part::Kept if pair.same(budget)? => {}
            Part::Kept => return Err(AbstractionReason::Kept).at(place),
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
    budget: &Budget,
) -> Result<(), Reason> {
    if !thread::shared(concrete, budget)?.same(&thread::shared(program, budget)?, budget)? {
        return Err(AbstractionReason::Globals.into());
    }
    if !concrete.init.same(&program.init, budget)? {
        return Err(AbstractionReason::Init.into());
    }
    let count = concrete.templates.len();
    if layer.to.len() != count || layer.parts.len() != count {
        return Err(AbstractionReason::Templates.into());
    }
    multiplicities(concrete, program, &layer.to, budget)?;
    let counted = [thread::counted(concrete, budget)?, thread::counted(program, budget)?];
    let mut changed = false;
    let parts = layer.to.walk(budget)?.zip(layer.parts.walk(budget)?);
    for (of, (to, part)) in (0..).zip(parts) {
        let (from, into) = (template(concrete, of, budget)?, template(program, *to, budget)?);
        let alike = from.multiplicity == into.multiplicity;
        let stays = matches!(part, Part::Kept) && *to == of && alike;
        let [before, after] = &counted;
        let mut is_counted = false;
        for number in [&of, to] {
            is_counted |= before.has(number, budget)? || after.has(number, budget)?;
        }
        if !stays && is_counted {
            return Err(AbstractionReason::Counted.into());
        }
        changed |= !stays;
    }
    if changed { Ok(()) } else { Err(Reason::Unused("layer")) }
}

/// The abstract program has threads enough, and of each template `one` no more than its thread.
fn multiplicities(
    concrete: &Program,
    program: &Program,
    to: &Seq<u32>,
    budget: &Budget,
) -> Result<(), Reason> {
    let mut coming = list(program.templates.walk(budget)?.map(|_| 0_usize), budget)?;
    for (of, to) in concrete.templates.walk(budget)?.zip(to.walk(budget)?) {
        if of.is_many() && !template(program, *to, budget)?.is_many() {
            return Err(AbstractionReason::ManyToOne.into());
        }
        *coming.change(*to, budget)?.ok_or(Reason::Index("template"))? += 1;
    }
    for (target, coming) in program.templates.walk(budget)?.zip(coming.walk(budget)?) {
        if *coming == 0 {
            return Err(AbstractionReason::Uncovered.into());
        }
        if *coming > 1 && !target.is_many() {
            return Err(AbstractionReason::SeveralToOne.into());
        }
    }
    Ok(())
}

//! The fixed-point iteration over whole-program facts: the program is lowered with what is known
//! until a pass finds nothing new. Facts only grow, so that the last pass has known all of them
//! from the beginning.

use crate::frontend::c::assumptions::assumptions;
use crate::frontend::c::check::Options;
use crate::frontend::c::check::race::monitor;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::facts::{Known, ManyKey};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::program::Go;
use crate::frontend::c::reduce::symmetry::count_equal;
use crate::frontend::c::reduce::{emit, reduce};
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::syntax::source::Source;
use crate::frontend::c::threads::Threads;
use crate::frontend::c::threads::free::is_free;
use crate::source;
use lang_c::ast::TranslationUnit;
use std::collections::BTreeSet;

/// Passes before the lowering gives up.
const MAX_PASSES: usize = 100;

/// Lowers a program. If it cannot be, one more pass tells what is wrong with its other threads.
pub(crate) fn lower_source(source: &Source, options: &Options) -> Lower<source::Source> {
    let unit = source.parse()?;
    let mut known = Known::default();
    for _ in 0..MAX_PASSES {
        let mut found = known.clone();
        let outcome = pass(source, &unit, options, known.clone(), &mut found);
        if found == known {
            return outcome.map_err(|fault| more(fault, source, &unit, options, known));
        }
        known = found;
    }
    Err(Fault::NeedsRestart)
}

/// What stops the lowering at the fixed point, with the problems of other threads behind it.
fn more(
    fault: Fault,
    source: &Source,
    unit: &TranslationUnit,
    options: &Options,
    known: Known,
) -> Fault {
    let Some(mut problems) = fault.problems() else { return Fault::NeedsRestart };
    let others = Lowering::new(source, options, singles(known)).program(unit, Go::On);
    for problem in others.err().and_then(Fault::problems).into_iter().flatten() {
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
    Fault::Problems(problems)
}

/// The facts with those sites alone at which single threads are created.
fn singles(known: Known) -> Known {
    let Known { mut singles, repeated, .. } = known.clone();
    singles.retain(|site, _| !repeated.contains(site));
    Known { singles, ..known }
}

/// Lowers the program with what is known; what is found is added to `found`.
fn pass(
    source: &Source,
    unit: &TranslationUnit,
    options: &Options,
    known: Known,
    found: &mut Known,
) -> Lower<source::Source> {
    let mut lowering = Lowering::new(source, options, singles(known));
    let made = lowering.program(unit, Go::Stop);
    found.extend(std::mem::take(&mut lowering.facts.found));
    let mut made = made?;
    monitor(&mut made, lowering.memory.shared());
    reduce(&mut made, lowering.memory.shared(), lowering.threads.handed())
        .map_err(|section| Fault::unsupported(section.at, section))?;
    found.free.extend(free(&made, &lowering.threads)?);
    count_equal(&mut made, lowering.memory.shared(), lowering.threads.spawned());
    let mut assumptions = assumptions(&lowering.assumed, options);
    let assertions = std::mem::take(&mut lowering.assertions);
    assumptions.extend(assertions.missing(lowering.unit.functions(), source, &made));
    let (program, notes) = emit::program(&made, lowering.memory.shared(), assumptions);
    Ok(source::Source::new(program, notes))
}

/// Templates of many threads of which any number exist at once.
fn free(made: &[ThreadGraph], threads: &Threads) -> Lower<BTreeSet<ManyKey>> {
    let flags = threads.alike().map(|(_, spawned)| spawned.created.clone()).collect();
    let mut out = BTreeSet::new();
    for (key, spawned) in threads.alike() {
        let free = is_free(made, &spawned.created, &flags);
        if spawned.free && !free {
            let what = "threads created repeatedly in such a loop";
            return Err(Fault::unsupported(spawned.at, what));
        }
        out.extend(free.then(|| key.clone()));
    }
    Ok(out)
}

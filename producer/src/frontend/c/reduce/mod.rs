//! From the automata of the threads to the core program: Lipton reduction (`lipton`) with constant
//! propagation and liveness (`dataflow`), program slicing (`slice`), symmetry reduction of equal
//! threads (`symmetry`), and the core program (`emit`).

pub(crate) mod dataflow;
pub(crate) mod emit;
pub(crate) mod guard;
pub(crate) mod lipton;
pub(crate) mod slice;
pub(crate) mod symmetry;

use crate::frontend::c::reduce::lipton::SectionError;
use crate::frontend::c::reduce::slice::{own, slice};
use crate::frontend::c::steps::graph::Ranges;
use crate::frontend::c::steps::thread_graph::ThreadGraph;
use crate::frontend::c::steps::variable::{Variable, number};
use std::collections::BTreeSet;
use threadproof_format::Op;

/// Joins steps and leaves out variables, until nothing changes.
pub(crate) fn reduce(
    made: &mut [ThreadGraph],
    shared: &[Variable],
    handed: &BTreeSet<Op>,
) -> Result<(), SectionError> {
    made.iter_mut().for_each(|thread| thread.graph.reachable());
    slice(made, handed);
    own(made, shared, handed);
    let ranges = |variables: &[Variable], op: &dyn Fn(u32) -> Op| -> Ranges {
        let known = |(i, v): (usize, &Variable)| Some((op(number(i)), v.range.clone()?));
        variables.iter().enumerate().filter_map(known).collect()
    };
    let shared = ranges(shared, &Op::Global);
    for thread in made.iter_mut() {
        thread.graph.ranges = ranges(&thread.variables, &|i| Op::Local(0, i));
        thread.graph.ranges.extend(shared.clone());
        thread.graph.atomic_sections()?;
        thread.graph.reduce();
    }
    slice(made, handed);
    made.iter_mut().for_each(|thread| thread.graph.reduce());
    slice(made, handed);
    Ok(())
}

//! The control-flow graph of a template: edges, whatever their guards (SPEC.md section 7.5).

use crate::error::{Budget, Reason};
use threadproof_format::program::{Location, Template};
use threadproof_format::work::{List as _, Seq, list};

/// A template's locations, and whether a path of the control-flow graph reaches each.
pub(crate) fn locations<'a>(
    template: &'a Template,
    budget: &Budget,
) -> Result<impl Iterator<Item = (&'a Location, bool)>, Reason> {
    let all = || template.locations.walk(budget);
    let mut reached = list(all()?.map(|_| false), budget)?;
    let mut outgoing = list(all()?.map(|_| Seq::new()), budget)?;
    for edge in template.edges.walk(budget)? {
        if let Some(targets) = outgoing.change(edge.source, budget)? {
            targets.add(edge.target, budget)?;
        }
    }
    let mut todo = Seq::from([0]);
    while let Some(at) = todo.pop() {
        let seen = reached.change(at, budget)?.is_none_or(|seen| std::mem::replace(seen, true));
        if let Some(targets) = outgoing.at(at, budget)?.filter(|_| !seen) {
            todo.add_all(targets.walk(budget)?.copied(), budget)?;
        }
    }
    Ok(all()?.zip(reached.give(budget)?))
}

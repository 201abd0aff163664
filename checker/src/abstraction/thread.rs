//! Threads of a program by themselves, single or many, so that those of two programs can be
//! compared (SPEC.md section 12.1).

use crate::error::{Budget, Reason};
use crate::scope::template;
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::work::{
    Group as _, List as _, Metered as _, Seq, Set, Spent, gather, list,
};
use threadproof_format::{Expr, Op};

/// The globals of a program's text: those that are no single template's locals.
///
/// # Errors
/// `Limit`.
pub fn shared(program: &Program, budget: &Budget) -> Result<Seq<Variable>, Spent> {
    let shared = program.globals.walk(budget)?.take_while(|global| global.owner.is_none());
    gather(shared.map(|global| global.copy(budget)), budget)
}

/// A template whose locals are its own also if it is single: they are at position 0, as those
/// of a template `many` are (section 12.1).
///
/// # Errors
/// `Index` or `Limit`.
pub fn thread(program: &Program, of: u32, budget: &Budget) -> Result<Template, Reason> {
    let template = template(program, of, budget)?;
    if template.is_many() {
        return Ok(template.copy(budget)?);
    }
    let owned = (0..).zip(program.globals.walk(budget)?).filter(|(_, g)| g.owner == Some(of));
    let owned: Seq<(u32, &Variable)> = list(owned, budget)?;
    let first = owned.first().map_or(u32::MAX, |(i, _)| *i);
    let moved = |expr: &Expr| moved(expr, first, budget);
    let mut edges = Seq::new();
    for edge in template.edges.walk(budget)? {
        let Edge { source, target, .. } = *edge;
        let (inputs, guard) = (edge.inputs.copy(budget)?, moved(&edge.guard)?);
        let mut updates = Seq::new();
        for (variable, value) in edge.updates.walk(budget)? {
            let variable = own(variable, first).map_or_else(|| variable.copy(budget), Ok)?;
            updates.add((variable, moved(value)?), budget)?;
        }
        edges.add(Edge { source, target, inputs, guard, updates }, budget)?;
    }
    let mut locals = Seq::new();
    for (_, global) in owned.give(budget)? {
        locals.add(Variable { owner: None, ..global.copy(budget)? }, budget)?;
    }
    Ok(Template {
        name: template.name.copy(budget)?,
        multiplicity: template.multiplicity,
        locals,
        init: moved(&template.init)?,
        locations: template.locations.copy(budget)?,
        edges,
    })
}

/// The local that a single template's local among the globals is, from the first one on.
fn own(op: &Op, first: u32) -> Option<Op> {
    match op {
        Op::Global(i) => i.checked_sub(first).map(|local| Op::Local(0, local)),
        _ => None,
    }
}

fn moved(expr: &Expr, first: u32, budget: &Budget) -> Result<Expr, Spent> {
    let ops = expr.0.walk(budget)?;
    let ops = ops.map(|op| own(op, first).map_or_else(|| op.copy(budget), Ok));
    Ok(Expr(gather(ops, budget)?))
}

/// Whether two threads are the same, whatever their names and how many there are of each.
///
/// # Errors
/// `Limit`.
pub fn same(one: &Template, other: &Template, budget: &Budget) -> Result<bool, Spent> {
    Ok(one.locals.same(&other.locals, budget)?
        && one.init.same(&other.init, budget)?
        && one.locations.same(&other.locations, budget)?
        && one.edges.same(&other.edges, budget)?)
}

/// The templates whose threads a program's commands count.
///
/// # Errors
/// `Limit`.
pub fn counted(program: &Program, budget: &Budget) -> Result<Set<u32>, Spent> {
    let mut counted = Set::new();
    for template in program.templates.walk(budget)? {
        for edge in template.edges.walk(budget)? {
            let values = edge.updates.walk(budget)?.map(|(_, value)| value);
            for expr in values.chain([&edge.guard]) {
                for op in expr.0.walk(budget)? {
                    if let Op::Count(of, _) = op {
                        counted.include(*of, budget)?;
                    }
                }
            }
        }
    }
    Ok(counted)
}

//! Threads of a program by themselves, single or many, so that those of two programs can be compared
//! (SPEC.md section 12.1).

use crate::error::{Budget, Reason};
use crate::scope::template;
use std::collections::BTreeSet;
use threadproof_format::program::{Edge, Program, Template, Variable};
use threadproof_format::{Expr, Op};

/// The globals of a program's text: those that are no single template's locals.
pub fn shared(program: &Program) -> &[Variable] {
    let count = program.globals.iter().take_while(|g| g.owner.is_none()).count();
    &program.globals[..count]
}

/// A template whose locals are its own also if it is single: they are at position 0, as those
/// of a template `many` are (section 12.1).
///
/// # Errors
/// `Index` or `Limit`.
pub fn thread(program: &Program, of: u32, budget: &mut Budget) -> Result<Template, Reason> {
    let template = template(program, of)?;
    budget.spend(size(template))?;
    if template.is_many() {
        return Ok(template.clone());
    }
    budget.spend(program.globals.len())?;
    let owned = (0..).zip(&program.globals).filter(|(_, g)| g.owner == Some(of));
    let owned: Vec<(u32, Variable)> =
        owned.map(|(i, g)| (i, Variable { owner: None, ..g.clone() })).collect();
    let first = owned.first().map_or(u32::MAX, |(i, _)| *i);
    let own = |op: &Op| match op {
        Op::Global(i) => i.checked_sub(first).map(|local| Op::Local(0, local)),
        _ => None,
    };
    let mut moved = |expr: &Expr| -> Result<Expr, Reason> {
        budget.spend(expr.0.len())?;
        Ok(expr.substitute(|op| own(op).map(|op| vec![op])))
    };
    let mut edges = Vec::new();
    for edge in &template.edges {
        let guard = moved(&edge.guard)?;
        let updates = edge.updates.iter().map(|(variable, value)| {
            Ok((own(variable).unwrap_or_else(|| variable.clone()), moved(value)?))
        });
        edges.push(Edge {
            guard,
            updates: updates.collect::<Result<_, Reason>>()?,
            ..edge.clone()
        });
    }
    let init = moved(&template.init)?;
    let locals = owned.into_iter().map(|(_, g)| g).collect();
    Ok(Template { locals, init, edges, ..template.clone() })
}

/// Whether two threads are the same, whatever their names and how many there are of each.
pub fn same(one: &Template, other: &Template) -> bool {
    let (name, multiplicity) = (one.name.clone(), one.multiplicity);
    *one == Template { name, multiplicity, ..other.clone() }
}

/// How much there is to copy of a template.
fn size(template: &Template) -> usize {
    let formulas = template.edges.iter().flat_map(|edge| {
        edge.updates.iter().map(|(_, value)| value.0.len() + 1).chain([edge.guard.0.len()])
    });
    let inputs = template.edges.iter().map(|edge| edge.inputs.len() + 1);
    let names = template.locals.len() + template.locations.len() + template.init.0.len();
    formulas.chain(inputs).fold(names, usize::saturating_add)
}

/// The templates whose threads a program's commands count.
///
/// # Errors
/// `Limit`.
pub fn counted(program: &Program, budget: &mut Budget) -> Result<BTreeSet<u32>, Reason> {
    let mut counted = BTreeSet::new();
    for edge in program.templates.iter().flat_map(|t| &t.edges) {
        let values = edge.updates.iter().map(|(_, value)| value);
        for expr in values.chain([&edge.guard]) {
            budget.spend(expr.0.len())?;
            counted.extend(expr.0.iter().filter_map(|op| match op {
                Op::Count(of, _) => Some(*of),
                _ => None,
            }));
        }
    }
    Ok(counted)
}

//! The basis: Hoare triples over one command each (SPEC.md section 8.2; Definition 4.2).

use super::predicates::Predicates;
use crate::counters;
use crate::error::{Budget, Held, Reason, get, number};
use crate::refute::Obligation;
use crate::scope::{Scope, template};
use std::collections::HashMap;
use threadproof_format::limits::MAX_OPS;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{Instance, Triple};
use threadproof_format::{Expr, Op};

/// The threads of a triple: where the postcondition's arguments are, and each thread's template.
#[derive(Clone, Debug)]
pub struct Threads {
    /// The thread of each argument of the postcondition.
    pub post: Vec<u32>,
    /// The template of each thread; thread 0 acts (`None` if a single template acts).
    pub templates: Vec<Option<u32>>,
}

/// The threads of a triple (section 8.2): 0 acts, the others are numbered as they occur in the
/// postcondition. `acting` is the acting thread's argument from 1, or 0.
///
/// # Errors
/// `Index`, or `Instance` if the acting thread is of another template than its argument.
pub fn threads(
    program: &Program,
    predicates: &Predicates,
    acting_template: u32,
    post: u32,
    acting: u32,
) -> Result<Threads, Reason> {
    let many = template(program, acting_template)?.is_many();
    let arguments = &predicates.get(post)?.predicate.threads;
    let mut out = Threads { post: Vec::new(), templates: vec![many.then_some(acting_template)] };
    for (i, template) in arguments.iter().enumerate() {
        if number(i + 1)? == acting {
            if out.templates[0] != Some(*template) {
                return Err(Reason::Instance("template of the acting thread"));
            }
            out.post.push(0);
        } else {
            out.post.push(number(out.templates.len())?);
            out.templates.push(Some(*template));
        }
    }
    if acting > number(arguments.len())? {
        return Err(Reason::Index("acting thread"));
    }
    Ok(out)
}

/// The obligation of a triple: {pre} (edge) {post} is valid (section 8.2). Checks both conditions
/// of Definition 4.2 on the way: condition 1 holds of every predicate, and a precondition cannot
/// name another thread than the acting one and the postcondition's.
///
/// # Errors
/// `Index`, `Instance`, `Irrelevant`, `Order`, `Limit`.
pub fn obligation(
    program: &Program,
    predicates: &Predicates,
    triple: &Triple,
    name: String,
    budget: &mut Budget,
) -> Result<Obligation, Reason> {
    let edge = get(&template(program, triple.template)?.edges, triple.edge, "edge")?;
    let threads = threads(program, predicates, triple.template, triple.post, triple.acting)?;
    if triple.pre.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(Reason::Order("precondition"));
    }
    let mut formulas = Vec::new();
    let mut held = Held::default();
    let mut instance_formula = |instance: &Instance, budget: &mut Budget| {
        let size = predicates.get(instance.0)?.predicate.formula.0.len();
        budget.spend(size)?;
        held.hold(size)?;
        formula(predicates, instance)
    };
    for instance in &triple.pre {
        let known = |t: &u32| get(&threads.templates, *t, "thread").is_ok_and(Option::is_some);
        if !instance.1.iter().all(known) {
            return Err(Reason::Irrelevant);
        }
        predicates.check_instance(instance, &threads.templates, budget)?;
        formulas.push(instance_formula(instance, budget)?);
    }
    let post = instance_formula(&Instance(triple.post, threads.post), budget)?;
    formulas.push(edge.guard.clone());
    budget.spend(edge.guard.0.len() + edge.updates.len())?;
    let after = after(program, &post, triple.template, edge)?.negate();
    budget.spend(after.0.len())?;
    formulas.push(after);
    let facts = counters::facts(program, &formulas, &[(triple.template, edge.source)], budget)?;
    held.hold(facts.iter().map(|fact| fact.0.len()).sum())?;
    formulas.extend(facts);
    Scope { program, threads: threads.templates, inputs: &edge.inputs }.obligation(name, formulas)
}

/// The formula of an instance.
///
/// # Errors
/// `Index`.
pub fn formula(predicates: &Predicates, instance: &Instance) -> Result<Expr, Reason> {
    Ok(predicates.get(instance.0)?.predicate.formula.rename(&instance.1))
}

/// A formula about the state after an edge of a template (whose acting thread is 0), as one about
/// the state before: updated variables and counters are replaced by their new values (section 4.3).
///
/// # Errors
/// `Index`, or `Limit` if the result is too large.
pub fn after(program: &Program, post: &Expr, of: u32, edge: &Edge) -> Result<Expr, Reason> {
    let mut updates = counters::updates(program, of, edge)?;
    updates.extend(edge.updates.iter().cloned());
    substitute(post, &updates)
}

/// A formula with variables and counters replaced, all at once.
///
/// # Errors
/// `Limit` if the result is too large.
pub fn substitute(formula: &Expr, updates: &[(Op, Expr)]) -> Result<Expr, Reason> {
    let updates: HashMap<&Op, &Expr> = updates.iter().map(|(v, e)| (v, e)).collect();
    let size = |op: &Op| updates.get(op).map_or(1, |value| value.0.len());
    let total = formula.0.iter().map(size).fold(0_usize, usize::saturating_add);
    if total > MAX_OPS {
        return Err(Reason::Limit("operators of a formula"));
    }
    Ok(formula.substitute(|op| updates.get(op).map(|value| value.0.clone())))
}

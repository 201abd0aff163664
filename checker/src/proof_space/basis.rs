//! The basis: Hoare triples over one command each (SPEC.md section 8.2; Definition 4.2).

use super::predicates::Predicates;
use crate::budget::{Held, ascends, get, number};
use crate::counters;
use crate::error::{Budget, Reason};
use crate::obligation::{Obligation, ObligationId};
use crate::scope::{Scope, template};
use crate::substitute::{negate, news, rename, replace};
use threadproof_format::Expr;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{Instance, Triple};
use threadproof_format::work::{List as _, Metered as _, Seq, Size as _};

/// The threads of a triple: where the postcondition's arguments are, and each thread's template.
#[derive(Debug)]
pub struct Threads {
    /// The thread of each argument of the postcondition.
    pub post: Seq<u32>,
    /// The template of each thread; thread 0 acts (`None` if a single template acts).
    pub templates: Seq<Option<u32>>,
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
    budget: &Budget,
) -> Result<Threads, Reason> {
    let many = template(program, acting_template, budget)?.is_many();
    let arguments = &predicates.get(post, budget)?.predicate.threads;
    let actor = many.then_some(acting_template);
    let mut out = Threads { post: Seq::new(), templates: [actor].into() };
    for (i, template) in (1..).zip(arguments.walk(budget)?) {
        if i == acting {
            if actor != Some(*template) {
                return Err(Reason::Instance("template of the acting thread"));
            }
            out.post.add(0, budget)?;
        } else {
            out.post.add(number(out.templates.len())?, budget)?;
            out.templates.add(Some(*template), budget)?;
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
    id: ObligationId,
    budget: &Budget,
) -> Result<Obligation, Reason> {
    let of = template(program, triple.template, budget)?;
    let edge = get(&of.edges, triple.edge, "edge", budget)?;
    let threads =
        threads(program, predicates, triple.template, triple.post, triple.acting, budget)?;
    if !ascends(&triple.pre, budget, |one, other| Ok(one.below(other, budget)?))? {
        return Err(Reason::Order("precondition"));
    }
    let mut formulas = Seq::new();
    let held = Held::default();
    for instance in triple.pre.walk(budget)? {
        for thread in instance.1.walk(budget)? {
            if threads.templates.at(*thread, budget)?.is_none_or(Option::is_none) {
                return Err(Reason::Irrelevant);
            }
        }
        predicates.check_instance(instance, &threads.templates, budget)?;
        let pre = formula(predicates, instance, budget)?;
        held.hold(pre.size())?;
        formulas.add(pre, budget)?;
    }
    let post = formula(predicates, &Instance(triple.post, threads.post), budget)?;
    held.hold(post.size())?;
    formulas.add(edge.guard.copy(budget)?, budget)?;
    let after = after(program, &post, triple.template, edge, budget)?;
    held.hold(after.size())?;
    formulas.add(negate(after, budget)?, budget)?;
    let place = (triple.template, edge.source);
    let facts = counters::facts(program, &formulas, &[place].into(), budget)?;
    for fact in facts.give(budget)? {
        held.hold(fact.size())?;
        formulas.add(fact, budget)?;
    }
    let scope = Scope { program, threads: threads.templates, inputs: Some(&edge.inputs) };
    scope.obligation(id, formulas, budget)
}

/// The formula of an instance.
///
/// # Errors
/// `Index` or `Limit`.
pub fn formula(
    predicates: &Predicates,
    instance: &Instance,
    budget: &Budget,
) -> Result<Expr, Reason> {
    let predicate = &predicates.get(instance.0, budget)?.predicate;
    Ok(rename(&predicate.formula, &instance.1, budget)?)
}

/// A formula about the state after an edge of a template (whose acting thread is 0), as one about
/// the state before: updated variables and counters are replaced by their new values (section 4.3).
///
/// # Errors
/// `Index`, or `Limit` if the result is too large.
pub fn after(
    program: &Program,
    post: &Expr,
    of: u32,
    edge: &Edge,
    budget: &Budget,
) -> Result<Expr, Reason> {
    let moved = counters::updates(program, of, edge, budget)?;
    replace(post, &news(moved.walk(budget)?.chain(edge.updates.walk(budget)?), budget)?, budget)
}

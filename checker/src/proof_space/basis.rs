//! The basis: Hoare triples over one command each (SPEC.md section 8.2; Definition 4.2).

use super::predicates::Predicates;
use crate::counters;
use crate::error::{Budget, Held, Reason, get, number};
use crate::refute::Obligation;
use crate::scope::{Scope, ascends, template};
use threadproof_format::limits::MAX_OPS;
use threadproof_format::program::{Edge, Program};
use threadproof_format::proof::proof_space::{Instance, Triple};
use threadproof_format::work::{List as _, Map, Metered as _, Seq, Spent, Table as _, gather};
use threadproof_format::{Expr, Op};

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
    name: String,
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
    let mut held = Held::default();
    for instance in triple.pre.walk(budget)? {
        for thread in instance.1.walk(budget)? {
            if threads.templates.at(*thread, budget)?.is_none_or(Option::is_none) {
                return Err(Reason::Irrelevant);
            }
        }
        predicates.check_instance(instance, &threads.templates, budget)?;
        let pre = formula(predicates, instance, budget)?;
        held.hold(pre.0.len())?;
        formulas.add(pre, budget)?;
    }
    let post = formula(predicates, &Instance(triple.post, threads.post), budget)?;
    held.hold(post.0.len())?;
    formulas.add(edge.guard.copy(budget)?, budget)?;
    let after = after(program, &post, triple.template, edge, budget)?;
    formulas.add(negate(after, budget)?, budget)?;
    let place = (triple.template, edge.source);
    let facts = counters::facts(program, &formulas, &[place].into(), budget)?;
    for fact in facts.give(budget)? {
        held.hold(fact.0.len())?;
        formulas.add(fact, budget)?;
    }
    let scope = Scope { program, threads: threads.templates, inputs: Some(&edge.inputs) };
    scope.obligation(name, formulas, budget)
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

/// A formula with other thread positions: position p becomes `positions[p]`. Positions beyond stay.
pub(crate) fn rename(formula: &Expr, positions: &Seq<u32>, budget: &Budget) -> Result<Expr, Spent> {
    let renamed = formula.0.walk(budget)?.map(|op| match op {
        Op::Local(p, i) => Ok(Op::Local(positions.at(*p, budget)?.copied().unwrap_or(*p), *i)),
        _ => op.copy(budget),
    });
    Ok(Expr(gather(renamed, budget)?))
}

/// The negation of a formula.
pub(crate) fn negate(mut formula: Expr, budget: &Budget) -> Result<Expr, Spent> {
    formula.0.add(Op::Not, budget)?;
    Ok(formula)
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

/// Variables and counters, and what replaces each.
pub(crate) type News<'a> = Map<&'a Op, &'a Expr>;

/// Updates as a table.
pub(crate) fn news<'a>(
    updates: impl Iterator<Item = &'a (Op, Expr)>,
    budget: &Budget,
) -> Result<News<'a>, Spent> {
    let mut news = Map::new();
    for (variable, value) in updates {
        news.put(variable, value, budget)?;
    }
    Ok(news)
}

/// What replaces a variable or counter, if anything.
pub(crate) fn new<'a>(
    news: &News<'a>,
    op: &Op,
    budget: &Budget,
) -> Result<Option<&'a Expr>, Spent> {
    Ok(news.look(&op, budget)?.copied())
}

/// A formula with variables and counters replaced, all at once.
///
/// # Errors
/// `Limit` if the result is too large.
pub fn substitute(
    formula: &Expr,
    updates: &Seq<(Op, Expr)>,
    budget: &Budget,
) -> Result<Expr, Reason> {
    replace(formula, &news(updates.walk(budget)?, budget)?, budget)
}

/// [`substitute`], with a table that serves for many formulas.
pub(crate) fn replace(formula: &Expr, news: &News<'_>, budget: &Budget) -> Result<Expr, Reason> {
    let mut out = Seq::new();
    for op in formula.0.walk(budget)? {
        let new = if op.is_symbol() { new(news, op, budget)? } else { None };
        if out.len() + new.map_or(1, |value| value.0.len()) > MAX_OPS {
            return Err(Reason::Limit("operators of a formula"));
        }
        match new {
            Some(value) => {
                for op in value.0.walk(budget)? {
                    out.add(op.copy(budget)?, budget)?;
                }
            }
            None => out.add(op.copy(budget)?, budget)?,
        }
    }
    Ok(Expr(out))
}

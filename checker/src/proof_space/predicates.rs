//! Predicates, their interchangeable positions and their instances (SPEC.md section 8.1).

use crate::budget::{get, number};
use crate::error::{At, Budget, Failure, Reason};
use crate::refute::clauses::ClausalForm;
use crate::scope::{Scope, template};
use crate::sorts::{require, sorts};
use crate::substitute::rename;
use threadproof_format::limits::MAX_ARITY;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Instance, Predicate};
use threadproof_format::work::{
    Group as _, List as _, Map, Metered as _, Seq, Set, Spent, gather, list,
};
use threadproof_format::{Expr, Op, Sort};

/// The number of the predicate `false`.
pub const FALSE: u32 = 0;

/// Predicates by number, checked.
#[derive(Debug)]
pub struct Predicates {
    list: Seq<Known>,
}

/// A predicate that was checked.
#[derive(Debug)]
pub struct Known {
    /// The predicate.
    pub predicate: Predicate,
    /// Pairs of interchangeable positions, ascending.
    interchangeable: Seq<(usize, usize)>,
    /// Variables and counters that occur.
    pub variables: Set<Op>,
}

impl Predicates {
    /// Checks a list of predicates: sorts, Definition 4.2 condition 1, no duplicates.
    ///
    /// # Errors
    /// With the predicate as the place.
    pub fn new(program: &Program, list: &Seq<Predicate>, budget: &Budget) -> Result<Self, Failure> {
        let nothing = Predicate { formula: Expr::bool(false), threads: Seq::new() };
        let mut seen = Set::new();
        let mut known = Seq::new();
        for (i, predicate) in [&nothing].into_iter().chain(list.walk(budget)?).enumerate() {
            let place = || format!("predicate {i}");
            let entry = Known::new(program, predicate, budget).at(place)?;
            if !seen.include(predicate, budget)? {
                return Err(Reason::DuplicatePredicate).at(place);
            }
            known.add(entry, budget)?;
        }
        Ok(Predicates { list: known })
    }

    /// A predicate by number.
    ///
    /// # Errors
    /// `Index` or `Limit`.
    pub fn get(&self, number: u32, budget: &Budget) -> Result<&Known, Reason> {
        get(&self.list, number, "predicate", budget)
    }

    /// How many there are, `false` included.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Whether a formula over the predicate's positions has the same literal as the predicate, both
    /// in one fresh clausal form (section 8.2, frame).
    ///
    /// # Errors
    /// `Index`, `Sort` or `Limit`.
    pub fn says(
        &self,
        program: &Program,
        predicate: u32,
        other: &Expr,
        budget: &Budget,
    ) -> Result<bool, Reason> {
        let predicate = &self.get(predicate, budget)?.predicate;
        let scope = Scope { program, threads: positions(predicate, budget)?, inputs: None };
        let both = [&predicate.formula, other];
        let sorts = sorts(both, budget, |op| scope.sort(op, budget))?;
        same_literal(sorts, &predicate.formula, other, budget)
    }

    /// The instance that says the same with ascending threads at interchangeable positions
    /// (section 8.1).
    ///
    /// # Errors
    /// `Index`.
    pub fn normal(&self, instance: Instance, budget: &Budget) -> Result<Instance, Reason> {
        let Instance(predicate, mut args) = instance;
        // The pairs ascend, so this is a selection sort of each class of positions.
        for (first, second) in self.get(predicate, budget)?.interchangeable.walk(budget)? {
            let ends = (args.at(*first, budget)?.copied(), args.at(*second, budget)?.copied());
            if let (Some(one), Some(other)) = ends
                && one > other
            {
                for (place, thread) in [(*first, other), (*second, one)] {
                    *args.change(place, budget)?.ok_or(Reason::Index("thread"))? = thread;
                }
            }
        }
        Ok(Instance(predicate, args))
    }

    /// Checks an instance over threads whose templates are given: the predicate is not `false`,
    /// the threads are different and of the predicate's templates, and it is in normal form.
    ///
    /// # Errors
    /// `Index`, `Instance` or `Order`.
    pub fn check_instance(
        &self,
        instance: &Instance,
        threads: &Seq<Option<u32>>,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let known = self.get(instance.0, budget)?;
        if instance.0 == FALSE {
            return Err(Reason::Instance("`false` is never listed"));
        }
        let positions = &known.predicate.threads;
        if instance.1.len() != positions.len() {
            return Err(Reason::Instance("number of threads"));
        }
        let pairs = instance.1.walk(budget)?.zip(positions.walk(budget)?);
        for (i, (thread, wanted)) in pairs.enumerate() {
            if *get(threads, *thread, "thread", budget)? != Some(*wanted) {
                return Err(Reason::Instance("template of a thread"));
            }
            if instance.1.walk(budget)?.take(i).any(|other| other == thread) {
                return Err(Reason::Instance("one thread twice"));
            }
        }
        if self.normal(instance.copy(budget)?, budget)?.same(instance, budget)? {
            Ok(())
        } else {
            Err(Reason::Order("threads of a symmetric predicate"))
        }
    }
}

/// The template of each position.
fn positions(predicate: &Predicate, budget: &Budget) -> Result<Seq<Option<u32>>, Spent> {
    list(predicate.threads.walk(budget)?.copied().map(Some), budget)
}

impl Known {
    fn new(program: &Program, predicate: &Predicate, budget: &Budget) -> Result<Self, Reason> {
        if predicate.threads.len() > MAX_ARITY {
            return Err(Reason::Limit("thread positions of a predicate"));
        }
        for thread in predicate.threads.walk(budget)? {
            if !template(program, *thread, budget)?.is_many() {
                return Err(Reason::Instance("a position of a single template"));
            }
        }
        let scope = Scope { program, threads: positions(predicate, budget)?, inputs: None };
        require(&predicate.formula, Sort::Bool, &|op| scope.sort(op, budget), budget)?;
        if matches!(predicate.formula.0.last(), Some(Op::And)) {
            return Err(Reason::Conjunction);
        }
        let mut variables = Set::new();
        for op in predicate.formula.0.walk(budget)?.filter(|op| op.is_symbol()) {
            variables.include(op.copy(budget)?, budget)?;
        }
        let interchangeable = interchangeable(&scope, predicate, budget)?;
        Ok(Known { predicate: predicate.copy(budget)?, interchangeable, variables })
    }
}

/// The pairs of positions of one template whose exchange leaves the formula's literal the same
/// (section 8.1): an equivalence, so each position is compared with one of each class.
fn interchangeable(
    scope: &Scope<'_>,
    predicate: &Predicate,
    budget: &Budget,
) -> Result<Seq<(usize, usize)>, Reason> {
    let threads = &predicate.threads;
    let mut pairs = Seq::new();
    // The first position of each position's class.
    let mut class: Seq<usize> = Seq::new();
    for (second, template) in threads.walk(budget)?.enumerate() {
        let mut own = second;
        for (first, other) in threads.walk(budget)?.enumerate().take(second) {
            let is_first = class.at(first, budget)? == Some(&first);
            if is_first
                && template == other
                && same_exchanged(scope, &predicate.formula, (first, second), budget)?
            {
                own = first;
                break;
            }
        }
        class.add(own, budget)?;
    }
    for (i, one) in class.walk(budget)?.enumerate() {
        let later = class.walk(budget)?.enumerate().skip(i + 1).filter(|(_, other)| *other == one);
        pairs.add_all(later.map(|(j, _)| (i, j)), budget)?;
    }
    Ok(pairs)
}

/// Whether a formula with two positions of one template exchanged has the same literal.
fn same_exchanged(
    scope: &Scope<'_>,
    formula: &Expr,
    (first, second): (usize, usize),
    budget: &Budget,
) -> Result<bool, Reason> {
    let order = (0..=second).map(|position| match position {
        _ if position == first => number(second),
        _ if position == second => number(first),
        _ => number(position),
    });
    let exchanged = rename(formula, &gather(order, budget)?, budget)?;
    let sorts = sorts([formula, &exchanged], budget, |op| scope.sort(op, budget))?;
    same_literal(sorts, formula, &exchanged, budget)
}

/// Whether two formulas have the same literal in one fresh clausal form, the first one first.
fn same_literal(
    sorts: Map<Op, Sort>,
    first: &Expr,
    second: &Expr,
    budget: &Budget,
) -> Result<bool, Reason> {
    let mut form = ClausalForm::new(sorts, budget)?;
    let original = form.literal(first, budget)?;
    Ok(form.literal(second, budget)? == original)
}

//! Predicates, their interchangeable positions and their instances (SPEC.md section 8.1).

use crate::error::{At, Budget, Failure, Reason, get, number};
use crate::refute::clauses::ClausalForm;
use crate::scope::{Scope, template};
use crate::sorts::require;
use std::collections::{HashMap, HashSet};
use threadproof_format::limits::MAX_ARITY;
use threadproof_format::program::Program;
use threadproof_format::proof::proof_space::{Instance, Predicate};
use threadproof_format::{Expr, Op, Sort};

/// The number of the predicate `false`.
pub const FALSE: u32 = 0;

/// Predicates by number, checked.
#[derive(Debug)]
pub struct Predicates {
    list: Vec<Known>,
}

/// A predicate that was checked.
#[derive(Debug)]
pub struct Known {
    /// The predicate.
    pub predicate: Predicate,
    /// Pairs of interchangeable positions, ascending.
    interchangeable: Vec<(usize, usize)>,
    /// Variables and counters that occur.
    pub variables: HashSet<Op>,
}

impl Predicates {
    /// Checks a list of predicates: sorts, Definition 4.2 condition 1, no duplicates.
    ///
    /// # Errors
    /// With the predicate as the place.
    pub fn new(p: &Program, list: &[Predicate], budget: &mut Budget) -> Result<Self, Failure> {
        let nothing = Predicate { formula: Expr::bool(false), threads: Vec::new() };
        let mut seen = HashSet::new();
        let mut known = Vec::new();
        for (i, predicate) in std::iter::once(&nothing).chain(list).enumerate() {
            let entry = Known::new(p, predicate, budget).at(|| format!("predicate {i}"))?;
            if !seen.insert(predicate) {
                return Err(Reason::DuplicatePredicate).at(|| format!("predicate {i}"));
            }
            known.push(entry);
        }
        Ok(Predicates { list: known })
    }

    /// A predicate by number.
    ///
    /// # Errors
    /// `Index`.
    pub fn get(&self, number: u32) -> Result<&Known, Reason> {
        get(&self.list, number, "predicate")
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
        budget: &mut Budget,
    ) -> Result<bool, Reason> {
        let predicate = &self.get(predicate)?.predicate;
        let threads = predicate.threads.iter().copied().map(Some).collect();
        let both = vec![predicate.formula.clone(), other.clone()];
        let both = Scope { program, threads, inputs: &[] }.obligation(String::new(), both)?;
        same_literal(both.sorts, &predicate.formula, other, budget)
    }

    /// The instance that says the same with ascending threads at interchangeable positions
    /// (section 8.1).
    ///
    /// # Errors
    /// `Index`.
    pub fn normal(&self, instance: Instance, budget: &mut Budget) -> Result<Instance, Reason> {
        let Instance(predicate, mut args) = instance;
        let pairs = &self.get(predicate)?.interchangeable;
        budget.spend(1 + pairs.len())?;
        // The pairs ascend, so this is a selection sort of each class of positions.
        for (first, second) in pairs {
            if let (Some(&one), Some(&other)) = (args.get(*first), args.get(*second)) {
                (args[*first], args[*second]) = (one.min(other), one.max(other));
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
        threads: &[Option<u32>],
        budget: &mut Budget,
    ) -> Result<(), Reason> {
        let known = self.get(instance.0)?;
        if instance.0 == FALSE {
            return Err(Reason::Instance("`false` is never listed"));
        }
        if instance.1.len() != known.predicate.threads.len() {
            return Err(Reason::Instance("number of threads"));
        }
        for (i, (thread, wanted)) in instance.1.iter().zip(&known.predicate.threads).enumerate() {
            if *get(threads, *thread, "thread")? != Some(*wanted) {
                return Err(Reason::Instance("template of a thread"));
            }
            if instance.1[..i].contains(thread) {
                return Err(Reason::Instance("one thread twice"));
            }
        }
        if self.normal(instance.clone(), budget)? == *instance {
            Ok(())
        } else {
            Err(Reason::Order("threads of a symmetric predicate"))
        }
    }
}

impl Known {
    fn new(program: &Program, predicate: &Predicate, budget: &mut Budget) -> Result<Self, Reason> {
        let arity = predicate.threads.len();
        if arity > MAX_ARITY {
            return Err(Reason::Limit("thread positions of a predicate"));
        }
        for thread in &predicate.threads {
            if !template(program, *thread)?.is_many() {
                return Err(Reason::Instance("a position of a single template"));
            }
        }
        let threads = predicate.threads.iter().copied().map(Some).collect();
        let scope = Scope { program, threads, inputs: &[] };
        require(&predicate.formula, Sort::Bool, &|op| scope.sort(op))?;
        if predicate.formula.0.last() == Some(&Op::And) {
            return Err(Reason::Conjunction);
        }
        let ops = predicate.formula.0.iter();
        let variables: HashSet<Op> = ops.filter(|op| op.is_symbol()).cloned().collect();
        let interchangeable = interchangeable(&scope, predicate, &variables, budget)?;
        Ok(Known { predicate: predicate.clone(), interchangeable, variables })
    }
}

/// The pairs of positions of one template whose exchange leaves the formula's literal the same
/// (section 8.1): an equivalence, so each position is compared with one of each class.
fn interchangeable(
    scope: &Scope<'_>,
    predicate: &Predicate,
    variables: &HashSet<Op>,
    budget: &mut Budget,
) -> Result<Vec<(usize, usize)>, Reason> {
    let threads = &predicate.threads;
    let sorts = sorts(scope, predicate, variables)?;
    let mut class: Vec<usize> = Vec::new();
    for second in 0..threads.len() {
        let mut own = second;
        for first in 0..second {
            if class[first] == first
                && threads[first] == threads[second]
                && same_exchanged(&sorts, &predicate.formula, (first, second), budget)?
            {
                own = first;
                break;
            }
        }
        class.push(own);
    }
    let pairs = (0..class.len()).flat_map(|i| (i + 1..class.len()).map(move |j| (i, j)));
    Ok(pairs.filter(|(i, j)| class[*i] == class[*j]).collect())
}

/// The sorts of the variables, also of those that a formula has with positions exchanged.
fn sorts(
    scope: &Scope<'_>,
    predicate: &Predicate,
    variables: &HashSet<Op>,
) -> Result<HashMap<Op, Sort>, Reason> {
    let mut sorts = HashMap::new();
    for op in variables {
        let sort = scope.sort(op)?;
        match op {
            Op::Local(at, i) => {
                let template = get(&predicate.threads, *at, "thread position")?;
                let alike = (0..).zip(&predicate.threads).filter(|(_, other)| *other == template);
                sorts.extend(alike.map(|(position, _)| (Op::Local(position, *i), sort)));
            }
            other => drop(sorts.insert(other.clone(), sort)),
        }
    }
    Ok(sorts)
}

/// Whether a formula with two positions exchanged has the same literal.
fn same_exchanged(
    sorts: &HashMap<Op, Sort>,
    formula: &Expr,
    (first, second): (usize, usize),
    budget: &mut Budget,
) -> Result<bool, Reason> {
    let mut order = (0..=number(second)?).collect::<Vec<u32>>();
    order.swap(first, second);
    same_literal(sorts.clone(), formula, &formula.rename(&order), budget)
}

/// Whether two formulas have the same literal in one fresh clausal form, the first one first.
fn same_literal(
    sorts: HashMap<Op, Sort>,
    first: &Expr,
    second: &Expr,
    budget: &mut Budget,
) -> Result<bool, Reason> {
    budget.spend(first.0.len() + second.0.len())?;
    let mut form = ClausalForm::new(sorts)?;
    let original = form.literal(first, budget)?;
    Ok(form.literal(second, budget)? == original)
}

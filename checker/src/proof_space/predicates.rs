//! Predicates, their symmetries and their instances (SPEC.md section 8.1).

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

/// Predicates by number, checked, with their symmetries.
#[derive(Debug)]
pub struct Predicates {
    list: Vec<Known>,
}

/// A predicate that was checked.
#[derive(Debug)]
pub struct Known {
    /// The predicate.
    pub predicate: Predicate,
    /// Permutations of its positions that leave the formula as it is, but for the identity.
    symmetries: Vec<Vec<u32>>,
    /// Variables that occur.
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

    /// The least instance that says the same, by the predicate's symmetries.
    ///
    /// # Errors
    /// `Index`.
    pub fn normal(&self, instance: Instance, budget: &mut Budget) -> Result<Instance, Reason> {
        let Instance(predicate, args) = instance;
        let mut least = args.clone();
        for symmetry in &self.get(predicate)?.symmetries {
            budget.spend(1)?;
            let other: Result<Vec<u32>, Reason> =
                symmetry.iter().map(|p| get(&args, *p, "argument").copied()).collect();
            least = least.min(other?);
        }
        Ok(Instance(predicate, least))
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
        let leaves = predicate.formula.0.iter();
        let variables: HashSet<Op> =
            leaves.filter(|op| matches!(op, Op::Global(_) | Op::Local(..))).cloned().collect();
        let symmetries = symmetries(&scope, predicate, &variables, budget)?;
        Ok(Known { predicate: predicate.clone(), symmetries, variables })
    }
}

/// The permutations of positions, but for the identity, under which the formula's clausal form
/// stays the same literal (section 8.1). They form a group.
fn symmetries(
    scope: &Scope<'_>,
    predicate: &Predicate,
    variables: &HashSet<Op>,
    budget: &mut Budget,
) -> Result<Vec<Vec<u32>>, Reason> {
    let arity = number(predicate.threads.len())?;
    let identity: Vec<u32> = (0..arity).collect();
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
    let mut form = ClausalForm::new(sorts)?;
    let original = form.literal(&predicate.formula, budget)?;
    let mut found = Vec::new();
    for order in permutations(&identity) {
        let same_template = order.iter().zip(&predicate.threads).all(|(to, template)| {
            get(&predicate.threads, *to, "position").is_ok_and(|other| other == template)
        });
        if same_template
            && order != identity
            && form.literal(&predicate.formula.rename(&order), budget)? == original
        {
            found.push(order);
        }
    }
    Ok(found)
}

/// All orders of at most `MAX_ARITY` numbers.
fn permutations(numbers: &[u32]) -> Vec<Vec<u32>> {
    let mut orders: Vec<Vec<u32>> = vec![Vec::new()];
    for number in numbers {
        let longer = |order: &Vec<u32>| {
            (0..=order.len())
                .map(|at| {
                    let mut next = order.clone();
                    next.insert(at, *number);
                    next
                })
                .collect::<Vec<_>>()
        };
        orders = orders.iter().flat_map(longer).collect();
    }
    orders
}

//! Predicates, interned up to renaming of threads.
//!
//! A predicate is a formula and the threads that it is about: those whose locals it mentions
//! and, in a *wide* predicate, dummy threads, which it doesn't mention. A triple's precondition can
//! only be about the acting thread and the postcondition's threads (Definition 4.2, condition 2),
//! so a dummy thread in the postcondition lets the precondition be about it.
//! Two predicates are the same if a permutation of the threads maps one to the other; a
//! permutation that maps a predicate to itself is an automorphism, and of the instances that
//! differ by automorphisms only the one with the least arguments is used.

use crate::logic::convert::{self, Item};
use crate::logic::formula::Formula;
use crate::logic::linear::{Leaf, Linear, Var};
use crate::logic::model::{Facts, index, number};
use crate::logic::rewrite::Rewrite as _;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use threadproof_checker::error::Budget;
use threadproof_checker::internals::proof_space::predicates as checker;
use threadproof_format::Expr;
use threadproof_format::limits::MAX_ARITY;
use threadproof_format::proof::proof_space as format;

/// A thread number within a trace, a triple or a configuration.
pub type Thread = u8;

/// Filler of unused arguments.
const NONE: Thread = Thread::MAX;

/// A predicate about given threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instance {
    /// The predicate's number; 0 is `false`.
    pub predicate: u32,
    args: [Thread; MAX_ARITY],
}

impl Instance {
    /// `false`.
    pub const FALSE: Instance = Instance { predicate: 0, args: [NONE; MAX_ARITY] };

    fn new(predicate: u32, threads: impl Iterator<Item = Thread>) -> Self {
        let mut args = [NONE; MAX_ARITY];
        for (slot, thread) in args.iter_mut().zip(threads) {
            *slot = thread;
        }
        Instance { predicate, args }
    }

    /// The thread at each position of the predicate, in order.
    pub fn args(&self) -> &[Thread] {
        let arity = self.args.iter().take_while(|a| **a != NONE).count();
        &self.args[..arity]
    }
}

/// A predicate, in the canonical form of its renamings.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Template of each position: indices into `Program::templates`.
    pub threads: Vec<u32>,
    /// The formula, over locals of threads 0, 1, ...
    pub expr: Expr,
    /// Automorphisms but for the identity: the argument that moves to each place.
    pub symmetries: Vec<Vec<usize>>,
    /// The formula's variables, ascending, each once.
    pub variables: Vec<Var>,
    /// The number of the predicate without dummy threads.
    pub narrow: u32,
    /// Whether it is about counters alone.
    pub counting: bool,
    formula: Formula,
}

impl Predicate {
    /// The formula in normal form, over locals of threads 0, 1, ....
    pub fn formula(&self) -> &Formula {
        &self.formula
    }
}

/// All predicates that the search has met.
pub struct Predicates<'a> {
    facts: &'a Facts<'a>,
    list: Vec<Predicate>,
    numbers: HashMap<(Vec<u32>, Formula), u32>,
    /// Whether a command that only changes counters of a predicate leaves it as it is.
    balanced: RefCell<HashMap<(usize, u32), bool>>,
}

impl<'a> Predicates<'a> {
    /// Starts with predicate 0, `false`.
    pub fn new(facts: &'a Facts<'a>) -> Self {
        let mut predicates = Predicates {
            facts,
            list: Vec::new(),
            numbers: HashMap::new(),
            balanced: RefCell::default(),
        };
        predicates.intern(&Formula::FALSE, &[]);
        predicates
    }

    /// The predicate of a number that was given out here; 0 is `false`.
    pub fn get(&self, predicate: u32) -> &Predicate {
        &self.list[index(predicate)]
    }

    /// Finds or makes the predicate of a formula over the threads that it mentions. `templates`
    /// holds the template of each thread number. `None` if there are too many threads.
    pub fn intern(&mut self, formula: &Formula, templates: &[u32]) -> Option<Instance> {
        self.intern_about(formula, templates, Vec::new())
    }

    /// An instance that is also about further threads; `None` if there are too many.
    pub fn widen(
        &mut self,
        instance: &Instance,
        further: &BTreeSet<Thread>,
        templates: &[u32],
    ) -> Option<Instance> {
        if further.iter().all(|t| instance.args().contains(t)) {
            return Some(*instance);
        }
        let args: Vec<u32> = instance.args().iter().map(|t| u32::from(*t)).collect();
        let formula = self.get(instance.predicate).formula.rename(&mut |v| match v {
            Var::Local(t, i) => Var::Local(args[index(t)], i),
            other => other,
        });
        let threads = further.iter().chain(instance.args()).copied().collect();
        let wide = self.intern_about(&formula, templates, threads)?;
        self.list[index(wide.predicate)].narrow = self.get(instance.predicate).narrow;
        Some(wide)
    }

    /// Finds the predicate of a formula over the threads that it mentions.
    pub fn find(&self, formula: &Formula, templates: &[u32]) -> Option<Instance> {
        let (kinds, canonical, args) = canonical(formula, templates, Vec::new())?;
        let predicate = *self.numbers.get(&(kinds, canonical))?;
        Some(self.instance(predicate, &args))
    }

    fn intern_about(
        &mut self,
        formula: &Formula,
        templates: &[u32],
        threads: Vec<Thread>,
    ) -> Option<Instance> {
        let (kinds, canonical, args) = canonical(formula, templates, threads)?;
        let predicate = self.number(kinds, canonical);
        Some(self.instance(predicate, &args))
    }

    fn number(&mut self, threads: Vec<u32>, formula: Formula) -> u32 {
        let next = number(self.list.len());
        let key = (threads, formula);
        if let Some(n) = self.numbers.get(&key) {
            return *n;
        }
        let (threads, formula) = key.clone();
        self.numbers.insert(key, next);
        let mut variables = Vec::new();
        formula.variables(&mut |v| variables.push(v));
        variables.sort_unstable();
        variables.dedup();
        let expr = formula.expr();
        let symmetries = self.symmetries(&threads, &expr);
        let counting = !variables.is_empty()
            && variables.iter().all(|v| self.facts.counters.place(*v).is_some());
        let narrow = next;
        self.list.push(Predicate {
            threads,
            expr,
            symmetries,
            variables,
            narrow,
            counting,
            formula,
        });
        next
    }

    /// Whether a command that writes no variable of the predicate but counters leaves it as it is
    /// (SPEC.md section 8.2, frame).
    pub fn balanced(&self, command: usize, predicate: u32) -> bool {
        if let Some(known) = self.balanced.borrow().get(&(command, predicate)) {
            return *known;
        }
        let before = &self.get(predicate).formula;
        let mut after = before.clone();
        for (var, value) in &self.facts.commands[command].updates {
            if self.facts.counters.place(*var).is_some() {
                let value = convert::item(value, &|v| Item::Int(Linear::leaf(Leaf::Var(v))));
                after = after.substitute(*var, &value.int());
            }
        }
        let same = after == *before;
        self.balanced.borrow_mut().insert((command, predicate), same);
        same
    }

    /// The automorphisms but for the identity, as the checker finds them.
    fn symmetries(&self, threads: &[u32], formula: &Expr) -> Vec<Vec<usize>> {
        if threads.len() < 2 {
            return Vec::new();
        }
        let predicate = format::Predicate { formula: formula.clone(), threads: threads.to_vec() };
        let budget = Budget::default();
        let Ok(checked) = checker::Predicates::new(self.facts.program, &vec![predicate], &budget)
        else {
            return Vec::new();
        };
        let normal = |order: &[usize]| {
            let args = order.iter().map(|i| number(*i)).collect();
            checked.normal(format::Instance(1, args), &budget).ok()
        };
        let mut orders = permutations(threads);
        let identity = orders.remove(0);
        let least = normal(&identity);
        orders.retain(|order| normal(order) == least);
        orders
    }

    /// An instance with other threads, with least arguments under the automorphisms.
    pub fn map(&self, instance: &Instance, f: impl Fn(Thread) -> Thread) -> Instance {
        let args = instance.args().iter().map(|t| f(*t));
        self.normalise(Instance::new(instance.predicate, args))
    }

    /// The instance of a predicate with a different thread for each position, in normal form: with
    /// least arguments under the automorphisms.
    pub fn instance(&self, predicate: u32, args: &[Thread]) -> Instance {
        self.normalise(Instance::new(predicate, args.iter().copied()))
    }

    fn normalise(&self, instance: Instance) -> Instance {
        if self.get(instance.predicate).symmetries.is_empty() {
            return instance;
        }
        self.arrangements(&instance).min().unwrap_or(instance)
    }

    /// The instance with its arguments in every order that means the same.
    pub fn arrangements(&self, instance: &Instance) -> impl Iterator<Item = Instance> {
        let symmetries = &self.get(instance.predicate).symmetries;
        let instance = *instance;
        std::iter::once(instance).chain(symmetries.iter().map(move |p| {
            let args = p.iter().map(|i| instance.args[*i]);
            Instance::new(instance.predicate, args)
        }))
    }

    /// The instance's formula over its arguments.
    pub fn expr(&self, instance: &Instance) -> Expr {
        let args: Vec<u32> = instance.args().iter().map(|t| u32::from(*t)).collect();
        self.get(instance.predicate).expr.rename(&args)
    }
}

/// The templates and the formula of the predicate that a formula is an instance of, and the
/// instance's arguments: the given threads and those that the formula mentions. `None` if there are
/// too many.
fn canonical(
    formula: &Formula,
    templates: &[u32],
    mut threads: Vec<Thread>,
) -> Option<(Vec<u32>, Formula, Vec<Thread>)> {
    formula.variables(&mut |v| {
        if let Var::Local(t, _) = v {
            threads.push(Thread::try_from(t).expect("few threads"));
        }
    });
    threads.sort_unstable_by_key(|t| (templates[usize::from(*t)], *t));
    threads.dedup();
    if threads.len() > MAX_ARITY {
        return None;
    }
    let kinds: Vec<u32> = threads.iter().map(|t| templates[usize::from(*t)]).collect();
    let (order, canonical) = least(formula, &threads, &kinds);
    let args = order.iter().map(|i| threads[*i]).collect();
    Some((kinds, canonical, args))
}

/// The order of threads that makes the formula least, and that formula.
fn least(formula: &Formula, threads: &[Thread], kinds: &[u32]) -> (Vec<usize>, Formula) {
    permutations(kinds)
        .into_iter()
        .map(|order| {
            let renamed = rename(formula, threads, &order);
            (renamed, order)
        })
        .min()
        .map(|(renamed, order)| (order, renamed))
        .expect("there is the identity")
}

/// Renames thread `threads[order[i]]` to i.
fn rename(formula: &Formula, threads: &[Thread], order: &[usize]) -> Formula {
    formula.rename(&mut |v| match v {
        Var::Local(t, i) => {
            let place = order.iter().position(|p| u32::from(threads[*p]) == t);
            Var::Local(number(place.expect("a thread of the formula")), i)
        }
        other => other,
    })
}

/// The permutations that keep the kind at each place, the identity first.
fn permutations(kinds: &[u32]) -> Vec<Vec<usize>> {
    let mut done = vec![Vec::new()];
    for place in 0..kinds.len() {
        let mut next = Vec::new();
        for prefix in &done {
            for i in 0..kinds.len() {
                if kinds[i] == kinds[place] && !prefix.contains(&i) {
                    let mut longer = prefix.clone();
                    longer.push(i);
                    next.push(longer);
                }
            }
        }
        done = next;
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::logic::counters::Counters;
    use crate::logic::formula::Relation;
    use crate::logic::linear::{Leaf, Linear};
    use crate::logic::model::testing;

    fn local(thread: u32) -> Linear {
        Linear::leaf(Leaf::Var(Var::Local(thread, 0)))
    }

    #[test]
    fn predicates_are_the_same_up_to_renaming() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let templates = [0; 4];
        let less = |a, b| Formula::lt(local(a), local(b));
        let first = predicates.intern(&less(0, 1), &templates).expect("narrow");
        let second = predicates.intern(&less(3, 2), &templates).expect("narrow");
        assert_eq!(first.predicate, second.predicate);
        let moved = predicates.map(&first, |t| if t == 0 { 3 } else { 2 });
        assert_eq!(moved, second);
        assert_eq!(predicates.expr(&second), less(3, 2).expr());
    }

    #[test]
    fn symmetric_instances_have_a_normal_form() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let different = |a, b| Formula::linear(Relation::Ne, local(a).sub(local(b)));
        let one = predicates.intern(&different(0, 1), &[0; 2]).expect("narrow");
        let other = predicates.intern(&different(1, 0), &[0; 2]).expect("narrow");
        assert_eq!(one, other);
        assert_eq!(one.args(), [0, 1]);
        assert_eq!(predicates.map(&one, |t| 1 - t), one);
        assert_eq!(predicates.arrangements(&one).count(), 2);
    }

    #[test]
    fn dummy_threads_make_another_predicate() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let positive = Formula::lt(Linear::default(), local(2));
        let own = predicates.intern(&positive, &[0; 4]).expect("narrow");
        let same = predicates.widen(&own, &BTreeSet::from([2]), &[0; 4]);
        assert_eq!(same, Some(own));
        let one = predicates.widen(&own, &BTreeSet::from([0]), &[0; 4]).expect("narrow");
        assert_ne!(one.predicate, own.predicate);
        assert_eq!(predicates.get(one.predicate).narrow, own.predicate);
        assert_eq!(predicates.expr(&one), positive.expr());
        // The thread that the formula is about keeps its place.
        let other = predicates.widen(&own, &BTreeSet::from([3]), &[0; 4]).expect("narrow");
        assert_eq!(predicates.map(&one, |t| if t == 0 { 3 } else { t }), other);
        assert_ne!(predicates.map(&one, |t| 2 - t), one);
        // Dummy threads are interchangeable.
        let two = predicates.widen(&Instance::FALSE, &BTreeSet::from([1, 3]), &[0; 4]);
        let two = two.expect("narrow");
        assert_eq!(predicates.map(&two, |t| 4 - t), two);
        let many: BTreeSet<Thread> = (0..7).collect();
        assert_eq!(predicates.widen(&Instance::FALSE, &many, &[0; 7]), None);
    }

    #[test]
    fn wide_predicates_are_refused() {
        let program = testing::program();
        let facts = Facts::new(&program, Counters::default());
        let mut predicates = Predicates::new(&facts);
        let sum = (0..7).map(local).fold(Linear::default(), Linear::add);
        let wide = Formula::lt(sum, Linear::default());
        assert_eq!(predicates.intern(&wide, &[0; 7]), None);
    }
}

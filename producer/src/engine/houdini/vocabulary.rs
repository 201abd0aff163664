//! What a program may compare: its integers fall into classes, such as slots and data, by the
//! commands and conditions that relate them; arrays are read at what may be an index.

use crate::logic::convert::{self, Item};
use crate::logic::formula::{Formula, Relation};
use crate::logic::linear::{Array, Leaf, Linear, Value, Var};
use crate::logic::model::{Facts, index, number};
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};
use threadproof_format::{Expr, Sort};

/// The greatest divisor whose remainders are told apart.
const DIVISOR: u32 = 8;

/// A variable of the program; locals and inputs by template and command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Variable {
    Global(u32),
    Local(u32, u32),
    Input(usize, u32),
}

/// Integers that are related as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Integers {
    /// A variable.
    Value(Variable),
    /// The elements of an array.
    Elements(Variable),
    /// What an array is read and written at.
    Indices(Variable),
}

/// A variable of some threads, each with its class if it is an integer.
#[derive(Clone, Debug, Default)]
pub struct Leaves {
    /// Integers and their classes.
    pub integers: Vec<(Leaf, usize)>,
    /// Truth values.
    pub booleans: Vec<Leaf>,
}

/// The classes of a program's integers.
#[derive(Default)]
pub struct Vocabulary {
    numbers: BTreeMap<Integers, usize>,
    parents: Vec<usize>,
    /// Constants that are compared with or given to integers.
    constants: BTreeSet<(usize, BigInt)>,
    /// Integers that are added to, or compared by their order.
    ordered: BTreeSet<usize>,
    /// What integers are divided by.
    divisors: BTreeSet<(usize, BigInt)>,
    /// What is added to integers.
    added: BTreeSet<(usize, BigInt)>,
}

/// Where the variables of a formula belong.
type Owner<'o> = dyn Fn(Var) -> Variable + 'o;

impl Vocabulary {
    /// Reads a program, and formulas about threads of the given templates.
    pub fn new(facts: &Facts, hints: &[(Vec<u32>, Formula)]) -> Self {
        let mut vocabulary = Vocabulary::default();
        for (number, command) in facts.commands.iter().enumerate() {
            let template = crate::logic::model::number(command.template);
            let owner = |var| match var {
                Var::Global(i) => Variable::Global(i),
                Var::Local(_, i) => Variable::Local(template, i),
                Var::Input(i) => Variable::Input(number, i),
            };
            command.guard.iter().for_each(|guard| vocabulary.formula(guard, &owner));
            for (var, value) in &command.updates {
                let sort = |v| match v {
                    Var::Input(i) => command.inputs[index(i)],
                    v => facts.sort(&[template], v),
                };
                vocabulary.update(owner(*var), value, &sort, &owner);
            }
        }
        for (template, init) in (0..).zip(&facts.thread_init) {
            init.iter().for_each(|f| vocabulary.formula(f, &owner_in(&[template])));
        }
        facts.init.iter().for_each(|f| vocabulary.formula(f, &owner_in(&[])));
        for (templates, hint) in hints {
            vocabulary.formula(hint, &owner_in(templates));
        }
        vocabulary
    }

    fn update(
        &mut self,
        target: Variable,
        value: &Expr,
        sort: &dyn Fn(Var) -> Sort,
        owner: &Owner,
    ) {
        match convert::item(value, &|v| Item::variable(v, sort(v))) {
            Item::Int(form) => {
                let target = self.number(Integers::Value(target));
                self.value(target, &form, owner);
            }
            Item::Bool(formula) => self.formula(&formula, owner),
            Item::Array(array) => {
                let base = owner(array.base);
                for kind in [Integers::Elements, Integers::Indices] {
                    let (target, base) = (self.number(kind(target)), self.number(kind(base)));
                    self.unite(target, base);
                }
                self.array(&array, owner);
            }
        }
    }

    fn formula(&mut self, formula: &Formula, owner: &Owner) {
        match formula {
            Formula::Const(_) => {}
            Formula::Bool(leaf, _) => self.read(leaf, owner),
            Formula::Linear(relation, form) => {
                let leaves = self.related(form, owner);
                if *relation == Relation::Le {
                    self.ordered.extend(leaves.first());
                }
                if let [only] = leaves[..] {
                    // A form of one leaf compares it with a constant, or nearly.
                    self.constants.insert((only, -form.constant.clone()));
                    self.constants.insert((only, form.constant.clone()));
                }
            }
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.formula(part, owner));
            }
        }
    }

    /// Relates what is given to integers of a class with them.
    fn value(&mut self, target: usize, form: &Linear, owner: &Owner) {
        if let Some(value) = form.value() {
            self.constants.insert((target, value.clone()));
        }
        for (leaf, _) in &form.terms {
            let leaf = self.leaf(leaf, owner);
            self.unite(target, leaf);
        }
        let copied = form.constant.is_zero() && form.terms.len() == 1;
        if form.value().is_none() && !copied {
            self.ordered.insert(target);
            self.added.insert((target, form.constant.abs()));
        }
    }

    fn leaf(&mut self, leaf: &Leaf, owner: &Owner) -> usize {
        self.read(leaf, owner);
        match leaf {
            Leaf::Var(var) => self.number(Integers::Value(owner(*var))),
            Leaf::Read(read) => self.number(Integers::Elements(owner(read.0.base))),
            Leaf::Quotient(quotient) => self.divided(&quotient.0, &quotient.1, owner),
        }
    }

    /// The leaves of a form, in one class.
    fn related(&mut self, form: &Linear, owner: &Owner) -> Vec<usize> {
        let leaves: Vec<usize> =
            form.terms.iter().map(|(leaf, _)| self.leaf(leaf, owner)).collect();
        for pair in leaves.windows(2) {
            self.unite(pair[0], pair[1]);
        }
        leaves
    }

    /// What is divided; the form has a leaf.
    fn divided(&mut self, form: &Linear, divisor: &BigInt, owner: &Owner) -> usize {
        let first = self.related(form, owner)[0];
        self.ordered.insert(first);
        self.divisors.insert((first, divisor.clone()));
        first
    }

    fn read(&mut self, leaf: &Leaf, owner: &Owner) {
        if let Leaf::Read(read) = leaf {
            let indices = self.number(Integers::Indices(owner(read.0.base)));
            self.value(indices, &read.1, owner);
            self.array(&read.0, owner);
        }
    }

    fn array(&mut self, array: &Array, owner: &Owner) {
        let base = owner(array.base);
        let (elements, indices) =
            (self.number(Integers::Elements(base)), self.number(Integers::Indices(base)));
        for (at, value) in &array.writes {
            self.value(indices, at, owner);
            match value {
                Value::Int(form) => self.value(elements, form, owner),
                Value::Bool(formula) => self.formula(formula, owner),
            }
        }
    }

    fn number(&mut self, integers: Integers) -> usize {
        let next = self.parents.len();
        let number = *self.numbers.entry(integers).or_insert(next);
        if number == next {
            self.parents.push(next);
        }
        number
    }

    fn unite(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        self.parents[left.max(right)] = left.min(right);
    }

    fn root(&self, mut number: usize) -> usize {
        while self.parents[number] != number {
            number = self.parents[number];
        }
        number
    }

    /// The class of integers that the program has, if anything mentions them.
    fn class(&self, integers: Integers) -> Option<usize> {
        self.numbers.get(&integers).map(|number| self.root(*number))
    }

    /// The constants of a class.
    pub fn constants(&self, class: usize) -> BTreeSet<BigInt> {
        let own = self.constants.iter().filter(|(number, _)| self.root(*number) == class);
        own.map(|(_, value)| value.clone()).collect()
    }

    /// What integers of a class are divided by, if it is small.
    pub fn divisors(&self, class: usize) -> BTreeSet<u32> {
        self.small(&self.divisors, class)
    }

    /// By what integers of a class may have a constant remainder: what they are divided by, and
    /// what is added to them.
    pub fn strides(&self, class: usize) -> BTreeSet<u32> {
        let added = self.small(&self.added, class);
        self.divisors(class).into_iter().chain(added).collect()
    }

    fn small(&self, values: &BTreeSet<(usize, BigInt)>, class: usize) -> BTreeSet<u32> {
        let own = values.iter().filter(|(number, _)| self.root(*number) == class);
        let small = own.filter_map(|(_, value)| u32::try_from(value).ok());
        small.filter(|divisor| (2..=DIVISOR).contains(divisor)).collect()
    }

    /// Whether the order of a class' integers matters, not only which are equal.
    pub fn ordered(&self, class: usize) -> bool {
        self.ordered.iter().any(|number| self.root(*number) == class)
    }

    /// The globals, the locals of threads of these templates, and the elements of arrays at those
    /// of them that may be indices.
    pub fn leaves(&self, facts: &Facts, templates: &[u32]) -> Leaves {
        let owner = owner_in(templates);
        let mut leaves = Leaves::default();
        let mut arrays = Vec::new();
        for var in variables(facts, templates) {
            match facts.sort(templates, var) {
                Sort::Int => {
                    let class = self.class(Integers::Value(owner(var)));
                    leaves.integers.extend(class.map(|class| (Leaf::Var(var), class)));
                }
                Sort::Bool => leaves.booleans.push(Leaf::Var(var)),
                sort => arrays.push((var, sort == Sort::BoolArray)),
            }
        }
        let indices = leaves.integers.clone();
        for (base, boolean) in arrays {
            let Some(class) = self.class(Integers::Indices(owner(base))) else { continue };
            let at = indices.iter().filter(|(_, of)| *of == class);
            for at in at.flat_map(|(at, _)| around(at, &self.divisors(class))) {
                let array = Array { base, boolean, writes: Vec::new() };
                let read = Leaf::Read(Box::new((array, at)));
                match self.class(Integers::Elements(owner(base))) {
                    _ if boolean => leaves.booleans.push(read),
                    Some(class) => leaves.integers.push((read, class)),
                    None => {}
                }
            }
        }
        leaves
    }
}

/// An index that may be a variable; or, if such indices are divided, the remainders of it and of
/// its successors: the cells of a ring buffer.
fn around(at: &Leaf, divisors: &BTreeSet<u32>) -> Vec<Linear> {
    let remainder = |divisor: &u32, distance: u32| {
        let sum = Linear::leaf(at.clone()).add(Linear::constant(distance.into()));
        sum.remainder(&BigInt::from(*divisor))
    };
    if divisors.is_empty() {
        return vec![Linear::leaf(at.clone())];
    }
    divisors.iter().flat_map(|n| (0..*n).map(move |i| remainder(n, i))).collect()
}

fn owner_in(templates: &[u32]) -> impl Fn(Var) -> Variable {
    |var| match var {
        Var::Global(i) => Variable::Global(i),
        Var::Local(position, i) => Variable::Local(templates[index(position)], i),
        Var::Input(_) => unreachable!("only commands have inputs"),
    }
}

/// The globals and the locals of the threads of `many` templates.
fn variables(facts: &Facts, templates: &[u32]) -> Vec<Var> {
    let globals = (0..facts.program.globals.len()).map(|i| Var::Global(number(i)));
    let locals = (0..).zip(templates).filter(|(_, t)| facts.many[index(**t)]).flat_map(
        |(position, template)| {
            let locals = &facts.program.templates[index(*template)].locals;
            (0..locals.len()).map(move |i| Var::Local(position, number(i)))
        },
    );
    globals.chain(locals).collect()
}

//! Linear terms over variables and array reads, in normal form.

use crate::logic::formula::Formula;
use crate::logic::sum::Sum;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};
use threadproof_format::{Int, Op};

/// A variable of a command or assertion. Counters are none: where they matter, they are ghost
/// globals (`logic::counters`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Var {
    /// An index into `Program::globals`, so also a local of a single template.
    Global(u32),
    /// The number of a thread, and an index into its template's locals.
    Local(u32, u32),
    /// An index into the inputs of the command's edge.
    Input(u32),
}

impl Var {
    /// The variable that an operator names; `None` for all other operators.
    pub fn of(op: &Op) -> Option<Var> {
        match op {
            Op::Global(i) => Some(Var::Global(*i)),
            Op::Local(t, i) => Some(Var::Local(*t, *i)),
            Op::Input(i) => Some(Var::Input(*i)),
            _ => None,
        }
    }

    /// The operator that names the variable.
    pub fn op(self) -> Op {
        match self {
            Var::Global(i) => Op::Global(i),
            Var::Local(t, i) => Op::Local(t, i),
            Var::Input(i) => Op::Input(i),
        }
    }
}

/// An array: a variable with writes on top, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Array {
    /// The variable, of sort IntArray or BoolArray.
    pub base: Var,
    /// Whether the elements are truth values.
    pub boolean: bool,
    /// Index and value of each write, the oldest first.
    pub writes: Vec<(Linear, Value)>,
}

/// What is written to an array, by the sort of its elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// To an IntArray.
    Int(Linear),
    /// To a BoolArray.
    Bool(Formula),
}

/// What a linear term is a combination of, or a Boolean atom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leaf {
    /// A variable of sort Int or Bool.
    Var(Var),
    /// The element of an array at an index.
    Read(Box<(Array, Linear)>),
    /// The quotient of a form by a constant of at least 2, rounded down; the form's coefficients
    /// and its constant are at least 0 and below the constant.
    Quotient(Box<(Linear, BigInt)>),
}

/// A sum of integer multiples of leaves and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linear {
    /// Leaves, ascending, with coefficients that are not zero.
    pub terms: Vec<(Leaf, BigInt)>,
    /// The summand without a leaf.
    pub constant: BigInt,
}

impl Linear {
    /// The form without leaves that has this value.
    pub fn constant(value: BigInt) -> Self {
        Linear { terms: Vec::new(), constant: value }
    }

    /// The form of one leaf of sort Int, with coefficient 1.
    pub fn leaf(leaf: Leaf) -> Self {
        Linear { terms: vec![(leaf, BigInt::one())], constant: BigInt::zero() }
    }

    /// The value, if no leaf occurs.
    pub fn value(&self) -> Option<&BigInt> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The coefficient of a leaf; zero if the leaf does not occur.
    pub fn coefficient(&self, leaf: &Leaf) -> BigInt {
        self.terms.iter().find(|(l, _)| l == leaf).map_or_else(BigInt::zero, |(_, c)| c.clone())
    }

    /// The form with all coefficients and the constant multiplied by an integer, which may be zero.
    pub fn scale(mut self, factor: &BigInt) -> Self {
        if factor.is_zero() {
            return Linear::default();
        }
        for (_, c) in &mut self.terms {
            *c *= factor;
        }
        self.constant *= factor;
        self
    }

    /// The sum of two forms; leaves whose coefficients cancel are dropped.
    pub fn add(self, other: Linear) -> Self {
        let mut terms: Vec<(Leaf, BigInt)> =
            Vec::with_capacity(self.terms.len() + other.terms.len());
        let mut right = other.terms.into_iter().peekable();
        for (leaf, mut c) in self.terms {
            while let Some(t) = right.next_if(|(l, _)| *l < leaf) {
                terms.push(t);
            }
            if let Some((_, d)) = right.next_if(|(l, _)| *l == leaf) {
                c += d;
            }
            if !c.is_zero() {
                terms.push((leaf, c));
            }
        }
        terms.extend(right);
        Linear { terms, constant: self.constant + other.constant }
    }

    /// `self - other`.
    pub fn sub(self, other: Linear) -> Self {
        self.add(other.scale(&-BigInt::one()))
    }

    /// The quotient by a constant of at least 2, rounded down: multiples of the constant are
    /// divided out, so that equal quotients become equal leaves (SPEC.md 5.2.11).
    pub fn quotient(self, divisor: &BigInt) -> Self {
        let part = |(leaf, c): &(Leaf, BigInt)| {
            let quotient = c.div_floor(divisor);
            (!quotient.is_zero()).then(|| (leaf.clone(), quotient))
        };
        let whole = Linear {
            terms: self.terms.iter().filter_map(part).collect(),
            constant: self.constant.div_floor(divisor),
        };
        let rest = self.sub(whole.clone().scale(divisor));
        if rest.terms.is_empty() {
            return whole;
        }
        whole.add(Linear::leaf(Leaf::Quotient(Box::new((rest, divisor.clone())))))
    }

    /// The remainder of [`Linear::quotient`].
    pub fn remainder(self, divisor: &BigInt) -> Self {
        let quotient = self.clone().quotient(divisor);
        self.sub(quotient.scale(divisor))
    }

    /// Replaces the leaves that are no quotients, here and in what is divided.
    pub fn map(&self, f: &mut dyn FnMut(&Leaf) -> Linear) -> Self {
        let mut sum = Linear::constant(self.constant.clone());
        for (leaf, c) in &self.terms {
            let value = match leaf {
                Leaf::Quotient(quotient) => quotient.0.map(f).quotient(&quotient.1),
                leaf => f(leaf),
            };
            sum = sum.add(value.scale(c));
        }
        sum
    }

    /// Replaces the variables by variables.
    pub fn rename(&self, f: &mut dyn FnMut(Var) -> Var) -> Self {
        self.map(&mut |leaf| Linear::leaf(leaf.rename(f)))
    }

    /// The term as an expression, in postfix order.
    pub fn write(&self, out: &mut Vec<Op>) {
        Sum::of(self).write(out);
    }
}

impl Leaf {
    /// The leaf as an expression, in postfix order.
    pub fn write(&self, out: &mut Vec<Op>) {
        match self {
            Leaf::Var(v) => out.push(v.op()),
            Leaf::Read(read) => {
                read.0.write(out);
                read.1.write(out);
                out.push(Op::Select);
            }
            Leaf::Quotient(quotient) => {
                quotient.0.write(out);
                out.push(Op::Div(Int(quotient.1.clone())));
            }
        }
    }

    /// Replaces the variables. A quotient may be no normal form then: [`Linear::rename`].
    pub fn rename(&self, f: &mut dyn FnMut(Var) -> Var) -> Leaf {
        match self {
            Leaf::Var(v) => Leaf::Var(f(*v)),
            Leaf::Read(read) => {
                let array = read.0.rename(f);
                Leaf::Read(Box::new((array, read.1.rename(f))))
            }
            Leaf::Quotient(quotient) => {
                Leaf::Quotient(Box::new((quotient.0.rename(f), quotient.1.clone())))
            }
        }
    }

    /// Replaces an integer variable in indices, and in what is divided: [`Linear::substitute`].
    pub fn substitute(&self, var: Var, by: &Linear) -> Leaf {
        match self {
            Leaf::Var(_) => self.clone(),
            Leaf::Read(read) => {
                let (array, index) = read.as_ref();
                Leaf::Read(Box::new((array.clone(), index.substitute(var, by))))
            }
            Leaf::Quotient(quotient) => {
                Leaf::Quotient(Box::new((quotient.0.substitute(var, by), quotient.1.clone())))
            }
        }
    }

    /// Calls `f` with each variable, once for each occurrence, also in indices and in writes.
    pub fn variables(&self, f: &mut dyn FnMut(Var)) {
        match self {
            Leaf::Var(v) => f(*v),
            Leaf::Read(read) => {
                read.0.variables(f);
                read.1.variables(f);
            }
            Leaf::Quotient(quotient) => quotient.0.variables(f),
        }
    }
}

impl Array {
    /// The array as an expression, in postfix order.
    pub fn write(&self, out: &mut Vec<Op>) {
        out.push(self.base.op());
        for (index, value) in &self.writes {
            index.write(out);
            match value {
                Value::Int(v) => v.write(out),
                Value::Bool(v) => out.extend(v.expr().0),
            }
            out.push(Op::Store);
        }
    }

    fn rename(&self, f: &mut dyn FnMut(Var) -> Var) -> Array {
        let mut writes = Vec::with_capacity(self.writes.len());
        for (index, value) in &self.writes {
            let value = match value {
                Value::Int(v) => Value::Int(v.rename(f)),
                Value::Bool(v) => Value::Bool(v.rename(f)),
            };
            writes.push((index.rename(f), value));
        }
        Array { base: f(self.base), boolean: self.boolean, writes }
    }

    fn variables(&self, f: &mut dyn FnMut(Var)) {
        f(self.base);
        for (index, value) in &self.writes {
            index.variables(f);
            match value {
                Value::Int(v) => v.variables(f),
                Value::Bool(v) => v.variables(f),
            }
        }
    }
}

impl Linear {
    /// Calls `f` with each variable, once for each occurrence, also in indices and in writes.
    pub fn variables(&self, f: &mut dyn FnMut(Var)) {
        for (leaf, _) in &self.terms {
            leaf.variables(f);
        }
    }

    /// Replaces an integer variable, also in indices; not below writes.
    pub fn substitute(&self, var: Var, by: &Linear) -> Linear {
        self.map(&mut |leaf| match leaf {
            Leaf::Var(v) if *v == var => by.clone(),
            leaf => Linear::leaf(leaf.substitute(var, by)),
        })
    }
}

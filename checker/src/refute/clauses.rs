//! The clausal form of an obligation: what a refutation refutes (SPEC.md section 5).
//!
//! Deterministic, so that checker and producer number leaves, variables and clauses alike. Formulas
//! become and-inverter gates over linear atoms and Boolean leaves; gates are hashed, so equal
//! formulas become equal literals.

use super::linear;
use crate::error::{Budget, Held, Reason};
use num_bigint::{BigInt, Sign};
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;
use threadproof_format::refutation::{Linear, Lit};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// The literal of the constant true: variable 1, which clause 0 asserts.
pub const TRUE: Lit = 1;

/// The cost of an operator or of a write that a read passes: several look-ups.
const STEP: usize = 8;

/// A term that arithmetic and logic don't look into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Leaf {
    /// A variable or input of sort Int or Bool.
    Variable(Op),
    /// A read of an array at an index. All reads down a chain of writes share the index.
    Read(u32, Rc<Linear>),
}

/// An array term.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Array {
    /// A variable or input.
    Variable(Op),
    /// An array (number), with the value at an index replaced.
    Store(u32, Linear, Value),
}

/// What an expression becomes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Of sort Int.
    Int(Linear),
    /// Of sort Bool.
    Bool(Lit),
    /// An array, by its number.
    Array(u32),
}

/// A propositional variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// The constant.
    True,
    /// `form <= 0`, coprime coefficients, the first one positive.
    AtMost(Linear),
    /// A leaf of sort Bool.
    Truth(u32),
    /// The conjunction of two literals, the smaller one first.
    Both(Lit, Lit),
}

/// An obligation's leaves, arrays, variables and clauses.
#[derive(Debug)]
pub struct ClausalForm {
    sorts: HashMap<Op, Sort>,
    leaves: Table<Leaf>,
    arrays: Table<(Array, Sort)>,
    variables: Table<Variable>,
    clauses: Vec<Vec<Lit>>,
    /// Literals that were asserted.
    asserted: HashSet<Lit>,
    /// Conjunctions that have their defining clauses.
    defined: HashSet<Lit>,
    /// Terms of the variables' linear forms.
    held: Held,
}

/// A list without duplicates.
#[derive(Debug)]
struct Table<T> {
    list: Vec<T>,
    index: HashMap<T, u32>,
}

impl<T: Clone + Eq + std::hash::Hash> Table<T> {
    fn intern(&mut self, item: T) -> Result<u32, Reason> {
        if let Some(found) = self.index.get(&item) {
            return Ok(*found);
        }
        let number = crate::error::number(self.list.len())?;
        self.list.push(item.clone());
        self.index.insert(item, number);
        Ok(number)
    }

    fn get(&self, number: u32) -> Option<&T> {
        self.list.get(usize::try_from(number).ok()?)
    }
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Table { list: Vec::new(), index: HashMap::new() }
    }
}

impl ClausalForm {
    /// The clausal form of nothing; `sorts` gives the sorts of variables and inputs.
    ///
    /// # Errors
    /// None here; the type is shared with the other methods.
    pub fn new(sorts: HashMap<Op, Sort>) -> Result<Self, Reason> {
        let mut form = ClausalForm {
            sorts,
            leaves: Table::default(),
            arrays: Table::default(),
            variables: Table::default(),
            clauses: vec![vec![TRUE]],
            asserted: HashSet::new(),
            defined: HashSet::new(),
            held: Held::default(),
        };
        form.variables.intern(Variable::True)?;
        Ok(form)
    }

    /// The clausal form of some formulas together (section 5.3).
    ///
    /// # Errors
    /// `Limit`, or `Sort` if a formula is not well sorted.
    pub fn of(
        sorts: HashMap<Op, Sort>,
        formulas: &[Expr],
        budget: &mut Budget,
    ) -> Result<Self, Reason> {
        let mut form = Self::new(sorts)?;
        for formula in formulas {
            let root = form.literal(formula, budget)?;
            form.assert(root, budget)?;
        }
        Ok(form)
    }

    /// The leaves, by number.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves.list
    }

    /// An array term and the sort of its elements.
    pub fn array(&self, number: u32) -> Option<(&Array, Sort)> {
        self.arrays.get(number).map(|(array, sort)| (array, *sort))
    }

    /// The variables; the variable of literal l is at index |l| - 1.
    pub fn variables(&self) -> &[Variable] {
        &self.variables.list
    }

    /// The clauses, by number.
    pub fn clauses(&self) -> &[Vec<Lit>] {
        &self.clauses
    }

    /// The variable of a literal.
    pub fn variable(&self, lit: Lit) -> Option<&Variable> {
        self.variables.get(lit.unsigned_abs().checked_sub(1)?)
    }

    /// The linear constraint `form <= 0` that a literal stands for.
    ///
    /// # Errors
    /// `Limit`.
    pub fn constraint(&self, lit: Lit, budget: &mut Budget) -> Result<Option<Linear>, Reason> {
        match self.variable(lit) {
            Some(Variable::AtMost(form)) if lit.is_positive() => {
                budget.spend(linear::size(form))?;
                Ok(Some(form.clone()))
            }
            Some(Variable::AtMost(form)) => linear::complement(form, budget).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether a leaf has sort Int.
    pub fn is_integer(&self, leaf: u32) -> bool {
        let sort = match self.leaves.get(leaf) {
            Some(Leaf::Variable(op)) => self.sorts.get(op).copied(),
            Some(Leaf::Read(array, _)) => self.array(*array).map(|(_, sort)| sort),
            None => None,
        };
        sort == Some(Sort::Int)
    }

    fn intern_variable(&mut self, variable: Variable) -> Result<Lit, Reason> {
        let size = match &variable {
            Variable::AtMost(form) => linear::size(form),
            _ => 0,
        };
        let before = self.variables.list.len();
        let number = self.variables.intern(variable)?;
        if self.variables.list.len() > before {
            self.held.hold(size)?;
        }
        let lit = i32::try_from(number).ok().and_then(|n| n.checked_add(1));
        lit.ok_or(Reason::Limit("variables of a clausal form"))
    }

    /// The literal of `form <= 0` (section 5.1).
    ///
    /// # Errors
    /// `Limit`.
    pub fn at_most_zero(&mut self, form: Linear, budget: &mut Budget) -> Result<Lit, Reason> {
        let form = linear::tighten(form, budget)?;
        match form.terms.first() {
            None => Ok(if form.constant.0.sign() == Sign::Plus { -TRUE } else { TRUE }),
            Some((_, first)) if first.0.sign() == Sign::Plus => {
                self.intern_variable(Variable::AtMost(form))
            }
            Some(_) => {
                let opposite = linear::complement(&form, budget)?;
                Ok(-self.intern_variable(Variable::AtMost(opposite))?)
            }
        }
    }

    /// `left <= right - gap`.
    fn at_most(
        &mut self,
        left: &Linear,
        right: &Linear,
        gap: i64,
        budget: &mut Budget,
    ) -> Result<Lit, Reason> {
        let mut form = linear::subtract(left, right, budget)?;
        form.constant.0 += gap;
        self.at_most_zero(form, budget)
    }

    /// `left < right`.
    pub(super) fn less(
        &mut self,
        left: &Linear,
        right: &Linear,
        budget: &mut Budget,
    ) -> Result<Lit, Reason> {
        self.at_most(left, right, 1, budget)
    }

    /// The two literals whose conjunction says that two values are equal: `left <= right` and
    /// `right <= left`, or `left -> right` and `right -> left` as clauses of two literals.
    pub(super) fn equal_parts(
        &mut self,
        left: &Value,
        right: &Value,
        budget: &mut Budget,
    ) -> Result<[Vec<Lit>; 2], Reason> {
        match (left, right) {
            (Value::Int(l), Value::Int(r)) => {
                Ok([vec![self.at_most(l, r, 0, budget)?], vec![self.at_most(r, l, 0, budget)?]])
            }
            (Value::Bool(l), Value::Bool(r)) => Ok([vec![-l, *r], vec![*l, -r]]),
            _ => Err(Reason::Sort("equality of arrays")),
        }
    }

    fn both(&mut self, left: Lit, right: Lit) -> Result<Lit, Reason> {
        let (a, b) = (left.min(right), left.max(right));
        if a == -TRUE || b == -TRUE || a == -b {
            Ok(-TRUE)
        } else if a == TRUE || a == b {
            Ok(b)
        } else if b == TRUE {
            Ok(a)
        } else {
            self.intern_variable(Variable::Both(a, b))
        }
    }

    fn either(&mut self, left: Lit, right: Lit) -> Result<Lit, Reason> {
        Ok(-self.both(-left, -right)?)
    }

    /// The value of a leaf.
    pub(super) fn leaf_value(&mut self, leaf: Leaf, sort: Sort) -> Result<Value, Reason> {
        let number = self.leaves.intern(leaf)?;
        match sort {
            Sort::Int => Ok(Value::Int(linear::leaf(number))),
            _ => Ok(Value::Bool(self.intern_variable(Variable::Truth(number))?)),
        }
    }

    /// Reads an array (section 5.2): reads over writes at an index that is plainly the same or
    /// plainly another one are resolved; the read of the array below is made known as well.
    pub(super) fn read(
        &mut self,
        array: u32,
        index: &Rc<Linear>,
        budget: &mut Budget,
    ) -> Result<Value, Reason> {
        let mut at = array;
        let mut first = None;
        loop {
            budget.spend(STEP)?;
            let (term, sort) = self.arrays.get(at).ok_or(Reason::Index("array"))?;
            let sort = *sort;
            let (below, written, value) = match term {
                Array::Variable(_) => {
                    let value = self.leaf_value(Leaf::Read(at, index.clone()), sort)?;
                    return Ok(first.unwrap_or(value));
                }
                Array::Store(below, written, value) => (*below, written, value),
            };
            let difference = linear::subtract(written, index, budget)?;
            if difference.terms.is_empty() && difference.constant == Int::from(0) {
                return Ok(first.unwrap_or_else(|| value.clone()));
            }
            if !difference.terms.is_empty() {
                budget.spend(linear::size(index))?;
                let value = self.leaf_value(Leaf::Read(at, index.clone()), sort)?;
                first.get_or_insert(value);
            }
            at = below;
        }
    }

    /// The literal of a formula.
    ///
    /// # Errors
    /// `Limit`, or `Sort` if it is not well sorted.
    pub fn literal(&mut self, formula: &Expr, budget: &mut Budget) -> Result<Lit, Reason> {
        if formula.0.len() > threadproof_format::limits::MAX_OPS {
            return Err(Reason::Limit("operators of a formula"));
        }
        let mut stack: Vec<Value> = Vec::new();
        for op in &formula.0 {
            budget.spend(STEP)?;
            let from =
                stack.len().checked_sub(op.arity()).ok_or(Reason::Sort("missing operand"))?;
            let operands = stack.split_off(from);
            let value = self.apply(op, &operands, budget)?;
            stack.push(value);
        }
        match stack[..] {
            [Value::Bool(lit)] => Ok(lit),
            _ => Err(Reason::Sort("not one formula")),
        }
    }

    fn apply(&mut self, op: &Op, operands: &[Value], budget: &mut Budget) -> Result<Value, Reason> {
        use Value::{Array as A, Bool as B, Int as I};
        Ok(match (op, operands) {
            (Op::Int(value), []) => I(linear::constant(value)),
            (Op::Bool(value), []) => B(if *value { TRUE } else { -TRUE }),
            (symbol, []) => self.variable_value(symbol)?,
            (Op::Add, [I(l), I(r)]) => I(linear::add_scaled(l, r, &BigInt::from(1), budget)?),
            (Op::Sub, [I(l), I(r)]) => I(linear::subtract(l, r, budget)?),
            (Op::Scale(k), [I(form)]) => I(linear::scale(form, &k.0, budget)?),
            (Op::Select, [A(array), I(index)]) => {
                self.read(*array, &Rc::new(index.clone()), budget)?
            }
            (Op::Store, [A(array), I(index), value]) => {
                let (_, sort) = self.array(*array).ok_or(Reason::Index("array"))?;
                if let B(lit) = value {
                    self.define(*lit, budget)?;
                }
                let term = Array::Store(*array, index.clone(), value.clone());
                A(self.arrays.intern((term, sort))?)
            }
            (Op::Cmp(cmp), [I(l), I(r)]) => B(self.compare(*cmp, l, r, budget)?),
            (Op::Cmp(Cmp::Eq), [B(l), B(r)]) => B(self.same(*l, *r)?),
            (Op::Cmp(Cmp::Ne), [B(l), B(r)]) => B(-self.same(*l, *r)?),
            (Op::Not, [B(lit)]) => B(-lit),
            (Op::And, [B(l), B(r)]) => B(self.both(*l, *r)?),
            (Op::Or, [B(l), B(r)]) => B(self.either(*l, *r)?),
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        })
    }

    fn variable_value(&mut self, op: &Op) -> Result<Value, Reason> {
        let sort = *self.sorts.get(op).ok_or(Reason::Index("variable"))?;
        match sort.element() {
            Some(element) => {
                Ok(Value::Array(self.arrays.intern((Array::Variable(op.clone()), element))?))
            }
            None => self.leaf_value(Leaf::Variable(op.clone()), sort),
        }
    }

    fn same(&mut self, l: Lit, r: Lit) -> Result<Lit, Reason> {
        let (forth, back) = (self.either(-l, r)?, self.either(l, -r)?);
        self.both(forth, back)
    }

    fn compare(&mut self, c: Cmp, l: &Linear, r: &Linear, b: &mut Budget) -> Result<Lit, Reason> {
        match c {
            Cmp::Lt => self.at_most(l, r, 1, b),
            Cmp::Le => self.at_most(l, r, 0, b),
            Cmp::Gt => self.at_most(r, l, 1, b),
            Cmp::Ge => self.at_most(r, l, 0, b),
            Cmp::Eq => {
                let (below, above) = (self.at_most(l, r, 0, b)?, self.at_most(r, l, 0, b)?);
                self.both(below, above)
            }
            Cmp::Ne => Ok(-self.compare(Cmp::Eq, l, r, b)?),
        }
    }

    /// Adds the clauses that say that a literal holds (section 5.3). Conjunctions are split,
    /// disjunctions are flattened, a conjunction inside a disjunction gets clauses that define it
    /// in the one direction that is needed.
    fn assert(&mut self, root: Lit, budget: &mut Budget) -> Result<(), Reason> {
        let mut queue = VecDeque::from([(None, root)]);
        while let Some((condition, lit)) = queue.pop_front() {
            if condition.is_none() {
                if !self.asserted.insert(lit) {
                    continue;
                }
                if let Some((a, b)) = self.conjunction(lit) {
                    queue.extend([(None, a), (None, b)]);
                    continue;
                }
            }
            let Some(clause) = simplify(self.flatten(condition, lit, budget)?) else {
                continue;
            };
            for &gate in &clause {
                if let Some((a, b)) = self.conjunction(gate)
                    && self.defined.insert(gate)
                {
                    queue.extend([(Some(-gate), a), (Some(-gate), b)]);
                }
            }
            self.clauses.push(clause);
        }
        Ok(())
    }

    /// The parts of a literal that is a conjunction.
    fn conjunction(&self, lit: Lit) -> Option<(Lit, Lit)> {
        match self.variable(lit) {
            Some(Variable::Both(a, b)) if lit.is_positive() => Some((*a, *b)),
            _ => None,
        }
    }

    /// Adds the clauses that define a literal's conjunctions in both directions: a stored truth
    /// value is read under either sign (section 5.3).
    fn define(&mut self, root: Lit, budget: &mut Budget) -> Result<(), Reason> {
        let mut todo = vec![root];
        while let Some(lit) = todo.pop() {
            budget.spend(1)?;
            let gate = lit.abs();
            if let Some((a, b)) = self.conjunction(gate)
                && self.defined.insert(-gate)
            {
                self.defined.insert(gate);
                let clauses = [vec![-gate, a], vec![-gate, b], vec![gate, -a, -b]];
                self.clauses.extend(clauses.into_iter().filter_map(simplify));
                todo.extend([a, b]);
            }
        }
        Ok(())
    }

    /// The literals of a disjunction, through nested disjunctions.
    fn flatten(
        &self,
        condition: Option<Lit>,
        lit: Lit,
        budget: &mut Budget,
    ) -> Result<Vec<Lit>, Reason> {
        let mut clause: Vec<Lit> = condition.into_iter().collect();
        let (mut todo, mut seen) = (vec![lit], HashSet::new());
        while let Some(lit) = todo.pop() {
            budget.spend(1)?;
            match self.variable(lit) {
                Some(&Variable::Both(a, b)) if lit.is_negative() => {
                    todo.extend([-b, -a].into_iter().filter(|part| seen.insert(*part)));
                }
                _ => clause.push(lit),
            }
        }
        Ok(clause)
    }
}

/// A clause in ascending order without duplicates and without `false`; `None` if it always holds.
pub(super) fn simplify(mut clause: Vec<Lit>) -> Option<Vec<Lit>> {
    clause.sort_unstable();
    clause.dedup();
    clause.retain(|lit| *lit != -TRUE);
    let tautology = clause.iter().any(|l| *l == TRUE || clause.binary_search(&-l).is_ok());
    (!tautology).then_some(clause)
}

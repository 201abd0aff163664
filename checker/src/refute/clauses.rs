//! The clausal form of an obligation: what a refutation refutes (SPEC.md section 5).
//!
//! Deterministic, so that checker and producer number leaves, variables and clauses alike. Formulas
//! become and-inverter gates over linear atoms and Boolean leaves; gates are hashed, so equal
//! formulas become equal literals.

use super::linear;
use super::terms::{Array, Leaf, Value, Variable};
use crate::budget::{Held, number};
use crate::error::{Budget, Reason};
use crate::sorts::fold;
use std::cmp::Ordering;
use std::rc::Rc;
use threadproof_format::refutation::{Linear, Lit};
use threadproof_format::work::{
    Group as _, Item, List as _, Map, Metered as _, Seq, Set, Spent, Table as _, list,
};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// The literal of the constant true: variable 1, which clause 0 asserts.
pub const TRUE: Lit = 1;

/// An obligation's leaves, arrays, variables and clauses.
#[derive(Debug)]
pub struct ClausalForm {
    sorts: Map<Op, Sort>,
    leaves: Interned<Leaf>,
    arrays: Interned<(Array, Sort)>,
    variables: Interned<Variable>,
    clauses: Seq<Seq<Lit>>,
    /// Literals that were asserted.
    asserted: Set<Lit>,
    /// Conjunctions that have their defining clauses.
    defined: Set<Lit>,
    /// The sizes of leaves, arrays and variables.
    held: Held,
}

/// A list without duplicates.
#[derive(Debug)]
struct Interned<T> {
    list: Seq<T>,
    index: Map<T, u32>,
}

impl<T: Item> Interned<T> {
    fn new() -> Self {
        Interned { list: Seq::new(), index: Map::new() }
    }

    fn intern(&mut self, item: T, held: &Held, budget: &Budget) -> Result<u32, Reason> {
        if let Some(found) = self.index.look(&item, budget)? {
            return Ok(*found);
        }
        held.hold(item.size())?;
        let number = number(self.list.len())?;
        self.list.add(item.copy(budget)?, budget)?;
        self.index.put(item, number, budget)?;
        Ok(number)
    }
}

impl ClausalForm {
    /// The clausal form of nothing; `sorts` gives the sorts of variables and inputs.
    ///
    /// # Errors
    /// `Limit`.
    pub fn new(sorts: Map<Op, Sort>, budget: &Budget) -> Result<Self, Reason> {
        let mut form = ClausalForm {
            sorts,
            leaves: Interned::new(),
            arrays: Interned::new(),
            variables: Interned::new(),
            clauses: [[TRUE].into()].into(),
            asserted: Set::new(),
            defined: Set::new(),
            held: Held::default(),
        };
        form.variables.intern(Variable::True, &form.held, budget)?;
        Ok(form)
    }

    /// The clausal form of some formulas together (section 5.3).
    ///
    /// # Errors
    /// `Limit`, or `Sort` if a formula is not well sorted.
    pub fn of(sorts: Map<Op, Sort>, formulas: &Seq<Expr>, budget: &Budget) -> Result<Self, Reason> {
        let mut form = Self::new(sorts, budget)?;
        for formula in formulas.walk(budget)? {
            let root = form.literal(formula, budget)?;
            form.assert(root, budget)?;
        }
        Ok(form)
    }

    /// The leaves, by number.
    pub fn leaves(&self) -> &Seq<Leaf> {
        &self.leaves.list
    }

    /// An array term and the sort of its elements.
    ///
    /// # Errors
    /// `Limit`.
    pub fn array(&self, number: u32, budget: &Budget) -> Result<Option<&(Array, Sort)>, Spent> {
        self.arrays.list.at(number, budget)
    }

    /// The variables; the variable of literal l is at index |l| - 1.
    pub fn variables(&self) -> &Seq<Variable> {
        &self.variables.list
    }

    /// The clauses, by number.
    pub fn clauses(&self) -> &Seq<Seq<Lit>> {
        &self.clauses
    }

    /// The variable of a literal.
    ///
    /// # Errors
    /// `Limit`.
    pub fn variable(&self, lit: Lit, budget: &Budget) -> Result<Option<&Variable>, Spent> {
        // There is no literal 0, and no variable at the index that this makes of it.
        self.variables.list.at(lit.unsigned_abs().wrapping_sub(1), budget)
    }

    /// The linear constraint `form <= 0` that a literal stands for.
    ///
    /// # Errors
    /// `Limit`.
    pub fn constraint(&self, lit: Lit, budget: &Budget) -> Result<Option<Linear>, Reason> {
        match self.variable(lit, budget)? {
            Some(Variable::AtMost(form)) if lit.is_positive() => Ok(Some(form.copy(budget)?)),
            Some(Variable::AtMost(form)) => linear::complement(form, budget).map(Some),
            _ => Ok(None),
        }
    }

    /// Whether a leaf has sort Int.
    ///
    /// # Errors
    /// `Limit`.
    pub fn is_integer(&self, leaf: u32, budget: &Budget) -> Result<bool, Spent> {
        let sort = match self.leaves.list.at(leaf, budget)? {
            Some(Leaf::Variable(op)) => self.sorts.look(op, budget)?.copied(),
            Some(Leaf::Read(array, _)) => self.array(*array, budget)?.map(|(_, sort)| *sort),
            Some(Leaf::Quotient(..)) => Some(Sort::Int),
            None => None,
        };
        Ok(sort == Some(Sort::Int))
    }

    fn intern_variable(&mut self, variable: Variable, budget: &Budget) -> Result<Lit, Reason> {
        let number = self.variables.intern(variable, &self.held, budget)?;
        let lit = i32::try_from(number).ok().and_then(|n| n.checked_add(1));
        lit.ok_or(Reason::Limit("variables of a clausal form"))
    }

    /// The literal of `form <= 0` (section 5.1).
    ///
    /// # Errors
    /// `Limit`.
    pub fn at_most_zero(&mut self, form: Linear, budget: &Budget) -> Result<Lit, Reason> {
        let form = linear::tighten(form, budget)?;
        match form.terms.first() {
            None => Ok(if form.constant.sign() == Ordering::Greater { -TRUE } else { TRUE }),
            Some((_, first)) if first.sign() == Ordering::Greater => {
                self.intern_variable(Variable::AtMost(form), budget)
            }
            Some(_) => {
                let opposite = linear::complement(&form, budget)?;
                Ok(-self.intern_variable(Variable::AtMost(opposite), budget)?)
            }
        }
    }

    /// `l <= r - gap`.
    pub(super) fn at_most(
        &mut self,
        l: &Linear,
        r: &Linear,
        gap: i64,
        b: &Budget,
    ) -> Result<Lit, Reason> {
        let mut form = linear::subtract(l, r, b)?;
        form.constant = form.constant.plus(&gap.into(), b)?;
        self.at_most_zero(form, b)
    }

    /// The two literals whose conjunction says that two values are equal: `left <= right` and
    /// `right <= left`, or `left -> right` and `right -> left` as clauses of two literals.
    pub(super) fn equal_parts(
        &mut self,
        left: &Value,
        right: &Value,
        budget: &Budget,
    ) -> Result<[Seq<Lit>; 2], Reason> {
        match (left, right) {
            (Value::Int(l), Value::Int(r)) => {
                let halves = [self.at_most(l, r, 0, budget)?, self.at_most(r, l, 0, budget)?];
                Ok(halves.map(|half| [half].into()))
            }
            (Value::Bool(l), Value::Bool(r)) => Ok([[-l, *r].into(), [*l, -r].into()]),
            _ => Err(Reason::Sort("equality of arrays")),
        }
    }

    fn both(&mut self, left: Lit, right: Lit, budget: &Budget) -> Result<Lit, Reason> {
        let (a, b) = (left.min(right), left.max(right));
        if a == -TRUE || b == -TRUE || a == -b {
            Ok(-TRUE)
        } else if a == TRUE || a == b {
            Ok(b)
        } else if b == TRUE {
            Ok(a)
        } else {
            self.intern_variable(Variable::Both(a, b), budget)
        }
    }

    fn either(&mut self, left: Lit, right: Lit, budget: &Budget) -> Result<Lit, Reason> {
        Ok(-self.both(-left, -right, budget)?)
    }

    /// The value of a leaf.
    pub(super) fn leaf_value(
        &mut self,
        leaf: Leaf,
        sort: Sort,
        budget: &Budget,
    ) -> Result<Value, Reason> {
        let number = self.leaves.intern(leaf, &self.held, budget)?;
        match sort {
            Sort::Int => Ok(Value::Int(linear::leaf(number))),
            _ => Ok(Value::Bool(self.intern_variable(Variable::Truth(number), budget)?)),
        }
    }

    /// Reads an array (section 5.2): reads over writes at an index that is plainly the same or
    /// plainly another one are resolved; the read of the array below is made known as well.
    pub(super) fn read(
        &mut self,
        array: u32,
        index: &Rc<Linear>,
        budget: &Budget,
    ) -> Result<Value, Reason> {
        let mut at = array;
        let mut first = None;
        loop {
            let (term, sort) = self.array(at, budget)?.ok_or(Reason::Index("array"))?;
            let sort = *sort;
            let (below, written, value) = match term {
                Array::Variable(_) => {
                    let value = self.leaf_value(Leaf::Read(at, index.clone()), sort, budget)?;
                    return Ok(first.unwrap_or(value));
                }
                Array::Store(below, written, value) => (*below, written, value),
            };
            let difference = linear::subtract(written, index, budget)?;
            if difference.terms.is_empty() && difference.constant == Int::from(0) {
                return match first {
                    Some(value) => Ok(value),
                    None => Ok(value.copy(budget)?),
                };
            }
            if !difference.terms.is_empty() {
                let value = self.leaf_value(Leaf::Read(at, index.clone()), sort, budget)?;
                first.get_or_insert(value);
            }
            at = below;
        }
    }

    /// The quotient of a form by a constant, rounded down (section 5.2.11): multiples of the
    /// constant are divided out; the quotient of what remains is a leaf between its two bounds.
    fn quotient(&mut self, form: &Linear, by: &Int, budget: &Budget) -> Result<Linear, Reason> {
        let whole = linear::quotients(form, by, budget)?;
        let rest = linear::add_scaled(form, &whole, &by.opposite(budget)?, budget)?;
        if rest.terms.is_empty() {
            return Ok(whole);
        }
        let before = self.leaves.list.len();
        let leaf = Leaf::Quotient(rest.copy(budget)?, by.copy(budget)?);
        let leaf = linear::leaf(self.leaves.intern(leaf, &self.held, budget)?);
        if self.leaves.list.len() > before {
            let mut product = linear::scale(&leaf, by, budget)?;
            let lower = self.compare(Cmp::Le, &product, &rest, budget)?;
            product.constant = by.copy(budget)?;
            let upper = self.compare(Cmp::Lt, &rest, &product, budget)?;
            self.clauses.add_all([[lower].into(), [upper].into()], budget)?;
        }
        linear::add_scaled(&whole, &leaf, &Int::from(1), budget)
    }

    /// The literal of a formula.
    ///
    /// # Errors
    /// `Limit`, or `Sort` if it is not well sorted.
    pub fn literal(&mut self, formula: &Expr, budget: &Budget) -> Result<Lit, Reason> {
        match fold(formula, budget, |op, operands| self.apply(op, operands, budget))? {
            Value::Bool(lit) => Ok(lit),
            Value::Int(_) | Value::Array(_) => Err(Reason::Sort("no formula")),
        }
    }

    fn apply(
        &mut self,
        op: &Op,
        operands: [Option<Value>; 3],
        budget: &Budget,
    ) -> Result<Value, Reason> {
        use Value::{Array as A, Bool as B, Int as I};
        Ok(match (op, operands) {
            (Op::Int(value), _) => I(linear::constant(value, budget)?),
            (Op::Bool(value), _) => B(if *value { TRUE } else { -TRUE }),
            (symbol, _) if symbol.is_symbol() => self.variable_value(symbol, budget)?,
            (Op::Add, [Some(I(l)), Some(I(r)), _]) => {
                I(linear::add_scaled(&l, &r, &Int::from(1), budget)?)
            }
            (Op::Sub, [Some(I(l)), Some(I(r)), _]) => I(linear::subtract(&l, &r, budget)?),
            (Op::Scale(k), [Some(I(form)), ..]) => I(linear::scale(&form, k, budget)?),
            (Op::Div(by), [Some(I(form)), ..]) => I(self.quotient(&form, by, budget)?),
            (Op::Mod(by), [Some(I(form)), ..]) => {
                let quotient = self.quotient(&form, by, budget)?;
                I(linear::add_scaled(&form, &quotient, &by.opposite(budget)?, budget)?)
            }
            (Op::Select, [Some(A(array)), Some(I(index)), _]) => {
                self.read(array, &Rc::new(index), budget)?
            }
            (Op::Store, [Some(A(array)), Some(I(index)), Some(value)]) => {
                let (_, sort) = self.array(array, budget)?.ok_or(Reason::Index("array"))?;
                let sort = *sort;
                if let B(lit) = value {
                    self.define(lit, budget)?;
                }
                A(self.arrays.intern(
                    (Array::Store(array, index, value), sort),
                    &self.held,
                    budget,
                )?)
            }
            (Op::Cmp(cmp), [Some(I(l)), Some(I(r)), _]) => B(self.compare(*cmp, &l, &r, budget)?),
            (Op::Cmp(Cmp::Eq), [Some(B(l)), Some(B(r)), _]) => B(self.same(l, r, budget)?),
            (Op::Cmp(Cmp::Ne), [Some(B(l)), Some(B(r)), _]) => B(-self.same(l, r, budget)?),
            (Op::Not, [Some(B(lit)), ..]) => B(-lit),
            (Op::And, [Some(B(l)), Some(B(r)), _]) => B(self.both(l, r, budget)?),
            (Op::Or, [Some(B(l)), Some(B(r)), _]) => B(self.either(l, r, budget)?),
            _ => return Err(Reason::Sort("operand of the wrong sort")),
        })
    }

    fn variable_value(&mut self, op: &Op, budget: &Budget) -> Result<Value, Reason> {
        let sort = *self.sorts.look(op, budget)?.ok_or(Reason::Index("variable"))?;
        let variable = op.copy(budget)?;
        match sort.element() {
            Some(element) => Ok(Value::Array(self.arrays.intern(
                (Array::Variable(variable), element),
                &self.held,
                budget,
            )?)),
            None => self.leaf_value(Leaf::Variable(variable), sort, budget),
        }
    }

    fn same(&mut self, l: Lit, r: Lit, budget: &Budget) -> Result<Lit, Reason> {
        let (forth, back) = (self.either(-l, r, budget)?, self.either(l, -r, budget)?);
        self.both(forth, back, budget)
    }

    fn compare(&mut self, c: Cmp, l: &Linear, r: &Linear, b: &Budget) -> Result<Lit, Reason> {
        match c {
            Cmp::Lt => self.at_most(l, r, 1, b),
            Cmp::Le => self.at_most(l, r, 0, b),
            Cmp::Gt => self.at_most(r, l, 1, b),
            Cmp::Ge => self.at_most(r, l, 0, b),
            Cmp::Eq => {
                let (below, above) = (self.at_most(l, r, 0, b)?, self.at_most(r, l, 0, b)?);
                self.both(below, above, b)
            }
            Cmp::Ne => Ok(-self.compare(Cmp::Eq, l, r, b)?),
        }
    }

    /// Adds the clauses that say that a literal holds (section 5.3). Conjunctions are split,
    /// disjunctions are flattened, a conjunction inside a disjunction gets clauses that define it
    /// in the one direction that is needed.
    fn assert(&mut self, root: Lit, budget: &Budget) -> Result<(), Reason> {
        let mut queue = Seq::from([(None, root)]);
        let mut next = 0_usize;
        while let Some(&(condition, lit)) = queue.at(next, budget)? {
            next += 1;
            if condition.is_none() {
                if !self.asserted.include(lit, budget)? {
                    continue;
                }
                if let Some((a, b)) = self.conjunction(lit, budget)? {
                    queue.add_all([(None, a), (None, b)], budget)?;
                    continue;
                }
            }
            let flat = self.flatten(condition, lit, budget)?;
            let Some(clause) = simplify(flat, budget)? else {
                continue;
            };
            for &gate in clause.walk(budget)? {
                if let Some((a, b)) = self.conjunction(gate, budget)?
                    && self.defined.include(gate, budget)?
                {
                    queue.add_all([(Some(-gate), a), (Some(-gate), b)], budget)?;
                }
            }
            self.clauses.add(clause, budget)?;
        }
        Ok(())
    }

    /// The parts of a literal that is a conjunction.
    fn conjunction(&self, lit: Lit, budget: &Budget) -> Result<Option<(Lit, Lit)>, Spent> {
        Ok(match self.variable(lit, budget)? {
            Some(Variable::Both(a, b)) if lit.is_positive() => Some((*a, *b)),
            _ => None,
        })
    }

    /// Adds the clauses that define a literal's conjunctions in both directions: a stored truth
    /// value is read under either sign (section 5.3).
    fn define(&mut self, root: Lit, budget: &Budget) -> Result<(), Reason> {
        let mut todo = Seq::from([root]);
        while let Some(lit) = todo.pop() {
            let gate = lit.abs();
            if let Some((a, b)) = self.conjunction(gate, budget)?
                && self.defined.include(-gate, budget)?
            {
                self.defined.include(gate, budget)?;
                let clauses: [Seq<Lit>; 3] =
                    [[-gate, a].into(), [-gate, b].into(), [gate, -a, -b].into()];
                for clause in clauses {
                    self.clauses.add_all(simplify(clause, budget)?, budget)?;
                }
                todo.add_all([a, b], budget)?;
            }
        }
        Ok(())
    }

    /// The literals of a disjunction, through nested disjunctions.
    fn flatten(&self, condition: Option<Lit>, lit: Lit, b: &Budget) -> Result<Seq<Lit>, Reason> {
        let mut clause: Seq<Lit> = list(condition, b)?;
        let (mut todo, mut seen) = (Seq::from([lit]), Set::new());
        while let Some(lit) = todo.pop() {
            match self.variable(lit, b)? {
                Some(&Variable::Both(one, other)) if lit.is_negative() => {
                    for part in [-other, -one] {
                        if seen.include(part, b)? {
                            todo.add(part, b)?;
                        }
                    }
                }
                _ => clause.add(lit, b)?,
            }
        }
        Ok(clause)
    }
}

/// A clause in ascending order without duplicates and without `false`; `None` if it always holds.
pub(super) fn simplify(clause: Seq<Lit>, budget: &Budget) -> Result<Option<Seq<Lit>>, Spent> {
    let clause = clause.sorted(budget)?;
    for lit in clause.walk(budget)? {
        if *lit == TRUE || clause.finds(&-lit, budget)? {
            return Ok(None);
        }
    }
    let kept = clause.give(budget)?.filter(|lit| *lit != -TRUE);
    list(kept, budget).map(Some)
}

//! What the clausal form of an obligation (SPEC.md section 5) denotes, as terms.

use super::proof::{Known, Proof, Term};
use crate::smtlib::{Stated, name_of, term::integer};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use std::collections::HashMap;
use threadproof_checker::error::{Budget, Reason};
use threadproof_checker::internals::refute::clauses::{ClausalForm, TRUE};
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::refute::terms::{Array, Leaf, Value, Variable};
use threadproof_format::refutation::{Linear, Lit};
use threadproof_format::{Int, Op, Sort};

/// A clausal form with the proof that refers to it.
pub struct Form<'a> {
    pub stated: &'a Stated,
    pub form: ClausalForm,
    pub budget: Budget,
    pub proof: Proof,
    variables: HashMap<Variable, Lit>,
    leaves: HashMap<Leaf, u32>,
    arrays: HashMap<Array, u32>,
    /// The terms of leaves, and of variables that were asked for.
    leaf_terms: Vec<Term>,
    variable_terms: HashMap<Lit, Term>,
}

fn missing(what: &'static str) -> Reason {
    Reason::Index(what)
}

impl<'a> Form<'a> {
    /// The clausal form of an obligation, and what of the proof is written.
    pub fn new(stated: &'a Stated, proof: Proof) -> Result<Self, Reason> {
        let budget = Budget::default();
        let form = stated.obligation.clausal_form(&budget)?;
        let mut new = Form {
            stated,
            form,
            budget,
            proof,
            variables: HashMap::new(),
            leaves: HashMap::new(),
            arrays: HashMap::new(),
            leaf_terms: Vec::new(),
            variable_terms: HashMap::new(),
        };
        new.renew()?;
        Ok(new)
    }

    /// Takes note of new variables and leaves. A leaf's term is made of earlier ones, so nothing
    /// recurses deeply.
    ///
    /// # Errors
    /// If the form is not well formed.
    pub fn renew(&mut self) -> Result<(), Reason> {
        for (lit, variable) in (1..).zip(self.form.variables()).skip(self.variables.len()) {
            self.variables.insert(variable.clone(), lit);
        }
        for number in (0..).skip(self.arrays.len()) {
            let Some((array, _)) = self.form.array(number, &Budget::default())? else { break };
            self.arrays.insert(array.clone(), number);
        }
        while let Some(leaf) = self.form.leaves().get(self.leaf_terms.len()).cloned() {
            let number = u32::try_from(self.leaf_terms.len()).map_err(|_| missing("leaf"))?;
            let term = match &leaf {
                Leaf::Variable(op) => self.symbol(op)?,
                Leaf::Read(array, index) => self.read(*array, index)?,
                Leaf::Quotient(..) => return Err(missing("quotient")),
            };
            self.leaves.insert(leaf, number);
            self.leaf_terms.push(term);
        }
        Ok(())
    }

    /// The literal of a form's atom.
    pub fn at_most_zero(&mut self, form: Linear) -> Result<Lit, Reason> {
        let lit = self.form.at_most_zero(form, &self.budget)?;
        self.renew()?;
        Ok(lit)
    }

    /// The literal of a conjunction (section 5.2).
    pub fn both(&self, left: Lit, right: Lit) -> Result<Lit, Reason> {
        let (a, b) = (left.min(right), left.max(right));
        if a == -TRUE || b == -TRUE || a == -b {
            Ok(-TRUE)
        } else if a == TRUE || a == b {
            Ok(b)
        } else if b == TRUE {
            Ok(a)
        } else {
            let known = self.variables.get(&Variable::Both(a, b));
            known.copied().ok_or(missing("conjunction"))
        }
    }

    /// The value of a leaf.
    pub fn leaf(&self, leaf: &Leaf, sort: Sort) -> Result<Value, Reason> {
        let number = *self.leaves.get(leaf).ok_or(missing("leaf"))?;
        match sort {
            Sort::Int => Ok(Value::Int(linear::leaf(number))),
            _ => {
                let lit = self.variables.get(&Variable::Truth(number));
                lit.copied().map(Value::Bool).ok_or(missing("leaf"))
            }
        }
    }

    /// The value of a variable, input or counter.
    pub fn variable(&self, op: &Op, sort: Sort) -> Result<Value, Reason> {
        match sort.element() {
            None => self.leaf(&Leaf::Variable(op.clone()), sort),
            Some(_) => self.known_array(&Array::Variable(op.clone())),
        }
    }

    /// An array that is written at an index.
    pub fn store(&self, below: u32, index: &Linear, value: &Value) -> Result<Value, Reason> {
        self.known_array(&Array::Store(below, index.clone(), value.clone()))
    }

    fn known_array(&self, array: &Array) -> Result<Value, Reason> {
        self.arrays.get(array).copied().map(Value::Array).ok_or(missing("array"))
    }

    /// The sort of a variable, input or counter.
    pub fn sort(&self, op: &Op) -> Result<Sort, Reason> {
        self.stated.obligation.sorts.get(op).copied().ok_or(missing("variable"))
    }

    /// A variable, input or counter.
    pub fn symbol(&mut self, op: &Op) -> Result<Term, Reason> {
        let (name, sort) = (self.stated.symbol(op), self.sort(op)?);
        Ok(self.proof.term(name_of(sort), &name, &[]))
    }

    fn array_sort(&self, array: u32) -> Result<(Array, Sort), Reason> {
        let (array, sort) = self.form.array(array, &Budget::default())?.ok_or(missing("array"))?;
        Ok((array.clone(), *sort))
    }

    /// An array's element: `None` for a variable, otherwise what is below, the index and the value
    /// of the last write.
    pub fn write(&self, array: u32) -> Result<Option<(u32, Linear, Value)>, Reason> {
        match self.array_sort(array)?.0 {
            Array::Variable(_) => Ok(None),
            Array::Store(below, index, value) => Ok(Some((below, index, value))),
        }
    }

    /// The sort of an array's elements.
    pub fn element(&self, array: u32) -> Result<Sort, Reason> {
        Ok(self.array_sort(array)?.1)
    }

    /// An array.
    pub fn array(&mut self, array: u32) -> Result<Term, Reason> {
        let mut writes = Vec::new();
        let mut at = array;
        while let Some((below, index, value)) = self.write(at)? {
            writes.push((index, value));
            at = below;
        }
        let (variable, sort) = self.array_sort(at)?;
        let Array::Variable(op) = variable else { return Err(missing("array")) };
        let mut term = self.symbol(&op)?;
        while let Some((index, value)) = writes.pop() {
            let (index, value) = (self.linear(&index)?, self.value(&value)?);
            term = self.proof.term(array_of(sort), "store", &[term, index, value]);
        }
        Ok(term)
    }

    /// A value.
    pub fn value(&mut self, value: &Value) -> Result<Term, Reason> {
        match value {
            Value::Int(form) => self.linear(form),
            Value::Bool(lit) => self.literal(*lit),
            Value::Array(array) => self.array(*array),
        }
    }

    /// The read of an array at an index.
    pub fn read(&mut self, array: u32, index: &Linear) -> Result<Term, Reason> {
        let sort = self.element(array)?;
        let (array, index) = (self.array(array)?, self.linear(index)?);
        Ok(self.proof.term(name_of(sort), "select", &[array, index]))
    }

    fn leaf_term(&self, leaf: u32) -> Result<Term, Reason> {
        let term = usize::try_from(leaf).ok().and_then(|l| self.leaf_terms.get(l));
        term.copied().ok_or(missing("leaf"))
    }

    /// An integer.
    pub fn number(&mut self, value: &Int) -> Term {
        self.proof.term("Int", &integer(value), &[])
    }

    /// A linear form.
    pub fn linear(&mut self, form: &Linear) -> Result<Term, Reason> {
        let mut parts = Vec::new();
        for (leaf, coefficient) in &form.terms {
            let leaf = self.leaf_term(*leaf)?;
            parts.push(if *coefficient == Int::from(1) {
                leaf
            } else {
                let coefficient = self.number(coefficient);
                self.proof.term("Int", "*", &[coefficient, leaf])
            });
        }
        if parts.is_empty() || form.constant.0.sign() != Sign::NoSign {
            parts.push(self.number(&form.constant));
        }
        Ok(match parts[..] {
            [part] => part,
            _ => self.proof.term("Int", "+", &parts),
        })
    }

    /// `form <= 0`.
    pub fn constraint(&mut self, form: &Linear) -> Result<Term, Reason> {
        let (form, zero) = (self.linear(form)?, self.number(&Int::from(0)));
        Ok(self.proof.formula("<=", &[form, zero]))
    }

    /// A literal.
    pub fn literal(&mut self, lit: Lit) -> Result<Term, Reason> {
        let mut todo = vec![lit.abs()];
        while let Some(&variable) = todo.last() {
            let known = self.form.variable(variable, &Budget::default())?;
            let known = known.cloned().ok_or(missing("literal"))?;
            let term = match known {
                Variable::True => self.proof.truth(),
                Variable::AtMost(form) => self.constraint(&form)?,
                Variable::Truth(leaf) => self.leaf_term(leaf)?,
                Variable::Both(a, b) => {
                    let open = |l: &Lit| !self.variable_terms.contains_key(&l.abs());
                    let open: Vec<Lit> = [a, b].into_iter().filter(open).map(Lit::abs).collect();
                    if !open.is_empty() {
                        todo.extend(open);
                        continue;
                    }
                    let parts = [self.signed(a)?, self.signed(b)?];
                    self.proof.formula("and", &parts)
                }
            };
            self.variable_terms.insert(variable, term);
            todo.pop();
        }
        self.signed(lit)
    }

    fn signed(&mut self, lit: Lit) -> Result<Term, Reason> {
        let term = self.variable_terms.get(&lit.abs()).copied().ok_or(missing("literal"))?;
        Ok(if lit > 0 { term } else { self.proof.not(term) })
    }

    /// Literals as a clause.
    pub fn clause(&mut self, lits: &[Lit]) -> Result<Vec<Term>, Reason> {
        lits.iter().map(|lit| self.literal(*lit)).collect()
    }

    /// What defines a literal's conjunction: that its parts follow, and that it follows from them.
    pub fn gate(&mut self, lit: Lit) -> Result<Vec<Known>, Reason> {
        let variable = lit.abs();
        let Some(&Variable::Both(a, b)) = self.form.variable(variable, &Budget::default())? else {
            return Ok(Vec::new());
        };
        let whole = self.literal(variable)?;
        let parts = self.clause(&[a, b])?;
        Ok(self.conjunction(whole, &parts))
    }

    /// That a conjunction's parts follow from it, and it from them.
    pub fn conjunction(&mut self, whole: Term, parts: &[Term]) -> Vec<Known> {
        let proof = &mut self.proof;
        let not = proof.not(whole);
        let mut list = Vec::new();
        for (i, part) in parts.iter().enumerate() {
            list.push(proof.axiom("and_pos", vec![not, *part], &[i.to_string()]));
        }
        let mut clause = vec![whole];
        for part in parts {
            clause.push(proof.not(*part));
        }
        list.push(proof.axiom("and_neg", clause, &[]));
        list
    }

    /// A linear arithmetic lemma: each literal with the multiplier of its negation.
    pub fn lemma(&mut self, clause: &[(Term, BigInt)]) -> Known {
        let terms = clause.iter().map(|(term, _)| *term).collect();
        let factors: Vec<String> =
            clause.iter().map(|(_, factor)| integer(&Int(factor.clone()))).collect();
        self.proof.step("la_generic", terms, &[], &factors)
    }
}

/// The name of the sort of arrays of such elements.
pub fn array_of(element: Sort) -> &'static str {
    name_of(if element == Sort::Int { Sort::IntArray } else { Sort::BoolArray })
}

/// What the coefficients of a form are divided by when it becomes an atom.
pub fn divisor(form: &Linear) -> BigInt {
    let common = form.terms.iter().fold(BigInt::ZERO, |common, (_, c)| common.gcd(&c.0));
    if common.sign() == Sign::NoSign { BigInt::from(1) } else { common }
}

//! The problem's formulas: each subterm as it is written, and what ties it to its value in the
//! clausal form.

use super::form::{Form, array_of, divisor};
use super::proof::{Known, Term};
use crate::smtlib::name_of;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use threadproof_checker::error::Budget;
use threadproof_checker::error::Reason;
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::refute::terms::Value;
use threadproof_format::refutation::{Linear, Lit};
use threadproof_format::{Cmp, Expr, Int, Op, Sort};

/// Reads that are summed up and are not written like their values, with their coefficients; and why
/// each is equal to its value's term.
type Rewritten = BTreeMap<Term, (BigInt, Known)>;

/// A subterm.
#[derive(Clone, Debug)]
struct Part {
    /// As it is written.
    term: Term,
    value: Value,
    tie: Tie,
}

/// Why a subterm is equal to its value's term.
#[derive(Clone, Debug)]
enum Tie {
    /// An integer, but for these reads.
    Sum(Rewritten),
    /// That the one follows from the other.
    Clauses(Vec<Known>),
    /// The equality; `None` if both are one term.
    Equality(Option<Known>),
}

/// The difference of two integers.
struct Sides {
    /// Its value.
    form: Linear,
    sum: Rewritten,
}

impl Form<'_> {
    /// That a formula's literal holds, as the formula does.
    ///
    /// # Errors
    /// If the formula is not well sorted.
    pub fn asserted(&mut self, formula: &Expr, known: Known) -> Result<(Known, Lit), Reason> {
        let mut stack: Vec<Part> = Vec::new();
        for op in &formula.0 {
            let from = stack.len().checked_sub(op.arity());
            let operands = stack.split_off(from.ok_or(Reason::Sort("missing operand"))?);
            stack.push(self.apply(op, &operands)?);
        }
        match stack.pop() {
            Some(Part { value: Value::Bool(lit), tie: Tie::Clauses(tie), .. }) => {
                let premises = [vec![known], tie].concat();
                let clause = self.clause(&[lit])?;
                Ok((self.proof.resolve(clause, &premises), lit))
            }
            _ => Err(Reason::Sort("not one formula")),
        }
    }

    fn apply(&mut self, op: &Op, operands: &[Part]) -> Result<Part, Reason> {
        match (op, operands) {
            (Op::Int(value), []) => {
                let term = self.number(value);
                Ok(sum(term, linear::constant(value, &Budget::default())?, BTreeMap::new()))
            }
            (Op::Bool(value), []) => {
                let term = self.proof.formula(&value.to_string(), &[]);
                let lit = if *value { 1 } else { -1 };
                let known = if *value { vec![] } else { vec![self.falsity(term)] };
                Ok(Part { term, value: Value::Bool(lit), tie: Tie::Clauses(known) })
            }
            (symbol, []) => self.symbol_part(symbol),
            (Op::Add, [l, r]) => self.added(l, r, 1),
            (Op::Sub, [l, r]) => self.added(l, r, -1),
            (Op::Scale(k), [of]) => self.scaled(k, of),
            (Op::Select, [array, index]) => self.selected(array, index),
            (Op::Store, [array, index, value]) => self.stored(array, index, value),
            (Op::Not, [of]) => {
                let (term, lit) = (self.proof.not(of.term), truth(of)?);
                Ok(Part { term, value: Value::Bool(-lit), tie: of.tie.clone() })
            }
            (Op::And | Op::Or, [l, r]) => self.connected(*op == Op::And, l, r),
            (Op::Cmp(Cmp::Ne), [l, r]) => {
                let equal = self.apply(&Op::Cmp(Cmp::Eq), &[l.clone(), r.clone()])?;
                self.apply(&Op::Not, &[equal])
            }
            (Op::Cmp(Cmp::Eq), [l, r]) if matches!(l.value, Value::Bool(_)) => self.same(l, r),
            (Op::Cmp(Cmp::Eq), [l, r]) => self.equal(l, r),
            (Op::Cmp(cmp), [l, r]) => self.compared(*cmp, l, r),
            _ => Err(Reason::Sort("operand of the wrong sort")),
        }
    }

    fn falsity(&mut self, term: Term) -> Known {
        let not = self.proof.not(term);
        self.proof.axiom("false", vec![not], &[])
    }

    fn symbol_part(&mut self, op: &Op) -> Result<Part, Reason> {
        let value = self.variable(op, self.sort(op)?)?;
        self.canonical(&value)
    }

    fn added(&mut self, l: &Part, r: &Part, sign: i64) -> Result<Part, Reason> {
        let function = if sign > 0 { "+" } else { "-" };
        let term = self.proof.term("Int", function, &[l.term, r.term]);
        let sides = self.sides(l, r, sign)?;
        Ok(sum(term, sides.form, sides.sum))
    }

    /// `l + sign * r`.
    fn sides(&mut self, l: &Part, r: &Part, sign: i64) -> Result<Sides, Reason> {
        let (left, right) = (integer(l)?, integer(r)?);
        let sign = BigInt::from(sign);
        let form = linear::add_scaled(left.0, right.0, &Int(sign.clone()), &self.budget)?;
        let mut sum = left.1.clone();
        for (term, (coefficient, known)) in right.1 {
            sum.entry(*term).or_insert_with(|| (BigInt::ZERO, *known)).0 += coefficient * &sign;
        }
        sum.retain(|_, (coefficient, _)| *coefficient != BigInt::ZERO);
        Ok(Sides { form, sum })
    }

    fn scaled(&mut self, k: &Int, of: &Part) -> Result<Part, Reason> {
        let number = self.number(k);
        let term = self.proof.term("Int", "*", &[number, of.term]);
        let (form, of) = integer(of)?;
        let form = linear::scale(form, k, &self.budget)?;
        let scaled = of.iter().map(|(term, (c, known))| (*term, (c * &k.0, *known)));
        Ok(sum(term, form, scaled.filter(|(_, (c, _))| *c != BigInt::ZERO).collect()))
    }

    /// That the halves of an equality of two values follow from it.
    pub fn halves_of_values(&mut self, l: &Value, r: &Value) -> Result<Vec<Known>, Reason> {
        let [l, r] = [self.canonical(l)?, self.canonical(r)?];
        match l.value {
            Value::Int(_) => self.halves(&l, &r),
            _ => Ok(self.equivalence(l.term, r.term)),
        }
    }

    /// A value's term.
    fn canonical(&mut self, value: &Value) -> Result<Part, Reason> {
        let tie = match value {
            Value::Int(_) => Tie::Sum(BTreeMap::new()),
            Value::Bool(_) => Tie::Clauses(vec![]),
            Value::Array(_) => Tie::Equality(None),
        };
        Ok(Part { term: self.value(value)?, value: value.clone(), tie })
    }

    /// That `l < r` of two values follows from its literal and the other way round, for `l` and `r`
    /// of sort Int.
    pub fn order(&mut self, l: &Linear, r: &Linear) -> Result<(Term, Vec<Known>), Reason> {
        let (left, right) = (self.linear(l)?, self.linear(r)?);
        let form = linear::subtract(l, r, &self.budget)?;
        let less = self.proof.formula("<", &[left, right]);
        let sides = Sides { form, sum: BTreeMap::new() };
        Ok((less, self.inequality(less, &sides, 1)?.1))
    }

    /// A lemma of a literal about the difference `sides`, and of one that the values have, without
    /// the equalities. `factor` is of the first literal, `times` of the equalities.
    fn tied(
        &mut self,
        first: (Term, BigInt),
        sides: &Sides,
        times: i64,
        second: Option<(Term, BigInt)>,
    ) -> Known {
        let mut clause = vec![first.0];
        clause.extend(second.as_ref().map(|s| s.0));
        let mut lemma = vec![first];
        let mut premises = Vec::new();
        for (coefficient, known) in sides.sum.values() {
            for equality in self.proof.clause(*known).to_vec() {
                lemma.push((self.proof.not(equality), coefficient * times));
            }
            premises.push(*known);
        }
        lemma.extend(second);
        let lemma = self.lemma(&lemma);
        if premises.is_empty() {
            return lemma;
        }
        premises.push(lemma);
        self.proof.resolve(clause, &premises)
    }

    /// What ties an inequality to the literal of `sides + gap <= 0`.
    fn inequality(
        &mut self,
        term: Term,
        sides: &Sides,
        gap: i64,
    ) -> Result<(Lit, Vec<Known>), Reason> {
        let mut form = sides.form.clone();
        form.constant.0 += gap;
        let factor = divisor(&form);
        let lit = self.at_most_zero(form)?;
        let one = BigInt::from(1);
        let not = self.proof.not(term);
        Ok((
            lit,
            match lit {
                1 => vec![self.tied((term, one), sides, -1, None)],
                -1 => vec![self.tied((not, one), sides, 1, None)],
                _ => {
                    let (holds, fails) = (self.literal(lit)?, self.literal(-lit)?);
                    let forth =
                        self.tied((not, one.clone()), sides, 1, Some((holds, factor.clone())));
                    let back = self.tied((term, one), sides, -1, Some((fails, factor)));
                    vec![forth, back]
                }
            },
        ))
    }

    fn compared(&mut self, cmp: Cmp, l: &Part, r: &Part) -> Result<Part, Reason> {
        let (function, turned, gap) = match cmp {
            Cmp::Lt => ("<", false, 1),
            Cmp::Le => ("<=", false, 0),
            Cmp::Gt => (">", true, 1),
            _ => (">=", true, 0),
        };
        let term = self.proof.formula(function, &[l.term, r.term]);
        let sides = if turned { self.sides(r, l, -1)? } else { self.sides(l, r, -1)? };
        let (lit, tie) = self.inequality(term, &sides, gap)?;
        Ok(Part { term, value: Value::Bool(lit), tie: Tie::Clauses(tie) })
    }

    fn equal(&mut self, l: &Part, r: &Part) -> Result<Part, Reason> {
        let term = self.proof.formula("=", &[l.term, r.term]);
        let mut forth = self.halves(l, r)?;
        let mut back = vec![self.antisymmetry(l.term, r.term)];
        let mut lits = [0; 2];
        for ((a, b), lit) in [(l, r), (r, l)].into_iter().zip(&mut lits) {
            let sides = self.sides(a, b, -1)?;
            let below = self.proof.formula("<=", &[a.term, b.term]);
            let (found, tie) = self.inequality(below, &sides, 0)?;
            *lit = found;
            back.extend(tie);
        }
        let lit = self.both(lits[0], lits[1])?;
        let gate = self.gate(lit)?;
        forth.extend(&gate);
        back.extend(&gate);
        let not = self.proof.not(term);
        let (holds, fails) = (self.literal(lit)?, self.literal(-lit)?);
        let tie = vec![
            self.proof.resolve(vec![not, holds], &forth),
            self.proof.resolve(vec![term, fails], &back),
        ];
        Ok(Part { term, value: Value::Bool(lit), tie: Tie::Clauses(tie) })
    }

    /// That the halves of an equality of integers (SPEC.md 6.3) follow from it.
    fn halves(&mut self, l: &Part, r: &Part) -> Result<Vec<Known>, Reason> {
        let equal = self.proof.formula("=", &[l.term, r.term]);
        let not = self.proof.not(equal);
        let mut list = Vec::new();
        for (a, b, sign) in [(l, r, -1), (r, l, 1)] {
            let sides = self.sides(a, b, -1)?;
            let factor = divisor(&sides.form);
            let half = match self.at_most_zero(sides.form.clone())? {
                1 => continue,
                -1 => None,
                lit => Some((self.literal(lit)?, factor)),
            };
            list.push(self.tied((not, BigInt::from(sign)), &sides, 1, half));
        }
        Ok(list)
    }

    /// `l == r`, or one of them is not at most the other.
    pub fn antisymmetry(&mut self, l: Term, r: Term) -> Known {
        let equal = self.proof.formula("=", &[l, r]);
        let (below, above) = (self.proof.formula("<=", &[l, r]), self.proof.formula("<=", &[r, l]));
        let parts = [equal, self.proof.not(below), self.proof.not(above)];
        self.proof.disjunction(&parts, "la_disequality", &[])
    }

    fn connected(&mut self, and: bool, l: &Part, r: &Part) -> Result<Part, Reason> {
        let (left, right) = (truth(l)?, truth(r)?);
        let lit = if and { self.both(left, right)? } else { -self.both(-left, -right)? };
        let term = self.proof.formula(if and { "and" } else { "or" }, &[l.term, r.term]);
        let mut premises = if and {
            self.conjunction(term, &[l.term, r.term])
        } else {
            self.alternatives(term, [l.term, r.term])
        };
        premises.extend(clauses(l)?);
        premises.extend(clauses(r)?);
        premises.extend(self.gate(lit)?);
        let tie = self.equivalent(term, lit, &premises)?;
        Ok(Part { term, value: Value::Bool(lit), tie: Tie::Clauses(tie) })
    }

    /// What defines a disjunction.
    pub fn alternatives(&mut self, whole: Term, parts: [Term; 2]) -> Vec<Known> {
        let not = self.proof.not(whole);
        let mut list = vec![self.proof.axiom("or_pos", vec![not, parts[0], parts[1]], &[])];
        for (i, part) in parts.into_iter().enumerate() {
            let clause = vec![whole, self.proof.not(part)];
            list.push(self.proof.axiom("or_neg", clause, &[i.to_string()]));
        }
        list
    }

    /// That a term and a literal follow from one another, each by unit propagation.
    fn equivalent(
        &mut self,
        term: Term,
        lit: Lit,
        premises: &[Known],
    ) -> Result<Vec<Known>, Reason> {
        let (holds, fails) = (self.literal(lit)?, self.literal(-lit)?);
        let not = self.proof.not(term);
        Ok(vec![
            self.proof.resolve(vec![not, holds], premises),
            self.proof.resolve(vec![term, fails], premises),
        ])
    }

    /// An equality of truth values.
    fn same(&mut self, l: &Part, r: &Part) -> Result<Part, Reason> {
        let (left, right) = (truth(l)?, truth(r)?);
        let forth = -self.both(left, -right)?;
        let back = -self.both(-left, right)?;
        let lit = self.both(forth, back)?;
        let term = self.proof.formula("=", &[l.term, r.term]);
        let not = self.proof.not(term);
        let mut premises = self.equivalence(l.term, r.term);
        premises.extend(clauses(l)?);
        premises.extend(clauses(r)?);
        for gate in [forth, back, lit] {
            premises.extend(self.gate(gate)?);
        }
        for half in [forth, back] {
            let clause = vec![not, self.literal(half)?];
            premises.push(self.proof.resolve(clause, &premises));
        }
        let clause = vec![term, self.literal(-lit)?, l.term];
        premises.push(self.proof.resolve(clause, &premises));
        let tie = self.equivalent(term, lit, &premises)?;
        Ok(Part { term, value: Value::Bool(lit), tie: Tie::Clauses(tie) })
    }

    /// The four clauses that define `l = r` of truth values.
    pub fn equivalence(&mut self, l: Term, r: Term) -> Vec<Known> {
        let term = self.proof.formula("=", &[l, r]);
        let [not, not_l, not_r] = [term, l, r].map(|t| self.proof.not(t));
        vec![
            self.proof.axiom("equiv_pos1", vec![not, l, not_r], &[]),
            self.proof.axiom("equiv_pos2", vec![not, not_l, r], &[]),
            self.proof.axiom("equiv_neg1", vec![term, not_l, not_r], &[]),
            self.proof.axiom("equiv_neg2", vec![term, l, r], &[]),
        ]
    }

    /// Why a part is equal to its value's term; `None` if both are one term.
    fn equality(&mut self, part: &Part) -> Result<Option<Known>, Reason> {
        let canonical = self.value(&part.value)?;
        if canonical == part.term {
            return Ok(None);
        }
        let equal = self.proof.formula("=", &[part.term, canonical]);
        match &part.tie {
            Tie::Equality(known) => Ok(*known),
            Tie::Clauses(known) => {
                let mut premises = self.equivalence(part.term, canonical);
                premises.extend(known);
                premises.push(self.proof.resolve(vec![equal, part.term], &premises));
                Ok(Some(self.proof.resolve(vec![equal], &premises)))
            }
            Tie::Sum(sum) => {
                let mut premises = vec![self.antisymmetry(part.term, canonical)];
                let sides = Sides { form: Linear::default(), sum: sum.clone() };
                for (a, b, times) in [(part.term, canonical, -1), (canonical, part.term, 1)] {
                    let below = self.proof.formula("<=", &[a, b]);
                    premises.push(self.tied((below, BigInt::from(1)), &sides, times, None));
                }
                Ok(Some(self.proof.resolve(vec![equal], &premises)))
            }
        }
    }

    /// A function of parts, and why it is equal to that of their values' terms.
    fn congruent(
        &mut self,
        sort: &str,
        function: &str,
        parts: &[&Part],
    ) -> Result<(Term, Option<Known>), Reason> {
        let (mut written, mut canonical, mut premises) = (Vec::new(), Vec::new(), Vec::new());
        for part in parts {
            written.push(part.term);
            canonical.push(self.value(&part.value)?);
            premises.extend(self.equality(part)?);
        }
        let written = self.proof.term(sort, function, &written);
        let canonical = self.proof.term(sort, function, &canonical);
        if written == canonical {
            return Ok((written, None));
        }
        let equal = self.proof.formula("=", &[written, canonical]);
        Ok((written, Some(self.proof.step("cong", vec![equal], &premises, &[]))))
    }

    fn stored(&mut self, array: &Part, index: &Part, value: &Part) -> Result<Part, Reason> {
        let Value::Array(below) = array.value else { return Err(Reason::Sort("array")) };
        let element = self.element(below)?;
        let parts = [array, index, value];
        let (term, known) = self.congruent(array_of(element), "store", &parts)?;
        let written = self.store(below, integer(index)?.0, &value.value)?;
        Ok(Part { term, value: written, tie: Tie::Equality(known) })
    }

    fn selected(&mut self, array: &Part, index: &Part) -> Result<Part, Reason> {
        let Value::Array(from) = array.value else { return Err(Reason::Sort("array")) };
        let element = self.element(from)?;
        let (term, known) = self.congruent(name_of(element), "select", &[array, index])?;
        let (value, below) = self.resolved(from, integer(index)?.0)?;
        let end = self.value(&value)?;
        let known = self.chained(term, end, [known, below]);
        let Some(known) = known else {
            return self.canonical(&value);
        };
        let tie = match (&value, element) {
            (Value::Bool(lit), _) => {
                let mut premises = self.equivalence(term, end);
                premises.push(known);
                Tie::Clauses(self.equivalent(term, *lit, &premises)?)
            }
            (_, Sort::Int) => Tie::Sum(BTreeMap::from([(term, (BigInt::from(1), known))])),
            _ => return Err(Reason::Sort("read")),
        };
        Ok(Part { term, value, tie })
    }

    /// `a = c`, from `a = b` and `b = c`, of which those are known that are not of one term.
    pub fn chained(&mut self, a: Term, c: Term, known: [Option<Known>; 2]) -> Option<Known> {
        match known {
            [Some(first), Some(second)] => {
                let equal = self.proof.formula("=", &[a, c]);
                Some(self.proof.step("trans", vec![equal], &[first, second], &[]))
            }
            [first, second] => first.or(second),
        }
    }
}

fn sum(term: Term, form: Linear, sum: Rewritten) -> Part {
    Part { term, value: Value::Int(form), tie: Tie::Sum(sum) }
}

fn integer(part: &Part) -> Result<(&Linear, &Rewritten), Reason> {
    match (&part.value, &part.tie) {
        (Value::Int(form), Tie::Sum(sum)) => Ok((form, sum)),
        _ => Err(Reason::Sort("integer")),
    }
}

fn truth(part: &Part) -> Result<Lit, Reason> {
    match part.value {
        Value::Bool(lit) => Ok(lit),
        _ => Err(Reason::Sort("formula")),
    }
}

fn clauses(part: &Part) -> Result<&[Known], Reason> {
    match &part.tie {
        Tie::Clauses(known) => Ok(known),
        _ => Err(Reason::Sort("formula")),
    }
}

//! Reads and writes: the two axioms of arrays, and the lemmas of SPEC.md 6.3 from them.

use super::form::Form;
use super::proof::{Known, Term};
use num_bigint::BigInt;
use threadproof_checker::error::Reason;
use threadproof_checker::internals::refute::arrays;
use threadproof_checker::internals::refute::linear;
use threadproof_checker::internals::refute::terms::{Leaf, Value};
use threadproof_format::refutation::{Congruence, Linear, Lit, Read};
use threadproof_format::{Int, Sort};

/// The axioms, as the rules that `rare_rewrite` steps name.
pub const AXIOMS: &str = "\
(declare-rare-rule read-here ((@S Type) (@T Type) (a (Array @S @T)) (i @S) (v @T))
  :args (a i v)
  :conclusion (= (select (store a i v) i) v)
)
(declare-rare-rule read-elsewhere ((@S Type) (@T Type) (a (Array @S @T)) (i @S) (v @T) (j @S))
  :args (a i v j)
  :conclusion (= (or (= i j) (= (select (store a i v) j) (select a j))) true)
)
";

/// A write and an index at which it is read.
struct ReadOverWrite {
    sort: Sort,
    array: u32,
    below: u32,
    written: Linear,
    value: Value,
    index: Linear,
}

impl Form<'_> {
    /// The value of a read (SPEC.md 5.2), and why it is equal to it, if the two are not one term.
    pub fn resolved(
        &mut self,
        array: u32,
        index: &Linear,
    ) -> Result<(Value, Option<Known>), Reason> {
        let sort = self.element(array)?;
        let first = self.read(array, index)?;
        let (mut at, mut known) = (array, None);
        while let Some((below, written, value)) = self.write(at)? {
            let difference = linear::subtract(&written, index, &self.budget)?;
            if !difference.terms.is_empty() {
                break;
            }
            let index = index.clone();
            let read = ReadOverWrite { sort, array: at, below, written, value, index };
            if difference.constant == Int::from(0) {
                let (here, end) = (self.here(&read)?, self.value(&read.value)?);
                return Ok((read.value, self.chained(first, end, [known, Some(here)])));
            }
            let (alternative, same, equal) = self.elsewhere(&read)?;
            let apart = self.proof.not(same);
            let apart = self.lemma(&[(apart, BigInt::from(1))]);
            let step = self.proof.resolve(vec![equal], &[alternative, apart]);
            let end = self.read(below, &read.index)?;
            known = self.chained(first, end, [known, Some(step)]);
            at = below;
        }
        let leaf = Leaf::Read(at, std::rc::Rc::new(index.clone()));
        Ok((self.leaf(&leaf, sort)?, known))
    }

    fn axiom(&mut self, name: &str, conclusion: Term, of: &[Term]) -> Known {
        let mut arguments = vec![format!("\"{name}\"")];
        arguments.extend(of.iter().map(|term| self.proof.name(*term)));
        self.proof.axiom("rare_rewrite", vec![conclusion], &arguments)
    }

    /// `a[j := v][j] = v`.
    fn here(&mut self, read: &ReadOverWrite) -> Result<Known, Reason> {
        let (below, written) = (self.array(read.below)?, self.linear(&read.written)?);
        let value = self.value(&read.value)?;
        let found = self.read(read.array, &read.written)?;
        let equal = self.proof.formula("=", &[found, value]);
        Ok(self.axiom("read-here", equal, &[below, written, value]))
    }

    /// `j = i` or `a[j := v][i] = a[i]`; the two equalities.
    fn elsewhere(&mut self, read: &ReadOverWrite) -> Result<(Known, Term, Term), Reason> {
        let (below, written) = (self.array(read.below)?, self.linear(&read.written)?);
        let (value, index) = (self.value(&read.value)?, self.linear(&read.index)?);
        let above = self.read(read.array, &read.index)?;
        let under = self.read(read.below, &read.index)?;
        let same = self.proof.formula("=", &[written, index]);
        let equal = self.proof.formula("=", &[above, under]);
        let either = self.proof.formula("or", &[same, equal]);
        let truth = self.proof.truth();
        let holds = self.proof.formula("=", &[either, truth]);
        let terms = [below, written, value, index];
        let mut premises = vec![self.axiom("read-elsewhere", holds, &terms)];
        premises.extend(self.equivalence(either, truth));
        premises.extend(self.alternatives(either, [same, equal]));
        Ok((self.proof.resolve(vec![same, equal], &premises), same, equal))
    }

    /// The indexes are equal, or one is less than the other.
    fn trichotomy(&mut self, i: &Linear, j: &Linear) -> Result<Vec<Known>, Reason> {
        let (left, right) = (self.linear(i)?, self.linear(j)?);
        let mut premises = vec![self.antisymmetry(left, right)];
        for (a, b, l, r) in [(i, j, left, right), (j, i, right, left)] {
            let (less, tie) = self.order(b, a)?;
            let below = self.proof.formula("<=", &[l, r]);
            let one = BigInt::from(1);
            premises.push(self.lemma(&[(below, one.clone()), (less, one)]));
            premises.extend(tie);
        }
        Ok(premises)
    }

    /// Two reads of one array are equal if their indexes are.
    fn reads(&mut self, array: u32, i: &Linear, j: &Linear) -> Result<Vec<Known>, Reason> {
        let (left, right) = (self.read(array, i)?, self.read(array, j)?);
        let (i, j) = (self.linear(i)?, self.linear(j)?);
        let array = self.array(array)?;
        let [itself, same, equal] =
            [(array, array), (i, j), (left, right)].map(|(l, r)| self.proof.formula("=", &[l, r]));
        let clause = vec![self.proof.not(itself), self.proof.not(same), equal];
        Ok(vec![
            self.proof.axiom("refl", vec![itself], &[]),
            self.proof.axiom("eq_congruent", clause, &[]),
        ])
    }

    /// `a = c` if `a = b` and `b = c`.
    fn transitive(&mut self, a: Term, b: Term, c: Term) -> Known {
        let [first, second, equal] =
            [(a, b), (b, c), (a, c)].map(|(l, r)| self.proof.formula("=", &[l, r]));
        let clause = vec![self.proof.not(first), self.proof.not(second), equal];
        self.proof.axiom("eq_transitive", clause, &[])
    }

    fn read_at(&self, leaf: u32) -> Result<(u32, Linear), Reason> {
        match usize::try_from(leaf).ok().and_then(|l| self.form.leaves().get(l)) {
            Some(Leaf::Read(array, index)) => Ok((*array, Linear::clone(index))),
            _ => Err(Reason::Index("read")),
        }
    }

    fn over_write(&self, leaf: u32) -> Result<ReadOverWrite, Reason> {
        let (array, index) = self.read_at(leaf)?;
        let sort = self.element(array)?;
        let write = self.write(array)?.ok_or(Reason::Index("write"))?;
        let (below, written, value) = write;
        Ok(ReadOverWrite { sort, array, below, written, value, index })
    }

    fn concluded(&mut self, clause: &[Lit], premises: &[Known]) -> Result<Known, Reason> {
        let clause = self.clause(clause)?;
        Ok(self.proof.resolve(clause, premises))
    }

    /// A lemma `h`.
    pub fn read_hit(&mut self, step: &Read) -> Result<Known, Reason> {
        let clause = arrays::read_hit(&mut self.form, step, &self.budget)?;
        self.renew()?;
        let read = self.over_write(step.leaf)?;
        let found = self.leaf(&self.leaf_of(step.leaf)?, read.sort)?;
        let (left, value) = (self.value(&found)?, self.value(&read.value)?);
        let there = self.read(read.array, &read.written)?;
        let mut premises = self.trichotomy(&read.index, &read.written)?;
        premises.extend(self.reads(read.array, &read.index, &read.written)?);
        premises.push(self.here(&read)?);
        if left != there && there != value {
            premises.push(self.transitive(left, there, value));
        }
        premises.extend(self.halves_of_values(&found, &read.value)?);
        self.concluded(&clause, &premises)
    }

    /// A lemma `m`.
    pub fn read_miss(&mut self, step: &Read) -> Result<Known, Reason> {
        let clause = arrays::read_miss(&mut self.form, step, &self.budget)?;
        self.renew()?;
        let read = self.over_write(step.leaf)?;
        let found = self.leaf(&self.leaf_of(step.leaf)?, read.sort)?;
        let (alternative, same, _) = self.elsewhere(&read)?;
        let (a, b, sign) = match step.case {
            0 | 1 => (&read.written, &read.index, 1),
            _ => (&read.index, &read.written, -1),
        };
        let (less, mut premises) = self.order(a, b)?;
        let apart = [self.proof.not(same), self.proof.not(less)];
        premises.push(self.lemma(&[(apart[0], BigInt::from(sign)), (apart[1], BigInt::from(1))]));
        premises.push(alternative);
        let (value, known) = self.resolved(read.below, &read.index)?;
        let (left, end) = (self.value(&found)?, self.value(&value)?);
        if let Some(known) = known {
            let under = self.read(read.below, &read.index)?;
            premises.push(known);
            premises.push(self.transitive(left, under, end));
        }
        premises.extend(self.halves_of_values(&found, &value)?);
        self.concluded(&clause, &premises)
    }

    /// A lemma `r`.
    pub fn congruence(&mut self, step: &Congruence) -> Result<Known, Reason> {
        let clause = arrays::congruence(&mut self.form, step, &self.budget)?;
        self.renew()?;
        let ((array, i), (_, j)) = (self.read_at(step.left)?, self.read_at(step.right)?);
        let sort = self.element(array)?;
        let mut premises = self.trichotomy(&i, &j)?;
        premises.extend(self.reads(array, &i, &j)?);
        let [left, right] = [step.left, step.right];
        let left = self.leaf(&self.leaf_of(left)?, sort)?;
        let right = self.leaf(&self.leaf_of(right)?, sort)?;
        premises.extend(self.halves_of_values(&left, &right)?);
        self.concluded(&clause, &premises)
    }

    fn leaf_of(&self, leaf: u32) -> Result<Leaf, Reason> {
        let leaf = usize::try_from(leaf).ok().and_then(|l| self.form.leaves().get(l));
        leaf.cloned().ok_or(Reason::Index("leaf"))
    }
}

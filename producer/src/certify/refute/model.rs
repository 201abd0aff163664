//! Evaluating the variables of a clausal form.

use num_bigint::{BigInt, Sign};
use std::collections::BTreeMap;
use threadproof_checker::internals::refute::clauses::ClausalForm;
use threadproof_checker::internals::refute::terms::Variable;
use threadproof_format::refutation::{Linear, Lit};

/// The truth of every variable of a clausal form, from the values of its leaves.
pub struct Model(Vec<bool>);

impl Model {
    /// From integers for the leaves (0 where none is given) and the literals that hold.
    pub fn new(form: &ClausalForm, integers: &BTreeMap<u32, BigInt>, literals: &[Lit]) -> Self {
        let mut chosen = vec![false; form.variables().len()];
        for lit in literals.iter().filter(|lit| **lit > 0) {
            if let Some(flag) = usize::try_from(*lit).ok().and_then(|at| chosen.get_mut(at - 1)) {
                *flag = true;
            }
        }
        let mut model = Model(Vec::with_capacity(chosen.len()));
        // A conjunction's parts are numbered before it.
        for (variable, chosen) in form.variables().iter().zip(chosen) {
            let truth = match variable {
                Variable::True => true,
                Variable::AtMost(form) => at_most_zero(form, integers),
                Variable::Truth(_) => chosen,
                Variable::Both(a, b) => model.holds(*a) && model.holds(*b),
            };
            model.0.push(truth);
        }
        model
    }

    /// Whether a literal holds.
    pub fn holds(&self, lit: Lit) -> bool {
        let at = usize::try_from(lit.unsigned_abs()).unwrap_or(0);
        let truth = at.checked_sub(1).and_then(|at| self.0.get(at)).copied().unwrap_or(false);
        truth == (lit > 0)
    }
}

fn at_most_zero(form: &Linear, integers: &BTreeMap<u32, BigInt>) -> bool {
    let terms = form.terms.iter().filter_map(|(leaf, c)| Some(&c.0 * integers.get(leaf)?));
    let value: BigInt = terms.sum::<BigInt>() + &form.constant.0;
    value.sign() != Sign::Plus
}

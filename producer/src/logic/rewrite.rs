//! Expressions with others in them. The checker has operations of its own, which charge their work.

use threadproof_format::{Expr, Op};

/// Substitution in expressions in postfix order. Sorts are not checked.
pub trait Rewrite: Sized {
    /// Replaces every operator without operands by what `f` gives (`None`: left as it is).
    fn substitute(&self, f: impl FnMut(&Op) -> Option<Vec<Op>>) -> Self;

    /// Renames thread positions: position p becomes `positions[p]`. Positions beyond stay.
    fn rename(&self, positions: &[u32]) -> Self {
        self.substitute(|op| match op {
            Op::Local(p, i) => {
                let q = positions.get(usize::try_from(*p).ok()?)?;
                Some(vec![Op::Local(*q, *i)])
            }
            _ => None,
        })
    }

    /// `!` of an expression of sort Bool.
    fn negate(self) -> Self;
}

impl Rewrite for Expr {
    fn substitute(&self, mut f: impl FnMut(&Op) -> Option<Vec<Op>>) -> Self {
        let mut out = Vec::with_capacity(self.0.len());
        for op in &self.0 {
            match f(op) {
                Some(ops) => out.extend(ops),
                None => out.push(op.clone()),
            }
        }
        Expr(out)
    }

    fn negate(mut self) -> Self {
        self.0.push(Op::Not);
        self
    }
}

//! Sorts of expressions, linearity, and where `cas` and `*` may stand.

use super::super::ast::{Binary, Expr, ExprKind};
use super::super::ir::{Cond, Place, Term, Value};
use super::{Resolver, Scope, Within};
use num_bigint::{BigInt, Sign};
use threadproof_format::limits::MAX_DIGITS;
use threadproof_format::{Cmp, Sort};

pub(super) const CALL_HINT: &str = "call it in a statement of its own: `x = f(...);`, then use `x`";

impl Resolver {
    /// A condition that may have effects and choices.
    pub(super) fn condition(&mut self, e: &Expr, scope: &Scope) -> Option<Cond> {
        if !has_effect(e) {
            return self.formula(e, scope).map(Cond::Term);
        }
        match &e.kind {
            ExprKind::Any => Some(Cond::Any),
            ExprKind::Cas(parts) => self.cas(parts, scope),
            ExprKind::Not(inner) => {
                let inner = self.condition(inner, scope)?;
                Some(Cond::Not(Box::new(inner)))
            }
            ExprKind::Binary(Binary::And, a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                Some(Cond::And(Box::new(a?), Box::new(b?)))
            }
            ExprKind::Binary(Binary::Or, a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                Some(Cond::Or(Box::new(a?), Box::new(b?)))
            }
            _ => self.formula(e, scope).map(Cond::Term),
        }
    }

    fn cas(&mut self, parts: &[Expr; 3], scope: &Scope) -> Option<Cond> {
        let [place, old, new] = parts;
        if !matches!(place.kind, ExprKind::Name(_) | ExprKind::Index(..)) {
            let hint = "write `cas(variable, old, new)`";
            self.error_hint(&place.span, "`cas` needs a variable or an array element", hint);
            return None;
        }
        let place = self.place(place, scope);
        let sort = place.as_ref().map(|p| p.sort);
        if sort.is_some_and(|s| s.element().is_some()) {
            self.error_hint(&parts[0].span, "`cas` on a whole array", "name one element: `a[i]`");
            return None;
        }
        let old = self.sorted(old, sort, scope);
        let new = self.sorted(new, sort, scope);
        Some(Cond::Cas(place?, old?, new?))
    }

    /// A variable or element that is written to.
    pub(super) fn place(&mut self, e: &Expr, scope: &Scope) -> Option<Place> {
        match &e.kind {
            ExprKind::Index(name, index) => {
                let index = self.sorted(index, Some(Sort::Int), scope);
                let slot = self.slot(name, scope)?;
                let Some(sort) = self.var(slot, scope).sort.element() else {
                    self.error(&name.span, format!("`{}` is not an array", name.text));
                    return None;
                };
                let index = Some(index?);
                Some(Place { slot, index, sort })
            }
            ExprKind::Name(name) => {
                let slot = self.slot(name, scope)?;
                let var = self.var(slot, scope);
                let sort = var.sort;
                if var.lock {
                    self.error_hint(
                        &e.span,
                        format!("the lock `{}` is written to", name.text),
                        "a lock is changed by `lock(m);` and `unlock(m);` only; use a bool otherwise",
                    );
                    return None;
                }
                let index = None;
                Some(Place { slot, index, sort })
            }
            _ => {
                self.error(&e.span, "this cannot be written to");
                None
            }
        }
    }

    /// What is assigned to a place of the given sort.
    pub(super) fn value(&mut self, e: &Expr, sort: Sort, scope: &Scope) -> Option<Value> {
        if sort == Sort::Bool && has_effect(e) {
            return self.condition(e, scope).map(Value::Cond);
        }
        if matches!(e.kind, ExprKind::Any) {
            self.error_hint(&e.span, "`*` is not an integer", "write `havoc x;` for any integer");
            return None;
        }
        self.sorted(e, Some(sort), scope).map(Value::Term)
    }

    /// A truth value without effects.
    pub(super) fn formula(&mut self, e: &Expr, scope: &Scope) -> Option<Term> {
        self.sorted(e, Some(Sort::Bool), scope)
    }

    /// A term of the given sort; of any if that is not known because of an earlier error.
    pub(super) fn sorted(&mut self, e: &Expr, sort: Option<Sort>, scope: &Scope) -> Option<Term> {
        let (term, found) = self.term(e, scope)?;
        match sort {
            Some(wanted) if wanted != found => {
                self.sort_error(&e.span, wanted, found);
                None
            }
            _ => Some(term),
        }
    }

    /// A term and its sort.
    pub(super) fn term(&mut self, e: &Expr, scope: &Scope) -> Option<(Term, Sort)> {
        match &e.kind {
            ExprKind::Int(value) => Some((Term::Int(value.clone()), Sort::Int)),
            ExprKind::Bool(value) => Some((Term::Bool(*value), Sort::Bool)),
            ExprKind::Any => {
                let hint = "`*` is allowed in conditions, under `!`, `&&` and `||`; write `havoc x;` for any value";
                self.error_hint(&e.span, "`*` is not allowed here", hint);
                None
            }
            ExprKind::Cas(_) => {
                let hint = "`cas` is allowed in the condition of `if`, `while` or `assume`, under `!`, `&&` and `||`, or in `b = cas(...);`";
                self.error_hint(&e.span, "`cas` is not allowed here", hint);
                None
            }
            ExprKind::Call(name, labels) if name.text == "count" => {
                let count = self.count(&e.span, name, labels)?;
                Some((count, Sort::Int))
            }
            ExprKind::Call(name, nodes)
                if name.text == "candidate" && scope.within == Within::Loop =>
            {
                let candidate = self.candidate(&e.span, nodes)?;
                Some((candidate, Sort::Bool))
            }
            ExprKind::Call(..) => {
                self.error_hint(&e.span, "a call is not allowed inside an expression", CALL_HINT);
                None
            }
            ExprKind::Name(name) => {
                let slot = self.slot(name, scope)?;
                Some((Term::Var(slot), self.var(slot, scope).sort))
            }
            ExprKind::Index(..) => {
                let place = self.place(e, scope)?;
                let index = place.index?;
                Some((Term::Select(place.slot, Box::new(index)), place.sort))
            }
            ExprKind::Neg(inner) => {
                let inner = self.sorted(inner, Some(Sort::Int), scope)?;
                Some((inner.scale(BigInt::from(-1)), Sort::Int))
            }
            ExprKind::Not(inner) => {
                let inner = self.formula(inner, scope)?;
                Some((inner.negate(), Sort::Bool))
            }
            ExprKind::Binary(sign, a, b) => self.binary(e, *sign, a, b, scope),
        }
    }

    fn binary(
        &mut self,
        e: &Expr,
        sign: Binary,
        a: &Expr,
        b: &Expr,
        scope: &Scope,
    ) -> Option<(Term, Sort)> {
        let operands = match sign {
            Binary::Or | Binary::And => Some(Sort::Bool),
            Binary::Cmp(Cmp::Eq | Cmp::Ne) => None,
            _ => Some(Sort::Int),
        };
        if let Binary::Cmp(_) = sign
            && let ExprKind::Binary(Binary::Cmp(_), ..) = a.kind
            && operands == Some(Sort::Int)
        {
            let hint = "write `a < b && b < c`";
            self.error_hint(&e.span, "comparisons do not chain", hint);
            return None;
        }
        if operands.is_none() {
            return self.equality(sign, a, b, scope);
        }
        let left = self.sorted(a, operands, scope);
        let right = self.sorted(b, operands, scope);
        let (left, right) = (left?, right?);
        let sort = match sign {
            Binary::Or | Binary::And | Binary::Cmp(_) => Sort::Bool,
            _ => Sort::Int,
        };
        let term = match sign {
            Binary::Or => left.or(right),
            Binary::And => left.and(right),
            Binary::Cmp(cmp) => left.compare(cmp, right),
            Binary::Add => left.add(right),
            Binary::Sub => left.sub(right),
            Binary::Mul => self.product(e, left, right)?,
            Binary::Div | Binary::Mod => self.quotient(sign, left, right, b)?,
        };
        self.small(e, &term)?;
        Some((term, sort))
    }

    fn equality(
        &mut self,
        sign: Binary,
        a: &Expr,
        b: &Expr,
        scope: &Scope,
    ) -> Option<(Term, Sort)> {
        let (left, right) = (self.term(a, scope), self.term(b, scope));
        let ((left, sort), (right, other)) = (left?, right?);
        if sort.element().is_some() {
            self.sort_error(&a.span, Sort::Int, sort);
            return None;
        }
        if sort != other {
            self.sort_error(&b.span, sort, other);
            return None;
        }
        let cmp = if sign == Binary::Cmp(Cmp::Eq) { Cmp::Eq } else { Cmp::Ne };
        Some((left.compare(cmp, right), Sort::Bool))
    }

    fn product(&mut self, e: &Expr, left: Term, right: Term) -> Option<Term> {
        match (left, right) {
            (Term::Int(k), t) | (t, Term::Int(k)) => Some(t.scale(k)),
            _ => {
                let hint = "one factor must be a constant";
                self.error_hint(&e.span, "a product of two variables is not linear", hint);
                None
            }
        }
    }

    /// Division and remainder by a positive constant; both truncate towards zero as in C.
    fn quotient(&mut self, sign: Binary, left: Term, right: Term, divisor: &Expr) -> Option<Term> {
        let Term::Int(k) = right else {
            let hint = "only division by a positive constant is linear";
            self.error_hint(&divisor.span, "the divisor is not a constant", hint);
            return None;
        };
        if k.sign() != Sign::Plus {
            let hint = "the divisor must be a positive constant";
            self.error_hint(&divisor.span, "the divisor is not positive", hint);
            return None;
        }
        Some(match (sign, left) {
            (Binary::Div, Term::Int(a)) => Term::Int(a / k),
            (_, Term::Int(a)) => Term::Int(a % k),
            (Binary::Div, t) if k == BigInt::from(1) => t,
            (_, _) if k == BigInt::from(1) => Term::Int(0.into()),
            (Binary::Div, t) => Term::Div(Box::new(t), k),
            (_, t) => Term::Mod(Box::new(t), k),
        })
    }

    /// Constants that are computed stay within the limit of literals.
    fn small(&mut self, e: &Expr, term: &Term) -> Option<()> {
        match term {
            Term::Int(k) | Term::Scale(k, _) if k.to_string().len() > MAX_DIGITS => {
                let message = format!("a constant of more than {MAX_DIGITS} digits");
                self.error(&e.span, message);
                None
            }
            _ => Some(()),
        }
    }
}

/// Whether `cas` or `*` occurs where a condition's evaluation reaches it.
fn has_effect(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Any | ExprKind::Cas(_) => true,
        ExprKind::Not(inner) => has_effect(inner),
        ExprKind::Binary(Binary::And | Binary::Or, a, b) => has_effect(a) || has_effect(b),
        _ => false,
    }
}

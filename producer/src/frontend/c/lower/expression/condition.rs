//! Conditions: where a thread goes on, and comparisons.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::query::comparison;
use crate::frontend::c::term::{compare, int};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Integer, Type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{BinaryOperator, BinaryOperatorExpression, Expression, UnaryOperator};
use lang_c::span::Node;
use num_bigint::BigInt;
use threadproof_format::{Cmp, Op};

impl<'a> Lowering<'a> {
    /// The value of a condition: 0 or 1.
    pub(crate) fn decided(&mut self, e: &'a Node<Expression>) -> Lower<Value> {
        if let Some(known) = self.known_condition(e)? {
            return Ok(Value::constant(u8::from(known), Type::int()));
        }
        let target = self.steps.temporary();
        let [yes, no, end] = [self.steps.node(), self.steps.node(), self.steps.node()];
        self.branch(e, yes, no)?;
        for (start, value) in [(yes, 1), (no, 0)] {
            self.steps.resume(start);
            self.steps.edge(end, Command::default().set(target.clone(), int(value)), false)?;
        }
        self.steps.resume(end);
        Ok(Value::bit(target, Type::int()))
    }

    /// Whether a condition is a constant, where initial values and sizes ask for it.
    fn known_condition(&mut self, e: &'a Node<Expression>) -> Lower<Option<bool>> {
        match &e.node {
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                Ok(self.known_condition(&u.node.operand)?.map(|value| !value))
            }
            Expression::Constant(_) => {
                let value = self.value(e)?;
                Ok(value.as_constant().map(|v| *v != BigInt::from(0)))
            }
            Expression::Identifier(name) => Ok(match self.unit.lookup(&name.node.name) {
                Some(Entity::Constant(value)) => Some(*value != BigInt::from(0)),
                _ => None,
            }),
            Expression::BinaryOperator(b) => {
                let both = [self.known_number(&b.node.lhs)?, self.known_number(&b.node.rhs)?];
                let ([Some(x), Some(y)], Some(cmp)) = (both, comparison(&b.node.operator.node))
                else {
                    return Ok(None);
                };
                Ok(Some(cmp.holds(&x, &y)))
            }
            _ => Ok(None),
        }
    }

    fn known_number(&mut self, e: &'a Node<Expression>) -> Lower<Option<BigInt>> {
        match &e.node {
            Expression::Constant(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => {
                Ok(self.value(e)?.as_constant().cloned().filter(|v| {
                    // Conversions between signed and unsigned leave these as they are.
                    *v >= BigInt::from(0) && *v <= Integer::INT.high()
                }))
            }
            Expression::Identifier(name) => Ok(match self.unit.lookup(&name.node.name) {
                Some(Entity::Constant(value)) => {
                    Some(value.clone()).filter(|v| *v >= BigInt::from(0))
                }
                _ => None,
            }),
            _ => Ok(None),
        }
    }

    /// Goes to one of two locations.
    pub(crate) fn branch(&mut self, e: &'a Node<Expression>, yes: usize, no: usize) -> Lower<()> {
        match &e.node {
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                self.branch(&u.node.operand, no, yes)
            }
            Expression::BinaryOperator(binary) => {
                let node = &binary.node;
                match node.operator.node {
                    BinaryOperator::LogicalAnd => {
                        let middle = self.steps.node();
                        self.branch(&node.lhs, middle, no)?;
                        self.steps.resume(middle);
                        self.branch(&node.rhs, yes, no)
                    }
                    BinaryOperator::LogicalOr => {
                        let middle = self.steps.node();
                        self.branch(&node.lhs, yes, middle)?;
                        self.steps.resume(middle);
                        self.branch(&node.rhs, yes, no)
                    }
                    ref operator => match comparison(operator) {
                        Some(cmp) => {
                            let formula = self.compared(cmp, node, e.span.start)?;
                            self.steps.split(&formula, yes, no)
                        }
                        None => self.nonzero(e, yes, no),
                    },
                }
            }
            Expression::Comma(list) => {
                let Some((last, first)) = list.split_last() else { return Ok(()) };
                first.iter().try_for_each(|e| self.effect(e))?;
                self.branch(last, yes, no)
            }
            _ => self.nonzero(e, yes, no),
        }
    }

    fn nonzero(&mut self, e: &'a Node<Expression>, yes: usize, no: usize) -> Lower<()> {
        let value = self.value(e)?;
        if !value.ty.is_scalar() && value.ty.pointee().is_none() {
            return Err(Fault::unsupported(e.span.start, "such a condition"));
        }
        let formula = decide(Cmp::Ne, &value, &Value::constant(0, Type::int()));
        self.steps.split(&formula, yes, no)
    }

    pub(crate) fn compared(
        &mut self,
        cmp: Cmp,
        node: &'a BinaryOperatorExpression,
        at: usize,
    ) -> Lower<Vec<Op>> {
        let a = self.value(&node.lhs)?;
        let a = self.stable(a, &node.rhs)?;
        let b = self.value(&node.rhs)?;
        let pointers = [&a, &b].map(|v| v.ty.pointee().is_some());
        let (a, b) = match pointers {
            [false, false] => {
                let common = a.integer(at)?.common(b.integer(at)?);
                (self.steps.fit(a, common)?, self.steps.fit(b, common)?)
            }
            [true, true] => {
                self.assumed.same_object |= !matches!(cmp, Cmp::Eq | Cmp::Ne);
                (a, b)
            }
            _ if !matches!(cmp, Cmp::Eq | Cmp::Ne) => {
                return Err(Fault::unsupported(at, "an order of pointers and numbers"));
            }
            [true, false] => {
                let b = self.convert(b, &a.ty.clone(), at)?;
                (a, b)
            }
            [false, true] => {
                let a = self.convert(a, &b.ty.clone(), at)?;
                (a, b)
            }
        };
        Ok(decide(cmp, &a, &b))
    }
}

/// A comparison of two values; their ranges may decide it.
fn decide(cmp: Cmp, a: &Value, b: &Value) -> Vec<Op> {
    let apart = a.high < b.low || b.high < a.low;
    let known = match cmp {
        Cmp::Eq if apart => Some(false),
        Cmp::Ne if apart => Some(true),
        Cmp::Lt | Cmp::Le if a.high < b.low => Some(true),
        Cmp::Gt | Cmp::Ge if a.high < b.low => Some(false),
        Cmp::Lt | Cmp::Le if b.high < a.low => Some(false),
        Cmp::Gt | Cmp::Ge if b.high < a.low => Some(true),
        Cmp::Ge if a.low == b.high => Some(true),
        Cmp::Lt if a.low == b.high => Some(false),
        Cmp::Le if a.high == b.low => Some(true),
        Cmp::Gt if a.high == b.low => Some(false),
        _ => None,
    };
    known.map_or_else(|| compare(cmp, &a.term, &b.term), |value| vec![Op::Bool(value)])
}

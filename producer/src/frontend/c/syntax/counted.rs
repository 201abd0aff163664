//! Loops with a counter, by their form: `for (i = FIRST; i < BOUND; i += STEP)`.

use crate::frontend::c::syntax::query::identifier;
use lang_c::ast::{
    BinaryOperator, CallExpression, DeclaratorKind, Expression, ForInitializer, Initializer,
    Statement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use std::collections::BTreeSet;

/// The variable that a loop begins with, and its first value.
pub(crate) fn first(initializer: &ForInitializer) -> Option<(&str, &Node<Expression>)> {
    match initializer {
        ForInitializer::Expression(e) => match &e.node {
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Assign => {
                Some((identifier(&b.node.lhs)?, &b.node.rhs))
            }
            _ => None,
        },
        ForInitializer::Declaration(d) => {
            let [declared] = d.node.declarators.as_slice() else { return None };
            let DeclaratorKind::Identifier(name) = &declared.node.declarator.node.kind.node else {
                return None;
            };
            match &declared.node.initializer.as_ref()?.node {
                Initializer::Expression(e) => Some((&name.node.name, e)),
                Initializer::List(_) => None,
            }
        }
        _ => None,
    }
}

/// What a loop's step is about, what it adds or subtracts, if that is not one, and the sign.
pub(crate) fn step(e: &Node<Expression>) -> Option<(&str, Option<&Node<Expression>>, i8)> {
    use BinaryOperator as B;
    use lang_c::ast::UnaryOperator as U;
    match &e.node {
        Expression::UnaryOperator(u) => {
            let sign = match u.node.operator.node {
                U::PostIncrement | U::PreIncrement => 1,
                U::PostDecrement | U::PreDecrement => -1,
                _ => return None,
            };
            Some((identifier(&u.node.operand)?, None, sign))
        }
        Expression::BinaryOperator(b) => {
            let sign = match b.node.operator.node {
                B::AssignPlus => 1,
                B::AssignMinus => -1,
                _ => return None,
            };
            Some((identifier(&b.node.lhs)?, Some(&b.node.rhs), sign))
        }
        _ => None,
    }
}

/// Names of functions that are called.
struct Calls<'a>(BTreeSet<&'a str>);

impl<'a> Visit<'a> for Calls<'a> {
    fn visit_call_expression(&mut self, call: &'a CallExpression, span: &'a Span) {
        self.0.extend(identifier(&call.callee));
        visit::visit_call_expression(self, call, span);
    }
}

/// Names of functions that a statement calls.
pub(crate) fn called(s: &Node<Statement>) -> BTreeSet<&str> {
    let mut calls = Calls(BTreeSet::new());
    calls.visit_statement(&s.node, &s.span);
    calls.0
}

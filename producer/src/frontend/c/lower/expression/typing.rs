//! Types of expressions that are not evaluated.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::syntax::query::{assigns, comparison};
use crate::frontend::c::types::literal::{character_type, characters};
use crate::frontend::c::types::{Type, function_type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Expression, MemberOperator,
    UnaryOperator,
};
use lang_c::span::Node;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// The type of an expression, without evaluating it.
    pub(crate) fn type_of(&mut self, e: &'a Node<Expression>) -> Lower<Type> {
        let at = e.span.start;
        match &e.node {
            Expression::Constant(constant) => Ok(self.unit.types.literal(&constant.node, at)?.ty),
            Expression::Identifier(name) => match self.unit.lookup(&name.node.name) {
                Some(Entity::Object(object)) => Ok(self.memory.object(*object).ty.clone()),
                Some(Entity::Function(ty)) => Ok(ty.clone()),
                Some(Entity::Constant(_)) => Ok(Type::int()),
                _ => Err(Fault::wrong(at, format!("`{}` is not declared", name.node.name))),
            },
            Expression::Member(member) => {
                let of = self.type_of(&member.node.expression)?;
                let of = match member.node.operator.node {
                    MemberOperator::Direct => Some(&of),
                    MemberOperator::Indirect => of.pointee(),
                };
                let name = &member.node.identifier.node.name;
                self.unit.types.member_type(of, name, at)
            }
            Expression::UnaryOperator(unary) => {
                let of = self.type_of(&unary.node.operand)?;
                match unary.node.operator.node {
                    UnaryOperator::Negate => Ok(Type::int()),
                    UnaryOperator::Address => Ok(Type::Pointer(Rc::new(of))),
                    UnaryOperator::Indirection => pointed(&of, at),
                    UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement => {
                        Ok(of.integer().map_or(of, |int| Type::Int(int.promoted())))
                    }
                    _ => Ok(of),
                }
            }
            Expression::BinaryOperator(binary) => self.type_of_two(&binary.node, at),
            Expression::Cast(cast) => self.type_name(&cast.node.type_name),
            Expression::Conditional(c) => self.conditional_type(&c.node, at),
            Expression::Comma(list) => match list.last() {
                Some(last) => self.type_of(last),
                None => Ok(Type::Void),
            },
            Expression::Call(call) => match &call.node.callee.node {
                Expression::Identifier(name) if self.unit.lookup(&name.node.name).is_none() => {
                    self.builtin_type(&name.node.name, &call.node.arguments, at)
                }
                _ => {
                    let of = self.type_of(&call.node.callee)?;
                    let of = function_type(&of).map(|function| function.result.clone());
                    of.ok_or_else(|| Fault::unsupported(at, "a call of what is no function"))
                }
            },
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => Ok(self.unit.types.size_type()),
            Expression::StringLiteral(text) => {
                let size = characters(&text.node).map(|text| text.len());
                Ok(Type::Array(Rc::new(character_type()), size))
            }
            _ => Err(Fault::unsupported(at, "the type of such an expression")),
        }
    }

    fn type_of_two(&mut self, binary: &'a BinaryOperatorExpression, at: usize) -> Lower<Type> {
        use BinaryOperator as B;
        let operator = &binary.operator.node;
        if assigns(operator) {
            return self.type_of(&binary.lhs);
        }
        let logical = matches!(operator, B::LogicalAnd | B::LogicalOr);
        if logical || comparison(operator).is_some() {
            return Ok(Type::int());
        }
        let (a, b) = (self.type_of(&binary.lhs)?, self.type_of(&binary.rhs)?);
        match (operator, a.integer(), b.integer()) {
            (B::Index, ..) => pointed(&a, at),
            (B::ShiftLeft | B::ShiftRight, Some(a), _) => Ok(Type::Int(a.promoted())),
            (_, Some(a), Some(b)) => Ok(Type::Int(a.common(b))),
            (_, None, _) => Ok(decayed(&a)),
            (_, _, None) => Ok(decayed(&b)),
        }
    }

    /// The type of `?:`.
    pub(crate) fn conditional_type(
        &mut self,
        c: &'a ConditionalExpression,
        at: usize,
    ) -> Lower<Type> {
        let a = decayed(&self.type_of(&c.then_expression)?);
        let b = decayed(&self.type_of(&c.else_expression)?);
        match (a, b) {
            (Type::Void, _) | (_, Type::Void) => Ok(Type::Void),
            (Type::Int(a), Type::Int(b)) => Ok(Type::Int(a.common(b))),
            // A null pointer takes the other one's type.
            (Type::Pointer(a), other) if *a == Type::Void && other.pointee().is_some() => Ok(other),
            (pointer @ Type::Pointer(_), _) | (_, pointer @ Type::Pointer(_)) => Ok(pointer),
            _ => Err(Fault::unsupported(at, "`?:` on such values")),
        }
    }
}

/// The type of a value: arrays and functions are pointers.
fn decayed(ty: &Type) -> Type {
    match ty.plain() {
        Type::Array(element, _) => Type::Pointer(element.clone()),
        function @ Type::Function(_) => Type::Pointer(Rc::new(function.clone())),
        other => other.clone(),
    }
}

fn pointed(ty: &Type, at: usize) -> Lower<Type> {
    match ty.plain() {
        function @ Type::Function(_) => Ok(function.clone()),
        other => {
            let to = other.pointee().cloned();
            to.ok_or_else(|| Fault::wrong(at, "`*` or `[]` of what is no pointer"))
        }
    }
}

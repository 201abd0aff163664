//! Types of expressions that are not evaluated, sizes, and constants as they are written.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::steps::value::Value;
use crate::frontend::c::syntax::query::{assigns, comparison};
use crate::frontend::c::types::literal::{character, character_type, characters};
use crate::frontend::c::types::{Integer, Sync, Type, function_type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, ConditionalExpression, Constant, Expression,
    Integer as Written, IntegerBase, IntegerSize, MemberOperator, UnaryOperator,
};
use lang_c::span::Node;
use num_bigint::BigInt;
use num_integer::Integer as _;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// The type of an expression, without evaluating it.
    pub(crate) fn type_of(&mut self, e: &'a Node<Expression>) -> Lower<Type> {
        let at = e.span.start;
        match &e.node {
            Expression::Constant(constant) => Ok(self.literal(&constant.node, at)?.ty),
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Entity::Object(object)) => Ok(self.objects[*object].ty.clone()),
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
                self.member_type(of, name, at)
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
                Expression::Identifier(name) if self.lookup(&name.node.name).is_none() => {
                    self.builtin_type(&name.node.name, &call.node.arguments, at)
                }
                _ => {
                    let of = self.type_of(&call.node.callee)?;
                    let of = function_type(&of).map(|function| function.result.clone());
                    of.ok_or_else(|| Fault::unsupported(at, "a call of what is no function"))
                }
            },
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => Ok(self.size_type()),
            Expression::StringLiteral(text) => {
                let size = characters(&text.node).map(|text| text.len());
                Ok(Type::Array(Rc::new(character_type()), size))
            }
            _ => Err(Fault::unsupported(at, "the type of such an expression")),
        }
    }

    pub(crate) fn member_type(&self, of: Option<&Type>, name: &str, at: usize) -> Lower<Type> {
        if let Some(Type::Struct(number)) = of.map(Type::plain)
            && let Some(members) = &self.structures[*number].members
            && let Some((_, ty)) = members.iter().find(|(member, _)| member == name)
        {
            return Ok(ty.clone());
        }
        Err(Fault::wrong(at, format!("no structure has a member `{name}` here")))
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

    fn size_type(&self) -> Type {
        Type::Int(Integer { bits: self.model.long(), signed: false, rank: 4 })
    }

    pub(crate) fn size_of(&mut self, ty: &Type, at: usize) -> Lower<Value> {
        let size = self.bytes(ty, at)?;
        Ok(Value::constant(size, self.size_type()))
    }

    /// The bytes of a type.
    pub(crate) fn bytes(&self, ty: &Type, at: usize) -> Lower<BigInt> {
        Ok(self.layout(ty, at)?.0)
    }

    /// The bytes of a type, and what its address is a multiple of, as the System V ABI has them.
    fn layout(&self, ty: &Type, at: usize) -> Lower<(BigInt, BigInt)> {
        let long = BigInt::from(self.model.long() / 8);
        Ok(match ty.plain() {
            Type::Int(int) => {
                let size = BigInt::from(int.bits.div_ceil(8));
                (size.clone(), size.min(long))
            }
            Type::Pointer(_) | Type::Sync(Sync::Thread) => (long.clone(), long),
            Type::Array(element, Some(count)) => {
                let (size, align) = self.layout(element, at)?;
                (size * *count, align)
            }
            Type::Struct(_) if ty.is_atomic() => {
                return Err(Fault::unsupported(at, "the size of an atomic structure"));
            }
            Type::Struct(number) => {
                if self.source.mentions(&["packed", "aligned", "_Alignas", "#pragma pack"]) {
                    let what = "the size of a structure, where attributes may change it";
                    return Err(Fault::unsupported(at, what));
                }
                let Some(members) = &self.structures[*number].members else {
                    return Err(Fault::unsupported(at, "the size of this type"));
                };
                let (mut end, mut most) = (BigInt::from(0), BigInt::from(1));
                for (_, ty) in members {
                    let (size, align) = self.layout(ty, at)?;
                    end = end.next_multiple_of(&align) + size;
                    most = most.max(align);
                }
                (end.next_multiple_of(&most), most)
            }
            _ => return Err(Fault::unsupported(at, "the size of this type")),
        })
    }

    pub(crate) fn literal(&self, constant: &Constant, at: usize) -> Lower<Value> {
        match constant {
            Constant::Integer(integer) => {
                self.number(integer).ok_or_else(|| Fault::unsupported(at, "this number"))
            }
            Constant::Float(_) => Err(Fault::unsupported(at, "a floating-point number")),
            Constant::Character(text) => match character(text) {
                Some(value) => Ok(Value::constant(value, Type::int())),
                None => Err(Fault::unsupported(at, "this character")),
            },
        }
    }

    /// An integer has the first type of the standard's list that holds it.
    fn number(&self, integer: &Written) -> Option<Value> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let digits = if integer.number.is_empty() { "0" } else { &*integer.number };
        let value = BigInt::parse_bytes(digits.as_bytes(), radix)?;
        if value.bits() > 64 || integer.suffix.imaginary {
            return None;
        }
        let long = self.model.long();
        let widths = [
            (IntegerSize::Int, 32, 3),
            (IntegerSize::Long, long, 4),
            (IntegerSize::LongLong, 64, 5),
        ];
        let (unsigned, decimal) = (integer.suffix.unsigned, integer.base == IntegerBase::Decimal);
        for (_, bits, rank) in widths.into_iter().filter(|w| w.0 >= integer.suffix.size) {
            for signed in [true, false] {
                let allowed = if signed { !unsigned } else { unsigned || !decimal };
                let ty = Integer { bits, signed, rank };
                if allowed && value <= ty.high() {
                    return Some(Value::constant(value, Type::Int(ty)));
                }
            }
        }
        None
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
            to.ok_or_else(|| Fault::wrong(at, "`*` or `[]` of what is no pointer".to_owned()))
        }
    }
}

//! Objects that no declaration makes: those of `malloc` and `calloc`, and strings.
//!
//! An allocation is reached at most once, so that its object can exist from the beginning. It is a
//! whole-program fact (`Known::heap`): the object is made before the first step, so that each
//! pointer may point to it.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::lower::call::operand::Operands;
use crate::frontend::c::memory::object::{Allocated, Key};
use crate::frontend::c::steps::command::Command;
use crate::frontend::c::syntax::modelled::{Does, modelled};
use crate::frontend::c::types::Type;
use crate::frontend::c::types::literal::{character_type, characters};
use crate::frontend::c::types::value::Value;
use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::Node;
use num_bigint::BigInt;
use num_integer::Integer as _;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// Makes the objects that are known.
    pub(crate) fn allocated(&mut self) -> Lower<()> {
        for (key, known) in self.facts.known.heap.clone() {
            // Structures that are declared in functions are not there yet.
            if self.unit.types.has(&known.ty) {
                self.allocated_object(key, &known)?;
            }
        }
        Ok(())
    }

    fn allocated_object(&mut self, key: Key, known: &Allocated) -> Lower<usize> {
        let (types, exposed) = (&self.unit.types, &self.facts.known.exposed);
        self.memory.allocate(types, exposed, &mut self.steps, (key, known))
    }

    /// The object of a place; the same one each time.
    fn at_place(
        &mut self,
        key: Key,
        ty: Type,
        init: Option<Vec<BigInt>>,
        at: usize,
    ) -> Lower<usize> {
        let now = Allocated { ty, init, at };
        let same = self.facts.known.heap.get(&key) == Some(&now);
        self.facts.found.heap.insert(key.clone(), now.clone());
        match self.memory.allocated(&key).filter(|_| same) {
            Some(object) => Ok(object),
            None => self.allocated_object(key, &now),
        }
    }

    /// The value of an expression that is converted to a type: if it allocates, an object of that
    /// type.
    pub(crate) fn value_for(&mut self, e: &'a Node<Expression>, ty: &Type) -> Lower<Value> {
        let (mut inner, mut wanted) = (e, ty.clone());
        while let Expression::Cast(cast) = &inner.node {
            let ty = self.type_name(&cast.node.type_name)?;
            if ty.pointee().is_none() {
                break;
            }
            if ty.pointee() != Some(&Type::Void) {
                wanted = ty;
            }
            inner = &cast.node.expression;
        }
        if let Expression::Call(call) = &inner.node
            && let Expression::Identifier(name) = &call.node.callee.node
            && let Some(of) = modelled(&name.node.name).filter(|of| of.does == Does::Allocate)
            && self.unit.function(&name.node.name).is_none()
            && let Some(element) = wanted.pointee().filter(|ty| **ty != Type::Void)
        {
            let at = inner.span.start;
            let operands = self.operands(of, &call.node.arguments, at)?;
            return self.allocate(&operands, element, of.takes.len() == 2, at);
        }
        self.value(e)
    }

    fn allocate(
        &mut self,
        operands: &Operands<'a>,
        element: &Type,
        zero: bool,
        at: usize,
    ) -> Lower<Value> {
        if self.thread.many {
            return Err(Fault::unsupported(at, "an allocation in one of many threads"));
        }
        self.assumed.memory = true;
        let mut count = self.elements(operands.size(usize::from(zero))?, element)?;
        if zero {
            count *= self.constant(operands.size(0)?)?;
        }
        let count = usize::try_from(&count).ok().filter(|count| *count > 0);
        let Some(count) = count else {
            return Err(Fault::unsupported(at, "an allocation of this size"));
        };
        let ty = match count {
            1 => element.clone(),
            _ => Type::Array(Rc::new(element.clone()), Some(count)),
        };
        let path = self.steps.path.to(at);
        let init = zero.then(Vec::new);
        let object = self.at_place((self.thread.number, path), ty, init, at)?;
        self.thread.allocations.push((self.steps.next_edge(), at));
        self.steps.step(vec![Command::default()], false)?;
        let address = self.memory.object(object).address.clone();
        Ok(Value::constant(address, Type::Pointer(Rc::new(element.clone()))))
    }

    /// How many elements a size is.
    fn elements(&mut self, size: &'a Node<Expression>, element: &Type) -> Lower<BigInt> {
        let at = size.span.start;
        let of = match &size.node {
            Expression::SizeOfTy(of) => Some(self.type_name(&of.node.0)?),
            Expression::SizeOfVal(of) => Some(self.type_of(&of.node.0)?),
            _ => None,
        };
        if of.as_ref() == Some(element) {
            return Ok(1.into());
        }
        if let Expression::BinaryOperator(b) = &size.node
            && b.node.operator.node == BinaryOperator::Multiply
        {
            let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
            let is_size = |e: &Node<Expression>| {
                matches!(e.node, Expression::SizeOfTy(_) | Expression::SizeOfVal(_))
            };
            if is_size(rhs) {
                return Ok(self.constant(lhs)? * self.elements(rhs, element)?);
            }
            if is_size(lhs) {
                return Ok(self.constant(rhs)? * self.elements(lhs, element)?);
            }
        }
        let (bytes, each) = (self.constant(size)?, self.unit.types.bytes(element, at)?);
        let (count, rest) = bytes.div_rem(&each);
        match rest == BigInt::from(0) {
            true => Ok(count),
            false => Err(Fault::unsupported(at, "an allocation of a part of its type")),
        }
    }

    /// A string: an array of characters.
    pub(crate) fn string(&mut self, parts: &[String], at: usize) -> Lower<Value> {
        let Some(text) = characters(parts) else {
            return Err(Fault::unsupported(at, "this string"));
        };
        let ty = Type::Array(Rc::new(character_type()), Some(text.len()));
        let object = self.at_place((usize::MAX, vec![at]), ty, Some(text), at)?;
        let address = self.memory.object(object).address.clone();
        Ok(Value::constant(address, Type::Pointer(Rc::new(character_type()))))
    }
}

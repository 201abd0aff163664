//! Pointers: what they point to, addresses, and which addresses the program keeps.

use crate::frontend::c::check::Check;
use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::object::Storage;
use crate::frontend::c::memory::place::{Place, Target, shifted};
use crate::frontend::c::syntax::query::has_effects;
use crate::frontend::c::term;
use crate::frontend::c::types::value::{Value, range};
use crate::frontend::c::types::{Integer, Type, function_type};
use crate::frontend::c::unit::Entity;
use lang_c::ast::Expression;
use lang_c::span::Node;
use num_bigint::BigInt;

impl<'a> Lowering<'a> {
    /// What a pointer points to.
    pub(crate) fn dereference(&mut self, pointer: Value, at: usize) -> Lower<Place> {
        let Some(ty) = pointer.ty.pointee().cloned() else {
            return Err(Fault::wrong(at, "`*` of what is no pointer"));
        };
        if let Type::Function(_) = ty.plain()
            && let Some(name) = self.memory.function_at(&pointer)
        {
            return Ok(Place { target: Target::Function(name), ty, at });
        }
        let known = self.memory.object_at(&pointer);
        let Some(object) = known else {
            if pointer.as_constant().is_some() && !self.checks.asked(Check::Bounds) {
                return Err(Fault::unsupported(at, "access to an address that is a constant"));
            }
            return Ok(Place { target: Target::Address(pointer.term), ty, at });
        };
        let base = self.memory.object(object).address.clone();
        let offset = shifted(pointer, &-base);
        Ok(Place { target: Target::Object(object, offset), ty, at })
    }

    /// `pointer + sign * index`
    pub(crate) fn advance(
        &mut self,
        pointer: Value,
        index: &Value,
        sign: i8,
        at: usize,
    ) -> Lower<Value> {
        index.integer(at)?;
        let Some(element) = pointer.ty.pointee().cloned() else {
            return Err(Fault::wrong(at, "an index of what is no array"));
        };
        let size = BigInt::from(self.unit.types.size(&element, at)?) * sign;
        let object = self.memory.object_at(&pointer);
        let step = term::scale(&size, &index.term);
        let (a, b) = (&size * &index.low, &size * &index.high);
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        let ty = Type::Pointer(std::rc::Rc::new(element));
        let term = term::add(&pointer.term, &step);
        Ok(Value { term, ty, low: pointer.low + low, high: pointer.high + high, object })
    }

    /// A place that stays the same while another expression is evaluated.
    pub(crate) fn settled(&mut self, place: Place, next: &'a Node<Expression>) -> Lower<Place> {
        if has_effects(next) { self.fixed(place) } else { Ok(place) }
    }

    /// How many elements are between two pointers, which are assumed to point into the same object.
    pub(crate) fn distance(&mut self, a: &Value, b: &Value, at: usize) -> Lower<Value> {
        let element = a.ty.pointee().cloned().unwrap_or(Type::Void);
        if b.ty.pointee() != Some(&element) || self.unit.types.size(&element, at)? != 1 {
            return Err(Fault::unsupported(at, "a difference of such pointers"));
        }
        self.assumed.same_object = true;
        let bits = self.unit.types.long();
        let ty = Type::Int(Integer { bits, signed: true, rank: 4 });
        let (low, high) = (&a.low - &b.high, &a.high - &b.low);
        let (least, most) = range(&ty);
        let term = term::sub(&a.term, &b.term);
        Ok(Value { term, ty, low: low.max(least), high: high.min(most), object: None })
    }

    /// The address of a place.
    pub(crate) fn address_of(&mut self, place: &Place) -> Lower<Value> {
        let ty = match place.ty.plain() {
            Type::Array(element, _) => Type::Pointer(element.clone()),
            _ => Type::Pointer(std::rc::Rc::new(place.ty.clone())),
        };
        Ok(match &place.target {
            Target::Object(object, offset) => {
                let object = *object;
                let address = self.memory.object(object).address.clone();
                if let Storage::Bound(_) = self.memory.object(object).storage {
                    return Err(Fault::unsupported(place.at, "the address of this parameter"));
                }
                let offset = shifted(offset.clone(), &address);
                let known = offset.as_constant().is_none().then_some(object);
                Value { ty, object: known, ..offset }
            }
            Target::Address(address) => {
                let (low, high) = range(&ty);
                Value { term: address.clone(), ty, low, high, object: None }
            }
            Target::Function(name) => Value::constant(self.memory.function(name), ty),
        })
    }

    /// An address that the program keeps: from now on any pointer may be it. A `shared` one is seen
    /// by other threads.
    pub(crate) fn expose(&mut self, value: &Value, at: usize, shared: bool) -> Lower<()> {
        if !matches!(value.ty.plain(), Type::Pointer(_) | Type::Array(..)) {
            return Ok(());
        }
        let constant = value.as_constant();
        if let Some(name) = self.memory.function_at(value) {
            self.facts.found.functions.insert(name);
            return Ok(());
        }
        let known = self.memory.object_at(value);
        if let Some(object) = known {
            let object = &self.memory.object(object);
            self.facts.found.exposed.insert(object.at);
            if shared && !object.shared {
                if self.thread.many {
                    return Err(Fault::unsupported(
                        at,
                        "the address of a local variable of one of many threads, where other threads see it",
                    ));
                }
                self.facts.found.escaped.insert(object.at);
                return Err(Fault::NeedsRestart);
            }
            return Ok(());
        }
        if shared && constant.is_none() {
            if let Some(object) = self.memory.exposed_local(&self.facts.known.exposed) {
                let what = format!(
                    "a pointer that other threads see and that may point to the local variable `{}`",
                    object.name
                );
                return Err(Fault::unsupported(at, what));
            }
            self.memory.leak();
        }
        Ok(())
    }

    /// The functions that a pointer may point to, with their addresses.
    pub(crate) fn candidates(
        &mut self,
        pointer: &Value,
        at: usize,
    ) -> Lower<Vec<(String, BigInt)>> {
        let wanted = function_type(&pointer.ty).cloned();
        let mut out = Vec::new();
        for name in self.facts.known.functions.clone() {
            let Some(Entity::Function(ty)) = self.unit.global(&name).cloned() else {
                continue;
            };
            let fits = match (&wanted, function_type(&ty)) {
                (Some(a), Some(b)) => {
                    a.result.plain() == b.result.plain()
                        && (a.parameters.is_empty() || a.parameters.len() == b.parameters.len())
                }
                _ => false,
            };
            if fits {
                let place = Place { target: Target::Function(name.clone()), ty, at };
                let address = self.address_of(&place)?;
                out.extend(address.as_constant().map(|a| (name, a.clone())));
            }
        }
        if out.is_empty() {
            return Err(Fault::unsupported(at, "a call of which it is not known what it calls"));
        }
        self.assumed.pointers |= !self.checks.asked(Check::Bounds);
        Ok(out)
    }
}

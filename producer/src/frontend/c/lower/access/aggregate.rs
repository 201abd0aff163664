//! Structures as values: a value of a structure type is the address of an object, and its members
//! are read, one by one, where it is assigned or passed.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::lower::Lowering;
use crate::frontend::c::memory::place::Place;
use crate::frontend::c::types::Type;
use crate::frontend::c::types::value::Value;
use lang_c::ast::Designator;
use lang_c::span::Node;
use num_bigint::BigInt;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// The value of a place that holds a structure.
    pub(crate) fn structure_at(&mut self, place: &Place) -> Lower<Value> {
        let ty = place.ty.clone();
        if ty.is_atomic() {
            return Err(Fault::unsupported(place.at, "an atomic structure"));
        }
        let address = self.address_of(place)?;
        Ok(Value { ty, ..address })
    }

    /// The place of a structure's value.
    pub(crate) fn structure_place(&mut self, value: &Value, at: usize) -> Lower<Place> {
        let ty = Type::Pointer(Rc::new(value.ty.clone()));
        self.dereference(Value { ty, ..value.clone() }, at)
    }

    /// An argument: a structure is copied when it is evaluated.
    pub(crate) fn structure_of_its_own(&mut self, value: Value, at: usize) -> Lower<Value> {
        let Type::Struct(_) = value.ty else { return Ok(value) };
        let object = self.automatic("argument", value.ty.clone(), at)?;
        let place = self.object_place(object, at);
        self.write(&place, &value)?;
        self.structure_at(&place)
    }

    /// Copies a structure, member by member.
    pub(crate) fn copy(&mut self, to: &Place, value: &Value) -> Lower<()> {
        if to.ty.is_atomic() {
            return Err(Fault::unsupported(to.at, "an atomic structure"));
        }
        let from = self.structure_place(value, to.at)?;
        let leaves = self.unit.types.leaves(&to.ty, to.at)?;
        self.assumed.copies |= leaves.len() > 1;
        for (i, ty) in leaves.into_iter().enumerate() {
            let used = self.steps.in_use();
            let value = self.read(&from.part(i, ty.clone()))?;
            let value = self.convert(value, &ty, to.at)?;
            self.write(&to.part(i, ty), &value)?;
            self.steps.release(used);
        }
        Ok(())
    }

    /// Which member or element of an object an initial value is for: the one that is named, or the
    /// next one.
    pub(crate) fn designated(
        &mut self,
        ty: &Type,
        designation: &'a [Node<Designator>],
        next: usize,
    ) -> Lower<usize> {
        let (designator, at) = match designation {
            [] => return Ok(next),
            [one] => (&one.node, one.span.start),
            [_, second, ..] => {
                let what = "an initial value of a member of a member";
                return Err(Fault::unsupported(second.span.start, what));
            }
        };
        match (designator, ty.plain()) {
            (Designator::Member(name), Type::Struct(number)) => {
                let members = self.unit.types.members_of(*number).iter();
                let found = members.map(|(member, _)| member).position(|m| *m == name.node.name);
                let message = || format!("no structure has a member `{}` here", name.node.name);
                found.ok_or_else(|| Fault::wrong(at, message()))
            }
            (Designator::Index(index), Type::Array(..)) => {
                let index: BigInt = self.constant(index)?;
                let found = usize::try_from(&index).ok();
                found.ok_or_else(|| Fault::wrong(at, "an index beyond the array"))
            }
            _ => Err(Fault::unsupported(at, "this kind of designated initial value")),
        }
    }
}

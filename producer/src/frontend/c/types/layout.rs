//! Cells, sizes and alignment of types, as the System V ABI has them.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{DataModel, Integer, Structure, Sync, Type};
use num_bigint::BigInt;
use num_integer::Integer as _;

/// Cells of an object.
const MAX_OBJECT: usize = 4_096;

/// The structures of the translation unit, and the widths of the data model.
pub(crate) struct Types {
    model: DataModel,
    structures: Vec<Structure>,
    /// Whether attributes may change the layout of structures.
    attributes: bool,
}

impl Types {
    /// No structures yet. `attributes` may change the layout of structures.
    pub(crate) fn new(model: DataModel, attributes: bool) -> Self {
        Types { model, structures: Vec::new(), attributes }
    }

    /// Bits of `long` and of pointers.
    pub(crate) fn long(&self) -> u32 {
        self.model.long()
    }

    /// A new structure, without members yet.
    pub(crate) fn declare(&mut self, name: String) -> Type {
        self.structures.push(Structure { name, members: None });
        Type::Struct(self.structures.len() - 1)
    }

    /// The members of a structure become known.
    pub(crate) fn complete(&mut self, ty: &Type, members: Vec<(String, Type)>) {
        if let Type::Struct(number) = ty {
            self.structures[*number].members = Some(members);
        }
    }

    /// Whether a type is a structure whose members are not known yet.
    pub(crate) fn is_open(&self, ty: &Type) -> bool {
        matches!(ty, Type::Struct(number) if self.structures[*number].members.is_none())
    }

    /// Whether the structures that a type is made of have been declared.
    pub(crate) fn has(&self, ty: &Type) -> bool {
        match ty.plain() {
            Type::Struct(number) => *number < self.structures.len(),
            Type::Array(element, _) => self.has(element),
            _ => true,
        }
    }

    /// The members of a structure in their order.
    pub(crate) fn members_of(&self, number: usize) -> &[(String, Type)] {
        self.structures[number].members.as_deref().unwrap_or_default()
    }

    /// Whether a type is an array or has one in it.
    pub(crate) fn contains_array(&self, ty: &Type) -> bool {
        match ty.plain() {
            Type::Array(..) => true,
            Type::Struct(number) => {
                self.members_of(*number).iter().any(|(_, ty)| self.contains_array(ty))
            }
            _ => false,
        }
    }

    /// The types of a type's cells.
    pub(crate) fn leaves(&self, ty: &Type, at: usize) -> Lower<Vec<Type>> {
        let mut out = Vec::new();
        let mut todo = vec![ty.clone()];
        while let Some(next) = todo.pop() {
            match next.plain() {
                Type::Int(_) | Type::Pointer(_) | Type::Sync(_) => out.push(next),
                Type::Array(element, Some(size)) => {
                    if *size > MAX_OBJECT {
                        return Err(Fault::unsupported(at, format!("an array of {size} elements")));
                    }
                    todo.extend(std::iter::repeat_n((**element).clone(), *size));
                }
                Type::Struct(number) => {
                    let structure = &self.structures[*number];
                    let Some(members) = &structure.members else {
                        return Err(Fault::wrong(
                            at,
                            format!("`{}` is not complete", structure.name),
                        ));
                    };
                    todo.extend(members.iter().rev().map(|(_, ty)| ty.clone()));
                }
                Type::Unsupported(what) => return Err(Fault::unsupported(at, what)),
                _ => return Err(Fault::unsupported(at, "a variable of this type")),
            }
            if out.len() + todo.len() > MAX_OBJECT {
                return Err(Fault::unsupported(at, "a variable of such a size"));
            }
        }
        Ok(out)
    }

    /// Names of a type's cells.
    pub(crate) fn paths(&self, ty: &Type, name: String, out: &mut Vec<String>) {
        match ty.plain() {
            Type::Array(element, Some(size)) => {
                (0..*size).for_each(|i| self.paths(element, format!("{name}_{i}"), out));
            }
            Type::Struct(number) => {
                for (member, ty) in self.structures[*number].members.iter().flatten() {
                    self.paths(ty, format!("{name}_{member}"), out);
                }
            }
            _ => out.push(name),
        }
    }

    /// The number of a type's cells.
    pub(crate) fn size(&self, ty: &Type, at: usize) -> Lower<usize> {
        Ok(self.leaves(ty, at)?.len())
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

    pub(crate) fn size_type(&self) -> Type {
        Type::Int(Integer { bits: self.long(), signed: false, rank: 4 })
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
        let long = BigInt::from(self.long() / 8);
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
                if self.attributes {
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

    /// The members or elements of an object with their places in it, for its initial values.
    pub(crate) fn members(&self, ty: &Type, at: usize) -> Lower<Vec<(Type, usize)>> {
        let list: Vec<Type> = match ty.plain() {
            Type::Array(element, size) => vec![(**element).clone(); size.unwrap_or(0)],
            Type::Struct(number) => {
                let members = self.structures[*number].members.iter().flatten();
                members.map(|(_, ty)| ty.clone()).collect()
            }
            _ => vec![ty.clone()],
        };
        let mut cell = 0;
        let mut out = Vec::new();
        for ty in list {
            let size = self.size(&ty, at)?;
            out.push((ty, cell));
            cell += size;
        }
        Ok(out)
    }
}

//! Cells, sizes and alignment of types, as the System V ABI has them.

use crate::frontend::c::types::{Structure, Type};

pub(crate) fn contains_array(ty: &Type, structures: &[Structure]) -> bool {
    match ty.plain() {
        Type::Array(..) => true,
        Type::Struct(number) => structures[*number]
            .members
            .iter()
            .flatten()
            .any(|(_, ty)| contains_array(ty, structures)),
        _ => false,
    }
}

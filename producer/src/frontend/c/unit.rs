//! The translation unit: the names in scope, the functions and the structures.

use crate::frontend::c::types::Type;
use num_bigint::BigInt;
use std::collections::HashMap;

/// What a name means.
#[derive(Clone, Debug)]
pub(crate) enum Entity {
    Typedef(Type),
    Constant(BigInt),
    Object(usize),
    Function(Type),
}

/// The names of one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub names: HashMap<String, Entity>,
    /// Structures by their tags.
    pub tags: HashMap<String, Type>,
}

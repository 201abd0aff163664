//! How much a value is (SPEC.md section 11): what it costs to copy, compare or hash it, all the way down.

use super::raw::{self, Map, Name, Seq};
use crate::program::{Edge, Location, Multiplicity, Template, Variable};
use crate::proof::proof_space::{Instance, Predicate, Slot};
use crate::refutation::Linear;
use crate::{Expr, Int, Op, Sort};
use std::rc::Rc;

/// Bits and bytes that cost as much as a small value: some words are copied, compared or hashed at once.
const BITS: u64 = 512;
const BYTES: usize = 16;

/// The size of a value.
pub trait Size {
    /// The size: 1 for what has a fixed one.
    fn size(&self) -> usize {
        1
    }
}

macro_rules! fixed {
    ($($name:ty)*) => {$(impl Size for $name {})*};
}
fixed!(bool u32 i32 usize Sort Slot Multiplicity);

/// The sum of the sizes of some parts.
macro_rules! sum {
    ($($name:ident $($field:ident)+;)*) => {$(
        impl Size for $name {
            fn size(&self) -> usize {
                0 $(+ self.$field.size())+
            }
        }
    )*};
}
sum! {
    Linear constant terms;
    Predicate formula threads;
    Variable name;
    Location name;
    Edge inputs guard updates;
    Template name locals init locations edges;
}

/// The size of a tuple.
macro_rules! tuple {
    ($($name:ident)*) => {
        impl<$($name: Size),*> Size for ($($name),*) {
            #[allow(non_snake_case, reason = "types name the variables")]
            fn size(&self) -> usize {
                let ($($name),*) = self;
                0 $(+ $name.size())*
            }
        }
    };
}
tuple!(A B);
tuple!(A B C);
tuple!(A B C D);

impl<T: Size + ?Sized> Size for &T {
    fn size(&self) -> usize {
        (**self).size()
    }
}

impl<T: Size> Size for Rc<T> {
    fn size(&self) -> usize {
        (**self).size()
    }
}

impl<T: Size> Size for Option<T> {
    fn size(&self) -> usize {
        self.as_ref().map_or(1, Size::size)
    }
}

impl Size for str {
    fn size(&self) -> usize {
        1 + self.len() / BYTES
    }
}

impl Size for Name {
    fn size(&self) -> usize {
        raw::text(self).size()
    }
}

impl Size for Int {
    fn size(&self) -> usize {
        usize::try_from(self.bits() / BITS).map_or(usize::MAX, |more| more.saturating_add(1))
    }
}

impl Size for Op {
    fn size(&self) -> usize {
        match self {
            Op::Int(value) | Op::Scale(value) => value.size(),
            _ => 1,
        }
    }
}

impl Size for Expr {
    fn size(&self) -> usize {
        self.0.size()
    }
}

impl Size for Instance {
    fn size(&self) -> usize {
        self.1.size()
    }
}

impl<T: Size> Size for Seq<T> {
    fn size(&self) -> usize {
        raw::list(self).iter().map(Size::size).fold(1, usize::saturating_add)
    }
}

impl<K: Size, V: Size> Size for Map<K, V> {
    fn size(&self) -> usize {
        let sizes = raw::entries(self).map(|(key, value)| key.size() + value.size());
        sizes.fold(1, usize::saturating_add)
    }
}

//! How much a value is (SPEC.md section 11): what it costs to copy, compare or hash it, all the way
//! down.

use super::raw::{self, Map, Name, Seq};
use crate::program::{Edge, Location, Multiplicity, Template, Variable};
use crate::proof::proof_space::{Instance, Predicate, Slot};
use crate::refutation::Linear;
use crate::{Expr, Int, Op, Sort};

/// Bits and bytes that cost as much as a small value: some words are copied, compared or hashed at
/// once.
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
            Op::Int(value) | Op::Scale(value) | Op::Div(value) | Op::Mod(value) => value.size(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn all_that_a_value_has_counts() {
        let power = |exponent: u32| Int(BigInt::from(1) << exponent);
        assert_eq!([0, 510, 511, 1023].map(|e| power(e).size()), [1, 1, 2, 3]);
        assert_eq!([0, 15, 16, 1000].map(|n| "n".repeat(n).as_str().size()), [1, 1, 2, 63]);
        let op = |value| [Op::Int(value), Op::Scale(power(1023)), Op::Add];
        assert_eq!(op(power(600)).map(|op| op.size()), [2, 3, 1]);
        let expr = Expr(op(power(600)).into());
        assert_eq!((expr.size(), Some(&expr).size()), (7, 7));
        assert_eq!(Instance(7, vec![1, 2, 3]).size(), 4);
        let linear = Linear { constant: power(600), terms: vec![(0, power(0)), (1, power(1100))] };
        assert_eq!(linear.size(), 2 + 1 + 2 + 4);
        assert_eq!(Predicate { formula: expr.clone(), threads: vec![0, 0] }.size(), 7 + 3);
        assert_eq!((1_u32, (2_u32, true), 3_usize).size(), 4);
        assert_eq!([None, Some(expr.clone())].map(|e| e.size()), [1, 7]);
        assert_eq!(Map::from([(1_u32, expr.clone()), (2, expr.clone())]).size(), 1 + 2 * 8);
        let variable = Variable { name: "n".repeat(100), sort: Sort::Int, owner: None };
        assert_eq!(variable.size(), 7);
        let location = Location { name: "n".repeat(100), error: false };
        assert_eq!(location.size(), 7);
        let edge = Edge {
            source: 0,
            target: 0,
            inputs: vec![variable.clone()],
            guard: expr.clone(),
            updates: vec![(Op::Global(0), expr.clone())],
        };
        assert_eq!(edge.size(), (1 + 7) + 7 + (1 + 1 + 7));
        let template = Template {
            name: "n".repeat(100),
            multiplicity: Multiplicity::One,
            locals: vec![variable],
            init: expr,
            locations: vec![location],
            edges: vec![edge],
        };
        assert_eq!(template.size(), 7 + (1 + 7) + 7 + (1 + 7) + (1 + 24));
    }
}

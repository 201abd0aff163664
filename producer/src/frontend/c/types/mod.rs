//! C's types, as far as their values are modelled, and their ranges in a data model (C11, 6.2.5 and
//! 6.3.1).

pub(crate) mod layout;
pub(crate) mod literal;
pub(crate) mod value;

use num_bigint::BigInt;
use std::rc::Rc;

/// The widths of C's integer types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[value(name = "ILP32")]
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    #[default]
    #[value(name = "LP64")]
    Lp64,
}

impl DataModel {
    /// Bits of `long` and of pointers.
    pub(crate) fn long(self) -> u32 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// The name as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Integer {
    pub bits: u32,
    pub signed: bool,
    /// Conversion rank: `_Bool` 0, `char` 1, `short` 2, `int` 3, `long` 4, `long long` 5.
    pub rank: u8,
}

impl Integer {
    pub(crate) const BOOL: Integer = Integer { bits: 1, signed: false, rank: 0 };
    pub(crate) const INT: Integer = Integer { bits: 32, signed: true, rank: 3 };
    pub(crate) const UNSIGNED: Integer = Integer { bits: 32, signed: false, rank: 3 };

    pub(crate) fn is_bool(self) -> bool {
        self.rank == 0
    }

    /// 2 to the number of bits.
    pub(crate) fn modulus(self) -> BigInt {
        BigInt::from(1) << self.bits
    }

    pub(crate) fn low(self) -> BigInt {
        if self.signed { -(BigInt::from(1) << (self.bits - 1)) } else { BigInt::from(0) }
    }

    pub(crate) fn high(self) -> BigInt {
        (BigInt::from(1) << (self.bits - u32::from(self.signed))) - 1
    }

    /// The integer promotions: what is narrower than `int` becomes `int`.
    pub(crate) fn promoted(self) -> Integer {
        if self.rank < Integer::INT.rank { Integer::INT } else { self }
    }

    /// The usual arithmetic conversions.
    pub(crate) fn common(self, other: Integer) -> Integer {
        let (a, b) = (self.promoted(), other.promoted());
        let (low, high) = if (a.rank, !a.signed) <= (b.rank, !b.signed) { (a, b) } else { (b, a) };
        if low.signed == high.signed || !high.signed || high.bits > low.bits {
            return high;
        }
        Integer { signed: false, ..high }
    }
}

/// What the program synchronizes by: one cell, whose number is the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sync {
    /// 0 free, 1 held.
    Mutex,
    /// Number of readers, or -1 for a writer.
    ReadWrite,
    /// No state: waiting threads may wake at any time.
    Condition,
    /// 0 not begun, 1 under way, 2 done.
    Once,
    /// The number of the thread that it names.
    Thread,
    /// Attributes: no state.
    Attributes,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Void,
    Int(Integer),
    Pointer(Rc<Type>),
    /// The size is none if it is left open.
    Array(Rc<Type>, Option<usize>),
    /// A number in the list of structures.
    Struct(usize),
    Function(Rc<Function>),
    Sync(Sync),
    Atomic(Rc<Type>),
    /// What is not modelled: it may be declared, but not used.
    Unsupported(Rc<str>),
}

/// A function's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    pub result: Type,
    pub parameters: Vec<Type>,
}

/// A structure's members; none before it is complete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Structure {
    pub name: String,
    pub members: Option<Vec<(String, Type)>>,
}

impl Type {
    pub(crate) fn int() -> Type {
        Type::Int(Integer::INT)
    }

    /// The type without `_Atomic`.
    pub(crate) fn plain(&self) -> &Type {
        match self {
            Type::Atomic(inner) => inner,
            other => other,
        }
    }

    pub(crate) fn is_atomic(&self) -> bool {
        matches!(self, Type::Atomic(_))
    }

    pub(crate) fn integer(&self) -> Option<Integer> {
        match self.plain() {
            Type::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// What a pointer, or an array that decays to one, points to.
    pub(crate) fn pointee(&self) -> Option<&Type> {
        match self.plain() {
            Type::Pointer(to) | Type::Array(to, _) => Some(to),
            _ => None,
        }
    }

    /// Whether values of the type are single cells.
    pub(crate) fn is_scalar(&self) -> bool {
        matches!(self.plain(), Type::Int(_) | Type::Pointer(_) | Type::Sync(_))
    }
}

/// The type of a pointer to a function or of a function.
pub(crate) fn function_type(ty: &Type) -> Option<&Function> {
    match ty.plain() {
        Type::Function(function) => Some(function),
        Type::Pointer(to) => match to.plain() {
            Type::Function(function) => Some(function),
            _ => None,
        },
        _ => None,
    }
}

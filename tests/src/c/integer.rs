//! The integers of an LP64 machine, after sections 6.2.5, 6.3.1 and 6.5 of the C standard.

/// The integer types. `char` is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(clippy::enum_variant_names, reason = "as C names them")]
pub enum Int {
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LLong,
    ULLong,
}

/// Operators on two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
    And,
    Or,
    Xor,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Int {
    pub const ALL: [Int; 12] = [
        Int::Bool,
        Int::Char,
        Int::SChar,
        Int::UChar,
        Int::Short,
        Int::UShort,
        Int::Int,
        Int::UInt,
        Int::Long,
        Int::ULong,
        Int::LLong,
        Int::ULLong,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Int::Bool => "_Bool",
            Int::Char => "char",
            Int::SChar => "signed char",
            Int::UChar => "unsigned char",
            Int::Short => "short",
            Int::UShort => "unsigned short",
            Int::Int => "int",
            Int::UInt => "unsigned",
            Int::Long => "long",
            Int::ULong => "unsigned long",
            Int::LLong => "long long",
            Int::ULLong => "unsigned long long",
        }
    }

    pub fn bits(self) -> u32 {
        match self {
            Int::Bool => 1,
            Int::Char | Int::SChar | Int::UChar => 8,
            Int::Short | Int::UShort => 16,
            Int::Int | Int::UInt => 32,
            Int::Long | Int::ULong | Int::LLong | Int::ULLong => 64,
        }
    }

    pub fn signed(self) -> bool {
        !matches!(self, Int::Bool | Int::UChar | Int::UShort | Int::UInt | Int::ULong | Int::ULLong)
    }

    /// The conversion rank.
    fn rank(self) -> u32 {
        match self {
            Int::LLong | Int::ULLong => 65,
            other => other.bits(),
        }
    }

    pub fn min(self) -> i128 {
        if self.signed() { -(1 << (self.bits() - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        self.min() + (1 << self.bits()) - 1
    }

    pub fn contains(self, value: i128) -> bool {
        (self.min()..=self.max()).contains(&value)
    }

    /// A value of any integer type as one of this type.
    pub fn convert(self, value: i128) -> i128 {
        match self {
            Int::Bool => i128::from(value != 0),
            _ => (value - self.min()).rem_euclid(1 << self.bits()) + self.min(),
        }
    }

    /// The integer promotions.
    pub fn promoted(self) -> Int {
        if self.rank() < Int::Int.rank() { Int::Int } else { self }
    }

    fn unsigned(self) -> Int {
        match self {
            Int::Int => Int::UInt,
            Int::Long => Int::ULong,
            Int::LLong => Int::ULLong,
            other => other,
        }
    }

    /// The usual arithmetic conversions.
    pub fn common(self, other: Int) -> Int {
        let (a, b) = (self.promoted(), other.promoted());
        let (low, high) = if a.rank() <= b.rank() { (a, b) } else { (b, a) };
        if low.signed() == high.signed() || !high.signed() {
            return high;
        }
        if low.rank() == high.rank() {
            return low;
        }
        if high.max() >= low.max() { high } else { high.unsigned() }
    }

    /// The value in this promoted type, if there is no overflow.
    pub fn exact(self, value: i128) -> Option<i128> {
        match self.signed() {
            true => self.contains(value).then_some(value),
            false => Some(self.convert(value)),
        }
    }
}

impl Binary {
    /// The operator of `++` or `--`.
    pub fn step(up: bool) -> Binary {
        if up { Binary::Add } else { Binary::Sub }
    }

    pub fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        }
    }

    pub fn compares(self) -> bool {
        use Binary::{Eq, Ge, Gt, Le, Lt, Ne};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }

    /// The type of the result.
    pub fn result(self, left: Int, right: Int) -> Int {
        match self {
            Binary::Shl | Binary::Shr => left.promoted(),
            _ if self.compares() => Int::Int,
            _ => left.common(right),
        }
    }

    /// The result, if the behaviour is defined.
    pub fn apply(self, (left, a): (Int, i128), (right, b): (Int, i128)) -> Option<i128> {
        if let Binary::Shl | Binary::Shr = self {
            let kind = left.promoted();
            let by = u32::try_from(b).ok().filter(|by| *by < kind.bits())?;
            return match self {
                Binary::Shr => Some(a >> by),
                _ if kind.signed() && a < 0 => None,
                _ => kind.exact(a << by),
            };
        }
        let kind = left.common(right);
        let (a, b) = (kind.convert(a), kind.convert(b));
        match self {
            Binary::Add => kind.exact(a + b),
            Binary::Sub => kind.exact(a - b),
            Binary::Mul if kind.signed() => kind.exact(a * b),
            Binary::Mul => {
                // The product of two of 64 bits may have 128.
                let product = a.unsigned_abs().wrapping_mul(b.unsigned_abs());
                i128::try_from(product % (1 << kind.bits())).ok()
            }
            Binary::Div => kind.exact(a.checked_div(b)?),
            // The standard leaves the remainder undefined where the quotient is.
            Binary::Rem => kind.exact(a.checked_div(b)?).and(a.checked_rem(b)),
            Binary::And => Some(a & b),
            Binary::Or => Some(a | b),
            Binary::Xor => Some(a ^ b),
            Binary::Eq => Some(i128::from(a == b)),
            Binary::Ne => Some(i128::from(a != b)),
            Binary::Lt => Some(i128::from(a < b)),
            Binary::Le => Some(i128::from(a <= b)),
            Binary::Gt => Some(i128::from(a > b)),
            Binary::Ge => Some(i128::from(a >= b)),
            Binary::Shl | Binary::Shr => unreachable!("done above"),
        }
    }
}

//! Constants as they are written: numbers, characters and strings.

use crate::frontend::c::error::{Fault, Lower};
use crate::frontend::c::types::layout::Types;
use crate::frontend::c::types::value::Value;
use crate::frontend::c::types::{Integer, Type};
use lang_c::ast::{Constant, Integer as Literal, IntegerBase, IntegerSize};
use num_bigint::BigInt;

pub(crate) fn character_type() -> Type {
    Type::Int(Integer { bits: 8, signed: true, rank: 1 })
}

/// The value of a character constant of one byte.
pub(crate) fn character(text: &str) -> Option<i64> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut characters = inner.chars();
    let first = characters.next()?;
    if first != '\\' {
        return (characters.next().is_none() && first.is_ascii())
            .then_some(i64::from(u32::from(first)));
    }
    let rest = characters.as_str();
    let number = match rest {
        "n" => 10,
        "t" => 9,
        "r" => 13,
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "\\" | "'" | "\"" | "?" => i64::from(rest.as_bytes()[0]),
        _ => {
            let (digits, radix) = rest.strip_prefix('x').map_or((rest, 8), |hex| (hex, 16));
            i64::from_str_radix(digits, radix).ok().filter(|v| *v < 256)?
        }
    };
    // `char` is signed.
    Some(if number > 127 { number - 256 } else { number })
}

/// The characters of a string, with a zero at the end.
pub(crate) fn characters(parts: &[String]) -> Option<Vec<BigInt>> {
    let mut out = Vec::new();
    for part in parts {
        let mut rest = part.strip_prefix('"')?.strip_suffix('"')?;
        while let Some(first) = rest.chars().next() {
            let mut length = first.len_utf8();
            if first == '\\' {
                let digits = |text: &str, of: fn(char) -> bool, most: usize| {
                    text.chars().take(most).take_while(|c| of(*c)).count()
                };
                let next = rest[1..].chars().next()?;
                length = match next {
                    'x' => 2 + digits(&rest[2..], |c| c.is_ascii_hexdigit(), usize::MAX),
                    '0'..='7' => 1 + digits(&rest[1..], |c| ('0'..='7').contains(&c), 3),
                    other => 1 + other.len_utf8(),
                };
            }
            let (one, behind) = rest.split_at(length);
            out.push(BigInt::from(character(&format!("'{one}'"))?));
            rest = behind;
        }
    }
    out.push(BigInt::from(0));
    Some(out)
}

impl Types {
    pub(crate) fn literal(&self, constant: &Constant, at: usize) -> Lower<Value> {
        match constant {
            Constant::Integer(integer) => {
                self.number(integer).ok_or_else(|| Fault::unsupported(at, "this number"))
            }
            Constant::Float(_) => Err(Fault::unsupported(at, "a floating-point number")),
            Constant::Character(text) => match character(text) {
                Some(value) => Ok(Value::constant(value, Type::int())),
                None => Err(Fault::unsupported(at, "this character")),
            },
        }
    }

    /// An integer has the first type of the standard's list that holds it.
    fn number(&self, integer: &Literal) -> Option<Value> {
        let radix = match integer.base {
            IntegerBase::Decimal => 10,
            IntegerBase::Octal => 8,
            IntegerBase::Hexadecimal => 16,
            IntegerBase::Binary => 2,
        };
        let digits = if integer.number.is_empty() { "0" } else { &*integer.number };
        let value = BigInt::parse_bytes(digits.as_bytes(), radix)?;
        if value.bits() > 64 || integer.suffix.imaginary {
            return None;
        }
        let long = self.long();
        let widths = [
            (IntegerSize::Int, 32, 3),
            (IntegerSize::Long, long, 4),
            (IntegerSize::LongLong, 64, 5),
        ];
        let (unsigned, decimal) = (integer.suffix.unsigned, integer.base == IntegerBase::Decimal);
        for (_, bits, rank) in widths.into_iter().filter(|w| w.0 >= integer.suffix.size) {
            for signed in [true, false] {
                let allowed = if signed { !unsigned } else { unsigned || !decimal };
                let ty = Integer { bits, signed, rank };
                if allowed && value <= ty.high() {
                    return Some(Value::constant(value, Type::Int(ty)));
                }
            }
        }
        None
    }
}

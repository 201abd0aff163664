//! Integers of any size, and how they stand in a certificate (SPEC.md section 2.2).

use num_bigint::BigInt;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// An integer of any size. As CBOR: an integer when it fits 64 bits signed, otherwise its
/// decimal text.
#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(threadproof_metered), derive(Clone))]
pub struct Int(
    #[cfg(not(threadproof_metered))] pub BigInt,
    #[cfg(threadproof_metered)] pub(crate) BigInt,
);

impl From<i64> for Int {
    fn from(value: i64) -> Self {
        Int(value.into())
    }
}

#[cfg(not(threadproof_metered))]
impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Int {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(&self.0) {
            Ok(small) => serializer.serialize_i64(small),
            Err(_) => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntVisitor)
    }
}

struct IntVisitor;

impl de::Visitor<'_> for IntVisitor {
    type Value = Int;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer")
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Int, E> {
        Ok(value.into())
    }

    // An integer beyond i64 survives here and is refused by the comparison of the re-encoded
    // bytes (`cbor::decode`), because it must be written as text.
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Int, E> {
        Ok(Int(value.into()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Int, E> {
        if text.strip_prefix('-').unwrap_or(text).len() > crate::limits::MAX_DIGITS {
            return Err(E::custom(crate::cbor::OVER_LIMIT));
        }
        text.parse().map(Int).map_err(E::custom)
    }
}

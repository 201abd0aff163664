//! Deterministic CBOR: RFC 8949 section 4.2.1, and nothing else (SPEC.md section 2.1).
//!
//! Decoding is strict: the bytes are scanned first, without recursion, for everything that
//! deterministic encoding excludes, and for the version; then serde decodes them; then the value is
//! encoded again and must give the same bytes.

use crate::limits::{MAX_BYTES, MAX_DEPTH};
use crate::proof::VERSION;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// The message of an error that means "over a limit".
pub(crate) const OVER_LIMIT: &str = "over a limit of the format";

/// Why bytes were refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CborError {
    /// Over a limit: not judged.
    Limit(&'static str),
    /// Not deterministic CBOR: the offset and what is wrong there.
    NotDeterministic(usize, &'static str),
    /// Another version than the one that is read: not judged.
    Version(u32),
    /// Deterministic CBOR, but not of the shape that the schema wants.
    Shape(String),
}

impl fmt::Display for CborError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CborError::Limit(what) => write!(f, "over the limit: {what}"),
            CborError::NotDeterministic(at, what) => write!(f, "byte {at}: {what}"),
            CborError::Version(version) => write!(f, "unknown format version {version}"),
            CborError::Shape(what) => write!(f, "not of the schema: {what}"),
        }
    }
}

impl std::error::Error for CborError {}

/// Encodes a value of the format deterministically.
///
/// # Errors
/// None for the types of this crate; `Shape` for a type that CBOR cannot hold.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, CborError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes).map_err(|e| CborError::Shape(e.to_string()))?;
    Ok(bytes)
}

/// Decodes a value of the format; accepts only the bytes that [`encode`] gives. Of a map of another
/// version nothing else is looked at.
///
/// # Errors
/// `Limit`, `NotDeterministic`, `Version` or `Shape`.
pub fn decode<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> Result<T, CborError> {
    if bytes.len() > MAX_BYTES {
        return Err(CborError::Limit("bytes of a certificate"));
    }
    let mut scanner = Scanner { bytes, at: 0, version: None };
    scanner.scan()?;
    if let Some(other) = scanner.version.filter(|version| *version != VERSION) {
        return Err(CborError::Version(other));
    }
    let value: T = ciborium::from_reader(bytes).map_err(|e| match e {
        ciborium::de::Error::Semantic(_, text) if text == OVER_LIMIT => {
            CborError::Limit("digits of an integer")
        }
        other => CborError::Shape(other.to_string()),
    })?;
    let again = encode(&value)?;
    if again == bytes {
        return Ok(value);
    }
    let at = again.iter().zip(bytes).take_while(|(a, b)| a == b).count();
    Err(CborError::NotDeterministic(at, "another encoding is shorter or complete"))
}

/// An array or map that is being scanned.
struct Open {
    /// Items (of a map: keys and values) still to come.
    left: u64,
    is_map: bool,
    /// Where the previous key stands in the bytes, and where one begins that is being scanned.
    last_key: Option<(usize, usize)>,
    key_start: Option<usize>,
}

/// The key of a map of which a number is the format's version.
const VERSION_KEY: &[u8] = b"\x67version";

/// Scans for what deterministic encoding excludes.
#[derive(Clone)]
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The version, once its key was seen in the outermost map.
    version: Option<u32>,
}

impl Scanner<'_> {
    fn fail<T>(&self, what: &'static str) -> Result<T, CborError> {
        Err(CborError::NotDeterministic(self.at, what))
    }

    fn scan(&mut self) -> Result<(), CborError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut finished = true;
            let outermost = open.len() == 1;
            if let Some(top) = open.last_mut()
                && top.is_map
                && top.left % 2 == 0
            {
                top.key_start = Some(self.at);
            }
            if let Some((is_map, left)) = self.item()?
                && left > 0
            {
                if open.len() >= MAX_DEPTH {
                    return Err(CborError::Limit("nesting"));
                }
                open.push(Open { left, is_map, last_key: None, key_start: None });
                finished = false;
            }
            while finished {
                let Some(top) = open.last_mut() else {
                    return self.end();
                };
                if let Some(start) = top.key_start.take() {
                    let key = (start, self.at);
                    if let Some((from, to)) = top.last_key
                        && self.bytes.get(from..to) >= self.bytes.get(key.0..key.1)
                    {
                        return self.fail("keys not ascending");
                    }
                    top.last_key = Some(key);
                    if outermost && self.bytes.get(start..self.at) == Some(VERSION_KEY) {
                        self.version = self.clone().number();
                    }
                }
                top.left -= 1;
                finished = top.left == 0;
                if finished {
                    open.pop();
                }
            }
        }
    }

    fn end(&self) -> Result<(), CborError> {
        if self.at == self.bytes.len() { Ok(()) } else { self.fail("trailing bytes") }
    }

    /// The number that comes next, if it is one.
    fn number(mut self) -> Option<u32> {
        let head = self.bytes.get(self.at).filter(|head| **head >> 5 == 0)?;
        u32::try_from(self.argument(head & 31).ok()?).ok()
    }

    /// Reads an item's head, and a string's content. `Some` for an array or a map: whether it is
    /// a map, and how many items follow.
    fn item(&mut self) -> Result<Option<(bool, u64)>, CborError> {
        let Some(&head) = self.bytes.get(self.at) else {
            return self.fail("ends too early");
        };
        if head >> 5 == 7 {
            if !(0xf4..=0xf6).contains(&head) {
                return self.fail("a float, break or simple value");
            }
            self.at += 1;
            return Ok(None);
        }
        let value = self.argument(head & 31)?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = usize::try_from(value).unwrap_or(usize::MAX);
        match head >> 5 {
            0 | 1 => Ok(None),
            2 | 3 => {
                let Some(content) = rest.get(..length) else {
                    return self.fail("longer than the bytes left");
                };
                if head >> 5 == 3 && std::str::from_utf8(content).is_err() {
                    return self.fail("text that is not UTF-8");
                }
                self.at += length;
                Ok(None)
            }
            6 => self.fail("a tag"),
            kind => {
                let items = if kind == 5 { length.saturating_mul(2) } else { length };
                if items > rest.len() {
                    return self.fail("longer than the bytes left");
                }
                Ok(Some((kind == 5, items as u64)))
            }
        }
    }

    /// Reads the head's argument; refuses all but the shortest form.
    fn argument(&mut self, low: u8) -> Result<u64, CborError> {
        let size = match low {
            0..=23 => 0,
            24..=27 => 1_usize << (low - 24),
            31 => return self.fail("indefinite length"),
            _ => return self.fail("reserved head"),
        };
        let Some(tail) = self.bytes.get(self.at + 1..self.at + 1 + size) else {
            return self.fail("ends too early");
        };
        let value = tail.iter().fold(0_u64, |v, b| (v << 8) + u64::from(*b));
        let value = if size == 0 { u64::from(low) } else { value };
        let least = match size {
            0 => 0,
            1 => 24,
            _ => 1_u64 << (4 * size),
        };
        if value < least {
            return self.fail("not the shortest form");
        }
        self.at += 1 + size;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Int;
    use num_bigint::BigInt;

    fn wrong(bytes: &[u8]) -> &'static str {
        match decode::<Vec<Int>>(bytes) {
            Err(CborError::NotDeterministic(_, what)) => what,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn integers_of_any_size_round_trip() {
        let big: BigInt = "-123456789012345678901234567890".parse().unwrap();
        assert_eq!(Int(big.clone()).to_string(), big.to_string());
        let edge = BigInt::from(i64::MAX);
        let mut values = vec![Int(big), Int(edge.clone()), Int(edge + 1)];
        // At the ends of the ranges of each length.
        let ends = [-1, 0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296];
        values.extend(ends.map(Int::from));
        let bytes = encode(&values).unwrap();
        assert_eq!(decode::<Vec<Int>>(&bytes).unwrap(), values);
    }

    #[test]
    fn refuses_each_departure_from_deterministic_encoding() {
        assert_eq!(wrong(&[0x81, 0x18, 0x17]), "not the shortest form");
        assert_eq!(wrong(&[0x81, 0x19, 0x00, 0xff]), "not the shortest form");
        assert_eq!(wrong(&[0x81, 0x1a, 0, 0, 0xff, 0xff]), "not the shortest form");
        assert_eq!(
            wrong(&[0x81, 0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]),
            "not the shortest form"
        );
        assert_eq!(wrong(&[0x9f, 0x01, 0xff]), "indefinite length");
        assert_eq!(wrong(&[0x81, 0x1c]), "reserved head");
        assert_eq!(wrong(&[0x81, 0xf9, 0, 0]), "a float, break or simple value");
        assert_eq!(wrong(&[0x81, 0xc2, 0x41, 1]), "a tag");
        assert_eq!(wrong(&[0x80, 0x00]), "trailing bytes");
        assert_eq!(wrong(&[0x82, 0x01]), "longer than the bytes left");
        assert_eq!(wrong(&[0x81, 0x61]), "longer than the bytes left");
        assert_eq!(wrong(&[0x81, 0x61, 0xff]), "text that is not UTF-8");
        assert_eq!(wrong(&[0x9b, 0x10, 0, 0, 0, 0, 0, 0, 0]), "longer than the bytes left");
        assert_eq!(wrong(&[]), "ends too early");
        assert_eq!(wrong(&[0xa2, 0x61, 0x62, 0, 0x61, 0x61, 0]), "keys not ascending");
        assert_eq!(wrong(&[0xa2, 0x61, 0x61, 0, 0x61, 0x61, 0]), "keys not ascending");
        assert_eq!(wrong(&[0xa2, 0x61, 0x61, 0, 0x61, 0x61, 1]), "keys not ascending");
        // A number within i64 must not be written as text.
        let other = CborError::NotDeterministic(1, "another encoding is shorter or complete");
        assert_eq!(decode::<Vec<Int>>(&[0x81, 0x61, 0x35]), Err(other));
        for text in ["007", "+5", "-0", "1_0", "09223372036854775808", "+9223372036854775808"] {
            let bytes = encode(&[text]).unwrap();
            assert_eq!(wrong(&bytes), "another encoding is shorter or complete", "{text}");
        }
        // A number beyond i64 must be written as text.
        let above = [0x81, 0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(wrong(&above), "another encoding is shorter or complete");
        for bytes in [&[0x81, 0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0][..], &[0x81, 0x62, 0x2d, 0x2d]] {
            assert!(matches!(decode::<Vec<Int>>(bytes), Err(CborError::Shape(_))), "{bytes:?}");
        }
    }

    #[test]
    fn deep_nesting_and_long_integers_are_declined() {
        assert_eq!(decode::<Vec<Int>>(&[0x81; 1_000_000]), Err(CborError::Limit("nesting")));
        let long = vec!["1".repeat(crate::limits::MAX_DIGITS + 1)];
        let bytes = encode(&long).unwrap();
        assert_eq!(decode::<Vec<Int>>(&bytes), Err(CborError::Limit("digits of an integer")));
        // The sign is no digit.
        let longest = vec![format!("-{}", "1".repeat(crate::limits::MAX_DIGITS))];
        assert!(decode::<Vec<Int>>(&encode(&longest).unwrap()).is_ok());
        // What a field is called does not turn a refusal into a limit.
        let names = std::collections::BTreeMap::from([(OVER_LIMIT, 0)]);
        let got = decode::<crate::refutation::Linear>(&encode(&names).unwrap());
        assert!(matches!(got, Err(CborError::Shape(_))), "{got:?}");
    }

    #[test]
    fn what_the_schema_does_not_know_is_refused() {
        let bytes = [0xa3, 0x61, 0x63, 0, 0x61, 0x74, 0x80, 0x61, 0x7a, 0];
        let got = decode::<crate::refutation::Linear>(&bytes);
        assert!(
            matches!(got, Err(CborError::Shape(ref s)) if s.contains("unknown field")),
            "{got:?}"
        );
        let got = decode::<Vec<Int>>(&[0x81, 0xf5]);
        assert!(
            matches!(got, Err(CborError::Shape(ref s)) if s.contains("expected an integer")),
            "{got:?}"
        );
    }

    /// A version is known by the outermost map alone, and nothing of the schema comes before it.
    #[test]
    fn another_version_is_told_before_the_schema() {
        use crate::proof::{Certificate, VERSION};
        const NAME: &[u8] = b"\x67version";
        let decoded = |bytes: &[&[u8]]| decode::<Certificate>(&bytes.concat()).map(|_| ());
        let shape = |bytes: &[&[u8]]| matches!(decoded(bytes), Err(CborError::Shape(_)));
        let found = |version| Err(CborError::Version(version));
        assert_eq!(decoded(&[b"\xa1", NAME, b"\x09"]), found(9));
        assert_eq!(decoded(&[b"\xa1", NAME, b"\x00"]), found(0));
        assert_eq!(decoded(&[b"\xa1", NAME, b"\x1a\xff\xff\xff\xff"]), found(u32::MAX));
        // Beside keys of any kind, and with anything after it.
        assert_eq!(decoded(&[b"\xa3\x00\x81\xa0", NAME, b"\x09\x68versions\x80"]), found(9));
        assert_eq!(decoded(&[b"\xa2\x65proof\xa1", NAME, b"\x07", NAME, b"\x06"]), found(6));
        // A fault of the encoding comes first, also after it.
        let trailing = decoded(&[b"\xa1", NAME, b"\x09\x00"]);
        assert!(matches!(trailing, Err(CborError::NotDeterministic(10, "trailing bytes"))));
        // The known version, no number of this size, and others that are no versions.
        assert!(VERSION < 24 && shape(&[b"\xa1", NAME, &[VERSION.to_le_bytes()[0]]]));
        for value in [&b"\x1b\0\0\0\x01\0\0\0\0"[..], b"\x24", b"\x615", b"\xf6", b"\x81\x09"] {
            assert!(shape(&[b"\xa1", NAME, value]), "{value:x?}");
        }
        assert!(shape(&[b"\xa1\x65proof\xa1", NAME, b"\x09"]));
        assert!(shape(&[b"\x82", NAME, b"\x09"]) && shape(&[b"\xa1\x47version\x09"]));
        assert!(shape(&[b"\xa1\x68versions\x09"]) && shape(&[NAME]));
    }
}

//! Names of things: SHA-256 (SPEC.md section 2.3).

use serde::{Deserialize, Serialize};
use sha2::Digest as _;
use std::fmt;

/// A SHA-256 digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Digest(#[serde(with = "serde_bytes")] pub [u8; 32]);

impl Digest {
    /// The digest of some parts, one after the other.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = sha2::Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        Digest(hasher.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of FIPS 180-4.
    #[test]
    fn digests_are_of_the_parts_together_and_printed_as_hex() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of([&b"abc"[..]]).to_string(), abc);
        assert_eq!(Digest::of([&b"a"[..], b"", b"bc"]).to_string(), abc);
    }
}

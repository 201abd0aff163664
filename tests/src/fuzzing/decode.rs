//! The decoder on any bytes.

use threadproof_format::cbor::{self, CborError};
use threadproof_format::proof::Certificate;

/// Decodes the bytes: it answers, what it gives is what they say, and it refuses nothing that is
/// encoded as it should be. Whether it gave a certificate.
///
/// # Panics
/// If something of this is not so.
pub fn run(bytes: &[u8]) -> bool {
    let decoded = cbor::decode::<Certificate>(bytes);
    // The library alone decodes more; of that it is the one encoding that counts.
    let lax: Option<Certificate> = ciborium::from_reader(bytes).ok();
    let exact = lax.filter(|certificate| cbor::encode(certificate).is_ok_and(|b| b == bytes));
    match (&decoded, &exact) {
        (Ok(one), Some(other)) => assert_eq!(one, other),
        (Ok(_), None) => panic!("other bytes stand for it"),
        (Err(CborError::Limit(_) | CborError::Version(_)), _) | (Err(_), None) => {}
        (Err(error), Some(_)) => panic!("it is refused: {error}"),
    }
    decoded.is_ok()
}

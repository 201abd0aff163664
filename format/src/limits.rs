//! Every limit of the format and of the checker, in one place (SPEC.md section 11).
//!
//! Past a limit the checker *declines*: it says neither yes nor no.

/// Bytes of a program text or of a certificate.
pub const MAX_BYTES: usize = 256 << 20;
/// Nesting of CBOR arrays and maps. The format itself needs 12.
pub const MAX_DEPTH: usize = 32;
/// Tokens of one core-form text.
pub const MAX_TOKENS: usize = 8 << 20;
/// Operators of one formula, also after substitution of a command's updates.
pub const MAX_OPS: usize = 1 << 20;
/// Decimal digits of an integer literal, and bits / 3 of a computed integer.
pub const MAX_DIGITS: usize = 10_000;
/// Thread positions of one predicate. Pairs of them are compared.
pub const MAX_ARITY: usize = 6;
/// Elementary steps of one check (propagations, comparisons, words of arithmetic).
pub const MAX_WORK: u64 = 10_000_000_000;

//! Every limit of the format and of the checker, in one place (SPEC.md section 11).
//!
//! Past a limit the checker *declines*: it says neither yes nor no.

/// Bytes of a program text or of a certificate.
pub const MAX_BYTES: usize = 256 << 20;
/// Nesting of CBOR arrays and maps. The format itself needs 14.
pub const MAX_DEPTH: usize = 32;
/// Tokens of one core-form text.
pub const MAX_TOKENS: usize = 8 << 20;
/// Characters of a name in a core-form text.
pub const MAX_NAME: usize = 1_000;
/// Operators of one formula, also after substitution of a command's updates.
pub const MAX_OPS: usize = 1 << 20;
/// Decimal digits of an integer literal.
pub const MAX_DIGITS: usize = 10_000;
/// Bits of a computed integer: of a sum or product in a linear form or in a replay.
pub const MAX_BITS: u64 = 1 << 16;
/// What is held at one time, by size (SPEC.md 11.4): the clausal form and the formulas of one
/// obligation, the sums of one lemma, the steps of one configuration, the states of a replay. It
/// can be much more than the bytes of program and certificate.
pub const MAX_HELD: usize = 1 << 22;
/// Thread positions of one predicate. Pairs of them are compared.
pub const MAX_ARITY: usize = 6;
/// Elementary steps of one check: some ten nanoseconds each, a look-up or the copy of a term.
pub const MAX_WORK: u64 = 2_000_000_000;

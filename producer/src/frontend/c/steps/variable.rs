//! Variables of the core program, before they have their final names.

use num_bigint::BigInt;
use threadproof_format::Sort;

/// A variable of the core program.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub name: String,
    pub sort: Sort,
    /// The value at the start, or each element's value; any if there is none.
    pub init: Option<Vec<BigInt>>,
    /// The range, where the value at the start is any.
    pub range: Option<(BigInt, BigInt)>,
}

/// Positions in lists that never come near the limit.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 variables, locations and edges")
}

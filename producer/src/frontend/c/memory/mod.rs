//! Memory: objects and places.

pub(crate) mod object;
pub(crate) mod place;

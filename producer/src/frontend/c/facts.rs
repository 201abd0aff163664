//! Whole-program facts, computed as a fixed point: what one pass of the lowering finds, the next one knows.

use crate::frontend::c::memory::object::{Allocated, Key};
use crate::frontend::c::threads::{ManyKey, Site};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// What has to be known from the beginning, and is found on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Places of declarations whose objects' addresses are stored.
    pub exposed: BTreeSet<usize>,
    /// Functions whose addresses are stored.
    pub functions: BTreeSet<String>,
    /// Places of locals that other threads get to know.
    pub escaped: BTreeSet<usize>,
    /// Where threads are created more than once.
    pub repeated: BTreeSet<Site>,
    /// Of which threads, by function and argument, any number exist at once.
    pub free: BTreeSet<ManyKey>,
    /// Ranges of the arguments that threads are created with, by function and, of single threads, site.
    pub arguments: BTreeMap<(String, Option<Site>), (BigInt, BigInt)>,
    /// Where single threads are created, with their functions.
    pub singles: BTreeMap<Site, String>,
    /// Whether threads that are created in loops are joined: they have numbers, and short loops are unrolled.
    pub numbered: bool,
    /// Objects that are allocated.
    pub heap: BTreeMap<Key, Allocated>,
    /// Whether results of threads are taken.
    pub results: bool,
}

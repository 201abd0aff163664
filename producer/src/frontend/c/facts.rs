//! Whole-program facts, computed as a fixed point: what one pass of the lowering finds, the next
//! one knows.

use crate::frontend::c::memory::object::{Allocated, Key};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// The facts of one pass: those that it relies on, and those that it finds. It is the last one if
/// it finds nothing new.
pub(crate) struct Facts {
    pub known: Known,
    pub found: Known,
}

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
    /// Ranges of the arguments that threads are created with, by function and, of single threads,
    /// site.
    pub arguments: BTreeMap<(String, Option<Site>), (BigInt, BigInt)>,
    /// Where single threads are created, with their functions.
    pub singles: BTreeMap<Site, String>,
    /// Whether threads that are created in loops are joined: they have numbers, and short loops are
    /// unrolled.
    pub numbered: bool,
    /// Objects that are allocated.
    pub heap: BTreeMap<Key, Allocated>,
    /// Whether results of threads are taken.
    pub results: bool,
}

impl Facts {
    /// What is known at the start of a pass.
    pub(crate) fn new(known: Known) -> Self {
        Facts { known, found: Known::default() }
    }
}

impl Known {
    /// Adds what a pass has found.
    pub(crate) fn extend(&mut self, new: Known) {
        self.exposed.extend(new.exposed);
        self.functions.extend(new.functions);
        self.escaped.extend(new.escaped);
        self.repeated.extend(new.repeated);
        self.singles.extend(new.singles);
        self.free.extend(new.free);
        self.heap.extend(new.heap);
        self.numbered |= new.numbered;
        self.results |= new.results;
        for (place, range) in new.arguments {
            self.argument(place, range);
        }
    }

    /// The threads of a place are created with a value in a range.
    pub(crate) fn argument(
        &mut self,
        place: (String, Option<Site>),
        (low, high): (BigInt, BigInt),
    ) {
        let known = self.arguments.entry(place).or_insert_with(|| (low.clone(), high.clone()));
        known.0 = known.0.clone().min(low);
        known.1 = known.1.clone().max(high);
    }
}

/// A place in the program at which a thread is created: the calls that lead to it, its own place,
/// and the iterations of unrolled loops.
pub(crate) type Site = (usize, Vec<usize>);

/// What tells templates of many threads apart: the function, and the argument if it is a constant.
pub(crate) type ManyKey = (String, Option<BigInt>);

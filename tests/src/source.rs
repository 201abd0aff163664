//! Choices by chance.

use quickcheck::{Arbitrary, Gen};

/// A source of choices.
pub struct Source<'a>(pub &'a mut Gen);

impl Source<'_> {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(u16::arbitrary(self.0)) % bound
    }

    /// True in so many cases of a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

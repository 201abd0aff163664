//! Work (SPEC.md section 11): operations that cost something charge themselves.
//!
//! The checker walks, copies, compares, hashes and computes by the operations of this module alone.
//! `tools/metered.sh` sees to that: it compiles the checker with `--cfg threadproof_metered`, in
//! which lists, names, tables and integers are opaque (`opaque.rs`), so that code which does it
//! without a charge has no type. Otherwise they are what the standard library has, for those who
//! read and write certificates freely.
//!
//! A charge comes before what it pays for. Only a value's size may be found first: that takes no
//! longer than what is charged then, and the first charge that cannot be paid ends the check.

mod arithmetic;
#[cfg(threadproof_metered)]
mod opaque;
#[cfg(threadproof_metered)]
use opaque as raw;
#[cfg(not(threadproof_metered))]
mod plain;
#[cfg(not(threadproof_metered))]
use plain as raw;
mod size;

pub use raw::{Map, Name, Seq, Set};
pub use size::Size;

pub(crate) use raw::list as elements;

use std::borrow::{Borrow, BorrowMut};
use std::cell::Cell;

/// The work that is left.
#[derive(Debug)]
pub struct Budget(Cell<u64>);

/// No work is left: the check declines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent;

impl Budget {
    /// So much work.
    pub fn new(work: u64) -> Self {
        Budget(Cell::new(work))
    }

    /// How much is left.
    pub fn left(&self) -> u64 {
        self.0.get()
    }

    /// Takes `amount` off.
    ///
    /// # Errors
    /// When so much is not left.
    pub fn spend(&self, amount: usize) -> Result<(), Spent> {
        self.0.set(self.0.get().checked_sub(amount as u64).ok_or(Spent)?);
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Budget::new(crate::limits::MAX_WORK)
    }
}

/// What can be done with a value for as much as its size.
pub trait Metered: Size + Sized {
    /// A copy, all the way down.
    ///
    /// # Errors
    /// When the work is spent.
    fn copy(&self, budget: &Budget) -> Result<Self, Spent>
    where
        Self: raw::Clone,
    {
        budget.spend(self.size())?;
        Ok(raw::clone(self))
    }

    /// Whether it is the same as another value.
    ///
    /// # Errors
    /// When the work is spent.
    fn same(&self, other: &Self, budget: &Budget) -> Result<bool, Spent>
    where
        Self: raw::PartialEq,
    {
        budget.spend(self.size())?;
        Ok(raw::eq(self, other))
    }

    /// Whether it comes before another value.
    ///
    /// # Errors
    /// When the work is spent.
    fn below(&self, other: &Self, budget: &Budget) -> Result<bool, Spent>
    where
        Self: raw::PartialOrd,
    {
        budget.spend(self.size())?;
        Ok(raw::lt(self, other))
    }
}

impl<T: Size> Metered for T {}

/// A walk along a list, paid in advance. It cannot be copied to walk again.
#[derive(Debug)]
pub struct Walk<'a, T>(std::slice::Iter<'a, T>);

impl<'a, T> Iterator for Walk<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<T> ExactSizeIterator for Walk<'_, T> {}

/// What can be done with a list. What takes as long for any list is free where it needs something
/// that was paid before: the length, the ends, taking the last element off.
pub trait List<T>: BorrowMut<Seq<T>> + Into<Seq<T>> {
    /// Along the elements.
    ///
    /// # Errors
    /// When the work is spent.
    fn walk(&self, budget: &Budget) -> Result<Walk<'_, T>, Spent> {
        budget.spend(self.borrow().len() + 1)?;
        Ok(Walk(raw::list(self.borrow()).iter()))
    }

    /// Along the elements, which are given away.
    ///
    /// # Errors
    /// When the work is spent.
    fn give(self, budget: &Budget) -> Result<std::vec::IntoIter<T>, Spent> {
        budget.spend(self.borrow().len() + 1)?;
        Ok(raw::into_list(self.into()).into_iter())
    }

    /// The element at an index.
    ///
    /// # Errors
    /// When the work is spent.
    fn at(&self, index: impl TryInto<usize>, budget: &Budget) -> Result<Option<&T>, Spent> {
        budget.spend(1)?;
        Ok(index.try_into().ok().and_then(|index| raw::list(self.borrow()).get(index)))
    }

    /// The element at an index, to be changed.
    ///
    /// # Errors
    /// When the work is spent.
    fn change(
        &mut self,
        index: impl TryInto<usize>,
        budget: &Budget,
    ) -> Result<Option<&mut T>, Spent> {
        budget.spend(1)?;
        Ok(index.try_into().ok().and_then(|index| raw::list_mut(self.borrow_mut()).get_mut(index)))
    }

    /// Adds an element at the end.
    ///
    /// # Errors
    /// When the work is spent.
    fn add(&mut self, item: T, budget: &Budget) -> Result<(), Spent> {
        budget.spend(1)?;
        raw::list_mut(self.borrow_mut()).push(item);
        Ok(())
    }

    /// Adds elements at the end.
    ///
    /// # Errors
    /// When the work is spent.
    fn add_all(&mut self, items: impl IntoIterator<Item = T>, b: &Budget) -> Result<(), Spent> {
        items.into_iter().try_for_each(|item| self.add(item, b))
    }

    /// The elements in ascending order, each once.
    ///
    /// # Errors
    /// When the work is spent.
    fn sorted(self, budget: &Budget) -> Result<Seq<T>, Spent>
    where
        T: Copy + Ord,
    {
        budget.spend(self.borrow().len().saturating_mul(rounds(self.borrow().len())) + 1)?;
        let mut list = raw::into_list(self.into());
        list.sort_unstable();
        list.dedup();
        Ok(raw::from_list(list))
    }

    /// Whether an ascending list has an element.
    ///
    /// # Errors
    /// When the work is spent.
    fn finds(&self, item: &T, budget: &Budget) -> Result<bool, Spent>
    where
        T: Copy + Ord,
    {
        budget.spend(rounds(self.borrow().len()))?;
        Ok(raw::list(self.borrow()).binary_search(item).is_ok())
    }
}

impl<T> List<T> for Seq<T> {}

/// How often small elements are compared to find one's place among so many, in steps of eight.
fn rounds(length: usize) -> usize {
    1 + length.checked_ilog2().map_or(0, |rounds| rounds as usize / 8)
}

/// A list of some elements.
///
/// # Errors
/// When the work is spent.
pub fn list<T>(items: impl IntoIterator<Item = T>, budget: &Budget) -> Result<Seq<T>, Spent> {
    gather(items.into_iter().map(Ok), budget)
}

/// A list of some elements, unless one failed.
///
/// # Errors
/// The first failure, or when the work is spent.
pub fn gather<T, E: From<Spent>>(
    items: impl IntoIterator<Item = Result<T, E>>,
    budget: &Budget,
) -> Result<Seq<T>, E> {
    let items = items.into_iter();
    // Room in advance for few of them only: it is not paid yet.
    let mut list = raw::from_list(Vec::with_capacity(items.size_hint().0.min(64)));
    for item in items {
        list.add(item?, budget)?;
    }
    Ok(list)
}

/// What finding a place in a table costs beside the key: it may be anywhere in memory.
const LOOK: usize = 1;

/// What can be done with a table, for little more than the key's size.
pub trait Table<K, V> {
    /// The value of a key.
    ///
    /// # Errors
    /// When the work is spent.
    fn look(&self, key: &K, budget: &Budget) -> Result<Option<&V>, Spent>;

    /// The value of a key, to be changed; at first the default.
    ///
    /// # Errors
    /// When the work is spent.
    fn entry_of(&mut self, key: K, budget: &Budget) -> Result<&mut V, Spent>
    where
        V: Default;

    /// Sets the value of a key; gives the one before.
    ///
    /// # Errors
    /// When the work is spent.
    fn put(&mut self, key: K, value: V, budget: &Budget) -> Result<Option<V>, Spent>;

    /// Removes a key.
    ///
    /// # Errors
    /// When the work is spent.
    fn take(&mut self, key: &K, budget: &Budget) -> Result<Option<V>, Spent>;
}

impl<K: Size + raw::Key, V> Table<K, V> for Map<K, V> {
    fn look(&self, key: &K, budget: &Budget) -> Result<Option<&V>, Spent> {
        budget.spend(key.size() + LOOK)?;
        Ok(self.get(key))
    }

    fn entry_of(&mut self, key: K, budget: &Budget) -> Result<&mut V, Spent>
    where
        V: Default,
    {
        budget.spend(key.size() + LOOK)?;
        Ok(self.entry(key).or_default())
    }

    fn put(&mut self, key: K, value: V, budget: &Budget) -> Result<Option<V>, Spent> {
        budget.spend(key.size() + LOOK)?;
        Ok(self.insert(key, value))
    }

    fn take(&mut self, key: &K, budget: &Budget) -> Result<Option<V>, Spent> {
        budget.spend(key.size() + LOOK)?;
        Ok(self.remove(key))
    }
}

/// What can be copied and looked up, for as much as its size.
pub trait Item: Size + raw::Key + raw::Clone {}
impl<T: Size + raw::Key + raw::Clone> Item for T {}

/// What can be done with a set, for little more than the element's size.
pub trait Group<K: Size + raw::Key>: BorrowMut<Set<K>> {
    /// Whether it has an element.
    ///
    /// # Errors
    /// When the work is spent.
    fn has(&self, key: &K, budget: &Budget) -> Result<bool, Spent> {
        budget.spend(key.size() + LOOK)?;
        Ok(self.borrow().contains(key))
    }

    /// Adds an element; whether it is new.
    ///
    /// # Errors
    /// When the work is spent.
    fn include(&mut self, key: K, budget: &Budget) -> Result<bool, Spent> {
        budget.spend(key.size() + LOOK)?;
        Ok(self.borrow_mut().insert(key))
    }

    /// Removes an element.
    ///
    /// # Errors
    /// When the work is spent.
    fn exclude(&mut self, key: &K, budget: &Budget) -> Result<(), Spent> {
        budget.spend(key.size() + LOOK)?;
        self.borrow_mut().remove(key);
        Ok(())
    }
}

impl<K: Size + raw::Key> Group<K> for Set<K> {}

/// What can be done with a name or another text of a program.
pub trait Text: Borrow<Name> {
    /// The text of some characters.
    ///
    /// # Errors
    /// When the work is spent.
    fn of(text: &str, budget: &Budget) -> Result<Name, Spent> {
        budget.spend(text.size())?;
        Ok(raw::name(text))
    }

    /// The characters.
    ///
    /// # Errors
    /// When the work is spent.
    fn text(&self, budget: &Budget) -> Result<&str, Spent> {
        budget.spend(self.borrow().size())?;
        Ok(raw::text(self.borrow()))
    }
}

impl Text for Name {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Int;

    #[test]
    fn work_is_spent_to_the_last() {
        let budget = Budget::new(5);
        assert_eq!((budget.spend(3), budget.left()), (Ok(()), 2));
        // What cannot be paid takes nothing.
        assert_eq!((budget.spend(3), budget.left()), (Err(Spent), 2));
        assert_eq!((budget.spend(2), budget.left()), (Ok(()), 0));
        assert_eq!((budget.spend(0), budget.spend(1)), (Ok(()), Err(Spent)));
        assert_eq!(Budget::default().left(), crate::limits::MAX_WORK);
    }

    /// What something takes. It is declined with less.
    fn cost<T, E: std::fmt::Debug>(what: impl Fn(&Budget) -> Result<T, E>) -> u64 {
        let enough = Budget::new(1 << 40);
        what(&enough).unwrap();
        let cost = (1 << 40) - enough.left();
        assert!(what(&Budget::new(cost)).is_ok());
        assert!(cost > 0 && what(&Budget::new(cost - 1)).is_err());
        cost
    }

    #[test]
    fn lists_charge_for_each_element() {
        let numbers: Vec<u32> = (0..100).rev().collect();
        let of = |b: &Budget| numbers.walk(b).map(Iterator::count);
        assert_eq!((cost(of), of(&Budget::default())), (101, Ok(100)));
        assert_eq!(cost(|b| numbers.clone().give(b)), 101);
        assert_eq!(cost(|b| numbers.at(3_u32, b)), 1);
        assert_eq!(cost(|b| numbers.at(u64::MAX, b)), 1);
        assert_eq!(cost(|b| numbers.clone().change(3_usize, b).map(drop)), 1);
        assert_eq!(cost(|b| numbers.clone().add(7, b)), 1);
        assert_eq!(cost(|b| numbers.clone().add_all([7, 8, 9], b)), 3);
        assert_eq!(cost(|b| list(0..5, b)), 5);
        assert_eq!(cost(|b| gather((0..5).map(Ok::<_, Spent>), b)), 5);
        assert_eq!(cost(|b| numbers.clone().sorted(b)), 101);
        assert_eq!(cost(|b| (0..1000).collect::<Vec<u32>>().sorted(b)), 2001);
        assert_eq!(cost(|b| numbers.finds(&7, b)), 1);

        let budget = &Budget::default();
        assert_eq!(vec![3, 1, 3, 2].sorted(budget), Ok(vec![1, 2, 3]));
        assert_eq!([7, 4].map(|n| vec![1, 3, 7].finds(&n, budget)), [Ok(true), Ok(false)]);
        assert_eq!(numbers.at(0_u32, budget), Ok(Some(&99)));
        assert_eq!([100, u64::MAX].map(|i| numbers.at(i, budget)), [Ok(None), Ok(None)]);
        // The first failure ends it.
        let items = [Ok(1), Err(Spent), Ok(2)];
        assert_eq!(gather(items, budget), Err(Spent));
    }

    #[test]
    fn values_charge_for_their_size() {
        let long = vec![Int::from(1); 50];
        assert_eq!(cost(|b| long.copy(b)), 51);
        assert_eq!(cost(|b| long.same(&vec![], b)), 51);
        assert_eq!(cost(|b| long.below(&vec![], b)), 51);
        let budget = &Budget::default();
        assert_eq!(long.copy(budget), Ok(long.clone()));
        assert_eq!([&long, &vec![]].map(|other| long.same(other, budget)), [Ok(true), Ok(false)]);
        assert_eq!([1, 2].map(|n: u32| 1.below(&n, budget)), [Ok(false), Ok(true)]);
        let name = "n".repeat(160);
        assert_eq!(cost(|b| Name::of(&name, b)), 11);
        assert_eq!(cost(|b| name.text(b).map(str::len)), 11);
    }

    #[test]
    fn tables_and_sets_charge_for_the_key() {
        let key = || vec![0_u32; 9];
        let known = Map::from([(key(), 'a')]);
        assert_eq!(cost(|b| known.look(&key(), b).map(Option::<&char>::copied)), 11);
        assert_eq!(cost(|b| known.clone().entry_of(key(), b).map(|value| *value)), 11);
        assert_eq!(cost(|b| known.clone().put(key(), 'b', b)), 11);
        assert_eq!(cost(|b| known.clone().take(&key(), b)), 11);
        let set = Set::from([key()]);
        assert_eq!(cost(|b| set.has(&key(), b)), 11);
        assert_eq!(cost(|b| set.clone().include(key(), b)), 11);
        assert_eq!(cost(|b| set.clone().exclude(&key(), b)), 11);

        let budget = &Budget::default();
        let mut known = known;
        assert_eq!(known.look(&key(), budget), Ok(Some(&'a')));
        assert_eq!(known.put(key(), 'b', budget), Ok(Some('a')));
        assert_eq!(known.take(&key(), budget), Ok(Some('b')));
        assert_eq!(known.entry_of(key(), budget), Ok(&mut char::default()));
        let mut set = set;
        assert_eq!((set.has(&key(), budget), set.include(key(), budget)), (Ok(true), Ok(false)));
        assert_eq!((set.exclude(&key(), budget), set.has(&key(), budget)), (Ok(()), Ok(false)));
    }
}

//! Lists, tables and names as the checker may see them: without what costs something and does not
//! charge. Not part of any program: it is there for the compiler to check the types of the checker
//! (`tools/metered.sh`). What would need more than the types say is `never`.

use serde::{Deserialize, Serialize};
use std::marker::PhantomData;

/// Any type has these here; nobody can call them but [`super::Metered`].
macro_rules! any {
    ($($name:ident)*) => {$(
        /// Of any type.
        pub trait $name {}
        impl<T: ?Sized> $name for T {}
    )*};
}
any!(Clone PartialEq PartialOrd Key);

fn never<T>() -> T {
    unreachable!("only compiled to check types")
}

/// A list.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seq<T>(Vec<T>);

impl<T> Seq<T> {
    /// Nothing.
    pub fn new() -> Self {
        Seq(Vec::new())
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first element.
    pub fn first(&self) -> Option<&T> {
        self.0.first()
    }

    /// The last element.
    pub fn last(&self) -> Option<&T> {
        self.0.last()
    }

    /// The last element.
    pub fn last_mut(&mut self) -> Option<&mut T> {
        self.0.last_mut()
    }

    /// Takes the last element off.
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }
}

impl<T> Default for Seq<T> {
    fn default() -> Self {
        Seq::new()
    }
}

impl<T, const N: usize> From<[T; N]> for Seq<T> {
    fn from(items: [T; N]) -> Self {
        Seq(items.into())
    }
}

/// A table.
#[derive(Debug)]
pub struct Map<K, V>(PhantomData<(K, V)>);

/// An entry of a table.
pub(super) struct Entry<'a, V>(PhantomData<&'a mut V>);

impl<K, V> Map<K, V> {
    /// Nothing.
    pub fn new() -> Self {
        Map(PhantomData)
    }

    pub(super) fn get(&self, _: &K) -> Option<&V> {
        never()
    }

    pub(super) fn entry(&mut self, _: K) -> Entry<'_, V> {
        never()
    }

    pub(super) fn insert(&mut self, _: K, _: V) -> Option<V> {
        never()
    }

    pub(super) fn remove(&mut self, _: &K) -> Option<V> {
        never()
    }
}

impl<'a, V> Entry<'a, V> {
    pub(super) fn or_default(self) -> &'a mut V {
        never()
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map::new()
    }
}

/// A set.
#[derive(Debug)]
pub struct Set<K>(PhantomData<K>);

impl<K> Set<K> {
    /// Nothing.
    pub fn new() -> Self {
        Set(PhantomData)
    }

    /// Whether it has nothing.
    pub fn is_empty(&self) -> bool {
        never()
    }

    pub(super) fn contains(&self, _: &K) -> bool {
        never()
    }

    pub(super) fn insert(&mut self, _: K) -> bool {
        never()
    }

    pub(super) fn remove(&mut self, _: &K) -> bool {
        never()
    }
}

impl<K> Default for Set<K> {
    fn default() -> Self {
        Set::new()
    }
}

/// A name or another text.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Name(String);

pub(super) fn clone<T>(_: &T) -> T {
    never()
}

pub(super) fn eq<T>(_: &T, _: &T) -> bool {
    never()
}

pub(super) fn lt<T>(_: &T, _: &T) -> bool {
    never()
}

pub(crate) fn list<T>(list: &Seq<T>) -> &Vec<T> {
    &list.0
}

pub(super) fn list_mut<T>(list: &mut Seq<T>) -> &mut Vec<T> {
    &mut list.0
}

pub(super) fn from_list<T>(list: Vec<T>) -> Seq<T> {
    Seq(list)
}

pub(super) fn into_list<T>(list: Seq<T>) -> Vec<T> {
    list.0
}

pub(super) fn entries<K, V>(_: &Map<K, V>) -> std::slice::Iter<'_, (K, V)> {
    never()
}

pub(super) fn name(text: &str) -> Name {
    Name(text.to_owned())
}

pub(super) fn text(name: &Name) -> &str {
    &name.0
}

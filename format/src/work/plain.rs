//! Lists, tables and names as they are.

pub use std::clone::Clone;
pub use std::cmp::{PartialEq, PartialOrd};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// A list.
pub type Seq<T> = Vec<T>;
/// A table.
pub type Map<K, V> = HashMap<K, V>;
/// A set.
pub type Set<K> = HashSet<K>;
/// A name or another text.
pub type Name = String;

/// What can be looked up.
pub trait Key: Hash + Eq {}
impl<T: Hash + Eq> Key for T {}

pub(super) fn clone<T: Clone>(value: &T) -> T {
    value.clone()
}

pub(super) fn eq<T: PartialEq>(one: &T, other: &T) -> bool {
    one == other
}

pub(super) fn lt<T: PartialOrd>(one: &T, other: &T) -> bool {
    one < other
}

pub(crate) fn list<T>(list: &Seq<T>) -> &Vec<T> {
    list
}

pub(super) fn list_mut<T>(list: &mut Seq<T>) -> &mut Vec<T> {
    list
}

pub(super) fn from_list<T>(list: Vec<T>) -> Seq<T> {
    list
}

pub(super) fn into_list<T>(list: Seq<T>) -> Vec<T> {
    list
}

pub(super) fn entries<K, V>(map: &Map<K, V>) -> impl Iterator<Item = (&K, &V)> {
    map.iter()
}

pub(super) fn name(text: &str) -> Name {
    text.to_owned()
}

pub(super) fn text(name: &Name) -> &str {
    name
}

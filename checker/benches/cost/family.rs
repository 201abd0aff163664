//! Families of certificates that are right as far as can be, with a knob for the length of each
//! list: so lists can be lengthened alone and in pairs, and the checks go deep.

use super::encoding::Input;

/// How long each list is; 1 (or what the family says) where nothing is given.
#[derive(Clone, Copy)]
pub struct Sizes<'a>(pub &'a [(&'a str, usize)]);

impl Sizes<'_> {
    pub fn of(&self, knob: &str, otherwise: usize) -> usize {
        self.0.iter().find(|(name, _)| *name == knob).map_or(otherwise, |(_, n)| *n)
    }
}

pub struct Family {
    pub name: &'static str,
    /// Its knobs, and beyond which number another list would be too long.
    pub knobs: &'static [(&'static str, usize)],
    pub make: fn(&Sizes) -> Input,
}

pub const FAMILIES: [Family; 5] = [
    super::space::FAMILY,
    super::execution::FAMILY,
    super::conformance::FAMILY,
    super::conformance::UNLIKE,
    super::kernel::FAMILY,
];

/// Some parts by number, with a separator.
pub fn join(count: usize, separator: &str, part: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        if i > 0 {
            text += separator;
        }
        text += &part(i);
    }
    text
}

/// Some parts by number.
pub fn all(count: usize, part: impl Fn(usize) -> String) -> String {
    join(count, "", part)
}

/// A name of so many characters at least.
pub fn name(start: &str, length: usize) -> String {
    format!("{start}{}", "_".repeat(length.saturating_sub(start.len())))
}

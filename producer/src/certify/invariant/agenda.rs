//! Which parts of an invariant a proof needs.

/// The entries that are needed, and those of them that are still to be treated. Axioms, which have
/// the numbers after the entries', are always there.
pub struct Agenda {
    needed: Vec<bool>,
    open: Vec<usize>,
}

impl Agenda {
    /// For a number of entries, of which all are needed, or none yet.
    pub fn new(entries: usize, all: bool) -> Self {
        let open = if all { (0..entries).rev().collect() } else { Vec::new() };
        Agenda { needed: vec![all; entries], open }
    }

    /// An entry that is to be treated.
    pub fn pop(&mut self) -> Option<usize> {
        self.open.pop()
    }

    /// Marks an entry as needed.
    pub fn need(&mut self, number: usize) {
        if !self.needs(number) {
            self.needed[number] = true;
            self.open.push(number);
        }
    }

    /// Whether an entry is needed, or it is an axiom.
    pub fn needs(&self, number: usize) -> bool {
        self.needed.get(number).is_none_or(|needed| *needed)
    }

    /// Drops from a list of what belongs to the entries what belongs to those that are not needed.
    pub fn keep_needed<T>(&self, list: &mut Vec<T>) {
        let mut numbers = 0..;
        list.retain(|_| numbers.next().is_some_and(|number| self.needs(number)));
    }

    /// Replaces a choice that is not needed anyway by another one that is.
    pub fn prefer(&self, choice: &mut usize, other: usize) {
        if !self.needs(*choice) && self.needs(other) {
            *choice = other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needed_entries_are_treated_once() {
        let mut agenda = Agenda::new(3, false);
        assert_eq!(agenda.pop(), None);
        [1, 0, 1, 3].into_iter().for_each(|number| agenda.need(number));
        assert_eq!((agenda.pop(), agenda.pop(), agenda.pop()), (Some(0), Some(1), None));
        agenda.need(1);
        assert_eq!(agenda.pop(), None);
        assert!(agenda.needs(0) && !agenda.needs(2) && agenda.needs(3));
        let mut list = vec!["a", "b", "c"];
        agenda.keep_needed(&mut list);
        assert_eq!(list, ["a", "b"]);
    }

    #[test]
    fn all_entries_are_treated_in_their_order() {
        let mut agenda = Agenda::new(2, true);
        assert_eq!((agenda.pop(), agenda.pop(), agenda.pop()), (Some(0), Some(1), None));
    }

    #[test]
    fn needed_entries_are_preferred() {
        let mut agenda = Agenda::new(3, false);
        let mut choice = 0;
        agenda.prefer(&mut choice, 1);
        assert_eq!(choice, 0);
        agenda.need(1);
        agenda.prefer(&mut choice, 1);
        agenda.prefer(&mut choice, 2);
        assert_eq!(choice, 1);
    }
}

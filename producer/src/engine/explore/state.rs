//! States of the compiled program: machine integers, small arrays, and an order of the threads that
//! is the same for all permutations of threads of one template.

/// The value of a variable that nothing has determined yet, or that nothing will read: no number
/// that an expression can have.
pub const UNSET: i64 = i64::MIN;

/// An array: the entries that differ from the rest, ascending by index.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Array {
    /// All other elements; `UNSET` if each of them is still open on its own.
    pub rest: i64,
    /// Index and value.
    pub entries: Vec<(i64, i64)>,
}

impl Array {
    /// An array whose elements are all the same.
    pub fn of(rest: i64) -> Self {
        Array { rest, entries: Vec::new() }
    }

    /// The element at an index.
    pub fn get(&self, index: i64) -> i64 {
        match self.entries.binary_search_by_key(&index, |(at, _)| *at) {
            Ok(place) => self.entries[place].1,
            Err(_) => self.rest,
        }
    }

    /// Writes the element at an index.
    pub fn set(&mut self, index: i64, value: i64) {
        match (self.entries.binary_search_by_key(&index, |(at, _)| *at), value == self.rest) {
            (Ok(place), true) => drop(self.entries.remove(place)),
            (Ok(place), false) => self.entries[place].1 = value,
            (Err(_), true) => {}
            (Err(place), false) => self.entries.insert(place, (index, value)),
        }
    }
}

/// A thread's place in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Its template.
    pub template: usize,
    /// Where its location is among the numbers; its locals come after it.
    pub numbers: usize,
    /// Where its arrays begin.
    pub arrays: usize,
}

/// What all states with the same threads have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The threads, by template.
    pub seats: Vec<Seat>,
    /// Runs of seats of one template of many: first seat and how many.
    pub groups: Vec<(usize, usize)>,
    /// How many numbers and arrays a thread of each seat has.
    pub sizes: Vec<(usize, usize)>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Integers and truth values (0 or 1): globals, then location and locals of each thread.
    pub numbers: Vec<i64>,
    /// Arrays: globals, then locals of each thread.
    pub arrays: Vec<Array>,
}

impl State {
    /// Where a thread is.
    pub fn location(&self, seat: &Seat) -> usize {
        usize::try_from(self.numbers[seat.numbers]).expect("a location")
    }

    /// Puts the threads of each template of many in order; `names` go with the seats.
    pub fn sort(&mut self, shape: &Shape, names: &mut [usize]) {
        for &(first, count) in &shape.groups {
            for end in 1..count {
                let mut at = first + end;
                while at > first && self.before(shape, at, at - 1) {
                    self.swap(shape, at, at - 1);
                    names.swap(at, at - 1);
                    at -= 1;
                }
            }
        }
    }

    fn before(&self, shape: &Shape, one: usize, other: usize) -> bool {
        let part = |seat: usize| {
            let (Seat { numbers, arrays, .. }, (n, a)) = (&shape.seats[seat], shape.sizes[seat]);
            (&self.numbers[*numbers..numbers + n], &self.arrays[*arrays..arrays + a])
        };
        part(one) < part(other)
    }

    fn swap(&mut self, shape: &Shape, one: usize, other: usize) {
        let ((numbers, arrays), one, other) =
            (shape.sizes[one], &shape.seats[one], &shape.seats[other]);
        (0..numbers).for_each(|i| self.numbers.swap(one.numbers + i, other.numbers + i));
        (0..arrays).for_each(|i| self.arrays.swap(one.arrays + i, other.arrays + i));
    }

    /// A number that different states share only by chance.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = 0x9E37_79B9_7F4A_7C15u64;
        let mut mix = |value: i64| {
            let wide = u128::from(hash ^ value.cast_unsigned()) * 0xD6E8_FEB8_6659_FD93;
            let [low, high] = [wide & u128::from(u64::MAX), wide >> 64];
            let half = |part: u128| u64::try_from(part).expect("64 bits");
            hash = (half(low) ^ half(high)).wrapping_add(0x2545_F491_4F6C_DD1D);
        };
        self.numbers.iter().for_each(|value| mix(*value));
        for array in &self.arrays {
            mix(i64::try_from(array.entries.len()).expect("a short list"));
            mix(array.rest);
            array.entries.iter().for_each(|(index, value)| {
                mix(*index);
                mix(*value);
            });
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_has_one_form_for_each_map() {
        let mut array = Array::of(0);
        array.set(5, 7);
        array.set(-1, 2);
        array.set(5, 0);
        array.set(9, 0);
        assert_eq!(array, Array { rest: 0, entries: vec![(-1, 2)] });
        assert_eq!((array.get(-1), array.get(5)), (2, 0));
        let mut open = Array::of(UNSET);
        open.set(3, 0);
        assert_eq!((open.get(3), open.get(4)), (0, UNSET));
    }

    /// Two threads with a local and an array each, after one global.
    fn shape() -> Shape {
        let seat = |number: usize| Seat { template: 0, numbers: 1 + 2 * number, arrays: number };
        Shape { seats: vec![seat(0), seat(1)], groups: vec![(0, 2)], sizes: vec![(2, 1); 2] }
    }

    #[test]
    fn permutations_of_threads_are_one_state() {
        let one = State { numbers: vec![9, 4, 1, 3, 2], arrays: vec![Array::of(5), Array::of(6)] };
        let other =
            State { numbers: vec![9, 3, 2, 4, 1], arrays: vec![Array::of(6), Array::of(5)] };
        let (mut sorted, mut names) = (one.clone(), [0, 1]);
        sorted.sort(&shape(), &mut names);
        assert_eq!((&sorted, names), (&other, [1, 0]));
        let mut again = sorted.clone();
        again.sort(&shape(), &mut names);
        assert_eq!((again, names), (other.clone(), [1, 0]));
        assert_eq!(sorted.fingerprint(), other.fingerprint());
        assert_ne!(one.fingerprint(), other.fingerprint());
    }

    #[test]
    fn equal_locations_are_told_apart_by_locals_and_arrays() {
        let of = |locals: [i64; 2], arrays: [i64; 2]| State {
            numbers: vec![0, 4, locals[0], 4, locals[1]],
            arrays: arrays.map(Array::of).to_vec(),
        };
        for (one, other) in
            [(of([2, 1], [0, 0]), of([1, 2], [0, 0])), (of([1, 1], [3, 2]), of([1, 1], [2, 3]))]
        {
            let mut sorted = one;
            sorted.sort(&shape(), &mut [0, 1]);
            assert_eq!(sorted, other);
        }
    }
}

//! Texts that may be programs of the language, lowered.
#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use threadproof_tests::fuzzing::{edit, tp};

fuzz_target!(|bytes: &[u8]| {
    tp::run(bytes);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed, edit::tp)
});

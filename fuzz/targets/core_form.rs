//! Texts that may be programs in the core form, parsed.
#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use threadproof_tests::fuzzing::{core_form, edit};

fuzz_target!(|bytes: &[u8]| {
    core_form::run(bytes);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed, edit::core)
});

//! Texts that may be C programs, lowered.
#![no_main]

mod mutator;

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use threadproof_tests::fuzzing::{c, edit};

fuzz_target!(|bytes: &[u8]| {
    c::run(bytes);
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutator::mutate(data, size, max_size, seed, edit::c)
});

//! How libFuzzer changes inputs: one time in four by its own means, otherwise so that they keep
//! their shape.

use fastrand::Rng;
use libfuzzer_sys::fuzzer_mutate;

/// Changes the input in place and gives its new size.
pub fn mutate(
    data: &mut [u8],
    size: usize,
    max_size: usize,
    seed: u32,
    edit: impl Fn(&[u8], &mut Rng) -> Option<Vec<u8>>,
) -> usize {
    let mut random = Rng::with_seed(seed.into());
    if random.u8(..4) > 0
        && let Some(edited) = edit(&data[..size], &mut random)
        && edited.len() <= max_size
    {
        data[..edited.len()].copy_from_slice(&edited);
        return edited.len();
    }
    fuzzer_mutate(data, size, max_size)
}

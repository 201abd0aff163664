//! What the tests and benchmarks of the trusted crates share with the workspace's other tests. It
//! needs no prover, so that `format` and `checker` are tested without one.

// The types of work have no operations then: tools/metered.sh compiles the checker alone.
#![cfg(not(threadproof_metered))]
#![expect(missing_docs, reason = "read by the workspace's tests alone")]

pub mod cost;
pub mod introduction;
pub mod schema;
pub mod tree;

use std::path::{Path, PathBuf};

/// The checkout's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

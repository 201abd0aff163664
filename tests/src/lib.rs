//! What the tests of this workspace share: oracles, generators, and the harness that runs the
//! binaries. Fuzzing uses it too.

#![expect(missing_docs, reason = "read by the workspace's tests alone")]

pub mod arena;
pub mod basis;
pub mod c;
pub mod changes;
pub mod contender;
pub mod corpus;
pub mod counting;
pub mod damage;
pub mod derivation;
pub mod edits;
pub mod explicit;
pub mod fuzzing;
pub mod harness;
pub mod judge;
pub mod kinds;
pub mod layer_oracle;
pub mod layers;
pub mod limited;
pub mod oracle;
pub mod property;
pub mod random;
pub mod refutation;
pub mod samples;
pub mod smt;
pub mod source;
pub mod surface;
pub mod traces;

pub use threadproof_tests_trusted::{cost, introduction, schema, tree};

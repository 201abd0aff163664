//! What fuzzing asks of each input, and how it edits inputs so that they keep their shape. The
//! targets run it under libFuzzer, and `tests/tests/fuzz.rs` on the corpus and on every input that
//! was ever found.

pub mod c;
pub mod check;
pub mod core_form;
pub mod decode;
pub mod edit;
pub mod lengthen;
pub mod tp;

//! Executes core programs on explicit states, breadth first, for a few threads and small values:
//! an independent reading of what a core program means. It shares no code with the checker's
//! replay, and the counterexamples that it finds are replayed there.

mod execution;
mod explore;
mod start;
mod state;

pub use execution::{counterexample, execute, read};
pub use explore::{Explored, explore, reachable, search};
pub use start::{Bounds, clean, initial};
pub use state::{State, Step, Thread, Value, eval};

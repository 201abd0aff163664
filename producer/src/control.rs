//! How a search is watched and stopped from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Where a search stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Refinements so far.
    pub iteration: usize,
    /// Predicates of the basis.
    pub predicates: usize,
    /// Triples of the basis.
    pub triples: usize,
    /// Configurations that the last emptiness check leaves, an antichain.
    pub configurations: usize,
    /// Time since the search began.
    pub elapsed: Duration,
}

/// Receives progress.
pub type Observer = Arc<dyn Fn(&Progress) + Send + Sync>;

/// The caller's hold on a running search. Clone `stop` to end the search from another thread.
#[derive(Default)]
pub struct Control {
    /// Set to end the search soon.
    pub stop: Arc<AtomicBool>,
    /// Called after each refinement.
    pub progress: Option<Observer>,
    /// What z3 may do for the invariants of one abstracted thread, in its own unit, if not the usual.
    pub conformance_work: Option<u32>,
}

impl Control {
    /// Whether the search has been asked to end.
    pub fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Reports progress.
    pub fn report(&self, progress: &Progress) {
        if let Some(observer) = &self.progress {
            observer(progress);
        }
    }
}

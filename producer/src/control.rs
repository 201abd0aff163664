//! How a run is watched and stopped from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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

/// The caller's hold on a run, shared by all its clones.
#[derive(Clone, Default)]
pub struct Control {
    /// Set to end the run soon, from any thread.
    pub stop: Arc<AtomicBool>,
    /// Called after each refinement.
    pub progress: Option<Observer>,
    /// The flag of the run that this one is a part of.
    outer: Option<Arc<AtomicBool>>,
    /// What the run is at.
    doing: Arc<Mutex<String>>,
}

impl Control {
    /// A control whose flag is the given one.
    pub fn new(stop: Arc<AtomicBool>, progress: Option<Observer>) -> Self {
        Control { stop, progress, ..Control::default() }
    }

    /// A hold on a part of the run: it ends with the run, or alone.
    pub fn part(&self) -> Self {
        let (stop, outer) = (Arc::default(), Some(self.stop.clone()));
        Control { stop, outer, ..self.clone() }
    }

    /// Whether the run, or this part of it, has been asked to end.
    pub fn should_stop(&self) -> bool {
        let outer = || self.outer.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        self.stop.load(Ordering::Relaxed) || outer()
    }

    /// Reports progress.
    pub fn report(&self, progress: &Progress) {
        if let Some(observer) = &self.progress {
            observer(progress);
        }
    }

    /// Says what the run is at, for a report at the time limit.
    pub fn begin(&self, what: impl Into<String>) {
        *self.doing.lock().unwrap_or_else(PoisonError::into_inner) = what.into();
    }

    /// What the run is at.
    pub fn doing(&self) -> String {
        self.doing.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

//! Searches whose effort is counted, so that a seed always gives one answer.

use std::sync::atomic::{AtomicUsize, Ordering};
use threadproof_producer::control::Control;
use threadproof_producer::prove::Plan;

/// All strategies on one thread; z3 may do little for an abstracted thread.
pub fn plan() -> Plan {
    Plan { conformance_work: 500_000, ..Plan::default() }
}

/// A control that ends a search after so many refinements, or predicates.
pub fn control(refinements: usize, predicates: usize) -> Control {
    let mut control = Control::default();
    let (stop, done) = (control.stop.clone(), AtomicUsize::new(0));
    control.progress = Some(std::sync::Arc::new(move |progress| {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        if done >= refinements || progress.predicates > predicates {
            stop.store(true, Ordering::Relaxed);
        }
    }));
    control
}

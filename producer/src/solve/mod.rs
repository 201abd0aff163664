//! What the engines ask of z3.

use crate::engine::control::Control;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub mod decode;
pub mod encode;
pub mod fixedpoint;

/// The z3 that the bindings were made for.
const VERSION: &str = "5.3.3";

/// Makes z3 ready for this process: asserts its version, and leaves Ctrl-C to the caller.
///
/// # Errors
/// If another z3 was loaded than the one that `setup.sh` fetches.
pub fn start() -> Result<(), String> {
    // z3 would otherwise catch an interrupt during a check, and the run would go on.
    z3::set_global_param("ctrl_c", "false");
    let found = z3::full_version();
    if found.contains(VERSION) {
        Ok(())
    } else {
        Err(format!("z3 {VERSION} is needed, but {found} was loaded: run ./setup.sh"))
    }
}

/// Runs a search in a z3 context of its own, which is interrupted when the search is asked to stop.
pub fn interruptible<T: Send + Sync>(
    control: &Control,
    search: impl FnOnce() -> T + Send + Sync,
) -> T {
    z3::with_z3_config(&z3::Config::new(), || {
        let context = z3::Context::thread_local();
        let handle = context.handle();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let watcher = scope.spawn(|| watch(control, &done, &handle));
            let outcome = search();
            done.store(true, Ordering::Relaxed);
            watcher.thread().unpark();
            outcome
        })
    })
}

/// Interrupts z3 when the search is asked to stop.
fn watch(control: &Control, done: &AtomicBool, handle: &z3::ContextHandle<'_>) {
    while !done.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(20));
        if control.should_stop() {
            handle.interrupt();
        }
    }
}

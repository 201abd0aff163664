//! Ending a run cleanly: time limit, memory limit, Ctrl-C.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the limits are looked at.
const PERIOD: Duration = Duration::from_millis(20);
/// How long a stopped run may take before the process ends without it.
const GRACE: Duration = Duration::from_secs(2);

/// Watches a run and asks it to stop.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    stop: Arc<AtomicBool>,
    finished: Arc<AtomicBool>,
    reason: Arc<Mutex<Option<String>>>,
}

impl Watch {
    /// Starts watching. `stop` is set when a limit is reached or the user interrupts; if the run
    /// then does not end soon, `give_up` is called with the reason, and the process ends with its
    /// exit code.
    pub(super) fn start(
        stop: Arc<AtomicBool>,
        time: Option<Duration>,
        memory_mib: Option<u64>,
        give_up: impl Fn(&str) -> u8 + Send + 'static,
    ) -> Result<Self, ctrlc::Error> {
        let watch = Watch { stop, finished: Arc::default(), reason: Arc::default() };
        let interrupted = watch.clone();
        ctrlc::set_handler(move || interrupted.stop("interrupted".to_owned()))?;
        let watcher = watch.clone();
        std::thread::spawn(move || watcher.run(time, memory_mib, &give_up));
        Ok(watch)
    }

    /// Why the run was stopped, if it was.
    pub(super) fn reason(&self) -> Option<String> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The run has ended: stop watching. If the process is being ended already, waits for that, so
    /// that only one verdict is printed.
    pub(super) fn finish(&self) {
        if self.finished.swap(true, Ordering::SeqCst) {
            loop {
                std::thread::park();
            }
        }
    }

    fn stop(&self, why: String) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        reason.get_or_insert(why);
        self.stop.store(true, Ordering::SeqCst);
    }

    fn run(&self, time: Option<Duration>, memory: Option<u64>, give_up: &dyn Fn(&str) -> u8) {
        let start = Instant::now();
        let mut stopped = None;
        while !self.finished.load(Ordering::SeqCst) {
            std::thread::sleep(PERIOD);
            if let Some(limit) = time.filter(|limit| start.elapsed() >= *limit) {
                self.stop(format!("the time limit of {} s was reached", limit.as_secs_f64()));
            }
            // Looked at only for a limit: it takes the system a while.
            let used = || memory_stats::memory_stats().map_or(0, |m| m.physical_mem >> 20) as u64;
            if let Some(limit) = memory.filter(|limit| used() >= *limit) {
                self.stop(format!("the memory limit of {limit} MiB was reached"));
            }
            if let Some(why) = self.reason()
                && stopped.get_or_insert_with(Instant::now).elapsed() >= GRACE
                && !self.finished.swap(true, Ordering::SeqCst)
            {
                std::process::exit(i32::from(give_up(&why)));
            }
        }
    }
}

//! Ending a run cleanly: time limit, memory limit, Ctrl-C.

use crate::control::{Control, Observer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the limits are looked at.
const PERIOD: Duration = Duration::from_millis(20);
/// How long a stopped run may take before the command answers without it.
const GRACE: Duration = Duration::from_millis(1_000);

/// When a run has to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Limits {
    /// Its time.
    pub time: Option<Duration>,
    /// What the process may use, in MiB.
    pub memory: Option<u64>,
}

/// Why a run was asked to end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum Stopped {
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
    /// It took so much time.
    #[error("the time limit of {} s was reached", .0.as_secs_f64())]
    Time(Duration),
    /// The process used so many MiB.
    #[error("the memory limit of {0} MiB was reached")]
    Memory(u64),
}

/// What became of a run.
pub(super) enum Ended<T> {
    /// It ended by itself, or soon after it was asked to: the reason, if it was.
    Done(T, Option<Stopped>),
    /// It did not end after it was asked to, for this reason; what it was at.
    Left(Stopped, String),
}

impl Limits {
    /// Does work on a thread of its own and asks it to stop when a limit is reached or the user
    /// interrupts. Work that does not stop is left alone: it ends with the process.
    ///
    /// # Errors
    /// If interrupts cannot be handled.
    pub(super) fn run<T: Send + 'static>(
        self,
        progress: Option<Observer>,
        work: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> Result<Ended<T>, ctrlc::Error> {
        let control = Control::new(Arc::default(), progress);
        let interrupted: Arc<AtomicBool> = Arc::default();
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::SeqCst))?;
        let (sender, received) = mpsc::channel();
        let own = control.clone();
        let worker = std::thread::Builder::new().stack_size(STACK);
        let worker = worker.spawn(move || {
            // Nobody listens any more once the limit is passed.
            let _ = sender.send(work(&own));
        });
        let mut worker = Some(worker.map_err(ctrlc::Error::System)?);
        let start = Instant::now();
        let mut stopped: Option<(Instant, Stopped)> = None;
        loop {
            match received.recv_timeout(PERIOD) {
                Ok(done) => return Ok(Ended::Done(done, stopped.map(|(_, why)| why))),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if let Some(Err(panic)) = worker.take().map(std::thread::JoinHandle::join) {
                        std::panic::resume_unwind(panic);
                    }
                }
            }
            if let Some((since, why)) = stopped {
                if since.elapsed() >= GRACE {
                    return Ok(Ended::Left(why, control.doing()));
                }
            } else if let Some(why) = self.reached(start, &interrupted) {
                control.stop.store(true, Ordering::SeqCst);
                stopped = Some((Instant::now(), why));
            }
        }
    }

    /// The reason to stop, if there is one.
    fn reached(&self, start: Instant, interrupted: &AtomicBool) -> Option<Stopped> {
        if interrupted.load(Ordering::SeqCst) {
            return Some(Stopped::Interrupted);
        }
        if let Some(limit) = self.time.filter(|limit| start.elapsed() >= *limit) {
            return Some(Stopped::Time(limit));
        }
        // Looked at only for a limit: it takes the system a while.
        let used = || memory_stats::memory_stats().map_or(0, |m| m.physical_mem >> 20) as u64;
        self.memory.filter(|limit| used() >= *limit).map(Stopped::Memory)
    }
}

/// The worker's stack: that of a main thread.
const STACK: usize = 8 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_never_looks_at_the_flag_is_left_at_the_limit() {
        let limits = Limits { time: Some(Duration::from_millis(50)), memory: None };
        let start = Instant::now();
        let ended = limits.run(None, |control| {
            control.begin("a loop");
            std::thread::sleep(Duration::from_secs(60));
        });
        let Ok(Ended::Left(why, doing)) = ended else { panic!("it is done") };
        assert_eq!(
            (why.to_string().as_str(), doing.as_str()),
            ("the time limit of 0.05 s was reached", "a loop")
        );
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

//! Progress of a long run, on a terminal only.

use crate::control::{Observer, Progress};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::Duration;

/// A line that is redrawn in place on standard error; hidden when that is no terminal.
pub(super) fn line() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} [{elapsed}]") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Shows where the search stands.
pub(super) fn observer(bar: &ProgressBar) -> Observer {
    let bar = bar.clone();
    std::sync::Arc::new(move |p: &Progress| {
        bar.set_message(format!(
            "iteration {}, {} predicates, {} triples, {} configurations",
            p.iteration, p.predicates, p.triples, p.configurations
        ));
    })
}

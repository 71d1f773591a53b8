//! The progress of a sweep.

use super::super::progress::PATIENCE;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Instant;

/// Progress on standard error, shown only on a terminal and after a moment.
pub(super) struct Progress {
    what: &'static str,
    started: Instant,
    all: usize,
    done: usize,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Progress of the activity `what` on `all` runs, of which `done` are done. Nothing is shown yet.
    pub(super) fn new(what: &'static str, all: usize, done: usize) -> Progress {
        Progress {
            what,
            started: Instant::now(),
            all,
            done,
            bar: None,
        }
    }

    /// Counts one more run as done.
    pub(super) fn step(&mut self) {
        self.done += 1;
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.all as u64), ProgressDrawTarget::stderr());
            let template = format!("{}: {{pos}} of {{len}} runs, {{elapsed}}, {{eta}} left", self.what);
            let bar = match ProgressStyle::with_template(&template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            // The estimate of the remaining time starts with the runs from here on.
            bar.reset_eta();
            self.bar = Some(bar.with_elapsed(self.started.elapsed()));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

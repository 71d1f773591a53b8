//! The progress of a long simulation, on standard error if that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use runtime::machine;
use std::time::{Duration, Instant};

/// The time after which progress is shown.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// Progress of long runs: the clocks so far, how fast instructions are executed, and how much of the time limit has
/// passed.
pub(crate) struct Progress {
    started: Instant,
    limit: Option<Duration>,
    bar: Option<ProgressBar>,
    /// When instructions were counted last, and how many they were.
    counted: Option<(Instant, u64)>,
}

impl Progress {
    /// The progress of runs that stop after `limit`.
    pub(crate) fn new(limit: Option<Duration>) -> Progress {
        Progress {
            started: Instant::now(),
            limit,
            bar: None,
            counted: None,
        }
    }

    pub(crate) fn reached(&mut self, reached: machine::Progress) {
        let Some(instructions) = reached.instructions else {
            return;
        };
        let now = Instant::now();
        let before = self.counted.replace((now, instructions));
        let passed = now - self.started;
        if passed < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(bar);
        bar.set_position(reached.clock);
        let speed = before.and_then(|(then, before)| {
            let executed = instructions.checked_sub(before)?;
            Some(executed as f64 / (now - then).as_secs_f64().max(f64::EPSILON))
        });
        bar.set_message(words(speed, passed, self.limit));
    }

    pub(crate) fn done(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("simulating: {human_pos} clocks, {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// The instructions a second, if they are known, and the time that has passed.
fn words(speed: Option<f64>, passed: Duration, limit: Option<Duration>) -> String {
    let speed = speed.map_or_else(String::new, |speed| {
        format!("{:.0} million instructions a second, ", speed / 1e6)
    });
    match limit {
        Some(limit) => format!("{speed}{} of {} s", passed.as_secs(), limit.as_secs_f64()),
        None => format!("{speed}{} s", passed.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_says_how_fast_it_is_and_how_long_it_may_take() {
        let second = Duration::from_secs;
        assert_eq!(
            words(Some(412.4e6), second(3), Some(second(60))),
            "412 million instructions a second, 3 of 60 s"
        );
        assert_eq!(words(None, second(7), None), "7 s");
    }
}

//! How long this machine takes, and how much memory a process has had, for tests that limit both.

use cpu_time::ThreadTime;
use std::sync::OnceLock;

/// The most memory in KiB that the command may take, whatever it is given.
pub const MOST_MEMORY: u64 = 1_500_000;

/// The seconds that the machine for which the limits were chosen takes to sort as many numbers as [`slowness`] does.
const SORTED_IN: f64 = 0.035;

/// How many times longer this machine takes for the same work than that one; at least 1. All limits of processor time
/// are multiplied by it, so that they tell what a command does, and not where.
pub fn slowness() -> f64 {
    static SLOWNESS: OnceLock<f64> = OnceLock::new();
    // The work depends on nothing that is tested.
    let seconds = |_| {
        let mut random = fastrand::Rng::with_seed(1);
        let mut numbers: Vec<u64> = (0..1_000_000).map(|_| random.u64(..)).collect();
        let started = ThreadTime::now();
        numbers.sort_unstable();
        started.elapsed().as_secs_f64()
    };
    // Other programs may share the processor and its caches, now and later: the slowest time counts.
    let slowest = || (0..3).map(seconds).fold(0.0, f64::max);
    *SLOWNESS.get_or_init(|| (slowest() / SORTED_IN).max(1.0))
}

/// Asserts that this process has never had more memory at once than the command may take, where the system says it.
///
/// The system knows the peak of the whole process: of all its tests that have run until now or run beside this one.
/// `name` says of which files the test is that noticed; that test alone tells whether they are to blame.
///
/// # Panics
///
/// If it has had more.
pub fn assert_bounded_memory(name: &str) {
    if let Some(peak) = peak_memory() {
        assert!(
            peak < MOST_MEMORY,
            "after {name}, the most that this process with all its tests had at once is {peak} KiB; run this test \
             alone to see whether it took them"
        );
    }
}

/// The most memory in KiB that this process has had at once.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

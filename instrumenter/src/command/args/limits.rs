//! The usual options of a simulation, and its limits: clocks of a run, and real time.

use runtime::machine;
use std::io::{self, IsTerminal};
use std::time::Duration;

/// The options of a program, or of a Linux program, where none are given.
pub(crate) fn usual_options(is_linux: bool) -> machine::Options {
    match is_linux {
        true => machine::Options::for_linux(),
        false => machine::Options::default(),
    }
}

/// The number of runs of a program, or of a Linux program, where none is given.
pub(crate) fn usual_runs(is_linux: bool) -> u32 {
    usual_options(is_linux).runs
}

/// The default limit of clocks, which is higher for Linux programs: they run for long.
pub(crate) fn usual_limit(is_linux: bool) -> u64 {
    usual_options(is_linux).limit
}

/// Parses a positive decimal number, which may have `_` between digits.
pub(super) fn clocks(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&character| character != '_').collect();
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return Err("not a number of clocks; write for example 1_000_000".to_owned());
    }
    match digits.parse() {
        Ok(0) => Err("the limit must be at least one clock".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a number of clocks below 2^64; write digits, for example 1000000".to_owned()),
    }
}

/// The limit of real time for a simulation; `None` if there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeout(pub(crate) Option<Duration>);

/// The seconds of a simulation where none are given: longer where someone sees how far it is.
pub(super) fn usual_timeout() -> &'static str {
    if io::stderr().is_terminal() { "60" } else { "10" }
}

/// Parses a number of seconds with an optional fraction; 0 means no limit.
pub(super) fn seconds(text: &str) -> Result<Timeout, String> {
    let plain = text
        .chars()
        .all(|character| character.is_ascii_digit() || character == '.');
    let duration = text.parse().ok().filter(|_| plain).map(Duration::try_from_secs_f64);
    match duration {
        Some(Ok(Duration::ZERO)) => Ok(Timeout(None)),
        Some(Ok(duration)) => Ok(Timeout(Some(duration))),
        _ => Err("not a number of seconds; write for example 2 or 0.5".to_owned()),
    }
}

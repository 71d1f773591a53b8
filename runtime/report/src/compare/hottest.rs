//! The lines with the most clocks of a program that is compared with one that has little in common with it.

use super::saved::SavedRun;
use std::cmp::Reverse;

/// The most lines of a program.
const MOST: usize = 3;

/// A line of a run.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Hot {
    /// Its file.
    file: String,
    /// Its number; absent for code without a source line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) line: Option<u32>,
    /// Its text.
    pub(super) text: String,
    /// Its clocks in the last run.
    pub(super) cycles: u64,
}

/// The lines with the most clocks.
pub(super) fn lines(run: &SavedRun) -> Vec<Hot> {
    let mut lines: Vec<_> = run.own_lines().filter(|line| line.cycles > 0).collect();
    lines.sort_by_key(|line| (Reverse(line.cycles), line.line));
    let hot = lines.into_iter().take(MOST).map(|line| Hot {
        file: line.file.clone(),
        line: Some(line.line).filter(|&number| number > 0),
        text: line.text.trim().to_owned(),
        cycles: line.cycles,
    });
    hot.collect()
}

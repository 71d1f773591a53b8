//! Reads back the part of a JSON report that a comparison needs.

use crate::header::attached;
use crate::json::VERSION;
use p5_results::StopReason;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use std::collections::BTreeMap;

/// The fields that distinguish a report of a run, in any version, from other JSON. Other fields are skipped.
#[derive(Deserialize)]
struct AnyVersion {
    schema_version: Option<u64>,
    own: Option<IgnoredAny>,
}

/// A run read back from its JSON report.
#[derive(Debug, Deserialize)]
pub struct SavedRun {
    #[serde(skip)]
    pub(super) report: String,
    pub(super) program: String,
    cpu: String,
    memory: String,
    cpl: u8,
    assumed: BTreeMap<String, String>,
    // Reports older than the monitors lack these two fields.
    #[serde(default)]
    monitors: Vec<String>,
    #[serde(default)]
    core_ratio: Option<String>,
    stop: SavedStop,
    own: SavedPart,
    runs: Vec<SavedTotals>,
    pub(super) regions: Vec<SavedRegion>,
    pub(super) lines: Vec<SavedLine>,
}

#[derive(Debug, Deserialize)]
struct SavedStop {
    reason: String,
    message: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct SavedPart {
    totals: SavedClocks,
}

#[derive(Debug, Deserialize)]
struct SavedTotals {
    own: SavedClocks,
}

#[derive(Debug, Deserialize)]
struct SavedClocks {
    cycles: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct SavedRegion {
    pub(super) name: String,
    cold: Option<SavedClocks>,
    warm: Option<SavedWarm>,
}

#[derive(Debug, Deserialize)]
struct SavedWarm {
    cycles: SavedSpread,
}

#[derive(Debug, Deserialize)]
struct SavedSpread {
    median: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct SavedLine {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) text: String,
    pub(super) cycles: u64,
    pub(super) library: bool,
}

impl SavedRun {
    /// Reads the JSON report `name`.
    ///
    /// # Errors
    /// One line that names the defect and the command that makes a valid report.
    pub fn read(name: &str, bytes: &[u8]) -> Result<SavedRun, String> {
        let again = "`p5inst FILE.asm --format json -o NAME` makes one";
        let no_report = || format!("`{name}` is JSON, but not the report of a run; {again}");
        let any: AnyVersion = serde_json::from_slice(bytes).map_err(|error| match error.classify() {
            Category::Eof => format!("`{name}` is cut off in line {}; {again} anew", error.line()),
            Category::Data => no_report(),
            Category::Syntax | Category::Io => format!(
                "`{name}` is not JSON: line {}, column {}; {again}",
                error.line(),
                error.column()
            ),
        })?;
        // Reports of other commands have their own versions.
        match any.schema_version.filter(|_| any.own.is_some()).ok_or_else(no_report)? {
            version if version == u64::from(VERSION) => {}
            version => {
                return Err(format!(
                    "`{name}` has schema version {version}; this p5inst knows version {VERSION}; {again} anew"
                ));
            }
        }
        let run: SavedRun = serde_json::from_slice(bytes)
            .map_err(|error| format!("`{name}` does not follow `p5inst schema`: {error}; {again} anew"))?;
        Ok(SavedRun {
            report: name.to_owned(),
            ..run
        })
    }

    /// The reason why the last run was stopped, in words; `None` if the program ended it.
    pub(super) fn stopped(&self) -> Option<String> {
        let SavedStop { reason, .. } = &self.stop;
        let by_program = |one: &StopReason| one.by_program() && one.name() == reason;
        if StopReason::ALL.iter().any(by_program) {
            return None;
        }
        let words = match &self.stop.message {
            Some(message) => format!("{reason}, {message}"),
            None => reason.clone(),
        };
        Some(match (&self.stop.file, self.stop.line) {
            (Some(file), Some(line)) => format!("{words} ({file}:{line})"),
            _ => words,
        })
    }

    pub(super) fn total(&self) -> u64 {
        self.own.totals.cycles
    }

    pub(super) fn cold(&self) -> Option<u64> {
        self.runs.first().map(|run| run.own.cycles)
    }

    pub(super) fn own_lines(&self) -> impl Iterator<Item = &SavedLine> {
        self.lines.iter().filter(|line| !line.library)
    }

    /// The name that distinguishes the file of a line from other files of the program.
    pub(super) fn file<'a>(&self, line: &'a SavedLine) -> &'a str {
        if line.file == self.program { "" } else { &line.file }
    }

    pub(super) fn machine(&self) -> String {
        let mut words = format!("{}, CPL {}, memory {}", self.cpu, self.cpl, self.memory);
        for (name, value) in &self.assumed {
            words += &format!(", {name}={value}");
        }
        if !self.monitors.is_empty() {
            let monitors: Vec<&str> = self.monitors.iter().map(String::as_str).collect();
            words += &format!(", {}", attached(&monitors, self.core_ratio.as_deref()));
        }
        words
    }
}

impl SavedRegion {
    /// The median clocks of a warm pass, or those of the only pass.
    pub(super) fn clocks(&self) -> Option<u64> {
        let warm = self.warm.as_ref().map(|warm| warm.cycles.median);
        warm.or(self.cold.as_ref().map(|cold| cold.cycles))
    }
}

//! Reads back the part of a JSON report that a comparison needs.

use super::saved_lines::{SavedInstruction, SavedLine};
use crate::fragment::grouped;
use crate::json::VERSION;
use p5_results::StopReason;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::error::Category;
use std::collections::{BTreeMap, BTreeSet};

/// The fields that distinguish a report of a run, in any version, from other JSON. Other fields are skipped.
#[derive(Deserialize)]
struct AnyVersion {
    schema_version: Option<u64>,
    own: Option<IgnoredAny>,
    // Only the report of a source with errors has them.
    errors: Option<IgnoredAny>,
}

/// A run read back from its JSON report.
#[derive(Debug, Deserialize)]
pub struct SavedRun {
    #[serde(skip)]
    pub(super) report: String,
    #[serde(skip)]
    pub(super) options: Option<String>,
    // Whether its program was run for the comparison, and was already built.
    #[serde(skip)]
    pub(super) built: bool,
    pub(super) program: String,
    pub(super) cpu: String,
    pub(super) memory: String,
    pub(super) cpl: u8,
    pub(super) assumed: BTreeMap<String, String>,
    // Reports older than the monitors lack these two fields.
    #[serde(default)]
    pub(super) monitors: Vec<String>,
    #[serde(default)]
    pub(super) core_ratio: Option<String>,
    stop: SavedStop,
    own: SavedPart,
    runs: Vec<SavedTotals>,
    pub(super) regions: Vec<SavedRegion>,
    // Reports older than the table of functions lack this field.
    #[serde(default)]
    pub(super) functions: Vec<SavedFunction>,
    pub(super) lines: Vec<SavedLine>,
    #[serde(default)]
    pub(super) instructions: Vec<SavedInstruction>,
    // Only programs with budgets have them.
    #[serde(default)]
    budgets: Vec<SavedBudget>,
    #[serde(default)]
    pub(super) symbols: Vec<SavedVariable>,
    // Not every report that is read was written as a whole.
    #[serde(default)]
    pub(super) registers: BTreeMap<String, [u32; 2]>,
    #[serde(default)]
    pub(super) output: Option<String>,
    #[serde(default)]
    pub(super) output_encoding: String,
    #[serde(default)]
    pub(super) output_left_out: u64,
    // Only programs in 16-bit code that have drawn have one.
    #[serde(default)]
    pub(super) screen: Option<SavedScreen>,
    // Reports of earlier versions lack it, and those of flat programs that have changed none.
    #[serde(default)]
    pub(super) other_memory: Option<Vec<SavedMemory>>,
    // Only fragments have it.
    #[serde(default)]
    pub(super) fragment: Option<SavedFragment>,
    // Reports older than the kinds of notes lack this field.
    #[serde(default)]
    noted: Vec<SavedNote>,
}

/// The memory of a screen.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SavedScreen {
    bytes: u32,
    first: u32,
    // Reports of earlier versions lack this field.
    #[serde(default)]
    digest: Option<String>,
}

/// A range of memory without a name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct SavedMemory {
    pub(super) first: u32,
    pub(super) last: u32,
    #[serde(default)]
    pub(super) bytes: u32,
    pub(super) digest: String,
    #[serde(default)]
    pub(super) part: String,
}

#[derive(Debug, Deserialize)]
struct SavedNote {
    kind: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct SavedFragment {
    #[serde(default)]
    assumed: Vec<SavedAssumption>,
}

#[derive(Debug, Deserialize)]
struct SavedAssumption {
    kind: String,
    #[serde(default)]
    of: Option<String>,
    #[serde(default)]
    value: Option<i64>,
}

impl SavedFragment {
    /// The assumptions that decide how much work it does, in words.
    pub(super) fn work(&self) -> BTreeSet<String> {
        let assumed = self.assumed.iter().filter_map(|one| {
            let value = grouped(one.value?);
            Some(match (&*one.kind, &one.of) {
                // A register for which nothing is chosen decides no work.
                ("number", Some(_)) if one.value == Some(0) => return None,
                ("number", Some(of)) => format!("{of} = {value}"),
                ("beyond", Some(of)) => format!("{of} {value} bytes on"),
                ("rounds", _) => format!("{value} rounds"),
                _ => return None,
            })
        });
        assumed.collect()
    }

    /// The sizes of the memory that is assumed for its pointers, the smallest first, each with what points to it.
    pub(super) fn memory(&self) -> Vec<(i64, &str)> {
        let pointers = self.assumed.iter().filter(|one| one.kind == "pointer");
        let mut sizes: Vec<(i64, &str)> = pointers
            .filter_map(|one| Some((one.value?, one.of.as_deref().unwrap_or_default())))
            .collect();
        sizes.sort_unstable();
        sizes
    }
}

/// A variable read back from a report.
#[derive(Debug, Deserialize)]
pub(super) struct SavedVariable {
    pub(super) name: String,
    #[serde(default)]
    pub(super) address: u32,
    #[serde(default)]
    pub(super) size: u32,
    #[serde(default)]
    pub(super) element: u32,
    #[serde(default)]
    pub(super) value: Option<u64>,
    // Reports older than these two lack them.
    #[serde(default)]
    pub(super) digest: Option<String>,
    #[serde(default)]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) changed: Option<SavedChange>,
    pub(super) library: bool,
    // Older reports do not tell.
    #[serde(default)]
    pub(super) undeclared: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct SavedChange {
    #[serde(default)]
    pub(super) elements: u32,
    #[serde(default)]
    pub(super) first: u32,
    #[serde(default)]
    pub(super) field: Option<String>,
    #[serde(default)]
    pub(super) values: Option<[u64; 2]>,
    // Only an array has it, and only its first elements. A damaged report may hold numbers that no element has.
    #[serde(default)]
    pub(super) now: Option<Vec<i128>>,
    #[serde(default)]
    pub(super) reals: Option<[String; 2]>,
    #[serde(default)]
    pub(super) signed: Option<[i64; 2]>,
}

#[derive(Debug, Deserialize)]
struct SavedBudget {
    #[serde(default)]
    name: String,
    #[serde(default)]
    line: u32,
    ok: bool,
}

#[derive(Debug, Deserialize)]
struct SavedStop {
    reason: String,
    #[serde(default)]
    code: Option<u32>,
    message: Option<String>,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Debug, Deserialize)]
struct SavedPart {
    totals: SavedClocks,
    #[serde(default)]
    cycle_stack: Vec<SavedCause>,
}

#[derive(Debug, Deserialize)]
struct SavedCause {
    cause: String,
    cycles: u64,
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
    // Only these say which lines are in it.
    #[serde(default)]
    pub(super) file: String,
    #[serde(default)]
    pub(super) start_line: u32,
    #[serde(default)]
    pub(super) end_line: u32,
    cold: Option<SavedClocks>,
    warm: Option<SavedWarm>,
    // Older reports lack it.
    pub(super) code_bytes: Option<u64>,
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
pub(super) struct SavedFunction {
    // Code that belongs to no function has no name.
    pub(super) name: Option<String>,
    // Only code with source lines has one.
    #[serde(default)]
    pub(super) file: Option<String>,
    pub(super) cycles: u64,
    // A damaged report may lack it.
    #[serde(default)]
    pub(super) reasons: BTreeMap<String, u64>,
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
        if any.own.is_none() && any.errors.is_some() {
            return Err(format!(
                "`{name}` tells the errors of a source, which was not run; {again} anew"
            ));
        }
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

    /// The run, of which is told that it alone was given these options, and whether its program was already built.
    #[must_use]
    pub fn run_with(self, options: Option<String>, built: bool) -> SavedRun {
        SavedRun { options, built, ..self }
    }

    /// The short name of the chip.
    pub fn cpu(&self) -> &str {
        &self.cpu
    }

    /// Whether the chip was taken because the usual one lacks an instruction of the program.
    pub fn on_later_chip(&self) -> bool {
        self.noted.iter().any(|note| note.kind == "later chip")
    }

    /// The reason why the last run was stopped, or ended by a signal, in words; `None` if the program came to its end.
    pub(super) fn stopped(&self) -> Option<String> {
        let SavedStop { reason, .. } = &self.stop;
        let succeeds = |one: &StopReason| one.succeeds() && one.name() == reason;
        if StopReason::ALL.iter().any(succeeds) {
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

    /// The exit code, if it ended with one.
    pub(super) fn exit_code(&self) -> Option<u32> {
        self.stop.code
    }

    pub(super) fn total(&self) -> u64 {
        self.own.totals.cycles
    }

    /// The clocks of the program by cause.
    pub(super) fn causes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.own.cycle_stack.iter().map(|one| (&*one.cause, one.cycles))
    }

    pub(super) fn cold(&self) -> Option<u64> {
        self.runs.first().map(|run| run.own.cycles)
    }

    pub(super) fn own_lines(&self) -> impl Iterator<Item = &SavedLine> {
        self.lines.iter().filter(|line| !line.library)
    }

    /// Whether another tool has built it, and tells its lines.
    pub(super) fn is_compiled(&self) -> bool {
        let has_lines = self.own_lines().any(|line| line.line > 0);
        has_lines && self.own_lines().all(|line| line.file != self.program)
    }

    /// The file of the function with which the program's own code begins.
    pub(super) fn main_file(&self) -> Option<&str> {
        let begins = |name: &str| name == "main" || name.ends_with("::main");
        let of = |wanted: &dyn Fn(&str) -> bool| {
            let mut functions = self.functions.iter();
            let found = functions.find(|one| one.name.as_deref().is_some_and(wanted) && one.file.is_some());
            found.and_then(|one| one.file.as_deref())
        };
        of(&begins).or_else(|| of(&|name| name == "_start"))
    }

    /// The crate of a program of Rust: where its `main` is, or by the name of its file.
    pub(super) fn own_crate(&self) -> String {
        let mut names = self.functions.iter().filter_map(|one| one.name.as_deref());
        if let Some(name) = names.find_map(|name| name.strip_suffix("::main")) {
            return name.split("::").next().unwrap_or(name).to_owned();
        }
        let file = self.program.rsplit(['/', '\\']).next().unwrap_or(&self.program);
        file.replace('-', "_")
    }

    /// The budgets that do not hold, each with its line.
    pub(super) fn failed_budgets(&self) -> Vec<String> {
        let failed = self.budgets.iter().filter(|budget| !budget.ok);
        failed
            .map(|budget| format!("{} (line {})", budget.name, budget.line))
            .collect()
    }

    /// The names of the files with lines of the program, but that of the program itself.
    pub(super) fn files(&self) -> BTreeSet<&str> {
        let names = self.own_lines().map(|line| line.file.as_str());
        names.filter(|name| *name != self.program).collect()
    }

    /// The files whose text it has.
    pub(super) fn sources(&self) -> BTreeSet<&str> {
        let lines = self.own_lines().filter(|line| !line.is_of_library());
        lines.map(|line| line.file.as_str()).collect()
    }

    /// The files whose lines have no text, as the source of a program that was not read.
    pub(super) fn without_text(&self) -> impl Iterator<Item = &str> {
        let mut texts: BTreeMap<&str, bool> = BTreeMap::new();
        for line in self.own_lines().filter(|line| line.line > 0) {
            *texts.entry(&line.file).or_default() |= !line.text.is_empty();
        }
        texts.into_iter().filter(|(_, text)| !text).map(|(file, _)| file)
    }
}

impl SavedRegion {
    /// Whether it has the name of its line, and none of its own.
    pub(super) fn is_unnamed(&self) -> bool {
        let number = self.name.strip_prefix("line ");
        number.is_some_and(|number| number.parse() == Ok(self.start_line))
    }

    /// The median clocks of a warm pass, or those of the only pass.
    pub(super) fn clocks(&self) -> Option<u64> {
        let warm = self.warm.as_ref().map(|warm| warm.cycles.median);
        warm.or(self.cold.as_ref().map(|cold| cold.cycles))
    }
}

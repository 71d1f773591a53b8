//! Whether two runs end with the same results: the variables that both programs have, their output, exit codes, and
//! what they have drawn or left in memory without a name.
//!
//! The result of a program that returns without having changed a variable or written anything, such as a function that
//! stands alone, is EAX. Of others, EAX may hold what the last computation left.

use super::other_memory::{self, OtherMemory};
use super::results::Results;
use super::saved::SavedRun;

/// Whether the results are the same, and what of them is compared.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Ends {
    /// Whether all that is compared is the same; null if a run was stopped, or there is nothing to compare.
    pub(super) same: Option<bool>,
    /// The number of variables of both programs that are compared; `results` has those that differ.
    pub(super) variables: usize,
    /// The outputs; null if a report does not tell.
    pub(super) output: Option<Outputs>,
    /// The exit codes; null if one of the runs did not end with one.
    pub(super) exit_codes: Option<[u32; 2]>,
    /// EAX, if both programs return; null if one ends with an exit code.
    pub(super) eax: Option<[u32; 2]>,
    /// Whether EAX is a result: neither program has changed a variable, written or drawn anything.
    pub(super) eax_decides: bool,
    /// Whether the memory of a screen is the same; null if neither program has written to it.
    pub(super) same_screen: Option<bool>,
    /// The memory without a name that the runs changed; null if there is none, or a run was stopped.
    pub(super) other_memory: Option<OtherMemory>,
}

/// The outputs of both runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Outputs {
    /// Whether they are the same: their lengths, and all bytes of them that the reports have.
    pub(super) same: bool,
    /// The bytes of each.
    pub(super) bytes: [u64; 2],
    /// Whether a report has only the beginning of its output.
    pub(super) cut: bool,
    /// The first line that differs; null if none is known to.
    pub(super) line: Option<OutputLine>,
    /// How the lines differ; null if one output has more lines, or none is known to differ.
    pub(super) lines: Option<OtherLines>,
}

/// The lines in which outputs of as many lines differ.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OtherLines {
    /// The numbers of the first of them, from 1.
    pub(super) first: Vec<u64>,
    /// How many there are.
    pub(super) differing: u64,
    /// How many lines are the same.
    pub(super) same: u64,
    /// Whether they differ in numbers alone, as those with a time do that the program has measured.
    pub(super) numbers_only: bool,
}

/// A line of output in which the runs differ.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OutputLine {
    /// Its number, from 1.
    pub(super) number: u64,
    /// Its text in the older run; null if that has fewer lines.
    pub(super) old: Option<String>,
    /// Its text in the newer run; null if that has fewer lines.
    pub(super) new: Option<String>,
}

impl Ends {
    pub(super) fn of(old: &SavedRun, new: &SavedRun, results: &Results) -> Ends {
        let mut ends = Ends {
            same: None,
            variables: results.known,
            output: Outputs::of(old, new),
            exit_codes: old
                .exit_code()
                .zip(new.exit_code())
                .map(|(before, after)| [before, after]),
            eax: None,
            eax_decides: false,
            same_screen: None,
            other_memory: None,
        };
        if old.stopped().is_some() || new.stopped().is_some() {
            return ends;
        }
        let is_silent = ends.output.as_ref().is_some_and(|output| output.bytes == [0; 2]);
        if old.exit_code().is_none() && new.exit_code().is_none() {
            let eax = |run: &SavedRun| Some(run.registers.get("eax")?[1]);
            ends.eax = eax(old).zip(eax(new)).map(|(before, after)| [before, after]);
        }
        let drawn = old.screen.is_some() || new.screen.is_some();
        let changes = |run: &SavedRun| run.symbols.iter().any(|one| !one.library && one.changed.is_some());
        ends.eax_decides = ends.eax.is_some() && is_silent && !drawn && !changes(old) && !changes(new);
        ends.same_screen = drawn.then(|| old.screen == new.screen);
        ends.other_memory = other_memory::compared(old, new);
        let equal = |pair: &[u32; 2]| pair[0] == pair[1];
        let variables = (ends.variables > 0).then_some(results.differing.is_empty());
        let output = ends.output.as_ref().map(|output| output.same);
        let output = output.filter(|same| !is_silent || !same);
        let all = [
            variables,
            output,
            ends.exit_codes.as_ref().map(equal),
            ends.eax.as_ref().filter(|_| ends.eax_decides).map(equal),
            ends.same_screen,
            ends.other_memory.as_ref().and_then(|other| other.same),
        ];
        let mut known = all.into_iter().flatten();
        ends.same = known.next().map(|first| first && known.all(|same| same));
        ends
    }

    /// Takes EAX for no result, if it is the only one that differs; whether it is.
    pub(super) fn leaves_out_eax(&mut self) -> bool {
        let differs = self.eax_decides && self.same == Some(false) && self.eax.is_some_and(|[old, new]| old != new);
        // Where EAX decides, there is neither output nor a variable that has changed.
        if differs {
            self.same = None;
            self.eax_decides = false;
        }
        differs
    }
}

impl Outputs {
    fn of(old: &SavedRun, new: &SavedRun) -> Option<Outputs> {
        let (before, after) = (old.output.as_deref()?, new.output.as_deref()?);
        let bytes = |run: &SavedRun, text: &str| {
            // Each character stands for a byte where the output is no text.
            let told = match run.output_encoding.as_str() {
                "latin-1" => text.chars().count(),
                _ => text.len(),
            };
            run.output_left_out.saturating_add(told as u64)
        };
        let bytes = [bytes(old, before), bytes(new, after)];
        let same = before == after && bytes[0] == bytes[1] && old.output_encoding == new.output_encoding;
        Some(Outputs {
            same,
            bytes,
            cut: old.output_left_out > 0 || new.output_left_out > 0,
            line: first_difference(before, after),
            lines: OtherLines::of(before, after),
        })
    }
}

impl OtherLines {
    fn of(old: &str, new: &str) -> Option<OtherLines> {
        /// The most lines that are named.
        const NAMED: usize = 16;
        let (mut before, mut after) = (old.lines(), new.lines());
        let mut found = OtherLines {
            first: Vec::new(),
            differing: 0,
            same: 0,
            numbers_only: true,
        };
        loop {
            match (before.next(), after.next()) {
                (None, None) => return (found.differing > 0).then_some(found),
                (Some(old), Some(new)) if old == new => found.same += 1,
                (Some(old), Some(new)) => {
                    found.differing += 1;
                    if found.first.len() < NAMED {
                        found.first.push(found.differing + found.same);
                    }
                    found.numbers_only &= without_numbers(old) == without_numbers(new);
                }
                _ => return None,
            }
        }
    }
}

/// A line with a mark for each number, and one blank for several: a shorter number may stand behind more of them.
fn without_numbers(line: &str) -> String {
    let mut made = String::with_capacity(line.len());
    for letter in line.chars() {
        let letter = match letter {
            letter if letter.is_ascii_digit() => '0',
            letter if letter.is_whitespace() => ' ',
            letter => letter,
        };
        if !(matches!(letter, '0' | ' ') && made.ends_with(letter)) {
            made.push(letter);
        }
    }
    made
}

/// The first line in which two texts differ.
fn first_difference(old: &str, new: &str) -> Option<OutputLine> {
    let (mut before, mut after) = (old.lines(), new.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (before.next(), after.next()) {
            (None, None) => return None,
            (old, new) if old == new => {}
            (old, new) => {
                return Some(OutputLine {
                    number,
                    old: old.map(str::to_owned),
                    new: new.map(str::to_owned),
                });
            }
        }
    }
}

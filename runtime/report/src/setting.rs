//! The program and its machine, at the head of the reports of runs, counters, advice and suppositions: a line or two of
//! text, and the same fields in their JSON.

use super::phrases::lines;
use super::{HEADING, Style, painted, printable};
use p5_chips::later;
use p5_machine::instruments::Subject;
use p5_results::Run;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The program, the chip and the machine around it, and what is assumed of them.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Setting<'a> {
    /// The program's file name, or `<stdin>`.
    pub(crate) program: &'a str,
    /// The chip as `--cpu` takes it.
    pub(crate) cpu: &'a str,
    /// The chip's full name.
    pub(crate) cpu_title: &'a str,
    /// The memory preset.
    pub(crate) memory: &'a str,
    /// The answers chosen by `--assume` that are not the usual ones, by the name of the assumption.
    pub(crate) assumed: BTreeMap<&'static str, &'static str>,
    /// The names of the monitors that the chip was given by `--monitor`, and of the instructions of later
    /// processors that it was given by `--also`.
    pub(crate) monitors: &'a [&'static str],
    /// The clocks of the core by those of the time stamp counter, unless they are the same.
    pub(crate) core_ratio: Option<&'a str>,
    /// The privilege level the program ran at.
    pub(crate) cpl: u8,
}

impl<'a> From<&'a Run> for Setting<'a> {
    fn from(run: &'a Run) -> Setting<'a> {
        Setting {
            program: &run.program,
            cpu: run.cpu,
            cpu_title: run.cpu_title,
            memory: run.memory,
            assumed: run.assumed.iter().copied().collect(),
            monitors: &run.monitors,
            core_ratio: run.core_ratio.as_deref(),
            cpl: run.cpl,
        }
    }
}

impl<'a> From<&'a Subject> for Setting<'a> {
    fn from(subject: &'a Subject) -> Setting<'a> {
        Setting {
            program: &subject.program,
            cpu: subject.cpu,
            cpu_title: subject.cpu_title,
            memory: subject.memory,
            assumed: subject.assumed.iter().copied().collect(),
            monitors: &subject.monitors,
            core_ratio: subject.core_ratio.as_deref(),
            cpl: subject.cpl,
        }
    }
}

impl Setting<'_> {
    /// Writes the setting in one or two lines, depending on the width, and one more for assumptions and monitors.
    pub(crate) fn write(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let program = printable::printable(self.program);
        let machine = format!("on {}, CPL {}, memory {}", self.cpu_title, self.cpl, self.memory);
        let wide = program.chars().count() + 1 + machine.chars().count() > style.width;
        let between = if wide { "\n  " } else { " " };
        let width = if wide {
            style.width.saturating_sub(2)
        } else {
            usize::MAX
        };
        let machine = printable::folded(&machine, width).join("\n  ");
        writeln!(out, "{}{between}{machine}", painted(style, HEADING, &program))?;
        if !self.assumed.is_empty() {
            let assumed = self.assumed.iter().map(|(name, value)| format!("{name}={value}"));
            let assumed: Vec<String> = assumed.collect();
            lines(&format!("assuming {}", assumed.join(", ")), style, out)?;
        }
        if !self.monitors.is_empty() {
            lines(&attached(self.monitors, self.core_ratio), style, out)?;
        }
        Ok(())
    }
}

/// The monitors that a chip was given, its instructions of later processors, and the ratio of its two clocks.
pub(super) fn attached(monitors: &[&str], core_ratio: Option<&str>) -> String {
    let (later, attached): (Vec<&str>, Vec<&str>) = monitors.iter().partition(|name| later(name).is_ok());
    let mut words = Vec::new();
    if !attached.is_empty() {
        words.push(format!("with {} attached", attached.join(", ")));
    }
    if !later.is_empty() {
        words.push(format!(
            "with instructions that it lacks: {}, at assumed clocks",
            later.join(", ")
        ));
    }
    let words = words.join("; ");
    match core_ratio {
        Some(ratio) => format!("{words}, {ratio} core clocks per reference clock"),
        None => words,
    }
}

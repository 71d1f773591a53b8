//! `p5inst msr dump`: the model specific registers as a program reads them, or before and after the run of a program.

use super::super::header::lines;
use super::super::{Column, Format, HEADING, PADDING, Style, json_text, painted, table, wording};
use super::{ending, head, json};
use p5_chips::Role;
use p5_chips::ibs::sample_register;
use p5_machine::instruments::Subject;
use std::io::{self, Write};

/// The model specific registers of a chip, each read twice.
#[derive(Clone, Debug)]
pub struct MsrDump {
    /// The chip's short name, as `--cpu` accepts it.
    pub cpu: &'static str,
    /// The full name of the chip.
    pub cpu_title: &'static str,
    /// The program that ran between the readings; `None` if RDMSR read each register twice.
    pub around: Option<Subject>,
    /// The registers in ascending order of their numbers.
    pub rows: Vec<MsrRow>,
    /// The clock rate in MHz, if it is known.
    pub megahertz: Option<f64>,
}

/// A model specific register with its readings.
#[derive(Clone, Copy, Debug)]
pub struct MsrRow {
    /// The register number, as in ECX.
    pub number: u32,
    /// The role of the register; `None` if the chip does not have it.
    pub role: Option<Role>,
    /// The result of reading it.
    pub reading: MsrReading,
}

/// The result of reading a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MsrReading {
    /// The values of both readings: the second is taken after all registers were read once, or after the program.
    Values([u64; 2]),
    /// RDMSR raised the exception with this vector.
    Exception(u8),
    /// Reading it would hang the processor, so it was not read.
    Hangs,
}

impl MsrDump {
    /// The time stamp counter at the first reading, or after the program, and the seconds since power-up that it
    /// represents.
    pub(super) fn time(&self) -> (Option<u64>, Option<f64>) {
        let counter = self.rows.iter().find(|row| row.role == Some(Role::TimeStampCounter));
        let clocks = match counter.map(|row| row.reading) {
            Some(MsrReading::Values([first, second])) => Some(if self.around.is_some() { second } else { first }),
            _ => None,
        };
        let seconds = clocks.zip(self.megahertz);
        (
            clocks,
            seconds.map(|(clocks, megahertz)| clocks as f64 / (megahertz * 1e6)),
        )
    }
}

pub(super) fn title(row: &MsrRow) -> Option<String> {
    Some(match row.role? {
        Role::Kept if row.number == asm_macros::msr::MACHINE_CHECK_ADDRESS => "machine check address".to_owned(),
        Role::Kept => "machine check type".to_owned(),
        Role::Test | Role::HangsWhenRead => "test register".to_owned(),
        Role::FeatureControl => "test register 12, feature control".to_owned(),
        Role::TimeStampCounter => "time stamp counter".to_owned(),
        Role::ControlAndEventSelect => "control and event select".to_owned(),
        Role::TimeStampAuxiliary => "TSC_AUX".to_owned(),
        Role::Perfmon(register) => register.name(),
        Role::Sampling(number) => sample_register(number).map_or(String::new(), |register| register.name.to_owned()),
        Role::Counter(counter) => format!("event counter {counter}"),
    })
}

const COLUMNS: &[(&str, Column)] = &[
    ("register", Column::Number),
    ("EDX:EAX", Column::Name),
    ("", Column::Name),
    ("what it is", Column::Text),
];

const AROUND: &[(&str, Column)] = &[
    ("register", Column::Number),
    ("before", Column::Name),
    ("after", Column::Name),
    ("", Column::Name),
    ("what it is", Column::Text),
];

/// Writes the registers, as RDMSR reads them twice or before and after the run of a program, and marks differences.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_msr_dump(format: Format, dump: &MsrDump, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (clocks, seconds) = dump.time();
    if format == Format::Json {
        return json_text::write_json(&json::MsrReport::of(dump), out);
    }
    match &dump.around {
        Some(subject) => around(dump, subject, style, out)?,
        None => read_twice(dump, style, out)?,
    }
    if dump.rows.iter().any(|row| row.reading == MsrReading::Hangs) {
        lines("hangs: reading it hangs a real processor", style, out)?;
    }
    let Some(clocks) = clocks else {
        return lines(
            "the chip has no time stamp counter, so the time is not known",
            style,
            out,
        );
    };
    let words = match (seconds, dump.megahertz) {
        (Some(seconds), Some(megahertz)) => {
            format!("{seconds:.9} seconds since power-up: {clocks} clocks at {megahertz} MHz")
        }
        _ => format!("{clocks} clocks since power-up; `--mhz RATE` shows them in seconds"),
    };
    lines(&words, style, out)
}

fn around(dump: &MsrDump, subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    head(subject, style, out)?;
    ending(subject, style, out)?;
    lines(
        "each register read when the program has been loaded and when it has ended",
        style,
        out,
    )?;
    writeln!(out)?;
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &dump.rows {
        let [before, after, kind] = match row.reading {
            MsrReading::Values([first, second]) => {
                let kind = if first == second { "" } else { "changed" };
                [value(first), value(second), kind.to_owned()]
            }
            MsrReading::Exception(vector) => [
                wording::vector_name(u32::from(vector)),
                String::new(),
                "fault".to_owned(),
            ],
            MsrReading::Hangs => ["not read".to_owned(), String::new(), "hangs".to_owned()],
        };
        let title = title(row).unwrap_or_default();
        rows.push(vec![format!("{:02X}h", row.number), before, after, kind, title]);
    }
    fold_names(&mut rows, AROUND, style.width);
    table(style, AROUND, &rows, out)
}

/// Folds names in the last column at `_` if they are wider than the space that the other columns leave of `width`.
fn fold_names(rows: &mut [Vec<String>], columns: &[(&str, Column)], width: usize) {
    let Some(last) = columns.len().checked_sub(1) else {
        return;
    };
    let longest = |index: usize| {
        let cells = rows.iter().map(|row| row[index].as_str()).chain([columns[index].0]);
        cells.map(str::len).max().unwrap_or(0) + PADDING
    };
    let room = width.saturating_sub((0..last).map(longest).sum::<usize>() + PADDING);
    for row in rows {
        let mut folded = String::new();
        let mut rest = std::mem::take(&mut row[last]);
        while !rest.contains(' ') && rest.len() > room {
            let Some(at) = rest.get(..room).and_then(|part| part.rfind('_')) else {
                break;
            };
            folded.extend([&rest[..=at], "\n"]);
            rest.drain(..=at);
        }
        row[last] = folded + &rest;
    }
}

fn read_twice(dump: &MsrDump, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", painted(style, HEADING, dump.cpu_title))?;
    lines(
        "each register read twice by RDMSR at CPL 0, right after reset",
        style,
        out,
    )?;
    writeln!(out)?;
    let rows = dump.rows.iter().map(|row| {
        let (value, kind) = match row.reading {
            MsrReading::Values([first, second]) => (value(first), if first == second { "static" } else { "changing" }),
            MsrReading::Exception(vector) => (wording::vector_name(u32::from(vector)), "fault"),
            MsrReading::Hangs => ("not read".to_owned(), "hangs"),
        };
        let title = title(row).unwrap_or_else(|| "does not exist".to_owned());
        vec![format!("{:02X}h", row.number), value, kind.to_owned(), title]
    });
    table(style, COLUMNS, &rows.collect::<Vec<_>>(), out)
}

fn value(value: u64) -> String {
    format!("{:08X}:{:08X}h", value >> 32, value & 0xFFFF_FFFF)
}

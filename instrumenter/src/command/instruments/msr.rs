//! `p5inst msr dump`: a program reads every model specific register, and handles the exceptions that this raises.

use super::super::args::{Amount, DumpArguments};
use super::super::diagnostics;
use super::super::output::print;
use crate::source::Sources;
use crate::{Options, assemble};
use runtime::machine;
use runtime::model::{Model, Role};
use runtime::report::instruments::{MsrDump, MsrReading, MsrRow, write_msr_dump};
use runtime::run::{Run, StopReason};
use std::process::ExitCode;

/// The registers that are read.
const LAST: u32 = 0x13;
/// The program, without the list of numbers and the places of what it reads.
const EXPLORER: &str = include_str!("explore.asm");

/// Reads the registers of a chip.
///
/// # Errors
/// One line if the report cannot be written.
pub(crate) fn dump(arguments: &DumpArguments) -> Result<ExitCode, String> {
    let model = arguments.cpu;
    let run = explored(model)?;
    let dump = MsrDump {
        cpu: model.name,
        cpu_title: model.title,
        rows: (0..=LAST)
            .map(|number| row(&run, model, number))
            .collect::<Result<_, String>>()?,
        megahertz: arguments.mhz,
    };
    print(arguments.presentation, Amount::default(), |format, style, out| {
        write_msr_dump(format, &dump, style, out)
    })
}

/// The role of a register.
fn role(model: &Model, number: u32) -> Option<Role> {
    let mut registers = model.registers.iter();
    registers
        .find(|register| register.number == number)
        .map(|register| register.role)
}

/// Whether reading it hangs.
fn hangs(model: &Model, number: u32) -> bool {
    role(model, number) == Some(Role::HangsWhenRead)
}

fn explored(model: &'static Model) -> Result<Run, String> {
    let numbers = (0..=LAST).filter(|&number| !hangs(model, number));
    let list: String = numbers.clone().map(|number| format!(" dd {number}\n")).collect();
    let places = |pass: u32| -> String {
        let places = numbers.clone();
        places
            .map(|number| format!("value{pass}_{number} dq 0\nraised{pass}_{number} dd 0\n"))
            .collect()
    };
    let text = format!(
        "{EXPLORER}numbers label dword\n{list} dd -1\nfirst label dword\n{}second label dword\n{} end start\n",
        places(0),
        places(1)
    );
    let options = Options {
        chip: model,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("explore.asm", &text), &options);
    let image = assembly
        .image
        .ok_or_else(|| diagnostics::render(&assembly.diagnostics, &assembly.files, false, 80))?;
    let options = machine::Options {
        runs: 1,
        ..machine::Options::default()
    };
    let run = machine::simulate(&image, "explore.asm", model, &options, &mut |_| {});
    match run.stop.reason {
        StopReason::Halt => Ok(run),
        other => Err(format!(
            "the program that reads the registers was stopped ({})",
            other.name()
        )),
    }
}

fn row(run: &Run, model: &Model, number: u32) -> Result<MsrRow, String> {
    let value = |name: &str, pass: u32| {
        let name = format!("{name}{pass}_{number}");
        let symbol = run.symbols.iter().find(|symbol| symbol.name == name);
        let value = symbol.and_then(|symbol| symbol.value);
        value.ok_or_else(|| format!("the program that reads the registers has left no `{name}`"))
    };
    let reading = match hangs(model, number) {
        true => MsrReading::Hangs,
        false => match value("raised", 0)? {
            0 => MsrReading::Values([value("value", 0)?, value("value", 1)?]),
            vector => MsrReading::Exception(vector as u8),
        },
    };
    Ok(MsrRow {
        number,
        role: role(model, number),
        reading,
    })
}

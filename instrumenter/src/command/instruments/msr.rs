//! `p5inst msr dump`: a program reads every model specific register and handles the exceptions of these reads; or the
//! registers are read before and after the run of a program.

use super::super::args::{Amount, DumpArguments, ProgramArguments, no_contradiction};
use super::super::output::print;
use super::super::progress::Progress;
use super::super::setting::chip;
use super::super::{BAD_INPUT, diagnostics};
use super::{code, load_whole};
use p5_assembler::source::Sources;
use p5_assembler::{Options, assemble};
use runtime::instruments::registers_around;
use runtime::machine::{self, RegisterFault};
use runtime::model::{Model, Role};
use runtime::report::instruments::{MsrDump, MsrReading, MsrRow, write_msr_dump};
use runtime::run::{Run, StopReason};
use std::process::ExitCode;

/// The number of the last register of a chip without monitors.
const LAST: u32 = 0x13;
/// The vector of the exception that an unreadable register raises.
const GENERAL_PROTECTION: u8 = 13;
/// The program that reads the registers, without its list of numbers and its space for the results.
const EXPLORER: &str = include_str!("explore.asm");

/// Reads the registers of a chip, before and after the run of a program if one is named; an error is one line.
pub(crate) fn dump(arguments: &DumpArguments) -> Result<ExitCode, String> {
    let program = &arguments.program;
    let (mut dump, code) = if program.file.is_some() {
        match around(program, arguments)? {
            Some(around) => around,
            None => return Ok(ExitCode::from(BAD_INPUT)),
        }
    } else {
        program.monitors.attached(program.assembly.cpu)?;
        no_contradiction(program)?;
        (right_after_reset(chip(program))?, ExitCode::SUCCESS)
    };
    dump.megahertz = arguments.mhz;
    print(arguments.presentation, Amount::default(), |format, style, out| {
        write_msr_dump(format, &dump, style, out)
    })?;
    Ok(code)
}

/// The registers before and after the run of a program, and the exit code.
fn around(program: &ProgramArguments, arguments: &DumpArguments) -> Result<Option<(MsrDump, ExitCode)>, String> {
    let model = chip(program);
    if model.registers.is_empty() {
        return Err(format!("the {} has no model specific registers", model.title));
    }
    let Some(loaded) = load_whole(program, arguments.presentation.color)? else {
        return Ok(None);
    };
    let loaded = loaded.at(arguments.mhz);
    let mut progress = Progress::new(program.timeout.0);
    let found = registers_around(&loaded.program(program), &loaded.options, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    let code = code(&found.subject);
    let rows = found.rows.iter().map(|row| MsrRow {
        number: row.number,
        role: Some(row.role),
        reading: match row.values {
            Ok(values) => MsrReading::Values(values),
            Err(RegisterFault::Hangs) => MsrReading::Hangs,
            Err(RegisterFault::Missing | RegisterFault::Reserved) => MsrReading::Exception(GENERAL_PROTECTION),
        },
    });
    let dump = MsrDump {
        cpu: model.name,
        cpu_title: model.title,
        rows: rows.collect(),
        around: Some(found.subject),
        megahertz: None,
    };
    Ok(Some((dump, code)))
}

fn right_after_reset(model: &'static Model) -> Result<MsrDump, String> {
    let run = explored(model)?;
    Ok(MsrDump {
        cpu: model.name,
        cpu_title: model.title,
        around: None,
        rows: numbers(model)
            .into_iter()
            .map(|number| row(&run, model, number))
            .collect::<Result<_, String>>()?,
        megahertz: None,
    })
}

/// The numbers of the registers that are read: all that a Pentium may have, and those of monitors.
fn numbers(model: &Model) -> Vec<u32> {
    let registers = model.registers.iter().map(|register| register.number);
    let mut numbers: Vec<u32> = (0..=LAST).chain(registers.filter(|&number| number > LAST)).collect();
    numbers.sort_unstable();
    numbers
}

fn role(model: &Model, number: u32) -> Option<Role> {
    let mut registers = model.registers.iter();
    registers
        .find(|register| register.number == number)
        .map(|register| register.role)
}

/// Whether a read of the register hangs the processor.
fn hangs(model: &Model, number: u32) -> bool {
    role(model, number) == Some(Role::HangsWhenRead)
}

fn explored(model: &'static Model) -> Result<Run, String> {
    let numbers: Vec<u32> = numbers(model)
        .into_iter()
        .filter(|&number| !hangs(model, number))
        .collect();
    let list: String = numbers.iter().map(|number| format!(" dd {number}\n")).collect();
    let places = |pass: u32| -> String {
        numbers
            .iter()
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

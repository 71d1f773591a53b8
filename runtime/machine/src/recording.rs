//! The data of a run in a recording: the machine, the program and its instructions, without samples.

use p5_chips::{Model, later};
use p5_image::Image;
use p5_record::program::of_program;
use p5_record::{Choice, Recording, SampledMachine, Sampling, TrueInstruction};
use p5_results::Run;
use p5_words::isa::PAGE;

/// A recording of `run` without samples.
pub(super) fn about(run: &Run, image: &Image, model: &Model, choice: &Choice) -> Recording {
    let clocks_of = |bits: u32| {
        let of_these = run.instructions.iter().filter(|one| one.bits == bits);
        of_these.map(|one| one.cycles).sum::<u64>()
    };
    // A file of samples has code of one width: that in which most clocks pass.
    let bits = if clocks_of(16) > clocks_of(32) { 16 } else { 32 };
    let spans = |wanted: bool| {
        let of_these = run.instructions.iter().filter(|one| (one.bits == bits) == wanted);
        of_these
            .map(|one| (one.address, u32::from(one.length)))
            .collect::<Vec<_>>()
    };
    let names = run.monitors.iter().map(|&name| name.to_owned());
    let (also, monitors) = names.partition(|name| later(name).is_ok());
    Recording {
        program: run.program.clone(),
        machine: SampledMachine {
            chip: run.cpu.to_owned(),
            chip_title: run.cpu_title.to_owned(),
            memory: run.memory.to_owned(),
            assumed: run
                .assumed
                .iter()
                .map(|(name, answer)| ((*name).to_owned(), (*answer).to_owned()))
                .collect(),
            monitors,
            also,
            core_ratio: run.core_ratio.clone(),
            cpl: run.cpl,
            width: Some(run.pipes),
            line_bytes: model.geometry.data_cache.line,
            page_bytes: PAGE,
        },
        sampling: Sampling {
            runs: (0, 0),
            choice: choice.clone(),
            ..Sampling::default()
        },
        ..of_program(image, &spans(true), &spans(false), bits)
    }
}

/// The executions and clocks of each instruction in the last run.
pub(super) fn instructions(run: &Run) -> Vec<TrueInstruction> {
    let rows = run.instructions.iter();
    rows.map(|row| TrueInstruction {
        address: row.address,
        length: u32::from(row.length),
        text: row.text.clone(),
        executions: row.executions,
        paired: row.v,
        clocks: row.cycles,
        causes: row.causes.iter().map(|cause| (cause.cause, cause.cycles)).collect(),
        ..TrueInstruction::default()
    })
    .collect()
}

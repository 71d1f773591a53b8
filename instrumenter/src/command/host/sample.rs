//! `p5inst host sample`: samples of a program that runs natively, in the same file as those of the simulated chip.

use super::super::args::{Amount, HostSampleArguments};
use super::super::output::print_colored;
use super::super::preset::natively_possible;
use super::super::samples::{may_be_written, no_standard_output, only_for_ops, write};
use super::super::setting::assembled;
use super::super::{BAD_INPUT, ended};
use super::detect;
use p5_assembler::Library;
use p5_assembler::source::Sources;
use runtime::native;
use runtime::perf::{self, Unsampled, Wanted};
use runtime::record::SampleKind;
use runtime::report;
use runtime::report::host::write_sampled;
use std::process::ExitCode;

/// The default period of ops: a multiple of 16, and so long that the kernel, which allows 100,000 samples a second,
/// does not stop the sampler.
const PERIOD: u64 = 100_000;

/// Runs `sources` natively without measuring macros and writes the samples to a file. Diagnostics go to standard error.
/// An error is one line: this machine cannot sample, or the file or the report cannot be written.
pub(crate) fn sample(sources: &Sources, arguments: &HostSampleArguments) -> Result<ExitCode, String> {
    let events = &arguments.events;
    let [fetch, op] = [events.sampler(SampleKind::Fetch)?, events.sampler(SampleKind::Op)?];
    let usual = (arguments.fetch.is_none() && events.is_empty()).then_some(PERIOD);
    let wanted = Wanted {
        fetch: arguments.fetch.or(fetch.map(|sampler| sampler.mean)),
        op: arguments.op.or(op.map(|sampler| sampler.mean)).or(usual),
        mode: arguments.mode.map(Into::into).or(op.map(|sampler| sampler.mode.into())),
        load_latency: arguments.ldlat,
        last_level_misses_only: arguments.l3missonly,
    };
    if wanted.op.is_none() {
        let of_ops = [
            ("--ldlat", arguments.ldlat.is_some()),
            ("--mode", arguments.mode.is_some()),
        ];
        if let Some((option, _)) = of_ops.into_iter().find(|(_, given)| *given) {
            return Err(only_for_ops(option));
        }
    }
    no_standard_output(&arguments.output)?;
    let Some(image) = assembled(sources, &arguments.program, Library::Unmeasured, arguments.color)? else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    may_be_written(&arguments.output, &image)?;
    natively_possible(&image)?;
    // The text follows the name of the command, and its further lines are indented.
    let missing = |why: Unsampled| report::folded(&why.to_string(), 70).join("\n  ");
    let mut machine = perf::here().ok_or(Unsampled::OtherHost).map_err(missing)?;
    // Missing abilities are reported before the processor is examined, which takes a while.
    perf::requests(&*machine, &wanted).map_err(missing)?;
    let processor = detect::processor();
    let options = native::Options {
        runs: arguments.host_runs,
        ..native::Options::default()
    };
    let program = &sources.main.name;
    let sampled = perf::sample(&image, program, &processor, &wanted, &options, &mut *machine).map_err(missing)?;
    write(&sampled.recording, &arguments.output)?;
    let file = arguments.output.display().to_string();
    print_colored(Some(arguments.color), Amount::default(), |style, out| {
        write_sampled(&sampled, &file, &image.files, style, out)
    })?;
    Ok(ended(sampled.native.stop.reason))
}

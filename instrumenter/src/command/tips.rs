//! Tips beside errors in the arguments, in place of those of clap, which knows the syntax alone.

use super::samples;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use runtime::report;
use std::ffi::OsString;

/// The tip for an error in the words `line`, of which the first is the name of the command.
pub(super) fn tip(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let word = |at: usize| line.get(at).and_then(|word| word.to_str());
    match word(1) {
        Some("query") => word(2).and_then(samples::file_comes_first),
        Some("sample") => output_comes_first(error, line),
        Some("sweep") => no_registers(error),
        _ => None,
    }
    .or_else(|| format_meant(error))
}

/// The tip for an output that was given after the program, so that it is the program's.
fn output_comes_first(error: &clap::Error, line: &[OsString]) -> Option<String> {
    let is_output = |word: &str| word.starts_with("--output") || word.starts_with("-o");
    let lacks_output = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(lacking)) => lacking.iter().any(|argument| is_output(argument)),
        _ => false,
    };
    let given = |word: &OsString| word.to_str().is_some_and(is_output);
    let late = error.kind() == ErrorKind::MissingRequiredArgument && lacks_output && line.iter().any(given);
    late.then(|| {
        "options stand before the program, for what follows its name is for the program: `p5inst sample -o \
         FILE.samples PROGRAM`"
            .to_owned()
    })
}

/// The tip for the registers that a single run of a fragment may begin with.
fn no_registers(error: &clap::Error) -> Option<String> {
    (unknown(error)? == "--set").then(|| {
        "a sweep has no `--set`: let the source begin with `mov REG,NAME`, and sweep the symbol with `-D NAME=VALUES`"
            .to_owned()
    })
}

/// The tip for an unknown option that has the name of a format, such as `--html`.
fn format_meant(error: &clap::Error) -> Option<String> {
    let format = report::RunFormat::by_name(unknown(error)?.strip_prefix("--")?)?;
    Some(format!("write `--format {}`, with `-o FILE` for a file", format.name))
}

/// The option that there is not.
fn unknown(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(argument) if error.kind() == ErrorKind::UnknownArgument => Some(argument),
        _ => None,
    }
}

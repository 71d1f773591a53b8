//! The JSON report of a source that was not assembled: its errors in place of a run.

use super::{NotAssembled, SourceError};
use crate::document::{P5INST, document};
use crate::json_text::write_json;
use std::io::{self, Write};

document! {
    /// The errors of a source that was not assembled. The field `errors` tells it from the report of a run.
    #[cfg_attr(test, schemars(title = "p5inst report of a source with errors"))]
    pub(crate) struct Refused<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program: its file, or `<stdin>`.
        program: &'a str = &refused.program,
        /// The errors in the order in which they are on standard error, at least one.
        errors: Vec<Error<'a>> = refused.errors.iter().map(Error::of).collect(),
    }
    from (refused: &'a NotAssembled)

    /// An error in a source.
    pub(crate) struct Error<'a> {
        /// What is wrong.
        message: &'a str = &error.message,
        /// The name of the file; null if it is in no file.
        file: Option<&'a str> = error.place.as_ref().map(|(file, _)| file.as_str()),
        /// The line, from 1; null if it concerns no line.
        line: Option<u32> = error.place.as_ref().map(|&(_, line)| line),
        /// The column, from 1, in characters; null if it concerns no line.
        column: Option<usize> = error.column,
        /// What the marked part of the line is; null if that is clear.
        label: Option<&'a str> = error.label.as_deref(),
        /// How to fix it; null if that is not known.
        help: Option<&'a str> = error.help.as_deref(),
    }
    from (error: &'a SourceError)
}

pub(super) fn write(refused: &NotAssembled, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Refused::of(refused), out)
}

//! The formats of the report of a run, one row each in [`RUN_FORMATS`].
//!
//! Like the text and the JSON, each format is written from the closed [`Run`] and from the figures of `lines`,
//! `diagram` and `summary`, so that no two formats disagree. Clock-by-clock formats show a traced pass of at most
//! [`TRACE_CAPACITY`](p5_results::TRACE_CAPACITY) instructions; everything else is summed by line, however long a run
//! is. Only the cache sets are recorded for the sake of a format.
//!
//! All formats treat the macros of the bundled library alike: they are shown only in full detail, or apart from the
//! program, as in the JSON and on the page. The other clocks add up to those of the run's own part.

mod callgrind;
mod collapsed;
mod csv;
mod firefox;
mod html;
mod junit;
mod kanata;
mod perfetto;
pub(crate) mod refused;
mod sarif;
mod screen;
mod timeline;

pub(super) use csv::{cell as csv_cell, record as csv_record};

use super::ending::{CLOCK_LIMIT, ended, failed};
use super::printable::escaped;
use super::{Detail, Format, Style, output, slots};
use p5_results::Run;
use std::io::{self, Write};

/// A format of the report of a run.
#[derive(Debug)]
pub struct RunFormat {
    /// The name, as `--format` accepts it.
    pub name: &'static str,
    /// The title and the readers of the format, in the words of the help.
    pub title: &'static str,
    /// Whether it is text for a terminal, which may be coloured.
    pub colored: bool,
    /// The minimum detail at which it shows the cache sets, if it does.
    cache_sets: Option<Detail>,
    calls: Calls,
    /// Whether it tells how often branches mispredict, if that is known.
    mispredictions: bool,
    /// Whether it has a place for the reason why a run was stopped.
    says_stop: bool,
    /// Writes the report of a source with errors, if the format has a place for them.
    refused: Option<WriteRefused>,
    write: fn(&Run, &Style, &mut dyn Write) -> io::Result<()>,
}

/// What a format does with the calls of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calls {
    Ignored,
    /// It tells of them if they are known.
    Told,
    /// It shows them, so that a run for it follows calls.
    Shown,
}

type WriteRefused = fn(&NotAssembled, &mut dyn Write) -> io::Result<()>;

/// A source that could not be assembled, so that there is no run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAssembled {
    /// The file name of the program.
    pub program: String,
    /// Its errors, at least one.
    pub errors: Vec<SourceError>,
}

/// An error in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// The problem in one sentence, without a full stop.
    pub message: String,
    /// The name of its file and its line, from 1; `None` if it is in no file.
    pub place: Option<(String, u32)>,
    /// The column, from 1, in characters, if it concerns a line.
    pub column: Option<usize>,
    /// What the marked part of the line is, if that is not clear.
    pub label: Option<String>,
    /// How to fix it, if that is known.
    pub help: Option<String>,
}

impl SourceError {
    /// The problem with its place in brackets.
    fn placed(&self) -> String {
        let message = escaped(&self.message);
        match &self.place {
            Some((file, line)) => format!("{message} ({}:{line})", escaped(file)),
            None => message,
        }
    }
}

/// The names of the formats that have bytes of the program, whatever they are.
const OUTPUT: &str = "output";
const ERRORS: &str = "errors";
/// That of the format that has a picture.
const SCREEN: &str = "screen";

#[rustfmt::skip] // One row for each format.
/// All formats, the default first.
pub static RUN_FORMATS: &[RunFormat] = &[
    RunFormat { name: "text",      colored: true,  cache_sets: None,                calls: Calls::Told,    mispredictions: true,  says_stop: true,  refused: None,                 write: text,             title: "Tables and slot diagrams" },
    RunFormat { name: "json",      colored: false, cache_sets: Some(Detail::All),   calls: Calls::Told,    mispredictions: true,  says_stop: true,  refused: Some(refused::write),  write: json,             title: "Everything; `p5inst schema` describes it" },
    RunFormat { name: "timeline",  colored: true,  cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: true,  refused: None,                 write: timeline::write,  title: "U and V clock by clock, as text" },
    RunFormat { name: "html",      colored: false, cache_sets: Some(Detail::Short), calls: Calls::Told,    mispredictions: true,  says_stop: true,  refused: None,                 write: html::write,      title: "One page for browsers, which loads nothing else" },
    RunFormat { name: "callgrind", colored: false, cache_sets: None,                calls: Calls::Shown,   mispredictions: false, says_stop: true,  refused: None,                 write: callgrind::write, title: "Clocks by line and call, for callgrind_annotate and KCachegrind" },
    RunFormat { name: "kanata",    colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: false, refused: None,                 write: kanata::write,    title: "Passes clock by clock, for Konata" },
    RunFormat { name: "perfetto",  colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: true,  refused: None,                 write: perfetto::write,  title: "Passes clock by clock, for Perfetto and Chrome" },
    RunFormat { name: "collapsed", colored: false, cache_sets: None,                calls: Calls::Shown,   mispredictions: false, says_stop: false, refused: None,                 write: collapsed::write, title: "Clocks by stack, for flame graphs" },
    RunFormat { name: "firefox",   colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: true,  refused: None,                 write: firefox::write,   title: "Clocks by stack, for the Firefox Profiler" },
    RunFormat { name: "csv",       colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: true,  says_stop: false, refused: None,                 write: csv::write,       title: "Clocks by line, for spreadsheets" },
    RunFormat { name: "junit",     colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: true,  refused: Some(junit::refused), write: junit::write,     title: "Budgets as test cases, for CI systems" },
    RunFormat { name: "sarif",     colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: true,  refused: Some(sarif::refused), write: sarif::write,     title: "Budgets that do not hold, as SARIF 2.1.0" },
    RunFormat { name: OUTPUT,      colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: false, refused: None,                 write: output::raw,      title: "The standard output of the program, byte for byte" },
    RunFormat { name: ERRORS,      colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: false, refused: None,                 write: output::raw_errors, title: "Its standard error, likewise" },
    RunFormat { name: SCREEN,      colored: false, cache_sets: None,                calls: Calls::Ignored, mispredictions: false, says_stop: false, refused: None,                 write: screen::write,    title: "The picture of mode 13h as a portable pixmap, or a screen of text" },
];

impl RunFormat {
    /// The format with this name.
    pub fn by_name(name: &str) -> Option<&'static RunFormat> {
        RUN_FORMATS.iter().find(|format| format.name == name)
    }

    /// Whether it shows the cache sets, which a run records only on request.
    pub fn shows_cache_sets(&self, detail: Detail) -> bool {
        self.cache_sets.is_some_and(|least| detail >= least)
    }

    /// Whether it is text or text of programs. Other bytes can do harm to a terminal.
    pub fn is_text(&self) -> bool {
        ![OUTPUT, ERRORS, SCREEN].contains(&self.name)
    }

    /// Whether it shows calls, which a run counts only on request.
    pub fn shows_calls(&self) -> bool {
        self.calls == Calls::Shown
    }

    /// Whether it tells of calls if they are known.
    pub fn tells_calls(&self) -> bool {
        self.calls == Calls::Told
    }

    /// Whether it tells how often branches mispredict, which another run counts.
    pub fn tells_mispredictions(&self) -> bool {
        self.mispredictions
    }

    /// The reason why `run` was stopped, in words, if it was stopped and the format has no place for the reason. The
    /// report then ends where the run did.
    pub fn unsaid_stop(&self, run: &Run) -> Option<String> {
        why_stopped(run).filter(|_| !self.says_stop)
    }

    /// Whether it has a place for the errors of a source that could not be assembled.
    pub fn says_refused(&self) -> bool {
        self.refused.is_some()
    }

    /// Writes the errors of a source that could not be assembled, if the format has a place for them.
    ///
    /// # Errors
    /// Only what `out` itself reports, such as a full disk.
    pub fn write_refused(&self, refused: &NotAssembled, out: &mut dyn Write) -> io::Result<()> {
        self.refused.map_or(Ok(()), |write| write(refused, out))
    }

    /// Writes the report of `run` to `out` in this format.
    ///
    /// # Errors
    /// Only what `out` itself reports, such as a full disk.
    pub fn write(&self, run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(run, style, out)
    }

    /// Writes what a further run shows of the code that was asked for: its diagram, in formats that have one.
    ///
    /// # Errors
    /// Only what `out` itself reports, such as a full disk.
    pub fn write_shown(&self, run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        match self.name {
            "text" => slots::write_all(run, style, out).map(|_| ()),
            "timeline" => self.write(run, style, out),
            _ => Ok(()),
        }
    }
}

/// The reason why `run` was stopped, in words, if it did not end by itself.
pub fn why_stopped(run: &Run) -> Option<String> {
    failed(&run.stop).then(|| ended(&run.stop, &run.files, CLOCK_LIMIT))
}

fn text(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    super::write(Format::Text, run, style, out)
}

fn json(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    super::write(Format::Json, run, style, out)
}

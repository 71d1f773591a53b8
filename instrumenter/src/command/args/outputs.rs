//! The reports of a run and their files: `--format NAME -o FILE`, any number of times.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Error, FromArgMatches};
use runtime::report::{RUN_FORMATS, RunFormat};
use std::path::{Path, PathBuf};

/// The reports of a run, at least one, and at most one of them to standard output.
#[derive(Clone, Debug)]
pub(crate) struct Outputs(pub(crate) Vec<Output>);

/// A report of a run.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// Its format.
    pub(crate) format: &'static RunFormat,
    /// Its file; none for standard output.
    pub(crate) file: Option<PathBuf>,
}

/// The options, before each file belongs to the format before it.
#[derive(Args, Debug)]
struct Options {
    /// text, json, html, callgrind, perfetto and others
    ///
    /// The format of the report; without it, that of the file's ending (.json, .html, .csv), or else text. Repeat it,
    /// each with its own -o, for several reports of one run.
    #[arg(long, value_name = "FORMAT", value_parser = format(), default_value = RUN_FORMATS[0].name)]
    format: Vec<&'static RunFormat>,
    /// Write the report to this file (.html, .json, .csv)
    ///
    /// It has the format before it, or that of the file's ending. `-` is standard output. A file is replaced once the
    /// report is complete, and must be a regular one: links, pipes and devices are refused.
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// U and V clock by clock, of a loop its steady round
    ///
    /// Short for `--format timeline`. With `--long`, all clocks of a region, or of the part that is shown, with its
    /// loops round by round.
    #[arg(long)]
    timeline: bool,
}

/// Other names of formats, with theirs.
const CALLED: [(&str, &str); 2] = [("flame", "collapsed"), ("flamegraph", "collapsed")];

/// The formats by name.
fn format() -> impl TypedValueParser<Value = &'static RunFormat> {
    let names = RUN_FORMATS.iter().map(|format| {
        let others = CALLED.iter().filter(|(_, name)| *name == format.name);
        PossibleValue::new(format.name)
            .aliases(others.map(|(other, _)| *other))
            .help(format.title)
    });
    PossibleValuesParser::new(names).try_map(|name| {
        let other = CALLED.iter().find(|(other, _)| *other == name);
        RunFormat::by_name(other.map_or(name.as_str(), |(_, name)| name)).ok_or("no such format")
    })
}

impl Args for Outputs {
    fn augment_args(command: Command) -> Command {
        Options::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Options::augment_args_for_update(command)
    }
}

impl FromArgMatches for Outputs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Outputs, Error> {
        let options = Options::from_arg_matches(matches)?;
        let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
        let places = |id: &str| {
            let places = given(id).then(|| matches.indices_of(id)).flatten();
            places.into_iter().flatten()
        };
        let mut words: Vec<(usize, Word)> = Vec::new();
        words.extend(places("format").zip(options.format.into_iter().map(Word::Format)));
        words.extend(places("output").zip(options.output.into_iter().map(Word::File)));
        let timeline = RunFormat::by_name("timeline").filter(|_| options.timeline);
        words.extend(places("timeline").zip(timeline.map(Word::Format)));
        words.sort_by_key(|&(place, _)| place);
        paired(words.into_iter().map(|(_, word)| word)).map_err(|why| Error::raw(ErrorKind::ArgumentConflict, why))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Outputs::from_arg_matches(matches)?;
        Ok(())
    }
}

enum Word {
    Format(&'static RunFormat),
    File(PathBuf),
}

/// The format that a file's ending names.
pub(crate) fn format_of_file(file: &Path) -> Option<&'static RunFormat> {
    const NAMES: [(&str, &str); 5] = [
        ("json", "json"),
        ("html", "html"),
        ("htm", "html"),
        ("csv", "csv"),
        ("ppm", "screen"),
    ];
    let ending = file.extension()?.to_str()?.to_ascii_lowercase();
    let (_, name) = NAMES.into_iter().find(|(known, _)| *known == ending)?;
    RunFormat::by_name(name)
}

/// Refuses a file without a format whose ending says that it is no text.
fn may_be_text(file: &Path) -> Result<(), String> {
    const OTHERS: [&str; 16] = [
        "svg", "png", "jpg", "jpeg", "gif", "bmp", "pdf", "ps", "eps", "xml", "xlsx", "xls", "ods", "parquet", "md",
        "yaml",
    ];
    let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if OTHERS.iter().any(|other| ending.eq_ignore_ascii_case(other)) {
        return Err(format!(
            "no report is a .{ending} file: end the name of `{}` in .txt, .html, .json or .csv, or write --format \
             before it\n",
            file.display()
        ));
    }
    Ok(())
}

/// The reports in files without a format: each has that of its ending, or is text.
fn ended(files: &[PathBuf]) -> Result<Vec<Output>, String> {
    files.iter().try_for_each(|file| may_be_text(file))?;
    let mut plain = files.iter().filter(|file| format_of_file(file).is_none());
    if let (Some(one), Some(other)) = (plain.next(), plain.next()) {
        return Err(of_one_report(one, other));
    }
    let output = |file: &PathBuf| Output {
        format: format_of_file(file).unwrap_or(&RUN_FORMATS[0]),
        file: Some(file.clone()),
    };
    Ok(files.iter().map(output).collect())
}

fn of_one_report(one: &Path, other: &Path) -> String {
    format!(
        "`{}` and `{}` are for the same report; write a --format before each\n",
        one.display(),
        other.display()
    )
}

/// Assigns each file to the format that precedes it; a single file may also precede its format. Without formats, the
/// endings of files name them.
fn paired(words: impl Iterator<Item = Word>) -> Result<Outputs, String> {
    let words: Vec<Word> = words.collect();
    let files: Option<Vec<PathBuf>> = words
        .iter()
        .map(|word| match word {
            Word::File(file) => Some(file.clone()),
            Word::Format(_) => None,
        })
        .collect();
    let outputs = match files.filter(|files| !files.is_empty()) {
        Some(files) => ended(&files)?,
        None => assigned(words)?,
    };
    to_standard(outputs)
}

/// Assigns each file to the format that precedes it; a single file may also precede its format.
fn assigned(words: Vec<Word>) -> Result<Vec<Output>, String> {
    let mut outputs: Vec<Output> = Vec::new();
    let mut first: Option<PathBuf> = None;
    for word in words {
        match word {
            Word::Format(format) => outputs.push(Output { format, file: None }),
            Word::File(file) => {
                let place = outputs.last_mut().map_or(&mut first, |output| &mut output.file);
                match (&*place, format_of_file(&file)) {
                    (None, _) => *place = Some(file),
                    // Its ending says which report it is for.
                    (Some(_), Some(format)) => outputs.push(Output {
                        format,
                        file: Some(file),
                    }),
                    (Some(other), None) => return Err(of_one_report(other, &file)),
                }
            }
        }
    }
    match (&mut outputs[..], &mut first) {
        ([], _) => outputs.push(Output {
            format: &RUN_FORMATS[0],
            file: None,
        }),
        (_, None) => {}
        ([Output { file: file @ None, .. }], _) => *file = first,
        (_, Some(first)) => match format_of_file(first) {
            Some(format) => outputs.insert(
                0,
                Output {
                    format,
                    file: Some(first.clone()),
                },
            ),
            None => {
                let first = first.display();
                return Err(format!(
                    "`-o {first}` stands before each --format; write its format before it, as in `--format text -o \
                     {first}`\n"
                ));
            }
        },
    }
    Ok(outputs)
}

/// The reports, those in the file `-` on standard output, which can have one.
fn to_standard(mut outputs: Vec<Output>) -> Result<Outputs, String> {
    for output in &mut outputs {
        output.file = output.file.take().filter(|file| file != Path::new("-"));
    }
    let mut standard = outputs.iter().filter(|output| output.file.is_none());
    if let (Some(one), Some(other)) = (standard.next(), standard.next()) {
        return Err(format!(
            "{} and {} both go to standard output; name a file with -o for one of them\n",
            one.format.name, other.format.name
        ));
    }
    Ok(Outputs(outputs))
}

#[cfg(test)]
mod tests {
    use super::super::Arguments;
    use super::*;
    use clap::Parser;

    fn outputs(line: &str) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let line = format!("p5inst a.asm {line}");
        let arguments = Arguments::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())?;
        let file = |file: PathBuf| file.display().to_string();
        let outputs = arguments.outputs.0.into_iter();
        Ok(outputs
            .map(|output| (output.format.name, output.file.map(file)))
            .collect())
    }

    #[test]
    fn each_file_belongs_to_the_format_before_it() {
        let file = |name: &str| Some(name.to_owned());
        for (line, expected) in [
            ("", vec![("text", None)]),
            ("-o a", vec![("text", file("a"))]),
            ("-o a.json", vec![("json", file("a.json"))]),
            ("-o a.htm", vec![("html", file("a.htm"))]),
            ("-o a.svg --format text", vec![("text", file("a.svg"))]),
            ("-o a.log", vec![("text", file("a.log"))]),
            (
                "-o a.HTML -o b.csv",
                vec![("html", file("a.HTML")), ("csv", file("b.csv"))],
            ),
            (
                "-o a.json -o b.txt",
                vec![("json", file("a.json")), ("text", file("b.txt"))],
            ),
            ("-o - -o a.csv", vec![("text", None), ("csv", file("a.csv"))]),
            ("--format callgrind -o a.json", vec![("callgrind", file("a.json"))]),
            ("-o a.json --format text", vec![("text", file("a.json"))]),
            ("--format json", vec![("json", None)]),
            ("--format json -o a", vec![("json", file("a"))]),
            ("-o a --format json", vec![("json", file("a"))]),
            ("--format json -o -", vec![("json", None)]),
            ("--timeline", vec![("timeline", None)]),
            (
                "-o a.json --format junit -o a.xml",
                vec![("json", file("a.json")), ("junit", file("a.xml"))],
            ),
            (
                "--format junit -o a.xml -o a.html",
                vec![("junit", file("a.xml")), ("html", file("a.html"))],
            ),
            ("--format flame -o a", vec![("collapsed", file("a"))]),
            (
                "--timeline --format csv -o a --format json -o b",
                vec![("timeline", None), ("csv", file("a")), ("json", file("b"))],
            ),
            (
                "--format csv -o a --timeline -o t --format text",
                vec![("csv", file("a")), ("timeline", file("t")), ("text", None)],
            ),
        ] {
            assert_eq!(outputs(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_has_no_one_meaning_is_refused() {
        for (line, why) in [
            ("--format json --format csv", "json and csv both go to standard output"),
            ("--timeline --format text -o -", "timeline and text both go"),
            ("-o a -o b", "`a` and `b` are for the same report"),
            ("-o a.svg", "no report is a .svg file"),
            (
                "-o a.json -o b.PNG",
                "end the name of `b.PNG` in .txt, .html, .json or .csv",
            ),
            ("-o a -o b.json -o c", "`a` and `c` are for the same report"),
            ("--format json -o a -o b", "write a --format before each"),
            (
                "-o a --format json --format csv -o b",
                "`-o a` stands before each --format",
            ),
            ("--format html5", "[possible values: text, json,"),
        ] {
            let error = outputs(line).expect_err(line);
            assert!(error.contains(why), "{line}: {error}");
        }
    }
}

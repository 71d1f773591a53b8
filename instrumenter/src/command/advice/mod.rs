//! `p5inst advise`: other orders and other instructions that save clocks and keep the final state.

mod blocks;
mod lines;
mod moved;
mod rewrite;
mod search;
mod substitutions;
mod text;
mod trial;

use super::args::{AdviseArguments, Amount, Presentation, ProgramArguments};
use super::later_chip::later_chip;
use super::output::print;
use super::replace::Replacement;
use super::setting::{assembled, program_options};
use super::sources::file;
use super::{BAD_INPUT, STOPPED, ended, input, what_if};
use p5_assembler::Library;
use p5_assembler::source::{Sources, decode};
use runtime::image::Image;
use runtime::instruments::{Program, Subject};
use runtime::machine;
use runtime::report::{Advice, write_advice};
use runtime::run::Note;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use text::Lines;
use trial::{Harness, Original};

/// The maximum number of lines of a program, and of its instructions and data: the original, the best program so far
/// and a trial are in memory together, at about 270 bytes a line.
const MOST_LINES: usize = 1_000_000;

/// Shows suggestions that save clocks, or writes them; an error is one line.
pub(crate) fn advise(arguments: &AdviseArguments) -> Result<ExitCode, String> {
    if arguments.write {
        return fix(arguments);
    }
    let done = examined(arguments)?;
    report(done.map(|(advice, _)| advice), arguments.presentation)
}

/// Writes a source with the suggestions applied; an error is one line.
pub(crate) fn fix(arguments: &AdviseArguments) -> Result<ExitCode, String> {
    let path = arguments.program.file.as_deref().ok_or("no program is named")?;
    if path == Path::new("-") && !arguments.dry_run {
        return Err("standard input cannot be changed; name a file, or use `--dry-run`".to_owned());
    }
    let Some((mut advice, lines)) = examined(arguments)? else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    if !arguments.dry_run && !advice.suggestions.is_empty() {
        write(path, &lines)?;
        advice.written = Some(path.display().to_string());
    }
    report(Some(advice), arguments.presentation)
}

fn write(path: &Path, lines: &(String, Lines)) -> Result<(), String> {
    let (original, lines) = lines;
    let found = file(path)?;
    if decode(&found.bytes) != *original {
        return Err(format!(
            "`{}` has changed meanwhile; nothing is written",
            path.display()
        ));
    }
    let metadata = fs::metadata(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
    if metadata.permissions().readonly() {
        return Err(format!("`{}` is write-protected; nothing is written", path.display()));
    }
    let bytes = text::encoded(&found.bytes, &lines.joined()).ok_or_else(|| {
        format!(
            "`{}` cannot be written back exactly: its line ends or its characters are not of one kind",
            path.display()
        )
    })?;
    let mut replacement = Replacement::of_source(path)?;
    replacement.written(|out| out.write_all(&bytes))?;
    replacement.finish()
}

fn report(advice: Option<Advice>, presentation: Presentation) -> Result<ExitCode, String> {
    let Some(advice) = advice else {
        return Ok(ExitCode::from(BAD_INPUT));
    };
    print(presentation, Amount::default(), |format, style, out| {
        write_advice(format, &advice, style, out)
    })?;
    // The trials that were left out may save clocks as well.
    Ok(match advice.out_of_time {
        true => ExitCode::from(STOPPED),
        false => ended(advice.subject.stop.reason),
    })
}

/// The advice for a program, with its text before and after; `None` if the program has errors.
type Examined = Option<(Advice, (String, Lines))>;

fn examined(arguments: &AdviseArguments) -> Result<Examined, String> {
    let started = Instant::now();
    input::read(&arguments.program)?.source(&arguments.program, |sources| {
        let assembled = assembled(
            sources,
            &arguments.program,
            Library::Pentium,
            arguments.presentation.color,
        )?;
        let Some(image) = assembled else {
            return Ok(None);
        };
        let count = image.lines.len().max(sources.main.text.lines().count());
        if count > MOST_LINES {
            return Err(format!(
                "`{}` has {count} lines with those of its macros; `advise` examines programs of up to {MOST_LINES}: \
                 put the code to improve into a program of its own",
                sources.main.name
            ));
        }
        let (program, runs) = (&arguments.program, arguments.runs);
        Ok(advice(image, sources, program, runs, started))
    })
}

fn advice(
    image: Image,
    sources: &Sources<'_>,
    program: &ProgramArguments,
    runs: Option<u32>,
    started: Instant,
) -> Examined {
    let mut harness = Harness {
        sources,
        arguments: program,
        runs: runs.unwrap_or(trial::RUNS),
        started,
    };
    let text = sources.main.text.to_string();
    let lines = Lines::of(&text, program_options(program, Library::Pentium).dialect);
    let mut first = harness.run(image);
    if let Some(later) = later_chip(&first.run, program)
        && let Ok(other) = what_if::assembled(sources, &first.image, program, harness.model(), later.chip)
    {
        let program = later.arguments(program);
        let (mut advice, lines) = advice(other.into_owned(), sources, &program, runs, started)?;
        advice.later_chip = Some(later.note());
        return Some((advice, lines));
    }
    if let (None, Some(settled)) = (runs, harness.settled(&first)) {
        harness.runs = settled;
        first = harness.run(first.image);
    }
    let subject = Subject {
        stop: first.run.stop.clone(),
        ..Subject::of(
            &Program {
                name: &sources.main.name,
                image: &first.image,
                model: harness.model(),
            },
            &machine::Options {
                cpl: program.assembly.level(),
                memory: program.memory,
                ..machine::Options::default()
            },
        )
    };
    let clocks = first.clocks();
    let own = || first.run.instructions.iter().filter(|one| !one.library);
    let mut advice = Advice {
        subject,
        fragment: first.run.fragment.clone(),
        once: first.run.remainders.is_empty() && own().all(|one| one.executions <= 1 && !one.text.starts_with("rep")),
        runs: harness.runs,
        clocks: [clocks; 2],
        suggestions: Vec::new(),
        blocks: 0,
        not_examined: 0,
        most_blocks: search::MOST_BLOCKS as u64,
        left_alone: Vec::new(),
        unsettled: [None; 2],
        refused: Vec::new(),
        slight: Vec::new(),
        unread: Vec::new(),
        in_vain: Vec::new(),
        notes: Vec::new(),
        out_of_time: false,
        taken: Vec::new(),
        written: None,
        later_chip: None,
    };
    if !first.run.stop.reason.by_program() {
        return Some((advice, (text, lines)));
    }
    let found = blocks::find(&first.image, &first.run, &lines);
    let original = Original::of(&first, &harness);
    advice.unsettled[0] = harness.unsettled(&first);
    let searched = search::search(&harness, &original, lines, first, &found.places);
    advice.clocks[1] = searched.last.clocks();
    advice.taken = original.taken(&searched.last);
    advice.unsettled[1] = harness.unsettled(&searched.last);
    advice.suggestions = searched.suggestions;
    advice.blocks = searched.blocks;
    advice.not_examined = searched.not_examined;
    advice.left_alone = found.left_alone.into_iter().collect();
    advice.refused = searched.refused;
    advice.slight = searched.slight;
    advice.unread = searched.unread;
    advice.in_vain = searched.in_vain;
    let of_data = |note: &&Note| matches!(note, Note::MisalignedData { .. } | Note::HurriedBranch { .. });
    let notes = searched.last.run.notes.iter().filter(of_data);
    advice.notes = notes.cloned().collect();
    advice.out_of_time = searched.out_of_time;
    Some((advice, (text, searched.lines)))
}

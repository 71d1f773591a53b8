//! Checks whole programs: assembles a source, runs it on the machine, and compares the run with the expectations in the
//! source itself.
//!
//! An expectation is a comment of the form `; expect ...` on a line of its own; [`check`] knows these:
//!
//! | comment | holds if |
//! |---|---|
//! | `; expect NAME = 5` | the data symbol (1 to 8 bytes) holds that number after the last run |
//! | `; expect stop = end` | the run ended in this way; also `return`, `halt`, `limit`, `exit 3`, `fault 13 line 7` |
//! | `; expect output = "text"` | the program wrote this in the last run; `\n` and `\r` are escapes |
//! | `; expect cycles = 12` | the last run took that many clocks |
//! | `; expect instructions = 12` | the last run executed that many instructions |
//! | `; expect event BRANCHES = 12` | that event occurred so often in the last run |
//! | `; expect line = 0 nop nop` | the report, 200 columns wide, has this line; blanks count as one |
//! | `; with cpl = 3` | not an expectation: sets the level; also `runs`, `limit`, `mhz`, `memory`, `assume`, `cpu` |
//! | `; with monitor = perfmon` | attaches a monitor; `core_ratio = 4/3` sets its clocks |
//!
//! After a line `; again` the program is run once more, with only the settings and the expectations that follow it.
//!
//! In addition, no line of the reports that must fit is wider than 80 columns.

pub mod figures;

use instrumenter::source::{Binary, Included, Sources, Unavailable};
use runtime::image::Image;
use runtime::machine::{self, EngineChoice, Options};
use runtime::model::{self, Choice, CoreRatio, MemoryPreset, Model, Monitor};
use runtime::report::{self, Detail, Format, Style};
use runtime::run::{Cause, Run, StopReason};
use std::num::NonZeroU64;
use std::path::Path;

/// Assembles `text` for privilege level `cpl`.
///
/// # Errors
/// All diagnostics, rendered, if the source has errors.
pub fn assembled(name: &str, text: &str, cpl: u8) -> Result<Image, String> {
    linked(chip(), name, text, &[], cpl)
}

/// The program for `chip`, whose event names it may use.
fn linked(chip: &'static Model, name: &str, text: &str, objects: &[Binary], cpl: u8) -> Result<Image, String> {
    let options = instrumenter::Options {
        cpl,
        chip,
        ..instrumenter::Options::default()
    };
    let sources = Sources {
        objects,
        include: &|wanted| included(name, wanted),
        ..Sources::single(name, text)
    };
    let assembly = instrumenter::assemble(&sources, &options);
    assembly
        .image
        .ok_or_else(|| instrumenter::command::diagnostics::render(&assembly.diagnostics, &assembly.files, false, 100))
}

/// The bundled file `wanted`, or the file of that name beside the program `name`, a path from the root of the
/// workspace.
fn included(name: &str, wanted: &str) -> Result<Included, Unavailable> {
    if let Some(text) = asm_macros::library::file(wanted) {
        return Ok(Included::File {
            name: wanted.to_owned(),
            bytes: text.into(),
        });
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let bytes = std::fs::read(top.join(name).with_file_name(wanted));
    bytes
        .map(|bytes| Included::File {
            name: wanted.to_owned(),
            bytes,
        })
        .map_err(|error| Unavailable::because(error.to_string()))
}

/// The default chip, which is the first in the list.
pub fn chip() -> &'static Model {
    model::MODELS[0]
}

/// Assembles and runs `text` on `model`.
///
/// # Errors
/// Those of [`assembled`].
pub fn run(name: &str, text: &str, model: &'static Model, options: &Options) -> Result<Run, String> {
    run_with(name, text, &[], model, options)
}

/// Like [`run`], with objects linked to the program.
///
/// # Errors
/// Those of [`assembled`].
pub fn run_with(
    name: &str,
    text: &str,
    objects: &[Binary],
    model: &'static Model,
    options: &Options,
) -> Result<Run, String> {
    let image = linked(model, name, text, objects, options.cpl)?;
    Ok(machine::simulate(&image, name, model, options, &mut |_| {}))
}

/// The value of a data symbol after the last run; `None` if there is no such symbol.
pub fn value(run: &Run, name: &str) -> Option<u64> {
    let found = run
        .symbols
        .iter()
        .find(|symbol| symbol.name.eq_ignore_ascii_case(name))?;
    found.value
}

/// Runs a program in normal blocks and in blocks of one operation, and compares both runs with the comments in its
/// source.
///
/// # Errors
/// The expected and the actual value, one line per failed expectation. A source without an expectation fails too.
pub fn check(name: &str, text: &str) -> Result<(), String> {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let cases = lines.split(|(_, line)| line.trim_start().strip_prefix(';').map(str::trim) == Some("again"));
    let wrong: Vec<String> = cases.filter_map(|case| check_case(name, text, case).err()).collect();
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// What executes a program, whether its blocks have one instruction each, and how this is called.
const WAYS: [(EngineChoice, bool, &str); 3] = [
    (EngineChoice::Interpreter, false, "usual blocks"),
    (EngineChoice::Interpreter, true, "blocks of one"),
    (EngineChoice::Jit, false, "compiled blocks"),
];

/// Like [`check`], for the settings and expectations on these numbered lines.
fn check_case(name: &str, text: &str, lines: &[(usize, &str)]) -> Result<(), String> {
    let mut options = Options::default();
    let mut chosen = Chosen::default();
    let mut model = chip();
    let mut expectations = Vec::new();
    let mut wrong = Vec::new();
    for &(number, line) in lines {
        let Some(comment) = line.trim_start().strip_prefix(';').map(str::trim_start) else {
            continue;
        };
        if let Some(setting) = comment.strip_prefix("with ") {
            let cpu = setting.strip_prefix("cpu = ").map(str::trim);
            let result = match cpu {
                Some(cpu) => model::by_name(cpu)
                    .map(|found| model = found)
                    .ok_or_else(|| "there is no such chip".into()),
                None => set(&mut options, &mut chosen, setting),
            };
            result.map_err(|why: String| format!("{name}:{number}: {why}"))?;
        } else if let Some(expected) = comment.strip_prefix("expect ") {
            match expected.split_once('=') {
                Some((what, to_be)) => expectations.push((number, what.trim(), to_be.trim())),
                None => return Err(format!("{name}:{number}: an expectation needs a `=`")),
            }
        }
    }
    if expectations.is_empty() {
        return Err(format!("{name}: nothing is expected of it"));
    }
    let model = model.assuming(&chosen.assumed);
    let model = model.with_monitors(&chosen.monitors).map_err(report::no_monitor)?;
    let image = linked(model, name, text, &[], options.cpl)?;
    let mut first: Option<Run> = None;
    for (engine, one_op_blocks, blocks) in WAYS {
        let options = Options {
            engine,
            one_op_blocks,
            ..options.clone()
        };
        let run = machine::simulate(&image, name, model, &options, &mut |_| {});
        // All that is expected, and every report, is computed from the run.
        if first.as_ref() == Some(&run) {
            continue;
        }
        let lines = report_lines(&run);
        wrong.extend(too_wide(name, &run));
        wrong.extend(parts_that_differ(name, &run));
        for &(number, what, to_be) in &expectations {
            if what == "line" {
                if !lines.iter().any(|line| line == to_be) {
                    wrong.push(format!("{name}:{number}: no line `{to_be}` in\n{}", lines.join("\n")));
                }
                continue;
            }
            let came = found(&run, what).ok_or_else(|| format!("{name}:{number}: the run has no `{what}`"))?;
            let as_expected = match (parse(to_be), parse(&came)) {
                (Some(expected), Some(value)) => expected == value,
                _ => to_be == came,
            };
            if !as_expected {
                wrong.push(format!("{name}:{number}: {what} is {came}, not {to_be} ({blocks})"));
            }
        }
        first.get_or_insert(run);
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}

/// The events and causes whose counts in the program and the library do not add up to the whole.
fn parts_that_differ(name: &str, run: &Run) -> Vec<String> {
    let Some(probes) = &run.probes else {
        return Vec::new();
    };
    let events = run.whole.events.iter().zip(run.own.events.iter().zip(&probes.events));
    let events = events.filter_map(|(whole, (own, probes))| {
        let adds_up = own.occurrences.checked_add(probes.occurrences) == Some(whole.occurrences)
            && own.clocks.checked_add(probes.clocks) == Some(whole.clocks);
        (!adds_up).then(|| {
            format!(
                "{name}: {} in parts {own:?} and {probes:?}, whole {whole:?}",
                whole.event.name()
            )
        })
    });
    let causes = run.whole.cycle_stack.iter();
    let causes = causes.zip(run.own.cycle_stack.iter().zip(&probes.cycle_stack));
    let causes = causes.filter_map(|(whole, (own, probes))| {
        let adds_up = own.cycles.checked_add(probes.cycles) == Some(whole.cycles);
        (!adds_up).then(|| format!("{name}: {own:?} and {probes:?}, but {whole:?}"))
    });
    events.chain(causes).collect()
}

/// The lines of the reports that exceed their maximum width.
fn too_wide(name: &str, run: &Run) -> Vec<String> {
    let mut wide = Vec::new();
    for detail in [Detail::Short, Detail::Long, Detail::All] {
        let text = text_report(run, WIDTH, detail);
        let lines = text.lines().filter(|line| line.chars().count() > WIDTH);
        wide.extend(lines.map(|line| format!("{name}: wider than {WIDTH} columns ({detail:?}): {line}")));
    }
    wide
}

/// The width that each report must fit, in columns.
const WIDTH: usize = 80;

fn text_report(run: &Run, width: usize, detail: Detail) -> String {
    let style = Style::plain(width, detail);
    let mut bytes = Vec::new();
    report::write(Format::Text, run, &style, &mut bytes).expect("a vector takes everything");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines of the short report, with one blank between words.
fn report_lines(run: &Run) -> Vec<String> {
    let text = text_report(run, 200, Detail::Short);
    let words = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    words.map(|words| words.join(" ")).collect()
}

/// The changes to the chip by a program's settings.
#[derive(Default)]
struct Chosen {
    assumed: Vec<Choice>,
    monitors: Vec<&'static Monitor>,
}

fn set(options: &mut Options, chosen: &mut Chosen, setting: &str) -> Result<(), String> {
    let (what, value) = setting.split_once('=').ok_or("a setting needs a `=`")?;
    match what.trim() {
        "assume" => {
            chosen.assumed.push(model::choice(value.trim())?);
            return Ok(());
        }
        "monitor" => {
            chosen
                .monitors
                .push(model::monitor(value.trim()).map_err(report::no_monitor)?);
            return Ok(());
        }
        "core_ratio" => {
            options.core_ratio = CoreRatio::parse(value.trim())?;
            return Ok(());
        }
        "memory" => {
            options.memory = MemoryPreset::by_name(value.trim()).ok_or("there is no such memory")?;
            return Ok(());
        }
        _ => {}
    }
    let value = parse(value.trim()).ok_or("a setting's value is a number")?;
    match what.trim() {
        "cpl" if value <= 3 => options.cpl = value as u8,
        "runs" if (1..=1000).contains(&value) => options.runs = value as u32,
        "limit" => options.limit = value,
        "mhz" if (1..=10_000).contains(&value) => {
            options.hertz = NonZeroU64::new(value * 1_000_000).ok_or("a rate is not 0")?;
        }
        other => return Err(format!("there is no setting `{other}` with that value")),
    }
    Ok(())
}

/// The actual value of an expectation's left side, in the notation of its right side.
fn found(run: &Run, what: &str) -> Option<String> {
    match what {
        "stop" => {
            let mut text = run.stop.reason.name().to_owned();
            if let Some(code) = run.stop.code {
                text.push_str(&format!(" {code}"));
            }
            if let (StopReason::Fault | StopReason::Unsupported, Some((_, line))) = (run.stop.reason, run.stop.place) {
                text.push_str(&format!(" line {line}"));
            }
            Some(text)
        }
        "output" => {
            let text = String::from_utf8_lossy(&run.output);
            Some(format!("\"{}\"", text.replace('\r', "\\r").replace('\n', "\\n")))
        }
        "cycles" => Some(run.whole.totals.cycles.to_string()),
        "instructions" => Some(run.whole.totals.instructions.to_string()),
        what if what.starts_with("clocks of ") => {
            let cause = Cause::ALL.iter().find(|cause| what.ends_with(cause.name()))?;
            let spent = run.whole.cycle_stack.iter().find(|spent| spent.cause == *cause);
            Some(spent.map_or(0, |spent| spent.cycles).to_string())
        }
        what if what.starts_with("event ") => {
            let name = what.trim_start_matches("event ").trim();
            let count = run.whole.events.iter().find(|count| count.event.name() == name)?;
            Some(count.occurrences.to_string())
        }
        name => value(run, name).map(|value| value.to_string()),
    }
}

/// A number in assembler notation: decimal, or hexadecimal with a trailing `h`; a minus sign means 32 bits.
fn parse(text: &str) -> Option<u64> {
    if let Some(positive) = text.strip_prefix('-') {
        let value = u32::try_from(parse(positive)?).ok()?;
        return Some(u64::from(value.wrapping_neg()));
    }
    match text.strip_suffix(['h', 'H']) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expectation_that_fails_is_told_and_none_is_an_error() {
        let program = "; expect answer = 42\n; expect stop = return\nmov answer,42\nret\nanswer dd ?\n";
        assert_eq!(check("right.asm", program), Ok(()));
        let wrong = check("wrong.asm", &program.replace("= 42", "= 43")).expect_err("43 is not 42");
        assert!(wrong.contains("wrong.asm:1: answer is 42, not 43"), "{wrong}");
        assert!(check("empty.asm", "nop\n").is_err());
        let twice = check(
            "twice.asm",
            &format!("; with runs = 1\n{program}; again\n; expect answer = 41\n"),
        );
        let twice = twice.expect_err("it is not 41 in the second case");
        assert!(twice.starts_with("twice.asm:8: answer is 42, not 41"), "{twice}");
        let nothing = check("nothing.asm", &format!("{program}; again\n"));
        assert!(nothing.is_err(), "nothing is expected of the second case");
        assert!(check("unknown.asm", "; expect nobody = 1\nnop\n").is_err());
        assert!(check("setting.asm", "; with colour = 1\n; expect stop = end\nnop\n").is_err());
    }
}

/// Runs the Rust code of the README with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// The same for the page on libraries.
#[cfg(doctest)]
#[doc = include_str!("../tutorials/reference/library.md")]
struct Libraries;

//! `p5inst timings`: the rows of the timing table, all of them or those of some instructions.

use super::args::{Amount, Color, Form, Presentation, TimingsArguments, TimingsForm};
use super::note;
use super::output::{print, print_colored};
use runtime::model::{MODELS, Model, Row};
use runtime::report;
use std::process::ExitCode;

/// Lists the rows; an error is one line about an instruction that the chip lacks.
pub(super) fn timings(arguments: &TimingsArguments) -> Result<ExitCode, String> {
    let format = match arguments.format {
        TimingsForm::Text => Form::Text,
        TimingsForm::Json => Form::Json,
        TimingsForm::Csv if arguments.assumptions => {
            return Err("`--assumptions` are text or JSON".to_owned());
        }
        TimingsForm::Csv => {
            let rows = listed(arguments)?;
            print_colored(None::<Color>, Amount::default(), |_, out| {
                report::write_timings_csv(&rows, out)
            })?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let presentation = Presentation {
        format,
        color: arguments.color,
    };
    if arguments.assumptions {
        return print(presentation, Amount::default(), report::write_assumptions);
    }
    let rows = listed(arguments)?;
    print(presentation, Amount::default(), |format, style, out| {
        report::write_timings(format, &rows, style, out)
    })
}

/// The rows of all instructions that are named, each once, in the order of the names.
fn listed(arguments: &TimingsArguments) -> Result<Vec<&'static Row>, String> {
    let model = arguments.cpu;
    if arguments.mnemonics.is_empty() {
        return Ok(report::timing_rows(model, None));
    }
    let mut all: Vec<&'static Row> = Vec::new();
    for name in names(&arguments.mnemonics) {
        let rows = rows_of(&name, model).map_err(|why| match all.is_empty() {
            true => why,
            // Most likely it is an operand of the one before.
            false => format!("{why}; name instructions without operands"),
        })?;
        let known = |row: &&Row| all.iter().any(|other| std::ptr::eq(*other, *row));
        let further: Vec<&'static Row> = rows.into_iter().filter(|row| !known(row)).collect();
        all.extend(further);
    }
    Ok(all)
}

/// The names in the words of a command line: a prefix belongs to the word behind it.
fn names(words: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for word in words {
        match names.last_mut() {
            Some(prefix) if report::is_prefix(prefix) => *prefix = format!("{prefix} {word}"),
            _ => names.push(word.clone()),
        }
    }
    names
}

/// The rows of one instruction. Operands behind its name choose none of them.
fn rows_of(name: &str, model: &'static Model) -> Result<Vec<&'static Row>, String> {
    let rows = report::timing_rows(model, Some(name));
    if !rows.is_empty() {
        return Ok(rows);
    }
    if let Some(mnemonic) = without_operands(name) {
        let rows = report::timing_rows(model, Some(&mnemonic));
        if !rows.is_empty() {
            let (name, mnemonic) = (report::escaped(name), report::escaped(&mnemonic));
            note(&format!(
                "these are all forms of `{mnemonic}`; the operands of `{name}` choose none of them"
            ));
            return Ok(rows);
        }
    }
    let other = (MODELS.iter()).find(|other| !report::timing_rows(other, Some(name)).is_empty());
    let help = match (other, report::later_instruction(name)) {
        (Some(other), _) => format!("`--cpu {}` has it", other.name),
        (None, Some(later)) => format!(
            "it came later: `p5inst --also {later} PROGRAM` executes it, and `p5inst explain {later}` has its assumed \
             clocks"
        ),
        (None, None) => "`p5inst timings` lists all instructions".to_owned(),
    };
    let name = report::escaped(name);
    Err(format!("{} has no timing for `{name}`; {help}", model.title))
}

/// The name of an instruction that is written with operands, with its prefix if it has one.
fn without_operands(written: &str) -> Option<String> {
    let mut words = written.split_whitespace();
    let first = words.next()?;
    let second = words.next()?;
    Some(match report::is_prefix(first) {
        true => format!("{first} {second}"),
        false => first.to_owned(),
    })
}

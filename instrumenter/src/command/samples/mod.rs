//! Files of samples: written whole, read as data of unknown origin, and asked.

mod export;
mod guard;
mod read;
mod schema;
mod sql;
mod study;
mod take;
mod write;

pub(super) use take::{only_for_ops, sample};

use super::args::{DataBy, QueryArguments, QueryForm, Question, TopBy};
use super::output::print_colored;
use super::replace::Replacement;
use crate::spelling::nearest;
use runtime::model::ibs::{FIELDS, Field, FieldUnit, sample_field, sample_register};
use runtime::report::escaped;
use runtime::report::samples::{self as words, Answer, AnswerForm, Unit, Value};
use runtime::samples::{BadQuestion, DataGrouping, Figure, Filter, Grouping, Ratio, Recording};
use std::path::Path;
use std::process::ExitCode;

/// The rows that text shows unless more are asked for.
const TEXT_ROWS: usize = 40;
/// The rows that the other forms have unless more are asked for.
const OTHER_ROWS: usize = 100_000;

/// Writes a recording to a file, which replaces the one that may be there once it is complete.
///
/// # Errors
/// One line that says why it cannot be written.
pub fn write(recording: &Recording, path: &Path) -> Result<(), String> {
    let bytes = write::bytes(recording)?;
    let mut file = Replacement::new(path)?;
    file.written(|out| out.write_all(&bytes))?;
    file.finish()
}

/// Reads the recording in a file.
///
/// # Errors
/// One line: what is wrong with the file.
pub fn read(path: &Path) -> Result<Recording, String> {
    guard::opened(path).map(|(_, recording)| recording)
}

/// Answers a question to a file of samples.
///
/// # Errors
/// One line: what is wrong with the file or the question.
pub(super) fn query(arguments: &QueryArguments) -> Result<ExitCode, String> {
    let form = match arguments.format {
        QueryForm::Text => AnswerForm::Text,
        QueryForm::Json => AnswerForm::Json,
        QueryForm::Csv => AnswerForm::Csv,
    };
    let usual = if form == AnswerForm::Text {
        TEXT_ROWS
    } else {
        OTHER_ROWS
    };
    let most = arguments.rows.map_or(usual, |rows| rows as usize);
    let (database, recording) = guard::opened(&arguments.file)?;
    let mut other = None;
    let mut answer = match (&arguments.question, &arguments.sql) {
        (Some(question), _) => answer(&recording, &mut other, question, arguments.truth)?,
        (None, Some(question)) => {
            unless_misspelled(question)?;
            let machine = &recording.machine;
            let mut answer = Answer::new("sql", &recording.program, &machine.chip_title, &machine.memory);
            sql::ask(database, question, most, arguments.timeout.0, &mut answer)?;
            answer
        }
        (None, None) => words::overview(&recording),
    };
    answer.shorten(most);
    if let Some(folder) = &arguments.export {
        answer.note(export::export(&recording, &arguments.file, folder)?);
    }
    let color = (form == AnswerForm::Text).then_some(arguments.color);
    print_colored(color, super::Amount::default(), |style, out| {
        words::write_answer(form, &answer, style, out)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A single word is no SQL, but a question with a slip of the finger.
fn unless_misspelled(question: &str) -> Result<(), String> {
    let questions = <Question as clap::Subcommand>::augment_subcommands(clap::Command::new("query"));
    let questions: Vec<&str> = questions.get_subcommands().map(clap::Command::get_name).collect();
    if question.trim().contains(char::is_whitespace) {
        return Ok(());
    }
    let help = match nearest(question, questions.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}, and SQL in quotation marks", questions.join(", ")),
    };
    Err(format!("there is no question `{}`; {help}", escaped(question)))
}

/// The answer to a question; `other` holds the recording that it compares with.
fn answer<'a>(
    recording: &'a Recording,
    other: &'a mut Option<Recording>,
    question: &Question,
    truth: bool,
) -> Result<Answer<'a>, String> {
    let stalls = || recording.stalls().map_err(words::no_stalls);
    Ok(match question {
        Question::Derive => words::derived(recording, truth),
        Question::Hist { field: None } => fields(recording),
        Question::Hist { field: Some(name) } => words::histogram(recording, field(name)?, truth),
        Question::Data { by } => {
            let by = match by {
                DataBy::Symbol => DataGrouping::Symbol,
                DataBy::Line => DataGrouping::Line,
                DataBy::Page => DataGrouping::Page,
            };
            words::data(recording, by, truth)
        }
        Question::Top { pm, by, conditions } => {
            let by = match by {
                TopBy::Insn => Grouping::Instruction,
                TopBy::Proc => Grouping::Procedure,
                TopBy::Line => Grouping::Line,
            };
            let ratios = Ratio::parse(pm).map_err(|problem| bad(&problem))?;
            let filters = conditions.as_deref().map(Filter::parse).transpose();
            let filters = filters.map_err(|problem| bad(&problem))?.unwrap_or_default();
            recording.judges(&filters).map_err(|problem| bad(&problem))?;
            words::top(recording, &ratios, &filters, by, truth)
        }
        Question::Calc => words::calculation(recording, &stalls()?, truth),
        Question::Topstalls => words::top_stalls(recording, &stalls()?, truth),
        Question::Whatcg => words::where_clocks_go(recording, &stalls()?, truth),
        Question::Ear { lat } => words::slow_loads(recording, u64::from(*lat), truth),
        Question::Pairs => words::pairs(recording, truth),
        Question::Diff { other: path } => words::differences(recording, other.insert(read(path)?)),
    })
}

fn bad(problem: &BadQuestion) -> String {
    let near = match problem {
        BadQuestion::NoFigure(name) => nearest(name, Figure::names()),
        _ => None,
    };
    words::bad_question(problem, near)
}

fn field(name: &str) -> Result<&'static Field, String> {
    sample_field(name).ok_or_else(|| {
        let help = match nearest(name, FIELDS.iter().map(|field| field.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`p5inst query FILE hist` lists all".to_owned(),
        };
        format!("there is no field `{}`; {help}", escaped(name))
    })
}

/// The fields that are more than a flag.
fn fields(recording: &Recording) -> Answer<'_> {
    let machine = &recording.machine;
    let mut answer = Answer::new("hist", &recording.program, &machine.chip_title, &machine.memory);
    answer.column("name", "field", Unit::Text);
    answer.column("register", "register", Unit::Text);
    answer.column("unit", "unit", Unit::Text);
    answer.column("title", "says", Unit::Text);
    for field in FIELDS
        .iter()
        .filter(|field| field.unit != FieldUnit::Flag && recording.has(field.register))
    {
        let register = sample_register(field.register).map_or("", |register| register.name);
        let cells = [field.name, register, field.unit.name(), field.title];
        answer.row(cells.map(|cell| Value::Text(cell.to_owned())).to_vec());
    }
    answer
}

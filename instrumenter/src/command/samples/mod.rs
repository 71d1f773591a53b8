//! Files of samples: written as a whole, read as data of unknown origin, and queried.

mod bounds;
mod export;
mod guard;
mod read;
mod schema;
mod sql;
mod study;
mod take;
mod write;

use bounds::holds_program;
pub(super) use take::{may_be_written, no_standard_output, only_for_ops};

use super::args::{DataBy, QueryArguments, QueryForm, Question, SampleArguments, TopBy};
use super::note;
use super::output::print_colored;
use super::replace::Replacement;
use p5_assembler::spelling::nearest;
use runtime::model::ibs::Field;
use runtime::record::{Grouping, Recording};
use runtime::report::samples::{self as words, Answer, AnswerForm, Shown};
use runtime::report::{NO_PARQUET, escaped};
use runtime::samples::{Analysis, BadQuestion, DataGrouping, Figure, Filter, Ratio};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The default number of rows in text.
const TEXT_ROWS: usize = 40;
/// The maximum number of rows in text. All are laid out before the first is written, because columns fit their widest
/// value.
const MOST_TEXT_ROWS: usize = 100_000;
const OTHER_ROWS: usize = 100_000;

/// Writes a recording to a file, which replaces an existing one when it is complete.
///
/// # Errors
/// One line with the reason, such as that the recording has more than a file can hold.
pub fn write(recording: &Recording, path: &Path) -> Result<(), String> {
    let mut file = Replacement::new(path)?;
    write::written(recording, |bytes| file.written(|out| out.write_all(bytes)))?;
    file.finish()
}

/// Reads the recording in a file of samples.
///
/// # Errors
/// One line about the defect of the file.
pub fn read(path: &Path) -> Result<Analysis, String> {
    guard::opened(path, Some(guard::LONGEST)).map(|(_, recording)| Analysis(recording))
}

/// Reads the recording in a file of samples, without what a comparison of two does not need.
fn samples_of(path: &Path, longest: Option<Duration>) -> Result<Analysis, String> {
    let (_, mut recording) = guard::opened(path, longest)?;
    keep_samples(&mut recording);
    Ok(Analysis(recording))
}

/// Forgets all but the samples and how they were taken, so that a second recording fits beside the first.
fn keep_samples(recording: &mut Recording) {
    recording.truth = None;
    recording.symbols = Vec::new();
    recording.lines = Vec::new();
    recording.code = Vec::new();
    recording.samples.iter_mut().for_each(|sample| sample.pair = None);
}

/// Samples a program into a file, or studies its sampling.
///
/// # Errors
/// One line: the defect of an option or a file, or why the samples cannot be written.
pub(super) fn sample(arguments: &SampleArguments) -> Result<ExitCode, String> {
    let started = Instant::now();
    match arguments.study {
        true => study::study(arguments, started),
        false => take::sample(arguments, started),
    }
}

/// Answers a question about a file of samples; an error is one line about the file or the question.
pub(super) fn query(arguments: &QueryArguments) -> Result<ExitCode, String> {
    let form = match arguments.format {
        QueryForm::Text => AnswerForm::Text,
        QueryForm::Json => AnswerForm::Json,
        QueryForm::Csv => AnswerForm::Csv,
    };
    // In these lists, all rows are equally important.
    let is_list = matches!(
        arguments.question,
        Some(Question::Derive | Question::Names | Question::Hist { by: None, .. })
    );
    let usual = if form == AnswerForm::Text && !is_list {
        TEXT_ROWS
    } else {
        OTHER_ROWS
    };
    let most = arguments.rows.map_or(usual, |rows| rows as usize);
    if form == AnswerForm::Text && most > MOST_TEXT_ROWS {
        return Err(format!(
            "`--rows {most}` is for `--format csv` or `json`; text has at most {MOST_TEXT_ROWS}"
        ));
    }
    if let (Some(why), Some(_)) = (NO_PARQUET, &arguments.export) {
        return Err(format!("{why}, or read the file itself, which is one of SQLite"));
    }
    let to_read = arguments.timeout.map_or(Some(guard::LONGEST), |given| given.0);
    let to_answer = arguments.timeout.map_or(Some(sql::LONGEST), |given| given.0);
    let (database, recording) = guard::opened(&arguments.file, to_read)?;
    let mut recording = Analysis(recording);
    let database = arguments.sql.is_some().then_some(database);
    if matches!(arguments.question, Some(Question::Diff { .. })) && arguments.export.is_none() {
        keep_samples(&mut recording.0);
    }
    let mut other = None;
    let mut answer = match (&arguments.question, &arguments.sql) {
        (Some(question), _) => {
            let shown = Shown {
                truth: arguments.truth,
                rows: most,
            };
            answer(&recording, &mut other, question, shown, to_read)?
        }
        (None, Some(question)) if question.trim().is_empty() => {
            return Err(format!("the question is empty; {}", questions()));
        }
        (None, Some(question)) => {
            let database = database.ok_or("the file is closed")?;
            unless_misspelled(question)?;
            let machine = &recording.machine;
            let mut answer = Answer::new("sql", &recording.program, &machine.chip_title, &machine.memory);
            sql::ask(database, question, most, to_answer, &mut answer)?;
            words::note_partial_truth(&mut answer, &recording, question);
            if arguments.truth {
                answer.note("`--truth` is for named questions; exact figures are in the tables `truth_...`".to_owned());
            }
            answer
        }
        (None, None) => words::overview(&recording),
    };
    answer.shorten(most);
    if let Some(folder) = &arguments.export {
        answer.note(export::export(&recording, &arguments.file, folder)?);
    }
    if let Some(words) = answer.more_rows().filter(|_| form == AnswerForm::Csv) {
        note(words);
    }
    let color = (form == AnswerForm::Text).then_some(arguments.color);
    print_colored(color, super::Amount::default(), |style, out| {
        words::write_answer(form, &answer, style, out)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Rejects a single word: it is not SQL, but a misspelled question.
fn unless_misspelled(question: &str) -> Result<(), String> {
    // `values(1)` needs no blank.
    if question
        .trim()
        .contains(|character: char| character.is_whitespace() || "()*".contains(character))
    {
        return Ok(());
    }
    let all = question_names();
    let help = match nearest(question, all.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => questions(),
    };
    Err(format!("there is no question `{}`; {help}", escaped(question)))
}

/// The help for a question in the place of the file.
pub(super) fn file_comes_first(question: &str) -> Option<String> {
    let is_question = question_names().iter().any(|name| name == question);
    is_question.then(|| format!("the file of samples comes first: `p5inst query FILE {question}`"))
}

fn question_names() -> Vec<String> {
    let questions = <Question as clap::Subcommand>::augment_subcommands(clap::Command::new("query"));
    let names = questions.get_subcommands().map(clap::Command::get_name);
    names.map(str::to_owned).collect()
}

fn questions() -> String {
    format!("there are {}, and SQL in quotation marks", question_names().join(", "))
}

/// The answer to a question; `other` is the recording to compare with, which is read in at most `to_read`.
fn answer<'a>(
    recording: &'a Analysis,
    other: &'a mut Option<Analysis>,
    question: &Question,
    shown: Shown,
    to_read: Option<Duration>,
) -> Result<Answer<'a>, String> {
    let stalls = || recording.stalls().map_err(words::no_stalls);
    Ok(match question {
        Question::Derive => words::derived(recording, shown),
        Question::Names => words::names(recording),
        Question::Hist { field: None, .. } => words::fields(recording),
        Question::Hist { field: Some(name), by } => {
            let field = field(name, recording)?;
            match by {
                None => words::histogram(recording, field, shown),
                Some(by) => words::histograms(recording, field, grouping(*by), shown),
            }
        }
        Question::Data { by } => {
            let by = match by {
                DataBy::Symbol => DataGrouping::Symbol,
                DataBy::Line => DataGrouping::Line,
                DataBy::Page => DataGrouping::Page,
            };
            words::data(recording, by, shown)
        }
        Question::Top { pm, by, conditions } => {
            let bad = |problem: BadQuestion| bad(&problem, recording, pm);
            let ratios = Ratio::parse(pm, recording).map_err(bad)?;
            let filters = conditions.as_deref().map(|text| Filter::parse(text, recording));
            let filters = filters.transpose().map_err(bad)?.unwrap_or_default();
            recording.judges(&filters, &ratios).map_err(bad)?;
            filters.iter().try_for_each(|filter| has_procedure(recording, filter))?;
            words::top(recording, &ratios, &filters, grouping(*by), shown)
        }
        Question::Calc => words::calculation(recording, &stalls()?, shown),
        Question::Topstalls => words::top_stalls(recording, &stalls()?, shown),
        Question::Whatcg => words::where_clocks_go(recording, &stalls()?, shown),
        Question::Ear { lat } => {
            let kept = recording.sampling.choice.load_latency;
            if let Some((lat, kept)) = lat.zip(kept).filter(|(lat, kept)| lat < kept) {
                return Err(format!(
                    "loads that waited {lat} clocks are not all in this file, whose filter kept those of {kept} or \
                     more; use --lat {kept} or more"
                ));
            }
            let least = lat.or(kept).unwrap_or(1);
            words::slow_loads(recording, u64::from(least), shown)
        }
        Question::Pairs => words::pairs(recording, shown),
        Question::Diff { other: path } => {
            let mut answer = words::differences(recording, other.insert(samples_of(path, to_read)?), shown.rows);
            if shown.truth {
                answer.note("`--truth` is for questions to one file; nothing here is compared with it".to_owned());
            }
            answer
        }
    })
}

fn grouping(by: TopBy) -> Grouping {
    match by {
        TopBy::Insn => Grouping::Instruction,
        TopBy::Proc => Grouping::Procedure,
        TopBy::Line => Grouping::Line,
    }
}

/// The words for a question that cannot be asked of a recording; no figure of `asked` is proposed in place of another.
fn bad(problem: &BadQuestion, recording: &Analysis, asked: &str) -> String {
    let is_asked = |name: &str| {
        asked
            .split([',', '+', ':'])
            .any(|one| one.trim().eq_ignore_ascii_case(name))
    };
    let near = match problem {
        BadQuestion::NoFigure(name) => nearest(name, Figure::names(recording).filter(|name| !is_asked(name))),
        _ => None,
    };
    words::bad_question(problem, near)
}

/// Makes sure that the program has the procedure that a condition names.
fn has_procedure(recording: &Analysis, filter: &Filter) -> Result<(), String> {
    let Filter::Procedure(wanted) = filter else {
        return Ok(());
    };
    let names = recording.symbols.iter().filter(|symbol| symbol.code);
    let names = names.map(|symbol| symbol.name.as_str());
    let after = recording.borders().into_iter().map(|(_, _, routine)| routine.name());
    if names.clone().any(|name| name.eq_ignore_ascii_case(wanted))
        || after.into_iter().any(|name| name.eq_ignore_ascii_case(wanted))
    {
        return Ok(());
    }
    let help = match nearest(wanted, names) {
        Some(near) => format!("did you mean `{}`?", escaped(near)),
        None => "`p5inst query FILE top --by proc` shows those that were sampled".to_owned(),
    };
    Err(format!("there is no procedure or label `{}`; {help}", escaped(wanted)))
}

fn field<'r>(name: &str, recording: &'r Analysis) -> Result<&'r Field, String> {
    recording.field(name).ok_or_else(|| {
        let help = match nearest(name, recording.fields().map(|field| field.name)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`p5inst query FILE names` lists all".to_owned(),
        };
        format!("there is no field `{}`; {help}", escaped(name))
    })
}

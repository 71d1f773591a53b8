//! Budgets: limits in comments of the source, such as `; p5: cycles <= 16, agi == 0`.
//!
//! A budget concerns its own line. On the line of a start macro it concerns the region; on the line of a label alone, a
//! loop up to its last jump back, or else the code before the next label; on the line of a procedure, the whole
//! procedure. On a line without code it concerns the next line with code. Budgets are found in the text, except in the
//! lines that COMMENT skips. Lines that a conditional leaves out have no budgets. A budget on a result, such as
//! `sum == 150`, concerns the end of the program, wherever it stands.
//!
//! [`judge`] reads those of an assembled program and judges them for a run of it, [`judge_program`] those of a program
//! that another tool has built. A run itself knows no budgets: it has the image, not the conditions of its source.

mod built;
mod code;
mod comments;
mod locals;
mod problems;
mod program;
mod results;
mod unmarked;

use built::Built;
use code::Code;
use comments::Notation;
use p5_assembler::Assembly;
use p5_assembler::diag::{Diagnostic, Span};
use p5_assembler::spelling::nearest;
use p5_image::{Image, SourceFile};
use p5_results::{Budget, Cause, Expected, Quantity, Relation, Run, Scope};
pub use problems::failed;
use problems::{error, in_files, with_help};
use program::Program;
use results::{Known, is_result, parts};
use std::ops::Range;
pub use unmarked::{unmarked, unmarked_of_assembly};

/// The text that begins a budget in a comment.
const MARK: &str = "p5:";
/// The maximum number of budgets in a program, including invalid ones.
const MOST: usize = 1_000;
/// The maximum number of digits in a limit before its point and after it.
const DIGITS: (usize, usize) = (12, 6);
/// The quantities that are not causes.
const PLAIN: [(&str, Quantity); 6] = [
    ("cycles", Quantity::Cycles),
    ("total cycles", Quantity::TotalCycles),
    ("instructions", Quantity::Instructions),
    ("pairs", Quantity::Pairs),
    ("v", Quantity::VShare),
    ("cpi", Quantity::ClocksPerInstruction),
];

/// Other words for quantities, each with its name.
const MEANT: [(&str, &str); 5] = [
    ("clocks", "cycles"),
    ("clock", "cycles"),
    ("instrs", "instructions"),
    ("clocks per instruction", "cpi"),
    ("paired", "pairs"),
];

/// Reads the budgets in the sources of an assembled program, puts them into `run`, which is a run of its image, and
/// judges them. Returns a diagnostic for each that does not hold, whose file is one of [`Run::files`]; none if all
/// hold, or if there are none, which the [`budgets`](Run::budgets) of the run tell. If any of them is invalid, the
/// diagnostics are those of the invalid ones, and the run has no budgets. Reports of the run show them from then on.
///
/// Two things need an audited run: a budget of one cause in a region that calls code, which is not judged without it,
/// and the causes in the words of a region that is above its clocks. `machine::audit` makes such a run,
/// [`p5_report::add_budget_causes`] takes its figures, and [`failed`] judges anew.
#[must_use = "the budgets that do not hold are what it returns"]
pub fn judge(assembly: &Assembly, run: &mut Run) -> Vec<Diagnostic> {
    judged(read_assembly(assembly), run)
}

/// Like [`judge`], for a program that another tool has built, and the sources that its lines name, as far as they are
/// among [`Image::files`] with their texts.
#[must_use = "the budgets that do not hold are what it returns"]
pub fn judge_program(image: &Image, run: &mut Run) -> Vec<Diagnostic> {
    judged(of_program(image), run)
}

fn judged(budgets: Result<Vec<Budget>, Vec<Diagnostic>>, run: &mut Run) -> Vec<Diagnostic> {
    match budgets {
        Ok(budgets) => {
            run.budgets = budgets;
            failed(run)
        }
        Err(problems) => {
            run.budgets = Vec::new();
            problems
        }
    }
}

/// Reads the budgets of the program with those in the sources of its objects, or of the files that were read if there
/// is no program. If a source of an object has budgets, the files of the program become those of the assembly, which
/// budgets and diagnostics refer to.
///
/// # Errors
/// A diagnostic for every invalid budget.
pub fn of_assembly(assembly: &mut Assembly) -> Result<Vec<Budget>, Vec<Diagnostic>> {
    let budgets = read_assembly(assembly);
    if let Some(image) = built_with_budgets(assembly) {
        let more: Vec<SourceFile> = image.files.iter().skip(assembly.files.len()).cloned().collect();
        assembly.files.extend(more);
    }
    budgets
}

/// The image, if a source of its objects has budgets.
fn built_with_budgets(assembly: &Assembly) -> Option<&Image> {
    let image = assembly.image.as_ref()?;
    let mut of_objects = image.files.iter().skip(assembly.files.len());
    of_objects.any(has_budgets).then_some(image)
}

/// Reads the budgets of an assembly. Their files, and those of the diagnostics, are those of the image.
fn read_assembly(assembly: &Assembly) -> Result<Vec<Budget>, Vec<Diagnostic>> {
    let starts = |image: &Image| {
        let regions = image.regions.iter();
        regions.map(|one| (one.file, one.start_line)).collect::<Vec<_>>()
    };
    let regions = assembly.image.as_ref().map(starts);
    let with_objects = built_with_budgets(assembly);
    let built = with_objects.map(Built::of);
    let code = Program {
        library: assembly.image.as_ref().and_then(|image| image.library),
        regions: regions.as_deref(),
        image: assembly.image.as_ref(),
        built: built.as_ref(),
        assembled: assembly.files.len(),
        pasted: assembly.pasted,
        left_out: &|file, line| assembly.leaves_out(file, line),
    };
    read_but(with_objects.map_or(&assembly.files, |image| &image.files), &code)
}

/// Reads the budgets in the sources of a program that another tool has built, as far as they are known.
///
/// # Errors
/// A diagnostic for every invalid budget.
pub fn of_program(image: &Image) -> Result<Vec<Budget>, Vec<Diagnostic>> {
    if !image.files.iter().any(has_budgets) {
        return Ok(Vec::new());
    }
    let built = Built::of(image);
    let program = Program {
        library: image.library,
        regions: None,
        image: Some(image),
        built: Some(&built),
        assembled: 0,
        pasted: false,
        left_out: &|_, _| false,
    };
    read_but(&image.files, &program)
}

/// Whether the file may have budgets: most have none, and are not searched line by line.
fn has_budgets(file: &SourceFile) -> bool {
    !file.is_of_system() && contains_mark(&file.text)
}

/// Reads the budgets of all files but the library. `regions` has the file and line of each start macro's call; without
/// it, as for a file that is no program, any line may be such a call.
///
/// # Errors
/// A diagnostic for every invalid budget.
pub fn read(
    files: &[SourceFile],
    library: Option<u32>,
    regions: Option<&[(u32, u32)]>,
) -> Result<Vec<Budget>, Vec<Diagnostic>> {
    let program = Program {
        library,
        regions,
        image: None,
        built: None,
        assembled: files.len(),
        pasted: false,
        left_out: &|_, _| false,
    };
    read_but(files, &program)
}

/// Reads the budgets except those on the lines that are left out.
fn read_but(files: &[SourceFile], program: &Program<'_>) -> Result<Vec<Budget>, Vec<Diagnostic>> {
    let &Program {
        library,
        regions,
        image,
        built,
        assembled,
        left_out,
        ..
    } = program;
    let known = image.map_or(Known::Named(files), Known::Data);
    let mut budgets = Vec::new();
    let mut problems = Vec::new();
    for (index, file) in (0..).zip(files).filter(|&(index, _)| Some(index) != library) {
        if !has_budgets(file) {
            continue;
        }
        let built = built.filter(|_| index as usize >= assembled);
        let notation = program.notation(index, &file.name);
        let code = Code::of(&file.text, notation);
        for (number, line, text) in code.budgets() {
            if left_out(index, number) {
                continue;
            }
            let span = |part: &str| {
                let start = part.as_ptr() as usize - line.as_ptr() as usize;
                Span {
                    file: index,
                    line: number,
                    start: start as u32,
                    end: (start + part.len()) as u32,
                }
            };
            let starts = |line| regions.is_none_or(|regions| regions.contains(&(index, line)));
            let scope = match built {
                Some(built) => built.scope(&code, index, number),
                None => code.scope(number, starts),
            };
            let scope = match scope {
                Some(scope) => scope,
                // What a program leaves, and its clocks in all, concern no line of code.
                None if parts(text).all(|part| is_result(part, number, known)) => Scope::Line(number),
                None => {
                    let problem = error(span(text), "budget without code");
                    let help = match code.before(number) {
                        Some(last) => format!(
                            "write it in the line of code that it concerns, of which line {last} is the last, or \
                             above it; only `total cycles` and results may stand after all code"
                        ),
                        None => "write it in the line of code that it concerns".to_owned(),
                    };
                    problems.push(with_help(problem, &help));
                    // All further lines of this file are without code as well.
                    break;
                }
            };
            for part in parts(text) {
                match parse(part, &scope, known) {
                    Ok(Parsed {
                        quantity,
                        cold,
                        relation,
                        limit,
                        result,
                    }) => {
                        let Span { start, end, .. } = span(part);
                        budgets.push(Budget {
                            file: index,
                            line: number,
                            written: (start, end),
                            scope: scope.clone(),
                            quantity,
                            cold,
                            relation,
                            limit,
                            result,
                            causes: None,
                        });
                    }
                    Err(wrong) => {
                        let Wrong { at, message, help, .. } = locals::told(wrong, &code);
                        // The caret of an empty budget stands after the mark.
                        let at = if at.is_empty() && !part.is_empty() { part } else { at };
                        problems.push(with_help(error(span(at), message), help));
                    }
                }
                if budgets.len() + problems.len() > MOST {
                    problems.push(error(span(part), format!("more than {MOST} budgets in a program")));
                    return Err(in_files(problems, files));
                }
            }
        }
    }
    if problems.is_empty() {
        Ok(budgets)
    } else {
        Err(in_files(problems, files))
    }
}

fn contains_mark(text: &str) -> bool {
    let mut places = memchr::memchr_iter(b':', text.as_bytes());
    places.any(|colon| {
        let begins = colon
            .checked_sub(MARK.len() - 1)
            .and_then(|start| text.get(start..=colon));
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(MARK))
    })
}

/// The budgets in the comment whose text is at `place`, if it has any.
fn marked(line: &str, place: Range<usize>) -> Option<&str> {
    let text = line.get(place)?;
    let inside = text.trim_start_matches([';', '#', '/', '*', '!']).trim_start();
    // A line of a long comment may begin with a star.
    let inside = inside.strip_prefix('*').map_or(inside, str::trim_start);
    let mark = inside.get(..MARK.len())?;
    mark.eq_ignore_ascii_case(MARK).then(|| inside[MARK.len()..].trim())
}

/// Whether a line of an assembly source has a comment with budgets, valid or not.
pub fn stands_in(line: &str) -> bool {
    let split = comments::split(line, Notation::Semicolon, &mut false);
    let mut comments = split.comments.into_iter();
    comments.any(|place| marked(line, place).is_some())
}

/// The error in a part of a budget.
struct Wrong<'a> {
    at: &'a str,
    message: String,
    help: String,
    /// Whether it is a name that is neither that of a quantity nor similar to anything known.
    unknown: bool,
}

impl<'a> Wrong<'a> {
    fn new(at: &'a str, message: impl Into<String>, help: impl Into<String>) -> Wrong<'a> {
        Wrong {
            at,
            message: message.into(),
            help: help.into(),
            unknown: false,
        }
    }
}

/// A budget without its place.
struct Parsed {
    quantity: Quantity,
    cold: bool,
    relation: Relation,
    limit: u64,
    result: Option<Expected>,
}

/// Parses `[cold] QUANTITY COMPARISON LIMIT`; a result of the program may stand in place of the quantity.
fn parse<'a>(text: &'a str, scope: &Scope, known: Known<'_>) -> Result<Parsed, Wrong<'a>> {
    let example = "write for example `cycles <= 16`, `pairs >= 90%`, `agi == 0` or `eax == 5`";
    let sign = text.find(['<', '>', '=', '!']);
    let found = sign.and_then(|at| {
        let (name, rest) = text.split_at(at);
        let relation = Relation::ALL.iter().find(|one| rest.starts_with(one.sign()))?;
        Some((name.trim(), *relation, rest.get(relation.sign().len()..)?.trim()))
    });
    let Some((name, relation, limit)) = found else {
        let at = sign.and_then(|at| text.get(at..)).unwrap_or(text);
        let message = match sign {
            Some(_) => "not a comparison: a budget has `<=`, `<`, `>=`, `>` or `==`",
            None => "a budget is a quantity, a comparison and a limit",
        };
        return Err(Wrong::new(at, message, example));
    };
    let first_word = name.split_whitespace().next().unwrap_or_default();
    let cold = first_word.eq_ignore_ascii_case("cold");
    let name = if cold {
        name.get(first_word.len()..).unwrap_or_default().trim_start()
    } else {
        name
    };
    let share = limit.ends_with('%');
    let mut quantity = match quantity(name) {
        Ok(quantity) => quantity,
        Err(wrong) => match results::expected(name, limit, known).filter(|_| !cold) {
            Some(result) => {
                return result.map(|expected| Parsed {
                    quantity: Quantity::Result,
                    cold,
                    relation,
                    limit: 0,
                    result: Some(expected),
                });
            }
            None => {
                return Err(match results::similar(name, known).filter(|_| wrong.unknown) {
                    Some(near) => Wrong::new(name, wrong.message, format!("did you mean `{near}`?")),
                    None => wrong,
                });
            }
        },
    };
    if cold && !(quantity == Quantity::Cycles && matches!(scope, Scope::Region(_))) {
        let help = "without `cold` it is the last run; with `--runs 1`, that is the cold one";
        return Err(Wrong::new(
            text,
            "only the clocks of a region are known for the cold run",
            help,
        ));
    }
    match (quantity, share) {
        (Quantity::Pairs, true) => quantity = Quantity::PairedShare,
        (Quantity::VShare, false) => {
            let help = "write for example `v >= 40%`";
            return Err(Wrong::new(limit, "`v` is a share of the instructions", help));
        }
        (Quantity::VShare, true) | (_, false) => {}
        (_, true) => {
            let message = format!("`{}` is not a share", quantity.name());
            return Err(Wrong::new(
                limit,
                message,
                "only `pairs` and `v` have limits in percent",
            ));
        }
    }
    let number = limit.trim_end_matches('%').trim_end();
    match millionths(number) {
        Some(limit) => Ok(Parsed {
            quantity,
            cold,
            relation,
            limit,
            result: None,
        }),
        None => {
            let (at, message) = match limit {
                "" => (text, "a budget needs a limit"),
                _ => (limit, "not a limit"),
            };
            let help = format!(
                "a limit is decimal, as 16, 4.5 or 90%, with at most {} decimals; a comma stands between budgets",
                DIGITS.1
            );
            Err(Wrong::new(at, message, help))
        }
    }
}

fn quantity(name: &str) -> Result<Quantity, Wrong<'_>> {
    let causes = || Cause::ALL.iter().map(|&cause| (cause.name(), Quantity::Spent(cause)));
    let all = || PLAIN.into_iter().chain(causes());
    let spelled = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let meant = MEANT.iter().find(|(other, _)| other.eq_ignore_ascii_case(&spelled));
    match all().find(|(known, _)| known.eq_ignore_ascii_case(&spelled)) {
        Some((_, quantity)) => Ok(quantity),
        None => {
            let names: Vec<&str> = all().map(|(name, _)| name).collect();
            let near = meant.map(|&(_, name)| name);
            let near = near.or_else(|| nearest(&spelled, names.iter().copied()));
            let help = near.map_or_else(
                || format!("known are: {}, and registers and data for a result", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            let message = if spelled.is_empty() {
                "a budget begins with a quantity".to_owned()
            } else {
                format!("unknown quantity `{spelled}`")
            };
            Err(Wrong {
                unknown: near.is_none() && !spelled.is_empty(),
                ..Wrong::new(name, message, help)
            })
        }
    }
}

/// The millionths in a decimal number, which may have `_` between digits.
pub fn millionths(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let whole: String = whole.chars().filter(|&one| one != '_').collect();
    let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|one| one.is_ascii_digit());
    if !digits(&whole, DIGITS.0) || !digits(fraction, DIGITS.1) {
        return None;
    }
    format!("{whole}{fraction:0<6}").parse().ok()
}

#[cfg(test)]
mod tests;

//! Diagnostics as text: title, location, the source line with a caret, the fix, and the macro calls that led to the
//! line.
//!
//! Source text is not trusted: control characters and invisible direction marks are escaped, never sent to the
//! terminal, and only the part around the caret of a very long line is quoted.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use p5_assembler::diag::{Diagnostic, Severity, Span, first_error};
use p5_assembler::source::LineStarts;
use runtime::image::SourceFile;
use runtime::instruments::SourceError;
use runtime::report::{self, escaped};
use std::collections::HashMap;
use std::ops::Range;

/// The length in bytes up to which lines are quoted in full.
const WHOLE_LINE: usize = 300;
/// The maximum number of diagnostics shown for one file.
const MOST: usize = 20;
/// The length in bytes of each quoted part of a longer line: before the caret, under it (at most), and after it.
const PART: usize = 100;
/// The maximum number of columns before a line of a title or help: a line number of five digits and `= help: `.
const BEFORE_TEXT: usize = 14;
/// The number of columns between a line's number and its text.
const BESIDE_NUMBER: usize = 3;
/// The text that replaces a tab in a message; the renderer replaces the tabs of source lines in the same way.
const TAB: &str = "    ";

/// Renders `diagnostics` for a terminal of `width` columns, separated by blank lines and with a newline at the end;
/// without diagnostics the text is empty. The spans refer to `files`.
///
/// If a file has very many, only the first ones are rendered, errors before warnings, and the number of the others.
pub fn render(diagnostics: &[Diagnostic], files: &[SourceFile], color: bool, width: usize) -> String {
    let width = width.max(40);
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.term_width(width);
    let mut lines = Lines::new(files);
    let mut text = String::new();
    let shown = shown(diagnostics);
    for diagnostic in diagnostics
        .iter()
        .zip(&shown)
        .filter_map(|(one, shown)| shown.then_some(one))
    {
        if !text.is_empty() {
            text.push('\n');
        }
        let mut moved = Vec::new();
        let rendered = renderer.render(&groups(diagnostic, width, &mut lines, &mut moved));
        push_with_places(&mut text, &rendered, &moved);
        text.push('\n');
    }
    let hidden = |file: Option<usize>| {
        let of_file = move |one: &Diagnostic| one.span.map(|span| span.file as usize) == file;
        let hidden = diagnostics
            .iter()
            .zip(&shown)
            .filter(move |(one, shown)| !**shown && of_file(one));
        counts(hidden.map(|(one, _)| one.severity).collect::<Vec<_>>().into_iter())
    };
    for (index, file) in files.iter().enumerate() {
        if let Some(counts) = hidden(Some(index)) {
            text.push_str(&format!("\nand {counts} more in {}\n", message(&file.name)));
        }
    }
    if let Some(counts) = hidden(None) {
        text.push_str(&format!("\nand {counts} more without a line\n"));
    }
    text
}

/// Tells for each diagnostic whether it is shown: of a file with very many, only the first ones, errors before
/// warnings.
pub(crate) fn shown(diagnostics: &[Diagnostic]) -> Vec<bool> {
    let mut shown = vec![false; diagnostics.len()];
    let mut of_file: HashMap<u32, usize> = HashMap::new();
    for severity in [Severity::Error, Severity::Warning] {
        for (diagnostic, shown) in diagnostics.iter().zip(&mut shown) {
            if diagnostic.severity == severity {
                let count = of_file
                    .entry(diagnostic.span.map_or(u32::MAX, |span| span.file))
                    .or_default();
                *count += 1;
                *shown = *count <= MOST;
            }
        }
    }
    shown
}

/// The numbers of errors and warnings in words; `None` if there are none.
pub(crate) fn counts(severities: impl Iterator<Item = Severity> + Clone) -> Option<String> {
    let of = |severity, one: &str| match severities.clone().filter(|found| *found == severity).count() {
        0 => None,
        1 => Some(format!("1 {one}")),
        several => Some(format!("{several} {one}s")),
    };
    match (of(Severity::Error, "error"), of(Severity::Warning, "warning")) {
        (Some(errors), Some(warnings)) => Some(format!("{errors} and {warnings}")),
        (errors, warnings) => errors.or(warnings),
    }
}

/// The column of a span in its line, from 1, in characters; `None` if the line does not exist.
pub(crate) fn column(lines: &mut Lines<'_>, span: Span) -> Option<usize> {
    let line = lines.line(span)?;
    let start = line.floor_char_boundary((span.start as usize).min(line.len()));
    Some(line.get(..start).unwrap_or_default().chars().count() + 1)
}

/// A location as the renderer derives it from a line that was cut or escaped, and the true location.
struct Moved {
    derived: String,
    real: String,
}

/// Appends rendered text with its locations corrected, in order of occurrence.
fn push_with_places(text: &mut String, rendered: &str, moved: &[Moved]) {
    let mut rest = rendered;
    for place in moved {
        if let Some((before, after)) = rest.split_once(&place.derived) {
            text.push_str(before);
            text.push_str(&place.real);
            rest = after;
        }
    }
    text.push_str(rest);
}

/// The first error of a source, in words.
pub(super) fn refusal(diagnostics: &[Diagnostic], files: &[SourceFile]) -> String {
    report::instruments::refusal(source_error(diagnostics, files).as_ref())
}

/// The first error of a source and its place.
pub(super) fn source_error(diagnostics: &[Diagnostic], files: &[SourceFile]) -> Option<SourceError> {
    let first = first_error(diagnostics)?;
    let place = first.span.and_then(|span| {
        let file = files.get(span.file as usize)?;
        Some((file.name.clone(), span.line))
    });
    Some(SourceError {
        message: first.message.clone(),
        place,
    })
}

/// The groups of a diagnostic: the title with the source line, then one for each macro call.
fn groups<'a>(diagnostic: &Diagnostic, width: usize, lines: &mut Lines<'a>, moved: &mut Vec<Moved>) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut group = Group::with_title(level.primary_title(wrapped(&diagnostic.message, width)));
    if let Some(span) = diagnostic.span {
        let label = diagnostic.label.as_deref();
        let fits = label.is_none_or(|label| lines.columns_to(span) + label.chars().count() <= width);
        let beside = label.filter(|_| fits);
        group = quote(group, span, AnnotationKind::Primary, beside, lines, moved);
        // The renderer does not break labels into lines.
        if let Some(label) = label.filter(|_| !fits) {
            group = group.element(Level::NOTE.message(wrapped(label, width)));
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(wrapped(help, width)));
    }
    let mut groups = vec![group];
    for step in &diagnostic.trail {
        let group = Group::with_title(Level::NOTE.secondary_title(message(&step.message)));
        groups.push(quote(group, step.span, AnnotationKind::Context, None, lines, moved));
    }
    groups
}

/// Adds the location and, if the line exists, its text to a group.
fn quote<'a>(
    group: Group<'a>,
    span: Span,
    kind: AnnotationKind,
    label: Option<&str>,
    lines: &mut Lines<'a>,
    moved: &mut Vec<Moved>,
) -> Group<'a> {
    let Some(file) = lines.files.get(span.file as usize) else {
        return group;
    };
    let path = message(file.read_at.as_deref().unwrap_or(&file.name));
    let Some(line) = lines.line(span) else {
        return group.element(Origin::path(path).line(span.line as usize));
    };
    let quoted = Quoted::new(line, span.start as usize..span.end as usize);
    let derived = quoted.text.get(..quoted.span.start).unwrap_or_default().chars().count() + 1;
    if derived != quoted.column {
        moved.push(Moved {
            derived: format!("{path}:{}:{derived}", span.line),
            real: format!("{path}:{}:{}", span.line, quoted.column),
        });
    }
    group.element(
        Snippet::source(quoted.text)
            .path(path)
            .line_start(span.line as usize)
            .annotation(kind.span(quoted.span).label(label.map(message))),
    )
}

/// Finds lines in files. The beginnings of a file's lines are determined when they are first needed.
pub(crate) struct Lines<'a> {
    files: &'a [SourceFile],
    starts: Vec<Option<LineStarts>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(files: &'a [SourceFile]) -> Lines<'a> {
        Lines {
            files,
            starts: vec![None; files.len()],
        }
    }

    /// The width of a line's number, of its text up to the end of a mark, and of a blank.
    fn columns_to(&mut self, span: Span) -> usize {
        let quoted = self
            .line(span)
            .map(|line| Quoted::new(line, span.start as usize..span.end as usize));
        let text = quoted.as_ref().and_then(|quoted| quoted.text.get(..quoted.span.end));
        let columns = |character| if character == '\t' { TAB.len() } else { 1 };
        let digits = span.line.max(1).ilog10() as usize + 1;
        digits + BESIDE_NUMBER + text.unwrap_or_default().chars().map(columns).sum::<usize>() + 1
    }

    /// The line that contains `span`.
    pub(crate) fn line(&mut self, span: Span) -> Option<&'a str> {
        let file = span.file as usize;
        let text: &'a str = &self.files.get(file)?.text;
        let starts = self.starts.get_mut(file)?;
        let starts = starts.get_or_insert_with(|| LineStarts::of(text));
        let line = text.get(starts.line(text, span.line)?)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// A line in the form in which it is shown.
struct Quoted {
    text: String,
    /// The marked bytes of `text`.
    span: Range<usize>,
    /// The column of the mark in the file, from 1, in characters.
    column: usize,
}

impl Quoted {
    fn new(line: &str, marked: Range<usize>) -> Quoted {
        let start = line.floor_char_boundary(marked.start.min(line.len()));
        let end = line.ceil_char_boundary(marked.end.clamp(start, line.len()));
        let column = line.get(..start).unwrap_or_default().chars().count() + 1;
        let (from, end, to) = if line.len() > WHOLE_LINE {
            let end = line.floor_char_boundary(end.min(start + PART));
            (
                line.floor_char_boundary(start.saturating_sub(PART)),
                end,
                line.floor_char_boundary(end + PART),
            )
        } else {
            (0, end, line.len())
        };
        let mut text = String::new();
        if from > 0 {
            text.push_str("...");
        }
        text.push_str(&escaped(line.get(from..start).unwrap_or_default()));
        let first = text.len();
        text.push_str(&escaped(line.get(start..end).unwrap_or_default()));
        let last = text.len();
        text.push_str(&escaped(line.get(end..to).unwrap_or_default()));
        if to < line.len() {
            text.push_str("...");
        }
        Quoted {
            text,
            span: first..last,
            column,
        }
    }
}

/// A title, label or path: escaped, and with its tabs expanded, because the renderer expands only those of source
/// lines.
fn message(text: &str) -> String {
    escaped(text).replace('\t', TAB)
}

/// A title or help like [`message`], in lines that fit `width` columns beside the renderer's own text.
fn wrapped(text: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut used = 0;
    for word in message(text).split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width - BEFORE_TEXT {
            lines.push('\n');
            used = 0;
        } else if !lines.is_empty() {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests;

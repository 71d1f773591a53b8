//! Diagnostics as text: title, location, the source line with a caret, how to fix it, and the macro calls it came from.
//!
//! Source text is not trusted: control characters and invisible direction marks are escaped, never sent to the
//! terminal, and only the part around the caret of a very long line is quoted.

use crate::diag::{Diagnostic, Severity, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use runtime::image::SourceFile;
use runtime::report::escaped;
use std::collections::HashMap;
use std::ops::Range;

/// Lines of up to this many bytes are quoted in full.
const WHOLE_LINE: usize = 300;
/// The most diagnostics of one file that are shown.
const MOST: usize = 20;
/// The number of bytes of a longer line that are quoted before the caret, at most under it, and after it.
const PART: usize = 100;
/// The most columns before a line of a title or help: a line number of five digits and `= help: `.
const BEFORE_TEXT: usize = 14;
/// A tab in a message; the renderer expands the tabs of source lines in the same way.
const TAB: &str = "    ";

/// Renders `diagnostics` for a terminal of `width` columns, separated by blank lines and with a newline at the end;
/// without diagnostics the text is empty. The spans refer to `files`.
///
/// Of a file with very many only the first are rendered, errors before warnings, and how many more there are.
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
    for (index, file) in files.iter().enumerate() {
        let of_file = |one: &Diagnostic| one.span.is_some_and(|span| span.file as usize == index);
        let hidden = diagnostics
            .iter()
            .zip(&shown)
            .filter(|(one, shown)| !**shown && of_file(one));
        let hidden: Vec<Severity> = hidden.map(|(one, _)| one.severity).collect();
        if let Some(counts) = counts(hidden.into_iter()) {
            text.push_str(&format!("\nand {counts} more in {}\n", message(&file.name)));
        }
    }
    text
}

/// Which diagnostics are shown: of a file with very many the first ones, errors before warnings.
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

/// How many errors and warnings there are, in words; `None` without any.
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

/// The column of a span in its line, from 1, in characters; `None` if there is no such line.
pub(crate) fn column(lines: &mut Lines<'_>, span: Span) -> Option<usize> {
    let line = lines.line(span)?;
    let start = line.floor_char_boundary((span.start as usize).min(line.len()));
    Some(line.get(..start).unwrap_or_default().chars().count() + 1)
}

/// A location as the renderer derives it from a line that was cut or escaped, and the real one.
struct Moved {
    derived: String,
    real: String,
}

/// Appends rendered text with its locations corrected, in the order in which they occur.
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

/// The title with the source line, then one group per macro call.
fn groups<'a>(diagnostic: &Diagnostic, width: usize, lines: &mut Lines<'a>, moved: &mut Vec<Moved>) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Warning => Level::WARNING,
        Severity::Error => Level::ERROR,
    };
    let mut group = Group::with_title(level.primary_title(wrapped(&diagnostic.message, width)));
    if let Some(span) = diagnostic.span {
        group = quote(
            group,
            span,
            AnnotationKind::Primary,
            diagnostic.label.as_deref(),
            lines,
            moved,
        );
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
    let path = message(&file.name);
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

/// Finds lines in the files; the line starts of a file are located once, when it is first needed.
pub(crate) struct Lines<'a> {
    files: &'a [SourceFile],
    starts: Vec<Option<Vec<usize>>>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(files: &'a [SourceFile]) -> Lines<'a> {
        Lines {
            files,
            starts: vec![None; files.len()],
        }
    }

    /// The line that `span` is in.
    pub(crate) fn line(&mut self, span: Span) -> Option<&'a str> {
        let file = span.file as usize;
        let text: &'a str = &self.files.get(file)?.text;
        let starts = self.starts.get_mut(file)?.get_or_insert_with(|| {
            std::iter::once(0)
                .chain(
                    text.bytes()
                        .enumerate()
                        .filter(|&(_, byte)| byte == b'\n')
                        .map(|(at, _)| at + 1),
                )
                .collect()
        });
        let first = (span.line as usize).checked_sub(1)?;
        let start = *starts.get(first)?;
        let end = starts.get(first + 1).map_or(text.len(), |next| next - 1);
        let line = text.get(start..end)?;
        Some(line.strip_suffix('\r').unwrap_or(line))
    }
}

/// A line as shown.
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

/// A title, label or path, escaped and with its tabs expanded, because the renderer expands only those of source lines.
fn message(text: &str) -> String {
    escaped(text).replace('\t', TAB)
}

/// A title or help as [`message`], in lines that fit into `width` columns beside what the renderer writes before them.
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
mod tests {
    use super::*;
    use crate::diag::Step;
    use std::sync::Arc;

    fn file(name: &str, text: &str) -> SourceFile {
        SourceFile {
            name: name.to_owned(),
            text: Arc::from(text),
        }
    }

    fn error(message: &str, line: u32, start: u32, end: u32) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.to_owned(),
            span: Some(Span {
                file: 0,
                line,
                start,
                end,
            }),
            label: None,
            help: None,
            trail: Vec::new(),
        }
    }

    #[test]
    fn an_error_shows_its_line_and_how_to_fix_it() {
        let files = [file("loop.asm", "start:\r\n\tmov [eax],[ebx]\r\n\tret\r\n")];
        let diagnostic = Diagnostic {
            label: Some("a second memory operand".to_owned()),
            help: Some("load one of them into a register first".to_owned()),
            ..error("`mov` cannot move from memory to memory", 2, 11, 16)
        };
        let expected = "\
error: `mov` cannot move from memory to memory
 --> loop.asm:2:12
  |
2 |     mov [eax],[ebx]
  |               ^^^^^ a second memory operand
  |
  = help: load one of them into a register first
";
        assert_eq!(render(&[diagnostic], &files, false, 80), expected);
    }

    #[test]
    fn the_macro_trail_is_quoted_call_by_call() {
        let files = [
            file("m.inc", "Inner macro r\n mov r,300\n endm\n"),
            file("main.asm", "\n\n  Outer al\n"),
        ];
        let diagnostic = Diagnostic {
            severity: Severity::Warning,
            trail: vec![
                Step {
                    message: "in macro Inner".to_owned(),
                    span: Span {
                        file: 0,
                        line: 2,
                        start: 1,
                        end: 4,
                    },
                },
                Step {
                    message: "in macro Outer".to_owned(),
                    span: Span {
                        file: 1,
                        line: 3,
                        start: 2,
                        end: 10,
                    },
                },
            ],
            ..error("300 does not fit in 8 bits", 2, 7, 10)
        };
        let expected = "\
warning: 300 does not fit in 8 bits
 --> m.inc:2:8
  |
2 |  mov r,300
  |        ^^^
  |
note: in macro Inner
 --> m.inc:2:2
  |
2 |  mov r,300
  |  ---
note: in macro Outer
 --> main.asm:3:3
  |
3 |   Outer al
  |   --------
";
        assert_eq!(render(&[diagnostic], &files, false, 80), expected);
    }

    #[test]
    fn control_characters_are_escaped() {
        let files = [file("\x1b[2J.asm", "db \x1b[31m\u{202e}x\u{9b}, 5")];
        let text = render(&[error("bad\x07 byte", 1, 3, 4)], &files, false, 80);
        let expected = "\
error: bad\\u{7} byte
 --> \\u{1b}[2J.asm:1:4
  |
1 | db \\u{1b}[31m\\u{202e}x\\u{9b}, 5
  |    ^^^^^^
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let long = format!("{}oops{}", "a,".repeat(5000), ",b".repeat(5000));
        let files = [file("long.asm", &long)];
        let text = render(&[error("what is this", 1, 10_000, 10_004)], &files, false, 400);
        let expected = format!(
            "error: what is this\n --> long.asm:1:10001\n  |\n1 | ...{}oops{}...\n  | {}^^^^\n",
            "a,".repeat(50),
            ",b".repeat(50),
            " ".repeat(103)
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn a_file_with_very_many_shows_the_first_errors_and_counts_the_rest() {
        let files = [file("one.asm", "nop\n"), file("two.asm", "nop\n")];
        let of = |severity, file, count: u32| {
            (0..count).map(move |line| {
                let mut one = error("wrong", line, 0, 1);
                one.severity = severity;
                one.span = one.span.map(|span| Span { file, ..span });
                one
            })
        };
        let warnings = of(Severity::Warning, 0, 5);
        let all: Vec<Diagnostic> = warnings
            .chain(of(Severity::Error, 0, 22))
            .chain(of(Severity::Warning, 1, 21))
            .collect();
        let text = render(&all, &files, false, 80);
        let count = |what: &str| text.matches(what).count();
        assert_eq!((count("error: wrong"), count("warning: wrong")), (20, 20), "{text}");
        assert!(
            text.ends_with("\nand 2 errors and 5 warnings more in one.asm\n\nand 1 warning more in two.asm\n"),
            "{text}"
        );
    }

    #[test]
    fn places_that_do_not_exist_lose_only_the_quotation() {
        let files = [file("a.asm", "nop")];
        let cases = [
            (
                Some(Span {
                    file: 7,
                    line: 1,
                    start: 0,
                    end: 1,
                }),
                "error: lost\n",
            ),
            (
                Some(Span {
                    file: 0,
                    line: 9,
                    start: 0,
                    end: 1,
                }),
                "error: lost\n--> a.asm:9\n",
            ),
            (None, "error: lost\n"),
        ];
        for (span, expected) in cases {
            let diagnostic = Diagnostic {
                span,
                ..error("lost", 0, 0, 0)
            };
            assert_eq!(render(&[diagnostic], &files, false, 80), expected, "{span:?}");
        }
        let past = render(&[error("past the end", 1, 40, 90)], &files, false, 80);
        assert_eq!(past, "error: past the end\n --> a.asm:1:4\n  |\n1 | nop\n  |    ^\n");
        assert_eq!(render(&[], &files, false, 80), "");
    }

    #[test]
    fn spans_inside_a_character_are_widened() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        let alphabet = ['a', 'é', '█', '\t', '\x1b', '\u{202e}', ','];
        for _ in 0..500 {
            let line: String = (0..random.usize(..400))
                .filter_map(|_| random.choice(alphabet))
                .collect();
            let files = [file("r.asm", &line)];
            let start = random.u32(..900);
            let text = render(&[error("random", 1, start, start + random.u32(..50))], &files, true, 80);
            let quiet = render(&[error("random", 1, start, start + 3)], &files, false, 80);
            assert!(text.contains("random"), "seed {seed}");
            assert!(
                quiet
                    .chars()
                    .all(|character| character == '\n' || !character.is_control()),
                "seed {seed}: {quiet:?}"
            );
        }
    }
}

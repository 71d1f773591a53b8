//! What a program printed, in a text report: a short one counts equal lines, and shows the beginning and the end if it
//! is much.

use super::json::MOST_OUTPUT;
use super::wording::note;
use super::{Detail, Style, heading, paragraph, printable};
use p5_results::{Note, RefusedService, Run};
use p5_words::printable::Encoding;
use std::io::{self, Write};

/// The maximum size in bytes of the program's output in text; other formats have more of it.
const OUTPUT_SHOWN: usize = 64 * 1024;
/// The most rows of output in a short report, and the rows of more that are shown: of its beginning and of its end.
const ROWS: usize = 24;
const FIRST: usize = 12;
const LAST: usize = 8;
/// The fewest equal lines that are counted.
const EQUAL: usize = 3;

/// Whether what is said of a missing keyboard stands beside the output, in which the answer may be seen.
pub(super) fn says(run: &Run, note: &Note) -> bool {
    *note == Note::Refused(RefusedService::Keyboard) && !run.output.is_empty()
}

/// Writes the output of a run, if there is any.
pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.output.is_empty() {
        return Ok(());
    }
    write_output(run, style, out)?;
    let mut said = run.notes.iter().filter(|note| says(run, note));
    said.try_for_each(|one| paragraph(style, &note(one), out))
}

/// Writes what the last run wrote to standard output, as it is.
pub(super) fn raw(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut begin = 0;
    for part in &run.standard_error {
        let [errors, end] = part.map(|place| place as usize);
        out.write_all(run.output.get(begin..errors).unwrap_or_default())?;
        begin = end;
    }
    out.write_all(run.output.get(begin..).unwrap_or_default())
}

/// Writes what the last run wrote to standard error, as it is.
pub(super) fn raw_errors(run: &Run, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    run.standard_error.iter().try_for_each(|part| {
        let [begin, end] = part.map(|place| place as usize);
        out.write_all(run.output.get(begin..end).unwrap_or_default())
    })
}

fn write_output(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Output", out)?;
    let width = style.width.saturating_sub(OUTPUT_MARK.len());
    if style.detail == Detail::Short {
        let (text, _, encoding) = printable::output(&run.output, usize::MAX);
        let (first, last) = ends(&text, width);
        first.iter().try_for_each(|piece| piece.write(width, out))?;
        let shown: usize = first.iter().chain(&last).map(|piece| piece.bytes(encoding)).sum();
        let all: usize = lines(&text).map(|line| Piece::of(line).bytes(encoding)).sum();
        let left = all.saturating_sub(shown);
        if left > 0 {
            let all = match run.output.len() > OUTPUT_SHOWN {
                true => with_all(run),
                false => "`--long` shows all",
            };
            paragraph(style, &format!("... {left} bytes are left out here; {all}"), out)?;
        }
        return last.iter().try_for_each(|piece| piece.write(width, out));
    }
    let (text, shown, _) = printable::output(&run.output, OUTPUT_SHOWN);
    for line in lines(&text) {
        Piece::of(line).write(width, out)?;
    }
    let left = run.output.len() - shown;
    if left > 0 {
        let words = format!("and {left} more bytes; {}", with_all(run));
        paragraph(style, &words, out)?;
    }
    Ok(())
}

/// Which format has all of the output: JSON, or else the one that has nothing but it.
fn with_all(run: &Run) -> &'static str {
    match run.output.len() > MOST_OUTPUT {
        true => "`--format output -o FILE` has all",
        false => "`--format json` has all",
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end_matches(['\r', '\n']).split_inclusive('\n')
}

/// A part of the output: a line with its end, or the beginning or the end of a long one.
struct Piece<'a> {
    text: &'a str,
    /// The number of such lines in succession.
    count: usize,
    /// Whether it is the end of a line.
    rest: bool,
}

impl<'a> Piece<'a> {
    fn of(text: &'a str) -> Piece<'a> {
        Piece {
            text,
            count: 1,
            rest: false,
        }
    }

    fn rows(&self, width: usize) -> usize {
        let characters = self.text.trim_end_matches(['\r', '\n']).chars().count();
        characters.div_ceil(width.max(1)).max(1) + usize::from(self.count > 1)
    }

    /// The bytes of output that it stands for.
    fn bytes(&self, encoding: Encoding) -> usize {
        self.count
            * match encoding {
                Encoding::Utf8 => self.text.len(),
                Encoding::Latin1 => self.text.chars().count(),
            }
    }

    /// Its first `rows` rows.
    fn first(&self, rows: usize, width: usize) -> Piece<'a> {
        let end = self.text.char_indices().nth(rows * width.max(1));
        Piece {
            text: &self.text[..end.map_or(self.text.len(), |(end, _)| end)],
            count: 1,
            rest: self.rest,
        }
    }

    /// Its last `rows` rows.
    fn last(&self, rows: usize, width: usize) -> Piece<'a> {
        let begin = self.text.char_indices().rev().nth(rows * width.max(1));
        Piece {
            text: &self.text[begin.map_or(0, |(begin, one)| begin + one.len_utf8())..],
            count: 1,
            rest: begin.is_some(),
        }
    }

    fn write(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let marks = [if self.rest { MORE_MARK } else { OUTPUT_MARK }];
        let rows = output_rows(self.text.trim_end_matches(['\r', '\n']), width);
        for (row, mark) in rows.iter().zip(marks.into_iter().chain(std::iter::repeat(MORE_MARK))) {
            writeln!(out, "{mark}{row}")?;
        }
        if self.count > 1 {
            writeln!(out, "{MORE_MARK}(this line {} times)", self.count)?;
        }
        Ok(())
    }
}

/// The output in pieces, or its beginning and its end if it is long.
fn ends(text: &str, width: usize) -> (Vec<Piece<'_>>, Vec<Piece<'_>>) {
    let all: Vec<&str> = lines(text).collect();
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let same = |one: &&str, next: &&str| one.trim_end_matches(['\r', '\n']) == next.trim_end_matches(['\r', '\n']);
    for equal in all.chunk_by(same) {
        match equal {
            [first, ..] if equal.len() >= EQUAL => pieces.push(Piece {
                count: equal.len(),
                ..Piece::of(first)
            }),
            few => pieces.extend(few.iter().map(|line| Piece::of(line))),
        }
    }
    let rows = |pieces: &[Piece<'_>]| pieces.iter().map(|piece| piece.rows(width)).sum::<usize>();
    if rows(&pieces) <= ROWS {
        return (pieces, Vec::new());
    }
    let (mut first, mut last) = (Vec::new(), Vec::new());
    let mut left = FIRST;
    let mut rest = pieces.into_iter().peekable();
    while let Some(piece) = rest.next_if(|piece| piece.rows(width) <= left) {
        left -= piece.rows(width);
        first.push(piece);
    }
    let mut rest: Vec<Piece<'_>> = rest.collect();
    if let Some(cut) = rest.first_mut().filter(|_| left > 0) {
        let begin = cut.first(left, width);
        if cut.count == 1 {
            cut.text = &cut.text[begin.text.len()..];
            cut.rest = true;
        }
        first.push(begin);
    }
    let mut left = LAST;
    while let Some(piece) = rest.pop_if(|piece| piece.rows(width) <= left) {
        left -= piece.rows(width);
        last.push(piece);
    }
    if let Some(cut) = rest.last().filter(|_| left > 0) {
        last.push(cut.last(left, width));
    }
    last.reverse();
    (first, last)
}

/// What stands before a line of output; further rows of the same line have blanks.
const OUTPUT_MARK: &str = "  | ";
const MORE_MARK: &str = "    ";
/// The fewest equal characters of garbage that are counted instead of written.
const REPEATED: usize = 4;
/// The maximum number of rows for a line that is no text.
const ROWS_OF_GARBAGE: usize = 4;

/// A line of output in rows of `width` columns. In a line with characters that no text has, repeated ones are counted,
/// and only the first rows are shown.
fn output_rows(line: &str, width: usize) -> Vec<String> {
    let is_garbage = |one: char| one != '\t' && printable::is_escaped(one);
    let is_text = !line.contains(is_garbage);
    let mut shown = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next().filter(|_| !is_text) {
        let after = rest.trim_start_matches(first);
        let count = (rest.len() - after.len()) / first.len_utf8();
        if is_garbage(first) && count >= REPEATED {
            shown += &format!("{} ({count} times)", printable::escaped(&first.to_string()));
            rest = after;
        } else {
            shown.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    let shown = printable::printable(if is_text { line } else { &shown });
    let characters: Vec<char> = shown.chars().collect();
    let mut rows: Vec<String> = characters.chunks(width.max(1)).map(String::from_iter).collect();
    if rows.is_empty() {
        rows.push(String::new());
    }
    if !is_text && rows.len() > ROWS_OF_GARBAGE {
        rows.truncate(ROWS_OF_GARBAGE);
        rows.push("... and more that is no text; the JSON report has all of it".to_owned());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_output_has_rows_of_the_width_and_little_of_what_is_no_text() {
        assert_eq!(output_rows("", 10), [""]);
        assert_eq!(output_rows("1234567890abc", 10), ["1234567890", "abc"]);
        assert_eq!(output_rows("a\tb", 10), ["a       b"]);
        assert_eq!(
            output_rows(&"-".repeat(25), 10),
            ["-".repeat(10), "-".repeat(10), "-".repeat(5)]
        );
        assert_eq!(output_rows("a\0\0b", 20), ["a\\u{0}\\u{0}b"]);
        assert_eq!(
            output_rows(&format!("a{}----b", "\0".repeat(250)), 40),
            ["a\\u{0} (250 times)----b"]
        );
        let garbage: String = (1..=9).flat_map(|one| [char::from(one), 'x']).collect();
        let rows = output_rows(&garbage, 10);
        assert_eq!(
            (rows.len(), &*rows[4]),
            (5, "... and more that is no text; the JSON report has all of it")
        );
        assert!(
            output_rows("plain", 0).len() == 5,
            "a width of nothing is a width of one"
        );
    }

    #[test]
    fn much_output_is_shown_by_its_beginning_and_its_end_and_every_byte_is_counted() {
        let shown = |text: &str| {
            let (first, last) = ends(text, 10);
            let bytes: usize = first.iter().chain(&last).map(|piece| piece.bytes(Encoding::Utf8)).sum();
            let texts = |pieces: &[Piece<'_>]| -> Vec<String> {
                pieces
                    .iter()
                    .map(|piece| format!("{}*{}", piece.text, piece.count))
                    .collect()
            };
            (texts(&first), texts(&last), bytes)
        };
        assert_eq!(
            shown("a\nb\n"),
            (vec!["a\n*1".to_owned(), "b*1".to_owned()], Vec::new(), 3)
        );
        let (first, last, bytes) = shown(&("same\n".repeat(500) + "end"));
        assert_eq!(
            (first, last),
            (vec!["same\n*500".to_owned(), "end*1".to_owned()], Vec::new())
        );
        assert_eq!(bytes, 2503);
        let numbers: String = (100..200).map(|number| format!("{number}\n")).collect();
        let (first, last, bytes) = shown(&numbers);
        assert_eq!(
            (first.len(), &*first[11], &*last[0], last.len()),
            (12, "111\n*1", "192\n*1", 8)
        );
        // The last newline of all is not shown.
        assert_eq!(bytes, 20 * 4 - 1);
        let (first, last, bytes) = shown(&"x".repeat(4000));
        assert_eq!((first.len(), first[0].len(), last[0].len(), bytes), (1, 122, 82, 200));
    }
}

//! Source text, passed in as data: the assembler itself never accesses files.

use memchr::memchr_iter;
use p5_image::SourceFile;
use std::ops::Range;

/// Resolves the name in an `include` to a file or the bundled library.
///
/// Only the implementer knows a search path, and so decides which name means the bundled library.
pub type Include<'a> = &'a dyn Fn(&str) -> Result<Included, Unavailable>;

/// The result of resolving an `include`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Included {
    /// A file: its name as messages show it, and its bytes.
    File {
        /// The file's name, as messages show it.
        name: String,
        /// The contents, in any encoding that [`decode`] knows.
        bytes: Vec<u8>,
    },
    /// The bundled macro library, in the implementation that the options select.
    Library,
}

/// The reason why an included file is not available. The message that quotes it names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The reason, without a full stop.
    pub why: String,
    /// The way to make the file available, if one is known.
    pub help: Option<String>,
}

impl Unavailable {
    /// A reason without a remedy.
    pub fn because(why: impl Into<String>) -> Unavailable {
        Unavailable {
            why: why.into(),
            help: None,
        }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Unavailable {
        self.help = Some(help.into());
        self
    }
}

/// The text of a program, and the resolver of its includes.
pub struct Sources<'a> {
    /// The main file of the program.
    pub main: SourceFile,
    /// The function that resolves the names in `include` directives.
    pub include: Include<'a>,
    /// Objects and archives that are linked with the program.
    pub objects: &'a [Binary],
}

/// An object or an archive, as a file of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binary {
    /// The file's name, as messages show it.
    pub name: String,
    /// The contents of the file.
    pub bytes: Vec<u8>,
}

impl Binary {
    /// Whether its name is that of an assembly source, for MASM, TASM and NASM or for GNU's assembler.
    pub fn is_named_source(&self) -> bool {
        let end = self.name.rsplit('.').next().filter(|end| end.len() < self.name.len());
        end.is_some_and(|end| end.eq_ignore_ascii_case("asm") || end.eq_ignore_ascii_case("s"))
    }
}

impl Sources<'_> {
    /// A program in a single file without includes.
    pub fn single(name: &str, text: &str) -> Sources<'static> {
        Sources {
            main: SourceFile::new(name, text),
            include: &|_| {
                Err(Unavailable::because(
                    "only one text was given, without files to include",
                ))
            },
            objects: &[],
        }
    }
}

/// Decodes a file's bytes: UTF-8; UTF-16 with a byte order mark; anything else byte by byte as code page 437, as
/// DOS editors wrote it. Byte order marks are removed, and all line ends become `\n` or `\r\n`.
///
/// The bytes 80h to FFh of code page 437 matter only in comments and strings; `raw_byte` restores them.
pub fn decode(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => narrow(rest),
        _ => narrow(bytes),
    };
    with_line_ends(text)
}

fn narrow(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| CODE_PAGE_437[usize::from(byte)]).collect(),
    }
}

fn wide(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| match pair {
        [first, second] => unit([*first, *second]),
        _ => 0,
    });
    char::decode_utf16(units)
        .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Converts lone carriage returns, as in old Macintosh files, to line feeds, and drops doubled ones.
fn with_line_ends(text: String) -> String {
    let bytes = text.as_bytes();
    let alone = |at: usize| bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) != Some(&b'\n');
    if !(0..bytes.len()).any(alone) {
        return text;
    }
    let mut mended = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('\r') {
        let (line, returns) = rest.split_at(at);
        mended.push_str(line);
        rest = returns.trim_start_matches('\r');
        if rest.starts_with('\n') {
            // The last of several carriage returns before a line feed belongs to it.
            mended.push('\r');
        } else {
            let count = returns.len() - rest.len();
            mended.extend(std::iter::repeat_n('\n', count));
        }
    }
    mended + rest
}

/// Where the lines of a text start. Only every 64th start is kept, because a source may have as many lines as
/// bytes.
#[derive(Clone, Debug)]
pub struct LineStarts(Vec<usize>);

/// The number of lines from one known start to the next.
const BETWEEN: usize = 64;

impl LineStarts {
    /// Those of `text`.
    pub fn of(text: &str) -> LineStarts {
        let after = memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1);
        LineStarts(std::iter::once(0).chain(after).step_by(BETWEEN).collect())
    }

    /// The bytes of a line of the same text, by its number from 1, without its line feed; `None` if there is no such
    /// line.
    pub fn line(&self, text: &str, number: u32) -> Option<Range<usize>> {
        let index = (number as usize).checked_sub(1)?;
        let mut start = *self.0.get(index / BETWEEN)?;
        let rest = text.as_bytes().get(start..)?;
        let mut ends = memchr_iter(b'\n', rest).map(|at| self.0[index / BETWEEN] + at);
        for _ in 0..index % BETWEEN {
            start = ends.next()? + 1;
        }
        Some(start..ends.next().unwrap_or(text.len()))
    }
}

/// The code page 437 byte for `character`, if it has one.
pub fn raw_byte(character: char) -> Option<u8> {
    if character.is_ascii() {
        return Some(character as u8);
    }
    CODE_PAGE_437[128..]
        .iter()
        .position(|&other| other == character)
        .map(|index| (index + 128) as u8)
}

/// The characters of code page 437; below 80h they are ASCII.
static CODE_PAGE_437: [char; 256] = {
    const UPPER: [char; 128] = [
        'Ç', 'ü', 'é', 'â', 'ä', 'à', 'å', 'ç', 'ê', 'ë', 'è', 'ï', 'î', 'ì', 'Ä', 'Å', 'É', 'æ', 'Æ', 'ô', 'ö', 'ò',
        'û', 'ù', 'ÿ', 'Ö', 'Ü', '¢', '£', '¥', '₧', 'ƒ', 'á', 'í', 'ó', 'ú', 'ñ', 'Ñ', 'ª', 'º', '¿', '⌐', '¬', '½',
        '¼', '¡', '«', '»', '░', '▒', '▓', '│', '┤', '╡', '╢', '╖', '╕', '╣', '║', '╗', '╝', '╜', '╛', '┐', '└', '┴',
        '┬', '├', '─', '┼', '╞', '╟', '╚', '╔', '╩', '╦', '╠', '═', '╬', '╧', '╨', '╤', '╥', '╙', '╘', '╒', '╓', '╫',
        '╪', '┘', '┌', '█', '▄', '▌', '▐', '▀', 'α', 'ß', 'Γ', 'π', 'Σ', 'σ', 'µ', 'τ', 'Φ', 'Θ', 'Ω', 'δ', '∞', 'φ',
        'ε', '∩', '≡', '±', '≥', '≤', '⌠', '⌡', '÷', '≈', '°', '∙', '·', '√', 'ⁿ', '²', '■', '\u{a0}',
    ];
    let mut table = ['\0'; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = if byte < 128 {
            byte as u8 as char
        } else {
            UPPER[byte - 128]
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_from_the_few_starts_that_are_kept() {
        for text in ["", "\n", "one", "one\n", "one\n\nthree\r\nfour"] {
            let text = text.repeat(100);
            let starts = LineStarts::of(&text);
            let expected: Vec<&str> = text.split('\n').collect();
            for (number, line) in (1..).zip(&expected) {
                let found = starts.line(&text, number).expect("a line");
                assert_eq!(&text[found], *line, "line {number}");
            }
            assert_eq!(starts.line(&text, 0), None);
            assert_eq!(starts.line(&text, expected.len() as u32 + 1), None);
            assert!(starts.0.len() <= expected.len() / BETWEEN + 1);
        }
    }
}

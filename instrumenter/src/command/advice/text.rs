//! A source text whose lines can be edited, and its encoding as the bytes of a file.

use p5_assembler::source::{decode, raw_byte};
use p5_assembler::{Dialect, Spelling};
use std::ops::Range;

/// The lines of a source, each with its line ending.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    pub(super) all: Vec<String>,
    pub(super) spelling: Spelling,
}

impl Lines {
    /// Those of a text in this dialect.
    pub(super) fn of(text: &str, dialect: &Dialect) -> Lines {
        Lines {
            all: text.split_inclusive('\n').map(str::to_owned).collect(),
            spelling: dialect.spelling(text),
        }
    }

    /// The lines with `block` in place of those at `range`.
    pub(super) fn with(&self, range: &Range<usize>, block: &[String]) -> Lines {
        Lines {
            all: [&self.all[..range.start], block, &self.all[range.end..]].concat(),
            spelling: self.spelling,
        }
    }

    pub(super) fn joined(&self) -> String {
        self.all.concat()
    }

    /// A line without its ending.
    pub(super) fn plain(&self, line: usize) -> &str {
        let text = self.all.get(line).map_or("", String::as_str);
        text.strip_suffix('\n')
            .map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
    }

    /// The ending of a line; for a last line without one, the ending of the first line.
    pub(super) fn end(&self, line: usize) -> &str {
        let end = |line: usize| &self.all[line][self.plain(line).len()..];
        match end(line) {
            "" => end(0),
            found => found,
        }
    }
}

/// `text` in the encoding of a file with the bytes `original`; `None` if the file cannot be written back exactly.
pub(super) fn encoded(original: &[u8], text: &str) -> Option<Vec<u8>> {
    let faithful = in_encoding_of(original, &decode(original))? == original;
    if faithful { in_encoding_of(original, text) } else { None }
}

fn in_encoding_of(original: &[u8], text: &str) -> Option<Vec<u8>> {
    let wide = |mark: [u8; 2], unit: fn(u16) -> [u8; 2]| {
        let units = text.encode_utf16().flat_map(unit);
        mark.into_iter().chain(units).collect()
    };
    match original {
        [0xFF, 0xFE, ..] => Some(wide([0xFF, 0xFE], u16::to_le_bytes)),
        [0xFE, 0xFF, ..] => Some(wide([0xFE, 0xFF], u16::to_be_bytes)),
        [0xEF, 0xBB, 0xBF, rest @ ..] if std::str::from_utf8(rest).is_ok() => {
            Some([&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat())
        }
        _ if std::str::from_utf8(original).is_ok() => Some(text.as_bytes().to_vec()),
        _ => text.chars().map(raw_byte).collect(),
    }
}

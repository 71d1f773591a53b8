//! Footnotes of a table: reasons and remarks that cells refer to by number.

use super::{Style, paragraph};
use std::io::{self, Write};

#[derive(Default)]
pub(super) struct Footnotes(Vec<String>);

impl Footnotes {
    /// The number of `text`, which is added if it is new.
    pub(super) fn number(&mut self, text: &str) -> usize {
        match self.0.iter().position(|known| known == text) {
            Some(place) => place + 1,
            None => {
                self.0.push(text.to_owned());
                self.0.len()
            }
        }
    }

    pub(super) fn write(&self, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        for (note, number) in self.0.iter().zip(1..) {
            paragraph(style, &format!("[{number}] {note}"), out)?;
        }
        Ok(())
    }
}

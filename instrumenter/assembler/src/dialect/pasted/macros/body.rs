//! The text that stands for parameters in a body: `\name`, `\@` for the number of the call, and `\()` for nothing.

use super::item::Item;
use crate::lex::Edit;
use std::ops::Range;
use std::rc::Rc;

/// What stands for the parameters of a body.
pub(super) struct Values {
    pub(super) names: Rc<[String]>,
    pub(super) texts: Vec<String>,
    /// The number of the macro calls before.
    pub(super) number: u64,
}

/// The part of a text that stands for a parameter, and that of the parameter in the text of the body.
type Stands = (Range<usize>, Range<usize>);

/// Whether a byte belongs to the name of a parameter.
pub(super) fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

impl Values {
    /// The first parameter in a text, by its place, and what stands for it.
    fn first(&self, text: &str, from: usize) -> Option<(Range<usize>, &str, bool)> {
        let mut at = from;
        loop {
            at += text[at..].find('\\')?;
            let behind = &text[at + 1..];
            if behind.starts_with("()") {
                return Some((at..at + 3, "", false));
            }
            if behind.starts_with('@') {
                return Some((at..at + 2, "", true));
            }
            let length = behind.bytes().take_while(|byte| is_of_name(*byte)).count();
            let name = &behind[..length];
            if let Some(place) = self.names.iter().position(|known| known == name) {
                let value = self.texts.get(place).map_or("", String::as_str);
                return Some((at..at + 1 + length, value, false));
            }
            at += 1;
        }
    }

    /// A text with what stands for parameters in it, and where. It ends where it is longer than `most`.
    pub(super) fn in_text(&self, text: &str, most: usize) -> Option<(String, Vec<Stands>)> {
        let mut made = String::new();
        let mut places = Vec::new();
        let mut at = 0;
        while let Some((part, value, is_number)) = self.first(text, at) {
            made.push_str(&text[at..part.start]);
            let start = made.len();
            match is_number {
                true => made.push_str(&self.number.to_string()),
                false => made.push_str(value),
            }
            places.push((start..made.len(), part.clone()));
            at = part.end;
            if made.len() > most {
                break;
            }
        }
        if places.is_empty() {
            return None;
        }
        made.push_str(&text[at..]);
        Some((made, places))
    }

    /// A statement with what stands for parameters in it; `None` if it has none.
    pub(super) fn in_item(&self, item: &Item, most: usize) -> Option<Item> {
        let (text, places) = self.in_text(&item.text, most)?;
        let first = item.source.start;
        let edit = |(made, source): Stands| Edit {
            made,
            source: first + source.start..first + source.end,
        };
        Some(item.with(text, places.into_iter().map(edit).collect()))
    }
}

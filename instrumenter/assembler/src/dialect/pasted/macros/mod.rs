//! Macros, repeats, conditions and included files of GNU's assembler: the statements of a text as that assembler reads
//! them, in one list for the readers of this notation.
//!
//! `item` has statements and what they are made of, `body` what stands for parameters in them, `arguments` the
//! parameters of macros and the arguments of calls, `condition` what is left out, `known` the values of names, `frame`
//! which statement comes next, `read` what a statement does.

mod arguments;
mod body;
mod condition;
mod frame;
mod item;
mod known;
mod read;

use super::clean::{Clean, Style};
use super::labels::parts;
use super::word::first_word;
use crate::diag::{Fault, Span};
use crate::dialect::Reach;
use crate::lex::{Edit, Made};
use crate::names::NONE;

/// A fault, and the macro that it is in.
pub(crate) type Told = (Fault, u32);

/// Where a statement comes from.
struct Place {
    file: u32,
    number: u32,
    origin: u32,
    edits: Vec<Edit>,
}

/// The statements of a text, each on a line of its own, and where they come from.
#[derive(Default)]
pub(super) struct Expanded {
    pub(super) lines: Vec<Clean>,
    places: Vec<Place>,
    pub(super) warnings: Vec<Told>,
}

impl Expanded {
    /// Whether the text is read as it stands.
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn place(&self, number: u32) -> Option<&Place> {
        self.places.get((number as usize).checked_sub(1)?)
    }

    /// A line made of these, as one made of the text.
    pub(super) fn made(&self, line: &Made) -> Made {
        let of = |number: u32| self.place(number).map_or((1, &[][..]), |one| (one.number, &one.edits));
        let (file, origin) = self
            .place(line.number())
            .map_or((0, NONE), |one| (one.file, one.origin));
        line.moved(of).within(file, origin)
    }

    /// A fault of one of these lines, where it is in the text.
    pub(super) fn told(&self, mut fault: Fault) -> Told {
        let Some(place) = self.place(fault.span.line) else {
            return (fault, NONE);
        };
        let of = |at: u32| crate::lex::moved(&place.edits, at as usize) as u32;
        let (start, end) = (of(fault.span.start), of(fault.span.end));
        fault.span = Span {
            file: place.file,
            line: place.number,
            start,
            end: end.max(start + 1),
        };
        (fault, place.origin)
    }
}

/// The directives for which a text is read statement by statement.
const READ: [&str; 14] = [
    ".macro",
    ".endm",
    ".purgem",
    ".exitm",
    ".irp",
    ".irpc",
    ".include",
    ".altmacro",
    ".noaltmacro",
    ".print",
    ".error",
    ".err",
    ".warning",
    ".endif",
];

/// Whether a text has any of this.
pub(super) fn are_used(lines: &[Clean]) -> bool {
    lines.iter().any(|line| {
        line.statements.iter().any(|statement| {
            let rest = parts(&line.text, statement.clone()).rest;
            let word = &line.text[first_word(&line.text, rest).0];
            word.starts_with('.') && {
                let word = word.to_ascii_lowercase();
                READ.contains(&&*word) || condition::is_condition(&word)
            }
        })
    })
}

/// The statements of these lines; why they cannot be read.
pub(super) fn expand(lines: Vec<Clean>, style: Style, reach: &mut dyn Reach) -> Result<Expanded, Told> {
    read::Reading::new(lines, style, reach).all()
}

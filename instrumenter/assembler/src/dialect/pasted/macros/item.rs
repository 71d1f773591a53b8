//! Statements, of a file or of a body with other text in it.

use crate::diag::Span;
use crate::lex::Edit;
use std::ops::Range;
use std::rc::Rc;

#[derive(Clone)]
pub(super) struct Item {
    pub(super) file: u32,
    pub(super) number: u32,
    /// The part of that line that it is, or is made of.
    pub(super) source: Range<usize>,
    pub(super) text: Rc<str>,
    /// What of the text is not as it stands there.
    pub(super) edits: Rc<[Edit]>,
}

impl Item {
    pub(super) fn span(&self) -> Span {
        Span {
            file: self.file,
            ..Span::of(self.number, &self.source)
        }
    }

    /// The same statement with another text.
    pub(super) fn with(&self, text: String, mut edits: Vec<Edit>) -> Item {
        if !self.edits.is_empty() {
            // What stands in a text that stands for another one comes from all of it.
            edits = vec![Edit {
                made: 0..text.len(),
                source: self.source.clone(),
            }];
        }
        Item {
            file: self.file,
            number: self.number,
            source: self.source.clone(),
            text: text.into(),
            edits: edits.into(),
        }
    }

    /// The bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Item>() + self.text.len() + self.edits.len() * size_of::<Edit>() + 2 * crate::session::ALLOCATION
    }
}

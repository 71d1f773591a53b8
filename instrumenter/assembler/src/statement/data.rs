//! The values of a data definition, in source order and before evaluation.

use crate::diag::Span;
use crate::expression::ExpressionId;

/// The format that a source asks for in real numbers of 4 and 8 bytes; those of 10 bytes have only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RealFormat {
    Ieee,
    /// That of Microsoft's older languages.
    Microsoft,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// An uninitialized value.
    Uninitialised {
        span: Span,
    },
    Number {
        number: i64,
        span: Span,
    },
    Expression {
        id: ExpressionId,
        span: Span,
    },
    /// Bytes of a string, in [`Items::bytes`].
    Text {
        start: u32,
        end: u32,
        span: Span,
    },
    /// A real number in its source spelling, in [`Items::bytes`].
    Real {
        start: u32,
        end: u32,
        negative: bool,
        format: RealFormat,
        span: Span,
    },
    /// A repetition of the next `inside` items.
    Repeat {
        count: ExpressionId,
        inside: u32,
        span: Span,
    },
    /// A structure; the next `inside` items are the values given for its fields.
    Structure {
        structure: u32,
        inside: u32,
        span: Span,
    },
    /// The next `inside` items are the value of field `place`.
    Field {
        place: u32,
        inside: u32,
    },
}

impl Item {
    /// Whether it gives a value, rather than room for one.
    pub(crate) fn is_value(&self) -> bool {
        matches!(
            self,
            Item::Number { .. } | Item::Expression { .. } | Item::Text { .. } | Item::Real { .. }
        )
    }

    pub(crate) fn inside(&self) -> usize {
        match *self {
            Item::Repeat { inside, .. } | Item::Structure { inside, .. } | Item::Field { inside, .. } => {
                inside as usize
            }
            _ => 0,
        }
    }

    /// Assigns every item from `at + 1` on to the item at `at`.
    pub(crate) fn close(items: &mut [Item], at: usize) {
        let count = (items.len() - at - 1) as u32;
        if let Some(Item::Repeat { inside, .. } | Item::Structure { inside, .. } | Item::Field { inside, .. }) =
            items.get_mut(at)
        {
            *inside = count;
        }
    }
}

/// The values of a definition; one buffer is reused for all lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Items {
    pub(crate) list: Vec<Item>,
    pub(crate) bytes: Vec<u8>,
}

impl Items {
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.bytes.clear();
    }

    /// Appends text and returns its start and end.
    pub(crate) fn keep(&mut self, text: &[u8]) -> (u32, u32) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        (start, self.bytes.len() as u32)
    }
}

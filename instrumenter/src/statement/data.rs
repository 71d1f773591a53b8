//! The values of a data definition, in the order of the source and before anything is evaluated.

use crate::diag::Span;
use crate::expression::ExpressionId;

/// One value. Those that contain others are followed by them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// Any value will do.
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
    /// A real number as written, in [`Items::bytes`].
    Real {
        start: u32,
        end: u32,
        negative: bool,
        span: Span,
    },
    /// The next `inside` items, so many times.
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
    /// How many of the following items belong to this one.
    pub(crate) fn inside(&self) -> usize {
        match *self {
            Item::Repeat { inside, .. } | Item::Structure { inside, .. } | Item::Field { inside, .. } => {
                inside as usize
            }
            _ => 0,
        }
    }

    /// Says that every item from `at + 1` on belongs to the item at `at`.
    pub(crate) fn close(items: &mut [Item], at: usize) {
        let count = (items.len() - at - 1) as u32;
        if let Some(Item::Repeat { inside, .. } | Item::Structure { inside, .. } | Item::Field { inside, .. }) =
            items.get_mut(at)
        {
            *inside = count;
        }
    }
}

/// The values of a definition; one buffer serves all lines.
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

    /// Puts text in, and returns where it begins and ends.
    pub(crate) fn keep(&mut self, text: &[u8]) -> (u32, u32) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        (start, self.bytes.len() as u32)
    }
}

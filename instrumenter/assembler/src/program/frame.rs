//! The frames from which offsets of a program with 16-bit segments count.

use crate::names::{NONE, NameId};

/// The number of bytes that a 16-bit offset reaches.
pub(crate) const MOST_OF_SEGMENT: u32 = 0x1_0000;

/// A possible content of a segment register: the start of a segment or of a group, by its number or by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame(pub(super) u32);

pub(super) const GROUP: u32 = 1 << 30;
pub(super) const NAMED: u32 = 2 << 30;
const ELSEWHERE: u32 = GROUP | NAMED;
pub(super) const NUMBER: u32 = GROUP - 1;

impl Frame {
    pub(crate) const NONE: Frame = Frame(NONE);

    pub(crate) fn of_segment(segment: u32) -> Frame {
        Frame(segment)
    }

    pub(super) fn of_group(group: u32) -> Frame {
        Frame(group | GROUP)
    }

    /// The segment or group of a name that may not be defined yet.
    pub(crate) fn named(name: NameId) -> Frame {
        Frame(name & NUMBER | NAMED)
    }

    /// That of a symbol of another module, by the number of the symbol.
    pub(crate) fn elsewhere(symbol: u32) -> Frame {
        Frame(symbol & NUMBER | ELSEWHERE)
    }

    /// The symbol of another module whose frame it is.
    pub(crate) fn symbol_elsewhere(self) -> Option<u32> {
        (self.is_some() && self.0 & ELSEWHERE == ELSEWHERE).then_some(self.0 & NUMBER)
    }

    pub(crate) fn is_some(self) -> bool {
        self != Frame::NONE
    }

    /// The number of the segment, or `NONE` if it is a group or only a name.
    pub(crate) fn segment(self) -> u32 {
        match self {
            Frame(segment) if segment & !NUMBER == 0 => segment,
            _ => NONE,
        }
    }
}

/// The frames that the registers ES, CS, SS, DS, FS and GS are assumed to hold.
pub(crate) type Assumed = [Frame; 6];

pub(crate) struct Group {
    pub(crate) name: NameId,
    /// The linear address of its lowest segment, down to a paragraph.
    pub(super) start: u32,
}

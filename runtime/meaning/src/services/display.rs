//! The ports of a video card that decide how its memory is shown: the colours, 3C6h to 3C9h, and of the sequencer, 3C4h
//! and 3C5h, whether the planes are chained.
//!
//! Source: IBM, Video Subsystem Technical Reference 1992, video digital-to-analog converter (remembered).

use p5_results::Display;

const MASK: u16 = 0x3C6;
/// Written, the colour that is read; read, whether colours are read or written.
const READ: u16 = 0x3C7;
const WRITE: u16 = 0x3C8;
const COLOUR: u16 = 0x3C9;
const SEQUENCER: u16 = 0x3C4;
const SEQUENCER_DATA: u16 = 0x3C5;
/// The register of the sequencer with the bit that chains the planes.
const MEMORY_MODE: u8 = 4;
const CHAINED: u8 = 8;

/// The card, with what its ports write and read next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) display: Display,
    /// The colours that are written and read next, each with its part, and the parts so far.
    written: (u8, usize),
    read: (u8, usize),
    parts: [u8; 3],
    reads: bool,
    sequencer: u8,
}

impl Card {
    /// What the BIOS does for a mode.
    pub(super) fn set_mode(&mut self, mode: u8) {
        *self = Card::default();
        self.display.mode = Some(mode & 0x7F);
    }

    /// Writes a byte to a port. Returns whether it is one of this card.
    pub(super) fn write(&mut self, port: u16, value: u8) -> bool {
        match port {
            MASK => self.display.mask = value,
            READ => (self.read, self.reads) = ((value, 0), true),
            WRITE => (self.written, self.reads) = ((value, 0), false),
            COLOUR => {
                let (colour, part) = self.written;
                self.parts[part] = value & 0x3F;
                self.written = (colour, part + 1);
                // A colour changes once it is complete.
                if part == 2 {
                    self.display.palette[usize::from(colour)] = self.parts;
                    self.written = (colour.wrapping_add(1), 0);
                }
            }
            SEQUENCER => self.sequencer = value,
            SEQUENCER_DATA if self.sequencer == MEMORY_MODE => self.display.unchained = value & CHAINED == 0,
            SEQUENCER_DATA => {}
            _ => return false,
        }
        true
    }

    /// A byte from a port; `None` if the card has no such port that can be read.
    pub(super) fn read(&mut self, port: u16) -> Option<u8> {
        Some(match port {
            MASK => self.display.mask,
            READ => 3 * u8::from(self.reads),
            WRITE => self.written.0,
            COLOUR => {
                let (colour, part) = self.read;
                self.read = match part {
                    2 => (colour.wrapping_add(1), 0),
                    _ => (colour, part + 1),
                };
                self.display.palette[usize::from(colour)][part]
            }
            SEQUENCER => self.sequencer,
            _ => return None,
        })
    }

    /// Whether two reads of a port may differ.
    pub(super) fn changes(port: u16) -> bool {
        port == COLOUR
    }
}

#[cfg(test)]
mod tests {
    use super::Card;

    #[test]
    fn colours_are_written_and_read_part_by_part() {
        let mut card = Card::default();
        for (port, value) in [(0x3C8, 254), (0x3C9, 1), (0x3C9, 2), (0x3C9, 0x43), (0x3C9, 63)] {
            assert!(card.write(port, value));
        }
        assert_eq!(card.display.palette[254], [1, 2, 3]);
        assert_eq!(
            card.display.palette[255], [0; 3],
            "of three parts, only one was written"
        );
        assert_eq!(card.read(0x3C8), Some(255));
        assert!(card.write(0x3C7, 254));
        assert_eq!([0x3C9; 3].map(|port| card.read(port)), [1, 2, 3].map(Some));
        assert_eq!((card.read(0x3C7), card.read(0x3DA)), (Some(3), None));
        card.set_mode(0x93);
        assert_eq!((card.display.mode, card.display.palette[254]), (Some(0x13), [0; 3]));
        assert!(!card.write(0x3D4, 0));
    }
}

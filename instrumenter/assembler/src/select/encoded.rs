//! An encoded instruction.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    /// The bytes of the instruction, padded with zeros.
    pub(crate) bytes: [u8; 16],
    /// The number of bytes, 1 to 16.
    pub(crate) length: u8,
    /// Whether this is a short branch that a later pass may have to make near.
    pub(crate) relaxable: bool,
    /// Whether a variable of another size is taken for one of the size of the other operand.
    pub(crate) resized: bool,
}

impl Encoded {
    /// It after WAIT, as for the 8087, unless it has that already.
    pub(crate) fn after_wait(self) -> Encoded {
        const WAIT: u8 = 0x9B;
        if self.bytes[0] == WAIT {
            return self;
        }
        self.after(WAIT)
    }

    /// It after an instruction of one byte.
    pub(crate) fn after(self, first: u8) -> Encoded {
        let mut bytes = self.bytes;
        bytes.copy_within(..15, 1);
        bytes[0] = first;
        Encoded {
            bytes,
            length: self.length + 1,
            ..self
        }
    }

    /// Whether it has a prefix for the size of an operand or address.
    pub(crate) fn is_resized(&self) -> bool {
        const SIZES: [u8; 2] = [0x66, 0x67];
        const OTHERS: [u8; 9] = [0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0xF0, 0xF2, 0xF3];
        let bytes = self.bytes.iter().take(usize::from(self.length));
        let first = bytes.copied().find(|byte| !OTHERS.contains(byte));
        first.is_some_and(|first| SIZES.contains(&first))
    }

    /// An instruction that cannot be encoded yet, with an estimate of its length.
    pub(crate) const UNKNOWN: Encoded = Encoded {
        bytes: [0; 16],
        length: 6,
        relaxable: false,
        resized: false,
    };
}

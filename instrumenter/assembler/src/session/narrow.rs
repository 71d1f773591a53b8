//! What speaks for 16-bit code in lines without a program around them.

use crate::diag::Span;
use iced_x86::Register;

/// The signs of 16-bit code, and whether the lines are taken as that.
#[derive(Default)]
pub(crate) struct Narrow {
    /// Whether this pass takes them as 16-bit code, as if `.model tiny` were written.
    pub(crate) taken: bool,
    /// Whether memory is addressed by 16-bit registers, and by 32-bit ones.
    addressed: [bool; 2],
    /// Whether a processor without 32-bit registers is the one named last.
    pub(crate) by_processor: bool,
    /// The first line that names the size of the code alone, and whether the last one says 16 bits.
    pub(crate) said: Option<(Span, bool)>,
}

impl Narrow {
    /// Notes the registers of an address, or one that gets the address of data.
    pub(crate) fn note(&mut self, [base, index]: [Register; 2]) {
        self.addressed[0] |= base.is_gpr16() || index.is_gpr16();
        self.addressed[1] |= base.is_gpr32() || index.is_gpr32();
    }

    /// Whether the lines are 16-bit code: they say so, or all their addresses are.
    pub(crate) fn is_wanted(&self) -> bool {
        match (self.said, self.addressed) {
            (Some((_, narrow)), _) => narrow,
            (None, [narrow, wide]) => !wide && (narrow || self.by_processor),
        }
    }

    /// Whether their addresses are the reason.
    pub(crate) fn is_seen(&self) -> bool {
        self.said.is_none() && !self.by_processor
    }
}

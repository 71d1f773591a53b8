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
    /// Whether a segment register gets a value, or an interrupt of the BIOS is raised, as only 16-bit code does, and
    /// whether a 32-bit register is used.
    segmented: bool,
    uses_wide: bool,
    /// Whether CX is an operand, and whether an instruction counts with it in 16-bit code, as LOOP does.
    uses_count: bool,
    counts: bool,
    /// Whether a processor without 32-bit registers is the one named last.
    pub(crate) by_processor: bool,
    /// The first line that names the size of the code alone, and whether the last one says 16 bits.
    pub(crate) said: Option<(Span, bool)>,
    /// Whether an origin of 100h makes the text a COM program without a memory model.
    pub(crate) com: bool,
}

impl Narrow {
    /// Notes the registers of an address, or one that gets the address of data.
    pub(crate) fn note(&mut self, [base, index]: [Register; 2]) {
        self.addressed[0] |= base.is_gpr16() || index.is_gpr16();
        self.addressed[1] |= base.is_gpr32() || index.is_gpr32();
    }

    /// Notes a register that is an operand.
    pub(crate) fn note_operand(&mut self, register: Register) {
        self.uses_wide |= register.is_gpr32();
        self.uses_count |= register == Register::CX;
    }

    /// Notes an instruction that counts with CX in 16-bit code, and with ECX in 32-bit code.
    pub(crate) fn note_count(&mut self) {
        self.counts = true;
    }

    /// Notes a segment register that gets a value, or an interrupt of the BIOS.
    pub(crate) fn note_segmented(&mut self) {
        self.segmented = true;
    }

    /// Whether the lines are 16-bit code: they say so, all their addresses are, or they use segments, or count with CX,
    /// and use no 32-bit registers.
    pub(crate) fn is_wanted(&self) -> bool {
        match (self.said, self.addressed) {
            (Some((_, narrow)), _) => narrow,
            (None, [narrow, wide]) => {
                let segmented = (self.segmented || self.counts && self.uses_count) && !self.uses_wide;
                !wide && (narrow || self.by_processor || segmented)
            }
        }
    }

    /// Whether their addresses, segments or registers are the reason.
    pub(crate) fn is_seen(&self) -> bool {
        self.said.is_none() && !self.by_processor
    }
}

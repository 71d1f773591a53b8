//! The mode that code runs in: the state that decides the meaning and the time of its bytes.
//!
//! Instructions are decoded, compiled and classified for one mode; in another mode the same bytes are other
//! instructions. The bases and limits of data segments are not part of it, because they are looked up at every access.

/// The way in which the processor forms addresses and checks privilege.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Real mode: CR0.PE is clear.
    Real,
    /// Virtual 8086 mode: EFLAGS.VM is set.
    Virtual,
    /// Protected mode: CR0.PE is set and EFLAGS.VM is clear.
    Protected,
}

/// The mode for which instructions are decoded, compiled and classified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// The linear address of offset 0 of the code segment.
    pub code_base: u32,
    /// The highest offset of the code segment.
    pub code_limit: u32,
    /// The D bit of the code segment: whether operands and addresses have 32 bits unless a prefix changes that.
    pub wide_code: bool,
    /// The B bit of the stack segment: whether the stack pointer is ESP rather than SP.
    pub wide_stack: bool,
    /// Real, virtual 8086 or protected mode.
    pub operation: Operation,
    /// Whether the privilege level is 1 to 3.
    pub user: bool,
    /// Whether the program has loaded descriptor tables of its own.
    pub tables: bool,
}

impl Mode {
    /// Flat 32-bit code at privilege level 0.
    pub const FLAT: Mode = Mode {
        code_base: 0,
        code_limit: u32::MAX,
        wide_code: true,
        wide_stack: true,
        operation: Operation::Protected,
        user: false,
        tables: false,
    };

    /// The width of code in bits, 16 or 32.
    pub fn bits(&self) -> u32 {
        if self.wide_code { 32 } else { 16 }
    }

    /// The linear address for an offset in the code segment.
    pub fn linear(&self, offset: u32) -> u32 {
        self.code_base.wrapping_add(offset)
    }

    /// The offset in the code segment for a linear address.
    pub fn offset(&self, linear: u32) -> u32 {
        linear.wrapping_sub(self.code_base)
    }

    /// Whether offsets in the code segment are linear addresses, without a limit.
    pub fn is_flat_code(&self) -> bool {
        self.code_base == 0 && self.code_limit == u32::MAX
    }
}

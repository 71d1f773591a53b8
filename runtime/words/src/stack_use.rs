//! The use of stacks by an instruction: through the stack pointer, and with the floating-point and MMX registers.

/// The implicit use of the stack pointer by an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stack {
    /// None, or a use that does not pair.
    #[default]
    None,
    /// PUSH of a register or an immediate.
    Push,
    /// POP of a register.
    Pop,
    /// CALL to a near procedure by a direct address.
    Call,
}

impl Stack {
    /// Whether the implicit change of ESP is no dependency between this instruction and `next`.
    pub fn pairs_with(self, next: Stack) -> bool {
        matches!(
            (self, next),
            (Stack::Push, Stack::Push | Stack::Call) | (Stack::Pop, Stack::Pop)
        )
    }
}

/// The use of the MMX registers by an MMX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedUse {
    /// The registers whose values the instruction needs, one bit each.
    pub needs: u8,
    /// The registers that the instruction writes, one bit each.
    pub writes: u8,
    /// Whether the instruction stores to memory or to a general register.
    pub stores: bool,
    /// Whether the instruction issues only to U: it has an operand in memory or a general register.
    pub only_in_u: bool,
}

/// The use of the floating-point stack by an instruction. The registers are relative to the top before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// The registers whose values the instruction needs, one bit each.
    pub needs: u8,
    /// The registers that the instruction writes, one bit each; a pushed value is written to ST(7).
    pub writes: u8,
    /// The number of registers by which the top moves: 1 for a pop, -1 for a push.
    pub rotation: i8,
    /// The register that the instruction exchanges with ST(0) without waiting for either.
    pub exchanges: Option<u8>,
}

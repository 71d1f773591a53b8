//! What an instruction does with stacks: through the stack pointer, and with the registers of the floating-point unit
//! and of MMX.

/// How an instruction uses the stack pointer implicitly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stack {
    /// Not at all, or not in a way that pairs.
    #[default]
    None,
    /// PUSH of a register or an immediate.
    Push,
    /// POP of a register.
    Pop,
    /// Direct near CALL.
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

/// What an MMX instruction does with the MMX registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedUse {
    /// The registers whose values it needs, one bit each.
    pub needs: u8,
    /// The registers it writes.
    pub writes: u8,
    /// Whether it stores to memory or to a general register.
    pub stores: bool,
    /// Whether it has an operand in memory or a general register.
    pub only_in_u: bool,
}

/// What an instruction does with the stack of the floating-point unit. The registers are relative to the top before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackUse {
    /// The registers whose values it needs, one bit each.
    pub needs: u8,
    /// The registers it writes; what is pushed is written to ST(7).
    pub writes: u8,
    /// The number of registers by which it moves the top: 1 as a pop does, -1 as a push does.
    pub rotation: i8,
    /// The register that it exchanges with ST(0) without waiting for either.
    pub exchanges: Option<u8>,
}

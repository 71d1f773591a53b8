//! An instruction as time sees it: decoded once, looked up once, every fact about it settled before time begins.
//!
//! `classify` makes an [`Op`] of a decoded instruction; `form` answers what a timing row's conditions ask, `shape` what an
//! instruction does to memory, the stack and the flow of control.

mod classify;
mod form;
mod register_set;
mod shape;

pub(crate) use classify::Classifier;
pub(crate) use register_set::RegisterSet;

use crate::model::{Class, Row};

/// One data access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Whether it writes.
    pub(crate) write: bool,
    /// Bytes.
    pub(crate) size: u8,
}

/// What kind of branch an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    /// It is none.
    None,
    /// Jcc, LOOP, JCXZ.
    Conditional,
    /// Near JMP, CALL and RET, direct or not.
    Near,
    /// Far transfers, INT and IRET, which are never predicted.
    Far,
}

/// How an instruction uses the stack pointer by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stack {
    /// Not at all, or not in a way that pairs.
    None,
    /// PUSH of a register or an immediate.
    Push,
    /// POP of a register.
    Pop,
    /// Direct near CALL.
    Call,
}

/// A repeated string instruction's element accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// The access at the source address, if it has one.
    pub(crate) source: Option<Access>,
    /// The access at the destination address, if it has one.
    pub(crate) destination: Option<Access>,
}

/// An instruction's clocks in EX, as far as they are known before it is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExClocks {
    /// At CPL 0; at CPL 1 to 3.
    Known(u32, u32),
    /// Not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and thousandths of a clock for each step of the count that execution leaves.
    PerCount(u32, u32),
    /// Start-up, and clocks an iteration.
    PerIteration(u32, u32),
    /// Usual; when the stack pointer is a multiple of four.
    ByStackAlignment(u32, u32),
}

/// One instruction, with all that its timing depends on.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    /// Its linear address.
    pub(crate) address: u32,
    /// Its bytes, the first `length` of them: reports decode it again.
    pub(crate) bytes: [u8; 15],
    /// Its length in bytes.
    pub(crate) length: u8,
    /// Its row of the timing table.
    pub(crate) row: &'static Row,
    /// Its clocks in EX.
    pub(crate) clocks: ExClocks,
    /// How many prefixes cost a decode clock, the 0Fh of two-byte opcodes included.
    pub(crate) prefixes: u8,
    /// Registers it reads.
    pub(crate) reads: RegisterSet,
    /// Registers it writes, as pairing sees them.
    pub(crate) writes: RegisterSet,
    /// Registers it writes such that an address computed in the next clock has to wait.
    pub(crate) interlocks: RegisterSet,
    /// Registers its addresses are computed from.
    pub(crate) address_registers: RegisterSet,
    /// Registers whose results the floating-point unit has not settled when it leaves EX: microcode has to wait for them.
    pub(crate) unsettled: RegisterSet,
    /// Clocks after EX until they are settled.
    pub(crate) settles: u32,
    /// Clocks after EX until the floating-point unit takes the next instruction.
    pub(crate) occupies: u32,
    /// Its data accesses, in the order they are made.
    pub(crate) accesses: Vec<Access>,
    /// Set for a repeated string instruction, whose accesses are counted at run time.
    pub(crate) repeated: Option<Repeated>,
    /// Whether it leaves a count behind its addresses.
    pub(crate) counted: bool,
    /// Whether it has both a displacement and an immediate.
    pub(crate) displacement_and_immediate: bool,
    /// Whether it reads, modifies and writes memory.
    pub(crate) modifies_memory: bool,
    /// What kind of branch it is.
    pub(crate) branch: Branch,
    /// Its implicit stack use, for pairing.
    pub(crate) stack: Stack,
    /// Whether its operands name ESP.
    pub(crate) names_esp: bool,
    /// Whether its memory access is locked.
    pub(crate) locked: bool,
    /// Whether it accesses I/O space.
    pub(crate) io: bool,
    /// Whether it loads a segment or descriptor table register.
    pub(crate) loads_segment: bool,
    /// Whether it works in the floating-point unit, as multiplies do.
    pub(crate) floating_point: bool,
    /// Whether the branch event counts it although it is never predicted: far transfers, and a few that are no branches.
    pub(crate) counts_as_branch: bool,
    /// Whether it flushes the pipeline when it is taken, as a predictable branch without an entry does.
    pub(crate) flushes: bool,
}

impl Op {
    /// Words of [`crate::facts::Facts`] the instruction leaves.
    pub(crate) fn fact_words(&self) -> usize {
        if self.repeated.is_some() {
            4
        } else {
            self.accesses.len() + usize::from(self.counted)
        }
    }

    /// The address after its last byte.
    pub(crate) fn end(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length))
    }

    /// The address of its last byte.
    pub(crate) fn last_byte(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length) - 1)
    }

    /// EX clocks known before execution, with `user` for CPL 1 to 3; figures that depend on facts count from zero steps.
    pub(crate) fn static_clocks(&self, user: bool) -> u32 {
        match self.clocks {
            ExClocks::Known(_, clocks) if user => clocks,
            ExClocks::Known(clocks, _)
            | ExClocks::ByOutcome(clocks, _)
            | ExClocks::PerCount(clocks, _)
            | ExClocks::PerIteration(clocks, _)
            | ExClocks::ByStackAlignment(clocks, _) => clocks,
        }
    }

    /// The registers that microcode reads or writes for it; none if it is no microcoded instruction.
    pub(crate) fn microcode_uses(&self) -> RegisterSet {
        if self.row.class == Class::Np {
            self.reads.union(self.writes)
        } else {
            RegisterSet::EMPTY
        }
    }

    /// Whether it may pair at all in some pipe.
    pub(crate) fn may_open(&self) -> bool {
        matches!(self.row.class, Class::Uv | Class::Pu) && !self.locked
    }
}

#[cfg(test)]
mod tests;

//! The timing of one instruction form, and what must hold for a row to fit.
//!
//! Modelled: pairing class, clocks in EX, latency, throughput and overlap of what the floating-point unit does, serialisation,
//! where the figure is from and how sure it is.
//! Not modelled: what depends on the state of the units; rows hold at cache hits, aligned, rightly predicted.

use iced_x86::Mnemonic;

/// Which pipe an instruction pairs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Either pipe.
    Uv,
    /// Pairs only in the U pipe.
    Pu,
    /// Pairs only in the V pipe; alone it runs in U.
    Pv,
    /// Never pairs.
    Np,
}

impl Class {
    /// The class as manuals abbreviate it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Uv => "UV",
            Class::Pu => "PU",
            Class::Pv => "PV",
            Class::Np => "NP",
        }
    }
}

/// How many clocks a form takes in EX, at a data cache hit, aligned and rightly predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// Always the same.
    Fixed(u32),
    /// At CPL 0; at CPL 1 to 3.
    ByPrivilege(u32, u32),
    /// Of a conditional jump that counts: not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and clocks for each step of the count that execution leaves.
    PerCount(u32, u32),
    /// The same with thousandths of a clock a step, rounded to the nearest clock.
    PerCountMilli(u32, u32),
    /// A repeated string instruction: start-up, and clocks an iteration.
    PerIteration(u32, u32),
    /// ENTER: at nesting level 0, at level 1, and for each level (added to the level 1 figure) from 2 on.
    ByLevel(u32, u32, u32),
    /// PUSHA and POPA of words: usual; when ESP is a multiple of four.
    ByStackAlignment(u32, u32),
}

/// What must hold for a row to fit, all of a row's conditions together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No memory operand.
    Register,
    /// A memory operand that is only read.
    Read,
    /// A memory operand that is only written.
    Write,
    /// A memory operand that is read and written.
    Modify,
    /// A memory operand of whatever use.
    Memory,
    /// Shift or rotate by one (opcodes D0h, D1h).
    ByOne,
    /// Shift or rotate by an immediate count, or a bit number given by an immediate.
    ByImmediate,
    /// Shift or rotate by CL.
    ByCl,
    /// 8-bit operands.
    Byte,
    /// 16-bit operands.
    Word,
    /// 32-bit operands.
    Dword,
    /// A segment register is the destination.
    ToSegment,
    /// SS is the destination.
    ToStackSegment,
    /// A segment register is the source.
    FromSegment,
    /// Two or three operands are written out.
    SeveralOperands,
    /// An immediate operand.
    Immediate,
    /// TEST in the one-byte accumulator encoding (A8h, A9h).
    ShortAccumulator,
    /// EAX, AX or AL is one of the operands (the 90h+r encoding of XCHG).
    WithAccumulator,
    /// A REP prefix.
    Repeated,
    /// A direct near target.
    Direct,
    /// A far target or return.
    Far,
    /// A control register is the destination.
    ToControl,
    /// A control register is the source.
    FromControl,
    /// A debug or test register is the destination.
    ToDebug,
    /// A debug or test register is the source.
    FromDebug,
    /// The control register is CR0.
    ControlZero,
}

/// What a form does in the floating-point unit, where multiplies are made too. The integer pipes wait for it only as long as
/// it is in EX; all clocks count from its issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingPoint {
    /// Clocks until the unit takes the next instruction.
    pub throughput: u32,
    /// Clocks until the result stands in its registers. Instructions that are not microcoded take an integer from the bypass
    /// before.
    pub latency: u32,
}

impl FloatingPoint {
    /// For how many of its last clocks other instructions issue beside it, if it leaves EX after `clocks`.
    pub fn overlap(&self, clocks: u32) -> u32 {
        self.latency.saturating_sub(clocks)
    }

    /// For how many clocks the unit is still taken then.
    pub fn busy(&self, clocks: u32) -> u32 {
        self.throughput.saturating_sub(clocks)
    }
}

/// The timing of one instruction form.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The form as the manual writes it, for `p5inst timings`.
    pub form: &'static str,
    /// The mnemonics it covers.
    pub mnemonics: &'static [Mnemonic],
    /// What else must hold.
    pub when: &'static [When],
    /// Where it pairs.
    pub class: Class,
    /// Clocks in EX.
    pub clocks: Clocks,
    /// Whether it waits for the write buffers and refills the prefetch queue.
    pub serializing: bool,
    /// Which document the figure is from.
    pub source: &'static str,
    /// Why the figure is uncertain, if it is.
    pub doubt: Option<&'static str>,
    /// Its work in the floating-point unit, if it has any there.
    pub fpu: Option<FloatingPoint>,
}

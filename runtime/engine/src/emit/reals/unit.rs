//! What the unit of the host holds while code executes a run of operations, as it is known when code is made.
//!
//! Registers are numbered from the one that is ST(0) where the run begins, whose number in the unit only the state in
//! memory has; 7 is the one that the first push fills.

use iced_x86::Register;
use p5_words::fpu::STACK;

use crate::emit::planned::Real;

/// The largest distance of an exponent from that of 1.0 at which operands are safe on every chip, and at which no
/// result comes near a limit.
pub(super) const SAFE: u32 = 0xFFF;
/// The distance of an exponent that has not been looked at.
pub(super) const ANY: u32 = u32::MAX;

/// A register whose value the host holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// Its number.
    pub(super) number: u8,
    /// The value is 0, or its exponent has at most this distance from that of 1.0.
    pub(super) distance: u32,
    /// Whether the state in memory has the same value.
    pub(super) stored: bool,
}

/// What the status word in memory lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unreported {
    #[default]
    Nothing,
    /// C1 is clear.
    Cleared,
    /// The host's status word has what it says of precision, and C1 unless it is `cleared`.
    OfHost { cleared: bool },
}

/// The differences between the state in memory and that of the program.
#[derive(Clone, Debug, Default)]
pub(in crate::emit) struct Unit {
    /// What the host's registers hold, from its ST(0) on.
    pub(super) held: Vec<Held>,
    /// The number of ST(0).
    pub(super) top: u8,
    /// One bit for each register that has become full or empty, and for each that the unit has written.
    pub(super) filled: u8,
    pub(super) emptied: u8,
    pub(super) written: u8,
    pub(super) unreported: Unreported,
    /// The fact words of circumstances that have not been written.
    pub(super) words: Vec<usize>,
    /// The last instruction, and the segment and the fact word of the last operand in memory.
    pub(super) last: Option<usize>,
    pub(super) operand: Option<(Register, usize)>,
    /// One bit for each register that was full or empty where the run began.
    pub(super) full: u8,
    pub(super) empty: u8,
}

impl Unit {
    /// Where a run begins.
    pub(super) fn of(run: Run) -> Unit {
        Unit {
            full: run.full,
            empty: run.empty,
            ..Unit::default()
        }
    }

    /// The number of ST(`number`).
    pub(super) fn number(&self, number: u8) -> u8 {
        (self.top + number) & 7
    }

    /// The place in the host's stack of a register.
    pub(super) fn place(&self, number: u8) -> Option<usize> {
        self.held.iter().position(|held| held.number == number)
    }

    /// Notes that the unit has written a register.
    pub(super) fn fills(&mut self, number: u8) {
        self.filled |= 1 << number;
        self.emptied &= !(1 << number);
        self.written |= 1 << number;
    }

    pub(super) fn pushes(&mut self) {
        self.top = self.number(7);
        self.fills(self.top);
    }

    /// The value of the register that is popped stays in it.
    pub(super) fn pops(&mut self) {
        self.emptied |= 1 << self.top;
        self.filled &= !(1 << self.top);
        self.top = self.number(1);
    }

    /// C1 is clear after an operation that the host does not execute.
    pub(super) fn clears(&mut self) {
        self.unreported = match self.unreported {
            Unreported::OfHost { .. } => Unreported::OfHost { cleared: true },
            _ => Unreported::Cleared,
        };
    }
}

/// Operations that follow each other but for some of other units, and which registers have to be full or empty where
/// they begin.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::emit) struct Run {
    pub(super) full: u8,
    pub(super) empty: u8,
    /// Which are full or empty so far, and the number of ST(0).
    now_full: u8,
    now_empty: u8,
    top: u8,
}

impl Run {
    /// Adds an operation; or returns false if it finds a register empty that must be full, or the other way round.
    pub(super) fn add(&mut self, real: Real) -> bool {
        let mut after = *self;
        let possible = match real {
            Real::Load(_) => after.pushes(),
            Real::LoadRegister(number) => after.is_full(number) && after.pushes(),
            Real::Store(_, pops) | Real::StoreInteger(_, pops) => after.is_full(0) && after.pops(u8::from(pops)),
            Real::StoreRegister(number, pops) => after.is_full(0) && after.fills(number) && after.pops(u8::from(pops)),
            Real::WithMemory(..) | Real::Sign(_) => after.is_full(0),
            Real::Constant(_) => after.pushes(),
            Real::Exchange(number) => after.is_full(0) && after.is_full(number),
            Real::Operate(_, [destination, source], pops) => {
                after.is_full(destination) && after.is_full(source) && after.pops(u8::from(pops))
            }
            Real::CompareMemory(_, pops) => after.is_full(0) && after.pops(pops),
            Real::Compare(number, pops) => after.is_full(0) && after.is_full(number) && after.pops(pops),
            Real::StoreStatus | Real::LoadControl | Real::StoreControl => true,
        };
        if possible {
            *self = after;
        }
        possible
    }

    fn bit(&self, number: u8) -> u8 {
        1 << ((self.top + number) & 7)
    }

    fn is_full(&mut self, number: u8) -> bool {
        let bit = self.bit(number);
        if (self.now_full | self.now_empty) & bit == 0 {
            self.full |= bit;
            self.now_full |= bit;
        }
        self.now_full & bit != 0
    }

    fn fills(&mut self, number: u8) -> bool {
        let bit = self.bit(number);
        self.now_full |= bit;
        self.now_empty &= !bit;
        true
    }

    fn pushes(&mut self) -> bool {
        let bit = self.bit(7);
        if (self.now_full | self.now_empty) & bit == 0 {
            self.empty |= bit;
            self.now_empty |= bit;
        }
        let possible = self.now_empty & bit != 0;
        self.top = (self.top + 7) & 7;
        possible && self.fills(0)
    }

    fn pops(&mut self, times: u8) -> bool {
        for _ in 0..times {
            // Both registers of an operation that pops twice are full.
            if !self.is_full(0) {
                return false;
            }
            let bit = self.bit(0);
            self.now_full &= !bit;
            self.now_empty |= bit;
            self.top = (self.top + 1) & 7;
        }
        true
    }
}

// The host's stack has as many registers.
const _: () = assert!(STACK == 8, "numbers are taken modulo 8");

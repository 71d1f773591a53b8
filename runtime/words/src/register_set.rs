//! Sets of registers: those that an instruction reads, that it writes, and that its addresses are computed from.
//!
//! Each register is one bit. A part of a general register counts as the whole register, and all flags count as one
//! register. Registers of the floating-point stack are relative to the top before the instruction, so that a push
//! writes ST(7).

use iced_x86::Register;
use std::fmt;

/// A set of registers of any kind that an instruction can depend on.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct RegisterSet(u64);

/// The kinds of registers: name, first bit, number of registers. The general registers come first and form the low
/// byte. The bits between the kinds are unused.
#[rustfmt::skip] // One kind per row.
const KINDS: &[(&str, u32, u32)] = &[
    ("general",      0, 8),
    ("segment",      8, 6),
    ("flags",       14, 1),
    ("x87 control", 15, 1),
    ("x87 status",  16, 1),
    ("st",          24, 8),
    ("mm",          32, 8),
    ("cr",          40, 8),
    ("dr",          48, 8),
    ("tr",          56, 8),
];

impl RegisterSet {
    /// The set without any register.
    pub const EMPTY: RegisterSet = RegisterSet(0);
    /// The eight general registers.
    pub const GENERAL: RegisterSet = RegisterSet(0xFF);
    /// The eight registers of the floating-point stack.
    pub const STACK: RegisterSet = RegisterSet(0xFF << 24);
    /// The set of EAX alone.
    pub const EAX: RegisterSet = RegisterSet(1);
    /// The set of ESP alone.
    pub const ESP: RegisterSet = RegisterSet(1 << 4);
    /// The eight MMX registers.
    pub const PACKED: RegisterSet = RegisterSet(0xFF << 32);
    /// The set of the flags alone.
    pub const FLAGS: RegisterSet = RegisterSet(1 << 14);

    /// The set of only `register`; empty if that is not one of the kinds.
    pub fn of(register: Register) -> RegisterSet {
        let (first, number) = if register.is_gpr() {
            (0, register.full_register32().number())
        } else if register.is_segment_register() {
            (8, register.number())
        } else if register.is_st() {
            (24, register.number())
        } else if register.is_mm() {
            (32, register.number())
        } else if register.is_cr() {
            (40, register.number())
        } else if register.is_dr() {
            (48, register.number())
        } else if register.is_tr() {
            (56, register.number())
        } else {
            return RegisterSet::EMPTY;
        };
        // 64-bit code has more registers of some kinds, which the instructions of a 32-bit chip never use.
        RegisterSet(1 << (first + number % 8))
    }

    /// The general registers whose bits are set in `bits`, EAX to EDI: the inverse of [`RegisterSet::general_bits`].
    pub const fn of_general_bits(bits: u8) -> RegisterSet {
        RegisterSet(bits as u64)
    }

    /// The general registers of the set in one byte, EAX to EDI.
    pub const fn general_bits(self) -> u8 {
        self.0 as u8
    }

    /// The registers of the floating-point stack in one byte, ST(0) to ST(7).
    pub const fn stack_bits(self) -> u8 {
        (self.0 >> 24) as u8
    }

    /// The MMX registers in one byte, MM0 to MM7.
    pub const fn packed_bits(self) -> u8 {
        (self.0 >> 32) as u8
    }

    /// The union of both sets.
    pub const fn union(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 | other.0)
    }

    /// The intersection of both sets.
    pub const fn intersection(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & other.0)
    }

    /// The registers of this set that are not in `other`.
    pub const fn without(self, other: RegisterSet) -> RegisterSet {
        RegisterSet(self.0 & !other.0)
    }

    /// Whether the two sets have a register in common.
    pub const fn intersects(self, other: RegisterSet) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the set contains no register.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The registers of the set as numbers below [`RegisterSet::NUMBERS`].
    #[inline]
    pub fn numbers(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let number = (rest != 0).then(|| rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            number
        })
    }

    /// The names of the general registers of the set.
    pub fn general_names(self) -> impl Iterator<Item = &'static str> {
        let general = self.intersection(RegisterSet::GENERAL);
        let name = |number| RegisterSet::GENERAL_NAMES.get(number).copied();
        general.numbers().filter_map(name)
    }

    /// The names of the general registers, in the order of their numbers.
    pub const GENERAL_NAMES: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];

    /// The number of possible register numbers.
    pub const NUMBERS: usize = u64::BITS as usize;
}

impl fmt::Debug for RegisterSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = formatter.debug_list();
        for number in self.numbers() {
            let bit = number as u32;
            let kind = KINDS
                .iter()
                .find(|(_, first, count)| (*first..first + count).contains(&bit));
            let (name, first, _) = kind.unwrap_or(&("none", 0, 0));
            list.entry(&format_args!("{name} {}", bit - first));
        }
        list.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_do_not_overlap_and_begin_with_the_general_registers() {
        for (at, (name, first, count)) in KINDS.iter().enumerate() {
            assert!(first + count <= u64::BITS, "{name}");
            let next = KINDS.get(at + 1).map_or(u64::BITS, |(_, first, _)| *first);
            assert!(first + count <= next, "{name}");
        }
        assert_eq!(RegisterSet::of_general_bits(0xFF), RegisterSet::GENERAL);
        assert_eq!(RegisterSet::GENERAL.general_bits(), 0xFF);
    }

    #[test]
    fn every_register_of_the_chip_is_a_member_of_its_own() {
        let named = [
            (Register::AH, "[general 0]"),
            (Register::ESI, "[general 6]"),
            (Register::GS, "[segment 5]"),
            (Register::ST7, "[st 7]"),
            (Register::MM3, "[mm 3]"),
            (Register::CR4, "[cr 4]"),
            (Register::DR7, "[dr 7]"),
            (Register::TR6, "[tr 6]"),
            (Register::EIP, "[]"),
        ];
        for (register, name) in named {
            assert_eq!(format!("{:?}", RegisterSet::of(register)), name);
        }
        assert_eq!(RegisterSet::of(Register::BL), RegisterSet::of(Register::EBX));
    }

    #[test]
    fn sets_are_joined_and_taken_apart() {
        let both = RegisterSet::EAX.union(RegisterSet::ESP);
        assert_eq!(both.numbers().collect::<Vec<_>>(), [0, 4]);
        assert_eq!(both.without(RegisterSet::EAX), RegisterSet::ESP);
        assert_eq!(both.intersection(RegisterSet::ESP), RegisterSet::ESP);
        assert!(both.intersects(RegisterSet::EAX) && !both.intersects(RegisterSet::FLAGS));
        assert!(RegisterSet::EMPTY.is_empty() && !both.is_empty());
    }
}

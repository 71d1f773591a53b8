//! For how long each register is held by its values, one after another.
//!
//! Two instructions that write one register never issue together, and the next value is written when the last
//! instruction that needs this one has issued, at the earliest. An order may change the succession of the values, but
//! not their sum.

use super::{Joins, Member};
use p5_results::RegisterSet;

/// The registers whose writers do not pair. Pushes change ESP together; flags are written together, and registers of
/// the floating-point stack are renamed.
const HELD: RegisterSet = RegisterSet::GENERAL
    .without(RegisterSet::ESP)
    .union(RegisterSet::PACKED);

/// The value that a register has.
#[derive(Clone, Copy, Default)]
struct Value {
    /// The clocks from the issue of its writer to that of the last instruction that needs it, at least those of the
    /// writer.
    clocks: u64,
    /// The clocks after which an instruction can use it in an operation, in an operation of MMX, and in an address.
    operand: u64,
    packed: u64,
    address: u64,
}

/// The clocks of the values of each register.
#[derive(Clone)]
pub(super) struct Held {
    earlier: [u64; RegisterSet::NUMBERS],
    now: [Value; RegisterSet::NUMBERS],
}

impl Default for Held {
    fn default() -> Self {
        Held {
            earlier: [0; RegisterSet::NUMBERS],
            now: [Value::default(); RegisterSet::NUMBERS],
        }
    }
}

impl Held {
    pub(super) fn execute(&mut self, one: &Member<'_>) {
        let needs = one.needs;
        let [settles, ahead] = needs
            .packed
            .map_or([0, 0], |packed| [packed.settles, packed.operands_ahead].map(u64::from));
        // Another order may have a LEA before the addition whose result its address would wait for.
        let joined = needs.addresses.intersection(Joins::register_of(one.joins));
        for index in needs.reads.union(joined).intersection(HELD).numbers() {
            let value = &mut self.now[index];
            let packed = if value.packed > 0 { value.packed + ahead } else { 0 };
            value.clocks = value.clocks.max(value.operand).max(packed);
        }
        for index in needs.addresses.without(joined).intersection(HELD).numbers() {
            let value = &mut self.now[index];
            value.clocks = value.clocks.max(value.address);
        }
        let clocks = u64::from(one.clocks);
        for index in needs.writes.intersection(HELD).numbers() {
            let register = RegisterSet::PACKED.numbers().any(|packed| packed == index);
            let waits = needs.interlocks.numbers().any(|interlock| interlock == index);
            self.earlier[index] += self.now[index].clocks;
            self.now[index] = Value {
                clocks,
                operand: clocks,
                packed: if register { clocks + settles } else { 0 },
                address: clocks + if waits { u64::from(needs.address_wait) } else { 0 },
            };
        }
    }

    /// The clocks of the register that is held longest, to the last use of its last value.
    pub(super) fn to_the_last(&self) -> u64 {
        let all = self.earlier.iter().zip(&self.now);
        all.map(|(earlier, now)| earlier + now.clocks).max().unwrap_or(0)
    }

    /// The clocks of the register that is held longest by the values that have ended since `first`.
    pub(super) fn since(&self, first: &Held) -> u64 {
        let both = self.earlier.iter().zip(&first.earlier);
        both.map(|(now, before)| now - before).max().unwrap_or(0)
    }
}

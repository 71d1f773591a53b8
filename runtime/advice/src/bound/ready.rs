//! When values become available, if instructions wait only for registers and flags: chains of results.
//!
//! An order may not change which result an instruction needs, so a chain is the same in each order.

use super::Member;
use p5_results::{Needs, Pipe, RegisterSet};
use p5_words::stack_use::Stack;

/// The clocks at which register values become available, if instructions wait only for registers.
pub(super) struct Ready {
    // By register: for use as an operand, and in an address.
    value: [u64; RegisterSet::NUMBERS],
    address: [u64; RegisterSet::NUMBERS],
    // By flag: for a branch beside the instruction that writes it, and for any other instruction.
    flags: [[u64; 2]; 8],
    // By physical register of the floating-point stack.
    stack: [u64; 8],
    top: u8,
    /// The last two changes of ESP.
    pointer: Pointer,
    /// The clock after the last instruction.
    pub(super) end: u64,
}

impl Default for Ready {
    fn default() -> Self {
        Ready {
            value: [0; RegisterSet::NUMBERS],
            address: [0; RegisterSet::NUMBERS],
            flags: [[0; 2]; 8],
            stack: [0; 8],
            top: 0,
            pointer: Pointer::default(),
            end: 0,
        }
    }
}

impl Ready {
    /// Executes an instruction as early as its registers allow.
    pub(super) fn execute(&mut self, one: &Member<'_>) {
        let left_out = RegisterSet::FLAGS.union(RegisterSet::ESP).union(RegisterSet::STACK);
        let counted = |set: RegisterSet| set.without(left_out);
        let latest = |set: RegisterSet, clocks: &[u64; RegisterSet::NUMBERS]| {
            let members = counted(set).numbers();
            members.map(|index| clocks[index]).max().unwrap_or(0)
        };
        let needs = one.needs;
        let mut start = latest(needs.reads, &self.value).max(latest(needs.addresses, &self.address));
        start = start.max(self.pointer.ready(needs));
        let bits = |set: u8| (0..8).filter(move |bit| set >> bit & 1 != 0);
        // A conditional branch may issue in V beside the instruction on which it depends.
        let after = usize::from(needs.takes.contains(&Pipe::U));
        for flag in bits(needs.flags_read) {
            start = start.max(self.flags[flag][after]);
        }
        let (settles, ahead) = needs
            .packed
            .map_or((0, 0), |packed| (packed.settles, packed.operands_ahead));
        let operands = latest(needs.reads.intersection(RegisterSet::PACKED), &self.value);
        if operands > 0 {
            start = start.max(operands + u64::from(ahead));
        }
        if let Some((floating, used)) = needs.floating.and_then(|floating| Some((floating, floating.stack?))) {
            if let Some(other) = used.exchanges {
                // An exchange renames its registers and waits for neither.
                let (top, other) = (self.physical(0), self.physical(other));
                self.stack.swap(top, other);
                return;
            }
            for number in bits(used.needs) {
                let ready = self.stack[self.physical(number as u8)];
                if ready > 0 {
                    start = start.max(ready + u64::from(floating.operands_ahead));
                }
            }
            for number in bits(used.writes) {
                let register = self.physical(number as u8);
                self.stack[register] = start + u64::from(floating.latency.saturating_sub(one.saved));
            }
            self.top = self.top.wrapping_add_signed(used.rotation) & 7;
        }
        let end = start + u64::from(one.clocks);
        self.pointer.execute(needs, [start, end]);
        for index in counted(needs.writes).numbers() {
            self.value[index] = end;
            self.address[index] = end;
        }
        for index in counted(needs.interlocks).numbers() {
            self.address[index] = end + u64::from(needs.address_wait);
        }
        for index in needs.writes.intersection(RegisterSet::PACKED).numbers() {
            self.value[index] = end + u64::from(settles);
        }
        let beside = if needs.takes.contains(&Pipe::V) { end } else { start };
        for flag in bits(needs.flags_written) {
            self.flags[flag] = [beside, end];
        }
        self.end = self.end.max(end);
    }

    fn physical(&self, number: u8) -> usize {
        usize::from(self.top.wrapping_add(number) & 7)
    }

    /// The clock at which the last register is available.
    pub(super) fn latest(&self) -> u64 {
        let flags = self.flags.iter().map(|[_, after]| after);
        let clocks = self
            .value
            .iter()
            .chain(&self.stack)
            .chain([&self.pointer.end])
            .chain(flags);
        clocks.copied().max().unwrap_or(0)
    }
}

/// The last two instructions that changed ESP. Two that push, or two that pop, may issue in one clock; a third one
/// comes later.
#[derive(Default)]
struct Pointer {
    kind: Stack,
    /// When the last one began and ended, and from when on an address may be computed from its result.
    start: u64,
    end: u64,
    address: u64,
    /// When the one before it ended.
    before: u64,
}

impl Pointer {
    /// The clock from which an instruction has the stack pointer that it needs.
    fn ready(&self, needs: &Needs) -> u64 {
        let addresses = needs.addresses.intersects(RegisterSet::ESP);
        if !addresses && !needs.reads.intersects(RegisterSet::ESP) {
            return 0;
        }
        let value = match self.kind.pairs_with(needs.stack) {
            true => self.start.max(self.before),
            false => self.end,
        };
        if addresses { value.max(self.address) } else { value }
    }

    fn execute(&mut self, needs: &Needs, [start, end]: [u64; 2]) {
        if needs.writes.intersects(RegisterSet::ESP) {
            let waits = needs.interlocks.intersects(RegisterSet::ESP);
            *self = Pointer {
                kind: needs.stack,
                start,
                end,
                address: if waits { end + u64::from(needs.address_wait) } else { 0 },
                before: self.end,
            };
        }
    }
}

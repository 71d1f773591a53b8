//! When values become available, if instructions wait only for registers and flags: chains of results.
//!
//! An order may not change which result an instruction needs, so a chain is the same in each order; but additions to
//! one register, and logical operations of one kind, may change places.

use super::{Joins, Member};
use p5_results::{Needs, Pipe, RegisterSet};
use p5_words::stack_use::Stack;

/// The clocks at which register values become available, if instructions wait only for registers.
pub(super) struct Ready {
    // By register: for use as an operand, and in an address.
    value: [u64; RegisterSet::NUMBERS],
    address: [u64; RegisterSet::NUMBERS],
    // By register: the operations of one kind that wrote it last.
    joint: [Option<Joint>; RegisterSet::NUMBERS],
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

/// Operations of one kind on one register, which may have changed places.
#[derive(Clone, Copy)]
struct Joint {
    kind: &'static str,
    /// When the first of them may begin.
    begin: u64,
    /// When they have ended if they wait for nothing else.
    end: u64,
    /// When the last of them ends that waits for something else, if none comes after it.
    latest: u64,
}

impl Default for Ready {
    fn default() -> Self {
        Ready {
            value: [0; RegisterSet::NUMBERS],
            address: [0; RegisterSet::NUMBERS],
            joint: [None; RegisterSet::NUMBERS],
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
        // What an operation that joins others waits for beside its register.
        let joined = Joins::register_of(one.joins);
        let [addresses, reads] = [needs.addresses, needs.reads].map(|set| set.without(joined));
        let mut start = latest(reads, &self.value).max(latest(addresses, &self.address));
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
        let (start, end) = self.joined(one, start);
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
        // Its flags are its own, wherever it stands among others of its kind.
        let end_of_flags = start + u64::from(one.clocks);
        let beside = if needs.takes.contains(&Pipe::V) {
            end_of_flags
        } else {
            start
        };
        for flag in bits(needs.flags_written) {
            self.flags[flag] = [beside, end_of_flags];
        }
        self.end = self.end.max(end);
    }

    /// The clocks at which an instruction begins and ends. It waits until `start` for all but the register of others of
    /// its kind. Whatever their order, these take their clocks one after another, and none ends before it can have
    /// begun.
    fn joined(&mut self, one: &Member<'_>, start: u64) -> (u64, u64) {
        let clocks = u64::from(one.clocks);
        let own = Joins::register_of(one.joins);
        for index in one.needs.reads.union(one.needs.addresses).without(own).numbers() {
            self.joint[index] = None;
        }
        let sum = one
            .joins
            .and_then(|joins| Some((joins, joins.register.numbers().next()?)));
        let times = sum.map_or((start, start + clocks), |(joins, index)| {
            let known = self.joint[index].filter(|known| known.kind == joins.kind);
            let mut joint = known.unwrap_or(Joint {
                kind: joins.kind,
                begin: self.value[index],
                end: self.value[index],
                latest: 0,
            });
            joint.end += clocks;
            joint.latest = joint.latest.max(start + clocks);
            self.joint[index] = Some(joint);
            (start.max(joint.begin), joint.end.max(joint.latest))
        });
        for index in one.needs.writes.without(own).numbers() {
            self.joint[index] = None;
        }
        times
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

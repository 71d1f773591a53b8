//! Groups: the instructions that issue together, and the part of their timing that is known before execution.
//!
//! Modelled: pairs that `pair` allows, address interlocks, lockstep, and why an instruction issues alone: everything
//! that depends only on the instructions and the state of issue. Not modelled: clocks that depend on addresses,
//! outcomes or counts.

pub(super) mod pair;

use super::entry::Entry;
pub(super) use super::entry::NONE;
use crate::block::{Access, Branch, Decoding, Op, RegisterSet};
use asm_macros::events::Event;
use p5_chips::{Class, Rules, SHORT};
use p5_results::Refusal;

/// The bit of an access's shape that marks a write. The other bits are its size in bytes.
pub(crate) const WRITES: u8 = 0x80;

/// The instructions that issue in the same clock.
#[derive(Clone, Debug)]
pub struct Group {
    /// The number of the U pipe's instruction.
    pub(crate) u: u32,
    /// The number of the V pipe's instruction, or [`NONE`].
    pub(crate) v: u32,
    pub(crate) address: u32,
    /// Clocks in EX if every access hits.
    pub(crate) clocks: u32,
    pub(crate) u_clocks: u32,
    pub(crate) v_clocks: u32,
    /// The start of V's execution, in clocks after the issue.
    pub(crate) v_begins: u32,
    pub(crate) prefixes: u32,
    /// How the length decoder in front of the FIFO decodes the instructions of U and V.
    pub(crate) decoding: [Decoding; 2],
    /// Whether the clock of its issue depends on more than the previous group.
    pub(crate) begins_slowly: bool,
    /// Whether work that lasts beyond EX may delay its issue.
    pub(crate) awaits: bool,
    /// Clocks this group waits for a register that the previous group wrote.
    pub(crate) interlock: u32,
    /// Whether it waits because the previous group ended with FXCH.
    pub(crate) after_exchange: bool,
    /// The number of addresses (0 to 2) that wait for a register written in the previous clock.
    pub(crate) stalled_addresses: u32,
    /// Whether it holds D2 until its last clock in EX.
    pub(crate) holds: bool,
    /// The reason why U issues alone.
    pub(crate) refusal: Option<Refusal>,
    /// The number of U's accesses, at most two; more make the group complex.
    pub(crate) u_accesses: u8,
    pub(crate) v_accesses: u8,
    pub(crate) u_words: u8,
    /// The shapes of the first two accesses of U and of V.
    pub(crate) shapes: [u8; 4],
    /// Whether U's facts are from the previous block.
    pub(crate) carried: bool,
    /// Whether it needs the general path of `complex`.
    pub(crate) complex: bool,
    /// Whether it is complex or has an MMX instruction, and so needs more than the usual path.
    pub(crate) special: bool,
    /// Whether its last instruction is a predictable branch.
    pub(crate) branch: bool,
    pub(crate) fall_through: u32,
    /// Whether its interlock is charged with the executions of its schedule: it depends only on the previous group.
    pub(crate) charged_later: bool,
}

impl Group {
    /// The event that counts two accesses sharing a clock, if both pipes access memory.
    #[inline(always)]
    pub(super) fn together(&self) -> Option<Event> {
        if self.u_accesses == 0 || self.v_accesses == 0 {
            return None;
        }
        Some(match (self.shapes[self.beside_v()] & WRITES, self.shapes[2] & WRITES) {
            (0, 0) => Event::DATA_READ,
            (WRITES, WRITES) => Event::DATA_WRITE,
            _ => Event::DATA_READ_OR_WRITE,
        })
    }

    /// The index of U's access in the same clock as V's first one: the only or the last one.
    #[inline(always)]
    pub(super) fn beside_v(&self) -> usize {
        usize::from(self.v_begins > 0)
    }

    /// Whether its clocks are independent of its facts.
    pub(super) fn is_static(&self) -> bool {
        self.u_accesses + self.v_accesses == 0 && !self.complex && !self.begins_slowly && !self.awaits
    }
}

/// Forms groups, one instruction at a time. No other code decides which instructions issue together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Former<'a> {
    pub(crate) ops: &'a [Op],
    pub(crate) rules: &'static Rules,
    /// Whether the program runs at CPL 1 to 3.
    pub(crate) user: bool,
    pub(crate) single_pipe: bool,
}

impl Former<'_> {
    /// Takes the next instruction. Passes on the groups that are now complete, at most two, in issue order, each with
    /// whether an earlier instruction opened it.
    #[inline(always)]
    pub(crate) fn take(&self, state: &mut Entry, op: u32, known: bool, mut complete: impl FnMut(Group, bool)) {
        let next = &self.ops[op as usize];
        if state.open() != NONE {
            let open = &self.ops[state.open() as usize];
            match pair::verdict(open, next, self.rules, state.open_known(), self.single_pipe) {
                Ok(()) => return complete(self.close(state, Some(op), None), true),
                Err(refusal) => complete(self.close(state, None, Some(refusal)), true),
            }
        }
        *state = state.with_open(op, known, next.address_registers.intersects(state.interlocks()));
        if !next.may_open() {
            let refusal = match next.row.class {
                _ if self.rules.pipes == 1 => None,
                _ if self.single_pipe => Some(Refusal::SinglePipe),
                Class::Pv => Some(Refusal::FirstOnlyV),
                _ => Some(Refusal::FirstNotPairable),
            };
            complete(self.close(state, None, refusal), false);
        }
    }

    /// Closes the open instruction, alone or with its partner.
    pub(crate) fn close(&self, state: &mut Entry, partner: Option<u32>, refusal: Option<Refusal>) -> Group {
        let u = &self.ops[state.open() as usize];
        let v = partner.map(|op| &self.ops[op as usize]);
        let u_clocks = u.static_clocks(self.user);
        let v_clocks = v.map_or(0, |op| op.static_clocks(self.user));
        let v_begins = pair::v_begins(u, u_clocks);
        let v_stalled = v.is_some_and(|op| op.address_registers.intersects(state.interlocks()));
        let stalled_addresses = match self.rules.address_interlock {
            0 => 0,
            _ => u32::from(state.open_stalled()) + u32::from(v_stalled),
        };
        let mut interlock = if stalled_addresses > 0 {
            self.rules.address_interlock
        } else {
            0
        };
        // Microcode reads from the register file, which a multiply's result reaches a clock later than the bypass.
        if u.microcode_uses().intersects(state.unsettled()) {
            interlock = interlock.max(SHORT);
        }
        if u.floating_point && state.occupied() {
            interlock = interlock.max(SHORT);
        }
        let after_exchange = state.exchanged() && u.stack_use.is_none() && interlock == 0;
        if after_exchange {
            interlock = self.rules.exchange_before_integer;
        }
        let [of_u, of_v] = [Some(u), v].map(shapes);
        let prefixes = u32::from(u.prefix_clocks) + v.map_or(0, |op| u32::from(op.prefix_clocks));
        let packed = [Some(u), v].iter().flatten().any(|op| op.packed_use.is_some());
        let awaits = packed || u.awaits_long_work();
        let last = v.unwrap_or(u);
        let group = Group {
            u: state.open(),
            v: partner.unwrap_or(NONE),
            address: u.address,
            clocks: if v.is_some() {
                u_clocks.max(v_begins + v_clocks)
            } else {
                u_clocks
            },
            u_clocks,
            v_clocks,
            v_begins,
            prefixes,
            decoding: [Some(u), v].map(|op| op.map_or(Decoding::default(), |op| op.decoding)),
            begins_slowly: prefixes > 0 || awaits && interlock > 0 || decodes_by_group(self.rules),
            awaits,
            interlock,
            after_exchange,
            stalled_addresses,
            holds: self.rules.prefixes_decoded_ahead && u.row.class == Class::Np,
            refusal,
            u_accesses: u.accesses.len().min(2) as u8,
            v_accesses: v.map_or(0, |op| op.accesses.len()) as u8,
            u_words: u.fact_words().min(2) as u8,
            shapes: [of_u[0], of_u[1], of_v[0], of_v[1]],
            carried: false,
            complex: u.complex,
            special: u.complex || packed,
            branch: is_branch(u) || v.is_some_and(is_branch),
            fall_through: last.end(),
            charged_later: false,
        };
        let v_interlocks = v.map_or(RegisterSet::EMPTY, |op| op.interlocks);
        *state = Entry::after(u.interlocks.union(v_interlocks), u, v.is_some_and(|op| op.exchanges()));
        group
    }
}

/// The shapes of the first two accesses of an instruction.
#[inline(always)]
fn shapes(op: Option<&Op>) -> [u8; 2] {
    let shape = |access: Option<&Access>| access.map_or(0, shape_of);
    op.map_or([0; 2], |op| [shape(op.accesses.first()), shape(op.accesses.get(1))])
}

pub(super) fn shape_of(access: &Access) -> u8 {
    if access.write {
        WRITES | access.size
    } else {
        access.size
    }
}

/// Whether the clock at which a group enters D1 depends on more than the groups before it.
fn decodes_by_group(rules: &Rules) -> bool {
    rules.queued_instructions > 0 || rules.prefetched_bytes > 0
}

fn is_branch(op: &Op) -> bool {
    matches!(
        op.branch,
        Branch::Conditional | Branch::Near | Branch::Call | Branch::Return
    )
}

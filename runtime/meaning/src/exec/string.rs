//! String instructions, single and repeated.
//!
//! A repeat makes at most [`REPEAT_LIMIT`] iterations per visit. If it needs another visit, the registers are those
//! after the completed iterations, and the instruction remains the next one; its fact words describe one visit only. A
//! comparison that faults leaves the flags from before its first visit, or those of its last comparison: see
//! [`State::faulted_comparison`](super::State::faulted_comparison).

use super::alu::{CMP, compute};
use super::{Flow, Handler, Leave, MicroOp, REPEAT_EQUAL, REPEAT_LIMIT, REPEAT_NOT_EQUAL, State};
use iced_x86::Mnemonic;
use p5_words::flags::FaultedComparison;
use p5_words::registers::{ES, TF};

const MOVS: u8 = 0;
const CMPS: u8 = 1;
const STOS: u8 = 2;
const LODS: u8 = 3;
const SCAS: u8 = 4;

const EAX: u8 = 0;
const ECX: usize = 1;
pub(super) const ESI: usize = 6;
pub(super) const EDI: usize = 7;
const DESTINATION: u8 = ES as u8;

const fn has_source(operation: u8) -> bool {
    matches!(operation, MOVS | CMPS | LODS)
}

const fn has_destination(operation: u8) -> bool {
    operation != LODS
}

impl State {
    /// The step in bytes of a string instruction over elements of `bits` bits.
    #[inline(always)]
    pub(super) fn string_step(&self, bits: u32) -> u32 {
        if self.registers.flags.direction() {
            (bits / 8).wrapping_neg()
        } else {
            bits / 8
        }
    }

    /// The maximum number of iterations of a repeat in one visit. It is one while every iteration is followed by a
    /// debug trap or may meet a breakpoint. With 16-bit addresses it ends before an index wraps around, so that the
    /// facts of a visit describe adjacent elements.
    #[inline(always)]
    fn most_iterations(&self, used: [bool; 2], mask: u32, step: u32) -> u32 {
        if self.registers.flags.rest & TF | self.armed != 0 {
            return 1;
        }
        if mask == u32::MAX {
            return REPEAT_LIMIT;
        }
        self.until_wrap(used, step)
    }

    #[cold]
    fn until_wrap(&self, used: [bool; 2], step: u32) -> u32 {
        let room = [ESI, EDI].map(|register| {
            let offset = self.registers.general[register] & 0xFFFF;
            let room = if step as i32 > 0 { 0xFFFF - offset } else { offset };
            room / (step as i32).unsigned_abs() + 1
        });
        let used = room.into_iter().zip(used).filter(|&(_, used)| used);
        used.map(|(room, _)| room).fold(REPEAT_LIMIT, u32::min)
    }

    /// Moves an index or count register by `step`, within 16 bits if `mask` says so.
    #[inline(always)]
    pub(super) fn advance(&mut self, register: usize, step: u32, mask: u32) {
        let value = &mut self.registers.general[register];
        *value = (*value & !mask) | (value.wrapping_add(step) & mask);
    }
}

/// Makes one iteration, without the count. Pushes the accesses if `FACTS`.
#[inline(always)]
fn iterate<const OP: u8, const N: u32, const FACTS: bool>(op: &MicroOp, state: &mut State, step: u32) -> Flow {
    let mask = op.offset_mask;
    let mut source = 0;
    if has_source(OP) {
        let offset = state.registers.general[ESI] & mask;
        let linear = state.load_address(op.segment(), offset, N / 8)?;
        if FACTS {
            state.facts.push(linear);
        }
        source = state.read_linear::<N>(op.segment(), linear)?;
    }
    match OP {
        MOVS | STOS => {
            if OP == STOS {
                source = state.registers.get::<N>(EAX);
            }
            let offset = state.registers.general[EDI] & mask;
            let linear = state.store_address(DESTINATION, offset, N / 8)?;
            if FACTS {
                state.facts.push(linear);
            }
            state.write_linear::<N>(DESTINATION, linear, source)?;
        }
        CMPS | SCAS => {
            if OP == SCAS {
                source = state.registers.get::<N>(EAX);
            }
            let offset = state.registers.general[EDI] & mask;
            let linear = state.load_address(DESTINATION, offset, N / 8)?;
            if FACTS {
                state.facts.push(linear);
            }
            let destination = state.read_linear::<N>(DESTINATION, linear)?;
            compute::<CMP, N>(&mut state.registers.flags, source, destination);
        }
        _ => state.registers.put::<N>(EAX, source),
    }
    if has_source(OP) {
        state.advance(ESI, step, mask);
    }
    if has_destination(OP) {
        state.advance(EDI, step, mask);
    }
    Ok(())
}

fn once<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let step = state.string_step(N);
    iterate::<OP, N, true>(op, state, step)?;
    state.settle()
}

fn repeated<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let mask = op.offset_mask;
    let step = state.string_step(N);
    let linear = |segment: u8, register: usize| {
        let base = state.registers.segments[usize::from(segment)].base();
        base.wrapping_add(state.registers.general[register] & mask)
    };
    let source = if has_source(OP) { linear(op.segment(), ESI) } else { 0 };
    let destination = if has_destination(OP) {
        linear(DESTINATION, EDI)
    } else {
        0
    };
    let most = state.most_iterations([has_source(OP), has_destination(OP)], mask, step);
    let compares = matches!(OP, CMPS | SCAS);
    let resumed = if compares { state.before_comparison.take() } else { None };
    let before = resumed.unwrap_or(state.registers.flags);
    let mut done = 0;
    let mut result = Ok(());
    while state.registers.general[ECX] & mask != 0 {
        if done == most {
            result = Err(Leave::Unfinished);
            break;
        }
        if let Err(leave) = iterate::<OP, N, false>(op, state, step) {
            result = Err(leave);
            break;
        }
        state.advance(ECX, u32::MAX, mask);
        done += 1;
        if compares {
            let wanted = op.segment_repeat & REPEAT_NOT_EQUAL == 0;
            if state.registers.flags.zero() != wanted {
                break;
            }
        }
    }
    for word in [source, destination, done, step] {
        state.facts.push(word);
    }
    match result {
        Err(Leave::Unfinished) if compares => state.before_comparison = Some(before),
        Err(Leave::Fault) if compares && state.faulted_comparison == FaultedComparison::Restored => {
            state.registers.flags = before;
        }
        _ => {}
    }
    result?;
    state.settle()
}

pub(super) fn select(mnemonic: Mnemonic, repeat: u8) -> Option<Handler> {
    let repeated_at_all = repeat & (REPEAT_EQUAL | REPEAT_NOT_EQUAL) != 0;
    macro_rules! handlers {
        ($($mnemonic:ident $op:ident $n:literal;)*) => {
            match mnemonic {
                $(Mnemonic::$mnemonic => if repeated_at_all { repeated::<$op, $n> } else { once::<$op, $n> },)*
                _ => return None,
            }
        };
    }
    Some(handlers! {
        Movsb MOVS 8;
        Movsw MOVS 16;
        Movsd MOVS 32;
        Cmpsb CMPS 8;
        Cmpsw CMPS 16;
        Cmpsd CMPS 32;
        Stosb STOS 8;
        Stosw STOS 16;
        Stosd STOS 32;
        Lodsb LODS 8;
        Lodsw LODS 16;
        Lodsd LODS 32;
        Scasb SCAS 8;
        Scasw SCAS 16;
        Scasd SCAS 32;
    })
}

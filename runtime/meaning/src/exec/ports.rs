//! Accesses to ports, which the caller serves as requests, and the completion of operations after their requests.

use super::string::{EDI, ESI};
use super::{Flow, MicroOp, Request, State};
use iced_x86::Mnemonic;
use p5_words::fault::FaultCause;
use p5_words::mode::Operation;
use p5_words::registers::ES;

const EAX: u8 = 0;
const ECX: usize = 1;
const EDX: u8 = 2;
const DESTINATION: u8 = ES as u8;

/// The completions that [`finish`] performs, stored in `source` of an operation.
pub(super) const PLAIN: u8 = 0;
pub(super) const INPUT: u8 = 1;
pub(super) const INPUT_STRING: u8 = 2;
pub(super) const OUTPUT_STRING: u8 = 3;

impl State {
    /// Requests an access to ports, which a breakpoint may watch.
    fn ask_port(&mut self, request: Request) -> Flow {
        if let Request::In { port, size } | Request::Out { port, size, .. } = request {
            self.look_at_port(port, u32::from(size));
        }
        self.ask(request)
    }

    /// Checks the right to access `size` bytes of I/O space from `port` on: CPL <= IOPL, or the permission map of the
    /// task.
    fn need_port(&mut self, mnemonic: Mnemonic, port: u16, size: u32) -> Flow {
        /// The offset in a task state segment of the word with the offset of its map.
        const MAP: u32 = 0x66;
        let (cpl, iopl) = (self.registers.cpl, self.registers.iopl());
        if cpl <= iopl && self.registers.operation() != Operation::Virtual {
            return Ok(());
        }
        let task = self.registers.task;
        let denied = FaultCause::IoPrivilege { mnemonic, cpl, iopl };
        if task.selector & !3 == 0 || !task.wide || task.limit < MAP + 1 {
            return Err(self.protection(denied));
        }
        let map = self.read_system(task.base.wrapping_add(MAP), 2)?;
        let place = map + u32::from(port) / 8;
        // Two bytes are always read.
        if place + 1 > task.limit {
            return Err(self.protection(denied));
        }
        let bits = self.read_system(task.base.wrapping_add(place), 2)?;
        if bits >> (port % 8) & ((1 << size) - 1) != 0 {
            return Err(self.protection(denied));
        }
        Ok(())
    }
}

/// The port number: `immediate`, or DX if that is above FFh.
fn port(op: &MicroOp, state: &State) -> u16 {
    u8::try_from(op.immediate).map_or(state.registers.get::<16>(EDX) as u16, u16::from)
}

/// A value of `immediate` for a port in DX.
pub(super) const PORT_IN_DX: u32 = 0x100;

pub(super) fn input<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_port(Mnemonic::In, port(op, state), N / 8)?;
    state.ask_port(Request::In {
        port: port(op, state),
        size: (N / 8) as u8,
    })
}

pub(super) fn output<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_port(Mnemonic::Out, port(op, state), N / 8)?;
    state.ask_port(Request::Out {
        port: port(op, state),
        size: (N / 8) as u8,
        value: state.registers.get::<N>(EAX),
    })
}

/// Pushes the facts of one INS or OUTS iteration; returns whether there is an iteration to make.
fn string_facts(op: &MicroOp, state: &mut State, source: u32, destination: u32, step: u32) -> bool {
    if !op.repeats() {
        state.facts.push(source | destination);
        return true;
    }
    let left = state.registers.general[ECX] & op.offset_mask != 0;
    for word in [source, destination, u32::from(left), step] {
        state.facts.push(word);
    }
    left
}

/// The mnemonic for elements of `bits`, out of those for bytes, words and dwords.
const fn string_mnemonic(bits: u32, [byte, word, dword]: [Mnemonic; 3]) -> Mnemonic {
    match bits {
        8 => byte,
        16 => word,
        _ => dword,
    }
}

/// INS, which requests one element at a time.
pub(super) fn input_string<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let mnemonic = string_mnemonic(N, [Mnemonic::Insb, Mnemonic::Insw, Mnemonic::Insd]);
    state.need_port(mnemonic, port(op, state), N / 8)?;
    let offset = state.registers.general[EDI] & op.offset_mask;
    let linear = state.registers.segments[ES].base().wrapping_add(offset);
    let step = state.string_step(N);
    if !string_facts(op, state, 0, linear, step) {
        return Ok(());
    }
    // The port must not be read if the value cannot be stored.
    state.probe_store(DESTINATION, offset, N / 8)?;
    state.ask_port(Request::In {
        port: port(op, state),
        size: (N / 8) as u8,
    })
}

/// OUTS, which requests to write one element at a time.
pub(super) fn output_string<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let mnemonic = string_mnemonic(N, [Mnemonic::Outsb, Mnemonic::Outsw, Mnemonic::Outsd]);
    state.need_port(mnemonic, port(op, state), N / 8)?;
    let offset = state.registers.general[ESI] & op.offset_mask;
    let base = state.registers.segments[usize::from(op.segment())].base();
    let step = state.string_step(N);
    if !string_facts(op, state, base.wrapping_add(offset), 0, step) {
        return Ok(());
    }
    let linear = state.load_address(op.segment(), offset, N / 8)?;
    let value = state.read_linear::<N>(op.segment(), linear)?;
    state.ask_port(Request::Out {
        port: port(op, state),
        size: (N / 8) as u8,
        value,
    })
}

impl MicroOp {
    fn repeats(&self) -> bool {
        self.segment_repeat & (super::REPEAT_EQUAL | super::REPEAT_NOT_EQUAL) != 0
    }
}

/// Completes an operation after its request has been served. `dest` is the size of the element in bytes.
pub(super) fn finish(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.input;
    let step = state.string_step(u32::from(op.dest) * 8);
    match op.source {
        INPUT => {
            match op.dest {
                1 => state.registers.put::<8>(EAX, value),
                2 => state.registers.put::<16>(EAX, value),
                _ => state.registers.put::<32>(EAX, value),
            }
            return Ok(());
        }
        INPUT_STRING => {
            let offset = state.registers.general[EDI] & op.offset_mask;
            let linear = state.store_address(DESTINATION, offset, u32::from(op.dest))?;
            match op.dest {
                1 => state.write_linear::<8>(DESTINATION, linear, value)?,
                2 => state.write_linear::<16>(DESTINATION, linear, value)?,
                _ => state.write_linear::<32>(DESTINATION, linear, value)?,
            }
            state.advance(EDI, step, op.offset_mask);
        }
        OUTPUT_STRING => state.advance(ESI, step, op.offset_mask),
        _ => return Ok(()),
    }
    if op.repeats() {
        state.advance(ECX, u32::MAX, op.offset_mask);
        if state.registers.general[ECX] & op.offset_mask != 0 {
            state.registers.eip = op.address;
            state.facts.next = op.address;
        }
    }
    Ok(())
}

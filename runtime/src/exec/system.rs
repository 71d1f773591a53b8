//! System instructions: privilege, control registers, tables, ports, and everything requested from the caller.

use super::string::{EDI, ESI};
use super::{Flow, Leave, MicroOp, Request, State};
use crate::fault::{Fault, FaultCause, SelectorFault, SystemRegister, Vector};
use crate::registers::{
    CR0_AM, CR0_CD, CR0_EM, CR0_ET, CR0_MP, CR0_NE, CR0_NW, CR0_PE, CR0_PG, CR0_TS, CR0_WP, CR4_PCE, CR4_TSD, ES,
    TableRegister,
};
use iced_x86::Mnemonic;

const EAX: u8 = 0;
const ECX: usize = 1;
const EDX: u8 = 2;
const DESTINATION: u8 = ES as u8;

/// What [`finish`] has to do, in `source` of an operation.
pub(super) const PLAIN: u8 = 0;
pub(super) const INPUT: u8 = 1;
pub(super) const INPUT_STRING: u8 = 2;
pub(super) const OUTPUT_STRING: u8 = 3;

impl State {
    #[cold]
    pub(super) fn protection(&mut self, cause: FaultCause) -> Leave {
        self.raise(Fault::new(Vector::GeneralProtection, Some(0), cause))
    }

    fn need_level_0(&mut self, mnemonic: Mnemonic) -> Flow {
        let cpl = self.registers.cpl;
        if cpl != 0 {
            return Err(self.protection(FaultCause::Privileged { mnemonic, cpl }));
        }
        Ok(())
    }

    /// For MOV to and from a control or debug register.
    fn need_level_0_for(&mut self, register: SystemRegister) -> Flow {
        let cpl = self.registers.cpl;
        if cpl != 0 {
            return Err(self.protection(FaultCause::PrivilegedMove { register, cpl }));
        }
        Ok(())
    }

    /// For instructions that need CPL <= IOPL; there is no I/O permission map.
    pub(super) fn need_io(&mut self, mnemonic: Mnemonic) -> Flow {
        let (cpl, iopl) = (self.registers.cpl, self.registers.iopl());
        if cpl > iopl {
            return Err(self.protection(FaultCause::IoPrivilege { mnemonic, cpl, iopl }));
        }
        Ok(())
    }
}

pub(super) fn hlt(_: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Hlt)?;
    state.ask(Request::Halt)
}

pub(super) fn rdtsc(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.cr4 & CR4_TSD != 0 && state.registers.cpl != 0 {
        return Err(state.protection(FaultCause::TimeStampDisabled));
    }
    state.ask(Request::ReadTimeStampCounter)
}

pub(super) fn rdmsr(_: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Rdmsr)?;
    state.ask(Request::ReadMsr)
}

pub(super) fn wrmsr(_: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Wrmsr)?;
    state.ask(Request::WriteMsr)
}

pub(super) fn rdpmc(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.cr4 & CR4_PCE == 0 && state.registers.cpl != 0 {
        return Err(state.protection(FaultCause::CountersDisabled));
    }
    state.ask(Request::ReadCounter)
}

pub(super) fn cpuid(_: &MicroOp, state: &mut State) -> Flow {
    state.ask(Request::Cpuid)
}

pub(super) fn interrupt(op: &MicroOp, state: &mut State) -> Flow {
    let vector = op.immediate as u8;
    state.ask(Request::Interrupt { vector })
}

pub(super) fn breakpoint(_: &MicroOp, state: &mut State) -> Flow {
    Err(state.raise(Fault::new(Vector::Breakpoint, None, FaultCause::BreakpointInstruction)))
}

pub(super) fn debug_interrupt(_: &MicroOp, state: &mut State) -> Flow {
    Err(state.raise(Fault::new(Vector::Debug, None, FaultCause::DebugInstruction)))
}

pub(super) fn into(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.flags.overflow() {
        return Err(state.raise(Fault::new(Vector::Overflow, None, FaultCause::Overflow)));
    }
    Ok(())
}

/// BOUND: two signed bounds in memory, both inclusive.
pub(super) fn bound<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.offset(op);
    let signed = |value| crate::registers::sign_extend::<N>(value) as i32;
    let outside = Fault::new(Vector::BoundRange, None, FaultCause::OutOfBounds);
    let index = signed(state.registers.get::<N>(op.dest));
    // Silicon does not read the upper bound, which may be in another page, if the lower one is not kept.
    if index < signed(state.load_at::<N>(op.segment(), offset)?) {
        return Err(state.raise(outside));
    }
    if index > signed(state.load_at::<N>(op.segment(), offset.wrapping_add(N / 8) & op.offset_mask)?) {
        return Err(state.raise(outside));
    }
    Ok(())
}

/// Sets CR0; its undefined bits stay 0.
fn set_cr0(state: &mut State, value: u32) -> Flow {
    if value & (CR0_PG | CR0_PE) == CR0_PG {
        return Err(state.protection(FaultCause::PagingWithoutProtection));
    }
    if value & (CR0_NW | CR0_CD) == CR0_NW {
        return Err(state.protection(FaultCause::NotWriteThroughWithoutCacheDisable));
    }
    let defined = CR0_PE | CR0_MP | CR0_EM | CR0_TS | CR0_NE | CR0_WP | CR0_AM | CR0_NW | CR0_CD | CR0_PG;
    state.registers.cr0 = (value & defined) | CR0_ET;
    state.ask(Request::ControlRegisterWritten { register: 0 })
}

/// MOV CRn, general register `dest`; n is `immediate`.
pub(super) fn write_control(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0_for(SystemRegister::Control)?;
    let value = state.registers.get::<32>(op.dest);
    let register = op.immediate as u8;
    match register {
        0 => return set_cr0(state, value),
        2 => state.registers.cr2 = value,
        3 => state.registers.cr3 = value,
        _ => {
            if value & !op.displacement != 0 {
                return Err(state.protection(FaultCause::UndefinedCr4Bit));
            }
            state.registers.cr4 = value;
        }
    }
    state.ask(Request::ControlRegisterWritten { register })
}

/// MOV general register `dest`, CRn; n is `immediate`.
pub(super) fn read_control(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0_for(SystemRegister::Control)?;
    let value = match op.immediate {
        0 => state.registers.cr0,
        2 => state.registers.cr2,
        3 => state.registers.cr3,
        _ => state.registers.cr4,
    };
    state.registers.put::<32>(op.dest, value);
    Ok(())
}

/// The debug register `immediate`: 4 and 5 are 6 and 7 unless CR4.DE rejects them.
fn debug_register(op: &MicroOp, state: &mut State) -> Result<usize, Leave> {
    const CR4_DE: u32 = 1 << 3;
    let number = (op.immediate & 7) as usize;
    if number != 4 && number != 5 {
        return Ok(number);
    }
    if state.registers.cr4 & CR4_DE != 0 {
        return Err(state.raise(Fault::new(
            Vector::InvalidOpcode,
            None,
            FaultCause::UndefinedDebugRegister,
        )));
    }
    Ok(number + 2)
}

pub(super) fn write_debug(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0_for(SystemRegister::Debug)?;
    let number = debug_register(op, state)?;
    let value = state.registers.get::<32>(op.dest);
    state.registers.dr[number] = match number {
        6 => (value & 0xE00F) | 0xFFFF_0FF0,
        7 => (value & 0xFFFF_2BFF) | 0x400,
        _ => value,
    };
    state.ask(Request::DebugRegisterWritten { register: number as u8 })
}

pub(super) fn read_debug(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0_for(SystemRegister::Debug)?;
    let number = debug_register(op, state)?;
    let value = state.registers.dr[number];
    state.registers.put::<32>(op.dest, value);
    Ok(())
}

pub(super) fn clts(_: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Clts)?;
    state.registers.cr0 &= !CR0_TS;
    state.ask(Request::ControlRegisterWritten { register: 0 })
}

/// LMSW: the low four bits of CR0; it can set PE but not clear it.
pub(super) fn lmsw(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Lmsw)?;
    let value = state.read_dest::<16>(op)?;
    let kept = state.registers.cr0 & !(CR0_MP | CR0_EM | CR0_TS);
    state.registers.cr0 = kept | (value & 0xF);
    state.ask(Request::ControlRegisterWritten { register: 0 })
}

/// SMSW; memory takes 16 bits.
pub(super) fn smsw<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.registers.cr0;
    state.write_dest::<N>(op, value)?;
    state.settle()
}

pub(super) fn invalidate_caches<const WRITE_BACK: bool>(_: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(if WRITE_BACK { Mnemonic::Wbinvd } else { Mnemonic::Invd })?;
    state.ask(Request::InvalidateCaches { write_back: WRITE_BACK })
}

/// INVLPG accesses no memory, so it pushes no fact.
pub(super) fn invalidate_page(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Invlpg)?;
    let offset = state.offset(op);
    let base = state.registers.segments[usize::from(op.segment())].base();
    let address = base.wrapping_add(offset);
    state.ask(Request::InvalidatePage { address })
}

/// LGDT, and LIDT if `INTERRUPT`; with 16-bit operands the base has 24 bits.
pub(super) fn load_table<const INTERRUPT: bool, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(if INTERRUPT { Mnemonic::Lidt } else { Mnemonic::Lgdt })?;
    let offset = state.offset(op);
    let limit = state.load_at::<16>(op.segment(), offset)? as u16;
    let base = state.load_at::<32>(op.segment(), offset.wrapping_add(2) & op.offset_mask)?;
    let base = if N == 16 { base & 0x00FF_FFFF } else { base };
    let table = if INTERRUPT {
        &mut state.registers.idtr
    } else {
        &mut state.registers.gdtr
    };
    *table = TableRegister { base, limit };
    Ok(())
}

pub(super) fn store_table<const INTERRUPT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let table = if INTERRUPT {
        state.registers.idtr
    } else {
        state.registers.gdtr
    };
    let offset = state.offset(op);
    let second = offset.wrapping_add(2) & op.offset_mask;
    state.store_at::<16>(op.segment(), offset, u32::from(table.limit))?;
    state.store_at::<32>(op.segment(), second, table.base)?;
    state.settle()
}

/// LLDT: there is no local table, so only a null selector can be loaded.
pub(super) fn lldt(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Lldt)?;
    let selector = state.read_dest::<16>(op)? as u16;
    if selector & !3 != 0 {
        return Err(state.selector_fault(selector, SelectorFault::NoLocalTable));
    }
    state.registers.ldtr = selector;
    Ok(())
}

/// LTR: there is no task segment to load.
pub(super) fn ltr(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Ltr)?;
    let selector = state.read_dest::<16>(op)? as u16;
    Err(state.selector_fault(selector, SelectorFault::NoTask))
}

/// SLDT, and STR if `TASK`; memory takes 16 bits.
pub(super) fn store_system_selector<const TASK: bool, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = if TASK {
        state.registers.task
    } else {
        state.registers.ldtr
    };
    state.write_dest::<N>(op, u32::from(selector))?;
    state.settle()
}

/// The port number: `immediate`, or DX if that is above FFh.
fn port(op: &MicroOp, state: &State) -> u16 {
    u8::try_from(op.immediate).map_or(state.registers.get::<16>(EDX) as u16, u16::from)
}

/// The value of `immediate` if the port is in DX.
pub(super) const PORT_IN_DX: u32 = 0x100;

pub(super) fn input<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_io(Mnemonic::In)?;
    state.ask(Request::In {
        port: port(op, state),
        size: (N / 8) as u8,
    })
}

pub(super) fn output<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_io(Mnemonic::Out)?;
    state.ask(Request::Out {
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

/// Which of the mnemonics for bytes, words and dwords has elements of `bits`.
const fn string_mnemonic(bits: u32, [byte, word, dword]: [Mnemonic; 3]) -> Mnemonic {
    match bits {
        8 => byte,
        16 => word,
        _ => dword,
    }
}

/// INS: asks for one element at a time.
pub(super) fn input_string<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_io(string_mnemonic(N, [Mnemonic::Insb, Mnemonic::Insw, Mnemonic::Insd]))?;
    let offset = state.registers.general[EDI] & op.offset_mask;
    let linear = state.registers.segments[ES].base().wrapping_add(offset);
    let step = state.string_step(N);
    if !string_facts(op, state, 0, linear, step) {
        return Ok(());
    }
    // A port must not be read if the value cannot be stored.
    state.probe_store(DESTINATION, offset, N / 8)?;
    state.ask(Request::In {
        port: port(op, state),
        size: (N / 8) as u8,
    })
}

/// OUTS: writes one element at a time.
pub(super) fn output_string<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.need_io(string_mnemonic(N, [Mnemonic::Outsb, Mnemonic::Outsw, Mnemonic::Outsd]))?;
    let offset = state.registers.general[ESI] & op.offset_mask;
    let base = state.registers.segments[usize::from(op.segment())].base();
    let step = state.string_step(N);
    if !string_facts(op, state, base.wrapping_add(offset), 0, step) {
        return Ok(());
    }
    let linear = state.load_address(op.segment(), offset, N / 8)?;
    let value = state.read_linear::<N>(op.segment(), linear)?;
    state.ask(Request::Out {
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

/// What remains to be done after a request has been served. `dest` is the size of the element in bytes.
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

//! System instructions: privilege, control registers, tables, and all requests to the caller except accesses to ports.

use super::descriptors::LOCAL;
use super::{Flow, Leave, MicroOp, Request, State};
use iced_x86::Mnemonic;
use p5_words::descriptor::{Descriptor, system};
use p5_words::facts::Route;
use p5_words::fault::{Fault, FaultCause, SelectorFault, SystemRegister, Vector};
use p5_words::mode::Operation;
use p5_words::registers::{
    CR0_AM, CR0_CD, CR0_EM, CR0_ET, CR0_MP, CR0_NE, CR0_NW, CR0_PE, CR0_PG, CR0_TS, CR0_WP, CR4_DE, CR4_PCE, CR4_TSD,
    SystemSegment, TableRegister,
};

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

    /// Checks privilege for MOV to and from a control or debug register.
    fn need_level_0_for(&mut self, register: SystemRegister) -> Flow {
        let cpl = self.registers.cpl;
        if cpl != 0 {
            return Err(self.protection(FaultCause::PrivilegedMove { register, cpl }));
        }
        Ok(())
    }

    /// Checks privilege for instructions that virtual 8086 mode allows only at IOPL 3.
    pub(super) fn need_virtual_level(&mut self, mnemonic: Mnemonic) -> Flow {
        let iopl = self.registers.iopl();
        if iopl < 3 && self.registers.operation() == Operation::Virtual {
            return Err(self.protection(FaultCause::VirtualPrivilege { mnemonic, iopl }));
        }
        Ok(())
    }

    /// Checks privilege for instructions that need CPL <= IOPL.
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

/// RDTSC, and RDTSCP if `AUXILIARY`.
pub(super) fn rdtsc<const AUXILIARY: bool>(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.cr4 & CR4_TSD != 0 && state.registers.cpl != 0 {
        return Err(state.protection(FaultCause::TimeStampDisabled));
    }
    state.ask(Request::ReadTimeStampCounter { auxiliary: AUXILIARY })
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
    state.need_virtual_level(Mnemonic::Int)?;
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
    let signed = |value| p5_words::registers::sign_extend::<N>(value) as i32;
    let outside = Fault::new(Vector::BoundRange, None, FaultCause::OutOfBounds);
    let index = signed(state.registers.get::<N>(op.dest));
    // Silicon does not read the upper bound, which may be in another page, if the index is below the lower one.
    if index < signed(state.load_at::<N>(op.segment(), offset)?) {
        return Err(state.raise(outside));
    }
    if index > signed(state.load_at::<N>(op.segment(), offset.wrapping_add(N / 8) & op.offset_mask)?) {
        return Err(state.raise(outside));
    }
    Ok(())
}

/// Sets CR0, whose undefined bits stay 0.
fn set_cr0(state: &mut State, value: u32) -> Flow {
    if value & (CR0_PG | CR0_PE) == CR0_PG {
        return Err(state.protection(FaultCause::PagingWithoutProtection));
    }
    if value & (CR0_NW | CR0_CD) == CR0_NW {
        return Err(state.protection(FaultCause::NotWriteThroughWithoutCacheDisable));
    }
    let defined = CR0_PE | CR0_MP | CR0_EM | CR0_TS | CR0_NE | CR0_WP | CR0_AM | CR0_NW | CR0_CD | CR0_PG;
    state.registers.cr0 = (value & defined) | CR0_ET;
    state.facts.mode_changed = true;
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

/// The number of the debug register in `immediate`: 4 and 5 mean 6 and 7 unless CR4.DE rejects them.
fn debug_register(op: &MicroOp, state: &mut State) -> Result<usize, Leave> {
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
    state.need_unguarded()?;
    let number = debug_register(op, state)?;
    let value = state.registers.get::<32>(op.dest);
    state.registers.dr[number] = match number {
        6 => (value & 0xE00F) | 0xFFFF_0FF0,
        7 => (value & 0xFFFF_2BFF) | 0x400,
        _ => value,
    };
    state.arm();
    state.ask(Request::DebugRegisterWritten { register: number as u8 })
}

pub(super) fn read_debug(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0_for(SystemRegister::Debug)?;
    state.need_unguarded()?;
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
    state.facts.mode_changed = true;
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
    let named = TableRegister { base, limit };
    let before = std::mem::replace(table, named);
    if !INTERRUPT && before != named {
        state.leave_table(false);
    }
    state.facts.mode_changed = true;
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

/// The descriptor of one of `kinds` in the global table, with its place, for LLDT and LTR.
fn system_segment(
    state: &mut State,
    selector: u16,
    kinds: &[u8],
    missing: SelectorFault,
) -> Result<(Descriptor, u32), Leave> {
    if !state.registers.has_tables() || selector & LOCAL != 0 {
        return Err(state.selector_fault(selector, missing));
    }
    let found = state.descriptor(Vector::GeneralProtection, selector)?;
    let chosen = found.descriptor;
    let Some(place) = found
        .place
        .filter(|_| !chosen.is_segment() && kinds.contains(&chosen.system_type()))
    else {
        return Err(state.selector_fault(selector, SelectorFault::WrongKind));
    };
    if !chosen.is_present() {
        return Err(state.selector_fault_of(Vector::SegmentNotPresent, selector, SelectorFault::NotPresent));
    }
    state.facts.route = Route::Descriptor;
    Ok((chosen, place))
}

/// LLDT. A null selector disables the local table.
pub(super) fn lldt(op: &MicroOp, state: &mut State) -> Flow {
    state.need_level_0(Mnemonic::Lldt)?;
    let selector = state.read_dest::<16>(op)? as u16;
    if selector & !3 == 0 {
        state.registers.ldtr = SystemSegment {
            selector,
            ..SystemSegment::default()
        };
        state.leave_table(true);
        return Ok(());
    }
    let (table, _) = system_segment(state, selector, &[system::LOCAL_TABLE], SelectorFault::NoLocalTable)?;
    let named = SystemSegment {
        selector,
        base: table.base(),
        limit: table.limit(),
        wide: false,
    };
    let before = std::mem::replace(&mut state.registers.ldtr, named);
    if (before.base, before.limit) != (named.base, named.limit) {
        state.leave_table(true);
    }
    Ok(())
}

/// LTR, which marks the task state segment as busy.
pub(super) fn ltr(op: &MicroOp, state: &mut State) -> Flow {
    const BUSY: u8 = 2;
    state.need_level_0(Mnemonic::Ltr)?;
    let selector = state.read_dest::<16>(op)? as u16;
    if selector & !3 == 0 && state.registers.has_tables() {
        return Err(state.selector_fault(0, SelectorFault::NoTask));
    }
    let kinds = [system::AVAILABLE_TASK, system::AVAILABLE_TASK | system::WIDE];
    let (task, place) = system_segment(state, selector, &kinds, SelectorFault::NoTask)?;
    state.write_system(place.wrapping_add(5), 1, u32::from(task.access() | BUSY))?;
    state.registers.task = SystemSegment {
        selector,
        base: task.base(),
        limit: task.limit(),
        wide: task.system_type() & system::WIDE != 0,
    };
    state.settle()
}

/// SLDT, and STR if `TASK`; memory takes 16 bits.
pub(super) fn store_system_selector<const TASK: bool, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let selector = if TASK {
        state.registers.task.selector
    } else {
        state.registers.ldtr.selector
    };
    state.write_dest::<N>(op, u32::from(selector))?;
    state.settle()
}

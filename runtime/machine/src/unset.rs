//! Why an instruction faulted: the registers of its operands, the one that no executed instruction has written, and the
//! one that holds the contents of a variable.

mod named;

use super::Machine;
use iced_x86::{
    Code, Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, OpAccess, OpKind, Register,
};
use p5_image::{ElementKind, Image, Start, SymbolKind};
use p5_results::{Blamed, Culprit, InstructionResult, ReadFrom, StopDetail, Unlisted};
use p5_words::fault::FaultCause;

impl Machine<'_> {
    /// Adds to a fault of memory or of a division the instruction that raised it, with the registers that it depends
    /// on.
    pub(super) fn blame_operands(&mut self) {
        let Some(StopDetail::Fault { cause, unlisted, .. }) = self.stop.detail else {
            return;
        };
        // Bytes that are no code of the program say nothing.
        if matches!(unlisted, Some(Unlisted::Strayed(_))) {
            return;
        }
        let divides = matches!(
            cause,
            FaultCause::DivisionByZero | FaultCause::QuotientTooLarge { .. } | FaultCause::Division
        );
        let addresses = matches!(
            cause,
            FaultCause::Page(_) | FaultCause::PastAddressSpace | FaultCause::PastLimit | FaultCause::Misaligned
        );
        let address = self.state.registers.eip;
        let (instruction, _) = self.instruction_at(address);
        let mut factory = InstructionInfoFactory::new();
        let info = factory.info(&instruction);
        let mut registers: Vec<Register> = match (divides, addresses) {
            (true, _) => {
                let used = info.used_registers().iter();
                used.map(|used| used.register()).collect()
            }
            (_, true) => {
                let used = info.used_memory().iter();
                used.flat_map(|used| [used.base(), used.index()]).collect()
            }
            _ => return,
        };
        // An instruction that could not be fetched has no operands to blame.
        if instruction.is_invalid() || addresses && registers.is_empty() {
            return;
        }
        registers.retain(|register| register.is_gpr());
        let mut numbers: Vec<u8> = registers
            .iter()
            .map(|register| register.full_register32().number() as u8)
            .collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut text = String::new();
        self.formatter().format(&instruction, &mut text);
        let function = self.function_of(address);
        let inlined = function.as_ref().and_then(|_| self.inlined_at(address));
        let value = |number: u8| (number, self.state.registers.general[usize::from(number)]);
        let culprit = Culprit {
            text,
            function,
            inlined,
            registers: numbers.into_iter().map(value).collect(),
            unset: None,
            narrow: addresses && self.is_narrow_address(&instruction),
            read: None,
        };
        self.stop.blamed = Some(Box::new(Blamed {
            operands: Some(culprit),
            ..Blamed::default()
        }));
    }

    /// The function that a compiler inlined at `address`, if it did, as rows of reports name it.
    fn inlined_at(&self, address: u32) -> Option<String> {
        let call = match self.image.own_place(address) {
            Some((_, call)) => call,
            None => self.image.inlined.at(address),
        };
        let name = self.image.inlined.name(call?)?;
        Some(name.to_string())
    }

    /// Adds to a fault of memory in a program with 32-bit code why a register of its address does not point at data, as
    /// far as the `executed` instructions tell: none of them has written it, or the only one that has read a variable.
    ///
    /// An index with a factor counts and points at nothing. Of two registers, the one that was written may be the one
    /// that points.
    pub(super) fn blame_pointer(&mut self, executed: &[InstructionResult]) {
        let Some(StopDetail::Fault { cause, address, .. }) = self.stop.detail else {
            return;
        };
        if !matches!(cause, FaultCause::Page(_) | FaultCause::PastAddressSpace) || self.image.start != Start::Flat {
            return;
        }
        let decoded = |address: u32| {
            let bytes = self.image.bytes_at(address);
            Decoder::with_ip(32, bytes, u64::from(address), DecoderOptions::NONE).decode()
        };
        let faulted = decoded(self.state.registers.eip);
        let mut factory = InstructionInfoFactory::new();
        let general = |part: Register| match part.is_gpr32() {
            true => self.state.registers.general[part.number()],
            false => 0,
        };
        let accesses = factory.info(&faulted).used_memory();
        let used = match accesses {
            [only] => Some(*only),
            // MOVS and CMPS have two.
            _ => accesses.iter().copied().find(|used| {
                let index = general(used.index()).wrapping_mul(used.scale());
                let sum = general(used.base()).wrapping_add(index);
                address == Some(sum.wrapping_add(used.displacement() as u32))
            }),
        };
        // With the address of data as the displacement, the registers count from there.
        let Some(used) = used.filter(|used| !self.image.holds(used.displacement() as u32)) else {
            return;
        };
        let index = (used.scale() <= 1).then_some(used.index());
        let mut parts: Vec<Register> = [used.base()].into_iter().chain(index).collect();
        parts.retain(|part| part.is_gpr() && part.full_register32() != Register::ESP);
        let mut parts: Vec<Pointer> = parts.into_iter().map(Pointer::of).collect();
        for part in &mut parts {
            part.preset = self.image.preset.registers[part.register.number()].is_some();
        }
        for one in executed.iter().filter(|one| one.executions > 0) {
            let instruction = decoded(one.address);
            let written = writes(&instruction, &mut factory);
            for part in parts.iter_mut().filter(|part| written.contains(&part.register)) {
                part.writers += 1;
                part.last = Some((instruction, one.outermost));
            }
        }
        let zero = |part: &&Pointer| self.state.registers.general[part.register.number()] == 0;
        let unset = parts.iter().find(zero).map(|part| part.register.number() as u8);
        let unset = unset.filter(|_| parts.iter().all(|part| part.writers == 0 && !part.preset));
        let value = |part: &Pointer| self.state.registers.general[part.register.number()];
        let read = parts.iter().find_map(|part| part.read_from(self.image, value(part)));
        let blamed = self.stop.blamed.as_mut();
        if let Some(culprit) = blamed.and_then(|blamed| blamed.operands.as_mut()) {
            (culprit.unset, culprit.read) = (unset, read);
        }
    }
}

impl Machine<'_> {
    /// Whether flat code addresses memory by 16-bit registers.
    fn is_narrow_address(&self, instruction: &Instruction) -> bool {
        let parts = [instruction.memory_base(), instruction.memory_index()];
        self.image.start == Start::Flat && parts.iter().any(|part| part.is_gpr16())
    }
}

/// A register of an address that faulted, and the instructions that have written it.
struct Pointer {
    register: Register,
    preset: bool,
    writers: usize,
    last: Option<(Instruction, Option<(u32, u32)>)>,
}

impl Pointer {
    fn of(part: Register) -> Pointer {
        Pointer {
            register: part.full_register32(),
            preset: false,
            writers: 0,
            last: None,
        }
    }

    /// The variable that the only instruction which has written the register has read; `None` if that is an address of
    /// the program, as `value` is then.
    fn read_from(&self, image: &Image, value: u32) -> Option<ReadFrom> {
        let (instruction, place) = self.last.filter(|_| self.writers == 1 && !image.holds(value))?;
        let loads = matches!(instruction.code(), Code::Mov_r32_rm32 | Code::Mov_EAX_moffs32);
        let fixed = instruction.op1_kind() == OpKind::Memory
            && instruction.memory_base() == Register::None
            && instruction.memory_index() == Register::None;
        let address = instruction.memory_displacement32();
        let variable = image.symbols.iter().find(|symbol| {
            let data = matches!(symbol.kind, SymbolKind::Data { kind, .. } if kind != ElementKind::Address);
            data && !symbol.library && symbol.value == address && !symbol.name.is_empty()
        });
        Some(ReadFrom {
            register: self.register.number() as u8,
            variable: variable.filter(|_| loads && fixed)?.name.clone(),
            place,
        })
    }
}

/// The general registers that an instruction writes, also in part.
fn writes(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Vec<Register> {
    let written = |access: OpAccess| {
        !matches!(
            access,
            OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
        )
    };
    let used = factory.info(instruction).used_registers().iter();
    let used = used.filter(|used| used.register().is_gpr() && written(used.access()));
    used.map(|used| used.register().full_register32()).collect()
}

//! Why an instruction faulted: the registers of its operands, and the one that no executed instruction has written.

use super::Machine;
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, InstructionInfoFactory, OpAccess, Register};
use p5_image::Start;
use p5_results::{Blamed, Culprit, InstructionResult, StopDetail, Unlisted};
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
            FaultCause::DivisionByZero | FaultCause::QuotientTooLarge | FaultCause::Division
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
        let value = |number: u8| (number, self.state.registers.general[usize::from(number)]);
        let culprit = Culprit {
            text,
            function,
            registers: numbers.into_iter().map(value).collect(),
            unset: None,
        };
        self.stop.blamed = Some(Box::new(Blamed {
            operands: Some(culprit),
            ..Blamed::default()
        }));
    }

    /// Adds to a fault of memory in a program with 32-bit code the register of its address that none of the `executed`
    /// instructions has written, if there is one.
    pub(super) fn blame_unset(&mut self, executed: &[InstructionResult]) {
        let Some(StopDetail::Fault { cause, .. }) = self.stop.detail else {
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
        let info = factory.info(&faulted);
        let mut parts: Vec<Register> = info
            .used_memory()
            .iter()
            .flat_map(|used| [used.base(), used.index()])
            .collect();
        parts.retain(|part| part.is_gpr() && part.full_register32() != Register::ESP);
        parts.retain(|part| self.image.preset.registers[part.full_register32().number()].is_none());
        for one in executed.iter().filter(|one| one.executions > 0) {
            let written = writes(&decoded(one.address), &mut factory);
            parts.retain(|part| !written.contains(&part.full_register32()));
        }
        let zero = |part: &&Register| self.state.registers.general[part.full_register32().number()] == 0;
        let unset = parts.iter().find(zero);
        let blamed = self.stop.blamed.as_mut();
        if let Some(culprit) = blamed.and_then(|blamed| blamed.operands.as_mut()) {
            culprit.unset = unset.map(|part| part.full_register32().number() as u8);
        }
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

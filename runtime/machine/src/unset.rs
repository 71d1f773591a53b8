//! Why an access went astray: a register of its address that no executed instruction has written.

use super::Machine;
use iced_x86::{Decoder, DecoderOptions, Instruction, InstructionInfoFactory, OpAccess, Register};
use p5_image::Start;
use p5_results::{InstructionResult, StopDetail};
use p5_words::fault::FaultCause;

impl Machine<'_> {
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
        self.stop.unset = parts
            .iter()
            .find(zero)
            .map(|part| part.full_register32().number() as u8);
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

//! The registers that a fragment reads before it writes them, and for which nothing is chosen: they begin with 0.

use super::Choice;
use super::value::{ESP, Origin};
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, Register};
use p5_image::{Assumed, Place};

impl Choice<'_> {
    /// They in their order. Not among them are those that are given, that are only saved, or whose value does not
    /// matter to what reads them.
    pub(super) fn zeroes(&self) -> Vec<Assumed> {
        let mut factory = InstructionInfoFactory::new();
        let mut read = [false; 8];
        for (instruction, state) in self.flow.code.iter().zip(&self.flow.states) {
            let Some(state) = state.as_ref().filter(|_| depends(instruction)) else {
                continue;
            };
            for used in factory.info(instruction).used_registers() {
                let register = used.register();
                let reads = !matches!(used.access(), OpAccess::Write | OpAccess::CondWrite | OpAccess::None);
                if !register.is_gpr() || !reads {
                    continue;
                }
                let value = state.value(register);
                // Of a part of a register it is not known whether that part has been written.
                let origins = match self.flow.width.is_whole(register.size()) {
                    true => value.sum | value.other,
                    false => value
                        .exact
                        .and_then(|(origin, _)| origin)
                        .map_or(0, |origin| 1 << origin),
                };
                let first = |number: &usize| origins >> number & 1 != 0;
                (0..read.len()).filter(first).for_each(|number| read[number] = true);
            }
        }
        let zero = |number: u8| {
            let at = usize::from(number);
            let own = self.flow.origins.get(at) == Some(&Origin::Register(number));
            own && number != ESP && read[at] && self.values[at].is_none() && self.preset.registers[at].is_none()
        };
        let zeroes = (0..read.len() as u8).filter(|&number| zero(number));
        zeroes
            .map(|number| Assumed::Number {
                place: Place::Register(number),
                value: 0,
            })
            .collect()
    }
}

/// Whether what an instruction does depends on the registers that it reads.
fn depends(instruction: &Instruction) -> bool {
    let first = instruction.op0_register();
    let with_itself = first != Register::None && instruction.op_count() == 2 && first == instruction.op1_register();
    let number = || instruction.try_immediate(1).ok();
    match instruction.mnemonic() {
        Mnemonic::Xor | Mnemonic::Sub | Mnemonic::Sbb | Mnemonic::Mov | Mnemonic::Xchg => !with_itself,
        // What compilers fill up with.
        Mnemonic::Lea => {
            let itself = instruction.memory_base() == first || instruction.memory_index() == first;
            let alone = instruction.memory_base() == Register::None || instruction.memory_index() == Register::None;
            let plain = alone && instruction.memory_index_scale() == 1 && instruction.memory_displacement32() == 0;
            !(itself && plain)
        }
        Mnemonic::And => number() != Some(0),
        Mnemonic::Or => number().is_none_or(|number| number.trailing_ones() < 8 * first.size().max(1) as u32),
        Mnemonic::Push | Mnemonic::Pusha | Mnemonic::Pushad | Mnemonic::Int => false,
        _ => true,
    }
}

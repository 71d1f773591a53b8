//! The properties of an instruction that only its decoded form shows.

use iced_x86::{FlowControl, Instruction, Mnemonic};
use p5_chips::{Class, Model};
use p5_results::Flow;
use p5_timing::block::{Op, is_short_store};
use p5_timing::pipeline::Decoded;

pub(super) fn decoded(model: &'static Model, op: &Op, instruction: &Instruction) -> Decoded {
    let flow = instruction.flow_control();
    let direct = matches!(
        flow,
        FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch | FlowControl::Call
    );
    Decoded {
        flow: match flow {
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch | FlowControl::IndirectBranch => {
                Flow::Jump
            }
            FlowControl::Call | FlowControl::IndirectCall => Flow::Call,
            FlowControl::Return if !matches!(instruction.mnemonic(), Mnemonic::Iret | Mnemonic::Iretd) => Flow::Return,
            _ => Flow::Next,
        },
        to_next: direct && instruction.near_branch_target() == instruction.next_ip(),
        target: direct.then(|| {
            let base = op.address.wrapping_sub(op.mode.offset(op.address));
            base.wrapping_add(instruction.near_branch_target() as u32)
        }),
        falls_through: !matches!(
            flow,
            FlowControl::UnconditionalBranch
                | FlowControl::IndirectBranch
                | FlowControl::Return
                | FlowControl::Exception
        ),
        short_store: is_short_store(instruction.code()),
        other_form_pairs: (model.all_rows())
            .filter(|row| row.mnemonics.contains(&instruction.mnemonic()))
            .any(|row| !matches!(row.class, Class::Np | Class::Fx)),
        // The low byte has the flags that the bound follows; only PUSHF reads the others.
        flags: [instruction.rflags_read(), instruction.rflags_modified()].map(|flags| flags as u8),
    }
}

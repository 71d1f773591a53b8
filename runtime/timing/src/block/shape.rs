//! The memory accesses, stack use and control flow of an instruction, as far as timing depends on them.

use super::form::{by_one, has_memory, is_direct, is_far, segment_operand};
use super::{Access, Accesses, Branch, Repeated, Stack};
use iced_x86::{Code, FlowControl, Instruction, Mnemonic};
use p5_chips::{Prefixes, Row};
use p5_words::fpu::{ENVIRONMENT_WORDS, STACK};
use p5_words::isa::is_prefix;

/// The bytes of an 80-bit real or packed decimal, which takes two accesses.
const EXTENDED: usize = 10;

/// The number of prefixes of each kind.
pub(super) fn prefixes(bytes: &[u8]) -> Prefixes<u8> {
    let legacy = bytes.iter().take_while(|&&byte| is_prefix(byte)).count();
    let size = bytes[..legacy]
        .iter()
        .filter(|byte| matches!(byte, 0x66 | 0x67))
        .count();
    let escape = bytes.get(legacy) == Some(&0x0F) && !matches!(bytes.get(legacy + 1), Some(0x80..=0x8F));
    Prefixes {
        size: size as u8,
        escape: u8::from(escape),
        other: (legacy - size) as u8,
    }
}

pub(super) fn branch(instruction: &Instruction) -> Branch {
    match instruction.flow_control() {
        FlowControl::ConditionalBranch => Branch::Conditional,
        FlowControl::Interrupt => Branch::Far,
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Call
        | FlowControl::IndirectCall
        | FlowControl::Return => {
            let far = matches!(
                instruction.mnemonic(),
                Mnemonic::Retf | Mnemonic::Iret | Mnemonic::Iretd
            ) || is_far(instruction);
            match instruction.flow_control() {
                _ if far => Branch::Far,
                FlowControl::Call | FlowControl::IndirectCall => Branch::Call,
                FlowControl::Return => Branch::Return,
                _ => Branch::Near,
            }
        }
        _ => Branch::None,
    }
}

pub(super) fn stack(instruction: &Instruction) -> Stack {
    match instruction.mnemonic() {
        Mnemonic::Push if !has_memory(instruction) && !segment_operand(instruction, 0) => Stack::Push,
        Mnemonic::Pop if !has_memory(instruction) && !segment_operand(instruction, 0) => Stack::Pop,
        Mnemonic::Call if is_direct(instruction) => Stack::Call,
        _ => Stack::None,
    }
}

/// Whether the instruction loads a segment or descriptor table register (event 0Fh).
pub(super) fn loads_segment(instruction: &Instruction) -> bool {
    use Mnemonic::{Iret, Iretd, Lds, Les, Lfs, Lgdt, Lgs, Lidt, Lldt, Lss, Ltr, Retf};
    (matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Pop) && segment_operand(instruction, 0))
        || matches!(
            instruction.mnemonic(),
            Lds | Les | Lfs | Lgs | Lss | Lgdt | Lidt | Lldt | Ltr | Retf | Iret | Iretd
        )
        || is_far(instruction)
}

/// Whether the state of the processor decides on some of its accesses.
pub(super) fn looks_up(instruction: &Instruction) -> bool {
    use Mnemonic::{Lar, Lsl, Verr, Verw};
    loads_segment(instruction)
        || accesses_io(instruction)
        || instruction.flow_control() == FlowControl::Interrupt
        || matches!(instruction.mnemonic(), Lar | Lsl | Verr | Verw)
}

pub(super) fn accesses_io(instruction: &Instruction) -> bool {
    use Mnemonic::{In, Insb, Insd, Insw};
    matches!(instruction.mnemonic(), In | Insb | Insw | Insd) || writes_port(instruction)
}

pub(super) fn writes_port(instruction: &Instruction) -> bool {
    use Mnemonic::{Out, Outsb, Outsd, Outsw};
    matches!(instruction.mnemonic(), Out | Outsb | Outsw | Outsd)
}

/// Whether the instruction counts as a branch although it does not use the branch target buffer. As on silicon, these
/// are far transfers, serialising instructions, VERR and VERW.
pub(super) fn counts_as_branch(instruction: &Instruction, row: &Row) -> bool {
    match branch(instruction) {
        Branch::Far => true,
        Branch::None => row.serializing || matches!(instruction.mnemonic(), Mnemonic::Verr | Mnemonic::Verw),
        Branch::Conditional | Branch::Near | Branch::Call | Branch::Return => false,
    }
}

/// Whether the instruction flushes the pipeline when taken. A far transfer has no entry in the branch target buffer,
/// but serialising instructions and software interrupts do not count as flushes.
pub(super) fn flushes(instruction: &Instruction, row: &Row) -> bool {
    branch(instruction) == Branch::Far && !row.serializing && instruction.flow_control() != FlowControl::Interrupt
}

/// Whether the instruction's facts end with a word that its clocks depend on: a count, or the circumstances of an
/// operation.
pub(super) fn counted(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Bsf, Bsr, Fadd, Faddp, Fdiv, Fdivp, Fdivr, Fdivrp, Fiadd, Fidiv, Fidivr, Fimul, Fisub, Fisubr, Fmul, Fmulp,
        Fsub, Fsubp, Fsubr, Fsubrp, Packssdw, Packsswb, Packuswb, Paddsb, Paddsw, Paddusb, Paddusw, Psubsb, Psubsw,
        Psubusb, Psubusw, Rcl, Rcr,
    };
    match instruction.mnemonic() {
        Bsf | Bsr => true,
        Rcl | Rcr => !by_one(instruction),
        Fadd | Faddp | Fsub | Fsubp | Fsubr | Fsubrp | Fmul | Fmulp | Fdiv | Fdivp | Fdivr | Fdivrp | Fiadd | Fisub
        | Fisubr | Fimul | Fidiv | Fidivr => true,
        Mnemonic::Fsqrt => true,
        Packssdw | Packsswb | Packuswb | Paddsb | Paddsw | Paddusb | Paddusw | Psubsb | Psubsw | Psubusb | Psubusw => {
            true
        }
        _ => false,
    }
}

/// The element accesses of a repeated string instruction.
pub(super) fn repeated(instruction: &Instruction) -> Option<Repeated> {
    if !(instruction.has_rep_prefix() || instruction.has_repne_prefix()) || !instruction.is_string_instruction() {
        return None;
    }
    let size = instruction.memory_size().size() as u8;
    let read = Some(Access { write: false, size });
    let write = Some(Access { write: true, size });
    use Mnemonic::*;
    Some(match instruction.mnemonic() {
        Movsb | Movsw | Movsd => Repeated {
            source: read,
            destination: write,
        },
        Cmpsb | Cmpsw | Cmpsd => Repeated {
            source: read,
            destination: read,
        },
        Stosb | Stosw | Stosd | Insb | Insw | Insd => Repeated {
            source: None,
            destination: write,
        },
        Scasb | Scasw | Scasd => Repeated {
            source: None,
            destination: read,
        },
        _ => Repeated {
            source: read,
            destination: None,
        },
    })
}

/// The data accesses, in the order `exec` makes them. [`p5_words::facts`] documents the contract.
pub(super) fn accesses(instruction: &Instruction, used: (bool, bool)) -> Accesses {
    use Mnemonic::*;
    let read = |size: usize| Access {
        write: false,
        size: size as u8,
    };
    let write = |size: usize| Access {
        write: true,
        size: size as u8,
    };
    let memory = instruction.memory_size().size();
    let stack_size = match instruction.stack_pointer_increment().unsigned_abs() as usize {
        0 => 4,
        bytes => bytes,
    };
    match instruction.mnemonic() {
        Push if has_memory(instruction) => Accesses::from([read(memory), write(stack_size)]),
        Push => Accesses::from([write(stack_size)]),
        Pop if has_memory(instruction) => Accesses::from([read(stack_size), write(memory)]),
        Pop => Accesses::from([read(stack_size)]),
        Pusha | Pushad => Accesses::from([write(stack_size / 8); 8]),
        Popa | Popad => Accesses::from([read(stack_size / 8); 8]),
        Pushf | Pushfd => Accesses::from([write(stack_size)]),
        Popf | Popfd => Accesses::from([read(stack_size)]),
        Call | Jmp => {
            let far = is_far(instruction);
            let word = if call_is_16_bit(instruction) { 2 } else { 4 };
            match (has_memory(instruction), instruction.mnemonic() == Call, far) {
                (false, false, _) => Accesses::NONE,
                (true, false, false) => Accesses::from([read(word)]),
                (true, false, true) => Accesses::from([read(word), read(2)]),
                (false, true, false) => Accesses::from([write(word)]),
                (false, true, true) => Accesses::from([write(word), write(word)]),
                (true, true, false) => Accesses::from([read(word), write(word)]),
                (true, true, true) => Accesses::from([read(word), read(2), write(word), write(word)]),
            }
        }
        Ret => Accesses::from([read(match instruction.code() {
            Code::Retnw | Code::Retnw_imm16 => 2,
            _ => 4,
        })]),
        Retf if matches!(instruction.code(), Code::Retfw | Code::Retfw_imm16) => Accesses::from([read(2); 2]),
        Retf => Accesses::from([read(4); 2]),
        Iret => Accesses::from([read(2); 3]),
        Iretd => Accesses::from([read(4); 3]),
        Enter => {
            let word = if instruction.code() == Code::Enterw_imm16_imm8 {
                2
            } else {
                4
            };
            let levels = instruction.immediate8_2nd() & 31;
            let mut list = vec![write(word)];
            for _ in 1..levels {
                list.push(read(word));
                list.push(write(word));
            }
            if levels > 0 {
                list.push(write(word));
            }
            Accesses::from(list.as_slice())
        }
        Leave => Accesses::from([read(if instruction.code() == Code::Leavew { 2 } else { 4 })]),
        Bound => Accesses::from([read(memory / 2), read(memory / 2)]),
        Lds | Les | Lfs | Lgs | Lss => Accesses::from([read(memory.saturating_sub(2)), read(2)]),
        // The limit, then the base.
        Lgdt | Lidt => Accesses::from([read(2), read(4)]),
        Sgdt | Sidt => Accesses::from([write(2), write(4)]),
        Movsb | Movsw | Movsd => Accesses::from([read(memory), write(memory)]),
        Cmpsb | Cmpsw | Cmpsd => Accesses::from([read(memory), read(memory)]),
        Stosb | Stosw | Stosd | Insb | Insw | Insd => Accesses::from([write(memory)]),
        Lodsb | Lodsw | Lodsd | Scasb | Scasw | Scasd | Outsb | Outsw | Outsd | Xlatb => {
            Accesses::from([read(memory.max(1))])
        }
        Fld | Fbld if memory == EXTENDED => Accesses::from([read(8), read(2)]),
        Fstp | Fbstp if memory == EXTENDED => Accesses::from([write(8), write(2)]),
        Fldenv => Accesses::from([read(memory / ENVIRONMENT_WORDS); ENVIRONMENT_WORDS]),
        Fnstenv => Accesses::from([write(memory / ENVIRONMENT_WORDS); ENVIRONMENT_WORDS]),
        Frstor => image(memory, read),
        Fnsave => image(memory, write),
        Cmpxchg | Cmpxchg8b if has_memory(instruction) => Accesses::from([read(memory), write(memory)]),
        _ => match used {
            (false, false) => Accesses::NONE,
            (true, false) => Accesses::from([read(memory)]),
            (false, true) => Accesses::from([write(memory)]),
            (true, true) => Accesses::from([read(memory), write(memory)]),
        },
    }
}

/// The accesses of an image of the floating-point unit of `size` bytes: its environment and eight registers.
fn image(size: usize, access: impl Fn(usize) -> Access) -> Accesses {
    let mut list = vec![access((size - STACK * EXTENDED) / ENVIRONMENT_WORDS); ENVIRONMENT_WORDS];
    for _ in 0..STACK {
        list.extend([access(8), access(2)]);
    }
    Accesses::from(list.as_slice())
}

/// Whether a call or jump has 16-bit operand size.
pub(super) fn call_is_16_bit(instruction: &Instruction) -> bool {
    use Code::{
        Call_m1616, Call_ptr1616, Call_rel16, Call_rm16, Jmp_m1616, Jmp_ptr1616, Jmp_rel8_16, Jmp_rel16, Jmp_rm16,
    };
    matches!(
        instruction.code(),
        Call_m1616
            | Call_ptr1616
            | Call_rel16
            | Call_rm16
            | Jmp_m1616
            | Jmp_ptr1616
            | Jmp_rel8_16
            | Jmp_rel16
            | Jmp_rm16
    )
}

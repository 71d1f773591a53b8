//! The number of fact words that an operation pushes.

use iced_x86::{Instruction, MemorySize, Mnemonic, OpKind};
use p5_words::fpu::{ENVIRONMENT_WORDS, STACK};
use p5_words::isa::shifts_by_one;

/// The number of words that a completed instruction pushes to [`Facts`](p5_words::facts::Facts).
///
/// Accesses that depend on the state of the processor, such as those to the stack of another privilege level, are in
/// [`Facts::system`](p5_words::facts::Facts::system). An instruction that a Pentium does not have pushes none. An
/// operation that ends in a fault may have pushed fewer.
///
/// | instruction | words |
/// |---|---|
/// | a memory operand that is read, or written | 1 |
/// | one that is read and written (CMPXCHG and CMPXCHG8B always write, ARPL counts as if it did) | 2 |
/// | PUSH, CALL, POP, RET, LEAVE: the stack | 1, beside the operand |
/// | PUSHA, POPA | 8 |
/// | ENTER with level n | 1, or 2n from level 1 |
/// | BOUND, LDS and its like, LGDT, SGDT and their like, far JMP through memory, RETF | 2 |
/// | far CALL | 2, and 2 more through memory |
/// | IRET | 3 |
/// | MOVS, CMPS | 2, LODS, STOS, SCAS, INS, OUTS 1; repeated: 4 |
/// | BSF, BSR; RCL and RCR by CL or by a C0/C1 immediate | 1, after the operand |
/// | FADD, FSUB, FMUL, FDIV and their forms, FSQRT | 1, after the operand |
/// | PACKSS, PACKUS, PADDS, PADDUS, PSUBS, PSUBUS | 1, after the operand |
/// | an operand of 80 bits | 2 |
/// | FLDENV, FNSTENV | 7 |
/// | FRSTOR, FNSAVE | 23 |
/// | LEA, INVLPG, NOP | 0 |
pub fn fact_words(instruction: &Instruction) -> usize {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let memory = (0..instruction.op_count()).find(|&index| instruction.op_kind(index) == OpKind::Memory);
    let operand = usize::from(memory.is_some());
    let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    match mnemonic {
        M::Lea | M::Invlpg | M::Nop => 0,
        M::Movsb | M::Movsw | M::Movsd | M::Cmpsb | M::Cmpsw | M::Cmpsd if repeated => 4,
        M::Movsb | M::Movsw | M::Movsd | M::Cmpsb | M::Cmpsw | M::Cmpsd => 2,
        M::Lodsb
        | M::Lodsw
        | M::Lodsd
        | M::Stosb
        | M::Stosw
        | M::Stosd
        | M::Scasb
        | M::Scasw
        | M::Scasd
        | M::Insb
        | M::Insw
        | M::Insd
        | M::Outsb
        | M::Outsw
        | M::Outsd => {
            if repeated {
                4
            } else {
                1
            }
        }
        M::Pusha | M::Pushad | M::Popa | M::Popad => 8,
        M::Push | M::Pop => 1 + operand,
        M::Pushf | M::Pushfd | M::Popf | M::Popfd | M::Leave | M::Ret | M::Xlatb => 1,
        M::Enter => (2 * usize::from(instruction.immediate8_2nd() & 31)).max(1),
        M::Retf => 2,
        M::Iret | M::Iretd => 3,
        M::Jmp | M::Call => {
            let far = matches!(instruction.op0_kind(), OpKind::FarBranch16 | OpKind::FarBranch32)
                || (operand == 1 && matches!(instruction.memory_size(), MemorySize::SegPtr16 | MemorySize::SegPtr32));
            let width = if far { 2 } else { 1 };
            width * (operand + usize::from(mnemonic == M::Call))
        }
        M::Bound | M::Lds | M::Les | M::Lfs | M::Lgs | M::Lss | M::Lgdt | M::Lidt | M::Sgdt | M::Sidt => 2,
        M::Fldenv | M::Fnstenv => ENVIRONMENT_WORDS,
        M::Frstor | M::Fnsave => ENVIRONMENT_WORDS + STACK * 2,
        M::Fbld | M::Fbstp => 2,
        M::Fld | M::Fstp if instruction.memory_size() == MemorySize::Float80 => 2,
        M::Bsf | M::Bsr | M::Tzcnt | M::Lzcnt => operand + 1,
        M::Fadd
        | M::Faddp
        | M::Fsub
        | M::Fsubp
        | M::Fsubr
        | M::Fsubrp
        | M::Fmul
        | M::Fmulp
        | M::Fdiv
        | M::Fdivp
        | M::Fdivr
        | M::Fdivrp
        | M::Fiadd
        | M::Fisub
        | M::Fisubr
        | M::Fimul
        | M::Fidiv
        | M::Fidivr
        | M::Fsqrt
        | M::Packssdw
        | M::Packsswb
        | M::Packuswb
        | M::Paddsb
        | M::Paddsw
        | M::Paddusb
        | M::Paddusw
        | M::Psubsb
        | M::Psubsw
        | M::Psubusb
        | M::Psubusw => operand + 1,
        M::Rcl | M::Rcr => {
            let counted = !shifts_by_one(instruction.code());
            2 * operand + usize::from(counted)
        }
        // A destination in memory is read and written.
        M::Add
        | M::Or
        | M::Adc
        | M::Sbb
        | M::And
        | M::Sub
        | M::Xor
        | M::Inc
        | M::Dec
        | M::Neg
        | M::Not
        | M::Rol
        | M::Ror
        | M::Shl
        | M::Sal
        | M::Shr
        | M::Sar
        | M::Shld
        | M::Shrd
        | M::Bts
        | M::Btr
        | M::Btc
        | M::Xchg
        | M::Xadd
        | M::Cmpxchg
        | M::Cmpxchg8b
        | M::Arpl => {
            if memory == Some(0) {
                2
            } else {
                operand
            }
        }
        _ => operand,
    }
}

//! Random sequences on which a Pentium and the host must agree, and the flags on which they may differ.

use crate::differences::is_branch;
use crate::world::World;
use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, MemorySize, Mnemonic, OpKind, Register, RflagsBits,
};
use runtime::model::MODELS;

/// The maximum length of a sequence, in instructions.
const LONGEST: usize = 8;
/// The six status flags.
const STATUS: u32 = 0x8D5;

/// A sequence and its initial state.
pub(crate) struct Case {
    pub(crate) code: Vec<u8>,
    pub(crate) instructions: Vec<Instruction>,
    /// The flags that are undefined before each instruction, and after the last one.
    pub(crate) undefined: Vec<u32>,
    pub(crate) general: [u32; 8],
    pub(crate) eflags: u32,
    pub(crate) world: World,
}

/// CF, PF, AF, ZF, SF and OF.
pub(crate) const ARITHMETIC_FLAGS: u32 = 0x8D5;

fn flag_bits(bits: u32) -> u32 {
    [
        (RflagsBits::OF, 1 << 11),
        (RflagsBits::SF, 1 << 7),
        (RflagsBits::ZF, 1 << 6),
        (RflagsBits::AF, 1 << 4),
        (RflagsBits::CF, 1 << 0),
        (RflagsBits::PF, 1 << 2),
    ]
    .into_iter()
    .filter(|(bit, _)| bits & bit != 0)
    .fold(0, |sum, (_, flag)| sum | flag)
}

fn is_string(instruction: &Instruction) -> bool {
    instruction.is_string_instruction()
}

/// The flags that the instruction leaves undefined, from the decoder's table and additions to it.
pub(crate) fn undefined_flags(instruction: &Instruction) -> u32 {
    let flags = flag_bits(instruction.rflags_undefined());
    let by_one = matches!(instruction.op_code().op_code(), 0xD0 | 0xD1);
    let narrow = instruction.op0_register().size() < 4 && instruction.memory_size().size() < 4;
    match instruction.mnemonic() {
        // OF is undefined after a rotate by more than one.
        Mnemonic::Rcl | Mnemonic::Rcr | Mnemonic::Rol | Mnemonic::Ror if !by_one => flags | (1 << 11),
        // CF is undefined after a shift by more than the width of the operand.
        Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr if narrow && !by_one => flags | 1,
        _ => flags,
    }
}

/// The flags that have a defined value after the instruction in all cases.
fn defined_flags(instruction: &Instruction) -> u32 {
    let by_count = (0..instruction.op_count())
        .any(|index| instruction.op_kind(index) == OpKind::Register && instruction.op_register(index) == Register::CL);
    let shift = matches!(
        instruction.mnemonic(),
        Mnemonic::Rcl
            | Mnemonic::Rcr
            | Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Shl
            | Mnemonic::Sal
            | Mnemonic::Shr
            | Mnemonic::Sar
            | Mnemonic::Shld
            | Mnemonic::Shrd
    );
    // A count of zero, including that of a repeat, writes no flags.
    if (shift && (by_count || !matches!(instruction.op_code().op_code(), 0xD0 | 0xD1)))
        || (is_string(instruction) && (instruction.has_rep_prefix() || instruction.has_repne_prefix()))
    {
        return 0;
    }
    let written = instruction.rflags_written() | instruction.rflags_cleared() | instruction.rflags_set();
    flag_bits(written) & !undefined_flags(instruction)
}

fn is_far(instruction: &Instruction) -> bool {
    matches!(
        instruction.mnemonic(),
        Mnemonic::Retf | Mnemonic::Iret | Mnemonic::Iretd
    ) || matches!(instruction.op0_kind(), OpKind::FarBranch16 | OpKind::FarBranch32)
        || matches!(instruction.memory_size(), MemorySize::SegPtr16 | MemorySize::SegPtr32)
}

/// Whether the instruction jumps to an uncontrolled address outside of the sequence.
fn goes_astray(instruction: &Instruction, world: &World) -> bool {
    is_branch(instruction) && !world.has_distance(instruction) && instruction.flow_control() != FlowControl::Interrupt
}

/// Whether both sides must agree on an instruction.
fn is_comparable(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    let floating = instruction
        .cpuid_features()
        .iter()
        .any(|feature| matches!(feature, CpuidFeature::FPU | CpuidFeature::FPU287 | CpuidFeature::FPU387));
    let known = MODELS[0].isa.has(instruction.code()) && !floating;
    if instruction.is_invalid() || !known || instruction.has_lock_prefix() {
        return false;
    }
    // The results of these depend on the operating system.
    if matches!(
        instruction.mnemonic(),
        M::Popf
            | M::Popfd
            | M::Wait
            | M::Smsw
            | M::Sgdt
            | M::Sidt
            | M::Sldt
            | M::Str
            | M::Lar
            | M::Lsl
            | M::Verr
            | M::Verw
            | M::Lds
            | M::Les
            | M::Lfs
            | M::Lgs
            | M::Lss
            | M::Rdtsc
            | M::Cpuid
            | M::Int
            | M::Int1
            | M::Rsm
    ) {
        return false;
    }
    let bytes = instruction.op0_register().size();
    let narrow = bytes == 2 || instruction.memory_size().size() == 2;
    match instruction.mnemonic() {
        M::Bswap if bytes == 2 => return false,
        M::Shld | M::Shrd
            if narrow && (instruction.op2_kind() != OpKind::Immediate8 || instruction.immediate8() & 31 > 16) =>
        {
            return false;
        }
        _ => {}
    }
    for index in 0..instruction.op_count() {
        if instruction.op_kind(index) == OpKind::Register {
            let register = instruction.op_register(index);
            let known_control = register.is_cr() && matches!(register.number(), 0 | 2 | 3 | 4);
            if register.is_segment_register()
                || register.is_dr()
                || register.is_tr()
                || (register.is_cr() && !known_control)
            {
                return false;
            }
        }
    }
    if matches!(instruction.memory_segment(), Register::FS | Register::GS) {
        return false;
    }
    if matches!(instruction.mnemonic(), M::Push | M::Pop) && instruction.op0_register().is_segment_register() {
        return false;
    }
    // Later processors have given these prefixes a meaning.
    if (instruction.has_rep_prefix() || instruction.has_repne_prefix()) && !is_string(instruction) {
        return false;
    }
    match instruction.flow_control() {
        FlowControl::Next | FlowControl::Exception => true,
        FlowControl::Interrupt => matches!(instruction.mnemonic(), M::Into | M::Int3),
        FlowControl::ConditionalBranch
        | FlowControl::UnconditionalBranch
        | FlowControl::Call
        | FlowControl::IndirectBranch
        | FlowControl::IndirectCall
        | FlowControl::Return => !is_far(instruction),
        _ => false,
    }
}

fn random_bytes(random: &mut fastrand::Rng) -> [u8; 16] {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    match random.u8(..32) {
        0..=5 => bytes[0] = 0x0F,
        6..=10 => bytes[0] = 0x66,
        11 => (bytes[0], bytes[1]) = (0x66, 0x0F),
        12 => {
            const STRING: [u8; 10] = [0xA4, 0xA5, 0xA6, 0xA7, 0xAA, 0xAB, 0xAC, 0xAD, 0xAE, 0xAF];
            bytes[0] = 0xF2 | random.u8(..2);
            bytes[1] = STRING[random.usize(..STRING.len())];
        }
        13 => bytes[0] = 0x67,
        14 => bytes[0] = 0xC0 | random.u8(..2),
        15 => bytes[0] = 0xD0 | random.u8(..4),
        16 => bytes[0] = 0xF6 | random.u8(..2),
        17 => bytes[0] = 0xFE | random.u8(..2),
        _ => {}
    }
    bytes
}

/// The sum of base and index before the sequence starts.
fn registers_part(instruction: &Instruction, general: &[u32; 8]) -> u32 {
    let value = |register: Register| match register.size() {
        4 => general[register.number()],
        2 => general[register.number()] & 0xFFFF,
        _ => 0,
    };
    let index = value(instruction.memory_index()).wrapping_mul(instruction.memory_index_scale());
    value(instruction.memory_base()).wrapping_add(index)
}

fn has_short_address(instruction: &Instruction) -> bool {
    if is_string(instruction) {
        let kinds = [instruction.op0_kind(), instruction.op1_kind()];
        return kinds
            .iter()
            .any(|kind| matches!(kind, OpKind::MemorySegSI | OpKind::MemorySegDI | OpKind::MemoryESDI));
    }
    instruction.memory_base().size() == 2
        || instruction.memory_index().size() == 2
        || instruction.memory_displ_size() == 2
}

/// Points a memory operand to `target`, assuming initial values of registers. Returns false if it cannot reach the
/// target.
fn aim(
    instruction: &Instruction,
    decoder: &Decoder<'_>,
    general: &[u32; 8],
    world: &World,
    target: u32,
    bytes: &mut [u8],
) -> bool {
    let short = has_short_address(instruction);
    let mask = if short { 0xFFFF } else { u32::MAX };
    let range = |segment: Register| {
        let (first, end) = world.reach(segment, short);
        first..end - 16
    };
    if is_string(instruction) {
        return range(instruction.memory_segment()).contains(&(general[6] & mask))
            && range(Register::ES).contains(&(general[7] & mask));
    }
    if !(0..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory)
        || instruction.mnemonic() == Mnemonic::Lea
    {
        return true;
    }
    let reach = range(instruction.memory_segment());
    let offsets = decoder.get_constant_offsets(instruction);
    let part = registers_part(instruction, general);
    let size = offsets.displacement_size();
    if offsets.has_displacement() && size >= 2 && !reach.is_empty() {
        let wanted = reach.start + target % (reach.end - reach.start + 1);
        let at = offsets.displacement_offset();
        bytes[at..at + size].copy_from_slice(&wanted.wrapping_sub(part).to_le_bytes()[..size]);
        return true;
    }
    reach.contains(&(part.wrapping_add(instruction.memory_displacement32()) & mask))
}

struct Pending {
    /// The index of the branch.
    branch: usize,
    /// The index of its target.
    target: usize,
}

fn registers(random: &mut fastrand::Rng, world: &World) -> [u32; 8] {
    let (data, end) = world.reach(Register::DS, false);
    let (stack, stack_end) = world.reach(Register::SS, false);
    let mut general = [0; 8];
    for (number, value) in general.iter_mut().enumerate() {
        *value = match random.u8(..10) {
            0 => 0,
            1 => u32::MAX,
            2 => 0x8000_0000,
            3 => random.u32(..64),
            4 => random.u32(..),
            _ => random.u32(data + 0x200..end - 0x200),
        };
        if number == 4 {
            // The value is rarely so close to an end that a push or pop of several words cannot complete.
            *value = match random.u8(..32) {
                0 => stack + random.u32(..48),
                1 => stack_end - random.u32(..48),
                _ => (stack + stack_end) / 2 + random.u32(..64) * 4,
            };
            if let World::Segments { wide_stack: false, .. } = world {
                *value = *value & 0xFFFF | random.u32(..) << 16;
            }
        }
    }
    general
}

pub(crate) fn generate(random: &mut fastrand::Rng, world: &World) -> Case {
    let wanted = random.usize(1..=LONGEST);
    let general = registers(random, world);
    let mut pieces: Vec<(Vec<u8>, Instruction)> = Vec::new();
    let mut undefined = vec![0];
    let mut branches: Vec<Pending> = Vec::new();
    let mut taint = 0;
    while pieces.len() < wanted {
        let bytes = random_bytes(random);
        let mut decoder = Decoder::with_ip(world.bits(), &bytes, 0, DecoderOptions::NONE);
        let instruction = decoder.decode();
        if !is_comparable(&instruction) || flag_bits(instruction.rflags_read()) & taint != 0 {
            continue;
        }
        // A return to the address after an earlier call executes instructions again, in an order that the taint does
        // not cover.
        let returns = instruction.flow_control() == FlowControl::Return;
        let called = pieces
            .iter()
            .any(|(_, earlier)| matches!(earlier.flow_control(), FlowControl::Call | FlowControl::IndirectCall));
        if returns && called && undefined.iter().any(|&flags| flags != 0) {
            continue;
        }
        let mut piece = bytes[..instruction.len()].to_vec();
        let reaches = aim(&instruction, &decoder, &general, world, random.u32(..), &mut piece);
        // A fault ends the sequence, so only a few are useful.
        if (!reaches || instruction.is_privileged() || goes_astray(&instruction, world)) && random.u8(..32) != 0 {
            continue;
        }
        let index = pieces.len();
        if is_branch(&instruction) && world.has_distance(&instruction) {
            branches.push(Pending {
                branch: index,
                target: random.usize(index + 1..=wanted),
            });
        }
        // Instructions that a branch may skip cannot remove a taint.
        let skipped = branches
            .iter()
            .any(|pending| pending.branch < index && index < pending.target);
        if !skipped {
            taint &= !defined_flags(&instruction);
        }
        taint = (taint | undefined_flags(&instruction)) & STATUS;
        undefined.push(taint);
        pieces.push((piece, instruction));
    }
    let starts: Vec<usize> = pieces
        .iter()
        .scan(0, |sum, (piece, _)| {
            *sum += piece.len();
            Some(*sum)
        })
        .collect();
    for pending in &branches {
        let distance = (starts[pending.target - 1] - starts[pending.branch]) as u32;
        let (piece, _) = &mut pieces[pending.branch];
        let mut decoder = Decoder::with_ip(world.bits(), piece, 0, DecoderOptions::NONE);
        let again = decoder.decode();
        let size = decoder.get_constant_offsets(&again).immediate_size();
        let at = piece.len() - size;
        piece[at..].copy_from_slice(&distance.to_le_bytes()[..size]);
    }
    let code: Vec<u8> = pieces.into_iter().flat_map(|(piece, _)| piece).collect();
    let instructions = Decoder::with_ip(world.bits(), &code, u64::from(world.start()), DecoderOptions::NONE)
        .iter()
        .collect();
    Case {
        code,
        instructions,
        undefined,
        general,
        world: *world,
        eflags: random.u32(..) & crate::compare::FLAGS,
    }
}

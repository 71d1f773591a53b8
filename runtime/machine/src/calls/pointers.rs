//! The pointers by which instructions access memory: which registers give an address, what sets them anew, and whether
//! what is read by them may end a loop.

use iced_x86::{
    Decoder, DecoderOptions, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};
use p5_image::Image;
use p5_words::registers::Registers;

/// How many instructions after a read may compare what it has read.
const MOST_BETWEEN: usize = 3;

/// The segment and the registers that give an address, without the displacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    segment: Register,
    base: Register,
    index: Register,
    scale: u32,
    narrow: bool,
}

/// An operand in memory that has a pointer.
#[derive(Clone)]
pub(super) struct Use {
    instruction: Instruction,
    operand: u32,
    pointer: Pointer,
    ends: Ends,
}

/// Whether a loop may end because of the value that an operand reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    No,
    /// Only if the pointer stays there after the read.
    IfStopped,
    /// Even if the pointer goes on: the value is compared with a constant after that.
    Yes,
}

impl Pointer {
    fn of(instruction: &Instruction, operand: u32) -> Option<Pointer> {
        let kind = instruction.op_kind(operand);
        if let Some(base) = string_pointer(kind) {
            let segment = match base.full_register32() {
                Register::EDI => Register::ES,
                _ => instruction.memory_segment(),
            };
            return Some(Pointer {
                segment,
                base: base.full_register32(),
                index: Register::None,
                scale: 0,
                narrow: base.size() == 2,
            });
        }
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let stack = matches!(base.full_register32(), Register::ESP | Register::EBP);
        (kind == OpKind::Memory && base.is_gpr() && !stack).then(|| Pointer {
            segment: instruction.memory_segment(),
            base: base.full_register32(),
            index: index.full_register32(),
            scale: instruction.memory_index_scale(),
            narrow: base.size() == 2,
        })
    }

    /// Its linear address.
    pub(super) fn value(&self, registers: &Registers) -> u32 {
        let (base, offset) = self.parts(registers);
        base.wrapping_add(offset)
    }

    fn parts(&self, registers: &Registers) -> (u32, u32) {
        let general = |register: Register| match register {
            Register::None => 0,
            _ => registers.general[register.number()],
        };
        let offset = general(self.base).wrapping_add(general(self.index).wrapping_mul(self.scale));
        let base = registers.segments[self.segment.number()].base();
        (base, offset & self.mask())
    }

    fn mask(&self) -> u32 {
        if self.narrow { 0xFFFF } else { u32::MAX }
    }

    /// Whether an instruction gives it a value that does not depend on the one before.
    pub(super) fn is_set_by(&self, instruction: &Instruction) -> bool {
        let is_part = |register: Register| {
            let whole = register.full_register32();
            register.size() > 1 && (whole == self.base || whole == self.index)
        };
        if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
            return is_part(Register::ESI) || is_part(Register::EDI);
        }
        let first = instruction.op0_register();
        let constant = |operand: u32| {
            let kind = instruction.op_kind(operand);
            kind != OpKind::Register
        };
        let itself = instruction.op1_kind() == OpKind::Register && instruction.op1_register() == first;
        match instruction.mnemonic() {
            Mnemonic::Popa | Mnemonic::Popad => true,
            Mnemonic::Pop | Mnemonic::Lds | Mnemonic::Les | Mnemonic::Lfs | Mnemonic::Lgs => is_part(first),
            Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx => is_part(first) && constant(1),
            Mnemonic::Lea => {
                let free = instruction.memory_base() == Register::None && instruction.memory_index() == Register::None;
                is_part(first) && free
            }
            Mnemonic::Xor | Mnemonic::Sub => is_part(first) && itself,
            _ => false,
        }
    }
}

impl Use {
    /// Those of an instruction of a program, unless it repeats itself.
    pub(super) fn all(instruction: &Instruction, image: &Image) -> Vec<Use> {
        let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        if repeats || instruction.mnemonic() == Mnemonic::Lea {
            return Vec::new();
        }
        let operands = (0..instruction.op_count()).filter_map(|operand| {
            let pointer = Pointer::of(instruction, operand)?;
            Some(Use {
                instruction: *instruction,
                operand,
                pointer,
                ends: ends(instruction, pointer, image),
            })
        });
        operands.collect()
    }

    pub(super) fn pointer(&self) -> Pointer {
        self.pointer
    }

    /// A key that sorts operands by their order in the code.
    pub(super) fn order(&self) -> (u32, u32) {
        (self.instruction.ip32(), self.operand)
    }

    fn displacement(&self) -> u32 {
        match string_pointer(self.instruction.op_kind(self.operand)) {
            Some(_) => 0,
            None => self.instruction.memory_displacement32(),
        }
    }

    /// The linear addresses of its pointer and of what it accesses.
    pub(super) fn places(&self, registers: &Registers) -> (u32, u32) {
        let (base, offset) = self.pointer.parts(registers);
        let displaced = offset.wrapping_add(self.displacement()) & self.pointer.mask();
        (base.wrapping_add(offset), base.wrapping_add(displaced))
    }

    /// The address that it accesses if its pointer has this value.
    pub(super) fn displaced(&self, value: u32) -> u32 {
        let displacement = self.displacement();
        value.wrapping_add(match self.pointer.narrow {
            true => displacement as i16 as u32,
            false => displacement,
        })
    }

    /// Whether it writes.
    pub(super) fn writes(&self) -> bool {
        let pointer = string_pointer(self.instruction.op_kind(self.operand));
        let base = pointer.unwrap_or(self.instruction.memory_base());
        writes(&self.instruction, |used| used.base() == base)
    }

    /// Whether the value of its last read may have ended a loop; `stopped` is whether the pointer stayed there.
    pub(super) fn ends_loops(&self, stopped: bool) -> bool {
        self.ends == Ends::Yes || self.ends == Ends::IfStopped && stopped
    }
}

fn ends(instruction: &Instruction, pointer: Pointer, image: &Image) -> Ends {
    let string = instruction.mnemonic();
    if matches!(string, Mnemonic::Scasb | Mnemonic::Scasw | Mnemonic::Scasd) {
        return Ends::Yes;
    }
    if compares(instruction) {
        return Ends::IfStopped;
    }
    let (to, mut went_on) = match string {
        Mnemonic::Lodsb => (Register::AL, true),
        Mnemonic::Lodsw => (Register::AX, true),
        Mnemonic::Lodsd => (Register::EAX, true),
        Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx => (instruction.op0_register(), false),
        _ => return Ends::No,
    };
    for next in following(instruction, image).take(MOST_BETWEEN) {
        let of = |register: Register| register.full_register32() == to.full_register32();
        let (first, second) = (next.op0_register(), next.op1_register());
        if compares(&next) && (of(first) || of(second)) {
            let constant = next.op1_kind() != OpKind::Register || first == second;
            let constant = constant && next.op1_kind() != OpKind::Memory;
            return if went_on && constant {
                Ends::Yes
            } else {
                Ends::IfStopped
            };
        }
        let whole = first.full_register32();
        went_on |= whole != Register::None && (whole == pointer.base || whole == pointer.index);
    }
    Ends::No
}

/// Whether an instruction reads what a loop is repeated for as long as it is not a certain value: it is compared with a
/// constant at once, and a branch back depends on that.
pub(super) fn looks_for_a_value(instruction: &Instruction, image: &Image) -> bool {
    let constant = |one: &Instruction| one.op1_kind() != OpKind::Memory && one.op1_kind() != OpKind::Register;
    let compared = |next: &Instruction| {
        let (first, second) = (next.op0_register(), next.op1_register());
        let to = instruction.op0_register().full_register32();
        let of_it = first != Register::None && first.full_register32() == to;
        compares(next) && of_it && (constant(next) || first == second)
    };
    let compare = match instruction.mnemonic() {
        Mnemonic::Cmp | Mnemonic::Test if constant(instruction) => *instruction,
        Mnemonic::Mov | Mnemonic::Movzx | Mnemonic::Movsx => {
            let Some(compare) = following(instruction, image).take(MOST_BETWEEN).find(compared) else {
                return false;
            };
            compare
        }
        _ => return false,
    };
    let branch = following(&compare, image).next();
    branch.is_some_and(|next| next.is_jcc_short_or_near() && next.near_branch32() <= instruction.ip32())
}

/// Whether an instruction compares, and changes nothing that it compares.
fn compares(one: &Instruction) -> bool {
    match one.mnemonic() {
        Mnemonic::Cmp | Mnemonic::Test => true,
        // `or al,al` compares with 0; with anything else, it changes what was read.
        Mnemonic::Or => one.op1_kind() == OpKind::Register && one.op0_register() == one.op1_register(),
        _ => false,
    }
}

/// The instructions after one, in the order of their addresses.
fn following(instruction: &Instruction, image: &Image) -> impl Iterator<Item = Instruction> {
    let bits = match instruction.code_size() {
        iced_x86::CodeSize::Code16 => 16,
        _ => 32,
    };
    let bytes = image.bytes_at(instruction.next_ip32());
    let mut decoder = Decoder::with_ip(bits, bytes, instruction.next_ip(), DecoderOptions::NONE);
    std::iter::from_fn(move || decoder.can_decode().then(|| decoder.decode()))
}

/// The register that points at an operand of a string instruction.
fn string_pointer(kind: OpKind) -> Option<Register> {
    match kind {
        OpKind::MemorySegSI => Some(Register::SI),
        OpKind::MemorySegESI => Some(Register::ESI),
        OpKind::MemoryESDI => Some(Register::DI),
        OpKind::MemoryESEDI => Some(Register::EDI),
        _ => None,
    }
}

/// Whether an instruction writes to the memory that `is_operand`.
pub(super) fn writes(instruction: &Instruction, is_operand: impl Fn(&UsedMemory) -> bool) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    info.used_memory().iter().any(|used| {
        let reads = matches!(
            used.access(),
            OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
        );
        is_operand(used) && !reads
    })
}

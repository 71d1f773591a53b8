//! Operand classes as bit masks: the classes that a form accepts in each position, and those that a given operand
//! matches.

use crate::operand::{Distance, Immediate, Memory, Operand, narrowed};
use iced_x86::Register;

/// A set of operand classes.
pub(super) type Slots = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Slot {
    Absent,
    R8,
    R16,
    R32,
    Rm8,
    Rm16,
    Rm32,
    /// Memory or a register, read as 16 bits regardless of the register's size: `mov ds,ax` needs no prefix.
    Word,
    /// A register, read as 16 bits regardless of its size.
    WordRegister,
    /// A result written as 32 bits to a register and as 16 to memory.
    WordResult,
    Al,
    Cl,
    Ax,
    Dx,
    Eax,
    Segment,
    /// A segment register that can be loaded: all but CS.
    SegmentLoad,
    Es,
    Cs,
    Ss,
    Ds,
    Fs,
    Gs,
    Control,
    Debug,
    Test,
    Mm,
    MmMemory,
    /// The low half of an MMX operand: a dword of memory, which sources also call a qword.
    MmMemoryLow,
    StackTop,
    Stack,
    /// Memory of any size.
    Memory,
    Memory16,
    Memory32,
    Memory48,
    Memory64,
    Memory80,
    /// A pointer in memory of four bytes that is not the usual one: see [`Memory::OTHER_POINTER`].
    MemoryOther,
    /// Memory addressed by its offset alone, for the accumulator's short forms.
    Offset8,
    Offset16,
    Offset32,
    Imm8,
    Imm16,
    Imm32,
    /// Eight bits that sign-extend to the required word.
    Signed16,
    /// Eight bits that sign-extend to the required dword.
    Signed32,
    One,
    Three,
    /// A number that the source declares a word, for `push word ptr 5`.
    CalledWord,
    /// A number that the source declares a word, and that eight sign-extended bits hold.
    CalledWordSigned,
    /// A number that the source declares a dword, for `push dword ptr 5` in 16-bit code.
    CalledDword,
    /// A number that the source declares a dword, and that eight sign-extended bits hold.
    CalledDwordSigned,
    Short,
    Near,
    /// A selector and an offset of the code's size.
    FarPointer,
    /// A selector and a 32-bit offset in 16-bit code.
    FarPointerWide,
}

impl Slot {
    /// The class as a set of one.
    pub(super) const fn bit(self) -> Slots {
        1 << self as u8
    }

    /// The size in bytes of a memory operand of this class; `None` if it is not memory or can have any size.
    pub(super) fn memory_bytes(self) -> Option<u8> {
        Some(match self {
            Slot::Rm8 | Slot::Offset8 => 1,
            Slot::Rm16 | Slot::Offset16 | Slot::Word | Slot::WordResult | Slot::Memory16 => 2,
            Slot::Rm32 | Slot::Offset32 | Slot::Memory32 | Slot::MmMemoryLow => 4,
            Slot::Memory48 => 6,
            Slot::Memory64 | Slot::MmMemory => 8,
            Slot::Memory80 => 10,
            _ => return None,
        })
    }

    /// The width of an immediate of this class in bits; `None` if it is not an immediate.
    pub(super) fn immediate_bits(self) -> Option<u8> {
        Some(match self {
            Slot::Imm8 => 8,
            Slot::Imm16 | Slot::Signed16 => 16,
            Slot::Imm32 | Slot::Signed32 => 32,
            _ => return None,
        })
    }

    /// The class in the notation of the manuals.
    pub(super) fn spelling(self) -> &'static str {
        match self {
            Slot::Absent => "nothing",
            Slot::R8 => "r8",
            Slot::R16 => "r16",
            Slot::R32 => "r32",
            Slot::Rm8 => "r/m8",
            Slot::Rm16 => "r/m16",
            Slot::Rm32 => "r/m32",
            Slot::Word => "r/m16",
            Slot::WordRegister => "r16",
            Slot::WordResult => "r32/m16",
            Slot::Al => "al",
            Slot::Cl => "cl",
            Slot::Ax => "ax",
            Slot::Dx => "dx",
            Slot::Eax => "eax",
            Slot::Segment | Slot::SegmentLoad => "sreg",
            Slot::Es => "es",
            Slot::Cs => "cs",
            Slot::Ss => "ss",
            Slot::Ds => "ds",
            Slot::Fs => "fs",
            Slot::Gs => "gs",
            Slot::Control => "cr",
            Slot::Debug => "dr",
            Slot::Test => "tr",
            Slot::Mm => "mm",
            Slot::MmMemory => "mm/m64",
            Slot::MmMemoryLow => "mm/m32",
            Slot::StackTop => "st",
            Slot::Stack => "st(i)",
            Slot::Memory => "m",
            Slot::Memory16 => "m16",
            Slot::Memory32 => "m32",
            Slot::Memory48 => "m48",
            Slot::Memory64 => "m64",
            Slot::Memory80 => "m80",
            Slot::MemoryOther => "m32",
            Slot::Offset8 => "m8",
            Slot::Offset16 => "m16",
            Slot::Offset32 => "m32",
            Slot::Imm8 => "imm8",
            Slot::Imm16 | Slot::Signed16 | Slot::CalledWord | Slot::CalledWordSigned => "imm16",
            Slot::Imm32 | Slot::Signed32 | Slot::CalledDword | Slot::CalledDwordSigned => "imm32",
            Slot::One => "1",
            Slot::Three => "3",
            Slot::Short | Slot::Near => "label",
            Slot::FarPointer | Slot::FarPointerWide => "selector:offset",
        }
    }
}

/// Every class that a memory operand of unknown size matches.
pub(super) const UNSIZED: Slots = Slot::Rm8.bit()
    | Slot::Rm16.bit()
    | Slot::Rm32.bit()
    | Slot::Word.bit()
    | Slot::WordResult.bit()
    | Slot::Memory.bit()
    | Slot::Memory16.bit()
    | Slot::Memory32.bit()
    | Slot::Memory48.bit()
    | Slot::Memory64.bit()
    | Slot::Memory80.bit()
    | Slot::MmMemory.bit()
    | Slot::MmMemoryLow.bit();

const OFFSETS: Slots = Slot::Offset8.bit() | Slot::Offset16.bit() | Slot::Offset32.bit();

/// Every class of plain numbers.
pub(super) const NUMBERS: Slots =
    Slot::Imm8.bit() | Slot::Imm16.bit() | Slot::Imm32.bit() | Slot::Signed16.bit() | Slot::Signed32.bit();

pub(super) fn of_register(register: Register) -> Slots {
    if register.is_gpr8() {
        let special = match register {
            Register::AL => Slot::Al.bit(),
            Register::CL => Slot::Cl.bit(),
            _ => 0,
        };
        return Slot::R8.bit() | Slot::Rm8.bit() | special;
    }
    if register.is_gpr16() {
        let special = match register {
            Register::AX => Slot::Ax.bit(),
            Register::DX => Slot::Dx.bit(),
            _ => 0,
        };
        return Slot::R16.bit() | Slot::Rm16.bit() | Slot::Word.bit() | Slot::WordRegister.bit() | special;
    }
    if register.is_gpr32() {
        let special = if register == Register::EAX { Slot::Eax.bit() } else { 0 };
        let word = Slot::Word.bit() | Slot::WordRegister.bit() | Slot::WordResult.bit();
        return Slot::R32.bit() | Slot::Rm32.bit() | word | special;
    }
    if register.is_segment_register() {
        let load = Slot::Segment.bit() | Slot::SegmentLoad.bit();
        return match register {
            Register::ES => load | Slot::Es.bit(),
            Register::CS => Slot::Segment.bit() | Slot::Cs.bit(),
            Register::SS => load | Slot::Ss.bit(),
            Register::DS => load | Slot::Ds.bit(),
            Register::FS => load | Slot::Fs.bit(),
            _ => load | Slot::Gs.bit(),
        };
    }
    if register.is_st() {
        let top = if register == Register::ST0 {
            Slot::StackTop.bit()
        } else {
            0
        };
        return Slot::Stack.bit() | top;
    }
    if register.is_cr() {
        Slot::Control.bit()
    } else if register.is_dr() {
        Slot::Debug.bit()
    } else if register.is_tr() {
        Slot::Test.bit()
    } else if register.is_mm() {
        Slot::Mm.bit() | Slot::MmMemory.bit() | Slot::MmMemoryLow.bit()
    } else {
        0
    }
}

/// The classes of a memory operand of `size` bytes.
pub(super) fn of_memory(memory: &Memory, size: Option<u8>) -> Slots {
    let absolute = memory.base == Register::None && memory.index == Register::None;
    let offsets = if absolute { OFFSETS } else { 0 };
    if size == Some(Memory::OTHER_POINTER) {
        return Slot::MemoryOther.bit();
    }
    (UNSIZED | offsets) & of_size(size)
}

/// The classes whose memory has `size` bytes; all classes if the size is unknown.
pub(super) fn of_size(size: Option<u8>) -> Slots {
    let sized = match size {
        None => return Slots::MAX,
        Some(1) => Slot::Rm8.bit() | Slot::Offset8.bit(),
        Some(2) => {
            Slot::Rm16.bit() | Slot::Offset16.bit() | Slot::Word.bit() | Slot::WordResult.bit() | Slot::Memory16.bit()
        }
        Some(4) => Slot::Rm32.bit() | Slot::Offset32.bit() | Slot::Memory32.bit() | Slot::MmMemoryLow.bit(),
        Some(6) => Slot::Memory48.bit(),
        Some(8) => Slot::Memory64.bit() | Slot::MmMemory.bit() | Slot::MmMemoryLow.bit(),
        Some(10) => Slot::Memory80.bit(),
        Some(_) => 0,
    };
    sized | Slot::Memory.bit()
}

/// Whether `value` is a number of `bits` bits, with a sign of its own: MASM takes -255 to 255 as a byte, so that
/// `not 128` is one.
pub(super) fn fits(value: i64, bits: u8) -> bool {
    narrowed(value, u32::from(bits)).unsigned_abs() < 1u64 << bits
}

pub(super) fn of_immediate(immediate: &Immediate) -> Slots {
    let value = immediate.value;
    let mut slots = 0;
    let size = immediate.size.unwrap_or(0);
    if fits(value, 8) && size <= 1 {
        slots |= Slot::Imm8.bit();
    }
    if fits(value, 16) && size <= 2 {
        slots |= Slot::Imm16.bit();
        if size == 2 {
            slots |= Slot::CalledWord.bit();
        }
        if !immediate.volatile && i8::try_from(value as u16 as i16).is_ok() {
            slots |= if size == 2 {
                Slot::CalledWordSigned.bit()
            } else {
                Slot::Signed16.bit()
            };
        }
    }
    if fits(value, 32) && size <= 4 {
        slots |= Slot::Imm32.bit();
        if !immediate.volatile && size < 2 && i8::try_from(value as u32 as i32).is_ok() {
            slots |= Slot::Signed32.bit();
        }
        // A number that no word holds is a dword by itself.
        if size == 4 || (size == 0 && !(-0x8000..=0xFFFF).contains(&narrowed(value, 16))) {
            slots |= Slot::CalledDword.bit();
            if !immediate.volatile && i8::try_from(value as u32 as i32).is_ok() {
                slots |= Slot::CalledDwordSigned.bit();
            }
        }
    }
    // A number declared a byte must fit in one.
    if size == 1 && !fits(value, 8) {
        return 0;
    }
    if !immediate.volatile && size <= 1 {
        slots |= match value {
            1 => Slot::One.bit(),
            3 => Slot::Three.bit(),
            _ => 0,
        };
    }
    slots
}

/// The classes of memory without a size, `memory`, where the size of a number beside it decides: `cmp [si],byte ptr 5`.
/// A count of a shift says nothing of what is shifted.
pub(super) fn sized_by(mnemonic: &str, memory: Slots, number: &Immediate) -> Option<Slots> {
    let counts = [
        "shl", "sal", "shr", "sar", "rol", "ror", "rcl", "rcr", "shld", "shrd", "imul",
    ];
    let size = number.size.filter(|_| !counts.contains(&mnemonic))?;
    Some(memory & of_size(Some(size))).filter(|&narrow| narrow & UNSIZED != 0)
}

/// The classes that `operand` matches. A direct branch matches by its distance; its range is checked later.
pub(super) fn of_operand(operand: &Operand, registers: &[Slots; 256]) -> Slots {
    match operand {
        Operand::Register(register) => registers.get(*register as usize).copied().unwrap_or(0),
        Operand::Memory(memory) => of_memory(memory, memory.size),
        Operand::Immediate(immediate) => of_immediate(immediate),
        Operand::Target(target) => match target.distance {
            Distance::Any => Slot::Short.bit() | Slot::Near.bit(),
            Distance::Short => Slot::Short.bit(),
            Distance::Near => Slot::Near.bit(),
        },
        Operand::FarPointer { wide: true, .. } => Slot::FarPointerWide.bit(),
        Operand::FarPointer {
            wide: false, offset, ..
        } if u16::try_from(*offset).is_err() => Slot::FarPointerWide.bit(),
        Operand::FarPointer { .. } => Slot::FarPointer.bit(),
    }
}

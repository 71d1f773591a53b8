//! The bytes of ALIGN and EVEN: zeroes between data, and instructions that change nothing in code.

use super::SegmentKind;
use crate::operand::CodeSize;

/// The padding of code. It is executed where code runs into it, so its instructions take clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Padding {
    /// NOPs, as TASM writes them.
    #[default]
    Nops,
    /// As few instructions as possible: the forms of MOV and LEA of JWasm, which follow those of MASM 6.
    Moves,
    /// The forms of LEA that GNU's assembler writes if no processor is named, with a jump over long ones. 16-bit code
    /// has those of MASM.
    Leas,
}

/// The longest first: each is one byte shorter than the one before.
const WIDE: [&[u8]; 7] = [
    &[0x8D, 0xA4, 0x24, 0, 0, 0, 0], // lea esp,[esp+0], 32-bit displacement
    &[0x8D, 0x80, 0, 0, 0, 0],       // lea eax,[eax+0], 32-bit displacement
    &[0x2E, 0x8D, 0x44, 0x20, 0],    // lea eax,cs:[eax+0] with an SIB byte
    &[0x8D, 0x44, 0x20, 0],          // lea eax,[eax+0] with an SIB byte
    &[0x8D, 0x40, 0],                // lea eax,[eax+0]
    &[0x8B, 0xFF],                   // mov edi,edi
    &[0x90],
];
/// The same for 16-bit code.
const NARROW: [&[u8]; 3] = [
    &[0x2E, 0x8B, 0xC0], // mov ax,ax with a CS prefix
    &[0x8B, 0xC0],       // mov ax,ax
    &[0x90],
];

/// The forms of GNU's assembler, each for its length; none has five bytes.
const GNU: [&[u8]; 7] = [
    &[0x90],
    &[0x66, 0x90],                   // xchg ax,ax
    &[0x8D, 0x76, 0],                // lea esi,[esi+0]
    &[0x8D, 0x74, 0x26, 0],          // lea esi,[esi+0] with an SIB byte
    &[0x8D, 0x74, 0x26, 0, 0x90],    // the same and a NOP
    &[0x8D, 0xB6, 0, 0, 0, 0],       // lea esi,[esi+0], 32-bit displacement
    &[0x8D, 0xB4, 0x26, 0, 0, 0, 0], // the same with an SIB byte
];
/// The most of the longest of them that are executed: a jump leads over more.
const MOST_EXECUTED: usize = 2;

/// Appends the padding of GNU's assembler.
fn pad_as_gnu(bytes: &mut Vec<u8>, length: usize) {
    let longest = GNU.len();
    let mut left = length;
    if length / longest > MOST_EXECUTED {
        match u8::try_from(length - 2).ok().filter(|distance| *distance <= 0x7F) {
            Some(distance) => {
                bytes.extend_from_slice(&[0xEB, distance]);
                left -= 2;
            }
            None => {
                left -= 5;
                bytes.push(0xE9);
                bytes.extend_from_slice(&(left as u32).to_le_bytes());
            }
        }
    }
    for _ in 0..left / longest {
        bytes.extend_from_slice(GNU[longest - 1]);
    }
    if let Some(form) = (left % longest).checked_sub(1).and_then(|last| GNU.get(last)) {
        bytes.extend_from_slice(form);
    }
}

/// Appends `length` bytes of padding.
pub(crate) fn pad(bytes: &mut Vec<u8>, length: usize, kind: SegmentKind, size: CodeSize, padding: Padding) {
    let end = bytes.len() + length;
    if kind == SegmentKind::Data {
        bytes.resize(end, 0);
        return;
    }
    let forms: &[&[u8]] = match (padding, size) {
        (Padding::Nops, _) => return bytes.resize(end, 0x90),
        (Padding::Leas, CodeSize::Bits32) => return pad_as_gnu(bytes, length),
        (Padding::Moves, CodeSize::Bits32) => &WIDE,
        (Padding::Moves | Padding::Leas, CodeSize::Bits16) => &NARROW,
    };
    while let Some(form) = forms.iter().find(|form| form.len() <= end - bytes.len()) {
        bytes.extend_from_slice(form);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, Mnemonic, OpAccess};

    #[test]
    fn padding_has_its_length_and_changes_nothing() {
        for (size, bits, padding) in [
            (CodeSize::Bits16, 16, Padding::Moves),
            (CodeSize::Bits32, 32, Padding::Moves),
            (CodeSize::Bits32, 32, Padding::Leas),
        ] {
            for length in 0..150 {
                let mut bytes = Vec::new();
                pad(&mut bytes, length, SegmentKind::Code, size, padding);
                assert_eq!(bytes.len(), length);
                for instruction in &mut Decoder::new(bits, &bytes, DecoderOptions::NONE) {
                    if instruction.mnemonic() == Mnemonic::Nop
                        || instruction.op_code().instruction_string() == "XCHG r16, AX"
                    {
                        continue;
                    }
                    if instruction.mnemonic() == Mnemonic::Jmp {
                        assert_eq!(instruction.near_branch_target(), length as u64);
                        continue;
                    }
                    assert!(instruction.rflags_modified() == 0, "{instruction}");
                    let mut factory = InstructionInfoFactory::new();
                    let info = factory.info(&instruction);
                    assert!(
                        info.used_memory()
                            .iter()
                            .all(|used| used.access() == OpAccess::NoMemAccess),
                        "{instruction}"
                    );
                    // Its source is what it writes to.
                    let source = match instruction.mnemonic() {
                        Mnemonic::Lea => {
                            assert_eq!(instruction.memory_displacement32(), 0, "{instruction}");
                            instruction.memory_base()
                        }
                        _ => instruction.op1_register(),
                    };
                    assert_eq!(source, instruction.op0_register(), "{instruction}");
                }
            }
        }
    }

    /// What `as --32` of the GNU Binutils 2.40 writes for `.p2align` between two instructions, whatever `-march` says.
    #[test]
    fn leas_are_those_of_the_gnu_assembler() {
        let written = [
            (1, "90"),
            (2, "6690"),
            (3, "8d7600"),
            (4, "8d742600"),
            (5, "8d74260090"),
            (6, "8db600000000"),
            (7, "8db42600000000"),
            (8, "8db4260000000090"),
            (9, "8db426000000006690"),
            (10, "8db426000000008d7600"),
            (11, "8db426000000008d742600"),
            (12, "8db426000000008d74260090"),
            (13, "8db426000000008db600000000"),
            (14, "8db426000000008db42600000000"),
            (15, "8db426000000008db4260000000090"),
            (16, "8db426000000008db426000000006690"),
            (20, "8db426000000008db426000000008db600000000"),
            (21, "eb138db426000000008db426000000008d74260090"),
            (30, "eb1c8db426000000008db426000000008db426000000008db42600000000"),
        ];
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        for (length, expected) in written {
            let mut bytes = Vec::new();
            pad(&mut bytes, length, SegmentKind::Code, CodeSize::Bits32, Padding::Leas);
            assert_eq!(hex(&bytes), expected, "{length}");
        }
        for (length, begins) in [(129, "eb7f8db426"), (130, "e97d0000008db426")] {
            let mut bytes = Vec::new();
            pad(&mut bytes, length, SegmentKind::Code, CodeSize::Bits32, Padding::Leas);
            assert!(hex(&bytes).starts_with(begins), "{}", hex(&bytes));
        }
    }
}

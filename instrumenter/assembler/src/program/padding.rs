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

/// Appends `length` bytes of padding.
pub(crate) fn pad(bytes: &mut Vec<u8>, length: usize, kind: SegmentKind, size: CodeSize, padding: Padding) {
    let end = bytes.len() + length;
    if kind == SegmentKind::Data {
        bytes.resize(end, 0);
        return;
    }
    let forms: &[&[u8]] = match (padding, size) {
        (Padding::Nops, _) => return bytes.resize(end, 0x90),
        (Padding::Moves, CodeSize::Bits32) => &WIDE,
        (Padding::Moves, CodeSize::Bits16) => &NARROW,
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
        for (size, bits) in [(CodeSize::Bits16, 16), (CodeSize::Bits32, 32)] {
            for length in 0..40 {
                let mut bytes = Vec::new();
                pad(&mut bytes, length, SegmentKind::Code, size, Padding::Moves);
                assert_eq!(bytes.len(), length);
                for instruction in &mut Decoder::new(bits, &bytes, DecoderOptions::NONE) {
                    if instruction.mnemonic() == Mnemonic::Nop {
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
}

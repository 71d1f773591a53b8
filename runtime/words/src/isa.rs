//! Instruction sets: whether an instruction exists, for execution, the chips' data and the assembler.
//!
//! An instruction set consists of the decoder's feature flags, the few forms for which the flags are wrong, and the
//! decoder options. The sets of the chips are in `p5_chips`, the meaning of instructions is in `p5_meaning`.

use iced_x86::{Code, CpuidFeature, Decoder};

/// The size of a page in bytes.
pub const PAGE: u32 = 4096;

/// The maximum length of an instruction in bytes: every chip refuses a longer one.
pub const LONGEST_INSTRUCTION: usize = 15;

/// Whether `byte` is a prefix: segment, operand size, address size, lock or repeat.
pub fn is_prefix(byte: u8) -> bool {
    matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67 | 0xF0 | 0xF2 | 0xF3)
}

/// The instructions that a chip has.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet {
    /// The short name of the first chip that has it.
    pub chip: &'static str,
    /// The instruction set that this one extends.
    pub base: Option<&'static InstructionSet>,
    /// The feature flags. An instruction exists if all its flags are in this list or in the base's.
    pub features: &'static [CpuidFeature],
    /// The forms that do not exist although their feature flags match.
    pub without: &'static [Code],
    /// The [`DecoderOptions`](iced_x86::DecoderOptions) for prefixes and opcodes whose meaning differs from later
    /// chips.
    pub decoder_options: u32,
    /// The implemented bits of CR4, each of which enables a feature.
    pub control_register_4: u32,
}

impl InstructionSet {
    /// Returns whether the chip has the instruction.
    pub fn has(&self, code: Code) -> bool {
        let features = code.cpuid_features();
        features.iter().all(|&feature| self.has_feature(feature)) && !self.leaves_out(code)
    }

    /// Returns a decoder for the chip's code of `bits` bits, 16 or 32, at an offset in the code segment.
    pub fn decoder<'a>(&self, bits: u32, bytes: &'a [u8], offset: u32) -> Decoder<'a> {
        Decoder::with_ip(bits, bytes, u64::from(offset), self.decoder_options)
    }

    fn has_feature(&self, feature: CpuidFeature) -> bool {
        self.features.contains(&feature) || self.base.is_some_and(|base| base.has_feature(feature))
    }

    fn leaves_out(&self, code: Code) -> bool {
        self.without.contains(&code) || self.base.is_some_and(|base| base.leaves_out(code))
    }
}

/// Whether an instruction is a shift or rotation by one that is encoded without a count, as D0h or D1h.
pub fn shifts_by_one(code: Code) -> bool {
    use Code::{
        Rcl_rm8_1, Rcl_rm16_1, Rcl_rm32_1, Rcr_rm8_1, Rcr_rm16_1, Rcr_rm32_1, Rol_rm8_1, Rol_rm16_1, Rol_rm32_1,
        Ror_rm8_1, Ror_rm16_1, Ror_rm32_1, Sal_rm8_1, Sal_rm16_1, Sal_rm32_1, Sar_rm8_1, Sar_rm16_1, Sar_rm32_1,
        Shl_rm8_1, Shl_rm16_1, Shl_rm32_1, Shr_rm8_1, Shr_rm16_1, Shr_rm32_1,
    };
    matches!(
        code,
        Rcl_rm8_1
            | Rcl_rm16_1
            | Rcl_rm32_1
            | Rcr_rm8_1
            | Rcr_rm16_1
            | Rcr_rm32_1
            | Rol_rm8_1
            | Rol_rm16_1
            | Rol_rm32_1
            | Ror_rm8_1
            | Ror_rm16_1
            | Ror_rm32_1
            | Sal_rm8_1
            | Sal_rm16_1
            | Sal_rm32_1
            | Sar_rm8_1
            | Sar_rm16_1
            | Sar_rm32_1
            | Shl_rm8_1
            | Shl_rm16_1
            | Shl_rm32_1
            | Shr_rm8_1
            | Shr_rm16_1
            | Shr_rm32_1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::OpCodeOperandKind;

    #[test]
    fn only_shifts_without_a_count_shift_by_one() {
        for code in Code::values() {
            // The chips have no registers of 64 bits.
            let form = code.op_code();
            let by_one = form.op1_kind() == OpCodeOperandKind::imm8_const_1 && form.mode32();
            assert_eq!(shifts_by_one(code), by_one, "{code:?}");
        }
    }
}

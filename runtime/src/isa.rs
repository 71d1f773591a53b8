//! The instruction set of a chip: the single list that execution, the chip data and the assembler use.
//!
//! An instruction set consists of the decoder's feature flags, the few forms for which the flags are wrong, and the
//! decoder options. What an instruction does is defined in `exec`, and how long it takes in `model`.

use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions};

/// The instruction set of a chip.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet {
    /// The instruction set that this one extends.
    pub base: Option<&'static InstructionSet>,
    /// The feature flags. An instruction exists if all its flags are in this list or in the base's.
    pub features: &'static [CpuidFeature],
    /// Forms that do not exist although their feature flags match.
    pub without: &'static [Code],
    /// [`DecoderOptions`] for prefixes and opcodes whose meaning differs from later chips.
    pub decoder_options: u32,
    /// The implemented bits of CR4, each of which enables a feature.
    pub control_register_4: u32,
}

/// The first Pentiums.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), volume 3.
pub static PENTIUM: InstructionSet = InstructionSet {
    base: None,
    features: &[
        CpuidFeature::INTEL8086,
        CpuidFeature::INTEL186,
        CpuidFeature::INTEL286,
        CpuidFeature::INTEL386,
        CpuidFeature::INTEL486,
        CpuidFeature::FPU,
        CpuidFeature::FPU287,
        CpuidFeature::FPU387,
        CpuidFeature::CPUID,
        CpuidFeature::CX8,
        CpuidFeature::MSR,
        CpuidFeature::SMM,
        CpuidFeature::TSC,
    ],
    // Later manuals named these opcodes to reserve them.
    without: &[
        Code::Ud0,
        Code::Ud0_r16_rm16,
        Code::Ud0_r32_rm32,
        Code::Ud1_r16_rm16,
        Code::Ud1_r32_rm32,
        Code::Ud2,
    ],
    // The prefix F3h has no meaning before these opcodes.
    decoder_options: DecoderOptions::NO_PAUSE
        | DecoderOptions::NO_WBNOINVD
        | DecoderOptions::NO_MPFX_0FBC
        | DecoderOptions::NO_MPFX_0FBD,
    // VME, PVI, TSD, DE, PSE, MCE.
    control_register_4: 0x5F,
};

/// The Pentiums with MMX. RDPMC reads their counters without privilege.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), chapter 16 and volume 3.
pub static PENTIUM_WITH_MMX: InstructionSet = InstructionSet {
    base: Some(&PENTIUM),
    features: &[CpuidFeature::MMX, CpuidFeature::RDPMC],
    without: &[],
    decoder_options: PENTIUM.decoder_options,
    // PCE, in addition to the base's bits.
    control_register_4: PENTIUM.control_register_4 | 1 << 8,
};

/// Every instruction set. An assembler accepts an instruction that any of them has.
pub static INSTRUCTION_SETS: &[&InstructionSet] = &[&PENTIUM, &PENTIUM_WITH_MMX];

impl InstructionSet {
    /// Returns whether the chip has the instruction.
    pub fn has(&self, code: Code) -> bool {
        let features = code.cpuid_features();
        features.iter().all(|&feature| self.has_feature(feature)) && !self.leaves_out(code)
    }

    /// Returns a decoder for the chip's 32-bit code at `address`.
    pub fn decoder<'a>(&self, bytes: &'a [u8], address: u32) -> Decoder<'a> {
        Decoder::with_ip(32, bytes, u64::from(address), self.decoder_options)
    }

    fn has_feature(&self, feature: CpuidFeature) -> bool {
        self.features.contains(&feature) || self.base.is_some_and(|base| base.has_feature(feature))
    }

    fn leaves_out(&self, code: Code) -> bool {
        self.without.contains(&code) || self.base.is_some_and(|base| base.leaves_out(code))
    }
}

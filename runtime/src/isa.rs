//! Which instructions there are on a chip: the one list that meaning, the chips' data and the assembler read.
//!
//! An instruction set is the decoder's feature flags, the few forms that those get wrong, and how bytes decode. It says
//! nothing of what an instruction does (`exec`) or how long it takes (`model`).

use iced_x86::{Code, CpuidFeature, Decoder, DecoderOptions};

/// The instructions of a chip.
#[derive(Clone, Copy, Debug)]
pub struct InstructionSet {
    /// The set it extends.
    pub base: Option<&'static InstructionSet>,
    /// An instruction exists if all its feature flags are among these or the base's.
    pub features: &'static [CpuidFeature],
    /// Forms that do not exist all the same.
    pub without: &'static [Code],
    /// [`DecoderOptions`]: which prefixes and opcodes mean something else than on later chips.
    pub decoder_options: u32,
    /// The bits of CR4 that exist, each of which switches a feature.
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
    // Opcodes that later manuals named so as to reserve them.
    without: &[
        Code::Ud0,
        Code::Ud0_r16_rm16,
        Code::Ud0_r32_rm32,
        Code::Ud1_r16_rm16,
        Code::Ud1_r32_rm32,
        Code::Ud2,
    ],
    // F3h before these opcodes means nothing.
    decoder_options: DecoderOptions::NO_PAUSE
        | DecoderOptions::NO_WBNOINVD
        | DecoderOptions::NO_MPFX_0FBC
        | DecoderOptions::NO_MPFX_0FBD,
    // VME, PVI, TSD, DE, PSE, MCE.
    control_register_4: 0x5F,
};

/// The Pentiums with MMX, which can also read their counters without privilege.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), chapter 16 and volume 3.
pub static PENTIUM_WITH_MMX: InstructionSet = InstructionSet {
    base: Some(&PENTIUM),
    features: &[CpuidFeature::MMX, CpuidFeature::RDPMC],
    without: &[],
    decoder_options: PENTIUM.decoder_options,
    // PCE beside those of the base.
    control_register_4: PENTIUM.control_register_4 | 1 << 8,
};

/// Every instruction set; an assembler offers what any of them has.
pub static INSTRUCTION_SETS: &[&InstructionSet] = &[&PENTIUM, &PENTIUM_WITH_MMX];

impl InstructionSet {
    /// Whether the chip has the instruction.
    pub fn has(&self, code: Code) -> bool {
        let features = code.cpuid_features();
        features.iter().all(|&feature| self.has_feature(feature)) && !self.leaves_out(code)
    }

    /// A decoder for the chip's 32-bit code at `address`.
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

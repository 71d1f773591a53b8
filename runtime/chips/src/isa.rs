//! The instruction sets of the chips.
//!
//! Modelled: the existence of instructions, and the bits of CR4. Not modelled: their meaning and time.

use iced_x86::{Code, CpuidFeature, DecoderOptions};
use p5_words::isa::InstructionSet;

/// The i486 from 1993 on, with CPUID. Without its test registers.
///
/// Source: Intel, i486 Microprocessor Programmer's Reference Manual 1990 (240486), chapter 26.
pub(super) static I486: InstructionSet = InstructionSet {
    chip: "i486",
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
        CpuidFeature::SMM,
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
    // VME and PVI.
    control_register_4: 3,
};

/// The first Pentiums.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), volume 3.
pub(super) static P5: InstructionSet = InstructionSet {
    chip: "p5",
    base: Some(&I486),
    features: &[CpuidFeature::CX8, CpuidFeature::MSR, CpuidFeature::TSC],
    without: &[],
    decoder_options: I486.decoder_options,
    // VME, PVI, TSD, DE, PSE and MCE.
    control_register_4: 0x5F,
};

/// The Pentiums with MMX. RDPMC reads their counters without privilege.
///
/// Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), chapter 16 and volume 3.
pub(super) static P55C: InstructionSet = InstructionSet {
    chip: "p55c",
    base: Some(&P5),
    features: &[CpuidFeature::MMX, CpuidFeature::RDPMC],
    // PADDQ came with SSE2, although the decoder's tables have it with MMX.
    without: &[Code::Paddq_mm_mmm64],
    decoder_options: P5.decoder_options,
    // PCE, in addition to the base's bits.
    control_register_4: P5.control_register_4 | 1 << 8,
};

/// Every instruction set. An assembler accepts an instruction that any of them has.
pub static INSTRUCTION_SETS: &[&InstructionSet] = &[&I486, &P5, &P55C];

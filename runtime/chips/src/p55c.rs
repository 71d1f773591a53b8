//! The P55C (Pentium with MMX, 133 to 300).
//!
//! Modelled: caches of 16 KiB with four ways, fully associative TLBs, four write buffers for both pipes, prediction by
//! history and a stack of return addresses, refills that are a clock longer, the decode clocks of its prefixes, the
//! instruction FIFO, the pairing of prefixes, constants and long instructions, pairs from the first execution on, MMX
//! instructions, the additional events, a smaller range of safe operands of reals. Not modelled: the clocks of the
//! length decoder for instructions that cross 16 bytes.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), chapter 2; Agner Fog,
//! Microarchitecture (2020-09), 3.3 and 4; Agner Fog, Instruction tables (2021-08), Pentium MMX.

use super::{
    ALL, BothConstants, CacheGeometry, Class, Clocks, CounterEvents, CpuidLeaf, Geometry, Model, PackedUnit,
    Prediction, Prefixes, Row, Rules, TableGeometry, WriteBuffers, genuine_intel, isa, p5,
};
use iced_x86::Mnemonic::*;
use p5_words::fpu::SafeExponents;

const RULES: Rules = Rules {
    longest_paired: [11, 7],
    displacement_with_immediate: BothConstants::OnlyInU,
    prefixed_goes_to_u: Prefixes {
        size: false,
        escape: false,
        other: true,
    },
    pairs_after_first_execution: false,
    prefix_decode: Prefixes {
        size: 2,
        escape: 0,
        other: 1,
    },
    queued_instructions: 4,
    longest_decoded_beside_another: 7,
    prediction: Prediction::History,
    history_update_instructions: 6,
    packed_multiply: 3,
    packed_store_ahead: 1,
    to_packed: 38,
    from_packed: 58,
    mispredicted_in_ex: 4,
    mispredicted_in_wb: 5,
    mispredicted_direct: 4,
    ..p5::RULES
};

const GEOMETRY: Geometry = Geometry {
    code_cache: CACHE,
    data_cache: CACHE,
    code_tlb: TableGeometry { entries: 32, ways: 32 },
    data_tlb: TableGeometry { entries: 64, ways: 64 },
    // Intel Architecture Software Developer's Manual 1997, volume 3, table 9-1: large pages share the TLB. DOUBT:
    // whether one entry holds a whole large page, as on the P5.
    large_tlb: None,
    branch_target_buffer: TableGeometry { entries: 256, ways: 16 },
    write_buffers: WriteBuffers::Shared(4),
    ..p5::GEOMETRY
};

const CACHE: CacheGeometry = CacheGeometry {
    size: 16 << 10,
    ways: 4,
    line: 32,
};

/// The bit of MMX beside the other features.
const FEATURES: u32 = p5::FEATURES | 1 << 23;

const CPUID: &[CpuidLeaf] = &[genuine_intel(1), [0x0543, 0, 0, FEATURES]];

pub(super) static P55C: Model = Model {
    name: "p55c",
    title: "Pentium MMX (P55C)",
    base: Some(&p5::P5),
    isa: &isa::P55C,
    geometry: GEOMETRY,
    rules: RULES,
    rows: ROWS,
    divider: p5::P5.divider,
    faulted_comparison: p5::P5.faulted_comparison,
    safe_exponents: SafeExponents {
        below: 0x0FFF,
        above: 0x1000,
    },
    events: CounterEvents {
        selected: ALL,
        unavailable: p5::UNAVAILABLE,
        errata: &[],
    },
    cpuid: CPUID,
    registers: p5::REGISTERS,
    assumed: &[],
    extended_cpuid: &[],
    monitors: &[],
};

const MMX: &str = "Intel optimization manual 1997, table 2-2; Intel developer's manual 1997, 2.4.4; Agner Fog, \
                   Instruction tables 2021, Pentium MMX";
const SYSTEM: &str = "Agner Fog, Instruction tables 2021, Pentium MMX; Intel developer's manual 1997, 2.4";
const ALU: Class = Class::Packed(PackedUnit::Alu);
const MULTIPLIER: Class = Class::Packed(PackedUnit::Multiplier);
const SHIFTER: Class = Class::Packed(PackedUnit::Shifter);

#[rustfmt::skip] // One form per row.
const ROWS: &[Row] = &[
    Row { form: "MOVD MOVQ",             mnemonics: &[Movd, Movq],                                                       when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PADD PSUB",             mnemonics: &[Paddb, Paddw, Paddd, Psubb, Psubw, Psubd],                         when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PADDS PSUBS",           mnemonics: &[Paddsb, Paddsw, Psubsb, Psubsw],                                   when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PADDUS PSUBUS",         mnemonics: &[Paddusb, Paddusw, Psubusb, Psubusw],                               when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PCMPEQ PCMPGT",         mnemonics: &[Pcmpeqb, Pcmpeqw, Pcmpeqd, Pcmpgtb, Pcmpgtw, Pcmpgtd],             when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PAND PANDN POR PXOR",   mnemonics: &[Pand, Pandn, Por, Pxor],                                           when: &[], class: ALU,        clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PMULLW PMULHW PMADDWD", mnemonics: &[Pmullw, Pmulhw, Pmaddwd],                                          when: &[], class: MULTIPLIER, clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PSLL PSRL PSRA",        mnemonics: &[Psllw, Pslld, Psllq, Psrlw, Psrld, Psrlq, Psraw, Psrad],           when: &[], class: SHIFTER,    clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PACK",                  mnemonics: &[Packsswb, Packssdw, Packuswb],                                     when: &[], class: SHIFTER,    clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "PUNPCK",                mnemonics: &[Punpcklbw, Punpcklwd, Punpckldq, Punpckhbw, Punpckhwd, Punpckhdq], when: &[], class: SHIFTER,    clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "EMMS",                  mnemonics: &[Emms],                                                             when: &[], class: Class::Np,  clocks: Clocks::Fixed(1),           serializing: false, source: MMX,    doubt: None, early: None, fpu: None },
    Row { form: "RDTSC",                 mnemonics: &[Rdtsc],                                                            when: &[], class: Class::Np,  clocks: Clocks::ByPrivilege(8, 13), serializing: false, source: p5::TIME_STAMP, doubt: None, early: None, fpu: None },
    Row { form: "RDPMC",                 mnemonics: &[Rdpmc],                                                            when: &[], class: Class::Np,  clocks: Clocks::ByPrivilege(8, 13), serializing: false, source: SYSTEM, doubt: Some("no figure is known: that of RDTSC"), early: None, fpu: None },
];

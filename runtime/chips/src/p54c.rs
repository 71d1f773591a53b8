//! The P54C (Pentium 75 to 200): the core of the P5, with a bus that is slower than the core.
//!
//! Modelled: the same as for the P5. Not modelled except as monitors: the local APIC, dual processing.

use super::{CounterEvents, CpuidLeaf, Erratum, Extra, Miscount, Model, genuine_intel, p5};
use asm_macros::events::Event;

const CPUID: &[CpuidLeaf] = &[genuine_intel(1), [0x0525, 0, 0, p5::FEATURES]];

/// The miscounts of its counters, which a run assumes only on request.
///
/// Source: Intel, Pentium Processor Specification Update, January 1997 (242480-024), erratum 44.
#[rustfmt::skip] // One miscount per row.
const ERRATA: &[Erratum] = &[
    Erratum { event: Event::DATA_READ_MISS,             miscount: Miscount::Also(Extra::MisalignedReadMiss) },
    Erratum { event: Event::DATA_WRITE_MISS,            miscount: Miscount::Also(Extra::MisalignedWriteMiss) },
    Erratum { event: Event::DATA_READ_OR_WRITE_MISS,    miscount: Miscount::Also(Extra::MisalignedReadMiss) },
    Erratum { event: Event::DATA_READ_OR_WRITE_MISS,    miscount: Miscount::Also(Extra::MisalignedWriteMiss) },
    Erratum { event: Event::MISALIGNED_REFERENCES,      miscount: Miscount::Also(Extra::MisalignedFloatingStore) },
    Erratum { event: Event::PIPELINE_FLUSHES,           miscount: Miscount::Also(Extra::SegmentVerified) },
    Erratum { event: Event::WRITE_TO_M_OR_E_LINE_STALL, miscount: Miscount::Nothing },
    Erratum { event: Event::NONCACHEABLE_READS,         miscount: Miscount::Also(Extra::IoRead) },
];

pub(super) static P54C: Model = Model {
    name: "p54c",
    title: "Pentium 75-200 (P54C)",
    base: Some(&p5::P5),
    isa: p5::P5.isa,
    geometry: p5::GEOMETRY,
    rules: p5::RULES,
    divider: p5::P5.divider,
    faulted_comparison: p5::P5.faulted_comparison,
    safe_exponents: p5::P5.safe_exponents,
    rows: &[],
    events: CounterEvents {
        errata: ERRATA,
        ..p5::EVENTS
    },
    cpuid: CPUID,
    registers: p5::REGISTERS,
    assumed: &[],
    extended_cpuid: &[],
    monitors: &[],
};

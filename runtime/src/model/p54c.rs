//! The P54C (Pentium 75 to 200): the core of the P5, with a bus that is slower than the core.
//!
//! Modelled: the same as for the P5. Not modelled: the local APIC, dual processing.

use super::{CpuidLeaf, Model, genuine_intel, p5};

const CPUID: &[CpuidLeaf] = &[genuine_intel(1), [0x0525, 0, 0, p5::FEATURES]];

/// The P54C, whose instruction timing is that of the P5.
pub(super) static P54C: Model = Model {
    name: "p54c",
    title: "Pentium 75-200 (P54C)",
    base: Some(&p5::P5),
    isa: p5::P5.isa,
    geometry: p5::GEOMETRY,
    rules: p5::RULES,
    divider: p5::P5.divider,
    safe_exponents: p5::P5.safe_exponents,
    rows: &[],
    events: p5::EVENTS,
    cpuid: CPUID,
    registers: p5::REGISTERS,
    assumed: &[],
};

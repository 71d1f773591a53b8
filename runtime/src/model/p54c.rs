//! The P54C (Pentium 75 to 200): the P5's core, with a bus slower than the core.
//!
//! Modelled: as the P5. Not modelled: the local APIC, dual processing.

use super::{Model, Rules, p5};

/// The P54C: no instruction differs from the P5's.
pub(super) static P54C: Model = Model {
    name: "p54c",
    title: "Pentium 75-200 (P54C)",
    base: Some(&p5::P5),
    geometry: p5::GEOMETRY,
    rules: Rules {
        signature: 0x0525,
        ..p5::RULES
    },
    rows: &[],
};

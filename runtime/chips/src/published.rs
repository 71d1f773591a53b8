//! Published figures that no chip here follows. Reports quote them.
//!
//! Modelled: nothing. Not modelled: what these figures consist of, which is not known.

/// The clocks of a change of code that is executed immediately afterwards, on a Pentium without MMX and with it.
///
/// Source: Agner Fog, How to optimize for the Pentium family of microprocessors, 27.9.
pub const CHANGED_CODE: [u32; 2] = [19, 31];

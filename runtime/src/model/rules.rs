//! The rules in which chips differ: clocks and switches, each named after a behaviour.
//!
//! Modelled: pairing, decoding, interlocks, refills, misalignment, bank conflicts, the update delay of the branch
//! target buffer. Not modelled: the application of the rules, which is in `pipeline`.

/// The rules of a chip. Clocks are core clocks unless noted otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The length of the longest instruction that pairs, in bytes.
    pub longest_paired: u8,
    /// Whether an instruction with both a displacement and an immediate never pairs.
    pub displacement_with_immediate_never_pairs: bool,
    /// Whether a prefixed instruction issues only in the U pipe. The 0Fh of near Jcc does not count as a prefix.
    pub prefixed_goes_to_u: bool,
    /// Whether an instruction of more than one byte pairs in U only after it has been decoded once since its line was
    /// filled.
    pub pairs_after_first_execution: bool,
    /// Decode clocks of each prefix, and of the 0Fh of a two-byte opcode other than near Jcc.
    pub prefix_decode: u32,
    /// Whether prefixes are decoded one stage before D1, so that they overlap with the group before, and a microcoded
    /// instruction holds D2 until its last clock. Otherwise D1 decodes them. DOUBT: both explain Agner Fog's statement
    /// that the prefixes of the next two, sometimes three groups are hidden; the former agrees with more published
    /// figures.
    pub prefixes_decoded_ahead: bool,
    /// Clocks an address computation waits for a register written in the previous clock.
    pub address_interlock: u32,
    /// Clocks to refill the pipeline after a misprediction that EX resolves.
    pub mispredicted_in_ex: u32,
    /// The same for a conditional branch in the V pipe, which WB resolves.
    pub mispredicted_in_wb: u32,
    /// Clocks added by an access that crosses an alignment boundary.
    pub misaligned: u32,
    /// Clocks the V pipe's access waits when both accesses use the same bank.
    pub bank_conflict: u32,
    /// The most clocks of a repeated string instruction without an iteration. DOUBT: 6 or 7 is remembered from Intel's
    /// tables.
    pub repeated_zero_times: u32,
    /// Clocks that an instruction outside the floating-point unit waits right after a pair with FXCH.
    pub exchange_before_integer: u32,
    /// Clocks the floating-point unit waits after an instruction whose operands may raise an exception.
    pub unsafe_operands: u32,
    /// Groups that the write-back of a branch's updated counter takes.
    pub btb_update_groups: u64,
}

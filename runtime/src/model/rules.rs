//! What a chip does where chips differ: clocks and switches, each named after a behaviour.
//!
//! Modelled: pairing, decoding, interlocks, refills, misalignment, bank conflicts, the branch target buffer's delay.
//! Not modelled: what time does with them; that stands in `pipeline`.

/// What a chip does where chips differ. Clocks are core clocks unless said otherwise.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The longest instruction that pairs, in bytes.
    pub longest_paired: u8,
    /// Whether an instruction with both a displacement and an immediate never pairs.
    pub displacement_with_immediate_never_pairs: bool,
    /// Whether a prefixed instruction (0Fh of near Jcc excepted) goes to the U pipe only.
    pub prefixed_goes_to_u: bool,
    /// Whether an instruction of more than one byte pairs in U only after it was decoded once since its line was filled.
    pub pairs_after_first_execution: bool,
    /// Decode clocks of each prefix, and of the 0Fh of a two-byte opcode other than near Jcc.
    pub prefix_decode: u32,
    /// Clocks an address waits for a register written in the clock before.
    pub address_interlock: u32,
    /// Clocks the pipeline takes to refill after a misprediction that EX resolves.
    pub mispredicted_in_ex: u32,
    /// The same for a conditional branch in the V pipe, which WB resolves.
    pub mispredicted_in_wb: u32,
    /// Clocks added by an access that crosses an alignment boundary.
    pub misaligned: u32,
    /// Clocks the V pipe's access waits when both want the same bank.
    pub bank_conflict: u32,
    /// How many groups back a branch's own last lookup must lie for its counter to have been written back.
    pub btb_update_groups: u64,
}

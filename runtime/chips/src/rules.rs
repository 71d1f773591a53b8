//! The rules in which chips differ: clocks and switches, each named after a behaviour.
//!
//! Modelled: pairing, decoding, interlocks, refills, misalignment, bank conflicts, the update delay of the branch
//! target buffer. Not modelled: the application of the rules, which is in `pipeline`.

/// The rules of a chip. Clocks are core clocks unless noted otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The number of pipes. With one, nothing pairs.
    pub pipes: u32,
    /// The length of the longest instruction that pairs in U, and of that in V, in bytes, without prefixes.
    pub longest_paired: [u8; 2],
    /// Where an instruction with both a displacement and an immediate pairs.
    pub displacement_with_immediate: BothConstants,
    /// Whether an instruction with such a prefix issues only in the U pipe.
    pub prefixed_goes_to_u: Prefixes<bool>,
    /// Whether an instruction of more than one byte pairs in U only after it has been decoded once since its line was
    /// filled.
    pub pairs_after_first_execution: bool,
    /// Decode clocks of each prefix.
    pub prefix_decode: Prefixes<u8>,
    /// Whether prefixes are decoded one stage before D1, so that they overlap with the group before, and a microcoded
    /// instruction holds D2 until its last clock. Otherwise D1 decodes them. DOUBT: both explain Agner Fog's statement
    /// that the prefixes of the next two, sometimes three groups are hidden; the former agrees with more published
    /// figures.
    pub prefixes_decoded_ahead: bool,
    /// The number of decoded instructions that a queue between the length decoder and D1 holds; 0 without one.
    pub queued_instructions: u32,
    /// The length of the longest instruction that such a decoder decodes in the same clock as another one, in bytes,
    /// without prefixes.
    pub longest_decoded_beside_another: u8,
    /// Clocks that an index register adds to an instruction.
    pub index: u32,
    /// Clocks that a displacement and an immediate together add to it.
    pub displacement_and_immediate: u32,
    /// The bytes that the prefetch queue holds, if the accesses of data delay it; otherwise 0.
    pub prefetched_bytes: u32,
    /// Whether the fetch reads a code line ahead across the end of a page whose successor is in the TLB. DOUBT: the
    /// assumption `read_ahead`.
    pub reads_into_next_page: bool,
    /// Clocks an address computation waits for a register written in the previous clock.
    pub address_interlock: u32,
    /// How branches are predicted.
    pub prediction: Prediction,
    /// Clocks to refill the pipeline after a misprediction that EX resolves.
    pub mispredicted_in_ex: u32,
    /// The same for a conditional branch in the V pipe, which WB resolves.
    pub mispredicted_in_wb: u32,
    /// The same for a direct near jump or call. DOUBT: the assumption `mispredicted_jump`.
    pub mispredicted_direct: u32,
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
    /// Clocks after its issue until the result of an MMX multiply is there.
    pub packed_multiply: u32,
    /// Clocks by which an MMX register must be ready before it is stored to memory or to a general register.
    pub packed_store_ahead: u32,
    /// Clocks that the first MMX instruction after one of the floating-point unit waits. DOUBT: measured as about 38.
    pub to_packed: u32,
    /// Clocks that the first instruction of the floating-point unit after MMX instructions waits. DOUBT: measured as
    /// about 58.
    pub from_packed: u32,
    /// The number of instructions that execute until a branch's updated history can be used. DOUBT: a loop of up to six
    /// is known not to be predicted by it in time.
    pub history_update_instructions: u64,
    /// Groups that the write-back of a branch's updated counter takes.
    pub btb_update_groups: u64,
    /// The most operations that the event of floating-point operations counts for one instruction. DOUBT: the
    /// assumption `transcendental_flops`.
    pub most_operations: u32,
    /// Whether the counters that a program reads miscount as the errata of the chip say.
    pub miscounts: bool,
}

impl Rules {
    /// Clocks to refill the pipeline after a misprediction. An entry of another branch that a group meets is found in
    /// EX.
    pub const fn mispredicted(&self, resolved: Resolved) -> u32 {
        match resolved {
            Resolved::Direct => self.mispredicted_direct,
            Resolved::InEx => self.mispredicted_in_ex,
            Resolved::InWb => self.mispredicted_in_wb,
        }
    }
}

/// Something for each kind of prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes<T> {
    /// Of operand and address size.
    pub size: T,
    /// The 0Fh of a two-byte opcode other than near Jcc, which the decoder of the first Pentiums takes for a prefix.
    pub escape: T,
    /// Of segment, lock and repeat.
    pub other: T,
}

/// Where in the pipeline a near branch is found to have been mispredicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// Where a direct jump or call is, which has its target in it.
    Direct,
    /// In EX.
    InEx,
    /// In WB: a conditional branch in V.
    InWb,
}

impl Resolved {
    /// That of a near branch that is `conditional` or not, has a `direct` target, and issues in V or in U.
    pub const fn of(conditional: bool, direct: bool, in_v: bool) -> Resolved {
        match (conditional, direct, in_v) {
            (true, _, true) => Resolved::InWb,
            (false, true, _) => Resolved::Direct,
            _ => Resolved::InEx,
        }
    }
}

/// How branches are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// Not at all: the clocks of a branch depend on its outcome alone.
    None,
    /// By a counter of four states, which is attached to the group before the branch.
    Counter,
    /// Every near branch rightly, which no chip does.
    Perfect,
    /// By the last four outcomes of the branch, which is found by its last byte, and returns by a stack of addresses.
    History,
}

/// Where an instruction with both a displacement and an immediate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothConstants {
    /// Nowhere.
    Unpaired,
    /// In the U pipe.
    OnlyInU,
}

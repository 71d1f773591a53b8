//! The rules in which chips differ: clocks and switches, each named after a behaviour.
//!
//! Modelled: pairing, decoding, interlocks, refills, misalignment, bank conflicts, the update delay of the branch
//! target buffer. Not modelled: the application of the rules, which is in `pipeline`.

/// The rules of a chip. Clocks are core clocks unless noted otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The number of pipes. With one pipe, nothing pairs.
    pub pipes: u32,
    /// The maximum length of an instruction that pairs in U, and in V, in bytes without prefixes.
    pub longest_paired: [u8; 2],
    /// The pipes in which an instruction with both a displacement and an immediate pairs.
    pub displacement_with_immediate: BothConstants,
    /// Whether an instruction with a prefix of each kind issues only to the U pipe.
    pub prefixed_goes_to_u: Prefixes<bool>,
    /// Whether an instruction of more than one byte pairs in U only after it has been decoded once since its line was
    /// filled.
    pub pairs_after_first_execution: bool,
    /// The decode clocks of a prefix of each kind.
    pub prefix_decode: Prefixes<u8>,
    /// Whether prefixes are decoded one stage before D1, so that they overlap with the group before, and a microcoded
    /// instruction holds D2 until its last clock. Otherwise D1 decodes them. DOUBT: both explain Agner Fog's statement
    /// that the prefixes of the next two, sometimes three groups are hidden; the former agrees with more published
    /// figures.
    pub prefixes_decoded_ahead: bool,
    /// The number of decoded instructions that a queue between the length decoder and D1 holds; 0 without one.
    pub queued_instructions: u32,
    /// The maximum length of an instruction that such a decoder decodes in the same clock as another one, in bytes
    /// without prefixes.
    pub longest_decoded_beside_another: u8,
    /// The clocks that an index register adds to an instruction.
    pub index: u32,
    /// The clocks that a displacement and an immediate together add to an instruction.
    pub displacement_and_immediate: u32,
    /// The size of the prefetch queue in bytes if data accesses delay it; otherwise 0.
    pub prefetched_bytes: u32,
    /// Whether the fetch reads a code line ahead across the end of a page if the next page is in the TLB. DOUBT: the
    /// assumption `read_ahead`.
    pub reads_into_next_page: bool,
    /// The clocks that an address computation waits for a register written in the previous clock.
    pub address_interlock: u32,
    /// The method of predicting branches.
    pub prediction: Prediction,
    /// The clocks to refill the pipeline after a misprediction that EX resolves.
    pub mispredicted_in_ex: u32,
    /// The clocks to refill it after a misprediction of a conditional branch in the V pipe, which WB resolves.
    pub mispredicted_in_wb: u32,
    /// The clocks to refill it after a misprediction of a direct near jump or call. DOUBT: the assumption
    /// `mispredicted_jump`.
    pub mispredicted_direct: u32,
    /// The clocks that an access across an alignment boundary adds.
    pub misaligned: u32,
    /// The clocks that the V pipe's access waits if both accesses use the same bank.
    pub bank_conflict: u32,
    /// The maximum clocks of a repeated string instruction without an iteration. DOUBT: 6 or 7 is remembered from
    /// Intel's tables.
    pub repeated_zero_times: u32,
    /// The clocks that an instruction outside the floating-point unit waits directly after a pair with FXCH.
    pub exchange_before_integer: u32,
    /// The clocks that the floating-point unit waits after an instruction whose operands may raise an exception.
    pub unsafe_operands: u32,
    /// The clocks from the issue of an MMX multiply until its result is ready.
    pub packed_multiply: u32,
    /// The clocks by which an MMX register must be ready before it is stored to memory or to a general register.
    pub packed_store_ahead: u32,
    /// The clocks from the last floating-point instruction to the first MMX one after it. Agner Fog, Instruction tables
    /// 2021, Pentium MMX. DOUBT: measured as about 38; no source says what other instructions hide of it, or that MMX
    /// also waits for a longer division or square root, which has to be done as MMX registers are those of the unit.
    pub to_packed: u32,
    /// The clocks from the last MMX instruction to the first floating-point one after it. The same source. DOUBT:
    /// measured as about 58; what other instructions hide of it.
    pub from_packed: u32,
    /// The number of instructions that execute before a branch's updated history can be used. DOUBT: a loop of up to
    /// six instructions is known not to be predicted by it in time.
    pub history_update_instructions: u64,
    /// The number of groups that the write-back of a branch's updated counter takes.
    pub btb_update_groups: u64,
    /// The maximum number of operations that the event of floating-point operations counts for one instruction. DOUBT:
    /// the assumption `transcendental_flops`.
    pub most_operations: u32,
    /// Whether the counters that a program reads miscount according to the errata of the chip.
    pub miscounts: bool,
}

impl Rules {
    /// The clocks to refill the pipeline after a misprediction. EX finds an entry of another branch that a group meets.
    pub const fn mispredicted(&self, resolved: Resolved) -> u32 {
        match resolved {
            Resolved::Direct => self.mispredicted_direct,
            Resolved::InEx => self.mispredicted_in_ex,
            Resolved::InWb => self.mispredicted_in_wb,
        }
    }
}

/// A value for each kind of prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefixes<T> {
    /// The value for operand and address size prefixes.
    pub size: T,
    /// The value for the 0Fh of a two-byte opcode other than near Jcc, which the decoder of the first Pentiums treats
    /// as a prefix.
    pub escape: T,
    /// The value for segment, lock and repeat prefixes.
    pub other: T,
}

/// The stage that finds the misprediction of a near branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// The stage that resolves a direct jump or call, which contains its target.
    Direct,
    /// The stage EX.
    InEx,
    /// The stage WB, for a conditional branch in V.
    InWb,
}

impl Resolved {
    /// The stage for a near branch that is `conditional` or not, has a `direct` target or not, and issues to V or U.
    pub const fn of(conditional: bool, direct: bool, in_v: bool) -> Resolved {
        match (conditional, direct, in_v) {
            (true, _, true) => Resolved::InWb,
            (false, true, _) => Resolved::Direct,
            _ => Resolved::InEx,
        }
    }
}

/// The method by which branches are predicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prediction {
    /// No prediction: the clocks of a branch depend only on its outcome.
    None,
    /// A counter with four states, which is attached to the group before the branch.
    Counter,
    /// The correct prediction of every near branch, as on no real chip.
    Perfect,
    /// The last four outcomes of the branch, which is found by its last byte, and for returns a stack of addresses.
    History,
}

/// The pipes in which an instruction with both a displacement and an immediate pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BothConstants {
    /// Neither pipe.
    Unpaired,
    /// Only the U pipe.
    OnlyInU,
}

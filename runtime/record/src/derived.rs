//! The derived events of instruction-based sampling, as conditions on the fields of a packet.
//!
//! The codes and names are those of OProfile and CodeAnalyst, F000h to F24Ch, with CodeXL's two for fetches. Where the
//! two disagree, CodeAnalyst's rule holds: a fetch that was killed is in F000h and F001h only, so that
//! F000h = F001h + F002h and F002h = F003h + F004h for any packets.

use crate::{Images, SampleKind};
use p5_chips::ibs::*;

/// ProfileMe's names for derived events.
pub const PROFILE_ME: &[(&str, u16)] = &[
    ("retired", 0xF100),
    ("inflight", 0xF101),
    ("retdelay", 0xF102),
    ("branches", 0xF103),
    ("cbrmispredict", 0xF104),
    ("taken", 0xF105),
    ("ldst", 0xF200),
    ("dtbmiss", 0xF205),
    ("dcmiss", 0xF206),
    ("unaligned", 0xF208),
    ("fetched", 0xF002),
    ("icmiss", 0xF008),
    ("itbmiss", 0xF007),
];

/// A condition on the fields of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// At least one of these fields is not 0.
    Any(&'static [Field]),
    /// All of these fields are 0.
    Clear(&'static [Field]),
    /// The field has this value.
    Is(Field, u64),
}

impl Condition {
    /// Whether `images` meet it; the fields of registers that were not kept count as 0.
    pub fn holds(&self, images: &Images) -> bool {
        match self {
            Condition::Any(fields) => fields.iter().any(|field| images.flag(field)),
            Condition::Clear(fields) => !fields.iter().any(|field| images.flag(field)),
            Condition::Is(field, value) => images.field(field).unwrap_or_default() == *value,
        }
    }

    /// The fields that it tests.
    pub fn fields(&self) -> &[Field] {
        match self {
            Condition::Any(fields) | Condition::Clear(fields) => fields,
            Condition::Is(field, _) => std::slice::from_ref(field),
        }
    }
}

/// A derived event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    /// Its code in the tools that have it: F000h and up.
    pub code: u16,
    /// Its name there, in lower case and without the leading `IBS_`.
    pub name: &'static str,
    /// The kind of samples that it is derived from.
    pub kind: SampleKind,
    /// The conditions on a packet that counts for it.
    pub conditions: &'static [Condition],
    /// The field that is summed over those packets; none if they are counted.
    pub sum: Option<Field>,
    /// Its meaning in words: the counted event or the summed quantity.
    pub title: &'static str,
}

impl Derived {
    /// Whether a packet of its kind counts for it.
    pub fn includes(&self, images: &Images) -> bool {
        self.conditions.iter().all(|condition| condition.holds(images))
    }

    /// The contribution of a packet that counts for it.
    fn added(&self, images: &Images) -> u64 {
        self.sum.map_or(1, |field| images.field(&field).unwrap_or_default())
    }

    /// The contribution of a packet of its kind.
    pub fn of(&self, images: &Images) -> u64 {
        if self.includes(images) { self.added(images) } else { 0 }
    }

    /// The registers that it is derived from.
    pub fn registers(&self) -> impl Iterator<Item = u32> {
        let fields = self.conditions.iter().flat_map(|condition| condition.fields());
        fields.chain(self.sum.as_ref()).map(|field| field.register)
    }
}

/// The derived event with this code; none if no event has it.
pub fn derived(code: u16) -> Option<&'static Derived> {
    let at = DERIVED.binary_search_by_key(&code, |event| event.code);
    at.ok().map(|at| &DERIVED[at])
}

/// Sums that hold for any packets: the first event is the sum of the others.
pub const SUM_RULES: &[(u16, &[u16])] = &[
    (0xF000, &[0xF001, 0xF002]),
    (0xF002, &[0xF003, 0xF004]),
    (0xF200, &[0xF206, 0xF207]),
    (0xF21A, &[0xF203, 0xF204, 0xF205]),
];

/// Fields of latency, with the conditions under which the value of each is defined.
pub const LATENCIES: &[(Field, SampleKind, &[Condition])] = &[
    (FETCH_LAT, SampleKind::Fetch, &[STARTED]),
    (ITLB_REFILL_LAT, SampleKind::Fetch, &[set(&[FETCH_L1_TLB_MISS])]),
    (TAG_TO_RET_CTR, SampleKind::Op, &[]),
    (COMP_TO_RET_CTR, SampleKind::Op, &[]),
    (DC_MISS_LAT, SampleKind::Op, &[LOADED, set(&[DC_MISS])]),
    (
        TLB_REFILL_LAT,
        SampleKind::Op,
        &[LOADED_OR_STORED, set(&[DC_L1_TLB_MISS])],
    ),
];

/// The counts and sums of all derived events over some packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tally(Box<[u64]>);

impl Default for Tally {
    fn default() -> Tally {
        Tally(vec![0; DERIVED.len()].into_boxed_slice())
    }
}

impl Tally {
    /// Adds a packet.
    pub fn add(&mut self, kind: SampleKind, images: &Images) {
        for (sum, event) in self.0.iter_mut().zip(DERIVED) {
            if event.kind == kind {
                *sum += event.of(images);
            }
        }
    }

    /// Adds a packet that counts for the events with these numbers.
    pub(crate) fn add_to(&mut self, events: &[u8], images: &Images) {
        for &number in events {
            self.0[usize::from(number)] += DERIVED[usize::from(number)].added(images);
        }
    }

    /// The count or sum of an event; 0 for an unknown code.
    pub fn get(&self, code: u16) -> u64 {
        let at = DERIVED.binary_search_by_key(&code, |event| event.code);
        at.map_or(0, |at| self.0[at])
    }

    /// Every event with its count or sum.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Derived, u64)> {
        DERIVED.iter().zip(self.0.iter().copied())
    }

    /// The codes with their counts or sums, without those that are 0.
    pub fn nonzero(&self) -> Vec<(u16, u64)> {
        let counted = self.iter().filter(|&(_, count)| count != 0);
        counted.map(|(event, count)| (event.code, count)).collect()
    }
}

const fn set(fields: &'static [Field]) -> Condition {
    Condition::Any(fields)
}

const fn clear(fields: &'static [Field]) -> Condition {
    Condition::Clear(fields)
}

/// Flags that show that a fetch was begun: a fetch without any of them was killed before.
const SIGNS_OF_A_START: &[Field] = &[
    FETCH_COMP,
    IC_MISS,
    FETCH_PHY_ADDR_VALID,
    FETCH_L1_TLB_MISS,
    FETCH_L2_TLB_MISS,
];
const STARTED: Condition = set(SIGNS_OF_A_START);
const LOADED: Condition = set(&[LD_OP]);
const LOADED_OR_STORED: Condition = set(&[LD_OP, ST_OP]);
const BRANCHED: Condition = set(&[OP_BRN_RET]);
const TRANSLATED: Condition = set(&[DC_LIN_ADDR_VALID]);
const MISSED: Condition = set(&[DC_MISS]);
/// The source of the data is known.
const SERVED: Condition = set(&[DATA_SRC, DATA_SRC_HI]);
/// The source is one that three bits express; later families have five.
const SHORT: Condition = clear(&[DATA_SRC_HI]);

const fn from(from: DataFrom) -> Condition {
    Condition::Is(DATA_SRC, from as u64)
}

macro_rules! derived_events {
    ($($code:literal $name:literal $kind:ident $conditions:expr, $sum:expr, $title:literal;)*) => {
        /// Every derived event, by ascending code.
        pub const DERIVED: &[Derived] = &[$(Derived {
            code: $code,
            name: $name,
            kind: SampleKind::$kind,
            conditions: &$conditions,
            sum: $sum,
            title: $title,
        },)*];
    };
}

const NEAR: Condition = clear(&[RMT_NODE]);
const REMOTE: Condition = set(&[RMT_NODE]);

derived_events! {
    0xF000 "fetch_all" Fetch [], None, "fetches";
    0xF001 "fetch_killed" Fetch [clear(SIGNS_OF_A_START)], None, "fetches killed before they began";
    0xF002 "fetch_attempted" Fetch [STARTED], None, "fetches begun";
    0xF003 "fetch_completed" Fetch [set(&[FETCH_COMP])], None, "fetches completed";
    0xF004 "fetch_aborted" Fetch [STARTED, clear(&[FETCH_COMP])], None, "fetches begun and aborted";
    0xF005 "fetch_l1_itlb_hits" Fetch [set(&[FETCH_PHY_ADDR_VALID]), clear(&[FETCH_L1_TLB_MISS])], None, "fetches that hit the code TLB";
    0xF006 "fetch_l1_itlb_misses_l2_itlb_hits" Fetch [set(&[FETCH_L1_TLB_MISS]), clear(&[FETCH_L2_TLB_MISS])], None, "fetches that hit the second level code TLB only";
    0xF007 "fetch_l1_itlb_misses_l2_itlb_misses" Fetch [set(&[FETCH_L1_TLB_MISS]), set(&[FETCH_L2_TLB_MISS])], None, "fetches that missed both code TLBs";
    0xF008 "fetch_icache_misses" Fetch [set(&[IC_MISS])], None, "fetches that missed the code cache";
    0xF009 "fetch_icache_hits" Fetch [set(&[FETCH_COMP]), clear(&[IC_MISS])], None, "completed fetches that hit the code cache";
    0xF00A "fetch_4k_page" Fetch [set(&[FETCH_PHY_ADDR_VALID]), Condition::Is(FETCH_L1_TLB_PG_SZ, 0)], None, "fetches from pages of 4 KiB";
    0xF00B "fetch_2m_page" Fetch [set(&[FETCH_PHY_ADDR_VALID]), Condition::Is(FETCH_L1_TLB_PG_SZ, 1)], None, "fetches from pages of 2 MiB";
    0xF00C "fetch_1g_page" Fetch [set(&[FETCH_PHY_ADDR_VALID]), Condition::Is(FETCH_L1_TLB_PG_SZ, 2)], None, "fetches from pages of 1 GiB";
    0xF00D "fetch_xx_page" Fetch [set(&[FETCH_PHY_ADDR_VALID]), Condition::Is(FETCH_L1_TLB_PG_SZ, 3)], None, "fetches from pages of a reserved size";
    0xF00E "fetch_latency" Fetch [STARTED], Some(FETCH_LAT), "clocks of fetches begun, in all";
    0xF00F "fetch_l2_misses" Fetch [set(&[FETCH_COMP]), set(&[FETCH_L2_MISS])], None, "completed fetches that missed the second level cache";
    0xF010 "fetch_itlb_refill_latency" Fetch [set(&[FETCH_L1_TLB_MISS])], Some(ITLB_REFILL_LAT), "clocks of fetches in misses of the code TLB, in all";

    0xF100 "op_all" Op [], None, "ops";
    0xF101 "op_tag_to_retire" Op [], Some(TAG_TO_RET_CTR), "clocks from tag to retirement, in all";
    0xF102 "op_comp_to_retire" Op [], Some(COMP_TO_RET_CTR), "clocks from completion to retirement, in all";
    0xF103 "op_branch_retired" Op [BRANCHED], None, "branches";
    0xF104 "op_mispredicted_branch" Op [BRANCHED, set(&[OP_BRN_MISP])], None, "mispredicted branches";
    0xF105 "op_taken_branch" Op [BRANCHED, set(&[OP_BRN_TAKEN])], None, "taken branches";
    0xF106 "op_mispredicted_branch_taken" Op [BRANCHED, set(&[OP_BRN_MISP]), set(&[OP_BRN_TAKEN])], None, "mispredicted branches that were taken";
    0xF107 "op_returns" Op [BRANCHED, set(&[OP_RETURN])], None, "returns";
    0xF108 "op_mispredicted_returns" Op [BRANCHED, set(&[OP_RETURN]), set(&[OP_BRN_MISP])], None, "mispredicted returns";
    0xF109 "op_resync" Op [set(&[OP_BRN_RESYNC])], None, "ops that resynchronised the pipeline";
    0xF10A "op_branch_target_log" Op [BRANCHED, set(&[BR_TARGET])], None, "branches whose target is known";

    0xF200 "op_all_load_store" Op [LOADED_OR_STORED], None, "loads and stores";
    0xF201 "op_load" Op [LOADED], None, "loads";
    0xF202 "op_store" Op [set(&[ST_OP])], None, "stores";
    0xF203 "op_l1_dtlb_hits" Op [LOADED_OR_STORED, TRANSLATED, clear(&[DC_L1_TLB_MISS])], None, "accesses that hit the data TLB";
    0xF204 "op_l1_dtlb_miss_l2_dtlb_hit" Op [LOADED_OR_STORED, TRANSLATED, set(&[DC_L1_TLB_MISS]), clear(&[DC_L2_TLB_MISS])], None, "accesses that hit the second level data TLB only";
    0xF205 "op_l1_l2_dtlb_miss" Op [LOADED_OR_STORED, TRANSLATED, set(&[DC_L1_TLB_MISS]), set(&[DC_L2_TLB_MISS])], None, "accesses that missed both data TLBs";
    0xF206 "op_data_cache_miss" Op [LOADED_OR_STORED, set(&[DC_MISS])], None, "accesses that missed the data cache";
    0xF207 "op_data_hits" Op [LOADED_OR_STORED, clear(&[DC_MISS])], None, "accesses that hit the data cache";
    0xF208 "op_misaligned_data_acc" Op [LOADED_OR_STORED, set(&[DC_MIS_ACC])], None, "misaligned accesses";
    0xF209 "op_bank_conf_load" Op [LOADED_OR_STORED, set(&[DC_LD_BNK_CON])], None, "loads that met a bank conflict";
    0xF20A "op_bank_conf_store" Op [LOADED_OR_STORED, set(&[DC_ST_BNK_CON])], None, "stores that met a bank conflict";
    0xF20B "op_forward" Op [LOADED, set(&[DC_ST_TO_LD_FWD])], None, "loads forwarded from a store";
    0xF20C "op_cancelled" Op [LOADED, set(&[DC_ST_TO_LD_CAN])], None, "loads whose forwarding was cancelled";
    0xF20D "op_dcuc_mem_acc" Op [LOADED_OR_STORED, set(&[DC_UC_MEM_ACC])], None, "accesses to uncacheable memory";
    0xF20E "op_dcwc_mem_acc" Op [LOADED_OR_STORED, set(&[DC_WC_MEM_ACC])], None, "accesses to memory that combines writes";
    0xF20F "op_locked" Op [LOADED_OR_STORED, set(&[DC_LOCKED_OP])], None, "locked accesses";
    0xF210 "op_mab_hit" Op [LOADED_OR_STORED, set(&[DC_MAB_HIT])], None, "accesses that hit a miss under way";
    0xF211 "op_l1_dtlb_4k" Op [LOADED_OR_STORED, TRANSLATED, clear(&[DC_L1_TLB_MISS, DC_L1_TLB_HIT_2M, DC_L1_TLB_HIT_1G])], None, "hits of the data TLB in pages of 4 KiB";
    0xF212 "op_l1_dtlb_2m" Op [LOADED_OR_STORED, TRANSLATED, clear(&[DC_L1_TLB_MISS]), set(&[DC_L1_TLB_HIT_2M])], None, "hits of the data TLB in pages of 2 MiB";
    0xF213 "op_l1_dtlb_1g" Op [LOADED_OR_STORED, TRANSLATED, clear(&[DC_L1_TLB_MISS]), set(&[DC_L1_TLB_HIT_1G])], None, "hits of the data TLB in pages of 1 GiB";
    0xF215 "op_l2_dtlb_4k" Op [LOADED_OR_STORED, TRANSLATED, set(&[DC_L1_TLB_MISS]), clear(&[DC_L2_TLB_MISS, DC_L2_TLB_HIT_2M, DC_L2_TLB_HIT_1G])], None, "hits of the second level data TLB in pages of 4 KiB";
    0xF216 "op_l2_dtlb_2m" Op [LOADED_OR_STORED, TRANSLATED, set(&[DC_L1_TLB_MISS]), clear(&[DC_L2_TLB_MISS]), set(&[DC_L2_TLB_HIT_2M])], None, "hits of the second level data TLB in pages of 2 MiB";
    0xF217 "op_l2_dtlb_1g" Op [LOADED_OR_STORED, TRANSLATED, set(&[DC_L1_TLB_MISS]), clear(&[DC_L2_TLB_MISS]), set(&[DC_L2_TLB_HIT_1G])], None, "hits of the second level data TLB in pages of 1 GiB";
    0xF219 "op_dc_load_lat" Op [LOADED, set(&[DC_MISS])], Some(DC_MISS_LAT), "clocks of loads that missed the data cache, in all";
    0xF21A "op_dc_linear_log" Op [LOADED_OR_STORED, TRANSLATED], None, "accesses whose linear address is known";
    0xF21B "op_dc_physical_log" Op [LOADED_OR_STORED, set(&[DC_PHY_ADDR_VALID])], None, "accesses whose physical address is known";
    0xF21C "op_load_resync" Op [LOADED, set(&[OP_LD_RESYNC])], None, "loads that resynchronised the pipeline";

    0xF240 "op_nb_local_only" Op [LOADED, MISSED, SERVED, NEAR], None, "missing loads served by the own node";
    0xF241 "op_nb_remote_only" Op [LOADED, MISSED, SERVED, REMOTE], None, "missing loads served by another node";
    0xF242 "op_nb_local_l3" Op [LOADED, MISSED, SHORT, NEAR, from(DataFrom::NearCache)], None, "missing loads served by the near cache";
    0xF243 "op_nb_local_cache" Op [LOADED, MISSED, SHORT, NEAR, from(DataFrom::OtherCore)], None, "missing loads served by another core of the node";
    0xF244 "op_nb_remote_cache" Op [LOADED, MISSED, SHORT, REMOTE, from(DataFrom::OtherCore)], None, "missing loads served by a core of another node";
    0xF245 "op_nb_local_dram" Op [LOADED, MISSED, SHORT, NEAR, from(DataFrom::Memory)], None, "missing loads served by memory";
    0xF246 "op_nb_remote_dram" Op [LOADED, MISSED, SHORT, REMOTE, from(DataFrom::Memory)], None, "missing loads served by the memory of another node";
    0xF247 "op_nb_local_other" Op [LOADED, MISSED, SHORT, NEAR, from(DataFrom::Device)], None, "missing loads served by devices";
    0xF248 "op_nb_remote_other" Op [LOADED, MISSED, SHORT, REMOTE, from(DataFrom::Device)], None, "missing loads served by devices of another node";
    0xF249 "op_nb_cache_modified" Op [LOADED, MISSED, SHORT, from(DataFrom::OtherCore), clear(&[CACHE_HIT_ST])], None, "missing loads served by a modified line";
    0xF24A "op_nb_cache_owned" Op [LOADED, MISSED, SHORT, from(DataFrom::OtherCore), set(&[CACHE_HIT_ST])], None, "missing loads served by an owned line";
    0xF24B "op_nb_local_latency" Op [LOADED, MISSED, SERVED, NEAR], Some(DC_MISS_LAT), "clocks of missing loads served by the own node, in all";
    0xF24C "op_nb_remote_latency" Op [LOADED, MISSED, SERVED, REMOTE], Some(DC_MISS_LAT), "clocks of missing loads served by another node, in all";
}

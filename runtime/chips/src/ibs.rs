//! The registers of AMD's instruction-based sampling, which a monitor adds to a chip, and the fields in their images.
//!
//! Modelled: the number of each register, and of each field its bits, unit and meaning, under the names that AMD gives
//! them. Not modelled: the time of a sample and the values of its fields, which the sampling unit determines; the
//! effects of reading and writing a register; further fields of some families, whose bits are kept.
//!
//! Sources: AMD, BIOS and Kernel Developer's Guide for Family 10h, 3.12 (MSRC001_1030 to MSRC001_103A), and Software
//! Optimization Guide for Family 10h, appendix G; the Processor Programming References of families 17h and 19h for
//! later additions. DOUBT: families number the data sources differently from 19h on.

/// The number of the first register of sampling.
pub const FIRST_REGISTER: u32 = 0xC001_1030;
/// The number of register numbers that belong to sampling, from [`FIRST_REGISTER`] on.
pub const REGISTER_COUNT: usize = 14;

/// When a period of clocks ends, the sampler waits this many clocks for a group of ops, to tag one of them; then it
/// drops the attempt.
///
/// DOUBT: AMD documents that an attempt is dropped if no group is there, but not the length of the wait: the Software
/// Optimization Guide for Family 10h, appendix G, has no figure.
pub const CLOCKS_TO_A_GROUP: u64 = 8;

/// The two samplers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SampleKind {
    /// The sampler of instruction fetches.
    Fetch,
    /// The sampler of operations, the steps that an instruction consists of.
    Op,
}

impl SampleKind {
    /// Both samplers, fetches first.
    pub const ALL: [SampleKind; 2] = [SampleKind::Fetch, SampleKind::Op];

    /// The sampler's name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            SampleKind::Fetch => "fetch",
            SampleKind::Op => "op",
        }
    }

    /// The sampled things in the plural.
    pub const fn plural(self) -> &'static str {
        match self {
            SampleKind::Fetch => "fetches",
            SampleKind::Op => "ops",
        }
    }
}

/// A register of sampling, 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRegister {
    /// The number of the register, as passed in ECX.
    pub number: u32,
    /// The name of the register.
    pub name: &'static str,
    /// The sampler that it belongs to; `None` if both share it.
    pub kind: Option<SampleKind>,
    /// The bits that a program can write; writes to other bits are ignored. DOUBT: families may fault instead at a
    /// reserved bit that is set.
    pub writable: u64,
    /// The contents of the register in a few words.
    pub title: &'static str,
}

/// The unit of a field's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldUnit {
    /// One bit: 1 if the title is true.
    Flag,
    /// A number of core clocks.
    Clocks,
    /// A number of things that the title names.
    Count,
    /// A number of units of 16 fetches, clocks or operations.
    Sixteens,
    /// A linear or physical address.
    Address,
    /// A code that the title explains.
    Code,
}

impl FieldUnit {
    /// The unit's name in files and reports.
    pub const fn name(self) -> &'static str {
        match self {
            FieldUnit::Flag => "flag",
            FieldUnit::Clocks => "clocks",
            FieldUnit::Count => "count",
            FieldUnit::Sixteens => "sixteens",
            FieldUnit::Address => "address",
            FieldUnit::Code => "code",
        }
    }

    /// Every unit, in the order above.
    pub const ALL: [FieldUnit; 6] = [
        FieldUnit::Flag,
        FieldUnit::Clocks,
        FieldUnit::Count,
        FieldUnit::Sixteens,
        FieldUnit::Address,
        FieldUnit::Code,
    ];

    /// The unit with this name; `None` if there is none.
    pub fn by_name(name: &str) -> Option<FieldUnit> {
        FieldUnit::ALL.into_iter().find(|unit| unit.name() == name)
    }
}

/// A field of a register's image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The number of the register that contains the field.
    pub register: u32,
    /// The name of the field as AMD spells it.
    pub name: &'static str,
    /// The number of the lowest bit.
    pub first: u32,
    /// The number of the highest bit, at least `first` and below 64.
    pub last: u32,
    /// The unit of the value.
    pub unit: FieldUnit,
    /// The meaning of the field in a few words.
    pub title: &'static str,
}

impl Field {
    /// The largest value of the field.
    pub const fn max(&self) -> u64 {
        u64::MAX >> (63 - (self.last - self.first))
    }

    /// The bits of the field in an image.
    pub const fn mask(&self) -> u64 {
        self.max() << self.first
    }

    /// The value of the field in an image of its register.
    pub const fn get(&self, image: u64) -> u64 {
        (image >> self.first) & self.max()
    }

    /// The image with `value` in the field. A value that is too large becomes the largest one, as in a saturating
    /// counter.
    pub const fn put(&self, image: u64, value: u64) -> u64 {
        let kept = if value > self.max() { self.max() } else { value };
        (image & !self.mask()) | (kept << self.first)
    }
}

macro_rules! define_registers {
    ($($constant:ident $number:literal $name:literal $kind:expr, $writable:expr, $title:literal;)*) => {
        $(#[doc = concat!($name, ": ", $title, ".")] pub const $constant: u32 = $number;)*

        /// Every register, in ascending order of numbers.
        pub const SAMPLE_REGISTERS: &[SampleRegister] = &[$(SampleRegister {
            number: $number,
            name: $name,
            kind: $kind,
            writable: $writable,
            title: $title,
        },)*];
    };
}

/// The bits of several fields.
const fn bits(fields: &[Field]) -> u64 {
    let mut bits = 0;
    let mut at = 0;
    while at < fields.len() {
        bits |= fields[at].mask();
        at += 1;
    }
    bits
}

/// The bits of the fetch control that a program sets: the period and the count, which both families of guides list as
/// read-write; the enable bit; Val, which drivers clear to restart counting; and later additions for programs to set.
/// The hardware sets the flags of a sample.
const FETCH_CONTROL: u64 = bits(&[
    FETCH_MAX_CNT,
    FETCH_CNT,
    FETCH_EN,
    FETCH_VAL,
    RAND_EN,
    FETCH_L3_MISS_ONLY,
]);

/// All fields of the op control. The current count is writable, as CPUID states with RdWrOpCnt.
const OP_CONTROL: u64 = bits(&[
    OP_MAX_CNT,
    OP_L3_MISS_ONLY,
    OP_EN,
    OP_VAL,
    OP_CNT_CTL,
    OP_MAX_CNT_EXT,
    OP_CUR_CNT,
    LD_LAT_THRSH,
    LD_LAT_EN,
]);

/// The bits of the registers that hold a sample of an op. DOUBT: they are read-write in the guide of Family 10h, unlike
/// those of a fetch. No driver writes them, so drivers tell nothing of other families.
const READ_WRITE: u64 = u64::MAX;

/// The bits of registers that only the sampler writes, such as the address of a fetch. DOUBT: later guides list them as
/// read-write.
const READ_ONLY: u64 = 0;

const FETCH: Option<SampleKind> = Some(SampleKind::Fetch);
const OP: Option<SampleKind> = Some(SampleKind::Op);

define_registers! {
    IBS_FETCH_CTL      0xC001_1030 "IbsFetchCtl"    FETCH, FETCH_CONTROL, "control and flags of a sampled fetch";
    IBS_FETCH_LIN_AD   0xC001_1031 "IbsFetchLinAd"  FETCH, READ_ONLY, "linear address of the fetch";
    IBS_FETCH_PHYS_AD  0xC001_1032 "IbsFetchPhysAd" FETCH, READ_ONLY, "physical address of the fetch";
    IBS_OP_CTL         0xC001_1033 "IbsOpCtl"       OP, OP_CONTROL, "control of op sampling";
    IBS_OP_RIP         0xC001_1034 "IbsOpRip"       OP, READ_WRITE, "address of the instruction";
    IBS_OP_DATA        0xC001_1035 "IbsOpData"      OP, READ_WRITE, "times and branch flags of the op";
    IBS_OP_DATA2       0xC001_1036 "IbsOpData2"     OP, READ_WRITE, "where the data came from";
    IBS_OP_DATA3       0xC001_1037 "IbsOpData3"     OP, READ_WRITE, "what the data cache and its TLB did";
    IBS_DC_LIN_AD      0xC001_1038 "IbsDcLinAd"     OP, READ_WRITE, "linear address of the data";
    IBS_DC_PHYS_AD     0xC001_1039 "IbsDcPhysAd"    OP, READ_WRITE, "physical address of the data";
    IBS_CONTROL        0xC001_103A "IbsControl"     None, READ_ONLY, "entry of the local APIC that samples interrupt by";
    IBS_BR_TARGET      0xC001_103B "IbsBrTarget"    OP, READ_WRITE, "target of the branch";
    IC_IBS_EXTD_CTL    0xC001_103C "IC_IBS_EXTD_CTL" FETCH, READ_ONLY, "more of a sampled fetch";
    IBS_OP_DATA4       0xC001_103D "IbsOpData4"     OP, READ_WRITE, "more of a sampled op";
}

macro_rules! define_fields {
    ($($constant:ident $register:ident $last:literal : $first:literal $name:literal $unit:ident $title:literal;)*) => {
        $(#[doc = concat!($name, ": ", $title, ".")] pub const $constant: Field = Field {
            register: $register,
            name: $name,
            first: $first,
            last: $last,
            unit: FieldUnit::$unit,
            title: $title,
        };)*

        /// Every field, register by register, from the lowest bit up.
        pub const FIELDS: &[Field] = &[$($constant,)*];
    };
}

define_fields! {
    FETCH_MAX_CNT        IBS_FETCH_CTL 15:0   "IbsFetchMaxCnt"      Sixteens "the period";
    FETCH_CNT            IBS_FETCH_CTL 31:16  "IbsFetchCnt"         Sixteens "fetches counted of the period";
    FETCH_LAT            IBS_FETCH_CTL 47:32  "IbsFetchLat"         Clocks   "from the beginning of the fetch to its end or abort";
    FETCH_EN             IBS_FETCH_CTL 48:48  "IbsFetchEn"          Flag     "fetches are sampled";
    FETCH_VAL            IBS_FETCH_CTL 49:49  "IbsFetchVal"         Flag     "a sample is there";
    FETCH_COMP           IBS_FETCH_CTL 50:50  "IbsFetchComp"        Flag     "the fetch was completed";
    IC_MISS              IBS_FETCH_CTL 51:51  "IbsIcMiss"           Flag     "missed the code cache";
    FETCH_PHY_ADDR_VALID IBS_FETCH_CTL 52:52  "IbsPhyAddrValid"     Flag     "the physical address is valid";
    FETCH_L1_TLB_PG_SZ   IBS_FETCH_CTL 54:53  "IbsL1TlbPgSz"        Code     "page: 0 of 4 KiB, 1 of 2 MiB, 2 of 1 GiB; valid if the physical address is";
    FETCH_L1_TLB_MISS    IBS_FETCH_CTL 55:55  "IbsL1TlbMiss"        Flag     "missed the first level code TLB";
    FETCH_L2_TLB_MISS    IBS_FETCH_CTL 56:56  "IbsL2TlbMiss"        Flag     "missed the second level code TLB, too";
    RAND_EN              IBS_FETCH_CTL 57:57  "IbsRandEn"           Flag     "the low 4 bits of the count begin at random";
    FETCH_L2_MISS        IBS_FETCH_CTL 58:58  "IbsFetchL2Miss"      Flag     "missed the second level cache, if completed";
    FETCH_L3_MISS_ONLY   IBS_FETCH_CTL 59:59  "IbsFetchL3MissOnly"  Flag     "only misses of the last level cache are sampled";
    FETCH_OC_MISS        IBS_FETCH_CTL 60:60  "IbsFetchOcMiss"      Flag     "missed the op cache";
    FETCH_L3_MISS        IBS_FETCH_CTL 61:61  "IbsFetchL3Miss"      Flag     "missed the last level cache";
    FETCH_LIN_AD         IBS_FETCH_LIN_AD 63:0 "IbsFetchLinAd"      Address  "linear address of the fetch";
    FETCH_PHYS_AD        IBS_FETCH_PHYS_AD 47:0 "IbsFetchPhysAd"    Address  "physical address of the fetch, if valid";
    OP_MAX_CNT           IBS_OP_CTL 15:0      "IbsOpMaxCnt"         Sixteens "the period, bits 19:4";
    OP_L3_MISS_ONLY      IBS_OP_CTL 16:16     "IbsOpL3MissOnly"     Flag     "only misses of the last level cache are sampled";
    OP_EN                IBS_OP_CTL 17:17     "IbsOpEn"             Flag     "ops are sampled";
    OP_VAL               IBS_OP_CTL 18:18     "IbsOpVal"            Flag     "a sample is there";
    OP_CNT_CTL           IBS_OP_CTL 19:19     "IbsOpCntCtl"         Flag     "dispatched ops are counted; if 0, clocks";
    OP_MAX_CNT_EXT       IBS_OP_CTL 26:20     "IbsOpMaxCntExt"      Code     "the period, bits 26:20";
    OP_CUR_CNT           IBS_OP_CTL 58:32     "IbsOpCurCnt"         Count    "clocks or ops counted of the period";
    LD_LAT_THRSH         IBS_OP_CTL 62:59     "IbsLdLatThrsh"       Code     "least latency of a sampled load: n for (n + 1) * 128 clocks";
    LD_LAT_EN            IBS_OP_CTL 63:63     "IbsLdLatEn"          Flag     "only loads of that latency are sampled";
    OP_RIP               IBS_OP_RIP 63:0      "IbsOpRip"            Address  "linear address of the instruction";
    COMP_TO_RET_CTR      IBS_OP_DATA 15:0     "IbsCompToRetCtr"     Clocks   "from completion to retirement";
    TAG_TO_RET_CTR       IBS_OP_DATA 31:16    "IbsTagToRetCtr"      Clocks   "from the tag to retirement";
    OP_BRN_RESYNC        IBS_OP_DATA 32:32    "IbsOpBrnResync"      Flag     "resynchronised the pipeline";
    OP_MISP_RETURN       IBS_OP_DATA 33:33    "IbsOpMispReturn"     Flag     "a mispredicted return";
    OP_RETURN            IBS_OP_DATA 34:34    "IbsOpReturn"         Flag     "a return";
    OP_BRN_TAKEN         IBS_OP_DATA 35:35    "IbsOpBrnTaken"       Flag     "a taken branch";
    OP_BRN_MISP          IBS_OP_DATA 36:36    "IbsOpBrnMisp"        Flag     "a mispredicted branch";
    OP_BRN_RET           IBS_OP_DATA 37:37    "IbsOpBrnRet"         Flag     "a branch, retired";
    RIP_INVALID          IBS_OP_DATA 38:38    "IbsRipInvalid"       Flag     "the address of the instruction is not valid";
    OP_BRN_FUSE          IBS_OP_DATA 39:39    "IbsOpBrnFuse"        Flag     "a compare and a branch in one op";
    OP_MICROCODE         IBS_OP_DATA 40:40    "IbsOpMicrocode"      Flag     "an op of microcode";
    DATA_SRC             IBS_OP_DATA2 2:0     "NbIbsReqSrc"         Code     "data from: 0 none, 1 a near cache, 2 another core's cache, 3 memory, 7 other (I/O, APIC)";
    RMT_NODE             IBS_OP_DATA2 4:4     "NbIbsReqDstProc"     Flag     "served by another node";
    CACHE_HIT_ST         IBS_OP_DATA2 5:5     "NbIbsReqCacheHitSt"  Flag     "the line in the other cache was owned; if 0, modified";
    DATA_SRC_HI          IBS_OP_DATA2 7:6     "NbIbsReqSrcHi"       Code     "upper bits of the source, in later families";
    STRM_ST              IBS_OP_DATA2 8:8     "StrmSt"              Flag     "a streaming store";
    RMT_SOCKET           IBS_OP_DATA2 9:9     "RmtSocket"           Flag     "served by another socket";
    LD_OP                IBS_OP_DATA3 0:0     "IbsLdOp"             Flag     "a load";
    ST_OP                IBS_OP_DATA3 1:1     "IbsStOp"             Flag     "a store";
    DC_L1_TLB_MISS       IBS_OP_DATA3 2:2     "IbsDcL1tlbMiss"      Flag     "missed the first level data TLB";
    DC_L2_TLB_MISS       IBS_OP_DATA3 3:3     "IbsDcL2tlbMiss"      Flag     "missed the second level data TLB, too";
    DC_L1_TLB_HIT_2M     IBS_OP_DATA3 4:4     "IbsDcL1tlbHit2M"     Flag     "hit a page of 2 MiB in the first level data TLB";
    DC_L1_TLB_HIT_1G     IBS_OP_DATA3 5:5     "IbsDcL1tlbHit1G"     Flag     "hit a page of 1 GiB in the first level data TLB";
    DC_L2_TLB_HIT_2M     IBS_OP_DATA3 6:6     "IbsDcL2tlbHit2M"     Flag     "hit a page of 2 MiB in the second level data TLB";
    DC_MISS              IBS_OP_DATA3 7:7     "IbsDcMiss"           Flag     "missed the data cache";
    DC_MIS_ACC           IBS_OP_DATA3 8:8     "IbsDcMisAcc"         Flag     "a misaligned access";
    DC_LD_BNK_CON        IBS_OP_DATA3 9:9     "IbsDcLdBnkCon"       Flag     "a load that met a bank conflict";
    DC_ST_BNK_CON        IBS_OP_DATA3 10:10   "IbsDcStBnkCon"       Flag     "a store that met a bank conflict";
    DC_ST_TO_LD_FWD      IBS_OP_DATA3 11:11   "IbsDcStToLdFwd"      Flag     "a load that was forwarded from a store";
    DC_ST_TO_LD_CAN      IBS_OP_DATA3 12:12   "IbsDcStToLdCan"      Flag     "forwarding from a store was cancelled";
    DC_WC_MEM_ACC        IBS_OP_DATA3 13:13   "IbsDcWcMemAcc"       Flag     "memory that combines writes";
    DC_UC_MEM_ACC        IBS_OP_DATA3 14:14   "IbsDcUcMemAcc"       Flag     "uncacheable memory";
    DC_LOCKED_OP         IBS_OP_DATA3 15:15   "IbsDcLockedOp"       Flag     "a locked access";
    DC_MAB_HIT           IBS_OP_DATA3 16:16   "IbsDcMabHit"         Flag     "hit a miss that was under way";
    DC_LIN_ADDR_VALID    IBS_OP_DATA3 17:17   "IbsDcLinAddrValid"   Flag     "the linear address of the data is valid";
    DC_PHY_ADDR_VALID    IBS_OP_DATA3 18:18   "IbsDcPhyAddrValid"   Flag     "the physical address of the data is valid";
    DC_L2_TLB_HIT_1G     IBS_OP_DATA3 19:19   "IbsDcL2tlbHit1G"     Flag     "hit a page of 1 GiB in the second level data TLB";
    L2_MISS              IBS_OP_DATA3 20:20   "IbsL2Miss"           Flag     "missed the second level cache";
    SW_PF                IBS_OP_DATA3 21:21   "IbsSwPf"             Flag     "a prefetch by the program";
    OP_MEM_WIDTH         IBS_OP_DATA3 25:22   "IbsOpMemWidth"       Code     "width of the access: 0 none, n for 2^(n-1) bytes";
    DC_MISS_OPEN_REQS    IBS_OP_DATA3 31:26   "IbsOpDcMissOpenMemReqs" Count "memory requests that were open";
    DC_MISS_LAT          IBS_OP_DATA3 47:32   "IbsDcMissLat"        Clocks   "from the miss of the data cache to the data";
    TLB_REFILL_LAT       IBS_OP_DATA3 63:48   "IbsTlbRefillLat"     Clocks   "from the miss of the data TLB to its entry";
    DC_LIN_AD            IBS_DC_LIN_AD 63:0   "IbsDcLinAd"          Address  "linear address of the data, if valid";
    DC_PHYS_AD           IBS_DC_PHYS_AD 47:0  "IbsDcPhysAd"         Address  "physical address of the data, if valid";
    LVT_OFFSET           IBS_CONTROL 3:0      "LvtOffset"           Code     "number of the extended entry of the local APIC";
    LVT_OFFSET_VAL       IBS_CONTROL 8:8      "LvtOffsetVal"        Flag     "that number is valid";
    BR_TARGET            IBS_BR_TARGET 63:0   "IbsBrTarget"         Address  "linear address that the branch went to";
    ITLB_REFILL_LAT      IC_IBS_EXTD_CTL 15:0 "IbsItlbRefillLat"    Clocks   "from the miss of the code TLB to its entry";
    OP_LD_RESYNC         IBS_OP_DATA4 0:0     "IbsOpLdResync"       Flag     "a load resynchronised the pipeline";
}

/// The sources of the data of a load, by the codes of [`DATA_SRC`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum DataFrom {
    /// No data was requested.
    Nowhere = 0,
    /// A near cache, such as the second level cache.
    NearCache = 1,
    /// The cache of another core.
    OtherCore = 2,
    /// Memory, beyond all caches.
    Memory = 3,
    /// A device or the APIC.
    Device = 7,
}

/// The name of a register in columns: its own, or its number if this version does not know it.
pub fn register_name(number: u32) -> String {
    sample_register(number).map_or_else(|| format!("msr_{number:08X}"), |register| register.name.to_owned())
}

/// The register of sampling with this number, if there is one.
pub fn sample_register(number: u32) -> Option<&'static SampleRegister> {
    let index = number.checked_sub(FIRST_REGISTER)? as usize;
    SAMPLE_REGISTERS.get(index)
}

/// The field with this name, in any case.
pub fn sample_field(name: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_stand_at_their_number() {
        assert_eq!(SAMPLE_REGISTERS.len(), REGISTER_COUNT);
        for register in SAMPLE_REGISTERS {
            assert_eq!(sample_register(register.number), Some(register));
        }
        assert_eq!(sample_register(FIRST_REGISTER - 1), None);
        assert_eq!(sample_register(FIRST_REGISTER + REGISTER_COUNT as u32), None);
    }

    #[test]
    fn what_is_writable_is_as_listed() {
        let writable = |register| sample_register(register).map(|register| register.writable);
        assert_eq!(writable(IBS_FETCH_CTL), Some(0x0A03_0000_FFFF_FFFF));
        assert_eq!(writable(IBS_OP_CTL), Some(0xFFFF_FFFF_07FF_FFFF));
    }

    #[test]
    fn fields_do_not_overlap_and_their_names_are_unique() {
        for (index, field) in FIELDS.iter().enumerate() {
            assert!(field.first <= field.last && field.last < 64, "{}", field.name);
            assert_eq!(
                field.unit == FieldUnit::Flag,
                field.first == field.last,
                "{}",
                field.name
            );
            assert_eq!(sample_field(&field.name.to_ascii_lowercase()), Some(field));
            for other in &FIELDS[index + 1..] {
                let apart = field.register != other.register || field.mask() & other.mask() == 0;
                assert!(apart, "{} and {}", field.name, other.name);
            }
        }
    }

    #[test]
    fn a_field_is_read_as_it_was_put_and_leaves_the_others() {
        for field in FIELDS {
            for image in [0, u64::MAX, 0x5A5A_1234_8765_A5A5] {
                for value in [0, 1, field.max() / 2, field.max()] {
                    let changed = field.put(image, value);
                    assert_eq!(field.get(changed), value, "{}", field.name);
                    assert_eq!(changed & !field.mask(), image & !field.mask(), "{}", field.name);
                }
            }
        }
        assert_eq!(DC_MISS_LAT.get(DC_MISS_LAT.put(0, 1 << 20)), 0xFFFF);
    }
}

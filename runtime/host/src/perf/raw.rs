//! The raw data that Linux attaches to a sample of `ibs_op` or `ibs_fetch`, decoded into images of registers.
//!
//! The layout is that of `perf_ibs_handle_irq` in the kernel's `arch/x86/events/amd/ibs.c`: a dword with the
//! capabilities of CPUID 8000001Bh EAX, then the register images as qwords, without padding. For an op these are
//! IbsOpCtl, IbsOpRip, IbsOpData, IbsOpData2, IbsOpData3, IbsDcLinAd and IbsDcPhysAd, then IbsBrTarget with capability
//! bit 5 and IbsOpData4 with bit 10; for a fetch IbsFetchCtl, IbsFetchLinAd and IbsFetchPhysAd, then IC_IBS_EXTD_CTL
//! with bit 9. A later kernel may append registers: the known ones are decoded, and the rest is passed on unchanged.
//!
//! Not handled: errata 1238, 1293 and 1347 of family 19h, which make single fields meaningless. Images are the
//! processor's unchanged values.

use p5_chips::ibs::{
    FETCH_EN, FETCH_VAL, Field, IBS_BR_TARGET, IBS_DC_LIN_AD, IBS_DC_PHYS_AD, IBS_FETCH_CTL, IBS_FETCH_LIN_AD,
    IBS_FETCH_PHYS_AD, IBS_OP_CTL, IBS_OP_DATA, IBS_OP_DATA2, IBS_OP_DATA3, IBS_OP_DATA4, IBS_OP_RIP, IC_IBS_EXTD_CTL,
    OP_EN, OP_VAL,
};
use p5_record::{Images, SampleKind};

const CAPABILITIES: usize = 4;
/// The maximum number of registers in a record; at present there are nine.
const MOST_REGISTERS: usize = 32;

/// The registers of a kind of sample: those always present, those that depend on a capability bit, and the flags of a
/// valid sample.
struct Layout {
    always: &'static [u32],
    with: &'static [(u32, u32)],
    enabled: Field,
    valid: Field,
}

const OP: Layout = Layout {
    always: &[
        IBS_OP_CTL,
        IBS_OP_RIP,
        IBS_OP_DATA,
        IBS_OP_DATA2,
        IBS_OP_DATA3,
        IBS_DC_LIN_AD,
        IBS_DC_PHYS_AD,
    ],
    with: &[(5, IBS_BR_TARGET), (10, IBS_OP_DATA4)],
    enabled: OP_EN,
    valid: OP_VAL,
};

const FETCH: Layout = Layout {
    always: &[IBS_FETCH_CTL, IBS_FETCH_LIN_AD, IBS_FETCH_PHYS_AD],
    with: &[(9, IC_IBS_EXTD_CTL)],
    enabled: FETCH_EN,
    valid: FETCH_VAL,
};

/// A decoded sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawSample {
    /// EAX of CPUID 8000001Bh, as the kernel read it.
    pub capabilities: u32,
    /// The images of the known registers.
    pub images: Images,
    /// The registers that follow them, which this version does not know; a record has at most 32 registers in all.
    pub rest: Vec<u64>,
}

/// The reason why a record cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRecord {
    /// The record ends before the registers that its capabilities call for.
    Short {
        /// The length that it needs, in bytes.
        needed: usize,
        /// Its length in bytes.
        found: usize,
    },
    /// The record does not consist of a dword and whole qwords.
    Ragged {
        /// Its length in bytes.
        found: usize,
    },
    /// The record has more registers than any processor.
    Long {
        /// Its length in bytes.
        found: usize,
    },
    /// The control register says that sampling is off or that there is no sample; perf skips such records, too.
    NotValid,
}

/// Decodes the raw data of a sample. No input causes a panic.
///
/// # Errors
/// The defect of the record.
pub fn decode(kind: SampleKind, bytes: &[u8]) -> Result<RawSample, BadRecord> {
    let layout = match kind {
        SampleKind::Op => &OP,
        SampleKind::Fetch => &FETCH,
    };
    let found = bytes.len();
    let short = |registers: usize| BadRecord::Short {
        needed: CAPABILITIES + registers * 8,
        found,
    };
    let (capabilities, images) = bytes
        .split_first_chunk::<CAPABILITIES>()
        .ok_or(short(layout.always.len()))?;
    let capabilities = u32::from_le_bytes(*capabilities);
    let (images, ragged) = images.as_chunks::<8>();
    let with = layout.with.iter().filter(|&&(bit, _)| capabilities >> bit & 1 == 1);
    let registers = layout.always.iter().chain(with.map(|(_, register)| register));
    let needed = registers.clone().count();
    if images.len() < needed {
        return Err(short(needed));
    }
    if !ragged.is_empty() {
        return Err(BadRecord::Ragged { found });
    }
    if images.len() > MOST_REGISTERS {
        return Err(BadRecord::Long { found });
    }
    let mut values = images.iter().map(|image| u64::from_le_bytes(*image));
    let mut sample = RawSample {
        capabilities,
        ..RawSample::default()
    };
    for (register, image) in registers.zip(values.by_ref()) {
        sample.images.set(*register, image);
    }
    // `zip` asks the registers first, so it loses no value.
    sample.rest = values.collect();
    if sample.images.flag(&layout.enabled) && sample.images.flag(&layout.valid) {
        Ok(sample)
    } else {
        Err(BadRecord::NotValid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::ibs;

    const BRANCH_TARGET: u32 = 1 << 5;
    const EXTENDED_FETCH: u32 = 1 << 9;
    const DATA4: u32 = 1 << 10;

    /// A record as the kernel lays it out.
    fn record(capabilities: u32, images: &[u64]) -> Vec<u8> {
        let mut bytes = capabilities.to_le_bytes().to_vec();
        for image in images {
            bytes.extend(image.to_le_bytes());
        }
        bytes
    }

    /// The first registers of a valid op, followed by `more`.
    fn op(more: &[u64]) -> Vec<u64> {
        [&[0x0006_0008, 0x40_1000, 0, 0, 0, 0, 0][..], more].concat()
    }

    fn fields(sample: &RawSample, expected: &[(Field, u64)]) {
        for (field, value) in expected {
            assert_eq!(sample.images.field(field), Some(*value), "{}", field.name);
        }
    }

    /// The dump in the manual page perf-amd-ibs(1).
    #[test]
    fn the_op_in_the_manual_page_of_perf_has_the_fields_that_perf_prints() {
        let images = [
            0x0000_02C3_0006_186A,
            0xFFFF_FFFF_8204_AEA7,
            0x0000_0100_0255_0001,
            0x0000_0000_0000_0013,
            0x0000_0000_3196_0092,
            0xFF11_0008_A539_8920,
            0x0000_0008_A539_8920,
        ];
        let sample = decode(SampleKind::Op, &record(0, &images)).expect("a valid record");
        assert_eq!(ibs::OP_MAX_CNT.get(images[0]) * 16, 100_000);
        fields(
            &sample,
            &[
                (ibs::OP_L3_MISS_ONLY, 0),
                (OP_EN, 1),
                (OP_VAL, 1),
                (ibs::OP_CNT_CTL, 0),
                (ibs::OP_CUR_CNT, 707),
                (ibs::OP_RIP, 0xFFFF_FFFF_8204_AEA7),
                (ibs::COMP_TO_RET_CTR, 1),
                (ibs::TAG_TO_RET_CTR, 597),
                (ibs::OP_BRN_RET, 0),
                (ibs::RIP_INVALID, 0),
                (ibs::OP_BRN_FUSE, 0),
                (ibs::OP_MICROCODE, 1),
                (ibs::DATA_SRC, 3),
                (ibs::RMT_NODE, 1),
                (ibs::LD_OP, 0),
                (ibs::ST_OP, 1),
                (ibs::DC_L1_TLB_HIT_2M, 1),
                (ibs::DC_MISS, 1),
                (ibs::DC_LIN_ADDR_VALID, 1),
                (ibs::DC_PHY_ADDR_VALID, 1),
                (ibs::L2_MISS, 1),
                (ibs::OP_MEM_WIDTH, 6),
                (ibs::DC_MISS_OPEN_REQS, 12),
                (ibs::DC_MISS_LAT, 0),
                (ibs::TLB_REFILL_LAT, 0),
                (ibs::DC_LIN_AD, 0xFF11_0008_A539_8920),
                (ibs::DC_PHYS_AD, 0x0000_0008_A539_8920),
            ],
        );
        assert_eq!(sample.images.get(IBS_BR_TARGET), None, "not there is not 0");
        assert_eq!(sample.images.get(IBS_OP_DATA4), None);
        assert!(sample.rest.is_empty());
    }

    /// The dumps in the change of perf that added the fields of family 19h, models 10h and later.
    #[test]
    fn a_load_and_a_fetch_of_later_families_have_the_fields_that_perf_prints() {
        let images = [
            0x0000_0045_0007_0008,
            0x40_1000,
            0x0000_0000_0071_0002,
            0x0000_0000_0000_0002,
            0x0000_0068_1D17_00A1,
            0,
            0,
            0x40_1003,
        ];
        let sample = decode(SampleKind::Op, &record(BRANCH_TARGET, &images)).expect("a valid record");
        assert_eq!(ibs::OP_MAX_CNT.get(images[0]) * 16, 128);
        fields(
            &sample,
            &[
                (ibs::OP_L3_MISS_ONLY, 1),
                (ibs::OP_CUR_CNT, 69),
                (ibs::COMP_TO_RET_CTR, 2),
                (ibs::TAG_TO_RET_CTR, 113),
                (ibs::DATA_SRC, 2),
                (ibs::LD_OP, 1),
                (ibs::DC_L1_TLB_HIT_1G, 1),
                (ibs::DC_MISS, 1),
                (ibs::DC_MAB_HIT, 1),
                (ibs::L2_MISS, 1),
                (ibs::OP_MEM_WIDTH, 4),
                (ibs::DC_MISS_OPEN_REQS, 7),
                (ibs::DC_MISS_LAT, 104),
                (ibs::BR_TARGET, 0x40_1003),
            ],
        );
        let images = [0x3C1F_00C7_0008_0008, 0x40_1000, 0x1000, 25];
        let sample = decode(SampleKind::Fetch, &record(EXTENDED_FETCH, &images)).expect("a valid record");
        assert_eq!(ibs::FETCH_MAX_CNT.get(images[0]) * 16, 128);
        assert_eq!(ibs::FETCH_CNT.get(images[0]) * 16, 128);
        fields(
            &sample,
            &[
                (ibs::FETCH_LAT, 199),
                (FETCH_EN, 1),
                (FETCH_VAL, 1),
                (ibs::FETCH_COMP, 1),
                (ibs::IC_MISS, 1),
                (ibs::FETCH_PHY_ADDR_VALID, 1),
                (ibs::FETCH_L1_TLB_PG_SZ, 0),
                (ibs::FETCH_L1_TLB_MISS, 0),
                (ibs::FETCH_L2_TLB_MISS, 0),
                (ibs::RAND_EN, 0),
                (ibs::FETCH_L2_MISS, 1),
                (ibs::FETCH_L3_MISS_ONLY, 1),
                (ibs::FETCH_OC_MISS, 1),
                (ibs::FETCH_L3_MISS, 1),
                (ibs::ITLB_REFILL_LAT, 25),
            ],
        );
    }

    /// The eighth register is the first one that the capabilities name: a record with either one alone has the same
    /// length.
    #[test]
    fn the_capabilities_say_which_register_the_eighth_is() {
        let decoded = |capabilities, more: &[u64]| {
            let sample = decode(SampleKind::Op, &record(capabilities, &op(more))).expect("a valid record");
            (
                sample.images.get(IBS_BR_TARGET),
                sample.images.get(IBS_OP_DATA4),
                sample.rest,
            )
        };
        assert_eq!(decoded(BRANCH_TARGET, &[7]), (Some(7), None, vec![]));
        assert_eq!(decoded(DATA4, &[7]), (None, Some(7), vec![]));
        assert_eq!(decoded(BRANCH_TARGET | DATA4, &[7, 8]), (Some(7), Some(8), vec![]));
        // Undefined capability bits, and registers that may belong to them.
        assert_eq!(decoded(!DATA4, &[7, 9, 11]), (Some(7), None, vec![9, 11]));
        assert_eq!(decoded(0, &[9]), (None, None, vec![9]));
    }

    #[test]
    fn records_of_no_known_length_are_refused() {
        let whole = record(BRANCH_TARGET, &op(&[7]));
        for length in 0..whole.len() {
            let needed = if length < CAPABILITIES { 60 } else { 68 };
            assert_eq!(
                decode(SampleKind::Op, &whole[..length]),
                Err(BadRecord::Short { needed, found: length })
            );
        }
        let found = whole.len() + 3;
        let ragged = [&whole[..], &[0; 3]].concat();
        assert_eq!(decode(SampleKind::Op, &ragged), Err(BadRecord::Ragged { found }));
        let long = record(0, &op(&[0; MOST_REGISTERS]));
        let found = long.len();
        assert_eq!(decode(SampleKind::Op, &long), Err(BadRecord::Long { found }));
        let most = record(0, &op(&[0; MOST_REGISTERS - 7]));
        assert_eq!(
            decode(SampleKind::Op, &most).map(|sample| sample.rest.len()),
            Ok(MOST_REGISTERS - 7)
        );
    }

    #[test]
    fn a_record_without_a_sample_is_refused() {
        for control in [0, OP_EN.mask(), OP_VAL.mask()] {
            let mut images = op(&[]);
            images[0] = control;
            assert_eq!(decode(SampleKind::Op, &record(0, &images)), Err(BadRecord::NotValid));
        }
        let images = [FETCH_VAL.mask(), 0, 0];
        assert_eq!(decode(SampleKind::Fetch, &record(0, &images)), Err(BadRecord::NotValid));
    }

    #[test]
    fn whatever_the_bytes_are_what_is_decoded_is_all_of_them() {
        let seed = p5_seeds::seed();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut good = 0;
        for _ in 0..20_000 {
            let mut bytes: Vec<u8> = (0..random.usize(..300)).map(|_| random.u8(..)).collect();
            if random.bool() {
                bytes.truncate(bytes.len() & !7 | 4);
            }
            for kind in SampleKind::ALL {
                let Ok(sample) = decode(kind, &bytes) else { continue };
                good += 1;
                let count = sample.images.iter().count() + sample.rest.len();
                assert_eq!(bytes.len(), CAPABILITIES + count * 8, "seed {seed}");
                let mut again = sample.capabilities.to_le_bytes().to_vec();
                let layout = if kind == SampleKind::Op { &OP } else { &FETCH };
                let with = layout.with.iter().map(|(_, register)| register);
                for register in layout.always.iter().chain(with) {
                    again.extend(sample.images.get(*register).into_iter().flat_map(u64::to_le_bytes));
                }
                again.extend(sample.rest.iter().flat_map(|image| image.to_le_bytes()));
                assert_eq!(again, bytes, "seed {seed}");
            }
        }
        assert!(good > 100, "only {good} valid records, seed {seed}");
    }
}

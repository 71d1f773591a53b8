//! The register images of a sample: the record of an op or a fetch, field by field.
//!
//! Modelled: every field that has a meaning on a Pentium. It has one level of TLBs, so that a miss is one of the first
//! and of the second level; its large pages of 4 MiB count as those of 2 MiB, as they do with AMD; its last cache
//! level is the second. Not modelled: fields of sockets, forwarding and combining of writes, which stay 0.

use super::missed_last_level;
use p5_chips::ibs::*;
use p5_record::Images;
use p5_results::records::{AccessRecord, BranchRecord, DataSource, FetchRecord, OpRecord};

/// The images of a fetch. `physical` translates the address of a byte.
pub(crate) fn fetch_images(fetch: &FetchRecord, physical: impl Fn(u32) -> Option<u32>) -> Images {
    let mut control = FETCH_LAT.put(0, fetch.ended - fetch.began);
    let mut flag = |field: &Field, set: bool| control = field.put(control, field.get(control) | u64::from(set));
    flag(&FETCH_EN, true);
    flag(&FETCH_VAL, true);
    let place = physical(fetch.address).filter(|_| !fetch.killed);
    if !fetch.killed {
        let beyond = fetch.missed && missed_last_level(fetch.source);
        flag(&FETCH_COMP, fetch.completed);
        flag(&IC_MISS, fetch.missed);
        flag(&FETCH_PHY_ADDR_VALID, place.is_some());
        flag(&FETCH_L1_TLB_MISS, fetch.walks);
        flag(&FETCH_L2_TLB_MISS, fetch.walks);
        flag(&FETCH_L2_MISS, fetch.completed && beyond);
        flag(&FETCH_L3_MISS, beyond);
    }
    // A large page counts as a page of 2 MiB. The field is only valid together with the physical address.
    control = FETCH_L1_TLB_PG_SZ.put(control, u64::from(fetch.large_page && place.is_some()));
    let mut images = Images::default();
    images.set(IBS_FETCH_CTL, control);
    images.set(IBS_FETCH_LIN_AD, u64::from(fetch.address));
    images.set(IBS_FETCH_PHYS_AD, place.map_or(0, u64::from));
    images.set(IC_IBS_EXTD_CTL, ITLB_REFILL_LAT.put(0, u64::from(fetch.walked)));
    images
}

/// The images of an op. `physical` translates the address of a byte.
pub(crate) fn op_images(op: &OpRecord, physical: impl Fn(u32) -> Option<u32>) -> Images {
    let access = op.load.as_ref().or(op.store.as_ref());
    let place = access.and_then(|access| physical(access.address));
    let branch = op.branch.as_ref();
    let target = branch
        .filter(|branch| branch.taken)
        .map_or(0, |branch| u64::from(branch.target));
    let mut images = Images::default();
    images.set(IBS_OP_CTL, OP_VAL.put(OP_EN.put(0, 1), 1));
    images.set(IBS_OP_RIP, u64::from(op.address));
    images.set(IBS_OP_DATA, op_data(op));
    // The other processor is a package of its own, and so another node. Its line was modified.
    let of_other = op
        .load
        .as_ref()
        .is_some_and(|load| load.source == DataSource::OtherCache);
    let data_2 = DATA_SRC.put(0, source(op.load.as_ref()));
    images.set(IBS_OP_DATA2, flags(data_2, [(&RMT_NODE, of_other)]));
    images.set(IBS_OP_DATA3, op_data_3(op, place.is_some()));
    images.set(IBS_DC_LIN_AD, access.map_or(0, |access| u64::from(access.address)));
    images.set(IBS_DC_PHYS_AD, place.map_or(0, u64::from));
    images.set(IBS_BR_TARGET, target);
    images.set(IBS_OP_DATA4, 0);
    images
}

fn flags<const N: usize>(image: u64, flags: [(&Field, bool); N]) -> u64 {
    let put = |image, (field, set): (&Field, bool)| if set { field.put(image, 1) } else { image };
    flags.into_iter().fold(image, put)
}

/// Times and branch flags.
fn op_data(op: &OpRecord) -> u64 {
    let times = COMP_TO_RET_CTR.put(0, op.retired - op.completed);
    let times = TAG_TO_RET_CTR.put(times, op.retired - op.tagged);
    let is = |what: fn(&BranchRecord) -> bool| op.branch.as_ref().is_some_and(what);
    flags(
        times,
        [
            (&OP_BRN_RESYNC, op.met_entry),
            (&OP_MISP_RETURN, is(|branch| branch.returns && branch.mispredicted)),
            (&OP_RETURN, is(|branch| branch.returns)),
            (&OP_BRN_TAKEN, is(|branch| branch.taken)),
            (&OP_BRN_MISP, is(|branch| branch.mispredicted)),
            (&OP_BRN_RET, op.branch.is_some()),
            (&OP_MICROCODE, op.microcode),
        ],
    )
}

/// The code of the source of a load's data.
fn source(load: Option<&AccessRecord>) -> u64 {
    let from = match load.map_or(DataSource::None, |load| load.source) {
        DataSource::None => DataFrom::Nowhere,
        DataSource::SecondLevel => DataFrom::NearCache,
        DataSource::OtherCache => DataFrom::OtherCore,
        DataSource::Memory => DataFrom::Memory,
        DataSource::Device => DataFrom::Device,
    };
    from as u64
}

/// The results of the data cache and its TLB.
fn op_data_3(op: &OpRecord, translated: bool) -> u64 {
    let OpRecord { load, store, .. } = op;
    let accesses = || [load, store].into_iter().flatten();
    let any = |what: fn(&AccessRecord) -> bool| accesses().any(what);
    let Some(first) = accesses().next() else { return 0 };
    let of = |access: &Option<AccessRecord>, what: fn(&AccessRecord) -> bool| access.as_ref().is_some_and(what);
    let walks = any(|access| access.walks > 0);
    let image = flags(
        0,
        [
            (&LD_OP, load.is_some()),
            (&ST_OP, store.is_some()),
            (&DC_L1_TLB_MISS, walks),
            (&DC_L2_TLB_MISS, walks),
            (&DC_L1_TLB_HIT_2M, !walks && first.large_page),
            (&DC_MISS, any(|access| access.missed > 0)),
            (&DC_MIS_ACC, any(|access| access.misaligned)),
            (&DC_LD_BNK_CON, of(load, |load| load.bank_conflict)),
            (&DC_ST_BNK_CON, of(store, |store| store.bank_conflict)),
            (&DC_UC_MEM_ACC, any(|access| access.uncached)),
            (&DC_LOCKED_OP, any(|access| access.locked)),
            (&DC_MAB_HIT, of(load, |load| load.missed == 0 && load.filled > 0)),
            (&DC_LIN_ADDR_VALID, true),
            (&DC_PHY_ADDR_VALID, translated),
            (&L2_MISS, of(load, |load| missed_last_level(load.source))),
        ],
    );
    let image = OP_MEM_WIDTH.put(image, u64::from(width(first.size)));
    let latency = load
        .as_ref()
        .filter(|load| load.missed > 0)
        .map_or(0, |load| load.filled);
    let image = DC_MISS_LAT.put(image, u64::from(latency));
    let open = load.as_ref().map_or(0, |load| u64::from(load.open_reads));
    let image = DC_MISS_OPEN_REQS.put(image, open);
    let walked = accesses().map(|access| u64::from(access.walked)).sum();
    TLB_REFILL_LAT.put(image, walked)
}

/// The code of a width in bytes. A width that is no power of two counts as the next one.
fn width(bytes: u8) -> u32 {
    match bytes {
        0 => 0,
        bytes => u32::from(bytes).next_power_of_two().ilog2() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_powers_of_two() {
        // LDS and LGDT access 6 bytes, FLD and FBSTP 10.
        let codes = [0, 1, 2, 4, 6, 8, 10, 16].map(width);
        assert_eq!(codes, [0, 1, 2, 3, 4, 4, 5, 5]);
    }
}

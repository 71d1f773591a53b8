//! Which lines were modified that others replaced in the cache behind the data cache, by the packets in their order.
//!
//! A line that is fetched from memory takes the place of another one, and a modified one has to be written first. So
//! many pages share the lines of the cache as it has ways; which of them had been there, and whether it was written
//! to, is in the packets before. Not modelled: that of some pages only some lines are there.

use super::{Recording, SampleKind};
use crate::model::CacheGeometry;
use crate::model::ibs::*;
use rustc_hash::FxHashMap;

/// A page that is in the cache.
#[derive(Clone, Copy)]
struct Resident {
    page: u32,
    modified: bool,
    /// Whether the one in whose place it came was modified.
    replaced_modified: bool,
}

/// By the address of the instruction, how many of the lines that it fetched from memory took the place of a modified
/// one, as a share. `of_memory` is the code of data that come from there.
pub(super) fn modified(recording: &Recording, cache: &CacheGeometry, of_memory: u64) -> FxHashMap<u32, f64> {
    let page_bytes = recording.machine.page_bytes.max(1);
    let ways = cache.ways.max(1) as usize;
    let places = (cache.size / ways as u32 / page_bytes).max(1);
    let mut residents: FxHashMap<u32, Vec<Resident>> = FxHashMap::default();
    let mut found: FxHashMap<u32, (u64, u64)> = FxHashMap::default();
    for sample in recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
        let images = &sample.images;
        let (reads, writes) = (images.flag(&LD_OP), images.flag(&ST_OP));
        let place = images.field(&DC_LIN_AD).filter(|_| reads || writes);
        let Some((address, place)) = sample.address().zip(place) else {
            continue;
        };
        let page = place as u32 / page_bytes;
        let set = residents.entry(page % places).or_default();
        match set.iter().position(|resident| resident.page == page) {
            Some(at) => set[..=at].rotate_right(1),
            // What is written and not there stays outside.
            None if !reads => continue,
            None => {
                let replaced = if set.len() < ways { None } else { set.pop() };
                set.insert(
                    0,
                    Resident {
                        page,
                        modified: false,
                        replaced_modified: replaced.is_some_and(|replaced| replaced.modified),
                    },
                );
            }
        }
        set[0].modified |= writes;
        if reads && images.flag(&DC_MISS) && images.field(&DATA_SRC) == Some(of_memory) {
            let (all, some) = found.entry(address).or_default();
            *all += 1;
            *some += u64::from(set[0].replaced_modified);
        }
    }
    let share = |(address, (all, some)): (u32, (u64, u64))| (address, some as f64 / all.max(1) as f64);
    found.into_iter().map(share).collect()
}

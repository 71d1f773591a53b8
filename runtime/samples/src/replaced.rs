//! Modified lines that others replaced in the second level cache, by the packets in their order.
//!
//! A line that is fetched from memory replaces another one, and a modified one has to be written first. As many pages
//! share the lines of the cache as it has ways; earlier packets show which pages were there, and which share of their
//! lines was written to. Not modelled: pages of which only some lines are there, and how often samples of a part of all
//! ops meet the same line again, so that the share is an upper limit there.

use super::Analysis;
use p5_chips::CacheGeometry;
use p5_chips::ibs::*;
use p5_record::SampleKind;
use rustc_hash::FxHashMap;

/// The lines of a page that the packets show: those that came from memory, and those that were written to.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    fetched: u128,
    written: u128,
}

/// A page that is in the cache.
#[derive(Clone, Copy)]
struct Resident {
    page: u32,
    lines: Lines,
    /// The lines of the page that it replaced; none if there was room.
    replaced: Option<Lines>,
}

/// What the fetches of an instruction replaced.
#[derive(Clone, Copy, Default)]
struct Replaced {
    /// The fetches from memory, and those of them that replaced a page.
    all: u64,
    some: u64,
    /// The lines of the replaced pages that were fetched, and that were written to.
    fetched: u64,
    written: u64,
}

impl Replaced {
    fn add(&mut self, replaced: Option<Lines>) {
        self.all += 1;
        if let Some(lines) = replaced {
            self.some += 1;
            self.fetched += u64::from(lines.fetched.count_ones());
            self.written += u64::from(lines.written.count_ones());
        }
    }

    /// The share of these fetches that replaced a modified line. One ratio of all lines, as few samples are of the same
    /// page.
    fn modified(self) -> f64 {
        let of_lines = (self.written as f64 / self.fetched.max(1) as f64).min(1.0);
        of_lines * self.some as f64 / self.all.max(1) as f64
    }
}

/// The share of the lines that an instruction fetched from memory that replaced a modified one, by its address.
pub(super) fn modified(recording: &Analysis, cache: &CacheGeometry) -> FxHashMap<u32, f64> {
    let page_bytes = recording.machine.page_bytes.max(1);
    let ways = cache.ways.max(1) as usize;
    let places = (cache.size / ways as u32 / page_bytes).max(1);
    // A bit for each line of a page, or for as many lines as make one of 128 parts.
    let part = cache.line.max(page_bytes.div_ceil(u128::BITS));
    let mut residents: FxHashMap<u32, Vec<Resident>> = FxHashMap::default();
    let mut found: FxHashMap<u32, Replaced> = FxHashMap::default();
    for sample in recording.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
        let images = &sample.images;
        let (reads, writes, missed) = (images.flag(&LD_OP), images.flag(&ST_OP), images.flag(&DC_MISS));
        let place = images.field(&DC_LIN_AD).filter(|_| reads || writes);
        let Some((address, place)) = sample.address().zip(place) else {
            continue;
        };
        let page = place as u32 / page_bytes;
        let set = residents.entry(page % places).or_default();
        match set.iter().position(|resident| resident.page == page) {
            Some(at) => set[..=at].rotate_right(1),
            // A write to a line that is not there stays outside.
            None if !reads => continue,
            None => {
                let replaced = if set.len() < ways { None } else { set.pop() };
                set.insert(
                    0,
                    Resident {
                        page,
                        lines: Lines::default(),
                        replaced: replaced.map(|replaced| replaced.lines),
                    },
                );
            }
        }
        let line = 1 << (place as u32 % page_bytes / part);
        let Resident { lines, replaced, .. } = &mut set[0];
        lines.written |= if writes { line } else { 0 };
        if reads && missed && images.field(&DATA_SRC) == Some(DataFrom::Memory as u64) {
            lines.fetched |= line;
            found.entry(address).or_default().add(*replaced);
        }
    }
    found
        .into_iter()
        .map(|(address, replaced)| (address, replaced.modified()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampled_op;
    use p5_chips::MEMORY_PRESETS;
    use p5_record::{Images, Recording, Sample, SampledMachine};

    fn access(address: u64, place: u32, flags: &[&Field], from: DataFrom) -> Sample {
        let mut images = Images::default();
        images.put(&OP_RIP, address);
        images.put(&DC_LIN_AD, u64::from(place));
        images.put(&DATA_SRC, from as u64);
        for flag in flags {
            images.put(flag, 1);
        }
        sampled_op(images)
    }

    /// A recording of these samples on a machine with pages of 4 KiB.
    fn recording(samples: Vec<Sample>) -> Analysis {
        Analysis(Recording {
            machine: SampledMachine {
                page_bytes: 4096,
                ..SampledMachine::default()
            },
            samples,
            ..Recording::default()
        })
    }

    #[test]
    fn a_fetch_replaces_the_page_that_was_used_longest_ago() {
        let preset = MEMORY_PRESETS.iter().find_map(|preset| preset.second_level.as_ref());
        let cache = &preset.expect("a second level cache").geometry;
        let way = cache.size / cache.ways;
        let missed: &[&Field] = &[&LD_OP, &DC_MISS];
        // One page more than there are ways for the same place. The first is written to, so it is modified when the
        // last one comes, but not when the first one comes again in place of the second.
        let pages = 0..=cache.ways;
        let mut samples: Vec<Sample> = Vec::new();
        for page in pages.clone() {
            samples.push(access(0x100 + u64::from(page), page * way, missed, DataFrom::Memory));
            if page == 0 {
                samples.push(access(0x200, page * way + 32, &[&ST_OP], DataFrom::Nowhere));
            }
        }
        samples.push(access(0x300, 0, missed, DataFrom::Memory));
        // An access to a near cache replaces nothing, and neither does a write to a line that is not there.
        samples.push(access(0x400, way / 2, missed, DataFrom::NearCache));
        samples.push(access(0x500, way / 2 + 4096, &[&ST_OP, &DC_MISS], DataFrom::Nowhere));
        let recording = recording(samples);
        let mut expected: FxHashMap<u32, f64> = pages.map(|page| (0x100 + page, 0.0)).collect();
        expected.insert(0x100 + cache.ways, 1.0);
        expected.insert(0x300, 0.0);
        assert_eq!(modified(&recording, cache), expected);
    }

    /// Of the eight lines of a page, two are written to, one of them several times. Their successors replace a modified
    /// line in a quarter of all cases.
    #[test]
    fn a_page_is_modified_as_far_as_its_lines_are() {
        let preset = MEMORY_PRESETS.iter().find_map(|preset| preset.second_level.as_ref());
        let cache = &preset.expect("a second level cache").geometry;
        let mut samples: Vec<Sample> = Vec::new();
        for page in 0..=cache.ways {
            let place = |line: u32| page * (cache.size / cache.ways) + line * cache.line;
            let address = 0x100 + u64::from(page);
            let fetch = |line: u32| access(address, place(line), &[&LD_OP, &DC_MISS], DataFrom::Memory);
            samples.extend((0..8).map(fetch));
            let write = |line: u32| access(0x200, place(line) + 4, &[&ST_OP], DataFrom::Nowhere);
            samples.extend([3, 5, 5, 5].map(write));
        }
        let recording = recording(samples);
        let found = modified(&recording, cache);
        assert_eq!((found[&0x100], found[&(0x100 + cache.ways)]), (0.0, 0.25));
    }
}

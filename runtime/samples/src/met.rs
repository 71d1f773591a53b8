//! The events that each instruction and each line of code met, by the packets of its samples.

use super::Analysis;
use p5_chips::ibs::*;
use p5_record::{Sample, SampleKind};
use rustc_hash::FxHashMap;

/// The number of cases, and of those in which something happened.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    of: u64,
    some: u64,
}

impl Share {
    fn add(&mut self, happened: bool) {
        self.of += 1;
        self.some += u64::from(happened);
    }

    /// The share of these cases, from 0 to 1; none without cases.
    pub(super) fn of(self) -> Option<f64> {
        (self.of > 0).then(|| self.some as f64 / self.of as f64)
    }
}

/// The events of the accesses in one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accesses {
    /// Accesses that missed the data cache.
    pub(super) missed: Share,
    /// Accesses that missed the data TLB.
    pub(super) walked: Share,
    /// Missing accesses whose data came from the second level cache.
    pub(super) near: Share,
}

impl Accesses {
    /// The probability that a missing access finds its line in the second level cache. It is `otherwise` for a `write`,
    /// whose packets do not say, and without samples.
    pub(super) fn held(&self, write: bool, otherwise: f64) -> f64 {
        self.near.of().filter(|_| !write).unwrap_or(otherwise)
    }
}

/// The events of an instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    /// The indices of its samples.
    pub(super) samples: Vec<u32>,
    /// The clocks from tag to retirement of all its samples.
    pub(super) latency: u64,
    /// The clocks that all its samples show for misses of reads and for page walks.
    pub(super) shown: u64,
    /// Whether it has the bus for itself.
    locked: bool,
    /// Its reads, with those of operands that are read and written, and its other writes.
    pub(super) reads: Accesses,
    pub(super) writes: Accesses,
}

/// The events of a line of code.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MetLine {
    /// Fetches that missed the code cache.
    pub(super) missed: Share,
    /// Fetches that missed the code TLB.
    pub(super) walked: Share,
}

pub(super) struct AllMet {
    /// The events of each instruction, by its address.
    pub(super) instructions: FxHashMap<u32, Met>,
    /// The events of each line of code, by its address.
    pub(super) lines: FxHashMap<u32, MetLine>,
    /// How often samples write to a page in the data cache, and how often their reads of it miss, by the page's number.
    modified: FxHashMap<u32, (u64, u64)>,
    page_bytes: u32,
}

impl AllMet {
    /// The events in a recording whose code lines have `line_bytes` bytes.
    pub(super) fn of(recording: &Analysis, line_bytes: u32) -> AllMet {
        let mut all = AllMet {
            instructions: FxHashMap::default(),
            lines: FxHashMap::default(),
            modified: FxHashMap::default(),
            page_bytes: recording.machine.page_bytes.max(1),
        };
        for (index, sample) in recording.samples.iter().enumerate() {
            let Some(address) = sample.address() else { continue };
            match sample.kind {
                SampleKind::Op => {
                    all.instructions.entry(address).or_default().add(index as u32, sample);
                    let images = &sample.images;
                    let (reads, missed) = (images.flag(&LD_OP), images.flag(&DC_MISS));
                    // A line that is read and written is there when it is written.
                    let written = images.flag(&ST_OP) && (reads || !missed);
                    if written || reads && missed {
                        let place = images.field(&DC_LIN_AD).unwrap_or_default() as u32;
                        let (writes, fetches) = all.modified.entry(place / all.page_bytes).or_default();
                        *writes += u64::from(written);
                        *fetches += u64::from(reads && missed);
                    }
                }
                SampleKind::Fetch => all.add_fetch(address & !(line_bytes - 1), sample),
            }
        }
        all
    }

    /// An upper limit for the share of the lines fetched from the page of `address` that are written to before they
    /// leave the data cache: the probability that a line that makes room for one of them has to be written back.
    pub(super) fn stores_near(&self, address: u32) -> f64 {
        let page = self.modified.get(&(address / self.page_bytes));
        page.map_or(0.0, |&(writes, fetches)| {
            (writes as f64 / fetches.max(1) as f64).min(1.0)
        })
    }

    pub(super) fn is_locked(&self, address: u32) -> bool {
        self.instructions.get(&address).is_some_and(|met| met.locked)
    }

    /// The addresses of the instructions whose stores have missed the data cache, ascending.
    pub(super) fn storing(&self) -> Vec<u32> {
        let missing = |met: &Met| met.writes.missed.some > 0;
        let storing = self.instructions.iter().filter(|(_, met)| missing(met));
        let mut storing: Vec<u32> = storing.map(|(&address, _)| address).collect();
        storing.sort_unstable();
        storing
    }

    /// Whether reads miss the data cache where lines are written to: they may replace modified ones.
    pub(super) fn writes_back(&self) -> bool {
        self.modified.values().any(|&(writes, _)| writes > 0) && self.modified.values().any(|&(_, fetches)| fetches > 0)
    }

    fn add_fetch(&mut self, line: u32, sample: &Sample) {
        let images = &sample.images;
        // A fetch that was given up before any look-up says nothing.
        if images.flag(&FETCH_COMP) || images.flag(&IC_MISS) {
            let met = self.lines.entry(line).or_default();
            met.missed.add(images.flag(&IC_MISS));
            met.walked.add(images.flag(&FETCH_L1_TLB_MISS));
        }
    }
}

impl Met {
    fn add(&mut self, index: u32, sample: &Sample) {
        self.samples.push(index);
        let images = &sample.images;
        self.latency += images.field(&TAG_TO_RET_CTR).unwrap_or_default();
        self.locked |= images.flag(&DC_LOCKED_OP);
        for (happened, clocks) in [
            (images.flag(&LD_OP) && images.flag(&DC_MISS), &DC_MISS_LAT),
            (images.flag(&DC_L1_TLB_MISS), &TLB_REFILL_LAT),
        ] {
            self.shown += images.field(clocks).filter(|_| happened).unwrap_or_default();
        }
        let accesses = match (images.flag(&LD_OP), images.flag(&ST_OP)) {
            (true, _) => &mut self.reads,
            (false, true) => &mut self.writes,
            (false, false) => return,
        };
        let missed = images.flag(&DC_MISS);
        accesses.missed.add(missed);
        accesses.walked.add(images.flag(&DC_L1_TLB_MISS));
        if missed && images.flag(&LD_OP) {
            // Another processor writes its modified line to memory, and the line then comes from there.
            accesses
                .near
                .add(images.field(&DATA_SRC) == Some(DataFrom::NearCache as u64));
        }
    }
}

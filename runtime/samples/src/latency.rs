//! Loads of at least some latency, as Itanium's data event address registers capture them.

use super::Analysis;
use super::estimate::Sum;
use p5_chips::ibs::{DATA_SRC, DATA_SRC_HI, DC_LIN_AD, DC_LIN_ADDR_VALID, DC_MISS, DC_MISS_LAT, LD_OP};
use p5_record::SampleKind;

/// A captured load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowLoad {
    /// The sample's number.
    pub number: u64,
    /// The linear address of the instruction.
    pub instruction: Option<u32>,
    /// The linear address of the data.
    pub data: Option<u32>,
    /// Clocks from the miss to the arrival of the data.
    pub latency: u64,
    /// The source of the data as the field encodes it; none if its register was not kept.
    pub source: Option<u64>,
}

/// The captured loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlowLoads {
    /// The loads, the slowest first.
    pub loads: Vec<SlowLoad>,
    /// The number of loads, as a sum of samples.
    pub sum: Sum,
    /// The exact number of loads, sampled or not, if it is known.
    pub exact: Option<u64>,
}

impl Analysis {
    /// The sampled loads that missed the data cache and waited at least `least` clocks.
    pub fn slow_loads(&self, least: u64) -> SlowLoads {
        let mut found = SlowLoads::default();
        for sample in self.samples.iter().filter(|sample| sample.kind == SampleKind::Op) {
            let images = &sample.images;
            let latency = images.field(&DC_MISS_LAT).unwrap_or_default();
            if !images.flag(&LD_OP) || !images.flag(&DC_MISS) || latency < least {
                continue;
            }
            let data = images.field(&DC_LIN_AD).filter(|_| images.flag(&DC_LIN_ADDR_VALID));
            found.sum.add(1);
            found.loads.push(SlowLoad {
                number: sample.number,
                instruction: sample.address(),
                data: data.map(|address| address as u32),
                latency,
                source: images
                    .field(&DATA_SRC)
                    .map(|code| images.field(&DATA_SRC_HI).unwrap_or_default() << 3 | code),
            });
        }
        found
            .loads
            .sort_by_key(|load| (std::cmp::Reverse(load.latency), load.number));
        // The filter of latency keeps every load in question if it is no stricter than the question.
        let all = self
            .sampling
            .choice
            .load_latency
            .is_none_or(|kept| u64::from(kept) <= least);
        if self.truth.is_some() && all && !self.sampling.choice.last_level_misses_only {
            let exact = self.exact_values(&DC_MISS_LAT);
            found.exact = Some(
                exact
                    .iter()
                    .filter(|(value, _)| *value >= least)
                    .map(|(_, count)| count)
                    .sum(),
            );
        }
        found
    }
}

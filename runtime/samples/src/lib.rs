//! Figures from samples: derived events, histograms, ratios, pairs, and the causes of stalls.
//!
//! An [`Analysis`] asks a recording, and nothing else. Nothing here knows a machine, a file or a sentence.
//!
//! A stall gets its cause in these steps: `stalls` takes the clocks of each instruction beyond its best; `met` says
//! which events its packets show; `shared` divides waits that several causes explain; `walk` replays the code between
//! samples under these events, and `inferred` takes from that what no packet shows, such as writes and the prefetch
//! queue; `ordered` decides by latencies which of several stores waits; `unexplained` has the rest, and
//! `values` the error of what depends on values. `blames` lists the causes, and `stalled` holds the result with its
//! reliability.

mod blames;
mod code;
mod compare;
mod data;
mod estimate;
mod histogram;
mod inferred;
mod lacks;
mod latencies;
mod latency;
mod met;
mod ordered;
mod pairs;
mod ratios;
mod replaced;
mod second_level;
mod shared;
mod shown;
mod stalled;
mod stalls;
pub mod study;
mod unexplained;
mod values;
mod walk;
mod written_back;

pub use blames::{Blame, Told, UNEXPLAINED};
pub use compare::Difference;
pub use data::{DataGrouping, DataPlace, DataRow, ExactData};
pub use estimate::{Confidence, ENOUGH, Sum};
pub use histogram::{BUCKETS, Bucket, Histogram, HistogramRow};
pub use latency::{SlowLoad, SlowLoads};
pub use pairs::PairRow;
pub use ratios::{BadQuestion, Comparing, Figure, Filter, MOST_COLUMNS, Ratio, RatioRow, RatioTable};
pub use stalled::{ALIKE, Clocks, ExactStalls, StallRow};
pub use stalls::{MOST_INSTRUCTIONS, NoStalls, Stalls};

use p5_record::Recording;
use std::ops::{Deref, DerefMut};

/// A recording, with questions to it as methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis(pub Recording);

impl Deref for Analysis {
    type Target = Recording;

    fn deref(&self) -> &Recording {
        &self.0
    }
}

impl DerefMut for Analysis {
    fn deref_mut(&mut self) -> &mut Recording {
        &mut self.0
    }
}

/// The sample of an op with these registers, for tests.
#[cfg(test)]
fn sampled_op(images: p5_record::Images) -> p5_record::Sample {
    p5_record::Sample {
        kind: p5_record::SampleKind::Op,
        number: 1,
        run: 1,
        clock: 1,
        images,
        pair: None,
    }
}

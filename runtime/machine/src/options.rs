//! How a program is run.

use p5_chips::{CoreRatio, HERTZ, MEMORY_PRESETS, MemoryPreset};
use std::num::NonZeroU64;
use std::time::Duration;

/// How a program is run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The privilege level: 0 or 3.
    pub cpl: u8,
    /// How often the program is run; caches and predictions are kept between runs. At least 1.
    pub runs: u32,
    /// Clocks after which a run is stopped: with the first instruction after which the clock has reached them. A
    /// repeated string instruction may be stopped after every 65,536 of its iterations.
    pub limit: u64,
    /// The wall time after which the simulation is stopped; `None` for no bound. Where it stops depends on the host.
    pub timeout: Option<Duration>,
    /// How much of that time is not available when the machine is created.
    pub spent: Duration,
    /// How many clocks of a run lie between two readings of the counters in
    /// [`Progress`](super::Progress); `None` for no readings. A
    /// reading is made where a block ends.
    pub reading_every: Option<NonZeroU64>,
    /// What stands behind the first level caches.
    pub memory: &'static MemoryPreset,
    /// The clocks of the core and those of the time stamp counter in the same time.
    pub core_ratio: CoreRatio,
    /// The clocks of a second for a program that asks for the time.
    pub hertz: NonZeroU64,
    /// Reads the program's whole standard input; called at most once, when a program first asks for it.
    pub input: fn() -> Vec<u8>,
    /// Whether to count the line fills of each cache set and to say what the sets hold in the end.
    pub cache_sets: bool,
    /// Decode every instruction into its own block: slower, but by contract the same [`Run`](p5_results::Run).
    pub one_op_blocks: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cpl: 0,
            runs: 5,
            limit: 1_000_000_000,
            timeout: None,
            spent: Duration::ZERO,
            reading_every: None,
            memory: &MEMORY_PRESETS[0],
            core_ratio: CoreRatio::default(),
            hertz: HERTZ,
            input: Vec::new,
            cache_sets: false,
            one_op_blocks: false,
        }
    }
}

impl Options {
    /// The same for a machine that is created when so much more of the time has passed.
    pub fn after(&self, elapsed: Duration) -> Options {
        Options {
            spent: self.spent + elapsed,
            ..self.clone()
        }
    }
}

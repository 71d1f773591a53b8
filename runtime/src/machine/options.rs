//! How a program is run.

use crate::model::{MEMORY_PRESETS, MemoryPreset};
use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;

/// The clocks of the core in a number of reference clocks, which the time stamp counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreRatio {
    /// The clocks of the core.
    pub core: NonZeroU32,
    /// The reference clocks in the same time.
    pub reference: NonZeroU32,
}

impl CoreRatio {
    /// Reads `core/reference`, two numbers from 1 to 4294967295.
    ///
    /// # Errors
    /// What would be right.
    pub fn parse(text: &str) -> Result<CoreRatio, String> {
        let number = |text: &str| text.trim().parse::<NonZeroU32>().ok();
        let numbers = text
            .split_once('/')
            .and_then(|(core, reference)| number(core).zip(number(reference)));
        numbers
            .map(|(core, reference)| CoreRatio { core, reference })
            .ok_or_else(|| "write core clocks / reference clocks, for example 14763/13284".to_owned())
    }

    /// The ratio as text, unless both clocks are the same.
    pub fn unless_equal(self) -> Option<String> {
        (self.core != self.reference).then(|| self.to_string())
    }

    /// The whole reference clocks in `clocks` of the core.
    pub fn reference_clocks(self, clocks: u64) -> u64 {
        let (core, reference) = (u128::from(self.core.get()), u128::from(self.reference.get()));
        (u128::from(clocks) * reference / core) as u64
    }

    /// The clocks of the core after which there are `reference` clocks.
    pub fn core_clocks(self, clocks: u64) -> u64 {
        let (core, reference) = (u128::from(self.core.get()), u128::from(self.reference.get()));
        u64::try_from((u128::from(clocks) * core).div_ceil(reference)).unwrap_or(u64::MAX)
    }
}

impl Default for CoreRatio {
    fn default() -> CoreRatio {
        CoreRatio {
            core: NonZeroU32::MIN,
            reference: NonZeroU32::MIN,
        }
    }
}

impl fmt::Display for CoreRatio {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.core, self.reference)
    }
}

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
    /// Reads the program's whole standard input; called at most once, when a program first asks for it.
    pub input: fn() -> Vec<u8>,
    /// Whether to count the line fills of each cache set and to say what the sets hold in the end.
    pub cache_sets: bool,
    /// Decode every instruction into its own block: slower, but by contract the same [`Run`](crate::run::Run).
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
            input: Vec::new,
            cache_sets: false,
            one_op_blocks: false,
        }
    }
}

//! The options of a run.

use p5_chips::{CoreRatio, HERTZ, MEMORY_PRESETS, MemoryPreset};
use p5_image::Image;
use p5_meaning::memory::MEMORY_LIMIT;
use p5_meaning::services::{Files, Process};
use p5_results::Asked;
use std::num::NonZeroU64;
use std::time::Duration;

/// What executes blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The interpreter, and the compiler for blocks that are executed often.
    #[default]
    Auto,
    /// The interpreter alone.
    Interpreter,
    /// The compiler, as early as possible.
    Jit,
}

/// The options of a run.
///
/// The defaults are those of the command `p5inst` for a program that it assembles. For a Linux program the command
/// takes another privilege level, number of runs and limit: [`Options::for_linux`] has them.
#[derive(Clone, Debug)]
pub struct Options {
    /// The privilege level: 0 or 3. Default: 0. Linux programs run at 3.
    pub cpl: u8,
    /// The number of runs, at least 1. Caches and predictions are kept between runs. Default: 5. The command runs a
    /// Linux program once.
    pub runs: u32,
    /// The clocks of a run after which it is stopped: at the first instruction whose end reaches them. A repeated
    /// string instruction may be stopped after every 65,536 of its iterations. Default: 1,000,000,000.
    pub limit: u64,
    /// The wall time after which the simulation is stopped; `None` for no bound. The point of the stop depends on the
    /// host. Default: `None`. The command stops after 10 seconds, or 60 at a
    /// terminal.
    pub timeout: Option<Duration>,
    /// The part of that time that has passed when the machine is created. Default: zero.
    pub spent: Duration,
    /// The part of that time that is kept for what follows the simulation. Default: zero.
    pub kept: Duration,
    /// Measures the time that is kept, too, for each row that a sampled run leaves to be written: a sample, the second
    /// op of a pair, a line of data. Called once, when there are many. Default: none, for no time.
    pub for_each_row: Option<fn() -> Duration>,
    /// The clocks of a run between two readings of the counters in [`Progress`](super::Progress); `None` for no
    /// readings. A reading is made at the end of a block. Default: `None`.
    pub reading_every: Option<NonZeroU64>,
    /// The most bytes of memory that the program may map, up to [`MEMORY_LIMIT`], which is the default. A program that
    /// asks for more than a smaller amount is soon stopped, and [`simulate_within`](super::simulate_within) has no
    /// result for it.
    pub mapped: u32,
    /// The memory and the second level cache on the bus. Default: the first of [`MEMORY_PRESETS`], `l2`.
    pub memory: &'static MemoryPreset,
    /// The ratio of core clocks to clocks of the time stamp counter in the same time. Default: 1.
    pub core_ratio: CoreRatio,
    /// The clocks per second, for a program that asks for the time. Default: [`HERTZ`].
    pub hertz: NonZeroU64,
    /// Whether reports tell times beside clocks. Default: no.
    pub tells_time: bool,
    /// Reads the program's whole standard input; called at most once, when a program first asks for it. Default: no
    /// input. The command passes on its own.
    pub input: fn() -> Vec<u8>,
    /// Whether that input is open for reading; if not, reads of a Linux program fail with EBADF. Default: it is.
    pub input_is_open: fn() -> bool,
    /// Whether the program waits for the end of that input, which the report of a run that the time limit stops says.
    /// Default: it does not.
    pub awaits_input: fn() -> bool,
    /// Reads all that is typed at the keyboard of a DOS program; called at most once, when a program first asks for a
    /// key. Default: nothing, so that Esc is pressed. The command passes on its standard input if it is no terminal.
    pub typed: fn() -> Vec<u8>,
    /// The files that a Linux program may read; `None`, the default, if there are none.
    pub files: Option<&'static Files>,
    /// Whether to count the line fills of each cache set and to report the final contents of the sets.
    /// Default: no.
    pub cache_sets: bool,
    /// Whether to count which call led where, and what passed until the return. All blocks are interpreted then.
    /// Default: no.
    pub calls: bool,
    /// The code whose loops the trace of a run without regions is to have, rather than those with the most clocks; in
    /// a run with regions the report alone heeds it. Default: none.
    pub asked: Option<Asked>,
    /// What executes blocks. By contract the [`Run`](p5_results::Run) is the same. Default: `Auto`.
    pub engine: EngineChoice,
    /// Whether each instruction is a block of its own: slower, but by contract the same [`Run`](p5_results::Run).
    /// Default: no.
    pub one_op_blocks: bool,
}

impl Options {
    /// The process of a newly loaded program.
    pub(super) fn process(&self, image: &Image) -> Process {
        Process::new(image, [self.input, self.typed], self.files).with_input_open(self.input_is_open)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cpl: 0,
            runs: 5,
            limit: 1_000_000_000,
            timeout: None,
            spent: Duration::ZERO,
            kept: Duration::ZERO,
            for_each_row: None,
            reading_every: None,
            mapped: MEMORY_LIMIT,
            memory: &MEMORY_PRESETS[0],
            core_ratio: CoreRatio::default(),
            hertz: HERTZ,
            tells_time: false,
            input: Vec::new,
            input_is_open: || true,
            awaits_input: || false,
            typed: Vec::new,
            files: None,
            cache_sets: false,
            calls: false,
            asked: None,
            engine: EngineChoice::Auto,
            one_op_blocks: false,
        }
    }
}

impl Options {
    /// The options with which the command runs a Linux program: once, at privilege level 3, for at most 10^12 clocks.
    pub fn for_linux() -> Options {
        Options {
            cpl: 3,
            runs: 1,
            limit: 1_000_000_000_000,
            ..Options::default()
        }
    }

    /// The time that is left for the simulation; `None` for no bound.
    pub fn left(&self) -> Option<Duration> {
        Some(self.timeout?.saturating_sub(self.spent + self.kept))
    }

    /// The same options for a machine that is created `elapsed` later.
    pub fn after(&self, elapsed: Duration) -> Options {
        Options {
            spent: self.spent + elapsed,
            ..self.clone()
        }
    }
}

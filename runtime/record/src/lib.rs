//! Recordings of samples: what a sampler left, bit for bit, and beside it what is true of the same runs.
//!
//! A [`Recording`] holds raw register images, so that a question asked years later needs no new run. What they tell is
//! computed elsewhere, from a recording alone. Nothing here knows a machine, a file or a sentence.

pub mod derived;
mod described;
mod facts;
mod images;
mod matching;
mod places;
mod population;
pub mod program;
pub mod random;
pub mod store;
pub mod study;

pub use described::{Described, MOST_DESCRIBED};
pub use facts::Lack;
pub use images::Images;
pub use places::{AFTER, Grouping, Groups, Routine, address};
pub use population::{Flight, MOST_INSTRUCTIONS, Population, slots, touched, width};

pub use p5_chips::ibs::SampleKind;
use p5_results::Cause;

/// What was sampled in one or more runs of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The program's name: its file, or `<stdin>`.
    pub program: String,
    /// What it ran on.
    pub machine: SampledMachine,
    /// What was asked of the samplers.
    pub sampling: Sampling,
    /// How the sampled run was stopped, in words; none if the program ended it, or if that is not known.
    pub stopped: Option<String>,
    /// The names of source files; every `file` below is an index into them.
    pub files: Vec<String>,
    /// The named addresses of the program, in ascending address order. Constants are not among them.
    pub symbols: Vec<SampledSymbol>,
    /// The source line of code, in ascending address order, without overlap.
    pub lines: Vec<SampledLine>,
    /// The code of the program, in ascending address order, without overlap; none if the recorder does not have it.
    pub code: Vec<SampledCode>,
    /// The size of that code: 16 or 32 bits; 0 without code.
    pub code_bits: u32,
    /// Registers and fields that it describes because this version does not know them.
    pub described: Described,
    /// The samples, in the order in which they were taken.
    pub samples: Vec<Sample>,
    /// What was true of the runs that were sampled; none if the recorder cannot know.
    pub truth: Option<Truth>,
}

/// The machine that was sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledMachine {
    /// The chip as `--cpu` takes it.
    pub chip: String,
    /// The chip's full name.
    pub chip_title: String,
    /// The memory preset.
    pub memory: String,
    /// The answers chosen by `--assume` that are not the usual ones: name and answer.
    pub assumed: Vec<(String, String)>,
    /// The monitors that were attached, as `--monitor` takes them.
    pub monitors: Vec<String>,
    /// Core clocks per reference clock as `--core-ratio` takes them, where a monitor counts these.
    pub core_ratio: Option<String>,
    /// The privilege level the program ran at.
    pub cpl: u8,
    /// How many instructions it issues in a clock at best, at least 1: the number of its pipes. None if that is not
    /// known, as of the processor of a host.
    pub width: Option<u32>,
    /// Bytes of a line of the data cache: a power of two.
    pub line_bytes: u32,
    /// Bytes of a page: a power of two.
    pub page_bytes: u32,
}

/// What was asked of the samplers, and how many attempts they made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    /// The runs that were sampled: the first, counted from 1, and the last. The samples and the truth are of these.
    pub runs: (u32, u32),
    /// Sampling of fetches, if it was on.
    pub fetch: Option<Attempts>,
    /// Sampling of ops, if it was on.
    pub op: Option<Attempts>,
    /// What the samplers chose by.
    pub choice: Choice,
    /// How many samples were taken, but not kept, because there were too many; chance chose them but for `lost`.
    pub cut: u64,
    /// How many of `cut` the recorder lost, in whichever part of the run they came too fast.
    pub lost: u64,
}

/// What samplers choose by beside their periods, and what is kept of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What the op sampler counts.
    pub mode: CountMode,
    /// How the period varies.
    pub randomization: Randomization,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The numbers of the registers that were kept, ascending; none if all were.
    pub kept: Option<Vec<u32>>,
    /// Only loads of at least this many clocks were kept, if that was asked for.
    pub load_latency: Option<u32>,
    /// Whether only misses of the last level cache were kept.
    pub last_level_misses_only: bool,
    /// How many ops may lie between the two of a pair, if pairs were sampled: the second is 1 to this many after the
    /// first.
    pub window: Option<u32>,
}

impl Choice {
    /// How many values the distance between two samples takes, around its mean: a power of two.
    pub fn spread(&self, kind: SampleKind) -> u64 {
        match (self.randomization, kind) {
            (Randomization::None, _) => 1,
            (_, SampleKind::Fetch) => 1 << 4,
            (Randomization::Hardware, SampleKind::Op) => 1 << 7,
            (Randomization::Lfsr12, SampleKind::Op) => 1 << 12,
        }
    }
}

/// A sampler's period and what became of its attempts. An attempt is the end of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Fetches, clocks or ops from one attempt to the next, on average; at least 1.
    pub period: u64,
    /// How many attempts were made: those that became a sample and those that did not.
    pub made: u64,
    /// Attempts dropped because there was nothing to tag; none if the recorder cannot know.
    pub dropped: Option<u64>,
    /// Tagged ops that never retired. None if the recorder cannot know, as on hardware, or if it has no path that is
    /// not taken, as the simulated pipeline.
    pub flushed: Option<u64>,
    /// Samples that a filter left out.
    pub filtered: u64,
}

impl Attempts {
    /// How many became a sample, kept or not, as far as the recorder knows.
    pub fn taken(&self) -> u64 {
        let lost = [self.dropped.unwrap_or(0), self.flushed.unwrap_or(0), self.filtered];
        lost.iter().fold(self.made, |left, lost| left.saturating_sub(*lost))
    }
}

/// What the op sampler counts to find the next op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountMode {
    /// Clocks, then it takes an op of the group that is dispatched next: ops after a stall are taken more often.
    Cycles,
    /// Dispatched ops: each is as likely as any other.
    #[default]
    Dispatch,
}

impl CountMode {
    /// Both.
    pub const ALL: [CountMode; 2] = [CountMode::Cycles, CountMode::Dispatch];

    /// The name that files, reports and the command line use.
    pub const fn name(self) -> &'static str {
        match self {
            CountMode::Cycles => "cycles",
            CountMode::Dispatch => "dispatch",
        }
    }
}

/// How the period varies from sample to sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Randomization {
    /// It does not.
    #[default]
    None,
    /// As AMD's hardware does it: the low 4 bits of a fetch count and the low 7 bits of an op count are random.
    Hardware,
    /// As OProfile's driver does it: the low 12 bits of the count come from a shift register of 16 bits. Unlike the
    /// driver's, it moves by all its bits from one count to the next, so that counts do not depend on each other.
    Lfsr12,
}

impl Randomization {
    /// All of them.
    pub const ALL: [Randomization; 3] = [Randomization::None, Randomization::Hardware, Randomization::Lfsr12];

    /// The name that files, reports and the command line use.
    pub const fn name(self) -> &'static str {
        match self {
            Randomization::None => "none",
            Randomization::Hardware => "hw",
            Randomization::Lfsr12 => "lfsr12",
        }
    }
}

/// A name of the program for an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledSymbol {
    /// As the source spells it.
    pub name: String,
    /// The linear address.
    pub address: u32,
    /// Bytes that it covers; 0 if the source does not say, as of most code.
    pub size: u32,
    /// Whether it names code; otherwise data.
    pub code: bool,
    /// Whether the bundled library defines it.
    pub library: bool,
}

/// The source line of some code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampledLine {
    /// The linear address of the first byte.
    pub address: u32,
    /// Bytes.
    pub length: u32,
    /// Index into [`Recording::files`].
    pub file: u32,
    /// One-based line in that file.
    pub line: u32,
}

/// One sample: everything that the sampler's registers held when it was ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// What was sampled.
    pub kind: SampleKind,
    /// Its number in the recording, counted from 1 without gaps.
    pub number: u64,
    /// The run, counted from 1.
    pub run: u32,
    /// The clock of that run at which the fetch began, or at which the op was tagged.
    pub clock: u64,
    /// The images of the registers.
    pub images: Images,
    /// The second op of a pair, for ops.
    pub pair: Option<Box<Pair>>,
}

/// The op that was tagged some ops after a sampled one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// How many ops later: at least 1.
    pub distance: u32,
    /// From the tag of the first to that of the second, in clocks.
    pub clocks: u64,
    /// The images of its registers.
    pub images: Images,
}

/// What is exactly true of the sampled runs: the sampled share of it has to agree within chance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Clocks of the sampled runs.
    pub clocks: u64,
    /// Every instruction that was executed, in ascending address order.
    pub instructions: Vec<TrueInstruction>,
    /// Whether [`Truth::instructions`] lacks some because there were too many.
    pub instructions_cut: bool,
    /// Every derived event over all fetches and ops, sampled or not: its code, and its count or sum.
    pub derived: Vec<(u16, u64)>,
    /// The values of every field of latency over all fetches and ops for which it is defined: the field's name, the
    /// value, and how often it was seen; by field, then ascending.
    pub latencies: Vec<(String, u64, u64)>,
    /// Every line of data that was accessed, in parts where data of several names share it; in ascending address order.
    pub data: Vec<TrueData>,
    /// Accesses to lines that [`Truth::data`] lacks because there were too many.
    pub data_cut: u64,
    /// The sums over all pairs of ops, if pairs were sampled.
    pub pairs: Vec<TruePairs>,
}

/// What is true of one instruction in the sampled runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrueInstruction {
    /// Its linear address.
    pub address: u32,
    /// Bytes.
    pub length: u32,
    /// The instruction in MASM syntax.
    pub text: String,
    /// How often it was executed.
    pub executions: u64,
    /// The ops that it consisted of, over all executions: at least `executions`.
    pub ops: u64,
    /// Executions in the V pipe.
    pub paired: u64,
    /// Clocks charged to it: the sum of `causes`.
    pub clocks: u64,
    /// Its clocks by cause, in the order of [`Cause::ALL`], without causes that cost nothing.
    pub causes: Vec<(Cause, u64)>,
    /// Derived events of its ops, as in [`Truth::derived`], without those that are 0. Events of fetches are not among
    /// them.
    pub derived: Vec<(u16, u64)>,
}

/// What is true of one line of data in the sampled runs, or of the part of a line that one symbol of data has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrueData {
    /// The linear address of its first byte.
    pub address: u32,
    /// Accesses: loads and stores. One that crosses into the next line or part counts for the one it begins in.
    pub accesses: u64,
    /// Those that stored.
    pub stores: u64,
    /// Those that missed the data cache.
    pub misses: u64,
    /// The clocks that the missing loads waited.
    pub latency: u64,
    /// Which bytes of the line were accessed: bit n for its byte n. Of lines longer than 64 bytes, each bit is for as
    /// many bytes as make 64 of them.
    pub touched: u64,
}

/// What is true of all pairs of ops whose first belongs to one instruction and that are at most a window apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TruePairs {
    /// The linear address of the first op's instruction.
    pub address: u32,
    /// How many such pairs there were.
    pub pairs: u64,
    /// Those whose second was tagged before the first had retired.
    pub overlapping: u64,
    /// Issue slots that were not used while the first was in flight, over all its ops.
    pub wasted: u64,
    /// Ops of the instruction that were in flight, for each of which `wasted` was found.
    pub flights: u64,
}

/// Some code of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledCode {
    /// The linear address of the first byte.
    pub address: u32,
    /// Its bytes: whole instructions.
    pub bytes: Vec<u8>,
}

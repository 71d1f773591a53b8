//! Recordings of samples: the register images that a sampler left, bit for bit, and exact figures of the same runs.
//!
//! A [`Recording`] holds raw register images, so that a question asked years later needs no new run. Figures are
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
pub use places::{AFTER, Group, Grouping, Groups, Routine, address};
pub use population::{Flight, MOST_INSTRUCTIONS, Population, slots, touched, width};

pub use p5_chips::ibs::SampleKind;
use p5_results::Cause;

/// The samples of one or more runs of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// The program's name: its file, or `<stdin>`.
    pub program: String,
    /// The machine that it ran on.
    pub machine: SampledMachine,
    /// The settings of the samplers and their attempts.
    pub sampling: Sampling,
    /// How the sampled run was stopped, or by which signal it ended, in words; none if the program came to its end, or
    /// if the end is not known.
    pub stopped: Option<String>,
    /// The names of source files; every `file` below is an index into them.
    pub files: Vec<String>,
    /// The named addresses of the program, in ascending address order. Constants are not among them.
    pub symbols: Vec<SampledSymbol>,
    /// The first and the last address of the stack; none if the recorder does not know where it lies.
    pub stack: Option<Reach>,
    /// The same of the memory in which the heap and mappings of a process lie.
    pub heap: Option<Reach>,
    /// The source lines of the code, in ascending address order, without overlap.
    pub lines: Vec<SampledLine>,
    /// The code of the program, in ascending address order, without overlap; none if the recorder does not have it.
    pub code: Vec<SampledCode>,
    /// The default size of operands and addresses in most of that code: 16 or 32 bits; 0 without code.
    pub code_bits: u32,
    /// Registers and fields that it describes because this version does not know them.
    pub described: Described,
    /// The samples, in the order in which they were taken.
    pub samples: Vec<Sample>,
    /// The exact figures of the sampled runs; none if the recorder cannot know them.
    pub truth: Option<Truth>,
}

/// A first and a last address.
pub type Reach = (u32, u32);

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
    /// The instructions of later processors that it was given, as `--also` takes them.
    pub also: Vec<String>,
    /// Core clocks per reference clock as `--core-ratio` takes them, where a monitor counts these.
    pub core_ratio: Option<String>,
    /// The privilege level of the program, 0 to 3.
    pub cpl: u8,
    /// The most instructions that it issues in a clock, at least 1: the number of its pipes. None if unknown, as for
    /// the processor of a host.
    pub width: Option<u32>,
    /// The size of a line of the data cache in bytes: a power of two.
    pub line_bytes: u32,
    /// The size of a page in bytes: a power of two.
    pub page_bytes: u32,
}

/// The settings of the samplers, and the number of their attempts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampling {
    /// The first and the last sampled run, counted from 1. The samples and the truth are of these runs.
    pub runs: (u32, u32),
    /// The attempts at fetches; none if their sampler was off.
    pub fetch: Option<Attempts>,
    /// The attempts at ops; none if their sampler was off.
    pub op: Option<Attempts>,
    /// The way in which the samplers chose.
    pub choice: Choice,
    /// Samples that were taken but not kept, because there were too many; chance chose them, except `lost`.
    pub cut: u64,
    /// The samples of `cut` that the recorder lost, in those parts of the run in which they came too fast.
    pub lost: u64,
}

/// The settings of samplers beside their periods, and the filters of their samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The unit that the op sampler counts.
    pub mode: CountMode,
    /// The variation of the period.
    pub randomization: Randomization,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The numbers of the registers that were kept, ascending; none if all were.
    pub kept: Option<Vec<u32>>,
    /// Only loads of at least this many clocks were kept, if that was asked for.
    pub load_latency: Option<u32>,
    /// Whether only misses of the last level cache were kept.
    pub last_level_misses_only: bool,
    /// The greatest distance within a pair in ops, if pairs were sampled: the second is 1 to this many after the first.
    pub window: Option<u32>,
}

impl Choice {
    /// The number of distinct distances between two samples, around their mean: a power of two.
    pub fn spread(&self, kind: SampleKind) -> u64 {
        match (self.randomization, kind) {
            (Randomization::None, _) => 1,
            (_, SampleKind::Fetch) => 1 << 4,
            (Randomization::Hardware, SampleKind::Op) => 1 << 7,
            (Randomization::Lfsr12, SampleKind::Op) => 1 << 12,
        }
    }
}

/// The period of a sampler and the outcomes of its attempts. An attempt is the end of a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attempts {
    /// Fetches, clocks or ops from one attempt to the next, on average; at least 1.
    pub period: u64,
    /// The number of attempts, whether or not they became a sample.
    pub made: u64,
    /// Attempts dropped because there was nothing to tag; none if the recorder cannot know.
    pub dropped: Option<u64>,
    /// Tagged ops that never retired. None if the recorder cannot know, as on hardware, or if it executes no path that
    /// is not taken, as the simulated pipeline.
    pub flushed: Option<u64>,
    /// Samples that a filter left out.
    pub filtered: u64,
}

impl Attempts {
    /// The number of attempts that became a sample, kept or not, as far as the recorder knows.
    pub fn taken(&self) -> u64 {
        let lost = [self.dropped.unwrap_or(0), self.flushed.unwrap_or(0), self.filtered];
        lost.iter().fold(self.made, |left, lost| left.saturating_sub(*lost))
    }
}

/// The unit that the op sampler counts to find the next op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountMode {
    /// Clocks, then an op of the next dispatched group: ops after a stall are taken more often.
    Cycles,
    /// Dispatched ops: each is equally likely.
    #[default]
    Dispatch,
}

impl CountMode {
    /// Both units.
    pub const ALL: [CountMode; 2] = [CountMode::Cycles, CountMode::Dispatch];

    /// The name that files, reports and the command line use.
    pub const fn name(self) -> &'static str {
        match self {
            CountMode::Cycles => "cycles",
            CountMode::Dispatch => "dispatch",
        }
    }
}

/// The variation of the period from sample to sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Randomization {
    /// All periods are the same.
    #[default]
    None,
    /// As AMD's hardware does it: the low 4 bits of a fetch count and the low 7 bits of an op count are random.
    Hardware,
    /// As OProfile's driver does it: the low 12 bits of the count come from a shift register of 16 bits. Unlike the
    /// driver's, it moves by all its bits from one count to the next, so that counts do not depend on each other.
    Lfsr12,
}

impl Randomization {
    /// All variations.
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
    /// The name as the source spells it.
    pub name: String,
    /// The linear address.
    pub address: u32,
    /// The size in bytes; 0 if the source does not state it, as for most code.
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
    /// The length in bytes.
    pub length: u32,
    /// Index into [`Recording::files`].
    pub file: u32,
    /// One-based line in that file.
    pub line: u32,
}

/// One sample: the contents of the sampler's registers when it was ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The kind of the sample: a fetch or an op.
    pub kind: SampleKind,
    /// Its number in the recording, counted from 1 without gaps.
    pub number: u64,
    /// The run, counted from 1.
    pub run: u32,
    /// The clock of that run at which the fetch began, or at which the op was tagged.
    pub clock: u64,
    /// The images of the registers.
    pub images: Images,
    /// The second op of a pair; none without one, or for a fetch.
    pub pair: Option<Box<Pair>>,
}

/// The op that was tagged some ops after a sampled one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The distance from the first op, in ops: at least 1.
    pub distance: u32,
    /// Clocks from the tag of the first op to the tag of this one.
    pub clocks: u64,
    /// The images of the registers for this op.
    pub images: Images,
}

/// The exact figures of the sampled runs: estimates from samples have to agree with them within chance.
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
    /// The values of each field of latency, over all fetches and ops for which it is defined: the field's name, the
    /// value, and its number of occurrences; by field, then ascending.
    pub latencies: Vec<(String, u64, u64)>,
    /// Every accessed line of data, in parts where data of several names share it; in ascending address order.
    pub data: Vec<TrueData>,
    /// Accesses to lines that [`Truth::data`] lacks because there were too many.
    pub data_cut: u64,
    /// The sums over all pairs of ops, if pairs were sampled.
    pub pairs: Vec<TruePairs>,
}

/// The exact figures of one instruction in the sampled runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrueInstruction {
    /// Its linear address.
    pub address: u32,
    /// The length in bytes.
    pub length: u32,
    /// The instruction in MASM syntax.
    pub text: String,
    /// The number of executions.
    pub executions: u64,
    /// The number of its ops over all executions: at least `executions`.
    pub ops: u64,
    /// Executions in the V pipe.
    pub paired: u64,
    /// Clocks charged to it: the sum of `causes`.
    pub clocks: u64,
    /// Its clocks by cause, in the order of [`Cause::ALL`], without causes that cost nothing.
    pub causes: Vec<(Cause, u64)>,
    /// The derived events of its ops, as in [`Truth::derived`], without those that are 0 and those of fetches.
    pub derived: Vec<(u16, u64)>,
}

/// The exact figures of a line of data in the sampled runs, or of the part of it that one symbol of data has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrueData {
    /// The linear address of its first byte.
    pub address: u32,
    /// Loads and stores. One that crosses into the next line or part counts for the one in which it begins.
    pub accesses: u64,
    /// Accesses that stored.
    pub stores: u64,
    /// Accesses that missed the data cache.
    pub misses: u64,
    /// The clocks that the missing loads waited.
    pub latency: u64,
    /// The accessed bytes of the line: bit n for byte n. In lines over 64 bytes, each bit stands for a 64th of it.
    pub touched: u64,
}

/// The exact figures of all pairs of ops whose first belongs to one instruction and that are at most a window apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TruePairs {
    /// The linear address of the first op's instruction.
    pub address: u32,
    /// The number of pairs.
    pub pairs: u64,
    /// Pairs whose second was tagged before the first had retired.
    pub overlapping: u64,
    /// Unused issue slots while the first was in flight, over all its ops.
    pub wasted: u64,
    /// The ops of the instruction in flight for which `wasted` was found.
    pub flights: u64,
}

/// A piece of a program's code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SampledCode {
    /// The linear address of the first byte.
    pub address: u32,
    /// The bytes, which form whole instructions.
    pub bytes: Vec<u8>,
    /// The default size of its operands and addresses: 16 or 32 bits.
    pub bits: u32,
}

//! Records: what an observed pipeline leaves of each op that retires and of each fetch. `pipeline` writes them, and
//! whoever samples reads them.

use crate::Pipe;

/// The stages from D1 to EX, each of which takes a clock at least: D1 is held this many clocks before the issue that it
/// delays, and an op that waits for nothing retires one clock later than that after its tag. It is the depth of the
/// pipeline that `pipeline` describes, not a figure of a chip: the chips' penalties count from issue to issue.
pub const STAGES_TO_EXECUTION: u64 = 2;

/// Where the data of a miss came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataSource {
    /// No data were requested.
    #[default]
    None,
    /// The second level cache.
    SecondLevel,
    /// Memory.
    Memory,
    /// The cache of another processor, which had it modified.
    OtherCache,
    /// A device.
    Device,
}

/// An access to data as an op made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRecord {
    /// Whether it stored.
    pub write: bool,
    /// Bytes.
    pub size: u8,
    /// The linear address.
    pub address: u32,
    /// The clock in which it was made.
    pub when: u64,
    /// The clocks it waited.
    pub wait: u32,
    /// As how many references it counts: 2 if it is misaligned.
    pub references: u8,
    /// How many of them missed the data cache.
    pub missed: u8,
    /// The clocks from the miss, or from a read of a line that is being filled, to the data.
    pub filled: u32,
    /// Where they came from.
    pub source: DataSource,
    /// How many reads of lines were under way for other accesses when it missed.
    pub open_reads: u8,
    /// How many of its pages missed the data TLB.
    pub walks: u8,
    /// The clocks of the walks.
    pub walked: u32,
    /// Whether its page is large.
    pub large_page: bool,
    /// Whether it crosses a boundary that it must not cross.
    pub misaligned: bool,
    /// Whether it waited for the other pipe's access to the same bank.
    pub bank_conflict: bool,
    /// Whether it went past the data cache because its memory is not cached.
    pub uncached: bool,
    /// Whether it was locked.
    pub locked: bool,
    /// The clocks it waited for a write buffer.
    pub buffered: u32,
}

/// What a branch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Whether it was taken.
    pub taken: bool,
    /// Whether the pipeline was flushed behind it: it was mispredicted, or not predictable.
    pub mispredicted: bool,
    /// Whether it is a near return.
    pub returns: bool,
    /// The address of the next instruction.
    pub target: u32,
}

/// An op that has retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRecord {
    /// The linear address of its instruction.
    pub address: u32,
    /// Its number among the instruction's steps, from 0.
    pub step: u32,
    /// How many steps there are in this visit.
    pub steps: u32,
    /// Whether the instruction retires with it. A repeat that is continued later has not retired.
    pub last: bool,
    /// Its pipe.
    pub pipe: Pipe,
    /// The clock in which it was tagged.
    pub tagged: u64,
    /// The clock in which its own EX had ended.
    pub completed: u64,
    /// The clock in which it was written back.
    pub retired: u64,
    /// Whether its instruction is not of the simple ones that both pipes can execute in hardware.
    pub microcode: bool,
    /// The branch, if it is one.
    pub branch: Option<BranchRecord>,
    /// Whether the event of branches counts it.
    pub counts_as_branch: bool,
    /// Whether it met the entry of a branch that it is not, and the pipeline was flushed.
    pub met_entry: bool,
    /// What it read.
    pub load: Option<AccessRecord>,
    /// What it wrote.
    pub store: Option<AccessRecord>,
}

/// Why a line was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchReason {
    /// It is the next one in sequence.
    Line,
    /// A branch went there, or the pipeline was refilled.
    Redirect,
    /// It may be needed next.
    Ahead,
}

/// A fetch that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchRecord {
    /// Why it was made.
    pub reason: FetchReason,
    /// The linear address: of the first byte wanted, or of the line.
    pub address: u32,
    /// The clock in which it began.
    pub began: u64,
    /// The clock in which it ended.
    pub ended: u64,
    /// Whether its bytes were delivered. Otherwise the fetch had gone elsewhere.
    pub completed: bool,
    /// Whether it was given up before anything was looked up. Nothing below is known then.
    pub killed: bool,
    /// Whether it missed the code cache.
    pub missed: bool,
    /// Where the line came from.
    pub source: DataSource,
    /// Whether it missed the code TLB.
    pub walks: bool,
    /// The clocks of the walk.
    pub walked: u32,
    /// Whether its page is large.
    pub large_page: bool,
}

impl OpRecord {
    /// Whether it issued in the V pipe, beside the op before it.
    pub fn is_in_v(&self) -> bool {
        self.pipe == Pipe::V
    }
}

//! Records of an observed pipeline: one for each op that retires and each fetch. `pipeline` writes them and samplers
//! read them.

use crate::Pipe;

/// The stages from D1 to EX, each of which takes at least a clock. D1 is held this many clocks before the issue that it
/// delays, and an op that waits for nothing retires one clock more than this after its tag. It is the depth of the
/// pipeline that `pipeline` describes, not a figure of a chip: the chips' penalties count from issue to issue.
pub const STAGES_TO_EXECUTION: u64 = 2;

/// The source of the data for a miss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataSource {
    /// The access requested no data.
    #[default]
    None,
    /// The second level cache.
    SecondLevel,
    /// Memory, beyond all caches.
    Memory,
    /// The cache of another processor that had modified the line.
    OtherCache,
    /// A device of the machine.
    Device,
}

/// An access to data by an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessRecord {
    /// Whether the access stored.
    pub write: bool,
    /// The size in bytes.
    pub size: u8,
    /// The linear address of the first byte.
    pub address: u32,
    /// The clock of the access.
    pub when: u64,
    /// The number of clocks that it waited.
    pub wait: u32,
    /// The number of references that it counts as: 2 if it is misaligned.
    pub references: u8,
    /// The number of these references that missed the data cache.
    pub missed: u8,
    /// The clocks from the miss, or from a read of a line that is being filled, to the data.
    pub filled: u32,
    /// The source of the data.
    pub source: DataSource,
    /// The number of reads of lines in progress for other accesses when it missed.
    pub open_reads: u8,
    /// The number of its pages that missed the data TLB.
    pub walks: u8,
    /// The clocks of the page walks.
    pub walked: u32,
    /// Whether its page is large.
    pub large_page: bool,
    /// Whether it crosses an alignment boundary.
    pub misaligned: bool,
    /// Whether it waited for the other pipe's access to the same bank.
    pub bank_conflict: bool,
    /// Whether it bypassed the data cache because its memory is not cached.
    pub uncached: bool,
    /// Whether it was a locked access, which goes over the bus.
    pub locked: bool,
    /// The number of clocks that it waited for a write buffer.
    pub buffered: u32,
}

/// The outcome of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchRecord {
    /// Whether the branch was taken.
    pub taken: bool,
    /// Whether the pipeline was flushed after it, because it was mispredicted or not predictable.
    pub mispredicted: bool,
    /// Whether it is a near return.
    pub returns: bool,
    /// The linear address of the next instruction.
    pub target: u32,
}

/// An op that has retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpRecord {
    /// The linear address of its instruction.
    pub address: u32,
    /// The number of the op among the instruction's steps, from 0.
    pub step: u32,
    /// The number of steps in this visit.
    pub steps: u32,
    /// Whether the instruction retires with it. A repeat that continues later has not retired.
    pub last: bool,
    /// The pipe in which it issued.
    pub pipe: Pipe,
    /// The clock in which it was tagged.
    pub tagged: u64,
    /// The clock in which its own EX ended.
    pub completed: u64,
    /// The clock in which it was written back.
    pub retired: u64,
    /// Whether its instruction is not one of the simple ones that both pipes execute in hardware.
    pub microcode: bool,
    /// The outcome of the branch, if it is one.
    pub branch: Option<BranchRecord>,
    /// Whether the event for branches counts it.
    pub counts_as_branch: bool,
    /// Whether it found the entry of a branch although it is none, so that the pipeline was flushed.
    pub met_entry: bool,
    /// The access that read, if there was one.
    pub load: Option<AccessRecord>,
    /// The access that wrote, if there was one.
    pub store: Option<AccessRecord>,
}

/// The reason why a line was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchReason {
    /// The line is the next one in sequence.
    Line,
    /// A branch goes there, or the pipeline is refilled.
    Redirect,
    /// The line may be needed next.
    Ahead,
}

/// A fetch of code that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchRecord {
    /// The reason for the fetch.
    pub reason: FetchReason,
    /// The linear address of the first byte wanted, or of the line.
    pub address: u32,
    /// The clock in which it began.
    pub began: u64,
    /// The clock in which it ended.
    pub ended: u64,
    /// Whether its bytes were delivered; if not, fetching had continued elsewhere.
    pub completed: bool,
    /// Whether it was abandoned before any lookup. The fields below are then unknown.
    pub killed: bool,
    /// Whether it missed the code cache.
    pub missed: bool,
    /// The source of the line.
    pub source: DataSource,
    /// Whether it missed the code TLB.
    pub walks: bool,
    /// The clocks of the page walk.
    pub walked: u32,
    /// Whether its page is large.
    pub large_page: bool,
}

impl OpRecord {
    /// Whether it issued in the V pipe, beside the preceding op.
    pub fn is_in_v(&self) -> bool {
        self.pipe == Pipe::V
    }
}

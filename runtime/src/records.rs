//! Records: what an observed pipeline leaves of each op that retires and of each fetch. `pipeline` writes them, and
//! whoever samples reads them.

use crate::run::Pipe;

/// The stages from D1 to EX, each of which takes a clock at least: D1 is held this many clocks before the issue that it
/// delays, and an op that waits for nothing retires one clock later than that after its tag. It is the depth of the
/// pipeline that `pipeline` describes, not a figure of a chip: the chips' penalties count from issue to issue.
pub(crate) const STAGES_TO_EXECUTION: u64 = 2;

/// Where the data of a miss came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DataSource {
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
pub(crate) struct AccessRecord {
    /// Whether it stored.
    pub(crate) write: bool,
    /// Bytes.
    pub(crate) size: u8,
    /// The linear address.
    pub(crate) address: u32,
    /// When it was made, and the clocks it waited.
    pub(crate) when: u64,
    pub(crate) wait: u32,
    /// As how many references it counts: 2 if it is misaligned.
    pub(crate) references: u8,
    /// How many of them missed the data cache.
    pub(crate) missed: u8,
    /// The clocks from the miss, or from a read of a line that is being filled, to the data.
    pub(crate) filled: u32,
    /// Where they came from.
    pub(crate) source: DataSource,
    /// How many reads of lines were under way for other accesses when it missed.
    pub(crate) open_reads: u8,
    /// How many of its pages missed the data TLB, and the clocks of the walks.
    pub(crate) walks: u8,
    pub(crate) walked: u32,
    /// Whether its page is large.
    pub(crate) large_page: bool,
    /// Whether it crosses a boundary that it must not cross.
    pub(crate) misaligned: bool,
    /// Whether it waited for the other pipe's access to the same bank.
    pub(crate) bank_conflict: bool,
    /// Whether it went past the data cache because its memory is not cached.
    pub(crate) uncached: bool,
    /// Whether it was locked.
    pub(crate) locked: bool,
    /// The clocks it waited for a write buffer.
    pub(crate) buffered: u32,
}

/// What a branch did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BranchRecord {
    /// Whether it was taken.
    pub(crate) taken: bool,
    /// Whether the pipeline was flushed behind it: it was mispredicted, or not predictable.
    pub(crate) mispredicted: bool,
    /// Whether it is a near return.
    pub(crate) returns: bool,
    /// The address of the next instruction.
    pub(crate) target: u32,
}

/// An op that has retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OpRecord {
    /// The linear address of its instruction.
    pub(crate) address: u32,
    /// Its number among the instruction's steps, from 0, and how many there are in this visit.
    pub(crate) step: u32,
    pub(crate) steps: u32,
    /// Whether the instruction retires with it. A repeat that is continued later has not retired.
    pub(crate) last: bool,
    /// Its pipe.
    pub(crate) pipe: Pipe,
    /// The clock in which it was tagged, in which its own EX had ended, and in which it was written back.
    pub(crate) tagged: u64,
    pub(crate) completed: u64,
    pub(crate) retired: u64,
    /// Whether its instruction is not of the simple ones that both pipes can execute in hardware.
    pub(crate) microcode: bool,
    /// The branch, if it is one.
    pub(crate) branch: Option<BranchRecord>,
    /// Whether the event of branches counts it.
    pub(crate) counts_as_branch: bool,
    /// Whether it met the entry of a branch that it is not, and the pipeline was flushed.
    pub(crate) met_entry: bool,
    /// What it read and what it wrote.
    pub(crate) load: Option<AccessRecord>,
    pub(crate) store: Option<AccessRecord>,
}

/// Why a line was fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FetchReason {
    /// It is the next one in sequence.
    Line,
    /// A branch went there, or the pipeline was refilled.
    Redirect,
    /// It may be needed next.
    Ahead,
}

/// A fetch that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FetchRecord {
    /// Why it was made.
    pub(crate) reason: FetchReason,
    /// The linear address: of the first byte wanted, or of the line.
    pub(crate) address: u32,
    /// When it began and ended.
    pub(crate) began: u64,
    pub(crate) ended: u64,
    /// Whether its bytes were delivered. Otherwise the fetch had gone elsewhere.
    pub(crate) completed: bool,
    /// Whether it was given up before anything was looked up. Nothing below is known then.
    pub(crate) killed: bool,
    /// Whether it missed the code cache, and where the line came from.
    pub(crate) missed: bool,
    pub(crate) source: DataSource,
    /// Whether it missed the code TLB, and the clocks of the walk.
    pub(crate) walks: bool,
    pub(crate) walked: u32,
    /// Whether its page is large.
    pub(crate) large_page: bool,
}

impl OpRecord {
    /// Whether it issued in the V pipe, beside the op before it.
    pub(crate) fn is_in_v(&self) -> bool {
        self.pipe == Pipe::V
    }
}

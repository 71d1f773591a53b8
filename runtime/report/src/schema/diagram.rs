//! The shape of diagrams in JSON: rows, loops, and the bound of each.

use super::Ordered;
use schemars::JsonSchema;

/// What issued in each clock of a pass. Instructions are indices into `instructions`.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Diagram {
    /// Groups and loops, in order.
    pub(crate) rows: Vec<Row>,
    /// The least clocks the instructions can take in any order; null if the pass has loops.
    pub(crate) bound: Option<Bound>,
}

/// A row of a diagram.
#[derive(serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Row {
    /// One instruction, or a pair.
    Group(Group),
    /// A loop.
    Loop(Loop),
    /// What a macro of the library executes at an edge of another region.
    Probe(Probe),
}

/// One instruction, or a pair.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Group {
    /// Clocks from the issue of the region's first instruction.
    pub(crate) clock: u64,
    /// Clocks until the next group issued.
    pub(crate) cycles: u32,
    /// The instruction in U.
    pub(crate) u: usize,
    /// The instruction in V; null if V is empty.
    pub(crate) v: Option<usize>,
    /// Clocks it waited before its issue; 0 after a misprediction, which counts as its branch's.
    pub(crate) late: u32,
    /// Clocks it executed beyond those of the timing table.
    pub(crate) longer: u32,
    /// The main reason for `late`; null if it is 0.
    pub(crate) waited: Option<&'static str>,
    /// The main reason for `longer`; null if it is 0.
    pub(crate) slowed: Option<&'static str>,
    /// The linear address of the data that it waited for, if it is the same in all rounds that the group stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<u32>,
    /// The data cache bank that both instructions wanted, if it is the same in all such rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bank: Option<u32>,
    /// Clocks the next group waited because its branch was mispredicted.
    pub(crate) mispredicted: u32,
    /// Of the last group of a region: clocks that the end macro then waited, if not after a misprediction. They are
    /// part of `cycles`; of other groups they are `late` of the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_macro_late: Option<u32>,
    /// The main reason for `end_macro_late`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_macro_waited: Option<&'static str>,
    /// Why it is not a pair; null if it is.
    pub(crate) not_paired: Option<&'static str>,
}

/// The rounds of a loop.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Loop {
    /// The instruction it begins with.
    pub(crate) head: usize,
    /// The clock in which the first of these rounds begins.
    pub(crate) clock: u64,
    /// How many there are.
    pub(crate) rounds: u64,
    /// Whether one more round came before, which began in V.
    pub(crate) entered_in_v: bool,
    /// If only these were traced, how many the last run has; null otherwise.
    pub(crate) rounds_in_run: Option<u64>,
    /// The clocks of all rounds.
    pub(crate) cycles: u64,
    /// The paths that the rounds take, the most frequent one first.
    pub(crate) paths: Vec<Path>,
}

/// What a macro of the library executes at an edge of another region.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Probe {
    /// Clocks from the issue of the region's first instruction.
    pub(crate) clock: u64,
    /// Its clocks.
    pub(crate) cycles: u64,
    /// Index into `regions` of the region it belongs to; null if it belongs to none.
    pub(crate) region: Option<usize>,
}

/// The rounds of a loop that execute the same instructions.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Path {
    /// How many there are.
    pub(crate) rounds: u64,
    /// Their clocks.
    pub(crate) cycles: u64,
    /// How many of them take as many clocks as the one shown.
    pub(crate) alike: u64,
    /// The clocks of the round shown.
    pub(crate) round_cycles: u64,
    /// The least and the most clocks of the other rounds; null if there are none.
    pub(crate) others: Option<[u64; 2]>,
    /// What the other rounds waited for longer than the one shown, in clocks.
    pub(crate) others_waited: Ordered<u64>,
    /// The clocks of the round shown in which V is used.
    pub(crate) clocks_with_v: u64,
    /// The most frequent round.
    pub(crate) round: Vec<Row>,
    /// The least clocks the instructions of a round can take in any order, those of inner loops included; null if a
    /// probe is in it.
    pub(crate) bound: Option<Bound>,
}

/// The least clocks that some instructions can take.
#[derive(serde::Serialize, JsonSchema)]
pub(crate) struct Bound {
    /// How many instructions.
    pub(crate) instructions: u64,
    /// Their clocks by the timing table, added up.
    pub(crate) work: u64,
    /// The least clocks.
    pub(crate) clocks: u64,
    /// What requires them: `pipes` (there are two), `u` or `v` (only that pipe executes some of them), `unit` (there is
    /// one floating-point unit), `mmx multiplier` or `mmx shifter` (there is one), `chain` (each result is needed by
    /// the next), `alone` (some never pair) or `longest` (one takes all of them).
    pub(crate) limit: &'static str,
}

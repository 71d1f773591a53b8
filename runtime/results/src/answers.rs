//! Open questions that a run touches, and the figures of the program under other answers to them.
//!
//! Each further run is a whole run of the same program, of which only clocks are kept.

use p5_chips::Choice;
use std::collections::BTreeMap;

/// The open questions that a run depends on, and its figures under other answers. Questions are named in the order of
/// [`ASSUMPTIONS`](p5_chips::ASSUMPTIONS).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    /// The questions with an answer that concerns an executed instruction. Other questions change nothing.
    pub touched: Vec<&'static str>,
    /// The touched questions whose answer the user chose, which is kept.
    pub chosen: Vec<&'static str>,
    /// The touched questions whose other answers were all tried.
    pub tried: Vec<&'static str>,
    /// The runs under other answers: to each question alone, and to several together.
    pub variants: Vec<Variant>,
    /// The reason why other answers were not tried, if there were any to try.
    pub untried: Option<Untried>,
    /// Whether the questions with an effect, warm or cold, were also tried in every combination of their answers,
    /// rather than only in those that suggest the fewest and the most clocks of the program. A question has an effect
    /// alone, or beside the other answers to all questions.
    pub all_combined: bool,
}

/// The reason why other answers were not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untried {
    /// All runs together exceed the limit on clocks, and the user did not request them.
    Long {
        /// The maximum number of clocks of all runs together.
        most: u64,
    },
    /// The preceding runs took the available time.
    OutOfTime,
    /// The run was stopped before its end, so other runs would do different work.
    Unfinished,
}

/// A run of the program under other answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// The answers in which it differs, by question.
    pub choices: Vec<Choice>,
    /// The figures, or in words how the run ended if it ended differently.
    pub figures: Result<Answered, String>,
}

/// The place of a line: its file, if it has one, its number, and the address if it stands for an instruction without a
/// line.
pub type Place = (Option<u32>, u32, u32);

/// The figures that are kept of a run under other answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The clocks of the user's program in the last run.
    pub clocks: u64,
    /// The instructions of the user's program in the last run.
    pub instructions: u64,
    /// The clocks of each region as in reports: of its warm passes, or else of its cold one.
    pub regions: Vec<Option<u64>>,
    /// The clocks of the user's program in the first run.
    pub cold: u64,
    /// The clocks of the first pass of each region.
    pub cold_regions: Vec<Option<u64>>,
    /// The clocks of each executed line.
    pub lines: BTreeMap<Place, u64>,
    /// The counts of both events in each region that counts events, as in reports: of its warm passes, or else of its
    /// cold one. `None` for regions that count clocks.
    pub counts: Vec<Option<[i64; 2]>>,
}

impl Answered {
    /// Whether it takes the same clocks as `other` in every region and line; events may differ.
    pub fn takes_as_long_as(&self, other: &Answered) -> bool {
        let of = |one: &Answered| (one.clocks, one.instructions);
        of(self) == of(other) && self.regions == other.regions && self.lines == other.lines
    }

    /// Whether it takes the same clocks as `other` in the first run, and in the first pass of every region.
    pub fn takes_as_long_cold_as(&self, other: &Answered) -> bool {
        self.cold == other.cold && self.cold_regions == other.cold_regions
    }
}

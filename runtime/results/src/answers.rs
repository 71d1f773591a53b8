//! The questions that a run touches which the sources leave open, and what the program takes under other answers to
//! them.
//!
//! Each further run is whole and of the same program; of it, only clocks are kept.

use p5_chips::Choice;
use std::collections::BTreeMap;

/// What a run depends on, and its figures under other answers. Questions are named in the order of
/// [`ASSUMPTIONS`](p5_chips::ASSUMPTIONS).
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// The questions of which an answer concerns something that was executed. Other ones change nothing.
    pub touched: Vec<&'static str>,
    /// Those of them whose answer the user chose, and keeps.
    pub chosen: Vec<&'static str>,
    /// Those of them to which every other answer was tried.
    pub tried: Vec<&'static str>,
    /// The runs under other answers: each question alone, and several together.
    pub variants: Vec<Variant>,
    /// Why other answers were not tried, if there were any to try.
    pub untried: Option<Untried>,
    /// Whether the questions that change something were also tried in every combination of their answers, rather than
    /// only in the two that suggest the fewest and the most clocks of the program.
    pub all_combined: bool,
}

/// Why other answers were not tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untried {
    /// All runs together have more than so many clocks, and nobody asked for it.
    Long {
        /// The most clocks.
        most: u64,
    },
    /// The runs before took the time.
    OutOfTime,
    /// The run was stopped before its end, so that other runs would do other work.
    Unfinished,
}

/// A run under other answers.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The answers in which it differs, by question.
    pub choices: Vec<Choice>,
    /// The clocks, or how it ended, in words, if that is another way.
    pub figures: Result<Answered, String>,
}

/// The place of a line: its file, if it has one, its number, and the address of an instruction without a line.
pub type Place = (Option<u32>, u32, u32);

/// What is kept of a run under other answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The clocks of the user's program in the last run.
    pub clocks: u64,
    /// Its instructions.
    pub instructions: u64,
    /// The clocks of each region as reports show them: of its warm passes, or else of its cold one.
    pub regions: Vec<Option<u64>>,
    /// The clocks of each executed line.
    pub lines: BTreeMap<Place, u64>,
    /// What happened in each region that counts events, of both, as reports show it: in its warm passes, or else in its
    /// cold one. Nothing of regions that count clocks.
    pub counts: Vec<Option<[i64; 2]>>,
}

impl Answered {
    /// Whether it takes the same clocks as `other`, everywhere, whatever events it counts.
    pub fn takes_as_long_as(&self, other: &Answered) -> bool {
        let of = |one: &Answered| (one.clocks, one.instructions);
        of(self) == of(other) && self.regions == other.regions && self.lines == other.lines
    }
}

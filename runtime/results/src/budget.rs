//! Budgets: the limits that comments in the source set, as data. `report::budgets` judges them.

use super::{Cause, CauseStack};

/// A limit that a comment in the source sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Index into [`Run::files`](super::Run::files).
    pub file: u32,
    /// One-based line of the comment.
    pub line: u32,
    /// The first byte of the budget in its line, and the one after its last.
    pub written: (u32, u32),
    /// What it concerns.
    pub scope: Scope,
    /// What is limited.
    pub quantity: Quantity,
    /// Whether it concerns the first run rather than the last one.
    pub cold: bool,
    /// How the quantity compares with the limit.
    pub relation: Relation,
    /// The limit in millionths; of shares, in millionths of a percent.
    pub limit: u64,
    /// The clocks by cause of the pass of a region that the figure is of; none unless they are known, which takes an
    /// audited run.
    pub causes: Option<CauseStack>,
}

/// What a budget concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A line of the budget's file.
    Line(u32),
    /// What stands behind a label or in a procedure.
    Label {
        /// Its name as the source spells it.
        name: String,
        /// The first line and the last one.
        lines: (u32, u32),
    },
    /// The region whose start macro is called in this line.
    Region(u32),
}

/// What a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Clocks per execution or pass.
    Cycles,
    /// Instructions per execution or pass.
    Instructions,
    /// Pairs per execution or pass.
    Pairs,
    /// The share of the instructions that issued in pairs.
    PairedShare,
    /// The share of the instructions that issued in V.
    VShare,
    /// Clocks per instruction.
    ClocksPerInstruction,
    /// Clocks spent on a cause, per execution or pass.
    Spent(Cause),
}

impl Quantity {
    /// Its name in the source.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Cycles => "cycles",
            Quantity::Instructions => "instructions",
            Quantity::Pairs | Quantity::PairedShare => "pairs",
            Quantity::VShare => "v",
            Quantity::ClocksPerInstruction => "cpi",
            Quantity::Spent(cause) => cause.name(),
        }
    }

    /// Whether its limit is in percent.
    pub fn is_share(self) -> bool {
        matches!(self, Quantity::PairedShare | Quantity::VShare)
    }
}

/// How a quantity compares with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<=`
    AtMost,
    /// `<`
    Below,
    /// `>=`
    AtLeast,
    /// `>`
    Above,
    /// `==`
    Exactly,
}

impl Relation {
    /// Every relation; a sign that begins another stands behind it.
    pub const ALL: [Relation; 5] = [
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Exactly,
        Relation::Below,
        Relation::Above,
    ];

    /// Its sign in the source.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::AtMost => "<=",
            Relation::Below => "<",
            Relation::AtLeast => ">=",
            Relation::Above => ">",
            Relation::Exactly => "==",
        }
    }
}

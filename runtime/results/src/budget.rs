//! Budgets: the limits that comments in the source set, as data. `report::budgets` judges them.

use super::{Cause, CauseStack};

/// A limit on a quantity that a comment in the source sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The file of the comment, as an index into [`Run::files`](super::Run::files).
    pub file: u32,
    /// The line of the comment, from 1.
    pub line: u32,
    /// The range of the budget in its line, in bytes.
    pub written: (u32, u32),
    /// The code that the budget concerns.
    pub scope: Scope,
    /// The quantity that is limited.
    pub quantity: Quantity,
    /// Whether it concerns the first run rather than the last one.
    pub cold: bool,
    /// The relation of the quantity to the limit.
    pub relation: Relation,
    /// The limit in millionths; for shares, in millionths of a percent. That of a result is in `result`.
    pub limit: u64,
    /// The result that the budget requires, for [`Quantity::Result`].
    pub result: Option<Expected>,
    /// The clocks by cause of the pass to which the figure belongs; `None` unless an audited run knows them.
    pub causes: Option<CauseStack>,
}

/// A result that a budget requires when the program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Where the result is.
    pub of: ResultOf,
    /// The number that it is compared with.
    pub value: i128,
}

/// The place of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultOf {
    /// A general register, or a part of one.
    Register {
        /// The name.
        name: &'static str,
        /// The number of the whole register, from EAX = 0.
        number: u8,
        /// The lowest bit.
        shift: u8,
        /// The number of bits.
        bits: u8,
    },
    /// The data with this name, which is one number.
    Data(String),
}

impl ResultOf {
    /// The name in the source.
    pub fn name(&self) -> &str {
        match self {
            ResultOf::Register { name, .. } => name,
            ResultOf::Data(name) => name,
        }
    }
}

/// The code that a budget concerns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A line of the budget's file, by its number.
    Line(u32),
    /// A line of a compiled language, by its number. The compiler may have moved parts of its code, so that it is
    /// executed as often as its most executed instruction.
    Statement(u32),
    /// A function that a compiler made, without the functions that it calls.
    Function {
        /// Its name in the source.
        name: String,
        /// The line in which it begins.
        line: u32,
        /// The addresses of its first instructions: that of the function itself, and of parts that the compiler put
        /// elsewhere. There are none if the program has no code of its own for it.
        addresses: Vec<u32>,
        /// The function whose code it shares, if it has none of its own.
        same: Option<String>,
    },
    /// The code after a label or in a procedure.
    Label {
        /// The name of the label or procedure in the source's spelling.
        name: String,
        /// The first and the last line.
        lines: (u32, u32),
    },
    /// The region whose start macro is called on this line.
    Region(u32),
}

/// The quantity that a budget limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Clocks per execution or pass.
    Cycles,
    /// The clocks of the whole last run, wherever the budget stands.
    TotalCycles,
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
    /// Clocks spent on one cause, per execution or pass.
    Spent(Cause),
    /// What a register or data holds at the end.
    Result,
}

impl Quantity {
    /// The name in the source; a cause has the name of the cause, and a result is `result`.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Cycles => "cycles",
            Quantity::TotalCycles => "total cycles",
            Quantity::Instructions => "instructions",
            Quantity::Pairs | Quantity::PairedShare => "pairs",
            Quantity::VShare => "v",
            Quantity::ClocksPerInstruction => "cpi",
            Quantity::Spent(cause) => cause.name(),
            Quantity::Result => "result",
        }
    }

    /// Whether the limit is in percent.
    pub fn is_share(self) -> bool {
        matches!(self, Quantity::PairedShare | Quantity::VShare)
    }
}

/// The relation of a quantity to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// At most the limit: `<=`.
    AtMost,
    /// Below the limit: `<`.
    Below,
    /// At least the limit: `>=`.
    AtLeast,
    /// Above the limit: `>`.
    Above,
    /// Exactly the limit: `==`.
    Exactly,
}

impl Relation {
    /// Every relation. A sign that is the beginning of another one comes after it.
    pub const ALL: [Relation; 5] = [
        Relation::AtMost,
        Relation::AtLeast,
        Relation::Exactly,
        Relation::Below,
        Relation::Above,
    ];

    /// The sign in the source, such as `<=`.
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

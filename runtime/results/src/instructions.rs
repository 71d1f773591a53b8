//! Figures of the instructions of a run: one row each, or, for those of very many, one for each source line.

use super::{CauseCycles, Needs, Refusal, TrailStep};
use p5_chips::Doubt;

/// One instruction over the whole last run.
#[derive(Clone, Debug)]
pub struct InstructionResult {
    /// Its linear address.
    pub address: u32,
    /// Its length in bytes.
    pub length: u8,
    /// File index and one-based line of its text (inside a macro: in the macro's body).
    pub place: Option<(u32, u32)>,
    /// File index and one-based line of the outermost call that led to it; the same as `place` outside macros.
    pub outermost: Option<(u32, u32)>,
    /// The macro calls and repeats that led to it, innermost first.
    pub trail: Vec<TrailStep>,
    /// The instruction in MASM syntax, from its bytes.
    pub text: String,
    /// The instruction as the source spells it, if a line outside macros and repeats does, with single blanks.
    pub written: Option<String>,
    /// How often it was executed.
    pub executions: u64,
    /// Clocks charged to it: the sum of `causes`.
    pub cycles: u64,
    /// Executions in the U pipe.
    pub u: u64,
    /// Executions in the V pipe.
    pub v: u64,
    /// Its clocks by cause, in [`Cause::ALL`](super::Cause::ALL) order, without causes that cost nothing.
    pub causes: Vec<CauseCycles>,
    /// How often it issued alone in the U pipe, by reason, in [`Refusal::ALL`] order.
    pub refusals: Vec<(Refusal, u64)>,
    /// Why the timing table's figure for it is uncertain, if it is.
    pub doubt: Option<Doubt>,
    /// Whether it belongs to the bundled library.
    pub library: bool,
    /// What its place in a pair depends on.
    pub needs: Needs,
}

/// Instructions of one source line that have no row of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The line, as in [`InstructionResult`]; none for instructions without a source line, and for those of further
    /// lines if there are very many lines.
    pub place: Option<(u32, u32)>,
    /// The line of the outermost call that led to them.
    pub outermost: Option<(u32, u32)>,
    /// How many they are.
    pub instructions: u64,
    /// How often they were executed, in all.
    pub executions: u64,
    /// Clocks charged to them: the sum of `causes`.
    pub cycles: u64,
    /// Executions in the U pipe.
    pub u: u64,
    /// Executions in the V pipe.
    pub v: u64,
    /// Their clocks by cause, as in [`InstructionResult`].
    pub causes: Vec<CauseCycles>,
    /// How often they issued alone in the U pipe, by reason.
    pub refusals: Vec<(Refusal, u64)>,
    /// Of those whose timing is uncertain, the clocks that the timing table gives them, by doubt.
    pub doubts: Vec<(Doubt, u64)>,
    /// Whether they belong to the bundled library.
    pub library: bool,
}

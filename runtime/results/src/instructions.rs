//! Figures of the instructions of a run: one row for each, or one for each source line if there are very many.

use super::{CauseCycles, Needs, Refusal};
use p5_chips::Doubt;

/// The text in place of an instruction where there is no memory to fetch it from, at the delivery of an exception.
pub const UNMAPPED: &str = "(unmapped)";
/// The same where an instruction begins in memory and ends outside.
pub const PARTLY_UNMAPPED: &str = "(partly-unmapped)";

/// One instruction over the whole last run.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructionResult {
    /// The linear address of its first byte.
    pub address: u32,
    /// Its length in bytes.
    pub length: u8,
    /// The file index and line, from 1, of its text; in a macro, of the macro's body.
    pub place: Option<(u32, u32)>,
    /// The file index and line, from 1, of the outermost call that led to it; the same as `place` outside macros.
    pub outermost: Option<(u32, u32)>,
    /// The file index and line that it was written in, if it is code of a library that `place` brings by inlining.
    pub brought: Option<(u32, u32)>,
    /// The macro calls and repeats that led to it, innermost first.
    pub trail: Vec<TrailStep>,
    /// The instruction in MASM syntax, from its bytes.
    pub text: String,
    /// The instruction in the source's spelling with single blanks, if a line outside macros and repeats contains it.
    pub written: Option<String>,
    /// The instruction of the source in the same spelling, in place of `written`, if what was executed is another one:
    /// the program had changed its bytes, or the execution began within them.
    pub source: Option<String>,
    /// The number of executions.
    pub executions: u64,
    /// The clocks charged to it: the sum of `causes`.
    pub cycles: u64,
    /// The number of executions in the U pipe.
    pub u: u64,
    /// The number of executions in the V pipe.
    pub v: u64,
    /// Its clocks by cause, in the order of [`Cause::ALL`](super::Cause::ALL), without causes of no clocks.
    pub causes: Vec<CauseCycles>,
    /// How many of its executions mispredicted, or met the entry of a branch; `None` if that was not counted. Another
    /// run counts it.
    pub mispredicted: Option<u64>,
    /// The number of times it issued alone in the U pipe, by reason, in the order of [`Refusal::ALL`].
    pub refusals: Vec<(Refusal, u64)>,
    /// The reason why the timing table's figure for it is uncertain, if it is.
    pub doubt: Option<Doubt>,
    /// Its function, as an index into [`Run::functions`](super::Run::functions).
    pub function: Option<u32>,
    /// The innermost inlined call that it is the code of, as an index into [`Run::inlined`](super::Run::inlined).
    pub inlined: Option<u32>,
    /// Whether it belongs to the bundled library.
    pub library: bool,
    /// Whether the program had changed its bytes before some of its executions.
    pub changed: bool,
    /// If so, how often a store removed its line from the code cache, after which its next execution is the first one
    /// of the changed code; 0 if that is not known.
    pub removals: u64,
    /// The width of its code in bits: 16 or 32.
    pub bits: u32,
    /// The conditions that decide its place in a pair.
    pub needs: Needs,
}

/// A macro call or a pass of a repeat.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TrailStep {
    /// The macro's name, or the repeat's directive.
    pub name: String,
    /// The pass of a repeat, from 1; `None` for a macro call.
    pub pass: Option<u32>,
    /// The file index and line, from 1, of the call.
    pub place: (u32, u32),
}

/// Where the code of a statement, or of a copy of it, begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatementStart {
    /// The file index and line, from 1.
    pub place: (u32, u32),
    /// The column of the line at which the statement stands, from 1.
    pub column: u32,
    /// The linear address.
    pub address: u32,
}

/// A call in whose place a compiler put the code of the function that it calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlinedCall {
    /// The name of the function that it calls.
    pub name: String,
    /// The file index and line, from 1, of the call, if they are known.
    pub place: Option<(u32, u32)>,
    /// The file index and line, from 1, where the source declares the function, if they are known.
    pub declared: Option<(u32, u32)>,
    /// The call whose code it is in, if that was inlined, too, as an index into [`Run::inlined`](super::Run::inlined).
    pub within: Option<u32>,
}

/// The instructions of one source line that have no row of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remainder {
    /// The line, as in [`InstructionResult`]; `None` for instructions without a source line, and beyond a large number
    /// of lines.
    pub place: Option<(u32, u32)>,
    /// The file index and line of the outermost call that led to them.
    pub outermost: Option<(u32, u32)>,
    /// The number of instructions.
    pub instructions: u64,
    /// The number of executions of all of them.
    pub executions: u64,
    /// The clocks charged to them: the sum of `causes`.
    pub cycles: u64,
    /// The number of executions in the U pipe.
    pub u: u64,
    /// The number of executions in the V pipe.
    pub v: u64,
    /// Their clocks by cause, as in [`InstructionResult`].
    pub causes: Vec<CauseCycles>,
    /// The number of times they issued alone in the U pipe, by reason.
    pub refusals: Vec<(Refusal, u64)>,
    /// The clocks of those with uncertain timing, as the timing table gives them, by doubt.
    pub doubts: Vec<(Doubt, u64)>,
    /// The function of the first of them, as an index into [`Run::functions`](super::Run::functions).
    pub function: Option<u32>,
    /// The innermost inlined call that the first of them is the code of, as in [`InstructionResult`].
    pub inlined: Option<u32>,
    /// Whether they belong to the bundled library.
    pub library: bool,
    /// Whether the program had changed bytes of them before it executed them.
    pub changed: bool,
    /// Whether they are zero bytes of empty memory, which a processor executes as `add [eax],al`; they have no source
    /// line.
    pub empty: bool,
}

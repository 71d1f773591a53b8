//! Calls of a run: which call led where, and in which chain of calls each clock was spent.

use super::{CauseCycles, Refusal};

/// The calls of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// The calls in the order of their addresses.
    pub list: Vec<Call>,
    /// Whether none was left out because too many were open at once, or were different.
    pub complete: bool,
    /// The chains of calls, each after its caller; the first one is the program itself.
    pub chains: Vec<Chain>,
    /// Whether some chains are not told in full, because they are too long or too many. A chain without a target stands
    /// for the functions that are left out.
    pub cut: bool,
    /// The figures of the run by chain and instruction: together those of [`Run::instructions`](super::Run) and
    /// [`Run::remainders`](super::Run).
    pub spent: Vec<Spent>,
    /// The figures of the rows of `spent` without an instruction once more, by function and instruction. The chain is
    /// any one that ends with the function.
    pub by_function: Vec<Spent>,
}

impl Calls {
    /// Whether functions of chains, or instructions of them, are left out because there are too many.
    pub fn leave_out(&self) -> bool {
        self.cut || self.spent.iter().any(|spent| spent.entry.is_none())
    }
}

/// A function in the function that called it, and so on up to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain {
    /// The index of the caller's chain; `None` for the program.
    pub caller: Option<u32>,
    /// The linear address of the function; `None` for functions that are left out.
    pub target: Option<u32>,
}

/// The calls from one address to another in one chain of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The linear address of the instruction that calls, or that jumps from one function to another.
    pub from: u32,
    /// The linear address that it calls.
    pub target: u32,
    /// The instructions at both: indexes into [`Run::instructions`](super::Run) or, from its length on, into
    /// [`Run::remainders`](super::Run); `None` if there are too many instructions to tell.
    pub entries: [Option<u32>; 2],
    /// The index of the chain in which it calls.
    pub caller: u32,
    /// The index of the chain that is called: the same if the function calls itself.
    pub called: u32,
    /// How often it did.
    pub times: u64,
    /// The clocks from the end of the call to the end of the return, without those of calls made while the target was
    /// active already.
    pub clocks: u64,
    /// The instructions in this time.
    pub instructions: u64,
}

/// What an instruction, or all instructions of a remainder, took in one chain of calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The index of the chain.
    pub chain: u32,
    /// The instruction, as in [`Call::entries`]; `None` for those that are too many to tell.
    pub entry: Option<u32>,
    /// Whether they belong to the bundled library.
    pub library: bool,
    /// The executions in the U pipe.
    pub u: u64,
    /// The executions in the V pipe.
    pub v: u64,
    /// The clocks by cause, as in [`InstructionResult`](super::InstructionResult).
    pub causes: Vec<CauseCycles>,
    /// The number of times they issued alone in the U pipe, by reason.
    pub refusals: Vec<(Refusal, u64)>,
}

//! Facts: all that time needs to know of what was done, left behind by `exec` and read by `pipeline`.
//!
//! A block's operations push words in program order, and both sides know how many from the operation alone:
//!
//! * one word a memory access, its linear address, in the order the accesses are made (a read-modify-write operand is
//!   two: its read, then its write);
//! * a repeated string instruction instead pushes four words: the linear source address (0 without a source), the linear
//!   destination address (0 without one), the number of iterations, and the step in bytes as `i32`;
//! * an operation whose clocks depend on a count pushes that count after its accesses: the index steps of BSF and BSR,
//!   the rotate count of RCL and RCR by CL or by immediate.

/// What the executed part of one block left behind. Cleared at each block entry, never allocated twice.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Addresses and counts in program order; only the first [`Facts::len`] are of this block.
    pub words: Box<[u32; FACT_CAPACITY]>,
    /// How many words are of this block.
    pub len: usize,
    /// Whether the block's last operation was a branch that was taken.
    pub taken: bool,
    /// The linear address of the next instruction to be executed.
    pub next: u32,
    /// Whether a store hit a page that holds decoded code.
    pub code_written: bool,
}

/// The most words one block may leave: blocks are cut so that they never leave more.
pub const FACT_CAPACITY: usize = 512;

impl Default for Facts {
    fn default() -> Self {
        Facts {
            words: Box::new([0; FACT_CAPACITY]),
            len: 0,
            taken: false,
            next: 0,
            code_written: false,
        }
    }
}

impl Facts {
    /// Adds one word.
    #[inline(always)]
    pub fn push(&mut self, word: u32) {
        // The mask keeps the index in range without a branch; `block` keeps blocks below the capacity.
        self.words[self.len & (FACT_CAPACITY - 1)] = word;
        self.len += 1;
    }

    /// The word at `index`; whoever asks beyond [`Facts::len`] gets what an earlier block left.
    #[inline(always)]
    pub(crate) fn word(&self, index: usize) -> u32 {
        self.words[index & (FACT_CAPACITY - 1)]
    }

    /// Forgets the last block's facts.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
        self.taken = false;
        self.code_written = false;
    }
}

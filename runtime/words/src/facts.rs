//! Facts: everything the timing simulation needs to know about execution. `exec` writes them and `pipeline` reads them.
//!
//! The operations of a block push words in program order. The operation alone determines their number:
//!
//! * one word per memory access, its linear address, in the order of the accesses (a read-modify-write operand has two:
//!   the read, then the write; an operand of 80 bits has two: 8 bytes, then 2; an image of the floating-point unit has
//!   one for each word of its environment, then two for each register);
//! * a repeated string instruction instead pushes four words: the linear source address (0 without a source), the
//!   linear destination address (0 without one), the number of iterations, and the step in bytes as `i32`;
//! * an operation whose clocks depend on a count pushes that count after its accesses: the index steps of BSF and BSR,
//!   the rotate count of RCL and RCR by CL or by immediate;
//! * an addition, subtraction, multiplication, division or square root of the floating-point unit pushes its
//!   [`Circumstances`] after its accesses;
//! * a saturating MMX instruction pushes, after its access, whether it saturated.
//!
//! Further accesses depend on the state of the processor: descriptors and gates, and words on the stack of another
//! privilege level. They are in [`Facts::system`], and the path that the operation took is in [`Facts::route`]. Only
//! operations that are alone in their block have any.

use rustc_hash::FxHashSet;

/// The path of an operation that loads segments or leaves the code segment, to the extent that its time depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Route {
    /// No descriptor of a table in memory was loaded.
    #[default]
    Usual,
    /// Another descriptor of a table in memory was loaded.
    Descriptor,
    /// Transfers through a gate, at the same privilege level.
    Gate,
    /// Transfers through a gate to an inner privilege level.
    InnerGate {
        /// The number of words or dwords copied from stack to stack.
        parameters: u8,
    },
    /// Transfers through a gate out of virtual 8086 mode.
    LeavesVirtual,
    /// Returns to an outer privilege level.
    Outer,
    /// Returns to virtual 8086 mode.
    EntersVirtual,
    /// Switches to another task.
    Task {
        /// The kind of the new task.
        kind: TaskKind,
    },
}

/// The kind of a task, on which the clocks of a switch to it depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskKind {
    /// A task with a 32-bit task state segment.
    Wide,
    /// A task with a 16-bit task state segment.
    Narrow,
    /// A task in virtual 8086 mode.
    Virtual,
}

/// An access that depends on the state of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemAccess {
    /// The linear address of the first byte.
    pub address: u32,
    /// The size of the access in bytes.
    pub size: u8,
    /// Whether the access writes.
    pub write: bool,
}

/// The properties of a page in a program's page tables, other than its address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageKind {
    /// Whether it is part of a page of 4 MiB.
    pub large: bool,
    /// Whether the caches do not keep it (PCD).
    pub uncached: bool,
    /// Whether writes go through the data cache to memory (PWT).
    pub write_through: bool,
}

impl PageKind {
    /// A page of 4 KiB whose lines the caches keep.
    pub const USUAL: PageKind = PageKind {
        large: false,
        uncached: false,
        write_through: false,
    };
}

/// The pages of an unusual kind among those for which the program's page tables were walked.
#[derive(Clone, Debug, Default)]
pub struct NotedPages {
    list: Vec<(u32, PageKind)>,
    known: FxHashSet<u32>,
}

impl NotedPages {
    /// Notes the page with this number, unless it is known or of the usual kind.
    pub fn note(&mut self, number: u32, kind: PageKind) {
        if kind != PageKind::USUAL && self.known.insert(number) {
            self.list.push((number, kind));
        }
    }

    /// The numbers and kinds of the pages, in the order in which they were noted.
    #[inline(always)]
    pub fn list(&self) -> &[(u32, PageKind)] {
        &self.list
    }

    /// Forgets all noted pages.
    pub fn clear(&mut self) {
        self.list.clear();
        self.known.clear();
    }
}

/// The facts of the executed part of one block. They are cleared at each block entry and allocated only once.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Addresses and counts in program order. Only the first [`Facts::len`] belong to this block.
    pub words: Box<[u32; FACT_CAPACITY]>,
    /// The number of words in use for this block.
    pub len: usize,
    /// Whether the last operation of the block was a taken branch.
    pub taken: bool,
    /// The linear address of the next instruction to execute.
    pub next: u32,
    /// Whether a store changed a page that holds decoded code.
    pub code_written: bool,
    /// Whether an operation may have changed the mode that code runs in.
    pub mode_changed: bool,
    /// The path that the last operation took.
    pub route: Route,
    /// The accesses of the last operation that depend on the state of the processor.
    pub system: Vec<SystemAccess>,
    /// The pages of an unusual kind. They are kept from block to block until the page tables may have changed.
    pub pages: NotedPages,
}

/// The conditions on which the time of a floating-point operation depends, as one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circumstances(pub u32);

impl Circumstances {
    /// The bits of the precision control: 0 for 24 bits, 2 for 53, 3 for 64.
    pub const PRECISION: u32 = 3;
    /// The bit for operands that do not exclude an exception before the operation is carried out.
    pub const UNSAFE: u32 = 1 << 2;
    /// The bit for an operation that the unit does not count: its operand is empty, infinite or not a number, it
    /// divides by zero, or it is the root of a negative number.
    pub const SPECIAL: u32 = 1 << 3;

    /// The precision control as an index: 0 for 24 bits, 1 for 53 bits, 2 for 64 bits.
    #[inline(always)]
    pub fn precision(self) -> usize {
        [0, 2, 1, 2][(self.0 & Circumstances::PRECISION) as usize]
    }

    /// Whether [`Circumstances::UNSAFE`] is set.
    #[inline(always)]
    pub fn is_unsafe(self) -> bool {
        self.0 & Circumstances::UNSAFE != 0
    }

    /// Whether [`Circumstances::SPECIAL`] is set.
    #[inline(always)]
    pub fn is_special(self) -> bool {
        self.0 & Circumstances::SPECIAL != 0
    }
}

/// The maximum number of words of one block. Blocks are split so that they never push more.
pub const FACT_CAPACITY: usize = 512;

/// The maximum number of accesses of one operation that depend on the state of the processor: a call through a gate to
/// an inner level copies 31 parameters.
const SYSTEM_CAPACITY: usize = 128;

impl Default for Facts {
    fn default() -> Self {
        Facts {
            words: Box::new([0; FACT_CAPACITY]),
            len: 0,
            taken: false,
            next: 0,
            code_written: false,
            mode_changed: false,
            route: Route::Usual,
            system: Vec::with_capacity(SYSTEM_CAPACITY),
            pages: NotedPages::default(),
        }
    }
}

impl Facts {
    /// Adds one word after the others of this block.
    #[inline(always)]
    pub fn push(&mut self, word: u32) {
        // The mask keeps the index in range without a branch. Blocks are split before they exceed the capacity.
        self.words[self.len & (FACT_CAPACITY - 1)] = word;
        self.len += 1;
    }

    /// Returns the word at `index`. Beyond [`Facts::len`] it is left over from an earlier block.
    #[inline(always)]
    pub fn word(&self, index: usize) -> u32 {
        self.words[index & (FACT_CAPACITY - 1)]
    }

    /// Converts the first `count` accesses of one kind in [`Facts::system`] to the words that an operation of its form
    /// pushes.
    pub fn turn_into_words(&mut self, count: usize, write: bool) {
        for _ in 0..count {
            let Some(first) = self.system.iter().position(|access| access.write == write) else {
                break;
            };
            let address = self.system.remove(first).address;
            self.push(address);
        }
    }

    /// Discards the facts of the previous block, except the noted pages.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
        self.taken = false;
        self.code_written = false;
        self.mode_changed = false;
        self.route = Route::Usual;
        self.system.clear();
    }
}

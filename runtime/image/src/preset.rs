//! What a program finds in registers and memory before its first instruction, beyond what every program finds: values
//! that its user gives, and those that are assumed for a text without a program around it.

use crate::STACK_HEADROOM;

/// Values before the first instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preset {
    /// The general registers that have a value, by number from EAX = 0.
    pub registers: [Option<u32>; 8],
    /// The number of registers of the floating-point stack that hold 1.0, from ST(0) on.
    pub floating: u8,
    /// Bytes that are written after the segments are loaded, at linear addresses that are mapped.
    pub memory: Vec<(u32, Vec<u8>)>,
    /// The loops that end the run.
    pub rounds: Vec<Rounds>,
    /// The addresses of the branches with which the loops of a fragment begin another round.
    pub loops: Vec<u32>,
    /// What is assumed, in the order in which it is told.
    pub assumed: Vec<Assumed>,
}

impl Preset {
    /// The largest distance of an argument on the stack from the return address of a fragment.
    pub const LAST_ARGUMENT: u32 = STACK_HEADROOM - 8;
}

/// A loop that ends the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The address of the branch to the beginning of the loop.
    pub branch: u32,
    /// The number of times that the branch is taken; the last time ends the run.
    pub most: u32,
}

/// A thing that has an assumed value before the first instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A general register, by number from EAX = 0.
    Register(u8),
    /// A dword of memory, as its address is written.
    Memory(String),
}

/// What repeats in memory that a fragment needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing but 0.
    Zeros,
    /// This number, in elements of this many bytes.
    Numbers(u32, u8),
    /// 1.0, in reals of this many bytes.
    Reals(u8),
    /// The address of the memory itself, of this many bytes, or that address with a selector.
    Addresses(u8),
    /// The address of other scratch memory, of this many bytes.
    Pointers(u8),
}

/// Something that is assumed because the source does not say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// The place holds the address of scratch memory.
    Pointer {
        /// The place.
        place: Place,
        /// The bytes of that memory that the code can use.
        bytes: u32,
        /// Whether that memory holds its own address, as a list of one element does.
        itself: bool,
    },
    /// What the memory of a place or of an undefined name holds.
    Contents {
        /// The place that points at it, or the name.
        of: Place,
        /// What repeats in it.
        holds: Holds,
    },
    /// The place holds a number: a count, an index or a divisor.
    Number {
        /// The place.
        place: Place,
        /// Its value.
        value: i32,
    },
    /// The place holds an address at a distance from one that another place holds.
    Beyond {
        /// The place.
        place: Place,
        /// The other place.
        from: Place,
        /// The distance in bytes.
        distance: i32,
    },
    /// An undefined name is that of zeros in memory.
    Data {
        /// The name.
        name: String,
        /// The bytes.
        bytes: u32,
    },
    /// An undefined name is that of the end of the code.
    End {
        /// The name.
        name: String,
    },
    /// The code ends where data with this name begins, which lies behind it in its segment.
    DataBehind {
        /// The name.
        name: String,
    },
    /// An undefined name is that of the first instruction, to which the last one jumps back.
    Head {
        /// The name.
        name: String,
    },
    /// An undefined name is that of the end of the region in which all jumps to it are.
    RegionEnd {
        /// The name.
        name: String,
    },
    /// An undefined name is that of a procedure that only returns, or that ends the run by a panic of Rust.
    Procedure {
        /// The name.
        name: String,
        /// Whether it panics.
        panics: bool,
    },
    /// The code is that of 16-bit segments.
    Narrow {
        /// Whether its addresses are the reason, rather than what the source says of its processor or of the code.
        seen: bool,
    },
    /// Registers of the floating-point stack hold 1.0.
    Floating {
        /// How many, from ST(0) on.
        registers: u8,
    },
    /// A loop, for whose end nothing else is known, ends after this many rounds.
    Rounds {
        /// The rounds.
        rounds: u32,
    },
}

/// What an assembler gives to a text without a program around it: no segment, no entry, no data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fragment {
    /// The undefined names, with what the assembler has made of them.
    pub supplied: Vec<Assumed>,
    /// Those of data whose address is used: scratch memory, which has [`Fragment::room`] bytes at most.
    pub scratch: Vec<NamedScratch>,
    /// The bytes that are kept free for scratch memory with a name; those that the code can use are the size of its
    /// symbol.
    pub room: u32,
}

/// Scratch memory with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedScratch {
    /// The undefined name.
    pub name: String,
    /// The linear addresses of the instructions that have it in an operand.
    pub users: Vec<u32>,
}

impl Fragment {
    /// The bytes of [`Fragment::room`] in 32-bit code.
    pub const ROOM: u32 = 1 << 16;
}

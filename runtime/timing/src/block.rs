//! The timing view of an instruction. Each instruction is decoded and looked up once, before its time is simulated.
//!
//! `classify` builds an [`Op`] from a decoded instruction. `floating` gathers its work in the floating-point unit.
//! `form` evaluates the conditions of timing rows. `shape` describes what an instruction does to memory, the stack and
//! the control flow.

mod accesses;
mod classify;
mod floating;
mod form;
mod shape;

pub(crate) use accesses::{Access, Accesses};
pub use classify::{Classifier, is_short_store};
pub(crate) use floating::Floating;
pub use p5_words::register_set::RegisterSet;
pub use p5_words::stack_use::{PackedUse, Stack, StackUse};

use p5_chips::{Class, Doubt, Questions, Resolved, RouteClocks, Row};
use p5_words::mode::Mode;
use std::ops::Deref;
use std::rc::Rc;

/// The most accesses to the descriptor of a segment: its halves are read, and it is marked as accessed.
const DESCRIPTOR_ACCESSES: u32 = 4;

/// The kind of branch an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    /// Not a branch.
    None,
    /// Jcc, LOOP, JCXZ.
    Conditional,
    /// Near JMP, direct or indirect.
    Near,
    /// Near CALL, direct or indirect.
    Call,
    /// Near RET.
    Return,
    /// Far transfers, INT and IRET, which are never predicted.
    Far,
}

/// How a length decoder before a queue of instructions decodes an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoding {
    /// The clocks of its prefixes.
    pub(crate) prefixes: u8,
    /// Whether it leaves no room in its clock for another instruction.
    pub(crate) alone: bool,
}

/// The element accesses of a repeated string instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The access at the source address, if it has one.
    pub source: Option<Access>,
    /// The access at the destination address, if it has one.
    pub destination: Option<Access>,
}

/// An instruction's clocks in EX, as far as they are known before execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExClocks {
    /// At CPL 0; at CPL 1 to 3.
    Known(u32, u32),
    /// Not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and thousandths of a clock for each step of the count in the facts.
    PerCount(u32, u32),
    /// Start-up clocks, and clocks per iteration.
    PerIteration(u32, u32),
    /// The usual clocks; the clocks when the stack pointer is a multiple of four.
    ByStackAlignment(u32, u32),
    /// By the way it takes.
    ByRoute(&'static RouteClocks),
}

/// One instruction, with everything that its timing depends on.
#[derive(Clone, Debug)]
pub struct Op {
    /// Its linear address.
    pub address: u32,
    /// Whether its clocks are uncertain: [`Properties::doubt`] says why.
    pub doubtful: bool,
    properties: Rc<Properties>,
}

impl Deref for Op {
    type Target = Properties;

    #[inline(always)]
    fn deref(&self) -> &Properties {
        &self.properties
    }
}

/// What does not depend on an instruction's address. The same instruction at many addresses has it only once.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The mode it was decoded in.
    pub mode: Mode,
    /// Its bytes, of which the first `length` are used: reports decode them again.
    pub bytes: [u8; 15],
    /// Its length in bytes.
    pub length: u8,
    /// Its row of the timing table.
    pub row: &'static Row,
    /// The open questions of which an answer concerns it, and the one whose answers give it other clocks than its row.
    pub(crate) questions: Questions,
    pub(crate) decided_by: Option<&'static str>,
    /// Its clocks in EX.
    pub(crate) clocks: ExClocks,
    /// The number of its prefixes, of which the 0Fh of two-byte opcodes is one where the chip decodes it as such.
    pub(crate) prefixes: u8,
    /// The clocks to decode them.
    pub(crate) prefix_clocks: u8,
    /// How a length decoder before a queue decodes it.
    pub(crate) decoding: Decoding,
    /// Whether they keep it out of the V pipe.
    pub(crate) prefixed_to_u: bool,
    /// The registers it reads.
    pub(crate) reads: RegisterSet,
    /// The registers it writes, for the pairing rules.
    pub(crate) writes: RegisterSet,
    /// The registers it writes that interlock an address computed in the next clock.
    pub(crate) interlocks: RegisterSet,
    /// The registers its addresses are computed from.
    pub(crate) address_registers: RegisterSet,
    /// The general registers whose results the floating-point unit has not settled when the instruction leaves EX.
    /// Microcode has to wait for them.
    pub(crate) unsettled: RegisterSet,
    /// Clocks after EX until they are settled.
    pub(crate) settles: u32,
    /// Clocks after EX until the floating-point unit accepts the next instruction.
    pub(crate) occupies: u32,
    /// The general registers that it has to wait for and that an instruction of the chip may leave unsettled for long.
    pub(crate) awaits: RegisterSet,
    /// Whether it has to wait for the floating-point unit, and an instruction of the chip may occupy that for long.
    pub(crate) awaits_unit: bool,
    /// What it does with the stack of the floating-point unit, if it is an instruction of that.
    pub stack_use: Option<StackUse>,
    /// Its work in the unit, if it uses that stack.
    pub(crate) floating: Option<Floating>,
    /// What an MMX instruction does with its registers.
    pub packed_use: Option<PackedUse>,
    /// Its data accesses, in program order.
    pub accesses: Accesses,
    /// The element accesses of a repeated string instruction; their number is known only at run time.
    pub repeated: Option<Repeated>,
    /// Whether its facts end with a word that is no address: a count, the circumstances of an operation, or whether a
    /// result was saturated.
    pub counted: bool,
    /// Whether it has both a displacement and an immediate.
    pub(crate) displacement_and_immediate: bool,
    /// Whether it reads, modifies and writes memory.
    pub(crate) modifies_memory: bool,
    /// What kind of branch it is.
    pub(crate) branch: Branch,
    /// Whether it has its near target in the instruction.
    pub(crate) direct: bool,
    /// Its implicit stack use, for the pairing rules.
    pub(crate) stack: Stack,
    /// Whether its operands name ESP.
    pub(crate) names_esp: bool,
    /// Whether its memory access is locked.
    pub(crate) locked: bool,
    /// Whether it accesses I/O space, and whether it writes there.
    pub(crate) io: bool,
    pub(crate) writes_port: bool,
    /// Whether it loads a segment or descriptor table register.
    pub(crate) loads_segment: bool,
    /// Whether the state of the processor decides on some of its accesses: of descriptors, gates, stacks.
    pub(crate) looks_up: bool,
    /// Whether it is not the instruction but the delivery of an interrupt or exception in its place.
    pub delivery: bool,
    /// Whether it uses the floating-point unit, as multiplies do.
    pub(crate) floating_point: bool,
    /// How many times the event of floating-point operations counts it.
    pub(crate) operations: u32,
    /// Whether the branch event counts it although it is never predicted: far transfers, and a few instructions that
    /// are not branches.
    pub(crate) counts_as_branch: bool,
    /// Whether it flushes the pipeline when taken, as a predictable branch without an entry does.
    pub(crate) flushes: bool,
    /// Whether it needs the general timing path, for many accesses, a count, a repeat, a lock, I/O, serialising or a
    /// far transfer.
    pub(crate) complex: bool,
}

impl Op {
    /// How many steps it has, as an observer records them: one for each access, or for both of an operand that is read,
    /// modified and written. None if that is known only when it executes.
    pub fn steps(&self) -> Option<u32> {
        let decided_later = self.repeated.is_some() || self.looks_up || self.locked || self.io;
        match self.accesses.len() {
            _ if decided_later => None,
            0 | 1 => Some(1),
            2 if self.modifies_memory && !self.complex => Some(1),
            _ => None,
        }
    }

    /// The most steps it takes in the observer's terms, unless it is repeated or transfers control far away.
    pub fn most_steps(&self) -> u32 {
        let of_descriptors = if self.looks_up { DESCRIPTOR_ACCESSES } else { 0 };
        self.accesses.len().max(1) as u32 + of_descriptors
    }

    /// An instruction at `address`.
    pub(crate) fn new(address: u32, properties: Properties) -> Op {
        Op {
            address,
            doubtful: properties.doubt().is_some(),
            properties: Rc::new(properties),
        }
    }

    /// The open questions of which an answer concerns it, at its place.
    pub fn questions_here(&self) -> Questions {
        let mut questions = self.questions;
        questions.add(Questions::of_place(self.address, u32::from(self.length)));
        questions
    }

    /// The same instruction at another address; it must not be a branch.
    pub fn at(&self, address: u32) -> Op {
        Op {
            address,
            doubtful: self.doubtful,
            properties: Rc::clone(&self.properties),
        }
    }

    /// Its properties, to be changed for a test.
    #[cfg(test)]
    pub(crate) fn properties_mut(&mut self) -> &mut Properties {
        Rc::make_mut(&mut self.properties)
    }

    /// The address of the byte after the instruction.
    pub fn end(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length))
    }

    /// The address of its last byte.
    pub(crate) fn last_byte(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length) - 1)
    }
}

impl Properties {
    /// Why its clocks are uncertain, if they are.
    pub fn doubt(&self) -> Option<Doubt> {
        let of_routes = match self.clocks {
            ExClocks::ByRoute(routes) if self.mode.tables => routes.doubt,
            _ => None,
        };
        Some(Doubt {
            form: self.row.form,
            why: self.row.doubt.or(of_routes)?,
            question: self.decided_by,
        })
    }

    /// The number of words that the instruction adds to [`p5_words::facts::Facts`].
    pub fn fact_words(&self) -> usize {
        if self.repeated.is_some() {
            4
        } else {
            self.accesses.len() + usize::from(self.counted)
        }
    }

    /// The EX clocks known before execution; `user` selects CPL 1 to 3. Clocks that depend on facts are those of zero
    /// steps.
    pub(crate) fn static_clocks(&self, user: bool) -> u32 {
        match self.clocks {
            ExClocks::Known(_, clocks) if user => clocks,
            ExClocks::Known(clocks, _)
            | ExClocks::ByOutcome(clocks, _)
            | ExClocks::PerCount(clocks, _)
            | ExClocks::PerIteration(clocks, _)
            | ExClocks::ByStackAlignment(clocks, _) => clocks,
            ExClocks::ByRoute(routes) => routes.usual,
        }
    }

    /// The registers that its microcode reads or writes; empty if the instruction is not microcoded.
    pub(crate) fn microcode_uses(&self) -> RegisterSet {
        if self.row.class == Class::Np {
            self.reads.union(self.writes)
        } else {
            RegisterSet::EMPTY
        }
    }

    /// Where it is resolved if it is a near branch that issues in V, or in U.
    pub(crate) fn resolved(&self, in_v: bool) -> Resolved {
        Resolved::of(self.branch == Branch::Conditional, self.direct, in_v)
    }

    /// Whether it exchanges two registers of the floating-point stack.
    pub(crate) fn exchanges(&self) -> bool {
        self.stack_use.is_some_and(|used| used.exchanges.is_some())
    }

    /// Whether the clock of its issue may depend on work that has been under way for long.
    pub(crate) fn awaits_long_work(&self) -> bool {
        self.awaits_unit || self.packed_use.is_some() || self.stack_use.is_some() || !self.awaits.is_empty()
    }

    /// Whether it can issue in U and pair with a following instruction.
    pub(crate) fn may_open(&self) -> bool {
        matches!(self.row.class, Class::Uv | Class::Pu | Class::Fx | Class::Packed(_)) && !self.locked
    }
}

#[cfg(test)]
mod tests;

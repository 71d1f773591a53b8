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

use p5_chips::{Class, Clocks, Doubt, Questions, Resolved, RouteClocks, Row};
use p5_words::mode::{Mode, Operation};
use std::ops::Deref;
use std::rc::Rc;

/// The most accesses to a segment descriptor: both halves are read, and the descriptor is marked as accessed.
const DESCRIPTOR_ACCESSES: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    None,
    /// Jcc, LOOP, JCXZ.
    Conditional,
    Near,
    Call,
    Return,
    /// Far transfers, INT and IRET, which are never predicted.
    Far,
}

/// How the length decoder in front of the instruction FIFO decodes an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Decoding {
    /// The clocks to decode its prefixes.
    pub(crate) prefixes: u8,
    /// Whether no other instruction is decoded in the same clock.
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

/// The clocks of an instruction in EX, as far as they are known before execution.
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
    /// The clocks depend on the route of a control transfer.
    ByRoute(&'static RouteClocks),
}

/// One instruction, with everything that its timing depends on.
#[derive(Clone, Debug)]
pub struct Op {
    /// The linear address of its first byte.
    pub address: u32,
    /// Whether its clocks are uncertain: [`Properties::doubt`] says why.
    pub doubtful: bool,
    /// The number of the chain of calls in which it is executed; 0 while calls are not counted.
    pub chain: u16,
    properties: Rc<Properties>,
}

impl Deref for Op {
    type Target = Properties;

    #[inline(always)]
    fn deref(&self) -> &Properties {
        &self.properties
    }
}

/// The part of an instruction that does not depend on its address, shared by equal instructions at all addresses.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The mode of the code segment in which it was decoded.
    pub mode: Mode,
    /// Its machine code in the first `length` bytes, followed by zeroes. Reports decode them again.
    pub bytes: [u8; 15],
    /// Its length in bytes, from 1 to 15.
    pub length: u8,
    /// The row of the chip's timing table that gives its clocks and its pipe.
    pub row: &'static Row,
    /// The open questions about its timing, and the one whose answers give it clocks other than those of its row.
    pub(crate) questions: Questions,
    pub(crate) decided_by: Option<&'static str>,
    pub(crate) clocks: ExClocks,
    /// The number of its prefixes. The 0Fh of two-byte opcodes is one where the chip decodes it as a prefix.
    pub(crate) prefixes: u8,
    /// The clocks to decode its prefixes.
    pub(crate) prefix_clocks: u8,
    /// How the length decoder in front of the FIFO decodes it.
    pub(crate) decoding: Decoding,
    /// Whether its prefixes keep it out of the V pipe.
    pub(crate) prefixed_to_u: bool,
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
    /// The general registers that it waits for and that an instruction of the chip may leave unsettled for long.
    pub(crate) awaits: RegisterSet,
    /// Whether it waits for the floating-point unit, which an instruction of the chip may occupy for long.
    pub(crate) awaits_unit: bool,
    /// Its use of the floating-point register stack, if it is an instruction of that stack.
    pub stack_use: Option<StackUse>,
    /// Its work in the floating-point unit, if it uses the register stack.
    pub(crate) floating: Option<Floating>,
    /// Its use of the MMX registers, if it is an MMX instruction.
    pub packed_use: Option<PackedUse>,
    /// Its data accesses, in program order.
    pub accesses: Accesses,
    /// The element accesses of a repeated string instruction. The number of iterations is known only at run time.
    pub repeated: Option<Repeated>,
    /// Whether its facts end with a word other than an address: a count, the circumstances of an operation, or whether
    /// a result was saturated.
    pub counted: bool,
    /// Whether it has both a displacement and an immediate.
    pub(crate) displacement_and_immediate: bool,
    /// Whether it reads, modifies and writes memory.
    pub(crate) modifies_memory: bool,
    pub(crate) branch: Branch,
    /// Whether the instruction encodes a near target.
    pub(crate) direct: bool,
    /// Its implicit stack use, for the pairing rules.
    pub(crate) stack: Stack,
    pub(crate) names_esp: bool,
    pub(crate) locked: bool,
    /// Whether it accesses I/O space, and whether it writes there.
    pub(crate) io: bool,
    pub(crate) writes_port: bool,
    /// Whether it loads a segment or descriptor table register.
    pub(crate) loads_segment: bool,
    /// Whether the state of the processor decides on some of its accesses, such as those to descriptors, gates and
    /// stacks.
    pub(crate) looks_up: bool,
    /// Whether this is the delivery of an interrupt or exception in the place of the instruction.
    pub delivery: bool,
    /// Whether it uses the floating-point unit, as multiplies do.
    pub(crate) floating_point: bool,
    /// The number of floating-point operations that the event counts for it.
    pub(crate) operations: u32,
    /// Whether the branch event counts it although it is never predicted: far transfers, and a few instructions that
    /// are not branches.
    pub(crate) counts_as_branch: bool,
    /// Whether it flushes the pipeline when taken, as a predictable branch without a BTB entry does.
    pub(crate) flushes: bool,
    /// Whether it needs the general timing path, for many accesses, a count, a repeat, a lock, I/O, serialising or a
    /// far transfer.
    pub(crate) complex: bool,
}

impl Op {
    /// Whether it is a near jump, which a call or a return is not.
    pub(crate) fn is_jump(&self) -> bool {
        matches!(self.branch, Branch::Conditional | Branch::Near)
    }

    /// The number of its steps as an observer records them: one for each access, or one for both accesses of an
    /// operand that is read, modified and written. `None` if the number is known only at run time.
    pub fn steps(&self) -> Option<u32> {
        let decided_later = self.repeated.is_some() || self.looks_up || self.locked || self.io;
        match self.accesses.len() {
            _ if decided_later => None,
            0 | 1 => Some(1),
            2 if self.modifies_memory && !self.complex => Some(1),
            _ => None,
        }
    }

    /// An upper bound on the steps that an observer records, unless it is repeated or is a far transfer.
    pub fn most_steps(&self) -> u32 {
        let of_descriptors = if self.looks_up { DESCRIPTOR_ACCESSES } else { 0 };
        self.accesses.len().max(1) as u32 + of_descriptors
    }

    pub(crate) fn new(address: u32, properties: Properties) -> Op {
        Op {
            address,
            doubtful: properties.doubt().is_some(),
            chain: 0,
            properties: Rc::new(properties),
        }
    }

    /// The open questions about its timing at its address.
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
            chain: 0,
            properties: Rc::clone(&self.properties),
        }
    }

    #[cfg(test)]
    pub(crate) fn properties_mut(&mut self) -> &mut Properties {
        Rc::make_mut(&mut self.properties)
    }

    /// The linear address of the first byte after it.
    pub fn end(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length))
    }

    pub(crate) fn last_byte(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length) - 1)
    }
}

impl Properties {
    /// The reason why its clocks are uncertain, if they are.
    pub fn doubt(&self) -> Option<Doubt> {
        let of_routes = match self.clocks {
            ExClocks::ByRoute(routes) if self.may_read_descriptors(routes) => routes.doubt,
            _ => None,
        };
        // A question decides the doubt of its row, and none that tables add to it.
        let (why, question) = match (self.row.doubt, of_routes, self.decided_by) {
            (_, Some(of_routes), Some(_)) | (None, Some(of_routes), None) => (of_routes, None),
            (why, _, question) => (why?, question),
        };
        Some(self.doubted(why, question))
    }

    fn doubted(&self, why: &'static str, question: Option<&'static str>) -> Doubt {
        Doubt {
            form: self.row.form,
            why,
            question,
            least: matches!(self.row.clocks, Clocks::Least(_)),
        }
    }

    /// The reason why the clocks are uncertain that its row has given `executions` of it. If each took the usual path,
    /// no doubt of another path concerns them.
    pub fn doubt_of(&self, executions: u64, clocks: i64) -> Option<Doubt> {
        match self.clocks {
            ExClocks::ByRoute(routes) if clocks == executions as i64 * i64::from(routes.usual) => {
                self.row.doubt.map(|why| self.doubted(why, self.decided_by))
            }
            _ => self.doubt(),
        }
    }

    /// Whether a path of its own may lead through a descriptor that the program has written.
    fn may_read_descriptors(&self, routes: &RouteClocks) -> bool {
        self.mode.tables
            && match self.mode.operation {
                Operation::Real => false,
                // Segments are loaded without a descriptor; interrupts have gates.
                Operation::Virtual => routes.leaves_virtual != routes.usual,
                Operation::Protected => true,
            }
    }

    /// The number of 32-bit words that it adds to [`p5_words::facts::Facts`].
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

    /// The stage that resolves a near branch in the V or the U pipe.
    pub(crate) fn resolved(&self, in_v: bool) -> Resolved {
        Resolved::of(self.branch == Branch::Conditional, self.direct, in_v)
    }

    pub(crate) fn exchanges(&self) -> bool {
        self.stack_use.is_some_and(|used| used.exchanges.is_some())
    }

    /// Whether work that lasts beyond EX may delay its issue.
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

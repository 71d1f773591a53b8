//! Timing rows: the timing of an instruction form and the conditions under which a row applies.
//!
//! Modelled: the pairing class; the clocks in EX; latency, throughput and overlap in the floating-point unit;
//! serialisation; the source and certainty of the figures. Not modelled: what depends on the state of the units; rows
//! assume data cache hits, aligned accesses and correct predictions.

use iced_x86::{Mnemonic, Register};
use p5_words::facts::Route;

/// The pipes in which an instruction pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Pairs in either pipe.
    Uv,
    /// Pairs only in the U pipe.
    Pu,
    /// Pairs only in the V pipe; issues in U when it does not pair.
    Pv,
    /// Pairs in the U pipe, and only with FXCH.
    Fx,
    /// An MMX instruction of this unit: pairs in either pipe, or only in U, and only with another one, if it has an
    /// operand in memory or a general register; two of one unit that exists once do not pair.
    Packed(PackedUnit),
    /// Never pairs.
    Np,
}

/// The units of packed integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedUnit {
    /// There is one in each pipe.
    Alu,
    /// There is one, whose result is there later: see `packed_multiply` in the chip's rules.
    Multiplier,
    /// There is one, which also packs and unpacks.
    Shifter,
}

impl PackedUnit {
    /// Whether both instructions of a pair may use it.
    pub fn in_both_pipes(self) -> bool {
        self == PackedUnit::Alu
    }
}

impl Class {
    /// The abbreviation that the manuals use.
    pub fn name(self) -> &'static str {
        match self {
            Class::Uv => "UV",
            Class::Pu => "PU",
            Class::Pv => "PV",
            Class::Fx => "FX",
            Class::Packed(_) => "MMX",
            Class::Np => "NP",
        }
    }
}

/// The clocks a form takes in EX, with data cache hits, aligned accesses and correct prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clocks {
    /// A constant.
    Fixed(u32),
    /// At CPL 0; at CPL 1 to 3.
    ByPrivilege(u32, u32),
    /// For a conditional jump that counts: not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and clocks for each step of the count in the facts.
    PerCount(u32, u32),
    /// The same with thousandths of a clock per step, rounded to the nearest clock.
    PerCountMilli(u32, u32),
    /// A repeated string instruction: start-up clocks, and clocks per iteration.
    PerIteration(u32, u32),
    /// ENTER: at nesting level 0, at level 1, and for each level from 2 on (added to the level 1 figure).
    ByLevel(u32, u32, u32),
    /// PUSHA and POPA of words: the usual clocks; the clocks when ESP is a multiple of four.
    ByStackAlignment(u32, u32),
    /// By the way that an instruction takes which loads segments or leaves the code segment.
    ByRoute(&'static RouteClocks),
}

/// The clocks of a form by the way it takes. A way that a form cannot take has the clocks of the usual one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteClocks {
    /// No descriptor of a table in memory is loaded.
    pub usual: u32,
    /// Another descriptor is loaded.
    pub descriptor: u32,
    /// Through a gate at the same privilege level.
    pub gate: u32,
    /// Through a gate to an inner level.
    pub inner_gate: u32,
    /// The same if the gate copies parameters, without those for each of them.
    pub inner_gate_with_parameters: u32,
    /// For each parameter that a gate copies.
    pub parameter: u32,
    /// Through a gate out of virtual 8086 mode.
    pub leaves_virtual: u32,
    /// Back to an outer level.
    pub outer: u32,
    /// Back to virtual 8086 mode.
    pub enters_virtual: u32,
    /// To another task: of a 32-bit task state segment, of a 16-bit one, in virtual 8086 mode.
    pub task: [u32; 3],
    /// Why the clocks other than the usual ones are uncertain, if they are.
    pub doubt: Option<&'static str>,
}

impl RouteClocks {
    /// The same clocks whatever the way.
    pub const fn all(clocks: u32) -> RouteClocks {
        RouteClocks {
            usual: clocks,
            descriptor: clocks,
            gate: clocks,
            inner_gate: clocks,
            inner_gate_with_parameters: clocks,
            parameter: 0,
            leaves_virtual: clocks,
            outer: clocks,
            enters_virtual: clocks,
            task: [clocks; 3],
            doubt: None,
        }
    }

    /// The clocks without and with another descriptor.
    pub const fn load(usual: u32, descriptor: u32) -> RouteClocks {
        RouteClocks {
            descriptor,
            ..RouteClocks::all(usual)
        }
    }

    /// The clocks of an interrupt: if it is not taken or not delivered; at the same level, to an inner one, out of
    /// virtual 8086 mode.
    pub const fn interrupt(usual: u32, [gate, inner_gate, leaves_virtual]: [u32; 3]) -> RouteClocks {
        RouteClocks {
            gate,
            inner_gate,
            leaves_virtual,
            ..RouteClocks::all(usual)
        }
    }

    /// The same clocks with those of a switch to another task, which are `clocks` and those of `switch`.
    pub const fn switching(self, clocks: u32, switch: [u32; 3]) -> RouteClocks {
        let [wide, narrow, virtual_mode] = switch;
        RouteClocks {
            task: [clocks + wide, clocks + narrow, clocks + virtual_mode],
            ..self
        }
    }

    /// The same clocks with a doubt about all but the usual ones.
    pub const fn doubted(self, doubt: &'static str) -> RouteClocks {
        RouteClocks {
            doubt: Some(doubt),
            ..self
        }
    }

    /// The clocks of one way.
    pub fn of(&self, route: Route) -> u32 {
        match route {
            Route::Usual => self.usual,
            Route::Descriptor => self.descriptor,
            Route::Gate => self.gate,
            Route::InnerGate { parameters: 0 } => self.inner_gate,
            Route::InnerGate { parameters } => self.inner_gate_with_parameters + self.parameter * u32::from(parameters),
            Route::LeavesVirtual => self.leaves_virtual,
            Route::Outer => self.outer,
            Route::EntersVirtual => self.enters_virtual,
            Route::Task { kind } => self.task[kind as usize],
        }
    }
}

/// A condition of a row. A row applies if all its conditions hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// No memory operand.
    Register,
    /// A memory operand that is only read.
    Read,
    /// A memory operand that is only written.
    Write,
    /// A memory operand that is read and written.
    Modify,
    /// A memory operand, however it is used.
    Memory,
    /// Shift or rotate by one (opcodes D0h, D1h).
    ByOne,
    /// Shift or rotate by an immediate count, or a bit number given by an immediate.
    ByImmediate,
    /// Shift or rotate by CL.
    ByCl,
    /// 8-bit operands.
    Byte,
    /// 16-bit operands.
    Word,
    /// 32-bit operands.
    Dword,
    /// A memory operand of 80 bits.
    Extended,
    /// A segment register is the destination.
    ToSegment,
    /// SS is the destination.
    ToStackSegment,
    /// A segment register is the source.
    FromSegment,
    /// One explicit operand.
    OneOperand,
    /// Two or three explicit operands.
    SeveralOperands,
    /// An immediate operand.
    Immediate,
    /// TEST in the one-byte accumulator encoding (A8h, A9h).
    ShortAccumulator,
    /// EAX, AX or AL is one of the operands (the 90h+r encoding of XCHG).
    WithAccumulator,
    /// A REP prefix.
    Repeated,
    /// A direct near target.
    Direct,
    /// A far target or return.
    Far,
    /// In real mode.
    Real,
    /// In virtual 8086 mode.
    Virtual,
    /// A control register is the destination.
    ToControl,
    /// A control register is the source.
    FromControl,
    /// A debug or test register is the destination.
    ToDebug,
    /// A debug or test register is the source.
    FromDebug,
    /// The control register is CR0.
    ControlZero,
}

/// The work of a form in the floating-point unit, which also executes multiplies. The integer pipes wait only while the
/// form is in EX. All clocks count from its issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingPoint {
    /// Clocks until the unit accepts the next instruction.
    pub throughput: u32,
    /// Clocks until the result is in its registers. Integer instructions that are not microcoded take an integer result
    /// earlier, from the bypass.
    pub latency: u32,
    /// Clocks until the unit accepts the next instruction with a figure here; 0 if that is not later than for others.
    pub multiplier: u32,
    /// By how many clocks throughput and latency are less under 24-bit and under 53-bit precision control.
    pub less_by_precision: [u32; 2],
    /// Clocks by which the operands must be ready before its issue.
    pub operands_ahead: u32,
    /// Clocks that it waits after the unit could have accepted it, for the status of the instruction before.
    pub status_behind: u32,
    /// Whether it is an instruction of the unit's own stack, rather than a multiply of integers.
    pub stack: bool,
    /// How many times the event of floating-point operations counts it.
    pub operations: u32,
}

impl FloatingPoint {
    /// A multiply of integers.
    pub const fn multiply(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            stack: false,
            ..FloatingPoint::operation(throughput, latency)
        }
    }

    /// An operation that is counted once.
    pub const fn operation(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            operations: 1,
            ..FloatingPoint::plain(throughput, latency)
        }
    }

    /// A transcendental function, whose microcode consists of additions and multiplications, each of which is counted.
    /// DOUBT: their number is not documented; each is taken to need the one before, and so the latency of FADD and
    /// FMUL.
    pub const fn transcendental(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            operations: latency / 3,
            ..FloatingPoint::plain(throughput, latency)
        }
    }

    /// Any other instruction of the unit.
    pub const fn plain(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            throughput,
            latency,
            multiplier: 0,
            less_by_precision: [0; 2],
            operands_ahead: 0,
            status_behind: 0,
            stack: true,
            operations: 0,
        }
    }

    /// The number of its last clocks in which other instructions issue in parallel, if it leaves EX after `clocks`.
    pub fn overlap(&self, clocks: u32) -> u32 {
        self.latency.saturating_sub(clocks)
    }

    /// The clocks for which the unit is still busy then.
    pub fn busy(&self, clocks: u32) -> u32 {
        self.throughput.saturating_sub(clocks)
    }
}

/// Why the clocks of an instruction are uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Doubt {
    /// The form of its timing row.
    pub form: &'static str,
    /// What the sources disagree on, or leave out.
    pub why: &'static str,
    /// The open question that is the same doubt: its answers give the form other clocks.
    pub question: Option<&'static str>,
}

/// The most clocks after EX for which only the next group can have to wait. What takes longer has a ready clock of its
/// own in the timing simulation.
pub const SHORT: u32 = 1;

/// The general registers that a form writes before its last clock in EX. The next group is in D2 in that clock and has
/// them, so its addresses need not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Early {
    /// The registers.
    pub registers: &'static [Register],
    /// Whether that was measured. Otherwise it is concluded from forms of which it was. DOUBT: the assumption
    /// `early_writes`.
    pub measured: bool,
}

impl Early {
    /// Registers that are concluded to be written early.
    pub const fn by_analogy(registers: &'static [Register]) -> Early {
        Early {
            registers,
            measured: false,
        }
    }
}

/// The timing of one instruction form.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The form in the manual's notation, for `p5inst timings`.
    pub form: &'static str,
    /// The mnemonics it covers.
    pub mnemonics: &'static [Mnemonic],
    /// The conditions that must all hold.
    pub when: &'static [When],
    /// Its pairing class.
    pub class: Class,
    /// Its clocks in EX.
    pub clocks: Clocks,
    /// Whether it waits for the write buffers to drain and refills the prefetch queue.
    pub serializing: bool,
    /// The source of the figure.
    pub source: &'static str,
    /// Why the figure is uncertain, if it is.
    pub doubt: Option<&'static str>,
    /// The general registers that it writes before its last clock, if any.
    pub early: Option<Early>,
    /// Its work in the floating-point unit, if any.
    pub fpu: Option<FloatingPoint>,
}

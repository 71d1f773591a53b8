//! Timing rows: the timing of an instruction form and the conditions under which a row applies.
//!
//! Modelled: the pairing class; the clocks in EX; latency, throughput and overlap in the floating-point unit;
//! serialisation; the source and certainty of the figures. Not modelled: effects of the state of the units; rows assume
//! data cache hits, aligned accesses and correct predictions.

use iced_x86::{Mnemonic, Register};
use p5_words::facts::Route;
use std::borrow::Cow;

/// The pipes in which an instruction pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Pairs in either pipe.
    Uv,
    /// Pairs only in the U pipe.
    Pu,
    /// Pairs only in the V pipe; issues to U when it does not pair.
    Pv,
    /// Pairs in the U pipe, and only with FXCH.
    Fx,
    /// An MMX instruction of this unit. It pairs in either pipe; with an operand in memory or a general register only
    /// in U, and only with another MMX instruction. Two instructions of a unit that exists once do not pair.
    Packed(PackedUnit),
    /// Never pairs.
    Np,
}

/// The units that execute MMX instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackedUnit {
    /// The arithmetic unit, one in each pipe.
    Alu,
    /// The multiplier, which exists once. Its result is ready later: see `packed_multiply` in the chip's rules.
    Multiplier,
    /// The shifter, which exists once and also packs and unpacks.
    Shifter,
}

impl PackedUnit {
    /// Whether both instructions of a pair may use it.
    pub fn in_both_pipes(self) -> bool {
        self == PackedUnit::Alu
    }
}

impl Class {
    /// The abbreviation in the manuals, such as `UV`.
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
    /// A constant number of clocks.
    Fixed(u32),
    /// The least clocks of a range that the sources give, taken as constant; the doubt of the row has the range.
    Least(u32),
    /// The clocks at CPL 0; the clocks at CPL 1 to 3.
    ByPrivilege(u32, u32),
    /// The clocks of a conditional jump that counts: not taken; taken.
    ByOutcome(u32, u32),
    /// A base, and the clocks for each step of the count in the facts.
    PerCount(u32, u32),
    /// A base, and thousandths of a clock for each step of the count, rounded to the nearest clock.
    PerCountMilli(u32, u32),
    /// A repeated string instruction: start-up clocks, and clocks per iteration.
    PerIteration(u32, u32),
    /// The clocks of ENTER: at nesting level 0, at level 1, and for each level from 2 on, in addition to those of level
    /// 1.
    ByLevel(u32, u32, u32),
    /// The clocks of PUSHA and POPA of words: usually; if ESP is a multiple of four.
    ByStackAlignment(u32, u32),
    /// The clocks by the path of an instruction that loads segments or leaves the code segment.
    ByRoute(&'static RouteClocks),
}

impl Row {
    /// Why its clocks are doubted, on its usual path or on others.
    pub fn doubts(&self) -> Option<Cow<'static, str>> {
        let of_routes = match self.clocks {
            Clocks::ByRoute(routes) => routes.doubt,
            _ => None,
        };
        match (self.doubt, of_routes) {
            (Some(usual), Some(others)) if usual != others => Some(format!("{usual}; {others}").into()),
            (usual, others) => usual.or(others).map(Cow::Borrowed),
        }
    }

    /// The most clocks that it takes, if another instruction of its block may follow it; 0 if none can, because it is a
    /// block of its own or ends one.
    pub fn most_clocks(&self) -> u32 {
        const COUNT: u32 = 31; // of BSF, RCL and of ENTER's levels
        match self.clocks {
            _ if self.serializing => 0,
            Clocks::PerIteration(..) | Clocks::ByRoute(_) => 0,
            Clocks::Fixed(clocks) | Clocks::Least(clocks) => clocks,
            Clocks::ByPrivilege(one, other) | Clocks::ByOutcome(one, other) | Clocks::ByStackAlignment(one, other) => {
                one.max(other)
            }
            Clocks::PerCount(base, each) => base + COUNT * each,
            Clocks::PerCountMilli(base, each) => base + (COUNT * each).div_ceil(1000),
            Clocks::ByLevel(_, first, each) => first + COUNT * each,
        }
    }
}

impl Clocks {
    /// Whether these are the same clocks as `other`, except for the paths through descriptors and gates.
    pub(super) fn usually_equal(self, other: Clocks) -> bool {
        match (self, other) {
            (Clocks::ByRoute(one), Clocks::ByRoute(another)) => one.usual == another.usual,
            _ => self == other,
        }
    }
}

/// The clocks of a form for each path. A path that the form cannot take has the usual clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteClocks {
    /// The clocks if no descriptor of a table in memory is loaded.
    pub usual: u32,
    /// The clocks if another descriptor is loaded.
    pub descriptor: u32,
    /// The clocks through a gate at the same privilege level.
    pub gate: u32,
    /// The clocks through a gate to an inner level.
    pub inner_gate: u32,
    /// The clocks through a gate that copies parameters to an inner level, without the clocks for each parameter.
    pub inner_gate_with_parameters: u32,
    /// The clocks for each parameter that a gate copies.
    pub parameter: u32,
    /// The clocks through a gate out of virtual 8086 mode.
    pub leaves_virtual: u32,
    /// The clocks back to an outer level.
    pub outer: u32,
    /// The clocks back to virtual 8086 mode.
    pub enters_virtual: u32,
    /// The clocks of a switch to another task: with a 32-bit task state segment, with a 16-bit one, in virtual 8086
    /// mode.
    pub task: [u32; 3],
    /// The reason why the clocks other than the usual ones are uncertain, if they are.
    pub doubt: Option<&'static str>,
}

impl RouteClocks {
    /// The same clocks for every path.
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

    /// The clocks of an interrupt: usual if it is not taken or not delivered; then at the same level, to an inner one,
    /// and out of virtual 8086 mode.
    pub const fn interrupt(usual: u32, [gate, inner_gate, leaves_virtual]: [u32; 3]) -> RouteClocks {
        RouteClocks {
            gate,
            inner_gate,
            leaves_virtual,
            ..RouteClocks::all(usual)
        }
    }

    /// These clocks with a switch to another task, which takes `clocks` and those of `switch`.
    pub const fn switching(self, clocks: u32, switch: [u32; 3]) -> RouteClocks {
        let [wide, narrow, virtual_mode] = switch;
        RouteClocks {
            task: [clocks + wide, clocks + narrow, clocks + virtual_mode],
            ..self
        }
    }

    /// These clocks with a doubt about all except the usual ones.
    pub const fn doubted(self, doubt: &'static str) -> RouteClocks {
        RouteClocks {
            doubt: Some(doubt),
            ..self
        }
    }

    /// The clocks of one path.
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
    /// No operand is in memory.
    Register,
    /// A memory operand is only read.
    Read,
    /// A memory operand is only written.
    Write,
    /// A memory operand is read and written.
    Modify,
    /// A memory operand is used in any way.
    Memory,
    /// Shift or rotate by one (opcodes D0h, D1h).
    ByOne,
    /// Shift or rotate by an immediate count, or a bit number given by an immediate.
    ByImmediate,
    /// Shift or rotate by CL.
    ByCl,
    /// The operands have 8 bits.
    Byte,
    /// The operands have 16 bits.
    Word,
    /// The operands have 32 bits.
    Dword,
    /// A memory operand has 80 bits.
    Extended,
    /// A segment register is the destination.
    ToSegment,
    /// SS is the destination.
    ToStackSegment,
    /// A segment register is the source.
    FromSegment,
    /// There is one explicit operand.
    OneOperand,
    /// There are two or three explicit operands.
    SeveralOperands,
    /// An operand is an immediate.
    Immediate,
    /// TEST in the one-byte accumulator encoding (A8h, A9h).
    ShortAccumulator,
    /// EAX, AX or AL is one of the operands (the 90h+r encoding of XCHG).
    WithAccumulator,
    /// The instruction has a REP prefix.
    Repeated,
    /// The target is near and direct.
    Direct,
    /// The target or return is far.
    Far,
    /// The processor is in real mode.
    Real,
    /// The processor is in virtual 8086 mode.
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
    /// The clocks until the unit accepts the next instruction.
    pub throughput: u32,
    /// The clocks until the result is in its registers. Integer instructions without microcode take an integer result
    /// earlier, from the bypass.
    pub latency: u32,
    /// The clocks until the unit accepts the next instruction with a figure here; 0 if that is not later than for
    /// others.
    pub multiplier: u32,
    /// The clocks by which throughput and latency are lower under 24-bit and under 53-bit precision control.
    pub less_by_precision: [u32; 2],
    /// The clocks by which the operands must be ready before its issue.
    pub operands_ahead: u32,
    /// The clocks that it waits for the status of the previous instruction, after the unit could have accepted it.
    pub status_behind: u32,
    /// Whether it is an instruction of the unit's own stack, rather than a multiply of integers.
    pub stack: bool,
    /// The number of times that the event of floating-point operations counts it.
    pub operations: u32,
}

impl FloatingPoint {
    /// The work of a multiply of integers.
    pub const fn multiply(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            stack: false,
            ..FloatingPoint::operation(throughput, latency)
        }
    }

    /// The work of an operation that is counted once.
    pub const fn operation(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            operations: 1,
            ..FloatingPoint::plain(throughput, latency)
        }
    }

    /// The work of a transcendental function, whose microcode consists of additions and multiplications, each of which
    /// is counted. DOUBT: their number is not documented. Each is assumed to need the previous one, and so the latency
    /// of FADD and FMUL.
    pub const fn transcendental(throughput: u32, latency: u32) -> FloatingPoint {
        FloatingPoint {
            operations: latency / 3,
            ..FloatingPoint::plain(throughput, latency)
        }
    }

    /// The work of any other instruction of the unit.
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

    /// The clocks for which the unit is still busy after it has left EX.
    pub fn busy(&self, clocks: u32) -> u32 {
        self.throughput.saturating_sub(clocks)
    }
}

/// The reason why the clocks of an instruction are uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Doubt {
    /// The form of its timing row.
    pub form: &'static str,
    /// The point on which the sources disagree or are silent.
    pub why: &'static str,
    /// The open question about the same doubt, whose answers give the form other clocks.
    pub question: Option<&'static str>,
    /// Whether the row has the least clocks of a range that the sources give: others are only more.
    pub least: bool,
}

/// The maximum number of clocks after EX for which only the next group can have to wait. Anything longer has a ready
/// clock of its own in the timing simulation.
pub const SHORT: u32 = 1;

/// The general registers that a form writes before its last clock in EX. The next group is in D2 in that clock and has
/// their values, so its addresses need not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Early {
    /// The registers that are written early.
    pub registers: &'static [Register],
    /// Whether this was measured. Otherwise it is concluded from forms for which it was. DOUBT: the assumption
    /// `early_writes`.
    pub measured: bool,
}

impl Early {
    /// The registers that are written early by analogy with measured forms.
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
    /// The mnemonics that the row covers.
    pub mnemonics: &'static [Mnemonic],
    /// The conditions that must all hold.
    pub when: &'static [When],
    /// The pairing class of the form.
    pub class: Class,
    /// The clocks of the form in EX.
    pub clocks: Clocks,
    /// Whether the form waits for the write buffers to drain and refills the prefetch queue.
    pub serializing: bool,
    /// The source of the figures.
    pub source: &'static str,
    /// The reason why the figures are uncertain, if they are.
    pub doubt: Option<&'static str>,
    /// The general registers that the form writes before its last clock, if any.
    pub early: Option<Early>,
    /// The work in the floating-point unit, if any.
    pub fpu: Option<FloatingPoint>,
}

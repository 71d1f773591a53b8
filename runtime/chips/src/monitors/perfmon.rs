//! Intel's architectural performance monitoring, version 3: four general and three fixed counters of 48 bits.
//!
//! Modelled: the registers and their defined bits; the seven architectural events, and the Pentium's own by their
//! codes.
//! Not modelled: precise event based sampling, the debug store and freezing on an interrupt.

use super::{BorrowedForm, LeafBits, Monitor};
use crate::Text;
use crate::{CounterEvents, ModelRegister, PerfmonRegister, Role};
use asm_macros::events::Event;
use iced_x86::{CpuidFeature, Mnemonic};

/// The number of counters that count a selected event.
pub const GENERAL_COUNTERS: usize = 4;
/// The number of counters that count one event each: instructions retired, core clocks and reference clocks.
pub const FIXED_COUNTERS: usize = 3;
/// The width of a counter in bits.
const COUNTER_WIDTH: u32 = 48;
/// The mask of all bits of a counter.
pub const COUNTER_MASK: u64 = (1 << COUNTER_WIDTH) - 1;

/// IA32_PERF_CAPABILITIES: counters can be written in their full width.
pub const FULL_WIDTH_WRITES: u64 = 1 << 13;
/// IA32_PERF_GLOBAL_CTRL at reset: it enables the general counters, which their selections must also enable.
pub const GLOBAL_CONTROL_AT_RESET: u64 = (1 << GENERAL_COUNTERS) - 1;
/// The address of the page of the local APIC: physical and, if paging is on, linear.
pub const LOCAL_APIC_PAGE: u32 = 0xFEE0_0000;

const fn register(number: u32, register: PerfmonRegister) -> ModelRegister {
    let reset = match register {
        PerfmonRegister::Capabilities => FULL_WIDTH_WRITES,
        PerfmonRegister::GlobalControl => GLOBAL_CONTROL_AT_RESET,
        _ => 0,
    };
    ModelRegister {
        number,
        role: Role::Perfmon(register),
        reset,
    }
}

pub(super) static PERFMON: Monitor = Monitor {
    name: "perfmon",
    title: "Intel's architectural performance monitoring, version 3",
    text: Text {
        rule: "With `--monitor perfmon` there are four general counters (C1h to C4h, selected by 186h to 189h, written \
               whole at 4C1h to 4C4h) and three fixed ones (309h to 30Bh: instructions retired, core clocks, reference \
               clocks) of 48 bits, with the global registers 38Dh to 390h and 345h, RDPMC, CR4.PCE, and a local APIC \
               at FEE00000h with its timer and the interrupt of an overflow. The general counters count the seven \
               architectural events, and the Pentium's own by their codes with unit mask 0; at power-up 38Fh is 0Fh, \
               which enables these four as far as their selections do, and not the fixed ones. A reading includes the \
               instruction that reads. An interrupt is delivered after the instruction that overflows; one that waits \
               in U for a partner is known only as an instruction executed, so that its other events may interrupt an \
               instruction later. Branches include serialising instructions, as the Pentium's event does. HLT waits \
               for the timer, if its interrupt can be delivered: meanwhile the time stamp counter goes \
               on, the counters do not. `--core-ratio` sets the clocks of the core by those of the time stamp counter.",
        source: "Intel Software Developer's Manual, volume 3B, 18.2 (architectural performance monitoring), and volume \
                 3A, 10 (local APIC)",
        not_modelled: "Precise event based sampling, pins, freezing on an interrupt, logical processors, and of the \
                       APIC all but its timer, the interrupt of counters (fixed or non-maskable), priorities and end \
                       of interrupt; where a program translates addresses, the APIC is at that linear address, \
                       wherever the page is mapped. The last level of caches of 2Eh are the two first-level ones, \
                       with `--memory l2` as without: a second level is on the board, where the processor does not \
                       count. That of `--monitor ibs` (L2Miss, L3MissOnly) is the second level where there is one.",
        tests: &[
            (
                "snapshots/tests/engines/monitors.rs",
                "counters_say_what_the_trace_says_for_each_way_to_enable_them",
            ),
            (
                "snapshots/tests/engines/monitors.rs",
                "an_interrupt_comes_behind_the_instruction_that_overflows",
            ),
            (
                "snapshots/tests/engines/monitors.rs",
                "a_run_with_monitors_equals_one_without",
            ),
            ("snapshots/asm/counters_at_two_levels.asm", "fixed_user"),
            ("snapshots/asm/counter_overflow_not_maskable.asm", "interrupts"),
        ],
        said: &[
            "with perfmon attached",
            "local apic",
            "architectural performance monitoring",
            "core clocks per reference clock",
        ],
    },
    cpuid: &[
        LeafBits {
            leaf: 1,
            // PDCM: IA32_PERF_CAPABILITIES exists.
            bits: [0, 0, 1 << 15, 0],
        },
        LeafBits {
            leaf: 0xA,
            bits: [
                // The version, the number of counters, their width, and the number of architectural events, all of
                // which exist.
                3 | (GENERAL_COUNTERS as u32) << 8 | COUNTER_WIDTH << 16 | 7 << 24,
                0,
                0,
                FIXED_COUNTERS as u32 | COUNTER_WIDTH << 5,
            ],
        },
    ],
    registers: &[
        register(0x0C1, PerfmonRegister::Counter(0)),
        register(0x0C2, PerfmonRegister::Counter(1)),
        register(0x0C3, PerfmonRegister::Counter(2)),
        register(0x0C4, PerfmonRegister::Counter(3)),
        register(0x186, PerfmonRegister::Select(0)),
        register(0x187, PerfmonRegister::Select(1)),
        register(0x188, PerfmonRegister::Select(2)),
        register(0x189, PerfmonRegister::Select(3)),
        register(0x309, PerfmonRegister::Fixed(0)),
        register(0x30A, PerfmonRegister::Fixed(1)),
        register(0x30B, PerfmonRegister::Fixed(2)),
        register(0x345, PerfmonRegister::Capabilities),
        register(0x38D, PerfmonRegister::FixedControl),
        register(0x38E, PerfmonRegister::Status),
        register(0x38F, PerfmonRegister::GlobalControl),
        register(0x390, PerfmonRegister::OverflowControl),
        register(0x4C1, PerfmonRegister::WholeCounter(0)),
        register(0x4C2, PerfmonRegister::WholeCounter(1)),
        register(0x4C3, PerfmonRegister::WholeCounter(2)),
        register(0x4C4, PerfmonRegister::WholeCounter(3)),
    ],
    features: &[CpuidFeature::RDPMC],
    // PCE.
    control_register_4: 1 << 8,
    forms: &[BorrowedForm {
        form: "RDPMC",
        mnemonics: &[Mnemonic::Rdpmc],
        like: Mnemonic::Rdtsc,
        doubt: "the first Pentiums do not have it: the clocks of RDTSC",
    }],
    rows: &[],
    interrupts: true,
    raises: &[Event::HARDWARE_INTERRUPTS],
    master: None,
};

/// The source of a counter's count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The clocks of the core while it is not halted.
    CoreClocks,
    /// The clocks at the rate of the time stamp counter while the core is not halted.
    ReferenceClocks,
    /// An event of the Pentium's counters.
    Event(Event),
    /// The sum of two events.
    Sum([Event; 2]),
}

/// An event that a general counter can select.
#[derive(Clone, Copy, Debug)]
pub struct PerfmonEvent {
    /// The name of the event in Intel's list.
    pub name: &'static str,
    /// The event select and the unit mask.
    pub code: [u8; 2],
    /// The source of the count.
    pub source: Source,
}

/// The seven architectural events, in the order of their bits in CPUID leaf 0Ah EBX.
///
/// The last level of caches is the first level, because the second level is not on the chip. Branches are those that
/// the Pentium counts, which include serialising instructions.
const ARCHITECTURAL: [PerfmonEvent; 7] = [
    PerfmonEvent {
        name: "unhalted core clocks",
        code: [0x3C, 0],
        source: Source::CoreClocks,
    },
    PerfmonEvent {
        name: "instructions retired",
        code: [0xC0, 0],
        source: Source::Event(Event::INSTRUCTIONS_EXECUTED),
    },
    PerfmonEvent {
        name: "unhalted reference clocks",
        code: [0x3C, 1],
        source: Source::ReferenceClocks,
    },
    PerfmonEvent {
        name: "last level cache references",
        code: [0x2E, 0x4F],
        source: Source::Sum([Event::DATA_READ_OR_WRITE, Event::CODE_READ]),
    },
    PerfmonEvent {
        name: "last level cache misses",
        code: [0x2E, 0x41],
        source: Source::Sum([Event::DATA_READ_OR_WRITE_MISS, Event::CODE_CACHE_MISS]),
    },
    PerfmonEvent {
        name: "branches retired",
        code: [0xC4, 0],
        source: Source::Event(Event::BRANCHES),
    },
    PerfmonEvent {
        name: "mispredicted branches retired",
        code: [0xC5, 0],
        source: Source::Event(Event::MISPREDICTED_FLUSHES),
    },
];

/// The event for an event select and a unit mask: an architectural event, or with a unit mask of 0 the event of the
/// chip that has this code on its first counter.
pub fn event(events: &CounterEvents, select: u8, unit_mask: u8) -> Option<Source> {
    let mut architectural = ARCHITECTURAL.iter();
    let found = architectural.find(|event| event.code == [select, unit_mask]);
    let own = || events.event(0, select).filter(|_| unit_mask == 0).map(Source::Event);
    found.map(|event| event.source).or_else(own)
}

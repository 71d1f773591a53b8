//! The event list: the events of the Pentium's two counters, one per row, in selector order. Those from 2Ah on are of
//! the Pentium with MMX, on which most of these selectors count another event on each counter.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), 16.4.5 and 16.4.6; Intel SDM volume
//! 3B 2006, table A-15; TalkieToaster, P5 basics, release 2 (the titles of 10h, 11h, 20h and 21h); Mathisen, Pentium
//! Secrets. Constants, names, the `p5inst events` table and the `EV_` constants of the assembler are all derived from
//! the rows below; a name is its identifier and is never typed twice. A second list of the same form has the events
//! that only current machines count.

use crate::reason::{Reason, Unavailable};
use core::fmt;

/// The meaning of one count of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// One count is one occurrence.
    Occurrence,
    /// One count is one clock of a condition that lasts.
    Duration,
}

/// The quality of the documentation of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Intel documents it.
    Documented,
    /// Only tools and texts of the time mention it; Intel calls the selector reserved.
    Folklore,
}

/// Passes the event rows to the macro `$callback`.
///
/// A row is `selector, NAME, unit, standing, host, "title"`; `selector on counter` if only that counter counts it, on
/// some chips. `host` is the name of the same event in Linux on
/// current processors: `hardware(NAME)`, `cache(WHICH OPERATION RESULT)` or `software(NAME)`, in the kernel's own
/// terms; or `near(Event::NAME)` for the closest event if there is no equivalent; or `none()`.
#[macro_export]
macro_rules! for_each_event {
    ($callback:ident) => {
        $callback! {
            0x00, DATA_READ,                        Occurrence, Documented, cache(L1D READ ACCESS),                "Data reads";
            0x01, DATA_WRITE,                       Occurrence, Documented, cache(L1D WRITE ACCESS),               "Data writes";
            0x02, DATA_TLB_MISS,                    Occurrence, Documented, cache(DTLB READ MISS),                 "Data TLB misses";
            0x03, DATA_READ_MISS,                   Occurrence, Documented, cache(L1D READ MISS),                  "Data read misses";
            0x04, DATA_WRITE_MISS,                  Occurrence, Documented, cache(L1D WRITE MISS),                 "Data write misses";
            0x05, WRITE_HIT_TO_M_OR_E_LINE,         Occurrence, Documented, near(Event::DATA_WRITE),               "Writes that hit lines in M or E state";
            0x06, DATA_LINES_WRITTEN_BACK,          Occurrence, Documented, none(),                                "Data cache lines written back";
            0x07, EXTERNAL_SNOOPS,                  Occurrence, Documented, none(),                                "External snoops";
            0x08, EXTERNAL_SNOOP_HITS,              Occurrence, Documented, none(),                                "External snoops that hit the data cache";
            0x09, MEMORY_ACCESSES_IN_BOTH_PIPES,    Occurrence, Documented, none(),                                "Memory accesses in both pipes";
            0x0A, BANK_CONFLICTS,                   Occurrence, Documented, none(),                                "Bank conflicts";
            0x0B, MISALIGNED_REFERENCES,            Occurrence, Documented, none(),                                "Misaligned data memory or I/O references";
            0x0C, CODE_READ,                        Occurrence, Documented, cache(L1I READ ACCESS),                "Code reads";
            0x0D, CODE_TLB_MISS,                    Occurrence, Documented, cache(ITLB READ MISS),                 "Code TLB misses";
            0x0E, CODE_CACHE_MISS,                  Occurrence, Documented, cache(L1I READ MISS),                  "Code cache misses";
            0x0F, SEGMENT_REGISTER_LOADED,          Occurrence, Documented, none(),                                "Any segment register loaded";
            0x10, SEGMENT_CACHE_ACCESSES,           Occurrence, Folklore,   none(),                                "Segment descriptor cache accesses";
            0x11, SEGMENT_CACHE_HITS,               Occurrence, Folklore,   none(),                                "Segment descriptor cache hits";
            0x12, BRANCHES,                         Occurrence, Documented, hardware(BRANCH_INSTRUCTIONS),         "Branches";
            0x13, BTB_HITS,                         Occurrence, Documented, near(HostEvent::BRANCH_MISSES),        "Branch target buffer hits";
            0x14, TAKEN_BRANCH_OR_BTB_HIT,          Occurrence, Documented, near(Event::BRANCHES),                 "Taken branches or branch target buffer hits";
            0x15, PIPELINE_FLUSHES,                 Occurrence, Documented, near(HostEvent::BRANCH_MISSES),        "Pipeline flushes";
            0x16, INSTRUCTIONS_EXECUTED,            Occurrence, Documented, hardware(INSTRUCTIONS),                "Instructions executed in both pipes";
            0x17, INSTRUCTIONS_EXECUTED_V_PIPE,     Occurrence, Documented, near(Event::INSTRUCTIONS_EXECUTED),    "Instructions executed in the V pipe";
            0x18, BUS_CYCLE_DURATION,               Duration,   Documented, none(),                                "Clocks while a bus cycle is in progress";
            0x19, WRITE_BUFFER_FULL_STALL,          Duration,   Documented, none(),                                "Clocks stalled by full write buffers";
            0x1A, DATA_READ_STALL,                  Duration,   Documented, none(),                                "Clocks stalled waiting for data memory reads";
            0x1B, WRITE_TO_M_OR_E_LINE_STALL,       Duration,   Documented, none(),                                "Clocks stalled by writes to M or E lines";
            0x1C, LOCKED_BUS_CYCLE,                 Occurrence, Documented, none(),                                "Locked bus cycles";
            0x1D, IO_CYCLE,                         Occurrence, Documented, none(),                                "I/O read or write cycles";
            0x1E, NONCACHEABLE_READS,               Occurrence, Documented, none(),                                "Noncacheable memory reads";
            0x1F, AGI_STALLS,                       Duration,   Documented, none(),                                "Address generation interlock stalls";
            0x20, EVENT_20H,                        Occurrence, Folklore,   none(),                                "Unknown, but counts on real parts";
            0x21, EVENT_21H,                        Occurrence, Folklore,   none(),                                "Unknown, but counts on real parts";
            0x22, FLOPS,                            Occurrence, Documented, none(),                                "Floating-point operations";
            0x23, BREAKPOINT_MATCH_DR0,             Occurrence, Documented, none(),                                "Breakpoint matches on register DR0";
            0x24, BREAKPOINT_MATCH_DR1,             Occurrence, Documented, none(),                                "Breakpoint matches on register DR1";
            0x25, BREAKPOINT_MATCH_DR2,             Occurrence, Documented, none(),                                "Breakpoint matches on register DR2";
            0x26, BREAKPOINT_MATCH_DR3,             Occurrence, Documented, none(),                                "Breakpoint matches on register DR3";
            0x27, HARDWARE_INTERRUPTS,              Occurrence, Documented, none(),                                "Hardware interrupts";
            0x28, DATA_READ_OR_WRITE,               Occurrence, Documented, near(Event::DATA_READ),                "Data reads or data writes";
            0x29, DATA_READ_OR_WRITE_MISS,          Occurrence, Documented, near(Event::DATA_READ_MISS),           "Data read misses or data write misses";
            0x2A on 0, BUS_OWNERSHIP_LATENCY,             Duration,   Documented, none(),                         "Clocks from a request for the bus to its ownership";
            0x2A on 1, BUS_OWNERSHIP_TRANSFERS,           Occurrence, Documented, none(),                         "Transfers of bus ownership";
            0x2B on 0, MMX_INSTRUCTIONS_EXECUTED_U_PIPE,  Occurrence, Documented, near(Event::INSTRUCTIONS_EXECUTED), "MMX instructions executed in the U pipe";
            0x2B on 1, MMX_INSTRUCTIONS_EXECUTED_V_PIPE,  Occurrence, Documented, near(Event::INSTRUCTIONS_EXECUTED), "MMX instructions executed in the V pipe";
            0x2C on 0, CACHE_M_LINE_SHARING,              Occurrence, Documented, none(),                         "Modified lines shared with another processor";
            0x2C on 1, CACHE_LINE_SHARING,                Occurrence, Documented, none(),                         "Lines shared with another processor";
            0x2D on 0, EMMS_EXECUTED,                     Occurrence, Documented, none(),                         "EMMS instructions executed";
            0x2D on 1, MMX_FP_TRANSITIONS,                Occurrence, Documented, none(),                         "Transitions between MMX and floating-point instructions";
            0x2E on 0, BUS_USED_BY_PROCESSOR,             Duration,   Documented, none(),                         "Clocks in which the processor uses the bus";
            0x2E on 1, NONCACHEABLE_WRITES,               Occurrence, Documented, none(),                         "Noncacheable memory writes, and I/O writes";
            0x2F on 0, SATURATING_MMX_EXECUTED,           Occurrence, Documented, none(),                         "Saturating MMX instructions executed";
            0x2F on 1, SATURATIONS_PERFORMED,             Occurrence, Documented, none(),                         "MMX instructions with a saturated result";
            0x30 on 0, CLOCKS_NOT_HALTED,                 Duration,   Documented, near(HostEvent::CORE_CLOCKS),   "Clocks while not halted";
            0x30 on 1, DATA_TLB_MISS_STALL,               Duration,   Documented, near(Event::DATA_TLB_MISS),     "Clocks stalled by data TLB misses";
            0x31 on 0, MMX_DATA_READ,                     Occurrence, Documented, near(Event::DATA_READ),         "Data reads by MMX instructions";
            0x31 on 1, MMX_DATA_READ_MISS,                Occurrence, Documented, near(Event::DATA_READ_MISS),    "Data read misses of MMX instructions";
            0x32 on 0, FLOATING_POINT_STALL,              Duration,   Documented, none(),                         "Clocks stalled by the floating-point unit";
            0x32 on 1, TAKEN_BRANCHES,                    Occurrence, Documented, near(Event::BRANCHES),          "Taken branches";
            0x33 on 0, D1_STARVED,                        Occurrence, Documented, none(),                         "Times D1 was ready and the instruction FIFO empty";
            0x33 on 1, D1_HAD_ONE_INSTRUCTION,            Occurrence, Documented, none(),                         "Times D1 was ready and only one instruction in the FIFO";
            0x34 on 0, MMX_DATA_WRITE,                    Occurrence, Documented, near(Event::DATA_WRITE),        "Data writes by MMX instructions";
            0x34 on 1, MMX_DATA_WRITE_MISS,               Occurrence, Documented, near(Event::DATA_WRITE),        "Data write misses of MMX instructions";
            0x35 on 0, MISPREDICTED_FLUSHES,              Occurrence, Documented, near(HostEvent::BRANCH_MISSES), "Pipeline flushes by wrong branch predictions";
            0x35 on 1, MISPREDICTED_FLUSHES_IN_WB,        Occurrence, Documented, near(HostEvent::BRANCH_MISSES), "Pipeline flushes by wrong branch predictions found in WB";
            0x36 on 0, MMX_MISALIGNED_REFERENCES,         Occurrence, Documented, none(),                         "Misaligned data references by MMX instructions";
            0x36 on 1, MMX_DATA_READ_STALL,               Duration,   Documented, none(),                         "Clocks in which MMX instructions wait for data reads";
            0x37 on 0, RETURNS_NOT_PREDICTED,             Occurrence, Documented, near(HostEvent::BRANCH_MISSES), "Returns predicted wrongly or not at all";
            0x37 on 1, PREDICTED_RETURNS,                 Occurrence, Documented, near(Event::BRANCHES),          "Returns predicted, rightly or wrongly";
            0x38 on 0, MMX_MULTIPLY_STALL,                Duration,   Documented, none(),                         "Clocks stalled by an MMX multiply under way";
            0x38 on 1, MMX_STORE_STALL,                   Duration,   Documented, none(),                         "Clocks in which MOVD or MOVQ waits for what it stores";
            0x39 on 0, RETURNS,                           Occurrence, Documented, near(Event::BRANCHES),          "Returns";
            0x3A on 0, BTB_FALSE_ENTRIES,                 Occurrence, Documented, none(),                         "Mispredictions by an entry that is not of the branch";
            0x3A on 1, NOT_TAKEN_PREDICTED_TAKEN,         Occurrence, Documented, near(HostEvent::BRANCH_MISSES), "Branches not taken, but predicted taken";
            0x3B on 0, MMX_WRITE_BUFFER_FULL_STALL,       Duration,   Documented, none(),                         "Clocks in which MMX instructions wait for full write buffers";
            0x3B on 1, MMX_WRITE_TO_M_OR_E_LINE_STALL,    Duration,   Documented, none(),                         "Clocks in which MMX writes to M or E lines wait";
        }
    };
}

/// The meaning of one count of a host event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// One count is one occurrence.
    Occurrences,
    /// One count is one clock of the core at its current frequency.
    CoreClocks,
    /// One count is one clock at the rate of the time stamp counter.
    ReferenceClocks,
    /// One count is one nanosecond.
    Nanoseconds,
}

/// The processor mode in which an event is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// User mode only: the work of the kernel for the program is excluded.
    User,
    /// User mode and the kernel, because the event itself occurs in the kernel.
    Any,
}

/// Passes the rows of the events that only current machines have to the macro `$callback`.
///
/// A row is `NAME, quantity, mode, host, "title"`; `host` is `hardware(NAME)` or `software(NAME)`, as for
/// [`for_each_event!`](crate::for_each_event).
#[macro_export]
macro_rules! for_each_host_event {
    ($callback:ident) => {
        $callback! {
            CORE_CLOCKS,        CoreClocks,      User, hardware(CPU_CYCLES),       "Clocks of the core while it is not halted";
            REFERENCE_CLOCKS,   ReferenceClocks, User, hardware(REF_CPU_CYCLES),   "Reference clocks while the core is not halted";
            BRANCH_MISSES,      Occurrences,     User, hardware(BRANCH_MISSES),    "Mispredicted branches";
            CACHE_REFERENCES,   Occurrences,     User, hardware(CACHE_REFERENCES), "Reads of the cache behind the first level: Intel's last, AMD's second";
            CACHE_MISSES,       Occurrences,     User, hardware(CACHE_MISSES),     "Misses of the cache behind the first level: Intel's last, AMD's second";
            PAGE_FAULTS,        Occurrences,     User, software(PAGE_FAULTS),      "Page faults";
            CONTEXT_SWITCHES,   Occurrences,     Any,  software(CONTEXT_SWITCHES), "Switches from this thread to another";
            CPU_MIGRATIONS,     Occurrences,     Any,  software(CPU_MIGRATIONS),   "Moves of this thread to another processor";
            TASK_CLOCK,         Nanoseconds,     User, software(TASK_CLOCK),       "Time for which this thread ran, the kernel's part included";
        }
    };
}

/// A generic event of Linux, in the kernel's terms (`PERF_COUNT_HW_...` and so on without the prefix).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generic {
    /// An event of the processor.
    Hardware(&'static str),
    /// An event of a cache or a translation buffer.
    Cache {
        /// The cache or buffer, such as `L1D` or `DTLB`.
        which: &'static str,
        /// The operation on it, such as `READ`.
        operation: &'static str,
        /// The result of the operation: `ACCESS` or `MISS`.
        result: &'static str,
    },
    /// An event of the kernel itself, which no processor need support.
    Software(&'static str),
}

impl fmt::Display for Generic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generic::Hardware(name) | Generic::Software(name) => out.write_str(name),
            Generic::Cache {
                which,
                operation,
                result,
            } => write!(out, "{which} {operation} {result}"),
        }
    }
}

/// The equivalent of an event of the Pentium on current machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counterpart {
    /// Linux has an event for it. The vendor of the processor defines exactly what that event counts; `DTLB READ MISS`,
    /// for example, excludes the misses of writes.
    Same(Generic),
    /// There is no equivalent. The closest event is named here, but is not counted instead.
    Near(Countable),
    /// There is no equivalent and no close event.
    None,
}

/// An event of either list, for counting on the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Countable {
    /// An event of the Pentium, from [`EVENTS`].
    Event(Event),
    /// An event of current machines, from [`HOST_EVENTS`].
    HostEvent(HostEvent),
}

impl From<Event> for Countable {
    fn from(event: Event) -> Countable {
        Countable::Event(event)
    }
}

impl From<HostEvent> for Countable {
    fn from(event: HostEvent) -> Countable {
        Countable::HostEvent(event)
    }
}

impl Countable {
    /// The identifier of the event, as users type it.
    pub fn name(self) -> &'static str {
        match self {
            Countable::Event(event) => event.name(),
            Countable::HostEvent(event) => event.name(),
        }
    }

    /// The event in words, as its row gives it.
    pub fn title(self) -> &'static str {
        match self {
            Countable::Event(event) => event.row().title,
            Countable::HostEvent(event) => event.row().title,
        }
    }

    /// The event's name in Linux.
    ///
    /// # Errors
    /// [`Reason::NoCounterpart`] if there is no equivalent.
    pub fn generic(self) -> Result<Generic, Unavailable> {
        let nearest = match self {
            Countable::HostEvent(event) => return Ok(event.row().host),
            Countable::Event(event) => match event.row().host {
                Counterpart::Same(generic) => return Ok(generic),
                Counterpart::Near(nearest) => Some(nearest.name()),
                Counterpart::None => None,
            },
        };
        Err(Unavailable(Reason::NoCounterpart {
            event: self.name(),
            nearest,
        }))
    }

    /// The processor mode in which it is counted.
    pub fn mode(self) -> Mode {
        match self {
            Countable::Event(_) => Mode::User,
            Countable::HostEvent(event) => event.row().mode,
        }
    }
}

// The `host` of a row as data. The identifiers of the kernel become text here and numbers in `profile/kernel.rs`.
macro_rules! generic {
    (hardware($name:ident)) => {
        Generic::Hardware(stringify!($name))
    };
    (software($name:ident)) => {
        Generic::Software(stringify!($name))
    };
    (cache($which:ident $operation:ident $result:ident)) => {
        Generic::Cache {
            which: stringify!($which),
            operation: stringify!($operation),
            result: stringify!($result),
        }
    };
}

macro_rules! counterpart {
    (none()) => { Counterpart::None };
    (near($list:ident::$name:ident)) => { Counterpart::Near(Countable::$list($list::$name)) };
    ($kind:ident $words:tt) => { Counterpart::Same(generic!($kind $words)) };
}

macro_rules! define_host_events {
    ($($name:ident, $quantity:ident, $mode:ident, $kind:ident $host:tt, $title:literal;)*) => {
        /// An event that only current machines have. These events are counted through Linux and never simulated.
        #[allow(non_camel_case_types)] // Like the names of the Pentium's events.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum HostEvent { $(#[doc = $title] $name,)* }

        /// Every event that only current machines have, in the order of [`HostEvent`].
        pub const HOST_EVENTS: &[HostRow] = &[
            $(HostRow {
                event: HostEvent::$name,
                quantity: Quantity::$quantity,
                mode: Mode::$mode,
                host: generic!($kind $host),
                title: $title,
            },)*
        ];

        impl HostEvent {
            /// The identifier of the event, as users type it.
            pub fn name(self) -> &'static str {
                match self { $(HostEvent::$name => stringify!($name),)* }
            }
        }
    };
}
for_each_host_event!(define_host_events);

/// One row of the list of host events.
#[derive(Clone, Copy, Debug)]
pub struct HostRow {
    /// The event that the row describes.
    pub event: HostEvent,
    /// The meaning of one count.
    pub quantity: Quantity,
    /// The processor mode in which it is counted.
    pub mode: Mode,
    /// Its name in Linux.
    pub host: Generic,
    /// The event in a few words, for reports.
    pub title: &'static str,
}

impl HostEvent {
    /// The row of the event in [`HOST_EVENTS`].
    pub fn row(self) -> &'static HostRow {
        &HOST_EVENTS[self as usize]
    }
}

macro_rules! counter {
    () => {
        None
    };
    ($counter:literal) => {
        Some($counter)
    };
}

macro_rules! define_events {
    ($(
        $selector:literal $(on $counter:literal)?, $name:ident, $unit:ident, $standing:ident, $kind:ident $host:tt,
        $title:literal;
    )*) => {
        /// An event that a counter of the Pentium can count.
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // The names are the manual's, as users type them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Event { $(#[doc = $title] $name,)* }

        /// Every event, in selector order.
        pub const EVENTS: &[Row] = &[
            $(Row {
                event: Event::$name,
                selector: $selector,
                counter: counter!($($counter)?),
                unit: Unit::$unit,
                standing: Standing::$standing,
                host: counterpart!($kind $host),
                title: $title,
            },)*
        ];

        impl Event {
            /// The identifier of the event, as users type it.
            pub fn name(self) -> &'static str {
                match self { $(Event::$name => stringify!($name),)* }
            }
        }
    };
}
for_each_event!(define_events);

/// One row of the event list.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The event that the row describes.
    pub event: Event,
    /// The selector for it on the chips that count it (6 bits, written to MSR 11h).
    pub selector: u8,
    /// The only counter that counts it under the selector, on chips that have it; `None` if every chip has it on both.
    pub counter: Option<u8>,
    /// The meaning of one count.
    pub unit: Unit,
    /// Whether Intel documents the event.
    pub standing: Standing,
    /// The equivalent event on the machine that this program runs on.
    pub host: Counterpart,
    /// The event in a few words, for reports.
    pub title: &'static str,
}

impl Event {
    /// The selector written to the control and event select register. Its meaning depends on the chip: another chip may
    /// count a different event with the same selector.
    pub fn selector(self) -> u8 {
        self.row().selector
    }

    /// The row of the event in [`EVENTS`].
    pub fn row(self) -> &'static Row {
        &EVENTS[self as usize]
    }
}

/// The number of events in the list.
pub const EVENT_COUNT: usize = EVENTS.len();

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_selector_order_without_gaps() {
        for (index, row) in EVENTS.iter().enumerate() {
            assert_eq!(row.event as usize, index, "{}", row.event.name());
        }
        let (common, of_one) = EVENTS.split_at(42);
        for (index, row) in common.iter().enumerate() {
            assert_eq!((usize::from(row.selector), row.counter), (index, None));
        }
        // Counter 1 counts nothing under 39h.
        let mut places: Vec<(u8, Option<u8>)> = (0x2A..=0x3B).flat_map(|at| [(at, Some(0)), (at, Some(1))]).collect();
        places.retain(|&place| place != (0x39, Some(1)));
        let found: Vec<_> = of_one.iter().map(|row| (row.selector, row.counter)).collect();
        assert_eq!(found, places);
    }

    #[test]
    fn host_rows_stand_in_the_order_of_their_events() {
        for (index, row) in HOST_EVENTS.iter().enumerate() {
            assert_eq!(row.event as usize, index, "{}", row.event.name());
            assert_eq!(row.event.row().title, row.title);
        }
    }

    #[test]
    fn no_name_is_in_both_lists() {
        for host in HOST_EVENTS {
            assert!(
                EVENTS.iter().all(|row| row.event.name() != host.event.name()),
                "{}",
                host.event.name()
            );
        }
    }

    #[test]
    fn what_comes_nearest_can_itself_be_counted() {
        let mut nearest = 0;
        for row in EVENTS {
            if let Counterpart::Near(near) = row.host {
                nearest += 1;
                assert!(near.generic().is_ok(), "{} has {}", row.event.name(), near.name());
                let missing = Countable::Event(row.event)
                    .generic()
                    .expect_err("it has only a neighbour");
                let expected = Reason::NoCounterpart {
                    event: row.event.name(),
                    nearest: Some(near.name()),
                };
                assert_eq!(missing.0, expected);
            }
        }
        assert!(nearest > 0, "some events have a neighbour");
    }

    #[test]
    fn no_generic_event_is_listed_twice() {
        let generic = |index: usize| match EVENTS.get(index) {
            Some(row) => Countable::Event(row.event).generic().ok(),
            None => Some(HOST_EVENTS[index - EVENT_COUNT].host),
        };
        for index in 0..EVENT_COUNT + HOST_EVENTS.len() {
            let listed = generic(index);
            let before = (0..index).find(|before| generic(*before) == listed);
            assert!(
                listed.is_none() || before.is_none(),
                "{listed:?} is that of row {before:?}"
            );
        }
    }
}

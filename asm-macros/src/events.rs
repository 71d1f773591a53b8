//! THE event list: what the Pentium's two counters can count, one row each, in selector order.
//!
//! Sources: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), 16.4.5 and 16.4.6; Intel SDM volume 3B
//! 2006, table A-15; TalkieToaster, P5 basics, release 2 (the titles of 10h, 11h, 20h and 21h); Mathisen, Pentium Secrets.
//! Constants, names, the `p5inst events` table and the constants of `p5.inc` all derive from the rows below; a name is
//! its identifier and is never typed twice.

/// What one count of an event stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// The event counts how often something happened.
    Occurrence,
    /// The event counts the clocks for which something lasted.
    Duration,
}

/// How well an event is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Intel documents it.
    Documented,
    /// Only tools and texts of the time name it; Intel calls the selector reserved.
    Folklore,
}

/// Hands the event rows to the macro `$callback`.
///
/// A row is `selector, NAME, unit, standing, "title"`.
#[macro_export]
macro_rules! for_each_event {
    ($callback:ident) => {
        $callback! {
            0x00, DATA_READ,                        Occurrence, Documented, "Data reads";
            0x01, DATA_WRITE,                       Occurrence, Documented, "Data writes";
            0x02, DATA_TLB_MISS,                    Occurrence, Documented, "Data TLB misses";
            0x03, DATA_READ_MISS,                   Occurrence, Documented, "Data read misses";
            0x04, DATA_WRITE_MISS,                  Occurrence, Documented, "Data write misses";
            0x05, WRITE_HIT_TO_M_OR_E_LINE,         Occurrence, Documented, "Writes that hit lines in M or E state";
            0x06, DATA_LINES_WRITTEN_BACK,          Occurrence, Documented, "Data cache lines written back";
            0x07, EXTERNAL_SNOOPS,                  Occurrence, Documented, "External snoops";
            0x08, EXTERNAL_SNOOP_HITS,              Occurrence, Documented, "External snoops that hit the data cache";
            0x09, MEMORY_ACCESSES_IN_BOTH_PIPES,    Occurrence, Documented, "Memory accesses in both pipes";
            0x0A, BANK_CONFLICTS,                   Occurrence, Documented, "Bank conflicts";
            0x0B, MISALIGNED_REFERENCES,            Occurrence, Documented, "Misaligned data memory or I/O references";
            0x0C, CODE_READ,                        Occurrence, Documented, "Code reads";
            0x0D, CODE_TLB_MISS,                    Occurrence, Documented, "Code TLB misses";
            0x0E, CODE_CACHE_MISS,                  Occurrence, Documented, "Code cache misses";
            0x0F, SEGMENT_REGISTER_LOADED,          Occurrence, Documented, "Any segment register loaded";
            0x10, SEGMENT_CACHE_ACCESSES,           Occurrence, Folklore,   "Segment descriptor cache accesses";
            0x11, SEGMENT_CACHE_HITS,               Occurrence, Folklore,   "Segment descriptor cache hits";
            0x12, BRANCHES,                         Occurrence, Documented, "Branches";
            0x13, BTB_HITS,                         Occurrence, Documented, "Branch target buffer hits";
            0x14, TAKEN_BRANCH_OR_BTB_HIT,          Occurrence, Documented, "Taken branches or branch target buffer hits";
            0x15, PIPELINE_FLUSHES,                 Occurrence, Documented, "Pipeline flushes";
            0x16, INSTRUCTIONS_EXECUTED,            Occurrence, Documented, "Instructions executed in both pipes";
            0x17, INSTRUCTIONS_EXECUTED_V_PIPE,     Occurrence, Documented, "Instructions executed in the V pipe";
            0x18, BUS_CYCLE_DURATION,               Duration,   Documented, "Clocks while a bus cycle is in progress";
            0x19, WRITE_BUFFER_FULL_STALL,          Duration,   Documented, "Clocks stalled by full write buffers";
            0x1A, DATA_READ_STALL,                  Duration,   Documented, "Clocks stalled waiting for data memory reads";
            0x1B, WRITE_TO_M_OR_E_LINE_STALL,       Duration,   Documented, "Clocks stalled by writes to M or E lines";
            0x1C, LOCKED_BUS_CYCLE,                 Occurrence, Documented, "Locked bus cycles";
            0x1D, IO_CYCLE,                         Occurrence, Documented, "I/O read or write cycles";
            0x1E, NONCACHEABLE_READS,               Occurrence, Documented, "Noncacheable memory reads";
            0x1F, AGI_STALLS,                       Duration,   Documented, "Address generation interlock stalls";
            0x20, EVENT_20H,                        Occurrence, Folklore,   "Unknown, but counts on real parts";
            0x21, EVENT_21H,                        Occurrence, Folklore,   "Unknown, but counts on real parts";
            0x22, FLOPS,                            Occurrence, Documented, "Floating-point operations";
            0x23, BREAKPOINT_MATCH_DR0,             Occurrence, Documented, "Breakpoint matches on register DR0";
            0x24, BREAKPOINT_MATCH_DR1,             Occurrence, Documented, "Breakpoint matches on register DR1";
            0x25, BREAKPOINT_MATCH_DR2,             Occurrence, Documented, "Breakpoint matches on register DR2";
            0x26, BREAKPOINT_MATCH_DR3,             Occurrence, Documented, "Breakpoint matches on register DR3";
            0x27, HARDWARE_INTERRUPTS,              Occurrence, Documented, "Hardware interrupts";
            0x28, DATA_READ_OR_WRITE,               Occurrence, Documented, "Data reads or data writes";
            0x29, DATA_READ_OR_WRITE_MISS,          Occurrence, Documented, "Data read misses or data write misses";
        }
    };
}

macro_rules! define_events {
    ($($selector:literal, $name:ident, $unit:ident, $standing:ident, $title:literal;)*) => {
        /// One of the events a counter can count; its value is the selector written to MSR 11h (6 bits).
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)] // The names are the manual's, as users type them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Event { $(#[doc = $title] $name = $selector,)* }

        /// Every event, in selector order.
        pub const EVENTS: &[Row] = &[
            $(Row { event: Event::$name, unit: Unit::$unit, standing: Standing::$standing, title: $title },)*
        ];

        impl Event {
            /// The event's name as users type it: its identifier.
            pub fn name(self) -> &'static str {
                match self { $(Event::$name => stringify!($name),)* }
            }

            /// The event a 6-bit selector chooses, if there is one.
            pub fn from_selector(selector: u8) -> Option<Event> {
                match selector { $($selector => Some(Event::$name),)* _ => None }
            }
        }
    };
}
for_each_event!(define_events);

/// One row of the event list.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The event, whose value is the selector.
    pub event: Event,
    /// What one count stands for.
    pub unit: Unit,
    /// How well the event is known.
    pub standing: Standing,
    /// The event in words.
    pub title: &'static str,
}

impl Event {
    /// The selector written to the control and event select register, 0 to 29h.
    pub fn selector(self) -> u8 {
        self as u8
    }

    /// The event's row in [`EVENTS`].
    pub fn row(self) -> &'static Row {
        &EVENTS[self as usize]
    }
}

/// How many events the list holds.
pub const EVENT_COUNT: usize = EVENTS.len();

/// The event constants of `p5.inc`: one `EV_name equ selector` line each, for the library's text.
#[cfg(feature = "std")]
pub fn include_constants() -> String {
    let mut text = String::new();
    for row in EVENTS {
        text.push_str(&format!(
            "EV_{:<32} equ {:03X}h ; {}\n",
            row.event.name(),
            row.event.selector(),
            row.title
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_selector_order_without_gaps() {
        for (index, row) in EVENTS.iter().enumerate() {
            assert_eq!(usize::from(row.event.selector()), index, "{}", row.event.name());
            assert_eq!(Event::from_selector(row.event.selector()), Some(row.event));
        }
        assert_eq!(EVENT_COUNT, 42, "the seeds list 42 codes, 00h to 29h");
        assert_eq!(Event::from_selector(0x2A), None);
    }
}

//! Another master of the bus: a device that reads and writes memory, or a second processor.
//!
//! Modelled: the rate and place of its accesses, the share of writes, and whether it has a cache, as data, with the
//! notation of `--monitor`. Not modelled here: the effects of its accesses, which are in `pipeline::snoop`, and their
//! clocks, which are with those of the memory.

use super::{Monitor, NoMonitor};
use crate::Text;
use asm_macros::events::Event;
use std::num::NonZeroU64;
use std::sync::Mutex;

/// The settings of another master of the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusMaster {
    /// The clocks from one of its accesses to the next.
    pub every: NonZeroU64,
    /// The percentage of accesses that are writes, 0 to 100.
    pub writes: u8,
    /// The seed of the random lines.
    pub seed: u64,
    /// The place of the lines; `None` for the data of the program.
    pub place: Option<Place>,
    /// Whether it has a cache of its own, which keeps the lines that it has accessed.
    pub has_cache: bool,
}

/// A place in the memory of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of a symbol of the program, or an address.
    pub name: &'static str,
    /// The size in bytes; `None` for the size of the symbol, or one byte.
    pub bytes: Option<u32>,
}

impl Place {
    /// The address in `name`, if it is one: `401000h`, `0x401000` or `4198400`.
    pub fn address(&self) -> Option<u32> {
        number(self.name).and_then(|address| u32::try_from(address).ok())
    }
}

/// The reason why another bus master cannot access lines at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The name or the address of the place, as it was given.
    pub name: &'static str,
    /// The problem of the place.
    pub why: NoPlace,
}

/// The problem of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoPlace {
    /// The program has no symbol of this name.
    Unknown,
    /// The symbol is a number, not an address.
    Number,
    /// Some bytes are outside the pages of the program. The two addresses are the first and the last byte of the place.
    Outside([u32; 2]),
}

/// A number, hexadecimal with `0x` or `h`.
fn number(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    if !lower.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let hexadecimal = lower.strip_prefix("0x").or_else(|| lower.strip_suffix('h'));
    match hexadecimal {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => lower.parse().ok(),
    }
}

impl BusMaster {
    const fn usual(has_cache: bool) -> BusMaster {
        BusMaster {
            every: match NonZeroU64::new(1000) {
                Some(clocks) => clocks,
                None => NonZeroU64::MIN,
            },
            writes: 50,
            seed: 1,
            place: None,
            has_cache,
        }
    }

    /// The maximum size of a place in bytes, twice the maximum of a program.
    const MOST_BYTES: u32 = 128 << 20;

    /// The settings changed by `text`: `CLOCKS:WRITES:SEED@PLACE:BYTES`, of which every part except the first number is
    /// optional.
    fn with(self, text: &str) -> Result<BusMaster, NoMonitor> {
        const FORM: NoMonitor = NoMonitor::NotASetting;
        let (numbers, place) = match text.split_once('@') {
            Some((numbers, place)) => (numbers, Some(place)),
            None => (text, None),
        };
        let mut master = self;
        let mut numbers = numbers.split(':').map(number);
        if !(text.starts_with('@')) {
            let every = numbers.next().flatten().and_then(NonZeroU64::new);
            master.every = every.ok_or(FORM)?;
        } else {
            numbers.next();
        }
        if let Some(writes) = numbers.next() {
            let writes = writes.filter(|&writes| writes <= 100).ok_or(FORM)?;
            master.writes = writes as u8;
        }
        if let Some(seed) = numbers.next() {
            master.seed = seed.ok_or(FORM)?;
        }
        if numbers.next().is_some() {
            return Err(FORM);
        }
        if let Some(place) = place {
            let (name, bytes) = match place.split_once(':') {
                Some((name, bytes)) => {
                    let bytes = number(bytes).filter(|&bytes| bytes > 0);
                    let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or(FORM)?;
                    if bytes > BusMaster::MOST_BYTES {
                        let most = BusMaster::MOST_BYTES;
                        return Err(NoMonitor::PlaceTooLarge { most });
                    }
                    (name, Some(bytes))
                }
                None => (place, None),
            };
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(FORM);
            }
            master.place = Some(Place {
                name: String::leak(name.to_owned()),
                bytes,
            });
        }
        Ok(master)
    }
}

/// The monitors with settings that were requested, each made once.
static SET: Mutex<Vec<&'static Monitor>> = Mutex::new(Vec::new());

impl Monitor {
    /// This monitor with the settings after `=` in its name.
    pub(super) fn set(&'static self, setting: &str) -> Result<&'static Monitor, NoMonitor> {
        let usual = self.master.ok_or(NoMonitor::WithoutSettings(self.name))?;
        let name = format!("{}={}", self.name, setting.trim());
        let mut made = SET.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(known) = made.iter().find(|known| known.name == name) {
            return Ok(known);
        }
        let master = usual.with(setting.trim())?;
        let monitor = Box::leak(Box::new(Monitor {
            name: String::leak(name),
            master: Some(master),
            ..*self
        }));
        made.push(monitor);
        Ok(monitor)
    }
}

const SOURCE: &str = "Intel, Pentium Processor Family Developer's Manual 1997, chapter 2 (cache consistency) and \
                      chapter 6 (inquire cycles); AMD-K5 Processor Technical Reference Manual 1996, 6.2 (what an \
                      inquire cycle does to a line)";

pub(super) static SNOOPER: Monitor = Monitor {
    name: "snooper",
    title: "another bus master without a cache, such as a disk controller, whose accesses snoop",
    text: Text {
        rule: "With `--monitor snooper` a device reads or writes a line of the program's data every 1000 clocks. \
               `snooper=CLOCKS:WRITES:SEED@PLACE:BYTES` says how often, how many of 100 accesses are writes (50), what \
               its random lines follow from (1), and where they are: at a name or an address of the program, as \
               many bytes as BYTES says (the size of what is named, else 1); without a place \
               in the segments that it may write and that have no code. What it writes is what was there. Each access \
               is an inquire cycle of the caches (07h), for which the tags have a port of their own, so that it takes \
               no clock from the program. A line that hits (08h) becomes shared by a read and invalid by a write, in \
               the code cache, too; one that is modified is written back before (06h). The bus is taken for the \
               inquire cycle, for the write-back and for the transfer (18h; 2Eh leaves out the clocks of the device), \
               so that misses and buffered writes wait (1Ah, 19h), and writes that hit wait for a write-back (1Bh). A \
               write to a shared line goes to memory, is no hit of event 05h, and leaves the line exclusive. An access \
               that is late by the clocks between two is left out. It never reads what the program has in a cache \
               without asking, and no value depends on it. This monitor changes clocks: most programs are slower \
               beside it, but one is faster whose misses find in the second level cache what the device has read into \
               it.",
        source: SOURCE,
        not_modelled: "Pins, and how the bus is asked for (HOLD, AHOLD, BOFF#): the device gets it when the transfer \
                       under way is done, and the requests that came before. An inquire cycle takes two bus clocks \
                       until the answer, which is the manual's time from EADS# to HIT# and HITM#; that a transfer \
                       follows at once is a guess. The lines that answer are those of linear addresses. A line that \
                       is being filled is snooped as if it were there. The device reads and writes through the second \
                       level cache: its reads fill it, as those of the program do, and may push lines of the program \
                       out.",
        tests: &[
            ("snapshots/asm/snooped_by_a_device.asm", "EXTERNAL_SNOOP_HITS"),
            (
                "instrumenter/tests/run_reports.rs",
                "what_a_device_has_read_is_nearer_than_memory",
            ),
            (
                "snapshots/asm/line_shared_with_a_device.asm",
                "WRITE_HIT_TO_M_OR_E_LINE",
            ),
            (
                "runtime/timing/src/pipeline/snoop.rs",
                "a_line_that_is_written_leaves_both_caches",
            ),
            (
                "runtime/timing/src/pipeline/snoop.rs",
                "a_request_that_comes_first_is_served_first",
            ),
            (
                "snapshots/tests/engines/monitors.rs",
                "another_bus_master_does_the_same_wherever_blocks_are_cut",
            ),
        ],
        said: &[
            "with snooper attached",
            "snoop",
            "bus master",
            "inquire cycle",
            "meets other accesses of the other bus master",
        ],
    },
    cpuid: &[],
    registers: &[],
    features: &[],
    control_register_4: 0,
    forms: &[],
    rows: &[],
    interrupts: false,
    raises: &[Event::EXTERNAL_SNOOPS, Event::EXTERNAL_SNOOP_HITS],
    master: Some(BusMaster::usual(false)),
};

pub(super) static DUAL: Monitor = Monitor {
    name: "dual",
    title: "a second processor on the bus, with a cache, whose accesses snoop",
    text: Text {
        rule: "With `--monitor dual` a second processor accesses the program's data, as the device of `--monitor \
               snooper` does and with the same settings (`p5inst explain snooper`), but it has a cache: what that \
               answers is not on the bus and snoops nothing. A read that misses keeps the line, exclusive unless the \
               program's processor has it; a write gets the line for itself and keeps it modified. A miss of the \
               program then waits until the other one has written the line back, and is served by its cache: both have \
               it shared. The bus changes its owner where the other one used it last: that is a transfer (2Ah on \
               counter 1), and the clocks from the request to the grant are its latency (2Ah on counter 0). 2Ch counts \
               the snoops of the other one that hit, and those that hit a modified line. Samples name the other \
               processor as a core of another node, with a modified line. This monitor changes clocks: most programs \
               are slower beside it, but what it has fetched may be nearer to the program than memory.",
        source: SOURCE,
        not_modelled: "The size of the other cache, which holds all of its lines; the code that it executes. That \
                       snoops of the second processor count as external ones (07h, 08h) is not documented, nor what \
                       the events of sharing (2Ch) leave out. An idle bus is granted in the bus clock after the \
                       request, which is a guess. A read ahead of a code line does not change the owner.",
        tests: &[
            (
                "snapshots/asm/line_shared_with_a_processor.asm",
                "BUS_OWNERSHIP_TRANSFERS",
            ),
            (
                "runtime/timing/src/pipeline/snoop.rs",
                "a_second_processor_keeps_what_it_writes",
            ),
            (
                "snapshots/tests/sampling/shared_bus.rs",
                "loads_that_the_other_processor_serves_are_those_of_another_node",
            ),
            (
                "snapshots/tests/engines/monitors.rs",
                "another_bus_master_does_the_same_wherever_blocks_are_cut",
            ),
        ],
        said: &[
            "with dual attached",
            "second processor",
            "dual processing",
            "false sharing",
        ],
    },
    raises: &[
        Event::EXTERNAL_SNOOPS,
        Event::EXTERNAL_SNOOP_HITS,
        Event::BUS_OWNERSHIP_LATENCY,
        Event::BUS_OWNERSHIP_TRANSFERS,
        Event::CACHE_M_LINE_SHARING,
        Event::CACHE_LINE_SHARING,
    ],
    master: Some(BusMaster::usual(true)),
    ..SNOOPER
};

#[cfg(test)]
mod tests {
    use super::super::{NoMonitor, monitor};

    #[test]
    fn settings_are_read_part_by_part() {
        let of = |text: &str| monitor(text).expect("a monitor").master.expect("a master");
        let usual = of("snooper");
        assert_eq!(
            (usual.every.get(), usual.writes, usual.seed, usual.place),
            (1000, 50, 1, None)
        );
        assert_eq!(of("dual=20").every.get(), 20);
        let all = of("snooper=0x20:100:7@Table:40h");
        let place = all.place.expect("a place");
        assert_eq!((all.every.get(), all.writes, all.seed), (32, 100, 7));
        assert_eq!((place.name, place.bytes, place.address()), ("Table", Some(64), None));
        let only = of("dual=@401000h");
        assert_eq!(only.place.and_then(|place| place.address()), Some(0x40_1000));
        assert!(only.has_cache && only.every.get() == 1000);
        let same = |text: &str| monitor(text).expect("a monitor");
        assert!(std::ptr::eq(same("snooper=5:1"), same("Snooper=5:1")));
    }

    #[test]
    fn settings_that_are_none_are_refused() {
        for text in [
            "snooper=",
            "snooper=0",
            "snooper=5:101",
            "snooper=5:1:2:3",
            "snooper=x",
            "snooper=5@",
            "snooper=5@a:0",
            "snooper=5@a b",
        ] {
            assert_eq!(monitor(text).expect_err(text), NoMonitor::NotASetting, "{text}");
        }
        let without = |name, place| NoMonitor::WithoutClocks { name, place };
        assert_eq!(
            monitor("snooper@bytes").expect_err("no clocks"),
            without("snooper", "bytes")
        );
        assert_eq!(monitor("DUAL@a:4").expect_err("no clocks"), without("dual", "a:4"));
        assert_eq!(monitor("ibs@bytes").expect_err("no place"), NoMonitor::Unknown);
        assert_eq!(
            monitor("perfmon=5").expect_err("no settings"),
            NoMonitor::WithoutSettings("perfmon")
        );
        let too_large = monitor("snooper=@a:0FFFFFFFFh").expect_err("too large");
        assert!(matches!(too_large, NoMonitor::PlaceTooLarge { .. }));
    }
}
